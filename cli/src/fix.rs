//! `haltsql check --fix`: the insertions that hints speak of, made one after another until the text is allowed or nothing helps.
//!
//! Receives a text, returns another that holds every byte of it in its order, with words in between. Must never take a repair that the
//! check does not confirm, and never change anything without saying so.

use std::io::IsTerminal as _;
use std::path::Path;

use haltsql::{Context, Insertion, Policy, ReasonCode, Verdict};
use serde_json::json;

use crate::check::print_bytes;
use crate::failure::Failure;
use crate::human;
use crate::input::Sql;
use crate::place::Place;

/// More than any text needs: each repair takes a reason away.
const MAX_REPAIRS: usize = 1_000;

/// How the result is given.
pub struct Output<'a> {
    /// As one line of JSON.
    pub json: bool,
    /// The file to write the text to, instead of printing it.
    pub write: Option<&'a Path>,
}

/// A text after its repairs.
struct Mended {
    sql: Vec<u8>,
    repairs: Vec<Step>,
    verdict: Verdict,
}

/// One repair as it was made.
struct Step {
    code: ReasonCode,
    /// Places count in the text as it was before this step.
    insertions: Vec<Insertion>,
    /// Where the last of them stands.
    place: Place,
}

/// Repairs the text and gives it out; whether the repaired text is allowed.
pub fn run(policy: &Policy, context: &Context, sql: Sql, output: &Output<'_>) -> Result<bool, Failure> {
    let mended = mend(policy, context, sql.bytes);
    if let Some(path) = output.write.filter(|_| !mended.repairs.is_empty()) {
        std::fs::write(path, &mended.sql).map_err(|problem| {
            Failure::new(
                format!("cannot write the repaired SQL to `{}`: {problem}", path.display()),
                "make the file writable, or leave --write away and redirect the output",
            )
        })?;
    }
    if output.json {
        print_bytes(json(&mended).as_bytes())?;
        return Ok(mended.verdict.allowed);
    }
    if output.write.is_none() {
        print_bytes(&mended.sql)?;
        if std::io::stdout().is_terminal() && !mended.sql.ends_with(b"\n") {
            print_bytes(b"\n")?;
        }
    }
    eprint!("{}", report(&mended, &sql.origin, output));
    Ok(mended.verdict.allowed)
}

fn mend(policy: &Policy, context: &Context, mut sql: Vec<u8>) -> Mended {
    let mut verdict = policy.check(&sql, context);
    let mut repairs = Vec::new();
    while repairs.len() < MAX_REPAIRS {
        let Ok(text) = std::str::from_utf8(&sql) else { break };
        let helps = policy.repairs(&sql, context).into_iter().find_map(|repair| {
            let repaired = repair.apply(text)?;
            let after = policy.check(repaired.as_bytes(), context);
            (count(&after) < count(&verdict)).then_some((repair, repaired, after))
        });
        let Some((repair, repaired, after)) = helps else { break };
        let at = repair.insertions.last().map_or(0, |last| last.at);
        repairs.push(Step { code: repair.code, insertions: repair.insertions, place: Place::of(&sql, at) });
        (sql, verdict) = (repaired.into_bytes(), after);
    }
    Mended { sql, repairs, verdict }
}

/// In shadow mode nothing is denied, and the same reasons stand elsewhere.
fn count(verdict: &Verdict) -> usize {
    verdict.reasons.len() + verdict.shadow_reasons.len()
}

fn json(mended: &Mended) -> String {
    let steps = mended.repairs.iter().map(|step| {
        let words = step.insertions.iter().map(|insertion| json!({ "at": insertion.at, "text": insertion.text }));
        json!({ "code": step.code.as_str(), "insertions": words.collect::<Vec<_>>() })
    });
    let sql = serde_json::Value::from(std::str::from_utf8(&mended.sql).ok());
    // The verdict has one spelling, which is the core's.
    let (steps, verdict) = (serde_json::Value::from(steps.collect::<Vec<_>>()), mended.verdict.to_json());
    format!("{{\"sql\":{sql},\"repairs\":{steps},\"verdict\":{verdict}}}\n")
}

fn report(mended: &Mended, origin: &str, output: &Output<'_>) -> String {
    let mut text = String::new();
    for step in &mended.repairs {
        let words: Vec<String> =
            step.insertions.iter().map(|insertion| format!("`{}`", human::visible(insertion.text.trim()))).collect();
        let Place { line, column, .. } = step.place;
        text.push_str(&format!(
            "repaired {}: inserted {} at {origin}:{line}:{column}\n",
            step.code,
            words.join(" and ")
        ));
    }
    match (mended.repairs.is_empty(), output.write) {
        (true, _) if count(&mended.verdict) == 0 => text.push_str("nothing to repair\n"),
        (true, _) => text.push_str("no reason can be repaired by an insertion alone\n"),
        (false, Some(path)) => text.push_str(&format!("written to {}\n", path.display())),
        (false, None) => {}
    }
    if count(&mended.verdict) > 0 {
        text.push_str("what remains:\n\n");
        text.push_str(&human::render(&mended.verdict, &mended.sql, origin, false));
    }
    text
}
