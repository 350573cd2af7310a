//! What a guard does with a connection, as data: the statements of one transaction, and how to read what comes back.
//!
//! Receives a policy, a context and what the guard was asked for; returns texts to send, each decided here once for every language and
//! driver. A guard is then a short sequence of driver calls (docs/guards.md has it). Must never do I/O, know a driver, or hand out a text
//! to run that was not verified.

mod error;
mod jdbc;
mod key;
mod pin;
mod redact;
mod statement;
mod units;
mod wrap;

pub use error::{SessionError, SessionErrorKind};
pub use jdbc::JdbcForm;
pub use key::PinKey;
pub use pin::Query;
pub use redact::{DatabaseError, SEAL_BROKEN};
pub use statement::{Param, Statement};

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::context::{Context, ContextValue, Values};
use crate::policy::{Mode, PinKeySource, Policy, Seal, SettingValue};

/// What a guard was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionOptions {
    /// The transaction may write. Refused where the policy opens no write, and where it is a shadow policy.
    pub writable: bool,
    /// Run under a shadow policy, which protects nothing: still READ ONLY, one statement, capped.
    pub allow_shadow: bool,
}

/// What only the guard knows when it pins.
#[derive(Clone, Copy, Debug)]
pub struct PinInput<'a> {
    /// `current_database()`, as the connection said ([`Session::HELLO`]): a pooler's name for it is another thing.
    pub database: &'a str,
    /// Seconds since 1970, for `seal: signed`.
    pub now: u64,
    /// The key, for `seal: signed`.
    pub key: Option<&'a PinKey>,
}

/// What a pin that held says of its transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pinned {
    /// The role that statements run as.
    pub role: String,
    /// When the transaction began: RFC 3339, UTC, microseconds, by the server's clock.
    pub started_at: String,
}

/// Where the policy says that its pin key is. The core reads neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PinKeyPlace<'a> {
    /// An environment variable of this name.
    Env(&'a str),
    /// A file of this path.
    File(&'a str),
}

/// One transaction of a guard: what it sends besides the verified statements. Immutable.
#[derive(Clone, Debug)]
pub struct Session {
    policy: Arc<Policy>,
    context: Arc<Context>,
    options: SessionOptions,
    role: Option<String>,
    settings: Vec<(String, String)>,
    /// The context's values by tenancy key, for the signed pin alone.
    tenancy: BTreeMap<String, Vec<String>>,
}

impl Policy {
    /// A text for a guard that runs it in its caller's own transaction: no pin, no receipt. `writable`: it may be a write.
    ///
    /// # Errors
    /// As [`Session::open`] for a shadow policy.
    pub fn statement(&self, context: &Context, options: SessionOptions, sql: &[u8]) -> Result<Statement, SessionError> {
        self.admit(SessionOptions { writable: false, ..options })?;
        Ok(statement::statement(self, context, options.writable && self.mode == Mode::Enforce, sql))
    }

    /// Where the guard finds the key of the policy's signed pins; `None`: its seal is another.
    #[must_use]
    pub fn pin_key_place(&self) -> Option<PinKeyPlace<'_>> {
        self.execution.pin_key.as_ref().map(|key| match &key.source {
            PinKeySource::Env(name) => PinKeyPlace::Env(name),
            PinKeySource::File(path) => PinKeyPlace::File(path),
        })
    }

    fn admit(&self, options: SessionOptions) -> Result<(), SessionError> {
        let shadow = self.mode == Mode::Shadow;
        if shadow && !options.allow_shadow {
            let message =
                "a shadow policy protects nothing: the guard runs under it only when it is built with allow_shadow";
            return Err(SessionError::argument(message));
        }
        if options.writable && shadow {
            return Err(SessionError::argument("a transaction under a shadow policy is read-only"));
        }
        let writes = [self.statements.insert, self.statements.update, self.statements.delete];
        if options.writable && !writes.contains(&true) {
            return Err(SessionError::argument("the policy opens no write, so its transactions are read-only"));
        }
        Ok(())
    }

    fn pinned(&self, context: &Context) -> Result<BTreeMap<String, Vec<String>>, SessionError> {
        let mut pinned = BTreeMap::new();
        for key in self.tenancy.iter().flat_map(|tenancy| &tenancy.keys) {
            let values = match context.values_for(key) {
                Some(Values::One(value)) => vec![value],
                Some(Values::Many(values)) => values,
                None => {
                    let message =
                        format!("the context needs a value of type {} for `{}`", key.ty.as_str(), key.context);
                    return Err(SessionError::context(message));
                }
            };
            pinned.insert(key.context.clone(), values);
        }
        Ok(pinned)
    }
}

impl Session {
    /// The transaction of a guard for the caller that `context` describes.
    ///
    /// # Errors
    /// [`SessionErrorKind::Context`]: a template of `execution` names a key that the context lacks or holds a set of, or the seal is
    /// signed and a tenancy key has no usable value. [`SessionErrorKind::Argument`]: `writable` under a policy that opens no write or
    /// is in shadow mode; a shadow policy without `allow_shadow`.
    pub fn open(policy: Arc<Policy>, context: Arc<Context>, options: SessionOptions) -> Result<Self, SessionError> {
        policy.admit(options)?;
        let execution = &policy.execution;
        let role = match (&execution.role, execution.seal) {
            (Some(role), Seal::Login) => Some(filled(role, &context)?),
            (role, _) => role.clone(),
        };
        let mut settings = Vec::with_capacity(execution.settings.len());
        for (name, value) in &execution.settings {
            let value = match value {
                SettingValue::Text(text) => text.clone(),
                SettingValue::Context(key) => single(&context, key)?.to_owned(),
            };
            settings.push((name.clone(), value));
        }
        let tenancy = if execution.seal == Seal::Signed { policy.pinned(&context)? } else { BTreeMap::new() };
        Ok(Session { policy, context, options, role, settings, tenancy })
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The context.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// The transaction may write.
    #[must_use]
    pub fn writable(&self) -> bool {
        self.options.writable
    }

    /// The role that the policy's seal asserts; `None`: it has no seal.
    #[must_use]
    pub fn role(&self) -> Option<&str> {
        self.role.as_deref()
    }

    /// What begins the transaction. Everything is spelt out: the session's defaults are anybody's.
    #[must_use]
    pub fn begin(&self) -> String {
        format!("BEGIN {}", self.modes())
    }

    /// The same for drivers that send a bare BEGIN themselves: the first statement behind it.
    #[must_use]
    pub fn set_transaction(&self) -> String {
        format!("SET TRANSACTION {}", self.modes())
    }

    fn modes(&self) -> String {
        let isolation = pin::isolation(self.policy.execution.isolation).to_ascii_uppercase();
        let access = if self.writable() { "READ WRITE" } else { "READ ONLY" };
        format!("ISOLATION LEVEL {isolation}, {access}, NOT DEFERRABLE")
    }

    /// What a connection is asked once, when it is new: its first column is the value of [`PinInput::database`].
    pub const HELLO: &'static str = "SELECT pg_catalog.current_database()::pg_catalog.text";

    /// The pin: one statement that sets and asserts all that a verdict assumes. It returns one row: `ok`, the role, and when the
    /// transaction began (RFC 3339, UTC, by the server's clock). Anything else is a broken seal.
    ///
    /// # Errors
    /// [`SessionErrorKind::Argument`]: the seal is signed and there is no key.
    pub fn pin(&self, input: &PinInput<'_>) -> Result<Query, SessionError> {
        pin::pin(self, input)
    }

    /// Reads the one row that the pin returned.
    ///
    /// # Errors
    /// [`SessionErrorKind::Seal`]: it is not what a pin that held returns.
    pub fn read_pin(&self, row: &[Option<&str>]) -> Result<Pinned, SessionError> {
        match *row {
            [Some("ok"), Some(role), Some(began)] => Ok(Pinned { role: role.to_owned(), started_at: began.to_owned() }),
            _ => Err(SessionError::seal(SEAL_BROKEN)),
        }
    }

    /// Verifies a text, and what there is to send for it.
    #[must_use]
    pub fn statement(&self, sql: &[u8]) -> Statement {
        statement::statement(&self.policy, &self.context, self.options.writable, sql)
    }

    /// The most rows that a statement may give back.
    #[must_use]
    pub fn max_rows(&self) -> u64 {
        self.policy.execution.max_rows
    }

    /// The most bytes of text that the values of a result may have together.
    #[must_use]
    pub fn max_result_bytes(&self) -> u64 {
        self.policy.execution.max_result_bytes
    }

    fn settings(&self) -> impl Iterator<Item = (&str, &str)> {
        self.settings.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    fn tenancy(&self) -> &BTreeMap<String, Vec<String>> {
        &self.tenancy
    }
}

/// The form of a text of the guard's own for JDBC; `None` where it cannot be proven to be the same.
pub(crate) fn jdbc(sql: &str) -> Option<JdbcForm> {
    jdbc::form(sql)
}

/// A template with its one key filled in.
fn filled(template: &str, context: &Context) -> Result<String, SessionError> {
    let parts = template.split_once("{context.").and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
    match parts {
        Some((before, (key, after))) => Ok(format!("{before}{}{after}", single(context, key)?)),
        None => Ok(template.to_owned()),
    }
}

/// The one value that the context holds under a key.
fn single<'c>(context: &'c Context, key: &str) -> Result<&'c str, SessionError> {
    let wanted = match context.values.get(key) {
        Some(ContextValue::One(value)) if !value.contains('\0') => return Ok(value),
        Some(ContextValue::One(_)) => "one without a NUL character",
        Some(ContextValue::Many(_)) => "one value, not a set of values",
        Some(ContextValue::Unusable) => "a string",
        None => "a value",
    };
    Err(SessionError::context(format!("the policy's execution needs {wanted} for the context's `{key}`")))
}
