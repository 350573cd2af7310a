//! The native addon of `@haltsql/core`: the boundary for Node.js, and nothing more.
//!
//! Receives strings and `Uint8Array`s, returns the boundary's texts as strings, or throws an error whose message is the
//! boundary's error (`ours.rs`). Must never convert a text that is to be checked, or let a panic out: across Node-API it would
//! end the process. What is JavaScript's way stands in `ts/`.

mod guard;
mod ours;
mod policy;
mod task;
mod text;

use haltsql::boundary;
use napi_derive::napi;

use crate::ours::Result;
use crate::text::{Text, bytes_of};

/// What the package compares with its own numbers before anything else is called.
#[napi]
pub const ABI_VERSION: u32 = boundary::ABI_VERSION;

/// The version of HaltSQL.
#[napi]
pub const VERSION: &str = boundary::version();

/// The version of the PostgreSQL whose parser reads the SQL.
#[napi]
pub const POSTGRES_VERSION: &str = boundary::POSTGRES_VERSION;

/// Every reason code with its rule, as JSON.
#[napi(catch_unwind)]
pub fn reason_codes() -> String {
    boundary::reason_codes()
}

/// The rendering of a verdict for a language model, from its JSON and the SQL that it was given for.
#[napi(catch_unwind)]
pub fn for_agent(verdict: Text, sql: Text) -> Result<String> {
    let (verdict, sql) = (bytes_of("the verdict", verdict)?, bytes_of("the SQL", sql)?);
    boundary::for_agent(&verdict, &sql).map_err(ours::thrown)
}
