//! The boundary's guard, its transactions and statements, as frozen classes: JSON in, JSON out.

use haltsql::boundary;
use pyo3::prelude::*;

use crate::context::json_of;
use crate::error::guarded;
use crate::policy::Policy;
use crate::text::bytes_of;

/// A policy with the options and keys of one guard.
#[pyclass(frozen, module = "haltsql._native")]
pub(crate) struct Guard(boundary::Guard);

#[pymethods]
impl Guard {
    #[new]
    fn new(
        py: Python<'_>,
        policy: &Bound<'_, Policy>,
        options: &str,
        pin_key: Option<&[u8]>,
        receipt_key: Option<&[u8]>,
    ) -> PyResult<Self> {
        guarded(py, || {
            let policy = policy.get().boundary();
            Ok(Guard(boundary::Guard::new(policy, options.as_bytes(), pin_key, receipt_key)?))
        })
    }

    /// A transaction of the guard.
    fn session(&self, py: Python<'_>, context: &Bound<'_, PyAny>, options: &str) -> PyResult<Session> {
        guarded(py, || {
            let context = json_of(context)?;
            Ok(Session(self.0.session(&context, options.as_bytes())?))
        })
    }

    /// A text that runs in its caller's own transaction.
    fn statement(
        &self,
        py: Python<'_>,
        context: &Bound<'_, PyAny>,
        options: &str,
        sql: &Bound<'_, PyAny>,
    ) -> PyResult<Statement> {
        guarded(py, || {
            let context = json_of(context)?;
            let sql = bytes_of("the SQL", sql)?;
            Ok(Statement(py.detach(|| self.0.statement(&context, options.as_bytes(), sql))?))
        })
    }

    /// What of a database error may go on.
    fn redact(&self, py: Python<'_>, error: &str) -> PyResult<String> {
        guarded(py, || Ok(self.0.redact(error.as_bytes())?))
    }
}

/// What a transaction sends besides its statements.
#[pyclass(frozen, module = "haltsql._native")]
pub(crate) struct Session(boundary::Session);

#[pymethods]
impl Session {
    fn steps(&self, py: Python<'_>) -> PyResult<String> {
        guarded(py, || Ok(self.0.steps()?))
    }

    fn pin(&self, py: Python<'_>, input: &str) -> PyResult<String> {
        guarded(py, || Ok(self.0.pin(input.as_bytes())?))
    }

    fn read_pin(&self, py: Python<'_>, row: &str) -> PyResult<String> {
        guarded(py, || Ok(self.0.read_pin(row.as_bytes())?))
    }

    fn seal_check(&self, py: Python<'_>) -> PyResult<String> {
        guarded(py, || Ok(self.0.seal_check()?))
    }

    fn read_seal(&self, py: Python<'_>, rows: &str) -> PyResult<()> {
        guarded(py, || Ok(self.0.read_seal(rows.as_bytes())?))
    }

    /// A text of the transaction, verified.
    fn statement(&self, py: Python<'_>, sql: &Bound<'_, PyAny>) -> PyResult<Statement> {
        guarded(py, || {
            let sql = bytes_of("the SQL", sql)?;
            Ok(Statement(py.detach(|| self.0.statement(sql))?))
        })
    }
}

/// A verified text: what to send for it, and the receipt of its run.
#[pyclass(frozen, module = "haltsql._native")]
pub(crate) struct Statement(boundary::Statement);

#[pymethods]
impl Statement {
    fn verdict(&self, py: Python<'_>) -> PyResult<String> {
        guarded(py, || Ok(self.0.verdict()?))
    }

    fn run(&self, py: Python<'_>) -> PyResult<String> {
        guarded(py, || Ok(self.0.run(false)?))
    }

    fn rendered(&self, py: Python<'_>, columns: usize) -> PyResult<String> {
        guarded(py, || Ok(self.0.rendered(columns, false)?))
    }

    fn receipt(&self, py: Python<'_>, execution: &str) -> PyResult<String> {
        guarded(py, || Ok(py.detach(|| self.0.receipt(execution.as_bytes()))?))
    }
}
