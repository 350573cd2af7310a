//! Whether every tenant table is held to the caller.

pub mod bound;
pub mod context;
pub mod predicate;
pub mod value;
pub mod write;
