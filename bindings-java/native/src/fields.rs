//! The fields of a verdict, for a host without a JSON parser.
//!
//! Receives the JSON of a verdict, perhaps from elsewhere; returns its fields in the order of docs/verdict.md.
//! Must never guess: what is not the one spelling of a verdict is an error. Fields of a newer version are left aside.

use haltsql::boundary::{self, Error, ErrorCode};
use serde::{Deserialize, Deserializer};

use crate::answer::Answer;
use crate::call::Failure;

/// Reads a verdict.
///
/// # Errors
/// [`ErrorCode::Verdict`]: this is not the JSON of a verdict.
pub(crate) fn of(json: &[u8]) -> Result<Answer, Failure> {
    let not_a_verdict = || Error::new(ErrorCode::Verdict, "this is not the JSON of a verdict");
    let text = std::str::from_utf8(json).map_err(|_| not_a_verdict())?;
    let verdict: Verdict = serde_json::from_str(text).map_err(|_| not_a_verdict())?;
    // `allowed` is the first field of the one spelling that there is, and is read from there everywhere.
    let denied = text.starts_with("{\"allowed\":false,");
    if verdict.allowed != boundary::is_allowed(text) || verdict.allowed == denied {
        return Err(not_a_verdict().into());
    }
    let mut answer = Answer::good();
    answer.flag(verdict.allowed);
    answer.list(&verdict.reasons, push_reason).list(&verdict.shadow_reasons, push_reason);
    answer.text(&verdict.policy.name).text(&verdict.policy.version);
    answer.texts(&verdict.policy.search_path).optional(verdict.statement_kind.as_deref());
    answer.texts(&verdict.tables).texts(&verdict.columns);
    answer.list(&verdict.bind_params, push_param);
    answer.optional(verdict.fingerprint.as_deref()).text(&verdict.sql_sha256).long(verdict.elapsed_us);
    Ok(answer)
}

#[derive(Deserialize)]
struct Verdict {
    allowed: bool,
    reasons: Vec<Reason>,
    shadow_reasons: Vec<Reason>,
    policy: Policy,
    #[serde(deserialize_with = "nullable")]
    statement_kind: Option<String>,
    tables: Vec<String>,
    columns: Vec<String>,
    bind_params: Vec<BindParam>,
    #[serde(deserialize_with = "nullable")]
    fingerprint: Option<String>,
    sql_sha256: String,
    elapsed_us: u64,
}

#[derive(Deserialize)]
struct Policy {
    name: String,
    version: String,
    search_path: Vec<String>,
}

#[derive(Deserialize)]
struct Reason {
    code: String,
    message: String,
    rule: String,
    loc: Option<u32>,
    hint: Option<String>,
}

#[derive(Deserialize)]
struct BindParam {
    param: u32,
    value: Value,
    #[serde(rename = "type")]
    ty: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Value {
    One(String),
    Many(Vec<String>),
}

/// A field that can be `null` and has to be there.
fn nullable<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Option::deserialize(from)
}

fn push_reason(answer: &mut Answer, reason: &Reason) {
    answer.text(&reason.code).text(&reason.message).text(&reason.rule).flag(reason.loc.is_some());
    answer.number(reason.loc.unwrap_or_default() as usize).optional(reason.hint.as_deref());
}

fn push_param(answer: &mut Answer, param: &BindParam) {
    answer.number(param.param as usize);
    match &param.value {
        Value::One(value) => answer.flag(false).text(value),
        Value::Many(values) => answer.flag(true).texts(values),
    };
    answer.text(&param.ty);
}
