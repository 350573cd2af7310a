//! Which operators may be used.

pub mod allow;
