//! Why no check happened: what a person reads on standard error, together with what to do next.

use std::io::Write as _;
use std::process::ExitCode;

/// The exit code of everything that ended without a verdict. Callers treat it as a denial.
pub const NO_CHECK: u8 = 2;

/// A command that could not do its work.
#[derive(Debug)]
pub struct Failure {
    message: String,
    next: String,
}

impl Failure {
    /// `message`: what went wrong; `next`: what to do about it.
    pub fn new(message: impl Into<String>, next: impl Into<String>) -> Self {
        Failure { message: message.into(), next: next.into() }
    }

    /// Writes it to standard error and gives the exit code.
    pub fn report(&self) -> ExitCode {
        // A closed standard error leaves the exit code to tell.
        let _ = writeln!(std::io::stderr(), "error: {}\n help: {}", self.message, self.next);
        ExitCode::from(NO_CHECK)
    }
}
