//! What the doctor found, for people and for programs.
//!
//! Receives outcomes, returns text. The JSON is stable: fields are added, never renamed. Must never hand a control character of a
//! name to a terminal.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Outcome;
use super::checks::{Check, Finding, State};

/// About what, and as whom.
pub struct Header<'a> {
    /// The policy's name and version.
    pub policy: (&'a str, &'a str),
    /// The database's name.
    pub database: &'a str,
    /// `server_version_num`.
    pub server_version: i32,
    /// The roles whose rights were looked at.
    pub roles: Vec<&'a str>,
}

/// One line of JSON.
pub fn json(header: &Header<'_>, outcomes: &[Outcome]) -> String {
    let checks: Vec<Value> = outcomes.iter().map(check_json).collect();
    let report = json!({
        "haltsql_version": env!("CARGO_PKG_VERSION"),
        "policy": { "name": header.policy.0, "version": header.policy.1 },
        "database": header.database,
        "server_version": header.server_version,
        "roles": header.roles,
        "ok": !outcomes.iter().any(Outcome::is_red),
        "checks": checks,
    });
    format!("{report}\n")
}

fn check_json(outcome: &Outcome) -> Value {
    let Outcome { check, state, accepted } = outcome;
    let mut object = json!({ "id": check.id, "title": check.title, "state": word(state) });
    if let Some(fields) = object.as_object_mut() {
        match state {
            State::Holds => {}
            State::NotApplicable(why) => drop(fields.insert("why".to_owned(), Value::from(*why))),
            State::Broken(findings) => {
                drop(fields.insert("findings".to_owned(), findings.iter().map(finding_json).collect()))
            }
        }
        if !accepted.is_empty() {
            fields.insert("accepted".to_owned(), accepted.iter().map(finding_json).collect());
        }
    }
    object
}

fn finding_json(finding: &Finding) -> Value {
    let mut object = json!({ "object": finding.object, "found": finding.found, "mend": finding.mend });
    if let (Some(fields), Some(advice)) = (object.as_object_mut(), &finding.advice) {
        fields.insert("advice".to_owned(), Value::from(&**advice));
    }
    object
}

const fn word(state: &State) -> &'static str {
    match state {
        State::Holds => "ok",
        State::NotApplicable(_) => "not_applicable",
        State::Broken(_) => "red",
    }
}

/// A line for each check; below a red one what was found and how to mend it.
pub fn text(header: &Header<'_>, outcomes: &[Outcome], colour: bool) -> String {
    let mut out = format!(
        "policy {} on database {} (PostgreSQL {}), as {}\n\n",
        header.policy.0,
        header.database,
        header.server_version / 10_000,
        if header.roles.is_empty() { "nobody".to_owned() } else { header.roles.join(", ") },
    );
    for outcome in outcomes {
        push_check(&mut out, outcome, colour);
    }
    let count = |wanted: &str| outcomes.iter().filter(|outcome| word(&outcome.state) == wanted).count();
    let red = count("red");
    let verdict = if red == 0 {
        paint("verdicts hold on this database", GREEN, colour)
    } else {
        paint(
            &format!("{red} of {} checks are red: verdicts are not to be relied on here", outcomes.len()),
            RED,
            colour,
        )
    };
    // Writing to a string cannot fail.
    let _ = writeln!(out, "\n{verdict} ({} ok, {} not applicable, {red} red)", count("ok"), count("not_applicable"));
    out
}

fn push_check(out: &mut String, outcome: &Outcome, colour: bool) {
    let Check { id, title, .. } = outcome.check;
    let _ = match &outcome.state {
        State::Holds => writeln!(out, "{}  {id:<34} {title}", paint("ok ", GREEN, colour)),
        State::NotApplicable(why) => writeln!(out, "{}  {id:<34} {why}", paint("-  ", DIM, colour)),
        State::Broken(_) => writeln!(out, "{}  {id:<34} {title}", paint("RED", RED, colour)),
    };
    if let State::Broken(findings) = &outcome.state {
        for finding in findings {
            push_finding(out, finding);
        }
    }
    for Finding { object, .. } in &outcome.accepted {
        let _ = writeln!(out, "     accepted: {}", shown(object));
    }
}

fn push_finding(out: &mut String, finding: &Finding) {
    let _ = writeln!(out, "     {}: {}", shown(&finding.object), shown(&finding.found));
    for sql in &finding.mend {
        let _ = writeln!(out, "       {};", shown(sql));
    }
    if let Some(advice) = &finding.advice {
        let _ = writeln!(out, "       {}", shown(advice));
    }
}

/// Names may hold anything but NUL.
fn shown(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

const RED: &str = "31;1";
const GREEN: &str = "32";
const DIM: &str = "2";

fn paint(text: &str, style: &str, colour: bool) -> String {
    if colour { format!("\u{1b}[{style}m{text}\u{1b}[0m") } else { text.to_owned() }
}
