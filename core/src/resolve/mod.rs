//! Syntax tree → resolved form: every name bound, every star expanded, every node modelled or refused.
//!
//! Receives one parsed SELECT, INSERT, UPDATE or DELETE and a policy; returns a [`tree::Tree`]. Follows PostgreSQL's own rules of name resolution
//! (`parse_relation.c`, `parse_clause.c`, `parse_target.c`), with what a policy cannot know counted as a danger: see
//! [`scope`]. Never decides about tenancy, never words a reason.

mod access;
mod call;
mod clauses;
mod column;
mod cte;
mod expr;
mod from;
mod item;
mod json;
mod names;
mod operator;
mod refused;
mod relation;
mod returning;
mod scope;
mod select;
pub mod shape;
mod star;
pub mod tree;
mod write;
mod written;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use pg_query::protobuf as pg;

use crate::policy::Policy;
use crate::text::Tokens;
use scope::{Aggregate, CteFrame, Index, Scope};
use tree::{Expr, ExprId, ExprKind, Level, LevelId, List, Loc, Refusal, Refused, RelId, Tree};

/// A statement that can be resolved.
#[derive(Clone, Copy)]
pub enum Statement<'a> {
    /// SELECT, VALUES, TABLE.
    Select(&'a pg::SelectStmt),
    /// INSERT.
    Insert(&'a pg::InsertStmt),
    /// UPDATE.
    Update(&'a pg::UpdateStmt),
    /// DELETE.
    Delete(&'a pg::DeleteStmt),
}

/// Resolves a statement against a policy. `sql` is the text that it was parsed from.
pub fn resolve<'a>(policy: &'a Policy, sql: &'a str, statement: Statement<'a>) -> Tree<'a> {
    let mut resolver = Resolver {
        tree: Tree::new(policy, sql),
        scopes: Vec::with_capacity(4),
        frames: Vec::new(),
        aggregates: Vec::new(),
        depth: 0,
        locking: 0,
        relations: 0,
        starred: 0,
        tokens: OnceCell::new(),
        wide: RefCell::default(),
        noted: BTreeSet::new(),
    };
    resolver.tree.root = match statement {
        Statement::Select(select) => resolver.select(select),
        Statement::Insert(insert) => resolver.insert(insert),
        Statement::Update(update) => resolver.update(update),
        Statement::Delete(delete) => resolver.delete(delete),
    };
    let tree = resolver.tree;
    debug_assert!(
        !tree.refusals.is_empty() || !tree.exprs.iter().any(|expr| matches!(expr.kind, ExprKind::Unknown)),
        "what is unknown was refused"
    );
    tree
}

/// The state of one resolution.
struct Resolver<'a> {
    /// The text's tokens, scanned when the first refusal needs a place that the parser doesn't give.
    tokens: OnceCell<Tokens<'a>>,
    /// The names of relations with many columns, indexed when the first is looked up.
    wide: RefCell<BTreeMap<RelId, Index<'a>>>,
    /// The merged columns, by what they are merged of, that a level within is known to refer to.
    noted: BTreeSet<(LevelId, ExprId, ExprId)>,
    tree: Tree<'a>,
    /// The namespaces from the outermost level inwards.
    scopes: Vec<Scope<'a>>,
    /// The WITH lists in force, innermost last.
    frames: Vec<CteFrame<'a>>,
    /// The aggregate calls whose arguments are being resolved, outermost first.
    aggregates: Vec<Aggregate>,
    /// Nesting of queries and expressions.
    depth: u64,
    /// Locking clauses seen, in text order.
    locking: usize,
    /// FROM items seen, subqueries aside: these count by what they hold.
    relations: u64,
    /// Columns that stars stand for, so far.
    starred: usize,
}

impl<'a> Resolver<'a> {
    fn policy(&self) -> &'a Policy {
        self.tree.policy
    }

    fn refuse(&mut self, loc: Loc, what: Refused<'a>) {
        self.tree.refusals.push(Refusal { what, loc });
    }

    /// Refuses, and stands for the refused expression.
    fn refuse_expr(&mut self, loc: Loc, what: Refused<'a>) -> ExprId {
        self.refuse(loc, what);
        self.push(ExprKind::Unknown, loc)
    }

    fn push(&mut self, kind: ExprKind<'a>, loc: Loc) -> ExprId {
        let id = ExprId(index(self.tree.exprs.len()));
        self.tree.exprs.push(Expr { kind, loc });
        id
    }

    fn list(&mut self, items: &[ExprId]) -> List {
        let start = index(self.tree.lists.len());
        self.tree.lists.extend_from_slice(items);
        List { start, len: index(items.len()) }
    }

    /// The level whose clauses are being resolved.
    fn level_id(&self) -> LevelId {
        self.scopes.last().map_or(self.tree.root, |scope| scope.level)
    }

    fn level_mut(&mut self, id: LevelId) -> Option<&mut Level<'a>> {
        self.tree.levels.get_mut(id.at())
    }

    /// Goes one level of nesting down, if the policy's limit allows it.
    fn nested<T>(&mut self, loc: Loc, otherwise: T, inside: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= self.policy().limits.max_depth {
            let told = self.tree.refusals.iter().any(|refusal| matches!(refusal.what, Refused::Depth));
            if !told {
                self.refuse(loc, Refused::Depth);
            }
            return otherwise;
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }
}

/// Arena positions fit 32 bits: a text has at most 2^32 bytes, and limits are far below.
fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// The parser's location, -1 where it has none.
fn loc(location: i32) -> Loc {
    u32::try_from(location).ok()
}
