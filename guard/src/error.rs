//! What a guard fails by.
//!
//! Receives the driver's errors; keeps of them what may leave the guard. Must never hold SQL, a value or a connection string where
//! `Display` could show it.

use std::fmt;

use haltsql::Verdict;
use haltsql::session::{DatabaseError, SEAL_BROKEN, SessionError, SessionErrorKind};

/// A statement did not run, or its result is not to be had.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The verifier denied it. Nothing was sent; the transaction stays usable.
    Denied(Box<Denied>),
    /// The context lacks what the policy's execution needs.
    Context(String),
    /// The guard was called in a way that its documentation rules out.
    Argument(String),
    /// The session or the database is not what the policy describes. The connection is gone.
    SealBroken(String),
    /// PostgreSQL's own, without what could quote rows (docs/guards.md). The transaction was rolled back.
    Database(DatabaseError),
    /// No connection, or it broke.
    Connection(String),
}

/// A denial: the verdict and the text that it is about.
#[derive(Clone, Debug)]
pub struct Denied {
    verdict: Verdict,
    sql: String,
}

impl Denied {
    pub(crate) fn new(verdict: Verdict, sql: &str) -> Self {
        Denied { verdict, sql: sql.to_owned() }
    }

    /// Why not.
    #[must_use]
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// What a language model can repair its text by.
    #[must_use]
    pub fn for_agent(&self) -> String {
        self.verdict.for_agent(&self.sql)
    }
}

impl Error {
    /// What the driver reported. `show`: nothing of it is dropped.
    pub(crate) fn driver(error: &tokio_postgres::Error, show: bool) -> Self {
        let Some(database) = error.as_db_error() else {
            return Error::Connection(without_server(error));
        };
        let error = DatabaseError {
            sqlstate: database.code().code().to_owned(),
            message: database.message().to_owned(),
            detail: database.detail().map(str::to_owned),
            hint: database.hint().map(str::to_owned),
        };
        match error.kind() {
            Some(SessionErrorKind::Seal) => Error::SealBroken(SEAL_BROKEN.to_owned()),
            Some(SessionErrorKind::Context | SessionErrorKind::Argument) | None if show => Error::Database(error),
            Some(SessionErrorKind::Context | SessionErrorKind::Argument) | None => Error::Database(error.redacted()),
        }
    }
}

/// The driver's words and what caused them, on one line.
fn without_server(error: &tokio_postgres::Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text.replace('\n', " ")
}

impl From<SessionError> for Error {
    fn from(error: SessionError) -> Self {
        let message = error.message().to_owned();
        match error.kind() {
            SessionErrorKind::Context => Error::Context(message),
            SessionErrorKind::Argument => Error::Argument(message),
            SessionErrorKind::Seal => Error::SealBroken(message),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Denied(denied) => {
                let codes = denied.verdict.reasons.iter().map(|reason| reason.code.as_str()).collect::<Vec<_>>();
                write!(
                    out,
                    "denied: {}",
                    if codes.is_empty() { "it cannot be run".to_owned() } else { codes.join(", ") }
                )
            }
            Error::Context(message)
            | Error::Argument(message)
            | Error::SealBroken(message)
            | Error::Connection(message) => out.write_str(message),
            Error::Database(error) => write!(out, "{} (SQLSTATE {})", error.message, error.sqlstate),
        }
    }
}

impl std::error::Error for Error {}
