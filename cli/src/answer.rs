//! One line of a batch: JSON in, one line of JSON out.
//!
//! Receives any bytes; returns a line with a verdict, or with what the line lacks. Must never fail, and never check a text that it
//! could not read whole.

use haltsql::{Context, Policy};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// One line of the output.
pub struct Answer {
    /// With its end.
    pub line: String,
    /// What it tells.
    pub outcome: Outcome,
}

/// What a line came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Checked, and may run.
    Allowed,
    /// Checked, and may not.
    Denied,
    /// Not checked.
    Bad,
}

/// Checks the text of line `number`, counted from 1, in its own context or else in `context`.
pub fn answer(policy: &Policy, context: &Context, number: u64, bytes: &[u8]) -> Answer {
    // serde would take an array for the fields in their order.
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return bad(None, number, "not a JSON object with the key `sql`");
    }
    let request: Request<'_> = match serde_json::from_slice(bytes) {
        Ok(request) => request,
        Err(problem) => {
            let id = serde_json::from_slice::<Named<'_>>(bytes).ok().and_then(|named| named.id);
            return bad(id, number, &position_in_line(&problem));
        }
    };
    let own = match request.context.map(|context| Context::from_json(context.get())).transpose() {
        Ok(own) => own,
        Err(problem) => return bad(request.id, number, &problem.to_string()),
    };
    let verdict = policy.check(request.sql.as_bytes(), own.as_ref().unwrap_or(context));
    Answer {
        line: format!("{{{}\"verdict\":{}}}\n", id_member(request.id), verdict.to_json()),
        outcome: if verdict.allowed { Outcome::Allowed } else { Outcome::Denied },
    }
}

/// The answer to line `number` where it is longer than `most` bytes.
pub fn too_long(number: u64, most: usize) -> Answer {
    bad(None, number, &format!("longer than {most} bytes; check it by itself with --file"))
}

/// One line of the input.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request<'a> {
    #[serde(borrow, default, deserialize_with = "even_null")]
    id: Option<&'a RawValue>,
    sql: String,
    #[serde(borrow, default, deserialize_with = "even_null")]
    context: Option<&'a RawValue>,
}

/// What a bad line may still say about itself.
#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow, default, deserialize_with = "even_null")]
    id: Option<&'a RawValue>,
}

/// A field that is there, `null` included: a context of `null` is a mistake, not the context of the command line.
fn even_null<'de: 'a, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

fn bad(id: Option<&RawValue>, number: u64, problem: &str) -> Answer {
    let message = serde_json::Value::from(format!("line {number}: {problem}"));
    Answer { line: format!("{{{}\"error\":{message}}}\n", id_member(id)), outcome: Outcome::Bad }
}

/// The caller's id, byte for byte; nothing where the line had none.
fn id_member(id: Option<&RawValue>) -> String {
    id.map(|id| format!("\"id\":{},", id.get())).unwrap_or_default()
}

/// serde_json counts lines within the text that it was given, which is always line 1.
fn position_in_line(problem: &serde_json::Error) -> String {
    let text = problem.to_string();
    let place = format!(" at line {} column {}", problem.line(), problem.column());
    match text.strip_suffix(&*place) {
        Some(message) => format!("{message}, column {}", problem.column()),
        None => text,
    }
}
