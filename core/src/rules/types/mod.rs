//! Which types and collations may be named.

pub mod allow;
pub mod collation;
