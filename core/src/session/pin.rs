//! The pin: the one statement that makes a transaction what a verdict assumes, and asserts on the server that it is.
//!
//! Receives a session; returns SQL and its parameters, all of them text. Must never contain a value: what a policy or a context says
//! crosses as a parameter. Every name is qualified, since the search_path that it is parsed under is whatever the connection had.

use super::units::milliseconds;
use super::{PinInput, Session, SessionError, key::Subject};
use crate::policy::{Isolation, Policy, Seal};

/// A statement and its parameters, each declared as `text` (oid 25).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The SQL.
    pub sql: String,
    /// The values of `$1`, `$2`, …
    pub params: Vec<String>,
}

/// What results and their text form depend on, with the value that the server shows once it is set. `array_nulls` decides what
/// `'{NULL}'` holds; the others are guards.md's.
const FIXED: &[(&str, &str)] = &[
    // First: the server shows names in others in quotes where it is on, and it changes the text of `regclass` and its kin.
    ("quote_all_identifiers", "off"),
    ("standard_conforming_strings", "on"),
    ("row_security", "on"),
    ("DateStyle", "ISO, YMD"),
    ("IntervalStyle", "postgres"),
    ("extra_float_digits", "1"),
    ("bytea_output", "hex"),
    ("lc_monetary", "C"),
    ("lc_numeric", "C"),
    ("lc_time", "C"),
    ("transform_null_equals", "off"),
    ("array_nulls", "on"),
    ("default_text_search_config", "pg_catalog.english"),
];

/// The conditions so far, and what they compare with.
#[derive(Default)]
struct Pin {
    conditions: Vec<String>,
    params: Vec<String>,
}

impl Pin {
    fn param(&mut self, value: impl Into<String>) -> String {
        self.params.push(value.into());
        format!("${}::pg_catalog.text", self.params.len())
    }

    /// Sets `name`, for the transaction, and asserts that the server shows `shown` for it.
    fn set_shown(&mut self, name: &str, value: &str, shown: &str) {
        let value = self.param(value);
        let shown = self.param(shown);
        self.conditions.push(format!("pg_catalog.set_config('{name}', {value}, true) OPERATOR(pg_catalog.=) {shown}"));
    }

    fn set(&mut self, name: &str, value: &str) {
        let value = self.param(value);
        self.conditions.push(format!("pg_catalog.set_config('{name}', {value}, true) OPERATOR(pg_catalog.=) {value}"));
    }

    /// Sets what the server may show in a spelling of its own. It is never NULL, and a value that does not fit is an error.
    fn set_any(&mut self, name: &str, value: &str) {
        let name = self.param(name);
        let value = self.param(value);
        self.conditions.push(format!("pg_catalog.set_config({name}, {value}, true) IS NOT NULL"));
    }

    fn equal(&mut self, expression: &str, expected: &str) {
        let expected = self.param(expected);
        self.conditions.push(format!("{expression} OPERATOR(pg_catalog.=) {expected}"));
    }
}

/// The pin of a session's transaction.
pub(super) fn pin(session: &Session, input: &PinInput<'_>) -> Result<Query, SessionError> {
    let policy = session.policy();
    let execution = &policy.execution;
    let mut pin = Pin::default();
    // What the transaction is comes first: none of it can be set here.
    pin.equal("pg_catalog.current_setting('transaction_read_only')", if session.writable() { "off" } else { "on" });
    pin.equal("pg_catalog.current_setting('transaction_isolation')", isolation(execution.isolation));
    pin.equal("pg_catalog.current_setting('client_encoding')", "UTF8");
    if matches!(execution.seal, Seal::Signed | Seal::Login) {
        let role = session.role().unwrap_or_default();
        // Nothing to reset to: the session began as the role, and is it still.
        pin.equal("session_user::pg_catalog.text", role);
        pin.equal("current_user::pg_catalog.text", role);
    }
    pin.set("search_path", &policy.search_path_value());
    // A schema that is not there, or not to be used, the server passes over in silence: names would bind to later ones.
    let listed = schemas(&policy.search_path);
    let expected = pin.param(array(&listed));
    let first = format!("(pg_catalog.current_schemas(false))[1:{}]", listed.len());
    pin.conditions.push(format!("{first}::pg_catalog.text[] OPERATOR(pg_catalog.=) {expected}::pg_catalog.text[]"));
    for (name, value) in FIXED {
        pin.set(name, value);
    }
    for (name, value) in [
        ("statement_timeout", execution.statement_timeout_ms),
        ("lock_timeout", execution.lock_timeout_ms),
        ("idle_in_transaction_session_timeout", execution.idle_in_transaction_session_timeout_ms),
    ] {
        pin.set_shown(name, &value.to_string(), &milliseconds(value));
    }
    timezone(policy, &mut pin);
    for (name, value) in session.settings() {
        pin.set_any(name, value);
    }
    if execution.seal == Seal::Signed {
        signed(session, input, &mut pin)?;
    }
    if execution.seal == Seal::Bare {
        // Last: what the role may set is nobody's business. `SET LOCAL ROLE` by its other name.
        let role = session.role().unwrap_or_default();
        pin.set("role", role);
        pin.equal("current_user::pg_catalog.text", role);
    }
    Ok(Query { sql: sql(&pin.conditions), params: pin.params })
}

/// The statement: its first column is `ok` or an error, whose message every guard knows; then the role, and when the transaction
/// began by the server's clock.
fn sql(conditions: &[String]) -> String {
    // Not a constant: the planner would raise the error before anything was looked at.
    let broken = "('haltsql: ' OPERATOR(pg_catalog.||) pg_catalog.pg_backend_pid()::pg_catalog.text)::pg_catalog.int4::pg_catalog.text";
    let began = "pg_catalog.to_char(pg_catalog.timezone('UTC', pg_catalog.transaction_timestamp()), 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')";
    let all = conditions.join("\n AND ");
    format!("SELECT CASE WHEN {all}\nTHEN 'ok' ELSE {broken} END, current_user::pg_catalog.text, {began}")
}

/// The zone as the server shows it has the case of its own list; an offset has another spelling altogether.
fn timezone(policy: &Policy, pin: &mut Pin) {
    let zone = &policy.execution.timezone;
    if zone.parse::<f64>().is_ok() {
        return pin.set_any("TimeZone", zone);
    }
    let value = pin.param(zone);
    let set = format!("pg_catalog.set_config('TimeZone', {value}, true)");
    pin.conditions.push(format!("pg_catalog.lower({set}) OPERATOR(pg_catalog.=) pg_catalog.lower({value})"));
}

/// The signed pin, and that the database accepts it: a bad one would mean no rows, and look like an answer.
fn signed(session: &Session, input: &PinInput<'_>, pin: &mut Pin) -> Result<(), SessionError> {
    let key = input
        .key
        .ok_or_else(|| SessionError::argument("the policy's seal is `signed`: the guard needs its pin key"))?;
    let kid = session.policy().execution.pin_key.as_ref().map_or("", |key| &*key.kid);
    let values = session.tenancy();
    // Keys in order, so that one context has one pin.
    let context =
        serde_json::to_string(values).map_err(|_| SessionError::argument("the context cannot be written as JSON"))?;
    let session_user = session.role().unwrap_or_default();
    let subject = Subject { database: input.database, session_user, kid, context: &context };
    let value = key.sign(&subject, input.now);
    pin.set("haltsql.pin", &value);
    for (name, values) in values {
        let name = pin.param(name);
        let expected = pin.param(array(values));
        pin.conditions.push(format!("haltsql.pinned({name}) OPERATOR(pg_catalog.=) {expected}::pg_catalog.text[]"));
    }
    Ok(())
}

/// The schemas as the server lists them: each once.
fn schemas(search_path: &[String]) -> Vec<String> {
    let mut listed: Vec<String> = Vec::with_capacity(search_path.len());
    for schema in search_path {
        if !listed.contains(schema) {
            listed.push(schema.clone());
        }
    }
    listed
}

/// An array in the form that `text[]` reads (PostgreSQL manual, 8.15.2).
pub(super) fn array(values: &[String]) -> String {
    let quoted = values.iter().map(|value| format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"")));
    format!("{{{}}}", quoted.collect::<Vec<_>>().join(","))
}

/// An isolation level as the server shows it.
pub(super) fn isolation(level: Isolation) -> &'static str {
    match level {
        Isolation::ReadCommitted => "read committed",
        Isolation::RepeatableRead => "repeatable read",
        Isolation::Serializable => "serializable",
    }
}

#[cfg(test)]
mod tests {
    use super::array;

    #[test]
    fn arrays_hold_any_text() {
        let values = ["a", "", "NULL", "a\"b", "a\\b", "{,}"].map(str::to_owned);
        assert_eq!(array(&values), r#"{"a","","NULL","a\"b","a\\b","{,}"}"#);
        assert_eq!(array(&[]), "{}");
    }
}
