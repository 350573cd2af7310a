//! Statements and parts of statements that write.

pub mod columns;
pub mod cte;
pub mod shape;
pub mod tables;
