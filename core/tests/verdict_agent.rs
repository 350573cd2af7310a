//! The rendering for a language model: marked places, excerpts of long texts, and what must not be in it.

#![allow(clippy::unwrap_used)]

mod verdict_samples;

use haltsql::ReasonCode;
use verdict_samples::{allowed, denied, reason};

#[test]
fn an_allowed_statement_names_what_is_bound_without_the_values() {
    assert_eq!(
        allowed().for_agent("SELECT 1"),
        "allowed: run this statement exactly as it is written; the caller binds $1 (text), $2 (integer[])\n"
    );
}

#[test]
fn reasons_stand_under_the_statement_with_their_places_marked() {
    let sql = "SELECT c.ssn\nFROM customers c";
    let verdict = denied(vec![
        reason(ReasonCode::ContextMissing, None, "no value for `tenant_id`", None),
        reason(ReasonCode::ColumnDenied, Some(7), "`c.ssn` is not readable", Some("leave `c.ssn` out")),
        reason(ReasonCode::TenantMissing, Some(18), "`c` is not held", Some("add `c.tenant_id = $1` to WHERE")),
        reason(ReasonCode::Unqualified, Some(18), "`customers` has no schema", None),
    ]);
    assert_eq!(
        verdict.for_agent(sql),
        concat!(
            "denied: this statement was not run; mend every point and send it again\n",
            "\n",
            "SELECT ⟦2⟧c.ssn\nFROM ⟦3,4⟧customers c\n",
            "\n",
            "1. E_CONTEXT_MISSING: no value for `tenant_id`\n",
            "2. E_COLUMN_DENIED: `c.ssn` is not readable\n",
            "   fix: leave `c.ssn` out\n",
            "3. E_TENANT_MISSING: `c` is not held\n",
            "   fix: add `c.tenant_id = $1` to WHERE\n",
            "4. E_UNQUALIFIED: `customers` has no schema\n",
        )
    );
}

#[test]
fn nothing_of_the_policy_or_of_the_callers_values_is_shown() {
    let verdict = denied(vec![reason(ReasonCode::Star, Some(7), "m", None)]);
    for text in [allowed().for_agent("SELECT *"), verdict.for_agent("SELECT *")] {
        for secret in ["analytics-agent", "sha256", "9f86d081", "We\"ird", "acme", "customers", "d9e3c54f"] {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
    }
}

#[test]
fn places_at_the_end_past_it_and_inside_a_character_are_marked_without_a_panic() {
    let at = |loc| denied(vec![reason(ReasonCode::Parse, Some(loc), "m", None)]).for_agent("é漢");
    assert!(at(5).contains("\né漢⟦1⟧\n"));
    assert!(at(99).contains("\né漢⟦1⟧\n"));
    assert!(at(3).contains("\né⟦1⟧漢\n"));
    assert!(at(0).contains("\n⟦1⟧é漢\n"));
    assert!(denied(vec![reason(ReasonCode::Parse, Some(0), "m", None)]).for_agent("").contains("\n⟦1⟧\n"));
}

#[test]
fn brackets_of_the_statement_itself_are_not_taken_for_marks() {
    let text = denied(vec![reason(ReasonCode::Parse, Some(7), "m", None)]).for_agent("SELECT '⟦9⟧'");
    assert!(text.contains("\nSELECT ⟦⟦1⟧⟧'⟦9⟧'\n"), "{text}");
}

#[test]
fn a_long_statement_is_cut_down_to_the_marked_places() {
    let sql = format!("SELECT {} bad, {} worse FROM t", "x, ".repeat(3000), "é, ".repeat(3000));
    let bad = u32::try_from(sql.find("bad").unwrap()).unwrap();
    let worse = u32::try_from(sql.find("worse").unwrap()).unwrap();
    let near = bad + 5;
    let verdict = denied(vec![
        reason(ReasonCode::ColumnDenied, Some(bad), "m", None),
        reason(ReasonCode::ColumnDenied, Some(near), "m", None),
        reason(ReasonCode::ColumnDenied, Some(worse), "m", None),
    ]);
    let text = verdict.for_agent(&sql);
    assert!(text.len() < 1000, "{}", text.len());
    assert!(text.contains("x,  ⟦1⟧bad, ⟦2⟧é, é"), "{text}");
    assert!(text.contains("é,  ⟦3⟧worse FROM t\n"), "{text}");
    assert_eq!(text.matches('…').count(), 2, "before the first place and between the clusters: {text}");
    let early = denied(vec![reason(ReasonCode::ColumnDenied, Some(7), "m", None)]).for_agent(&sql);
    assert!(early.contains("\nSELECT ⟦1⟧x, "), "{early}");
    assert!(early.contains(" …\n"), "{early}");
}

#[test]
fn very_many_reasons_are_counted_by_code() {
    let mut reasons = vec![reason(ReasonCode::FunctionDenied, Some(0), "m", None); 45];
    reasons.extend(vec![reason(ReasonCode::TableDenied, Some(1), "m", None); 2]);
    let text = denied(reasons).for_agent("ab");
    assert!(
        text.ends_with("40. E_FUNCTION_DENIED: m\nand 7 more: 5 × E_FUNCTION_DENIED, 2 × E_TABLE_DENIED\n"),
        "{text}"
    );
}
