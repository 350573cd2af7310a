//! The C ABI: `haltsql::boundary` with C's types.
//!
//! Receives pointers with lengths, returns a status, and writes what it has to say into places that the caller owns: cleared on
//! entry, written on success only. Every export passes one fence. Must never keep what was lent to it, hold state outside of a
//! handle, touch the process, or decide anything about SQL. `include/haltsql.h` is made from the comments here (cbindgen).

#![allow(unsafe_code, reason = "handing memory to C is what this crate is for")]
#![allow(non_camel_case_types, reason = "the names are C's")]
#![deny(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]

mod caller;
mod fence;
mod guard;
mod memory;
mod policy;
mod status;
mod version;

pub use caller::*;
pub use guard::*;
pub use memory::{haltsql_buffer, haltsql_error, haltsql_text, haltsql_verdict};
pub use policy::*;
pub use status::*;
pub use version::*;
