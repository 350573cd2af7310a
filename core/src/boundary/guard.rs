//! A guard as every other language sees it: JSON in, JSON out, around `session` and `receipt`.
//!
//! Receives options, contexts, SQL and what a driver returned; returns what to send and how to read the answer. Keys come in once and stay
//! here. Must never know a driver, or hand out a text to run that was not verified.

mod seal;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Error, ErrorCode, Policy};
use crate::fence::fence;
use crate::harden::SealCheck;
use crate::receipt::{self, Column, Execution, ReceiptKey, TypeName};
use crate::session::{
    self, DatabaseError, JdbcForm, PinInput, PinKey, PinKeyPlace, SEAL_BROKEN, SessionError, SessionErrorKind,
    SessionOptions,
};

/// A policy with the keys and the options of one guard. Immutable, cheap to clone, and free to be used by any number of threads.
#[derive(Clone, Debug)]
pub struct Guard(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    policy: Policy,
    options: GuardOptions,
    pin_key: Option<PinKey>,
    receipt_key: Option<ReceiptKey>,
    /// `None`: the policy has no seal.
    seal_check: Option<SealCheck>,
}

/// What a guard is built with, as JSON.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct GuardOptions {
    allow_shadow: bool,
    show_errors: bool,
}

/// What a transaction is opened with, as JSON.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct OpenOptions {
    writable: bool,
}

/// A transaction of a guard: what it sends besides the statements.
#[derive(Clone, Debug)]
pub struct Session {
    guard: Guard,
    session: Arc<session::Session>,
}

/// A verified text: what to send for it, and the receipt of its run.
#[derive(Clone, Debug)]
pub struct Statement {
    guard: Guard,
    /// `None`: it runs in its caller's own transaction, and has no receipt.
    session: Option<Arc<session::Session>>,
    statement: Arc<session::Statement>,
}

impl Guard {
    /// A guard. `options`: JSON, `{"allow_shadow": false, "show_errors": false}`. `pin_key`, `receipt_key`: the text of the files or
    /// variables that hold them.
    ///
    /// # Errors
    /// [`ErrorCode::Argument`]: options or a key that cannot be read, no pin key where the policy's seal is `signed`, or a seal that
    /// cannot hold what the policy promises.
    pub fn new(
        policy: &Policy,
        options: &[u8],
        pin_key: Option<&[u8]>,
        receipt_key: Option<&[u8]>,
    ) -> Result<Self, Error> {
        fence(|| {
            let options = read(options, "the guard's options")?;
            let pin_key = pin_key.map(PinKey::parse).transpose()?;
            let receipt_key = receipt_key.map(ReceiptKey::parse).transpose()?;
            if pin_key.is_none() && policy.0.pin_key_place().is_some() {
                return Err(Error::new(
                    ErrorCode::Argument,
                    "the policy's seal is `signed`: the guard needs its pin key",
                ));
            }
            let seal_check = seal::of(policy)?;
            Ok(Guard(Arc::new(Inner { policy: policy.clone(), options, pin_key, receipt_key, seal_check })))
        })?
    }

    /// Opens a transaction for the caller that `context` describes. `options`: JSON, `{"writable": false}`.
    ///
    /// # Errors
    /// [`ErrorCode::Context`], [`ErrorCode::Argument`]: see [`session::Session::open`].
    pub fn session(&self, context: &[u8], options: &[u8]) -> Result<Session, Error> {
        let context = self.0.policy.for_context(context)?.context;
        fence(|| {
            let options = self.session_options(options)?;
            let session = session::Session::open(self.0.policy.0.clone(), context, options)?;
            Ok(Session { guard: self.clone(), session: Arc::new(session) })
        })?
    }

    /// Verifies a text that is to run in its caller's own transaction. `options`: as for [`Guard::session`].
    ///
    /// # Errors
    /// [`ErrorCode::Context`]; [`ErrorCode::Argument`]: a shadow policy without `allow_shadow`.
    pub fn statement(&self, context: &[u8], options: &[u8], sql: &[u8]) -> Result<Statement, Error> {
        let context = self.0.policy.for_context(context)?.context;
        fence(|| {
            let statement = self.0.policy.0.statement(&context, self.session_options(options)?, sql)?;
            Ok(Statement { guard: self.clone(), session: None, statement: Arc::new(statement) })
        })?
    }

    /// What of a database error may go on: `{"sqlstate", "message", "detail"?, "hint"?}` in, the same with `"kind"`: `database`, or
    /// `seal` for a failed assertion of the pin.
    ///
    /// # Errors
    /// [`ErrorCode::Argument`]: it is no such object.
    pub fn redact(&self, error: &[u8]) -> Result<String, Error> {
        fence(|| {
            let SpeltError { sqlstate, message, detail, hint } = read(error, "the database's error")?;
            let error = DatabaseError { sqlstate, message, detail, hint };
            let left = match error.kind() {
                Some(SessionErrorKind::Seal) => DatabaseError {
                    sqlstate: error.sqlstate,
                    message: SEAL_BROKEN.to_owned(),
                    ..DatabaseError::default()
                },
                Some(SessionErrorKind::Context | SessionErrorKind::Argument) | None if self.0.options.show_errors => {
                    error.clone()
                }
                Some(SessionErrorKind::Context | SessionErrorKind::Argument) | None => error.redacted(),
            };
            let kind = if left.message == SEAL_BROKEN { "seal" } else { "database" };
            let DatabaseError { sqlstate, message, detail, hint } = left;
            write(&Redacted { kind, error: SpeltError { sqlstate, message, detail, hint } })
        })?
    }

    fn session_options(&self, options: &[u8]) -> Result<SessionOptions, Error> {
        let OpenOptions { writable } = read(options, "the transaction's options")?;
        Ok(SessionOptions { writable, allow_shadow: self.0.options.allow_shadow })
    }
}

impl Policy {
    /// Where the policy's pin key is, as JSON: `{"env": NAME}`, `{"file": PATH}`, or `null`. The host reads it.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] alone.
    pub fn pin_key_place(&self) -> Result<String, Error> {
        fence(|| match self.0.pin_key_place() {
            Some(PinKeyPlace::Env(name)) => write(&serde_json::json!({ "env": name })),
            Some(PinKeyPlace::File(path)) => write(&serde_json::json!({ "file": path })),
            None => Ok("null".to_owned()),
        })?
    }
}

impl Session {
    /// What the transaction sends besides its statements, as JSON: `begin`, `set_transaction` (for drivers that send a bare BEGIN
    /// themselves), `hello` (asked once on a new connection: its one value is the pin's `database`), `commit`, `rollback`,
    /// `type_names`, `writable`, `max_rows`, `max_result_bytes`.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] alone.
    pub fn steps(&self) -> Result<String, Error> {
        fence(|| {
            write(&Steps {
                begin: &self.session.begin(),
                set_transaction: &self.session.set_transaction(),
                hello: session::Session::HELLO,
                commit: "COMMIT",
                rollback: "ROLLBACK",
                type_names: receipt::TYPE_NAMES,
                writable: self.session.writable(),
                max_rows: self.session.max_rows(),
                max_result_bytes: self.session.max_result_bytes(),
            })
        })?
    }

    /// The pin: `{"database": NAME, "now": SECONDS, "jdbc": false}` in, `{"sql", "params": [TEXT…], "jdbc"?}` out. Every parameter is
    /// declared as `text` (oid 25).
    ///
    /// # Errors
    /// [`ErrorCode::Argument`]: it is no such object.
    pub fn pin(&self, input: &[u8]) -> Result<String, Error> {
        fence(|| {
            let SpeltPin { database, now, jdbc } = read(input, "the pin's input")?;
            let key = self.guard.0.pin_key.as_ref();
            let query = self.session.pin(&PinInput { database: &database, now, key })?;
            let form = jdbc.then(|| session::jdbc(&query.sql)).flatten();
            write(&SpeltQuery { sql: &query.sql, params: &query.params, jdbc: form.as_ref().map(SpeltJdbc::new) })
        })?
    }

    /// Reads what the pin returned: its one row as JSON, `["ok", ROLE, TIME]`; returns `{"role", "started_at"}`.
    ///
    /// # Errors
    /// [`ErrorCode::Seal`]: anything else.
    pub fn read_pin(&self, row: &[u8]) -> Result<String, Error> {
        fence(|| {
            let row: Vec<Option<String>> = read(row, "the pin's row")?;
            let row: Vec<Option<&str>> = row.iter().map(Option::as_deref).collect();
            let pinned = self.session.read_pin(&row)?;
            write(&serde_json::json!({ "role": pinned.role, "started_at": pinned.started_at }))
        })?
    }

    /// Verifies a text of the transaction.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] alone: the SQL causes none.
    pub fn statement(&self, sql: &[u8]) -> Result<Statement, Error> {
        let statement = fence(|| self.session.statement(sql))?;
        Ok(Statement { guard: self.guard.clone(), session: Some(self.session.clone()), statement: Arc::new(statement) })
    }
}

impl Statement {
    /// The verdict's JSON. It can deny what a check alone allows: a write in a transaction that reads.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] alone.
    pub fn verdict(&self) -> Result<String, Error> {
        Ok(fence(|| self.statement.verdict().to_json())?)
    }

    /// What to send, as JSON; `null`: nothing, and the guard raises its `Denied`. `text`; `gate` (null for reads): what is parsed, and
    /// not run, before; `command`: the first word of the answer's command tag; `params`: for `$1`, `$2`, … `value` (text, or null),
    /// `elements` (of an array), `type`, `oid`; `jdbc`, where it was asked for: `sql`, `native_sql`, `order`.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] alone.
    pub fn run(&self, jdbc: bool) -> Result<String, Error> {
        fence(|| {
            let statement = &*self.statement;
            let (Some(text), Some(command)) = (statement.text(), statement.command()) else {
                return Ok("null".to_owned());
            };
            let form = if jdbc { Some(statement.jdbc().ok_or_else(unsendable)?) } else { None };
            let params = statement.params().iter().map(|param| SpeltParam {
                value: param.value.as_deref(),
                elements: param.elements.as_deref(),
                ty: param.ty,
                oid: param.oid,
            });
            write(&SpeltRun {
                text,
                gate: statement.gate(),
                command,
                params: params.collect(),
                jdbc: form.as_ref().map(SpeltJdbc::new),
            })
        })?
    }

    /// The text to send where the driver cannot ask for text results: each of the `columns` result columns is followed by its text.
    /// JSON: `{"text", "jdbc"?}`.
    ///
    /// # Errors
    /// [`ErrorCode::Argument`]: nothing is there to send.
    pub fn rendered(&self, columns: usize, jdbc: bool) -> Result<String, Error> {
        fence(|| {
            let text = self.statement.rendered(columns).ok_or_else(unsendable)?;
            let form = if jdbc { Some(self.statement.jdbc_of(&text).ok_or_else(unsendable)?) } else { None };
            write(&SpeltRendered { text: &text, jdbc: form.as_ref().map(SpeltJdbc::new) })
        })?
    }

    /// The receipt of a run: `{"role", "started_at", "elapsed_us", "columns": [{"name", "oid"}], "type_names": [[OID, SCHEMA, NAME]…],
    /// "rows": [[TEXT or null…]…], "affected": N or null}` in. Out: `{"rows": N, "row_count", "truncated", "receipt"}`, where `rows` is
    /// how many of the rows are the result. `{"unnamed_types": "{…}"}` instead, where types have no name yet: ask `type_names` of
    /// [`Session::steps`] with that as `$1`, and call again.
    ///
    /// # Errors
    /// [`ErrorCode::Argument`]: it is no such object, or the statement is none of a transaction of a guard.
    pub fn receipt(&self, execution: &[u8]) -> Result<String, Error> {
        fence(|| {
            let spelt: SpeltExecution = read(execution, "the execution")?;
            let Some(session) = &self.session else {
                let message = "a statement in its caller's own transaction has no receipt: nothing was pinned";
                return Err(Error::new(ErrorCode::Argument, message));
            };
            let execution = spelt.execution();
            let known = |oid: &u32| execution.type_names.iter().any(|name| name.oid == *oid);
            let unnamed: Vec<u32> =
                receipt::unnamed_types(&execution.columns).into_iter().filter(|oid| !known(oid)).collect();
            if !unnamed.is_empty() {
                let listed = unnamed.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
                return write(&serde_json::json!({ "unnamed_types": format!("{{{listed}}}") }));
            }
            let receipt = session.receipt(&self.statement, &execution, self.guard.0.receipt_key.as_ref())?;
            write(&SpeltReceipt {
                rows: receipt.rows(),
                row_count: receipt.row_count(),
                truncated: receipt.truncated(),
                receipt: serde_json::from_str(receipt.to_json()).map_err(|_| Error::internal())?,
            })
        })?
    }
}

fn read<'j, T: Deserialize<'j>>(json: &'j [u8], what: &str) -> Result<T, Error> {
    // The reason would quote what was given.
    serde_json::from_slice(json)
        .map_err(|_| Error::new(ErrorCode::Argument, format!("{what} are not the JSON that is documented")))
}

fn write(value: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|_| Error::internal())
}

fn unsendable() -> Error {
    Error::new(ErrorCode::Argument, "the statement cannot be sent in this form as it was verified")
}

impl From<SessionError> for Error {
    fn from(error: SessionError) -> Self {
        let code = match error.kind() {
            SessionErrorKind::Context => ErrorCode::Context,
            SessionErrorKind::Argument => ErrorCode::Argument,
            SessionErrorKind::Seal => ErrorCode::Seal,
        };
        Error::new(code, error.message())
    }
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct SpeltError {
    #[serde(default)]
    sqlstate: String,
    #[serde(default)]
    message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

#[derive(Serialize)]
struct Redacted {
    kind: &'static str,
    #[serde(flatten)]
    error: SpeltError,
}

#[derive(Serialize)]
struct Steps<'a> {
    begin: &'a str,
    set_transaction: &'a str,
    hello: &'a str,
    commit: &'a str,
    rollback: &'a str,
    type_names: &'a str,
    writable: bool,
    max_rows: u64,
    max_result_bytes: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpeltPin {
    database: String,
    now: u64,
    #[serde(default)]
    jdbc: bool,
}

#[derive(Serialize)]
struct SpeltQuery<'a> {
    sql: &'a str,
    params: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    jdbc: Option<SpeltJdbc<'a>>,
}

#[derive(Serialize)]
struct SpeltJdbc<'a> {
    sql: &'a str,
    native_sql: &'a str,
    order: &'a [u32],
}

impl<'a> SpeltJdbc<'a> {
    fn new(form: &'a JdbcForm) -> Self {
        let JdbcForm { sql, native_sql, order } = form;
        SpeltJdbc { sql, native_sql, order }
    }
}

#[derive(Serialize)]
struct SpeltRun<'a> {
    text: &'a str,
    gate: Option<&'a str>,
    command: &'a str,
    params: Vec<SpeltParam<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    jdbc: Option<SpeltJdbc<'a>>,
}

#[derive(Serialize)]
struct SpeltParam<'a> {
    value: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    elements: Option<&'a [String]>,
    #[serde(rename = "type")]
    ty: &'a str,
    oid: u32,
}

#[derive(Serialize)]
struct SpeltRendered<'a> {
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    jdbc: Option<SpeltJdbc<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpeltExecution {
    role: String,
    started_at: String,
    elapsed_us: u64,
    columns: Vec<SpeltColumn>,
    #[serde(default)]
    type_names: Vec<(u32, String, String)>,
    rows: Vec<Vec<Option<String>>>,
    #[serde(default)]
    affected: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpeltColumn {
    name: String,
    oid: u32,
}

impl SpeltExecution {
    fn execution(self) -> Execution {
        let column = |SpeltColumn { name, oid }| Column { name, oid };
        let type_name = |(oid, schema, name)| TypeName { oid, schema, name };
        Execution {
            role: self.role,
            started_at: self.started_at,
            elapsed_us: self.elapsed_us,
            columns: self.columns.into_iter().map(column).collect(),
            type_names: self.type_names.into_iter().map(type_name).collect(),
            rows: self.rows,
            affected: self.affected,
        }
    }
}

#[derive(Serialize)]
struct SpeltReceipt {
    rows: usize,
    row_count: u64,
    truncated: bool,
    receipt: Box<RawValue>,
}
