//! Which columns may be named, and how.

pub mod alias_list;
pub mod allow;
pub mod natural;
pub mod resolve;
pub mod star;
pub mod system;
pub mod whole_row;
