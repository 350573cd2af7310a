//! One verdict whatever the caller's stack, up to each bound and past it.

use super::super::{Parsed, Refusal, parse_source};
use crate::reason::ReasonCode;
use crate::text::tests::sample::{Dice, ORDINARY, SHAPES, Shape, limits, on_stack};
use crate::text::{Source, StackError, run_with_stack};
use proptest::prelude::*;

/// More than any text here has.
const MAX_BYTES: u64 = 64 << 20;

/// What a check would tell of a text: everything that the parser gives, after a walk over the whole tree that is greedy
/// for stack, the tree dropped where it was made.
fn outcome(sql: &[u8]) -> String {
    let source = match Source::new(sql, &limits(MAX_BYTES)) {
        Ok(source) => source,
        Err(reason) => return format!("{reason:?}"),
    };
    let work = || match parse_source(&source) {
        Ok(Parsed { statement, fingerprint }) => {
            let walked = if sql.len() < 40_000 { format!("{statement:?}").len() } else { 0 };
            format!("{fingerprint} {walked}")
        }
        Err(Refusal { reasons, fingerprint }) => format!("{reasons:?} {fingerprint:?}"),
    };
    run_with_stack(&source, work).unwrap()
}

fn same_on_both(sql: &[u8]) -> String {
    let (small, large) = (on_stack(256, || outcome(sql)), on_stack(8 * 1024, || outcome(sql)));
    assert_eq!(small, large);
    small
}

/// The largest `n` for which the text is not refused for its nesting before it is parsed, if there is one.
fn bound(shape: Shape) -> Option<usize> {
    let fits = |n: usize| Source::new(shape(n).as_bytes(), &limits(MAX_BYTES)).is_ok();
    let (mut low, mut high) = (1, 20_000);
    if fits(high) {
        return None;
    }
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if fits(middle) { low = middle } else { high = middle }
    }
    Some(low)
}

#[test]
fn every_shape_has_one_outcome_up_to_its_bound_and_past_it() {
    for (name, shape) in SHAPES {
        let at_bound = bound(*shape);
        if let Some(n) = at_bound {
            let fine = same_on_both(shape(n).as_bytes());
            assert!(!fine.contains("code:"), "{name} {n}: {fine}");
            let refused = same_on_both(shape(n + 1).as_bytes());
            assert!(refused.contains("TooComplex"), "{name} {}: {refused}", n + 1);
        }
        for n in [1, 5, 10, 15, 20, 30, 47, 48, 60, 100, 300] {
            let fine = same_on_both(shape(n.min(at_bound.unwrap_or(n))).as_bytes());
            assert!(!fine.contains("code:"), "{name} {n}: {fine}");
        }
    }
}

#[test]
fn the_deepest_inline_text_of_every_shape_fits_a_small_stack() {
    for (name, shape) in SHAPES {
        let inline =
            |n: &usize| Source::new(shape(*n).as_bytes(), &limits(MAX_BYTES)).is_ok_and(|source| source.inline());
        let deepest = (1..200).take_while(inline).last().unwrap_or_else(|| panic!("{name} never runs inline"));
        // Beside the check's own needs the caller has some of the stack in use: 64 of the 256 KiB here.
        on_stack(192, || outcome(shape(deepest).as_bytes()));
    }
}

#[test]
fn harmless_texts_pass() {
    let chain = |term: &str, between: &str, n: usize| format!("SELECT {} FROM t", vec![term; n].join(between));
    let case: String = (0..1_000).map(|i| format!(" WHEN a = {i} OR b = {i} THEN a + {i} * 2")).collect();
    let joins: String = (0..100).map(|i| format!(" JOIN t t{i} ON t{i}.a = t.a AND t{i}.b = t.b + 1")).collect();
    let union = vec!["SELECT a, b + 1 * 2 FROM t JOIN u ON t.a = u.a WHERE a = 1"; 500].join(" UNION ALL ");
    for sql in [
        chain("1", " + ", 3_000),
        chain("a", " || ", 3_000),
        chain("a = 1 + 1", " AND ", 10_000),
        chain("a = 1 + 1", " OR ", 10_000),
        format!("SELECT 1 FROM t WHERE a IN ({})", vec!["'x'"; 10_000].join(", ")),
        format!("VALUES {}", vec!["(1, 2 + 3)"; 10_000].join(", ")),
        format!("SELECT CASE{case} ELSE 0 END FROM t"),
        format!("SELECT 1 FROM t{joins}"),
        union,
        format!("SELECT a{}", "::text".repeat(3_000)),
        format!("SELECT {}1{}", "(".repeat(1_000), ")".repeat(1_000)),
        format!("SELECT '{}'", "x".repeat(5_000_000)),
        format!("SELECT 1 FROM t WHERE a IN ({})", vec!["'0123456789'"; 300_000].join(",")),
    ] {
        let outcome = same_on_both(sql.as_bytes());
        assert!(!outcome.contains("code:"), "{} bytes: {outcome}", sql.len());
    }
}

#[test]
fn too_complex_points_at_what_passes_the_limit() {
    let brackets = |n: usize| format!("SELECT {}1{}", "(".repeat(n), ")".repeat(n));
    let reason = Source::new(brackets(1_001).as_bytes(), &limits(MAX_BYTES)).unwrap_err();
    assert_eq!((reason.code, reason.loc), (ReasonCode::TooComplex, Some(7 + 1_000)));
    // The loc of a chain is one of its operators.
    let sums = format!("SELECT {}", vec!["1"; 10_000].join("+"));
    let reason = Source::new(sums.as_bytes(), &limits(MAX_BYTES)).unwrap_err();
    let at = usize::try_from(reason.loc.unwrap()).unwrap();
    assert_eq!(sums.as_bytes()[at], b'+');
}

#[test]
fn what_the_grammar_cannot_hold_is_too_complex_and_not_bad_sql() {
    // More than ten of the grammar's symbols wait in each bracket: its stack of 10,000 ends before a thousand brackets.
    let open =
        "WITH a AS (SELECT 1) SELECT 1 FROM t WHERE a GROUP BY a HAVING a WINDOW v AS (), w AS (PARTITION BY a, (";
    let sql = format!("{}SELECT 1{}", open.repeat(490), "))".repeat(490));
    let outcome = same_on_both(sql.as_bytes());
    assert!(outcome.contains("TooComplex"), "{outcome}");
}

#[test]
fn what_the_scanner_would_read_again_and_again_is_too_complex() {
    for part in ["+", "+-", "/*", "/**/", "@/**/", "+/*/**/*/"] {
        for separator in ["", "1,"] {
            let sql = format!("SELECT {}1", format!("{}{separator}", part.repeat(2_000)).repeat(5));
            assert!(same_on_both(sql.as_bytes()).contains("TooComplex"), "{part}{separator}");
        }
    }
    let banner = format!("-- {0}\n/*{0}*/ SELECT 1 /* {1} */", "-".repeat(300), "*".repeat(5_000));
    assert!(!same_on_both(banner.as_bytes()).contains("code:"));
}

#[test]
fn a_panic_on_the_large_stack_is_an_error_of_the_call() {
    let sql = format!("SELECT {}", vec!["1"; 1_000].join("+"));
    let limits = limits(MAX_BYTES);
    let source = Source::new(sql.as_bytes(), &limits).unwrap();
    assert!(!source.inline());
    let panicked = run_with_stack(&source, || -> usize { panic!("for the test") });
    assert!(matches!(panicked, Err(StackError::Panicked)));
    assert_eq!(run_with_stack(&source, || 1).unwrap(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_texts_have_one_outcome(seed: u64) {
        let mut dice = Dice::new(seed);
        let text = match dice.below(3) {
            0 => dice.pick(ORDINARY).to_owned(),
            1 => {
                let n = 1 + dice.below(60);
                dice.pick(SHAPES).1(n)
            }
            _ => dice.query(6),
        };
        same_on_both(dice.mutated(&text).as_bytes());
    }

    #[test]
    fn any_bytes_have_one_outcome(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        same_on_both(&bytes);
    }

    #[test]
    fn any_characters_have_one_outcome(text in "\\PC{0,80}") {
        same_on_both(text.as_bytes());
    }
}
