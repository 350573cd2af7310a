//! A verdict that comes back: its rendering for a language model, from its JSON and the text alone.
//!
//! Receives the bytes that a check returned and the SQL that it was asked about; returns text. So a host's verdict needs no
//! memory of ours. Must never render a verdict over a text that it was not given for: the marks would lie.

use serde::Deserialize;

use super::{Error, ErrorCode};
use crate::facts::{BindParam, BindValue};
use crate::fence::fence;
use crate::reason::{Reason, ReasonCode};
use crate::text::sha256_hex;
use crate::verdict::{PolicyRef, Verdict};

/// The verdict as text for a language model: reasons, their repairs, and the SQL with the places marked.
///
/// # Errors
/// [`ErrorCode::Verdict`]: `verdict` is not the JSON of a verdict of this version, or was not given for `sql`.
pub fn for_agent(verdict: &[u8], sql: &[u8]) -> Result<String, Error> {
    fence(|| {
        let verdict = read(verdict)?;
        if verdict.sql_sha256 != sha256_hex(sql) {
            return Err(not_a_verdict("the verdict was given for another text"));
        }
        // A text that is not UTF-8 has at most one reason with a place, and everything before that place is.
        Ok(verdict.for_agent(&String::from_utf8_lossy(sql)))
    })?
}

/// Whether a verdict's JSON allows the text, for hosts that read nothing else of it. `json` is what a check returned.
#[must_use]
pub fn is_allowed(json: &str) -> bool {
    // The first field, spelt in one place and in one way.
    json.starts_with("{\"allowed\":true,")
}

#[derive(Deserialize)]
struct Spelt {
    allowed: bool,
    reasons: Vec<SpeltReason>,
    bind_params: Vec<SpeltParam>,
    sql_sha256: String,
}

#[derive(Deserialize)]
struct SpeltReason {
    code: String,
    message: String,
    loc: Option<u32>,
    hint: Option<String>,
}

#[derive(Deserialize)]
struct SpeltParam {
    param: u32,
    #[serde(rename = "type")]
    ty: String,
}

/// The parts of the verdict that its rendering reads; the others are empty.
fn read(json: &[u8]) -> Result<Verdict, Error> {
    let spelt: Spelt = serde_json::from_slice(json).map_err(|_| not_a_verdict("this is not the JSON of a verdict"))?;
    let mut reasons = Vec::new();
    for SpeltReason { code, message, loc, hint } in spelt.reasons {
        let code: ReasonCode =
            code.parse().map_err(|_| not_a_verdict("the verdict has a reason code that this version does not know"))?;
        reasons.push(Reason { code, message, loc, hint });
    }
    let mut bind_params = Vec::new();
    for SpeltParam { param, ty } in spelt.bind_params {
        let ty = TYPES.iter().copied().find(|known| *known == ty);
        let ty = ty.ok_or_else(|| not_a_verdict("the verdict has a parameter type that this version does not know"))?;
        bind_params.push(BindParam { param, value: BindValue::Many(Vec::new()), ty });
    }
    Ok(Verdict {
        allowed: spelt.allowed,
        reasons,
        shadow_reasons: Vec::new(),
        policy: PolicyRef { name: String::new(), version: String::new(), search_path: Vec::new() },
        statement_kind: None,
        tables: Vec::new(),
        columns: Vec::new(),
        bind_params,
        fingerprint: None,
        sql_sha256: spelt.sql_sha256,
        elapsed_us: 0,
    })
}

/// What `bind_params` can have as `type`.
const TYPES: [&str; 6] = ["text", "text[]", "uuid", "uuid[]", "integer", "integer[]"];

fn not_a_verdict(message: &str) -> Error {
    Error::new(ErrorCode::Verdict, message)
}
