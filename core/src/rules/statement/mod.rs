//! What kind of statement it is.

pub mod into;
pub mod kind;
pub mod locking;
