//! Repairs as data: what a hint says, as words to insert into the text.
//!
//! Receives nothing, imports reasons alone. No part of a verdict: a verdict judges one exact text, and a repaired text is another,
//! which needs a verdict of its own.

use crate::reason::ReasonCode;

/// What mends one reason by insertions alone: nothing that stands in the text changes or goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The code of the reason.
    pub code: ReasonCode,
    /// The place of the reason, as the verdict has it.
    pub loc: Option<u32>,
    /// Sorted by place; never empty.
    pub insertions: Vec<Insertion>,
}

/// Words to insert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insertion {
    /// 0-based byte offset into the text as it was checked: before which byte.
    pub at: u32,
    /// What.
    pub text: String,
}

impl Repair {
    /// The text with the insertions; `None` where the repair is of another text.
    #[must_use]
    pub fn apply(&self, sql: &str) -> Option<String> {
        let mut repaired = String::with_capacity(sql.len() + 64);
        let mut done = 0;
        for insertion in &self.insertions {
            let at = usize::try_from(insertion.at).ok()?;
            repaired.push_str(sql.get(done..at)?);
            repaired.push_str(&insertion.text);
            done = at;
        }
        repaired.push_str(sql.get(done..)?);
        Some(repaired)
    }
}
