//! The boundary's guard, its transactions and statements, as classes: JSON in, JSON out.

use haltsql::boundary;
use napi_derive::napi;

use crate::ours::{Result, thrown};
use crate::policy::Policy;
use crate::text::{Text, bytes_of};

/// A policy with the options and keys of one guard.
#[napi]
pub struct Guard {
    handle: boundary::Guard,
}

#[napi]
impl Guard {
    /// The guard. Keys are the text of the files or variables that hold them.
    #[napi(factory, catch_unwind)]
    pub fn of(policy: &Policy, options: Text, pin_key: Option<Text>, receipt_key: Option<Text>) -> Result<Self> {
        let options = bytes_of("the options", options)?;
        let pin_key = pin_key.map(|key| bytes_of("the pin key", key)).transpose()?;
        let receipt_key = receipt_key.map(|key| bytes_of("the receipt key", key)).transpose()?;
        let handle = boundary::Guard::new(&policy.open()?, &options, pin_key.as_deref(), receipt_key.as_deref());
        Ok(Guard { handle: handle.map_err(thrown)? })
    }

    /// A transaction of the guard.
    #[napi(catch_unwind)]
    pub fn session(&self, context: Text, options: Text) -> Result<Session> {
        let (context, options) = (bytes_of("the context", context)?, bytes_of("the options", options)?);
        Ok(Session { handle: self.handle.session(&context, &options).map_err(thrown)? })
    }

    /// A text that runs in its caller's own transaction.
    #[napi(catch_unwind)]
    pub fn statement(&self, context: Text, options: Text, sql: Text) -> Result<Statement> {
        let (context, options) = (bytes_of("the context", context)?, bytes_of("the options", options)?);
        let sql = bytes_of("the SQL", sql)?;
        Ok(Statement { handle: self.handle.statement(&context, &options, &sql).map_err(thrown)? })
    }

    /// What of a database error may go on.
    #[napi(catch_unwind)]
    pub fn redact(&self, error: Text) -> Result<String> {
        self.handle.redact(&bytes_of("the error", error)?).map_err(thrown)
    }
}

/// What a transaction sends besides its statements.
#[napi]
pub struct Session {
    handle: boundary::Session,
}

#[napi]
impl Session {
    /// Its texts and limits.
    #[napi(catch_unwind)]
    pub fn steps(&self) -> Result<String> {
        self.handle.steps().map_err(thrown)
    }

    /// The pin.
    #[napi(catch_unwind)]
    pub fn pin(&self, input: Text) -> Result<String> {
        self.handle.pin(&bytes_of("the pin's input", input)?).map_err(thrown)
    }

    /// Reads what the pin returned.
    #[napi(catch_unwind)]
    pub fn read_pin(&self, row: Text) -> Result<String> {
        self.handle.read_pin(&bytes_of("the pin's row", row)?).map_err(thrown)
    }

    /// What a new connection is asked first.
    #[napi(catch_unwind)]
    pub fn seal_check(&self) -> Result<String> {
        self.handle.seal_check().map_err(thrown)
    }

    /// Reads the answer to that.
    #[napi(catch_unwind)]
    pub fn read_seal(&self, rows: Text) -> Result<()> {
        self.handle.read_seal(&bytes_of("the seal check's rows", rows)?).map_err(thrown)
    }

    /// A text of the transaction, verified.
    #[napi(catch_unwind)]
    pub fn statement(&self, sql: Text) -> Result<Statement> {
        Ok(Statement { handle: self.handle.statement(&bytes_of("the SQL", sql)?).map_err(thrown)? })
    }
}

/// A verified text: what to send for it, and the receipt of its run.
#[napi]
pub struct Statement {
    handle: boundary::Statement,
}

#[napi]
impl Statement {
    /// The verdict's JSON.
    #[napi(catch_unwind)]
    pub fn verdict(&self) -> Result<String> {
        self.handle.verdict().map_err(thrown)
    }

    /// What to send; `null`: nothing.
    #[napi(catch_unwind)]
    pub fn run(&self) -> Result<String> {
        self.handle.run(false).map_err(thrown)
    }

    /// The text to send where the driver cannot ask for text results.
    #[napi(catch_unwind)]
    pub fn rendered(&self, columns: u32) -> Result<String> {
        self.handle.rendered(usize::try_from(columns).unwrap_or(usize::MAX), false).map_err(thrown)
    }

    /// The receipt of a run.
    #[napi(catch_unwind)]
    pub fn receipt(&self, execution: Text) -> Result<String> {
        self.handle.receipt(&bytes_of("the execution", execution)?).map_err(thrown)
    }
}
