//! The C ABI as C programs use it: compiled by the system's compiler against what `ffi-c/package` makes.

#![allow(
    unused_crate_dependencies,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod artefacts;
mod kit;
mod programs;
mod readme;
