//! `haltsql._native`: the boundary for Python, and nothing more.
//!
//! Receives `str` and `bytes`, returns the boundary's texts as `str`, or raises an error of `haltsql._errors`. Must never
//! convert a text that is to be checked, hold the interpreter while it checks, or let a panic out: in Python that would be
//! an exception that `except Exception` does not catch. What is Pythonic stands in `python/haltsql/`.

mod context;
mod error;
mod guard;
mod policy;
mod text;

use haltsql::boundary;
use pyo3::prelude::*;

use crate::error::guarded;
use crate::policy::{Caller, Policy};
use crate::text::bytes_of;

/// The module. Nothing in it changes after it was loaded, so that it needs no lock of the interpreter's.
#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("ABI_VERSION", boundary::ABI_VERSION)?;
    module.add("VERSION", boundary::version())?;
    module.add("POSTGRES_VERSION", boundary::POSTGRES_VERSION)?;
    module.add_function(wrap_pyfunction!(reason_codes, module)?)?;
    module.add_function(wrap_pyfunction!(for_agent, module)?)?;
    module.add_class::<Policy>()?;
    module.add_class::<Caller>()?;
    module.add_class::<guard::Guard>()?;
    module.add_class::<guard::Session>()?;
    module.add_class::<guard::Statement>()
}

/// Every reason code with its rule, as JSON.
#[pyfunction]
fn reason_codes(py: Python<'_>) -> PyResult<String> {
    guarded(py, || Ok(boundary::reason_codes()))
}

/// The rendering of a verdict for a language model, from its JSON and the SQL that it was given for.
#[pyfunction]
fn for_agent(py: Python<'_>, verdict: &str, sql: &Bound<'_, PyAny>) -> PyResult<String> {
    guarded(py, || {
        let sql = bytes_of("the SQL", sql)?;
        Ok(py.detach(|| boundary::for_agent(verdict.as_bytes(), sql))?)
    })
}
