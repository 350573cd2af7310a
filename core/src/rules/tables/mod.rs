//! Which relations may be named.

pub mod allow;
pub mod catalog;
pub mod qualified;
