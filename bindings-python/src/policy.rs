//! A loaded policy and a prepared caller, as frozen classes over the boundary's handles.

use haltsql::boundary::{self, DocumentFormat, Error, ErrorCode};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::context::json_of;
use crate::error::guarded;
use crate::text::bytes_of;

/// Texts of a list, a thread, that are checked between two looks for an interrupt (Ctrl-C).
const TEXTS_AT_ONCE: usize = 64;

/// A loaded policy: immutable, and free to be used by any number of threads.
#[pyclass(frozen, module = "haltsql._native")]
pub(crate) struct Policy(boundary::Policy);

impl Policy {
    pub(crate) fn boundary(&self) -> &boundary::Policy {
        &self.0
    }
}

#[pymethods]
impl Policy {
    /// Loads a document. `format`: `auto`, `yaml` or `json`.
    #[staticmethod]
    fn load(py: Python<'_>, document: &Bound<'_, PyAny>, format: &str, name: &Bound<'_, PyAny>) -> PyResult<Self> {
        guarded(py, || {
            let document = bytes_of("the policy", document)?;
            let name = String::from_utf8_lossy(bytes_of("the policy's name", name)?);
            let format = match format {
                "auto" => DocumentFormat::Auto,
                "yaml" => DocumentFormat::Yaml,
                "json" => DocumentFormat::Json,
                _ => Err(Error::new(ErrorCode::Argument, "format is one of `auto`, `yaml`, `json`"))?,
            };
            Ok(Policy(py.detach(|| boundary::Policy::load(document, format, &name))?))
        })
    }

    #[getter]
    fn name(&self, py: Python<'_>) -> PyResult<&str> {
        guarded(py, || Ok(self.0.name()))
    }

    #[getter]
    fn version(&self, py: Python<'_>) -> PyResult<&str> {
        guarded(py, || Ok(self.0.version()))
    }

    #[getter]
    fn mode(&self, py: Python<'_>) -> PyResult<&'static str> {
        guarded(py, || Ok(self.0.mode()))
    }

    /// The verdict's JSON.
    fn check(&self, py: Python<'_>, sql: &Bound<'_, PyAny>, context: &Bound<'_, PyAny>) -> PyResult<String> {
        guarded(py, || {
            let sql = bytes_of("the SQL", sql)?;
            let context = json_of(context)?;
            Ok(py.detach(|| self.0.check(sql, &context))?)
        })
    }

    /// The policy with a context that is read once.
    fn for_context(&self, py: Python<'_>, context: &Bound<'_, PyAny>) -> PyResult<Caller> {
        guarded(py, || {
            let context = json_of(context)?;
            Ok(Caller(py.detach(|| self.0.for_context(&context))?))
        })
    }

    fn describe_text(&self, py: Python<'_>) -> PyResult<String> {
        guarded(py, || Ok(self.0.describe_text()?))
    }

    fn describe_json(&self, py: Python<'_>) -> PyResult<String> {
        guarded(py, || Ok(self.0.describe_json()?))
    }

    fn search_path_value(&self, py: Python<'_>) -> PyResult<String> {
        guarded(py, || Ok(self.0.search_path_value()?))
    }

    /// Where the policy's pin key is, as JSON.
    fn pin_key_place(&self, py: Python<'_>) -> PyResult<String> {
        guarded(py, || Ok(self.0.pin_key_place()?))
    }
}

/// A policy with a context that was read once: immutable, and free to be used by any number of threads.
#[pyclass(frozen, module = "haltsql._native")]
pub(crate) struct Caller(boundary::Caller);

#[pymethods]
impl Caller {
    /// The verdict's JSON.
    fn check(&self, py: Python<'_>, sql: &Bound<'_, PyAny>) -> PyResult<String> {
        guarded(py, || {
            let sql = bytes_of("the SQL", sql)?;
            Ok(py.detach(|| self.0.check(sql))?)
        })
    }

    /// The verdicts' JSON, in the order of the texts, made by that many threads.
    fn check_many(&self, py: Python<'_>, texts: &Bound<'_, PyList>, threads: usize) -> PyResult<Vec<String>> {
        guarded(py, || {
            // Held here: the list may change meanwhile, the texts cannot.
            let held: Vec<Bound<'_, PyAny>> = texts.iter().collect();
            let texts: Vec<&[u8]> = held.iter().map(|text| bytes_of("a text", text)).collect::<Result<_, _>>()?;
            let mut verdicts = Vec::with_capacity(texts.len());
            for some in texts.chunks(TEXTS_AT_ONCE.saturating_mul(threads.max(1))) {
                verdicts.extend(py.detach(|| self.0.check_many(some, threads))?);
                py.check_signals()?;
            }
            Ok(verdicts)
        })
    }
}
