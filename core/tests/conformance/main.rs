//! The conformance corpus against the library: every case of `conformance/cases/`, and the corpus itself.
//!
//! A case states what is true whatever the implementation says: its expectations are written by hand or come from a
//! PostgreSQL server, never from this project's own output. The contract stands in `conformance/README.md`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod case;
mod compare;
mod constructs;
mod corpus;
mod self_test;

use std::collections::BTreeMap;

use haltsql::{Context, Policy, ReasonCode, Verdict};

/// The code that nothing but a bug raises.
const RAISED_BY_BUGS: &[ReasonCode] = &[ReasonCode::Internal];

fn load_policies() -> BTreeMap<String, Policy> {
    corpus::policy_files()
        .into_iter()
        .map(|(name, text)| match Policy::from_yaml(&text) {
            Ok(policy) => (name, policy),
            Err(error) => panic!("policy {name} does not load: {error:?}"),
        })
        .collect()
}

fn without_time(mut verdict: Verdict) -> Verdict {
    verdict.elapsed_us = 0;
    verdict
}

#[test]
fn every_case_comes_out_as_stated() {
    let policies = load_policies();
    let cases = corpus::load();
    assert!(!cases.is_empty(), "no case ran: the corpus is not where it should be");
    let mut failures = Vec::new();
    for case in &cases {
        let policy =
            policies.get(&case.body.policy).unwrap_or_else(|| panic!("{}: no policy {}", case.id, case.body.policy));
        let context =
            Context::from_json(&case.body.context.to_string()).unwrap_or_else(|e| panic!("{}: {e:?}", case.id));
        let sql = case.sql();
        let verdict = policy.check(&sql, &context);
        let mut wrong = compare::differences(&case.body.expect, &sql, &verdict);
        wrong.extend(compare::broken_promises(&sql, policy, &verdict));
        if without_time(policy.check(&sql, &context)) != without_time(verdict.clone()) {
            wrong.push("a second check gave another verdict".to_owned());
        }
        if !wrong.is_empty() {
            failures.push(compare::report(case, &sql, &verdict, &wrong));
        }
    }
    let failed = failures.len();
    assert!(failures.is_empty(), "\n{}\n{failed} of {} cases failed", failures.join("\n"), cases.len());
}

#[test]
fn every_code_has_two_cases() {
    let cases = corpus::load();
    let mut count: BTreeMap<&str, usize> = ReasonCode::ALL.iter().map(|code| (code.as_str(), 0)).collect();
    for case in &cases {
        for code in case.body.expect.codes() {
            *count.get_mut(code).unwrap_or_else(|| panic!("{}: no such code: {code}", case.id)) += 1;
        }
    }
    let few: Vec<_> = ReasonCode::ALL
        .iter()
        .filter(|code| !RAISED_BY_BUGS.contains(code) && count[code.as_str()] < 2)
        .map(|code| format!("{code}: {}", count[code.as_str()]))
        .collect();
    assert!(few.is_empty(), "codes with fewer than two cases: {few:?}");
}

#[test]
fn a_folder_named_like_a_code_holds_cases_of_that_code() {
    for case in corpus::load() {
        let folder = case.id.split('/').next().unwrap_or_default();
        if folder.starts_with("E_") {
            assert!(folder.parse::<ReasonCode>().is_ok(), "{}: no such code", case.id);
            assert!(case.body.expect.codes().any(|code| code == folder), "{}: does not expect {folder}", case.id);
        }
    }
}

#[test]
fn no_case_contradicts_itself() {
    for case in corpus::load() {
        let sql = case.sql();
        if let Err(problem) = case.body.expect.check(&sql) {
            panic!("{}: {problem}", case.id);
        }
    }
}

#[test]
fn no_two_cases_ask_the_same() {
    let mut seen = BTreeMap::new();
    for case in corpus::load() {
        let question = (case.body.policy.clone(), case.body.context.to_string(), case.sql());
        if let Some(other) = seen.insert(question, case.id.clone()) {
            panic!("{} asks what {other} asks", case.id);
        }
    }
}

#[test]
fn the_manifest_tells_what_is_there() {
    assert_eq!(corpus::stated_manifest(), corpus::computed_manifest(), "run scripts/conformance/manifest");
}
