//! One corpus for every language: inputs, comparison and the table (conformance/RUNNERS.md is the contract).

#![forbid(unsafe_code)]

pub mod cli;
pub mod corpus;
pub mod drive;
pub mod generate;
pub mod prepare;
pub mod rows;
pub mod runner;
