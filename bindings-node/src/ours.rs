//! How an error of the boundary travels to `ts/errors.ts`, and where a panic of a thread ends.
//!
//! Receives an error, returns the exception that carries its JSON. Must never quote SQL.

use std::panic::{AssertUnwindSafe, catch_unwind};

use haltsql::boundary::{Error, ErrorCode};
use napi::Status;

/// What every function of the addon returns.
pub(crate) type Result<T> = napi::Result<T>;

/// What an exception's message begins with that carries an error of ours. Any other exception, such as that of a panic, is a
/// bug to `ts/errors.ts`.
const MARK: &str = "haltsql:";

/// The exception for an error.
pub(crate) fn thrown(error: Error) -> napi::Error {
    napi::Error::new(Status::GenericFailure, format!("{MARK}{}", error.to_json()))
}

/// Does a thread's work. `#[napi(catch_unwind)]` is the fence of what JavaScript calls; nothing of Node-API's surrounds a
/// thread of its pool, where a panic would end the process.
///
/// # Errors
/// The work's error, as an exception.
pub(crate) fn guarded<T>(work: impl FnOnce() -> std::result::Result<T, Error>) -> Result<T> {
    let internal = || Error::new(ErrorCode::Internal, "no check happened: this is a bug of HaltSQL");
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(internal())).map_err(thrown)
}
