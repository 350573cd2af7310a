//! A verdict against what a case states.

use std::fmt::Debug;

use haltsql::{BindValue, Reason, Verdict};

use super::case::{Expect, ExpectedParam, ExpectedReason, ExpectedValue, Place};

/// What differs, one line each.
pub fn differences(expect: &Expect, sql: &[u8], verdict: &Verdict) -> Vec<String> {
    let Expect {
        allowed,
        reasons,
        shadow_reasons,
        codes_include,
        codes_any,
        statement_kind,
        tables,
        columns,
        bind_params,
    } = expect;
    let mut wrong = Vec::new();
    differ(&mut wrong, "allowed", allowed, &verdict.allowed);
    for (field, expected, actual) in
        [("reasons", reasons, &verdict.reasons), ("shadow_reasons", shadow_reasons, &verdict.shadow_reasons)]
    {
        if let Some(expected) = expected {
            compare_reasons(&mut wrong, field, expected, sql, actual);
        }
    }
    let has = |code: &String| verdict.reasons.iter().any(|reason| reason.code.as_str() == code);
    for code in codes_include.iter().flatten().filter(|code| !has(code)) {
        wrong.push(format!("reasons: {code} is not among them"));
    }
    if let Some(codes) = codes_any
        && !codes.iter().any(has)
    {
        wrong.push(format!("reasons: none of {} is among them", codes.join(", ")));
    }
    if let Some(kind) = statement_kind {
        differ(&mut wrong, "statement_kind", &kind.as_deref(), &verdict.statement_kind.map(|kind| kind.as_str()));
    }
    for (field, expected, actual) in [("tables", tables, &verdict.tables), ("columns", columns, &verdict.columns)] {
        if let Some(expected) = expected {
            differ(&mut wrong, field, expected, actual);
        }
    }
    if let Some(params) = bind_params {
        let expected: Vec<_> = params.iter().map(param).collect();
        let actual: Vec<_> = verdict.bind_params.iter().map(|own| (own.param, own.value.clone(), own.ty)).collect();
        differ(&mut wrong, "bind_params", &expected, &actual);
    }
    // Why it was denied is what a person looks for first.
    if *allowed && !verdict.allowed {
        wrong.extend(verdict.reasons.iter().map(|reason| format!("reasons: {}", spell(reason))));
    }
    wrong
}

fn param(expected: &ExpectedParam) -> (u32, BindValue, &str) {
    let value = match &expected.value {
        ExpectedValue::One(value) => BindValue::One(value.clone()),
        ExpectedValue::Many(values) => BindValue::Many(values.clone()),
    };
    (expected.param, value, &expected.ty)
}

fn differ<T: PartialEq + Debug>(wrong: &mut Vec<String>, field: &str, expected: &T, actual: &T) {
    if expected != actual {
        wrong.push(format!("{field}: expected {expected:?}, got {actual:?}"));
    }
}

/// Pairs each expected reason with one of the same code and, where it is stated, the same place. Those with a place choose first.
fn compare_reasons(wrong: &mut Vec<String>, field: &str, expected: &[ExpectedReason], sql: &[u8], actual: &[Reason]) {
    let mut left: Vec<&Reason> = actual.iter().collect();
    let mut wanted: Vec<(&str, Place)> = Vec::with_capacity(expected.len());
    for reason in expected {
        match reason.place(sql) {
            Ok(place) => wanted.push((&reason.code, place)),
            Err(problem) => wrong.push(problem),
        }
    }
    wanted.sort_by_key(|(_, place)| *place == Place::NotStated);
    for (code, place) in wanted {
        let fits = |got: &&Reason| {
            got.code.as_str() == code && (place == Place::NotStated || place == Place::Exactly(got.loc))
        };
        match left.iter().position(fits) {
            Some(index) => drop(left.remove(index)),
            None => {
                let place = match place {
                    Place::NotStated => String::new(),
                    Place::Exactly(Some(loc)) => format!(" at byte {loc}"),
                    Place::Exactly(None) => " without a place".to_owned(),
                };
                wrong.push(format!("{field}: missing {code}{place}"));
            }
        }
    }
    wrong.extend(left.into_iter().map(|reason| format!("{field}: not expected: {}", spell(reason))));
}

fn spell(reason: &Reason) -> String {
    let place = reason.loc.map(|loc| format!(" at byte {loc}")).unwrap_or_default();
    format!("{}{place}: {}", reason.code, reason.message)
}
