//! Which functions may be called.

pub mod allow;
