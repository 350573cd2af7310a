//! The noninterference oracle: whether an allowed query can see what its caller may not, asked of a real PostgreSQL.
//!
//! Two databases agree on what a caller may see and differ in all else. Random queries near the border are checked, the
//! allowed ones run on both, and both have to give the same rows. Receives a number of queries and a seed; returns figures
//! and every query on which the twins differ, shrunk. Never decides by itself whether a query is safe.

#![forbid(unsafe_code)]
#![allow(clippy::indexing_slicing, reason = "a tool for tests, where a panic is a failure and no verdict")]

pub mod corpus;
pub mod generate;
pub mod judge;
pub mod run;
pub mod world;
