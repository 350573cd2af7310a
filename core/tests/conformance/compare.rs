//! A verdict against what a case states, and against what every verdict promises.

use std::fmt::{Debug, Write as _};

use haltsql::{BindValue, Policy, Reason, Verdict};
use sha2::{Digest, Sha256};

use crate::case::{Case, Expect, ExpectedParam, ExpectedReason, ExpectedValue, Place};
use crate::corpus::hex;

/// What differs from the case, one line each.
pub fn differences(expect: &Expect, sql: &[u8], verdict: &Verdict) -> Vec<String> {
    let mut wrong = Vec::new();
    differ(&mut wrong, "allowed", &expect.allowed, &verdict.allowed);
    if let Some(reasons) = &expect.reasons {
        compare_reasons(&mut wrong, "reasons", reasons, sql, &verdict.reasons);
    }
    if let Some(reasons) = &expect.shadow_reasons {
        compare_reasons(&mut wrong, "shadow_reasons", reasons, sql, &verdict.shadow_reasons);
    }
    let has = |code: &String| verdict.reasons.iter().any(|reason| reason.code.as_str() == code);
    for code in expect.codes_include.iter().flatten().filter(|code| !has(code)) {
        wrong.push(format!("reasons: {code} is not among them"));
    }
    if let Some(codes) = &expect.codes_any
        && !codes.iter().any(has)
    {
        wrong.push(format!("reasons: none of {} is among them", codes.join(", ")));
    }
    if let Some(kind) = &expect.statement_kind {
        differ(&mut wrong, "statement_kind", &kind.as_deref(), &verdict.statement_kind.map(|kind| kind.as_str()));
    }
    if let Some(tables) = &expect.tables {
        differ(&mut wrong, "tables", tables, &verdict.tables);
    }
    if let Some(columns) = &expect.columns {
        differ(&mut wrong, "columns", columns, &verdict.columns);
    }
    if let Some(params) = &expect.bind_params {
        compare_params(&mut wrong, params, verdict);
    }
    wrong
}

fn differ<T: PartialEq + Debug + ?Sized>(wrong: &mut Vec<String>, field: &str, expected: &T, actual: &T) {
    if expected != actual {
        wrong.push(format!("{field}: expected {expected:?}, got {actual:?}"));
    }
}

/// Pairs each expected reason with one of the same code and, where it is stated, the same place. Those with a stated
/// place choose first.
fn compare_reasons(wrong: &mut Vec<String>, field: &str, expected: &[ExpectedReason], sql: &[u8], actual: &[Reason]) {
    let mut left: Vec<&Reason> = actual.iter().collect();
    let mut wanted: Vec<(&ExpectedReason, Place)> = Vec::new();
    for reason in expected {
        match reason.place(sql) {
            Ok(place) => wanted.push((reason, place)),
            Err(problem) => wrong.push(format!("the case itself: {problem}")),
        }
    }
    wanted.sort_by_key(|(_, place)| *place == Place::NotStated);
    for (reason, place) in wanted {
        let fits = |got: &&Reason| {
            got.code.as_str() == reason.code && (place == Place::NotStated || place == Place::Exactly(got.loc))
        };
        match left.iter().position(fits) {
            Some(index) => drop(left.remove(index)),
            None => wrong.push(format!("{field}: missing {}{}", reason.code, spell_place(place, reason.at.as_deref()))),
        }
    }
    for reason in left {
        wrong.push(format!("{field}: not expected: {}", spell_reason(reason)));
    }
}

fn spell_place(place: Place, at: Option<&str>) -> String {
    let text = at.map(|at| format!(" (`{at}`)")).unwrap_or_default();
    match place {
        Place::NotStated => String::new(),
        Place::Exactly(Some(loc)) => format!(" at {loc}{text}"),
        Place::Exactly(None) => " without a place".to_owned(),
    }
}

fn spell_reason(reason: &Reason) -> String {
    let place = reason.loc.map(|loc| format!(" at {loc}")).unwrap_or_default();
    format!("{}{place}: {}", reason.code, reason.message)
}

fn compare_params(wrong: &mut Vec<String>, expected: &[ExpectedParam], verdict: &Verdict) {
    let expected: Vec<_> = expected
        .iter()
        .map(|param| match &param.value {
            ExpectedValue::One(value) => (param.param, BindValue::One(value.clone()), param.ty.as_str()),
            ExpectedValue::Many(values) => (param.param, BindValue::Many(values.clone()), param.ty.as_str()),
        })
        .collect();
    let actual: Vec<_> = verdict.bind_params.iter().map(|param| (param.param, param.value.clone(), param.ty)).collect();
    differ(wrong, "bind_params", &expected, &actual);
}

/// What holds for every verdict, whatever the case says.
pub fn broken_promises(sql: &[u8], policy: &Policy, verdict: &Verdict) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut promise = |kept: bool, what: &str| {
        if !kept {
            wrong.push(format!("promise broken: {what}"));
        }
    };
    let shadow = policy.mode() == haltsql::Mode::Shadow;
    promise(verdict.allowed == (shadow || verdict.reasons.is_empty()), "allowed exactly when there is no reason");
    promise(
        if shadow { verdict.reasons.is_empty() } else { verdict.shadow_reasons.is_empty() },
        "reasons stand in their mode's list",
    );
    promise(verdict.allowed || verdict.bind_params.is_empty(), "no bind_params when denied");
    promise(verdict.bind_params.is_sorted_by(|a, b| a.param < b.param), "bind_params by ascending number, unique");
    promise(verdict.tables.is_sorted_by(|a, b| a < b), "tables sorted bytewise, unique");
    promise(verdict.columns.is_sorted_by(|a, b| a < b), "columns sorted bytewise, unique");
    promise(verdict.sql_sha256 == hex(&Sha256::digest(sql)), "sql_sha256 of the exact bytes");
    promise(
        verdict.policy.name == policy.name() && verdict.policy.version == policy.version(),
        "the policy that was asked",
    );
    promise(verdict.policy.search_path == policy.search_path(), "the policy's search_path");
    for reasons in [&verdict.reasons, &verdict.shadow_reasons] {
        let order = |reason: &Reason| (reason.loc, reason.code.as_str(), reason.message.clone());
        promise(reasons.is_sorted_by_key(order), "reasons sorted by place, code, message");
        promise(reasons.windows(2).all(|pair| pair[0] != pair[1]), "no reason twice");
        promise(reasons.iter().all(|reason| !reason.message.contains(char::is_control)), "messages of one line");
        promise(
            reasons.iter().all(|reason| reason.loc.is_none_or(|loc| loc as usize <= sql.len())),
            "places inside the text",
        );
        promise(reasons.iter().all(|reason| !reason.message.contains('\n')), "messages on one line");
    }
    wrong
}

/// A failed case, for a person to read.
pub fn report(case: &Case, sql: &[u8], verdict: &Verdict, wrong: &[String]) -> String {
    let mut text = format!("{}: {} [{}]\n", case.id, case.body.why, case.body.source);
    writeln!(text, "  policy {}, context {}", case.body.policy, case.body.context).unwrap();
    writeln!(text, "  sql    {}", String::from_utf8_lossy(sql)).unwrap();
    for line in wrong {
        writeln!(text, "  - {line}").unwrap();
    }
    for reason in verdict.reasons.iter().chain(&verdict.shadow_reasons) {
        writeln!(text, "  got {}", spell_reason(reason)).unwrap();
    }
    text
}
