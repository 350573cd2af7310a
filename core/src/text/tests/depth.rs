//! The bound on nesting is never below the tree that the parser makes.

use super::sample::{Dice, ORDINARY, SHAPES, on_stack};
use crate::text::depth::{MAX_INLINE_UNITS, measure};
use proptest::prelude::*;

/// How many messages of the tree stand inside each other: in its debug form each is a pair of braces.
fn messages(sql: &str) -> Option<u64> {
    let tree = format!("{:?}", pg_query::parse(sql, 0).ok()?.protobuf);
    let (mut depth, mut deepest, mut quoted, mut escaped) = (0_u64, 0, false, false);
    for byte in tree.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => quoted = !quoted,
            b'{' if !quoted => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' if !quoted => depth -= 1,
            _ => {}
        }
    }
    Some(deepest)
}

/// What the innermost expression may add to what the bound counts: a constant, a type's name, a column's.
const LEAF: u64 = 8;

fn check(sql: &str) -> bool {
    let Some(messages) = messages(sql) else { return false };
    let depth = measure(sql);
    assert!(!depth.sure || depth.units + LEAF >= messages, "{} < {messages}: {sql}", depth.units);
    true
}

#[test]
fn every_shape_is_bounded() {
    for (name, shape) in SHAPES {
        for n in [1, 2, 3, 10, 60] {
            assert!(check(&shape(n)), "{name} {n} does not parse: {}", shape(n));
        }
    }
}

#[test]
fn every_shape_within_every_shape_is_bounded() {
    let inner = |shape: fn(usize) -> String| format!("({})", shape(6));
    let parsed = on_stack(65_536, || {
        let pairs = SHAPES.iter().flat_map(|(_, outer)| SHAPES.iter().map(move |(_, shape)| (outer, shape)));
        pairs
            .flat_map(|(outer, shape)| {
                [outer(5).replace("1", &inner(*shape)), outer(5).replace(" a", &format!(" {}", inner(*shape)))]
            })
            .filter(|text| text.len() < 4_000 && check(text))
            .count()
    });
    assert!(parsed > SHAPES.len() * SHAPES.len() / 2, "{parsed}");
}

#[test]
fn ordinary_queries_stay_on_the_callers_stack() {
    for sql in ORDINARY {
        assert!(check(sql));
        let depth = measure(sql);
        assert!(depth.inline(), "{} of {MAX_INLINE_UNITS}: {sql}", depth.units);
    }
}

#[test]
fn words_that_are_labels_open_and_close_nothing() {
    for (sql, sure) in [
        ("SELECT a.case, a.end, a.case + 1 FROM t", true),
        ("SELECT 1 AS case, 2 AS end", true),
        ("SELECT CASE WHEN a.case THEN a.end END + 1", true),
        ("SELECT a case, b FROM t", false),
        ("SELECT (SELECT a case) + 1", false),
        ("SELECT CASE WHEN a THEN 1 END end FROM t", true),
    ] {
        assert_eq!(measure(sql).sure, sure, "{sql}");
        assert!(check(sql), "{sql}");
    }
}

#[test]
fn lists_add_nothing() {
    let list = |n: usize| format!("SELECT a IN ({}) AND b = 1", vec!["1 + 1"; n].join(", "));
    assert_eq!(measure(&list(2)).units, measure(&list(10_000)).units);
    let terms = |n: usize| format!("SELECT {}", vec!["a = 1"; n].join(" AND "));
    assert_eq!(measure(&terms(2)).units, measure(&terms(10_000)).units);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_queries_are_bounded(seed: u64) {
        let mut dice = Dice::new(seed);
        let depth = 1 + dice.below(5);
        let query = dice.query(depth);
        check(&query);
        check(&dice.mutated(&query));
    }
}
