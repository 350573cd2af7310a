//! Statements and parts of statements that write.

pub mod cte;
pub mod tables;
