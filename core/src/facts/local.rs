//! What one region of a level, or one branch of an OR in it, knows of tenant columns.
//!
//! Receives conclusions, answers what is known. Only grows: a branch keeps what it knows from sweep to sweep, so that ORs in
//! ORs cost their size and not two to the power of their depth.

use std::collections::BTreeMap;

use crate::resolve::tree::Loc;

use super::columns::ColumnId;

/// How a column came to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The first value on the way that isn't the caller's own, if there is one.
    pub foreign: Option<Foreign>,
    /// It follows from the caller's value or a proven tenant column, not from a fact: only such a proof can be deferred
    /// (rule 9), because the planner carries no other one into the subquery, and an error there on a foreign row would
    /// be a dependable answer.
    pub strict: bool,
}

/// A value that is not the caller's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// Where it stands.
    pub loc: Loc,
    /// The column that is compared with it; `None` where it stands in an output.
    pub column: Option<ColumnId>,
}

impl Cause {
    /// A cause that needs both.
    pub fn and(self, other: Cause) -> Cause {
        Cause { foreign: self.foreign.or(other.foreign), strict: self.strict && other.strict }
    }

    /// The same as a mere fact.
    pub fn fact(self) -> Cause {
        Cause { strict: false, ..self }
    }
}

/// The cause of what weakened rules take for proven.
pub const STRICT: Cause = Cause { foreign: None, strict: true };

/// The cause of what holds by itself.
pub const FACT: Cause = Cause { foreign: None, strict: false };

/// So many are looked through one by one.
const FEW: usize = 16;

/// Columns that hold the caller's value, with the cause.
#[derive(Default)]
pub struct Known {
    /// In the order in which they were concluded; a strict cause can follow a fact.
    own: Vec<(ColumnId, Cause)>,
    /// The same by column, once it is more than a few.
    index: BTreeMap<ColumnId, Cause>,
}

/// What a region knows, or a branch and everything around it.
#[derive(Clone, Copy)]
pub struct View<'v> {
    /// Its own.
    pub known: &'v Known,
    /// What it stands in.
    pub around: Option<&'v View<'v>>,
}

/// A region or a branch, with the branches of the ORs in it, in the order of its atoms.
#[derive(Default)]
pub struct Region {
    /// What it knows.
    pub known: Known,
    /// By OR: its branches.
    pub ors: Vec<Vec<Region>>,
}

impl View<'_> {
    /// How a column is known here.
    pub fn get(&self, column: ColumnId) -> Option<Cause> {
        let mut view = self;
        loop {
            match (view.known.get(column), view.around) {
                (Some(cause), _) => return Some(cause),
                (None, Some(around)) => view = around,
                (None, None) => return None,
            }
        }
    }
}

impl Known {
    fn get(&self, column: ColumnId) -> Option<Cause> {
        if self.own.len() > FEW {
            return self.index.get(&column).copied();
        }
        self.own.iter().rev().find(|(own, _)| *own == column).map(|(_, cause)| *cause)
    }

    /// Adds a column, or a strict cause in place of a fact; false if that was there, here or around.
    pub fn add(&mut self, around: Option<&View<'_>>, column: ColumnId, cause: Cause) -> bool {
        if (View { known: self, around }).get(column).is_some_and(|known| known.strict || !cause.strict) {
            return false;
        }
        self.own.push((column, cause));
        if self.own.len() == FEW + 1 {
            self.index.extend(self.own.iter().copied());
        } else if self.own.len() > FEW {
            self.index.insert(column, cause);
        }
        true
    }

    /// Everything that was added here.
    pub fn own(&self) -> &[(ColumnId, Cause)] {
        &self.own
    }
}
