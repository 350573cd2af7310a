//! What a guard sends and is told, for a host without a JSON parser.
//!
//! Receives the boundary's JSON and plain values; returns the parts of an answer, and JSON for the boundary. Must never leave a part
//! out: what the core does not say is an error.

use haltsql::boundary;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use crate::answer::Answer;
use crate::call::Failure;

/// The options of a guard.
pub(crate) fn guard_options(allow_shadow: bool, show_errors: bool) -> String {
    json!({ "allow_shadow": allow_shadow, "show_errors": show_errors }).to_string()
}

/// The options of a transaction.
pub(crate) fn open_options(writable: bool) -> String {
    json!({ "writable": writable }).to_string()
}

/// What a guard alone knows when it pins.
pub(crate) fn pin_input(database: &[u8], now: i64) -> String {
    json!({ "database": String::from_utf8_lossy(database), "now": u64::try_from(now).unwrap_or_default() }).to_string()
}

/// Where a pin key is: its variable, its file.
pub(crate) fn place(json: &str) -> Result<Answer, Failure> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Place {
        env: Option<String>,
        file: Option<String>,
    }
    let place: Option<Place> = serde_json::from_str(json)?;
    let Place { env, file } = place.unwrap_or_default();
    let mut answer = Answer::good();
    answer.optional(env.as_deref()).optional(file.as_deref());
    Ok(answer)
}

/// An error that may go on: whether it breaks the seal, SQLSTATE, message, detail, hint.
pub(crate) fn redacted(json: &str) -> Result<Answer, Failure> {
    #[derive(Deserialize)]
    struct Redacted {
        kind: String,
        sqlstate: String,
        message: String,
        detail: Option<String>,
        hint: Option<String>,
    }
    let error: Redacted = serde_json::from_str(json)?;
    let mut answer = Answer::good();
    answer.flag(error.kind == "seal").text(&error.sqlstate).text(&error.message);
    answer.optional(error.detail.as_deref()).optional(error.hint.as_deref());
    Ok(answer)
}

/// The steps of a transaction, and what a new connection is asked before it.
pub(crate) fn session(steps: &str, seal: &str) -> Result<Answer, Failure> {
    #[derive(Deserialize)]
    struct Steps {
        begin: String,
        hello: String,
        commit: String,
        rollback: String,
        type_names: String,
        max_rows: u64,
        max_result_bytes: u64,
    }
    #[derive(Deserialize)]
    struct Seal {
        begin: String,
        pin: String,
        sql: String,
        params: Vec<String>,
        end: String,
    }
    let steps: Steps = serde_json::from_str(steps)?;
    let seal: Option<Seal> = serde_json::from_str(seal)?;
    let mut answer = Answer::good();
    answer.text(&steps.begin).text(&steps.hello).text(&steps.commit).text(&steps.rollback).text(&steps.type_names);
    answer.long(steps.max_rows).long(steps.max_result_bytes).flag(seal.is_some());
    if let Some(seal) = seal {
        answer.text(&seal.begin).text(&seal.pin).text(&seal.sql).texts(&seal.params).text(&seal.end);
    }
    Ok(answer)
}

/// A pin and its values.
pub(crate) fn pin(json: &str) -> Result<Answer, Failure> {
    #[derive(Deserialize)]
    struct Pin {
        sql: String,
        params: Vec<String>,
    }
    let pin: Pin = serde_json::from_str(json)?;
    let mut answer = Answer::good();
    answer.text(&pin.sql).texts(&pin.params);
    Ok(answer)
}

/// What a pin said: the role, and when the transaction began.
pub(crate) fn pinned(json: &str) -> Result<Answer, Failure> {
    #[derive(Deserialize)]
    struct Pinned {
        role: String,
        started_at: String,
    }
    let pinned: Pinned = serde_json::from_str(json)?;
    let mut answer = Answer::good();
    answer.text(&pinned.role).text(&pinned.started_at);
    Ok(answer)
}

/// A statement: its verdict, and what to send for it, if anything.
pub(crate) fn statement(verdict: &str, run: &str) -> Result<Answer, Failure> {
    #[derive(Deserialize)]
    struct Run {
        text: String,
        gate: Option<String>,
        command: String,
        params: Vec<Param>,
        jdbc: Option<Jdbc>,
    }
    #[derive(Deserialize)]
    struct Param {
        value: Option<String>,
        oid: u32,
    }
    #[derive(Deserialize)]
    struct Jdbc {
        sql: String,
        native_sql: String,
        order: Vec<u32>,
    }
    let run: Option<Run> = serde_json::from_str(run)?;
    let mut answer = Answer::good();
    answer.flag(boundary::is_allowed(verdict)).text(verdict).flag(run.is_some());
    if let Some(run) = run {
        answer.text(&run.text).optional(run.gate.as_deref()).text(&run.command);
        answer.list(&run.params, |answer, param| {
            answer.optional(param.value.as_deref()).number(param.oid as usize);
        });
        answer.flag(run.jdbc.is_some());
        if let Some(jdbc) = run.jdbc {
            answer.text(&jdbc.sql).text(&jdbc.native_sql);
            answer.list(&jdbc.order, |answer, number| {
                answer.number(*number as usize);
            });
        }
    }
    Ok(answer)
}

/// A receipt: what is left of the rows, its JSON, and the fields that Java has methods for. Or the types that have no name yet.
pub(crate) fn receipt(json: &str) -> Result<Answer, Failure> {
    #[derive(Deserialize)]
    struct Told<'j> {
        unnamed_types: Option<String>,
        #[serde(default)]
        rows: usize,
        #[serde(default)]
        row_count: u64,
        #[serde(default)]
        truncated: bool,
        #[serde(borrow)]
        receipt: Option<&'j RawValue>,
    }
    #[derive(Deserialize)]
    struct Fields {
        sql: String,
        seal: String,
        role: String,
        started_at: String,
        result_sha256: String,
        #[serde(default)]
        signature: Option<serde::de::IgnoredAny>,
    }
    let told: Told<'_> = serde_json::from_str(json)?;
    let mut answer = Answer::good();
    answer.optional(told.unnamed_types.as_deref());
    if told.unnamed_types.is_none() {
        // Without one this is an empty text, which has no fields.
        let receipt = told.receipt.map(RawValue::get).unwrap_or_default();
        let fields: Fields = serde_json::from_str(receipt)?;
        answer.number(told.rows).long(told.row_count).flag(told.truncated).text(receipt);
        answer.text(&fields.sql).text(&fields.seal).text(&fields.role).text(&fields.started_at);
        answer.text(&fields.result_sha256).flag(fields.signature.is_some());
    }
    Ok(answer)
}
