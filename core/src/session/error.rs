//! Why no session could be opened, or no statement of it be sent.
//!
//! Receives what the guard asked for; says what is wrong in one line. Never holds a key, a value of the context or the SQL.

use std::error::Error;
use std::fmt;

/// A guard was asked for what it must not do, or the database is not what the policy says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionError {
    kind: SessionErrorKind,
    message: String,
}

/// What a session failed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionErrorKind {
    /// The context lacks what the policy's execution needs.
    Context,
    /// The guard was called in a way that its documentation rules out.
    Argument,
    /// The database or the session is not what the policy's seal says.
    Seal,
}

impl SessionError {
    pub(super) fn context(message: impl Into<String>) -> Self {
        SessionError { kind: SessionErrorKind::Context, message: message.into() }
    }

    pub(crate) fn argument(message: impl Into<String>) -> Self {
        SessionError { kind: SessionErrorKind::Argument, message: message.into() }
    }

    pub(super) fn seal(message: impl Into<String>) -> Self {
        SessionError { kind: SessionErrorKind::Seal, message: message.into() }
    }

    /// What it failed by.
    #[must_use]
    pub fn kind(&self) -> SessionErrorKind {
        self.kind
    }

    /// What is wrong, in one line.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for SessionError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl Error for SessionError {}
