//! Hints are true: what a hint says, done to the text without thinking, makes it allowed.
//!
//! Takes every denied case of the corpus whose reasons all have hints that can be followed mechanically, follows them, and
//! asks again, a few rounds: one repair can bring another reason into sight.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

#[allow(dead_code)]
#[path = "../conformance/case.rs"]
mod case;
#[allow(dead_code)]
#[path = "../conformance/corpus.rs"]
mod corpus;
mod edit;
mod tokens;

use std::collections::{BTreeMap, BTreeSet};

use haltsql::{Context, Policy, ReasonCode};

/// As many times a text is repaired and asked about again.
const ROUNDS: usize = 4;

/// Cases whose hints are true, but not to be followed by cutting and pasting.
const BY_HAND: &[(&str, &str)] = &[
    ("E_TENANT_MISSING/table-command", "TABLE takes no WHERE: it has to be written as SELECT"),
    ("E_TENANT_WRITE/insert-part", "the column is written in part: its name changes with its value"),
    ("E_TENANT_WRITE/update-several", "the value stands apart from the column's name"),
    ("E_TENANT_WRITE/update-several-query", "the value stands in a query"),
    ("E_UNQUALIFIED/write-later-schema", "the table is named now, and not open for writes"),
];

/// Codes whose hints can be followed mechanically, wherever they stand alone.
const MECHANICAL: &[ReasonCode] = &[
    ReasonCode::LimitMissing,
    ReasonCode::LimitExceeded,
    ReasonCode::TenantMissing,
    ReasonCode::TenantMismatch,
    ReasonCode::TenantLiteral,
    ReasonCode::ColumnAmbiguous,
    ReasonCode::ColumnDenied,
    ReasonCode::Unqualified,
    ReasonCode::Star,
    ReasonCode::Locking,
    ReasonCode::SelectInto,
    ReasonCode::CollationDenied,
    ReasonCode::OperatorDenied,
    ReasonCode::ParamConflict,
    ReasonCode::ParamUnbound,
    ReasonCode::MultiStatement,
    ReasonCode::TooComplex,
    ReasonCode::TenantWrite,
    ReasonCode::WriteShape,
];

#[test]
fn a_text_repaired_as_its_hints_say_is_allowed() {
    let policies: BTreeMap<String, Policy> =
        corpus::policy_files().into_iter().map(|(name, text)| (name, Policy::from_yaml(&text).unwrap())).collect();
    let by_hand: BTreeMap<&str, &str> = BY_HAND.iter().copied().collect();
    let (mut repaired, mut failures, mut used) = (BTreeSet::new(), Vec::new(), BTreeSet::new());
    let mut count = 0;
    for case in corpus::load() {
        let Ok(sql) = String::from_utf8(case.sql()) else { continue };
        let context = Context::from_json(&case.body.context.to_string()).unwrap();
        let outcome = repair(&policies[&case.body.policy], &context, sql);
        match outcome {
            Outcome::Allowed(codes) => {
                count += 1;
                repaired.extend(codes);
            }
            Outcome::Other => {}
            Outcome::Denied(_) if by_hand.contains_key(&*case.id) => {
                used.insert(case.id.clone());
            }
            Outcome::Denied(report) => failures.push(format!("{}\n{report}", case.id)),
        }
    }
    assert!(failures.is_empty(), "{}\n{} texts are not allowed, {count} are", failures.join("\n"), failures.len());
    let never: Vec<_> = MECHANICAL.iter().filter(|code| !repaired.contains(*code)).collect();
    assert!(never.is_empty(), "no text was repaired that was denied for {never:?}");
    let stale: Vec<_> = by_hand.keys().filter(|id| !used.contains(**id)).collect();
    assert!(stale.is_empty(), "these can be repaired by now: {stale:?}");
    println!("{count} texts were repaired as their hints say, and are allowed");
}

enum Outcome {
    /// After repairs for these codes.
    Allowed(BTreeSet<ReasonCode>),
    /// Allowed as it was, or in need of an author.
    Other,
    Denied(String),
}

fn repair(policy: &Policy, context: &Context, sql: String) -> Outcome {
    let (mut codes, mut sql, mut story) = (BTreeSet::new(), sql, String::new());
    for _ in 0..ROUNDS {
        let verdict = policy.check(sql.as_bytes(), context);
        let reasons = if verdict.reasons.is_empty() { verdict.shadow_reasons } else { verdict.reasons };
        if reasons.is_empty() {
            return if codes.is_empty() { Outcome::Other } else { Outcome::Allowed(codes) };
        }
        story += &format!("  {sql}\n");
        for reason in &reasons {
            story += &format!("    {} at {:?}: {:?}\n", reason.code, reason.loc, reason.hint);
        }
        if reasons.iter().any(|reason| !MECHANICAL.contains(&reason.code)) {
            // The first of several statements is judged by itself, once it is sent alone.
            let alone = codes.iter().all(|code| *code == ReasonCode::MultiStatement);
            return if alone { Outcome::Other } else { Outcome::Denied(story) };
        }
        let tokens = tokens::Tokens::new(&sql);
        let mut edits = Vec::new();
        for reason in &reasons {
            match edit::edits(&tokens, reason) {
                Some(more) => edits.extend(more),
                None if codes.is_empty() => return Outcome::Other,
                None => return Outcome::Denied(story),
            }
        }
        codes.extend(reasons.iter().map(|reason| reason.code));
        sql = edit::apply(&sql, edits);
    }
    Outcome::Denied(story)
}
