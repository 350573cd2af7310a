//! What INSERT, UPDATE and DELETE write: the part of the resolved form that reads don't have.

use super::tree::{ExprId, LevelId, Loc, RelId};

/// What a statement writes.
#[derive(Debug)]
pub struct Write<'a> {
    /// INSERT, UPDATE or DELETE.
    pub kind: WriteKind,
    /// The table that it writes to. In the FROM of the root level of UPDATE and DELETE, in none of INSERT.
    pub target: RelId,
    /// INSERT: the column list.
    pub columns: Vec<Target<'a>>,
    /// INSERT: where its rows come from, by position in the column list; `None` where there are none.
    pub source: Option<LevelId>,
    /// UPDATE: SET, each column by itself.
    pub sets: Vec<Assignment<'a>>,
    /// The first expression of RETURNING: whatever comes behind belongs to it.
    pub returning: ExprId,
}

/// A kind of write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteKind {
    /// INSERT.
    Insert,
    /// UPDATE.
    Update,
    /// DELETE.
    Delete,
}

impl WriteKind {
    /// The keyword.
    pub const fn name(self) -> &'static str {
        match self {
            WriteKind::Insert => "INSERT",
            WriteKind::Update => "UPDATE",
            WriteKind::Delete => "DELETE",
        }
    }
}

/// A column that is written.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// Its name as written.
    pub name: &'a str,
    /// Its position among the table's columns; `None`: the policy lists no such column, or the table was refused.
    pub column: Option<u32>,
    /// Only a part of it is written: a field, an element.
    pub part: bool,
    /// Where its name stands.
    pub loc: Loc,
}

/// `SET column = value`.
#[derive(Clone, Copy, Debug)]
pub struct Assignment<'a> {
    /// The column.
    pub target: Target<'a>,
    /// The value.
    pub value: Value,
    /// It is one of several columns: `SET (a, b) = …`.
    pub several: bool,
}

/// What a column is set to.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// An expression.
    Expr(ExprId),
    /// A value of the one row of a subquery; NULL where it has no row.
    Output(LevelId),
}
