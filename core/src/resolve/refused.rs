//! What the resolver refuses: for each construct that could not be bound or is not modelled, what its rule needs for a message.

use super::tree::{Loc, RelId};

/// Something that could not be bound or is not modelled, with what its rule needs for a message.
#[derive(Debug)]
pub struct Refusal<'a> {
    /// What.
    pub what: Refused<'a>,
    /// Where.
    pub loc: Loc,
}

/// See [`Refusal`].
#[derive(Debug)]
pub enum Refused<'a> {
    /// A construct that is not modelled, by its name.
    Unsupported(&'static str),
    /// SELECT … INTO.
    SelectInto,
    /// A locking clause; its ordinal in text order.
    Locking(usize),
    /// A data-modifying CTE.
    WriteInRead,
    /// A relation that the policy doesn't list.
    Table(String),
    /// A system relation.
    SystemCatalog(String),
    /// A relation that must be qualified, and how, where that is known.
    Unqualified(&'a str, Option<&'a str>),
    /// A column that isn't readable: the name as written, the relation that it was looked for in.
    Column(String, Option<RelId>),
    /// A name that could bind to several columns, or to an unknown one; the qualifiers that would do.
    Ambiguous(&'a str, Vec<&'a str>),
    /// A star over an incomplete table.
    StarIncomplete(RelId),
    /// A star over a complete table with hidden columns.
    StarHidden(RelId),
    /// A star where position counts.
    StarPosition,
    /// A table's row as a value.
    WholeRow(&'a str),
    /// A system column.
    SystemColumn(&'a str),
    /// NATURAL JOIN over an incomplete table.
    Natural,
    /// An alias column list over a table.
    AliasColumns(&'a str),
    /// A function.
    Function(String),
    /// An operator.
    Operator(String),
    /// A type.
    Type(String),
    /// A collation.
    Collation(String),
    /// Nesting over the policy's limit.
    Depth,
    /// Relations over the policy's limit.
    Relations,
    /// Grouping sets over the policy's limit.
    GroupingSets,
    /// Stars that stand for more than so many columns in all.
    StarredColumns(usize),
    /// A form of a write that is not modelled.
    Shape(BadShape<'a>),
}

/// A form of a write that could do what nobody can tell from the text, or that is not modelled.
#[derive(Debug)]
pub enum BadShape<'a> {
    /// INSERT without a column list.
    NoColumns,
    /// DEFAULT VALUES.
    DefaultValues,
    /// OVERRIDING.
    Overriding,
    /// ON CONFLICT DO UPDATE.
    ConflictUpdate,
    /// ON CONFLICT DO NOTHING whose columns are not all named plainly: an expression, an operator class, a predicate, ON
    /// CONSTRAINT, or none at all.
    ConflictNotColumns,
    /// ON CONFLICT DO NOTHING over columns that leave out this tenant column.
    ConflictWithoutKey(&'a str),
    /// WHERE CURRENT OF.
    CurrentOf,
    /// RETURNING reads these columns, which the statement leaves to their defaults.
    ReturningDefault(Vec<&'a str>),
    /// `SET (…) = …` of something that is neither a row nor a subquery, or of another number of values.
    MultipleSet,
    /// Anything else, by its name.
    Other(&'static str),
}
