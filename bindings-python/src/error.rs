//! How an error of the boundary becomes an exception, and where a panic of this crate ends.
//!
//! Receives an error, returns the exception that `haltsql._errors` makes of its JSON. Must never quote SQL.

use std::panic::{AssertUnwindSafe, catch_unwind};

use haltsql::boundary::{Error, ErrorCode};
use pyo3::prelude::*;

/// What ends a call: an error of ours, or an exception of Python's (a missing module, an interrupt).
pub(crate) enum Failure {
    /// To be raised as a `HaltSQLError`.
    Ours(Error),
    /// To be raised as it is.
    Python(PyErr),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Ours(error)
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Failure::Python(error)
    }
}

/// Does a call's work. The core has a fence of its own; this one is for what this crate does around it, because PyO3's would
/// raise a `PanicException`, which is no `Exception`.
///
/// # Errors
/// The work's failure, as an exception.
pub(crate) fn guarded<T>(py: Python<'_>, work: impl FnOnce() -> Result<T, Failure>) -> PyResult<T> {
    let internal = || Failure::Ours(Error::new(ErrorCode::Internal, "no check happened: this is a bug of HaltSQL"));
    match catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(internal())) {
        Ok(value) => Ok(value),
        Err(Failure::Ours(error)) => Err(raise(py, &error)),
        Err(Failure::Python(error)) => Err(error),
    }
}

fn raise(py: Python<'_>, error: &Error) -> PyErr {
    let made = py.import("haltsql._errors").and_then(|errors| errors.call_method1("from_native", (error.to_json(),)));
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(problem) => problem,
    }
}
