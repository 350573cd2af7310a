//! The one place where a panic of ours ends: every way into the core passes it.
//!
//! Receives work, returns what the work returns or that it panicked. Must never touch the process: the panic hook stays the
//! host's, and what the panic said (it may quote the SQL) is dropped here.

use std::panic::{AssertUnwindSafe, catch_unwind};

// With `panic = "abort"` a bug of ours would end the host, and no test of behaviour could notice before it happens.
const _: () = assert!(cfg!(panic = "unwind"), "HaltSQL needs `panic = \"unwind\"`: a panic has to become a denial");

/// Work panicked, here or on the thread that was made for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Panicked;

/// Runs work and stops a panic of it. What the work holds is not used after a panic: policies and contexts are immutable.
///
/// # Errors
/// The work panicked.
pub(crate) fn fence<R>(work: impl FnOnce() -> R) -> Result<R, Panicked> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| Panicked)
}
