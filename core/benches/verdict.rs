//! What a verdict costs, piece by piece, for everyday queries: the parser alone (the floor), the verdict, its JSON.
//! Reports times and promises nothing: the bounds are in `bounds.rs`.
#![allow(missing_docs, clippy::expect_used)]

mod shapes;

use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

/// The index of an everyday query.
const QUERIES: [usize; 3] = [0, 1, 2];

fn sql(query: usize) -> &'static str {
    shapes::EVERYDAY.get(query).expect("an everyday query").1
}

#[divan::bench(args = QUERIES)]
fn floor(bencher: Bencher<'_, '_>, query: usize) {
    let sql = sql(query);
    bencher.bench_local(|| shapes::floor(black_box(sql)));
}

#[divan::bench(args = QUERIES)]
fn check(bencher: Bencher<'_, '_>, query: usize) {
    let (policy, context, sql) = (shapes::policy(), shapes::context(), sql(query));
    bencher.bench_local(|| policy.check(black_box(sql.as_bytes()), &context));
}

#[divan::bench(args = QUERIES)]
fn check_and_json(bencher: Bencher<'_, '_>, query: usize) {
    let (policy, context, sql) = (shapes::policy(), shapes::context(), sql(query));
    bencher.bench_local(|| policy.check(black_box(sql.as_bytes()), &context).to_json());
}
