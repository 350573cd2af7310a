//! The seal check for other languages: once on each connection of a guard, before anything of a caller's is sent.
//!
//! Receives a policy; returns what to ask, and reads the answer. Must never take the lack of an answer for a good one.

use serde::Serialize;

use super::{Session, read, write};
use crate::boundary::{Error, ErrorCode, Policy};
use crate::fence::fence;
use crate::harden::{self, SealCheck};

/// The check of a policy; `None` where it has no seal.
pub(super) fn of(policy: &Policy) -> Result<Option<SealCheck>, Error> {
    harden::seal_check(&policy.0)
        .map_err(|error| Error::new(ErrorCode::Argument, format!("{error}: {help}", help = error.help)))
}

impl Session {
    /// What a new connection is asked before its first transaction, as JSON: `null`, or `begin`, `pin`, `sql` with its `params`
    /// (declared as `text`), `end`, to be sent in this order. Its rows are three texts each: [`Session::read_seal`]. Once for a
    /// connection and `params`.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] alone.
    pub fn seal_check(&self) -> Result<String, Error> {
        fence(|| {
            let Some(check) = &self.guard.0.seal_check else { return Ok("null".to_owned()) };
            write(&Spelt {
                begin: "BEGIN READ ONLY",
                pin: SealCheck::PIN,
                sql: check.sql(),
                params: [self.session.role().unwrap_or_default()],
                end: "ROLLBACK",
            })
        })?
    }

    /// Reads the answer to [`Session::seal_check`]: its rows as JSON, `[[TEXT, TEXT, TEXT]…]`.
    ///
    /// # Errors
    /// [`ErrorCode::Seal`]: the database is not sealed as the policy says, and nothing may run. [`ErrorCode::Argument`]: these are no
    /// such rows.
    pub fn read_seal(&self, rows: &[u8]) -> Result<(), Error> {
        fence(|| {
            let rows: Vec<[Option<String>; 3]> = read(rows, "the seal check's rows")?;
            let Some(check) = &self.guard.0.seal_check else { return Ok(()) };
            check.broken(&rows).map_or(Ok(()), |message| Err(Error::new(ErrorCode::Seal, message)))
        })?
    }
}

#[derive(Serialize)]
struct Spelt<'a> {
    begin: &'static str,
    pin: &'static str,
    sql: &'a str,
    params: [&'a str; 1],
    end: &'static str,
}
