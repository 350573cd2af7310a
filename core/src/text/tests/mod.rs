//! The text layer against PostgreSQL's own scanner and parser.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod copies;
mod depth;
mod lex;
pub(crate) mod sample;
mod source;
mod tokens;
