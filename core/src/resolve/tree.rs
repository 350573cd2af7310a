//! The resolved form: what rules and facts read instead of the syntax tree.
//!
//! Every name is bound to a relation and a column, every star is expanded, every construct is either modelled here or
//! refused ([`Refusal`]). Flat arenas with typed indices: one allocation per kind of thing, nothing to drop recursively.

use crate::catalog::{Function, Held};
use crate::policy::Policy;

pub use super::refused::{BadShape, Refusal, Refused};
pub use super::written::{Assignment, Target, Value, Write, WriteKind};

/// 0-based byte offset into the SQL; `None` where the parser gives no place.
pub type Loc = Option<u32>;

macro_rules! index {
    ($($(#[doc = $doc:literal])+ $name:ident;)+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);
        impl $name {
            /// The position in its arena.
            pub const fn at(self) -> usize { self.0 as usize }
        }
    )+};
}

index! {
    /// A query level: one SELECT, VALUES or set operation.
    LevelId;
    /// An item of some FROM clause.
    RelId;
    /// A node of some level's join tree.
    JoinId;
    /// An expression.
    ExprId;
    /// A common table expression.
    CteId;
    /// A function call.
    CallId;
}

/// A run of expressions in [`Tree::lists`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // where it starts, and how many they are
pub struct List {
    pub start: u32,
    pub len: u32,
}

/// A resolved statement.
#[derive(Debug)]
pub struct Tree<'a> {
    /// The policy that names were resolved against.
    pub policy: &'a Policy,
    /// The text: facts look at how a number is spelled.
    pub sql: &'a str,
    /// The outermost level. Of a write: its FROM is the target of UPDATE or DELETE and what these join with it, its outputs are
    /// RETURNING.
    pub root: LevelId,
    /// What the statement writes; `None`: it reads.
    pub write: Option<Write<'a>>,
    /// Every query level; an enclosing level comes before what it encloses.
    pub levels: Vec<Level<'a>>,
    /// The levels in the order in which their resolution ended: what a level is computed from comes before it.
    pub order: Vec<LevelId>,
    /// Every FROM item of every level.
    pub rels: Vec<Rel<'a>>,
    /// Every join tree node of every level.
    pub joins: Vec<Join>,
    /// Every expression; operands come before what they are operands of.
    pub exprs: Vec<Expr<'a>>,
    /// Backing store of [`List`].
    pub lists: Vec<ExprId>,
    /// Every common table expression.
    pub ctes: Vec<Cte<'a>>,
    /// Every function call, in order of appearance.
    pub calls: Vec<Call<'a>>,
    /// What could not be bound or is not modelled.
    pub refusals: Vec<Refusal<'a>>,
    /// Columns read, as (index of the table in the policy, index of the column in the table); not yet unique.
    pub reads: Vec<(u32, u32)>,
}

/// One SELECT, VALUES list or set operation.
#[derive(Debug)]
pub struct Level<'a> {
    /// What it computes from.
    pub body: Body,
    /// Its output columns.
    pub outputs: Vec<Output<'a>>,
    /// It has outputs that are not known, because a star covers what was refused.
    pub open: bool,
    /// It may have outputs that are not known, because this star covers a function whose result may be composite.
    pub uncertain: Option<StarAt>,
    /// DISTINCT.
    pub distinct: Distinct,
    /// It has GROUP BY, HAVING, or an aggregate that belongs to it.
    pub aggregated: bool,
    /// An aggregate belongs to it, wherever it is spelled.
    pub has_aggregate: bool,
    /// It calls a function that could be an aggregate, for all that the policy says.
    pub may_aggregate: bool,
    /// GROUP BY, where there is one.
    pub group: Option<Group>,
    /// HAVING.
    pub having: Option<ExprId>,
    /// The PARTITION BY lists of every window that a function of this level is computed over.
    pub windows: Vec<List>,
    /// ORDER BY.
    pub order_by: List,
    /// LIMIT or FETCH; `LIMIT ALL` and `LIMIT NULL` are none.
    pub limit: Option<ExprId>,
    /// It has one of those that limit nothing.
    pub unlimited: bool,
    /// OFFSET.
    pub offset: Option<ExprId>,
    /// Relations of enclosing levels that something in this level (or in a level within) refers to.
    pub outer_rels: Vec<RelId>,
    /// Where it starts, as far as the parser tells.
    pub loc: Loc,
}

/// What a level computes its rows from.
#[derive(Debug)]
pub enum Body {
    /// `SELECT … FROM … WHERE …`.
    Select {
        /// The comma list.
        from: Vec<JoinId>,
        /// WHERE.
        filter: Option<ExprId>,
    },
    /// VALUES.
    Values {
        /// The rows.
        rows: Vec<List>,
    },
    /// UNION, INTERSECT, EXCEPT; a left-deep chain of one level is one body.
    SetOp {
        /// The arms in order of appearance.
        arms: Vec<LevelId>,
        /// The last operation is `UNION` without ALL.
        last_is_union_distinct: bool,
    },
}

/// DISTINCT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distinct {
    /// Absent.
    No,
    /// `DISTINCT`.
    All,
    /// `DISTINCT ON (…)`, resolved.
    On(List),
}

/// GROUP BY.
#[derive(Debug)]
pub struct Group {
    /// Every expression that is a key of some grouping set.
    pub keys: Vec<ExprId>,
    /// One grouping set that holds every key: a plain list without CUBE, ROLLUP or GROUPING SETS.
    pub single_set: bool,
}

/// An output column.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a> {
    /// Its name, `?column?` included.
    pub name: &'a str,
    /// What feeds it; `None` for set operations and VALUES, which are fed by their arms and rows.
    pub expr: Option<ExprId>,
    /// The star over a table that it comes from: its POSITION is uncertain, a policy doesn't know the order of columns.
    pub unordered: Option<StarAt>,
}

/// Where a star stands that made an output's position uncertain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StarAt(pub Loc);

/// A FROM item.
#[derive(Debug)]
pub struct Rel<'a> {
    /// The level in whose FROM it stands.
    pub level: LevelId,
    /// What it is.
    pub kind: RelKind<'a>,
    /// The name by which it is referred to; empty where it has none.
    pub alias: &'a str,
    /// An alias was written.
    pub has_alias: bool,
    /// The first names of its columns where an alias list renames them.
    pub names: Vec<&'a str>,
    /// Where it stands.
    pub loc: Loc,
}

/// What a FROM item is.
#[derive(Debug)]
pub enum RelKind<'a> {
    /// A table of the policy (its index).
    Table(u32),
    /// A subquery.
    Derived(LevelId),
    /// A common table expression.
    Cte(CteId),
    /// The reference of a recursive CTE's recursive term to itself.
    SelfRef(CteId),
    /// Functions, JSON_TABLE.
    Function {
        /// Its columns.
        columns: Vec<&'a str>,
        /// How far its columns are known.
        reach: Reach,
        /// Its arguments.
        args: List,
    },
    /// Refused already: names in it resolve to nothing, silently.
    Unknown,
}

/// How far the columns of a function in FROM are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// All of them are.
    Exact,
    /// Its result has the type of its argument: if that is composite, its fields are columns, and may capture names.
    MayCapture,
    /// Nothing is known.
    Open,
}

/// A node of a level's join tree.
#[derive(Debug)]
pub enum Join {
    /// A FROM item.
    Leaf(RelId),
    /// `left JOIN right`.
    Node {
        /// INNER (CROSS too), LEFT, RIGHT, FULL.
        kind: JoinKind,
        /// Left input.
        left: JoinId,
        /// Right input.
        right: JoinId,
        /// ON.
        on: Option<ExprId>,
        /// The merged columns of USING and NATURAL: (left, right) operands of each implied equality.
        using: Vec<(ExprId, ExprId)>,
    },
}

/// How a join treats rows without a partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    /// Drops them.
    Inner,
    /// Keeps those of the left side.
    Left,
    /// Keeps those of the right side.
    Right,
    /// Keeps both.
    Full,
}

/// A common table expression.
#[derive(Debug)]
pub struct Cte<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its query; `None` where it could not be lowered.
    pub level: Option<LevelId>,
    /// The level whose WITH defines it.
    pub owner: LevelId,
    /// Its alias column list.
    pub names: Vec<&'a str>,
    /// Columns that SEARCH and CYCLE add behind its own.
    pub extra: Vec<&'a str>,
    /// How many references there are, those of its own recursive term aside.
    pub uses: u32,
    /// It has MATERIALIZED.
    pub materialized: bool,
    /// Its last arm refers to itself.
    pub recursive: bool,
    /// Where its name stands.
    pub loc: Loc,
}

/// An expression.
#[derive(Clone, Copy, Debug)]
pub struct Expr<'a> {
    /// What it is.
    pub kind: ExprKind<'a>,
    /// Where it stands.
    pub loc: Loc,
}

/// What an expression is. Kinds that no rule or fact tells apart are [`ExprKind::Other`].
#[derive(Clone, Copy, Debug)]
pub enum ExprKind<'a> {
    /// Refused already.
    Unknown,
    /// A column.
    Column(RelId, u32),
    /// A column that USING or NATURAL merged of two, by that kind of join.
    Merged(JoinKind, ExprId, ExprId),
    /// The whole row of a derived table, CTE, VALUES or function.
    WholeRow(RelId),
    /// NULL.
    Null,
    /// DEFAULT, in a row of INSERT or in SET.
    Default,
    /// TRUE, FALSE.
    Bool,
    /// An integer constant of at most 32 bits.
    Integer(i32),
    /// Another numeric constant, as spelled.
    Numeric(&'a str),
    /// A string constant.
    String(&'a str),
    /// A bit string constant.
    Bits,
    /// `$n`.
    Param(u32),
    /// A cast.
    Cast(ExprId, TypeUse<'a>),
    /// COLLATE.
    Collate(ExprId),
    /// AND.
    And(List),
    /// OR.
    Or(List),
    /// NOT.
    Not(ExprId),
    /// A binary operator.
    Binary(Operator<'a>, ExprId, ExprId),
    /// A prefix operator.
    Prefix(Operator<'a>, ExprId),
    /// `IS DISTINCT FROM` (`false`) or `IS NOT DISTINCT FROM` (`true`).
    NotDistinct(bool, ExprId, ExprId),
    /// `IN (list)` (`true`), `NOT IN (list)` (`false`).
    InList(bool, ExprId, List),
    /// `x op ANY (array)`; `true`: ALL.
    AnyArray(Operator<'a>, bool, ExprId, ExprId),
    /// `x BETWEEN a AND b` in all its forms.
    Between(List),
    /// `LIKE`, `ILIKE`, `SIMILAR TO`: the operator that is meant, its operands.
    Like(Operator<'a>, ExprId, ExprId),
    /// ARRAY[…].
    Array(List),
    /// ROW(…).
    Row(List),
    /// `IS NULL` (`false`), `IS NOT NULL` (`true`).
    NullTest(bool, ExprId),
    /// `IS TRUE` (`true`), any other of IS [NOT] TRUE, FALSE, UNKNOWN (`false`).
    BoolTest(bool, ExprId),
    /// A subquery.
    Subquery(SubqueryKind<'a>, LevelId),
    /// A function call.
    Call(CallId),
    /// Any other modelled construct: only its operands matter.
    Other(List),
}

/// How a subquery is used.
#[derive(Clone, Copy, Debug)]
pub enum SubqueryKind<'a> {
    /// EXISTS.
    Exists,
    /// A scalar subquery, or the right side of a row comparison.
    Scalar,
    /// ARRAY(…), JSON_ARRAY(…).
    Array,
    /// `test op ANY (…)`; IN is `= ANY`.
    Any(Operator<'a>, ExprId),
    /// `test op ALL (…)`.
    All(ExprId),
}

/// An operator as it is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operator<'a> {
    /// The schema in `OPERATOR(schema.name)`.
    pub schema: Option<&'a str>,
    /// Its name.
    pub name: &'a str,
}

impl Operator<'_> {
    /// PostgreSQL's own operator of that name (a policy's search_path cannot shadow it: the doctor checks that).
    pub fn is_builtin(self, name: &str) -> bool {
        self.name == name && matches!(self.schema, None | Some("pg_catalog"))
    }
}

/// A type as it is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeUse<'a> {
    /// Its schema; `pg_catalog` for the grammar's own spellings.
    pub schema: Option<&'a str>,
    /// Its name.
    pub name: &'a str,
    /// An array of it.
    pub array: bool,
    /// It has modifiers: a length, a precision.
    pub modified: bool,
    /// The first modifier, where it is a number.
    pub length: Option<i32>,
}

impl TypeUse<'_> {
    /// `text`, or `varchar` without a length: PostgreSQL's own, and no array.
    pub fn is_text(self) -> bool {
        !self.array && !self.modified && (self.is_builtin("text") || self.is_builtin("varchar"))
    }

    /// PostgreSQL's own type of that name, or its array.
    pub fn is_builtin(self, name: &str) -> bool {
        self.name == name && matches!(self.schema, None | Some("pg_catalog"))
    }
}

/// A function call.
#[derive(Debug)]
pub struct Call<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its arguments, then those of WITHIN GROUP.
    pub args: List,
    /// Everything else in it: ORDER BY, FILTER, the window's expressions.
    pub others: List,
    /// What the policy's catalogue knows of it; `None`: denied.
    pub function: Option<&'a Function>,
    /// The level that it stands in.
    pub level: LevelId,
    /// It stands directly under a cast to text.
    pub as_text: bool,
    /// An argument is given by its name, so that an argument's place does not tell which it is.
    pub named: bool,
    /// Where its name stands.
    pub loc: Loc,
}

impl Call<'_> {
    /// How `limits.complexity` holds it.
    pub fn held(&self) -> Option<Held> {
        self.function.and_then(|function| function.held)
    }
}
