//! One verdict on every stack: the whole check, byte for byte the same on 256 KiB and on 8 MiB, for texts that nest in the
//! parser, in the resolver and in the calculus. A stack overflow would end this process.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../benches/shapes/mod.rs"]
mod shapes;

use haltsql::{Context, Policy};
use shapes::{HOSTILE, Shape, WRITES};

const SMALL: usize = 256 * 1024;
const LARGE: usize = 8 * 1024 * 1024;

/// The verdict as JSON, without the one part that differs from run to run.
fn verdict(policy: &Policy, context: &Context, sql: &str) -> String {
    let json = policy.check(sql.as_bytes(), context).to_json();
    json.split_once(",\"elapsed_us\":").unwrap().0.to_owned()
}

fn on_stack<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        std::thread::Builder::new().stack_size(bytes).spawn_scoped(scope, work).unwrap().join().unwrap()
    })
}

/// Judges texts on both stacks; each must come out alike, and never by a failure of the verifier.
fn same_on_both(policy: &Policy, texts: impl Fn() -> Vec<(String, String)> + Sync) {
    let context = shapes::context();
    let judge = || texts().iter().map(|(what, sql)| (what.clone(), verdict(policy, &context, sql))).collect::<Vec<_>>();
    let small = on_stack(SMALL, judge);
    let large = on_stack(LARGE, judge);
    assert!(!small.is_empty());
    for ((what, small), (_, large)) in small.iter().zip(&large) {
        assert!(!small.contains("E_INTERNAL"), "{what}: {small}");
        assert!(small == large, "{what}: {small}\n{large}");
    }
}

fn counted((name, shape): &Shape, counts: &[usize]) -> Vec<(String, String)> {
    counts.iter().map(|count| (format!("{name}, {count}"), shape(*count))).collect()
}

/// Counts around the threshold below which a text is judged on the caller's own stack.
const FEW: [usize; 22] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 18, 20, 22, 24, 28, 32, 40, 47];

#[test]
fn every_shape_comes_out_alike_around_the_threshold() {
    let texts = || {
        HOSTILE
            .iter()
            .chain(WRITES)
            .flat_map(|shape| counted(shape, &FEW))
            .filter(|(_, sql)| sql.len() < 16_000)
            .collect()
    };
    same_on_both(&shapes::policy(), texts);
    same_on_both(&shapes::wide_policy(), texts);
}

#[test]
fn every_shape_comes_out_alike_where_it_is_large() {
    for (policy, bytes) in [(shapes::policy(), 4_000), (shapes::wide_policy(), 64_000)] {
        let texts = || {
            let of_bytes = |(name, shape): &Shape| (format!("{name}, {bytes} bytes"), shapes::of_bytes(*shape, bytes));
            HOSTILE.iter().map(of_bytes).collect()
        };
        same_on_both(&policy, texts);
    }
}

#[test]
fn flat_texts_of_a_megabyte_come_out_alike() {
    let flat =
        ["CTE chain", "CTE chain, unproven", "CTEs in forward order", "WITH in WITH", "long VALUES", "IN list of rows"];
    let chosen: Vec<&Shape> = HOSTILE.iter().filter(|(name, _)| flat.contains(name)).collect();
    assert_eq!(chosen.len(), flat.len());
    same_on_both(&shapes::wide_policy(), || {
        chosen.iter().map(|(name, shape)| ((*name).to_owned(), shapes::of_bytes(*shape, 1 << 20))).collect()
    });
}

#[test]
fn depth_that_the_policy_allows_is_judged_and_not_refused() {
    // Within limits raised far enough, the deepest of these are still whole verdicts.
    let policy = shapes::wide_policy();
    let context = shapes::context();
    for name in ["EXISTS nested", "derived tables nested", "AND and OR nested", "CTE chain", "CTEs in forward order"] {
        let shape = HOSTILE.iter().find(|(own, _)| *own == name).unwrap().1;
        let json = on_stack(SMALL, || verdict(&policy, &context, &shape(150)));
        assert!(json.starts_with("{\"allowed\":true"), "{name}: {json}");
    }
}
