//! What is known in one place, and how it came to be known.

use crate::resolve::tree::Loc;

use super::columns::ColumnId;

/// How a column came to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The place of the first value on the way that isn't the caller's own, if there is one.
    pub loc: Loc,
    /// It follows from the caller's value or a proven tenant column, not from a fact: only such a proof can be deferred
    /// (rule 9), because the planner carries no other one into the subquery, and an error there on a foreign row would
    /// be a dependable answer.
    pub strict: bool,
}

impl Cause {
    /// A cause that needs both.
    pub fn and(self, other: Cause) -> Cause {
        Cause { loc: self.loc.or(other.loc), strict: self.strict && other.strict }
    }

    pub fn fact(self) -> Cause {
        Cause { strict: false, ..self }
    }
}

/// The cause of what weakened rules take for proven.
pub const STRICT: Cause = Cause { loc: None, strict: true };

/// The cause of what holds by itself.
pub const FACT: Cause = Cause { loc: None, strict: false };

/// What is known inside one region, or inside one branch of an OR, on top of what is known around it.
#[derive(Default)]
pub struct Local<'p> {
    /// What is known around it.
    pub around: Option<&'p Local<'p>>,
    /// A region asks often: by column.
    pub dense: Vec<Option<Cause>>,
    /// A branch is small.
    pub sparse: Vec<(ColumnId, Cause)>,
    /// How many were added.
    pub count: usize,
}

impl Local<'_> {
    /// How a column is known here; `None`: it isn't.
    pub fn get(&self, column: ColumnId) -> Option<Cause> {
        let own = self.dense.get(column.at()).copied().flatten();
        let own = own.or_else(|| self.sparse.iter().rev().find(|(own, _)| *own == column).map(|(_, cause)| *cause));
        own.or_else(|| self.around.and_then(|around| around.get(column)))
    }

    /// Adds a column, or a strict cause in place of a fact; false if that was there.
    pub fn add(&mut self, column: ColumnId, cause: Cause) -> bool {
        if self.get(column).is_some_and(|known| known.strict || !cause.strict) {
            return false;
        }
        if self.around.is_some() {
            self.sparse.push((column, cause));
        } else {
            if self.dense.len() <= column.at() {
                self.dense.resize(column.at() + 1, None);
            }
            if let Some(slot) = self.dense.get_mut(column.at()) {
                *slot = Some(cause);
            }
        }
        self.count += 1;
        true
    }
}
