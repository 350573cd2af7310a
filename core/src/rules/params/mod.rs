//! What each `$n` may be.

pub mod bound;
pub mod conflict;
