//! The bounds on what a verdict costs: measured, printed, and exit code 1 where one is missed.
//!
//! Everything is compared at the median of many samples, and the samples of what is compared take turns, so that whatever
//! else the machine does falls on both.
#![allow(missing_docs, clippy::print_stdout, clippy::expect_used)]

mod shapes;

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use haltsql::{Context, Policy};
use shapes::{EVERYDAY, HOSTILE, LINEAR, Shape, WRITES};

/// A verdict, over the parser and the fingerprint alone.
const MAX_RATIO: f64 = 1.25;
/// A bound is missed when it is missed so many times in a row: a median can't help against a machine that is busy for
/// longer than one measurement takes.
const ATTEMPTS: usize = 3;
/// How often an everyday query is measured.
const SAMPLES: usize = 5001;
/// What twice the size may cost.
const MAX_DOUBLING: f64 = 2.3;
/// Milliseconds per KiB of any text.
const MAX_PER_KIB: f64 = 5.0;
/// Below this, the parts of a cost that don't grow hide the rest; doubling is compared above it.
const SETTLED: Duration = Duration::from_micros(100);

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1).filter(|arg| !arg.starts_with('-'));
    let (only, shapes) = (args.next(), args.next().unwrap_or_default());
    let wanted = |part: &str| only.as_ref().is_none_or(|only| only == part);
    let context = shapes::context();
    let (mut missed, mut rows) = (Vec::new(), Vec::new());
    if wanted("floor") {
        floor(&context, &mut missed, &mut rows);
    }
    if wanted("growth") {
        growth(&context, &mut missed, &mut rows);
    }
    if wanted("hostile") {
        rows.push(hostile(&context, &shapes, &mut missed));
    }
    println!();
    for row in &rows {
        println!("{row}");
    }
    for bound in &missed {
        println!("missed: {bound}");
    }
    if missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The everyday queries, against parse and fingerprint of the same text.
fn floor(context: &Context, missed: &mut Vec<String>, rows: &mut Vec<String>) {
    println!("\nA verdict over `parse` + `fingerprint` of the same text (at most {MAX_RATIO})\n");
    println!(
        "{:<14} {:>10} {:>10} {:>12} {:>7} {:>12}",
        "query", "floor", "check", "and to_json", "ratio", "with to_json"
    );
    let policy = shapes::policy();
    for (name, sql) in EVERYDAY {
        let verdict = policy.check(sql.as_bytes(), context);
        assert!(verdict.allowed, "{name}: {:?}", verdict.reasons);
        let measure = || {
            medians(
                SAMPLES,
                [
                    &mut || drop(black_box(shapes::floor(black_box(sql)))),
                    &mut || drop(black_box(policy.check(black_box(sql.as_bytes()), context))),
                    &mut || drop(black_box(policy.check(black_box(sql.as_bytes()), context).to_json())),
                ],
            )
        };
        let [floor, check, json] = within(MAX_RATIO, measure, |[floor, check, _]| over(*check, *floor));
        let (ratio, with_json) = (over(check, floor), over(json, floor));
        println!("{name:<14} {floor:>10.1?} {check:>10.1?} {json:>12.1?} {ratio:>7.3} {with_json:>12.3}");
        rows.push(format!("| check: {name} | {check:.1?} | {floor:.1?} | {ratio:.3} |"));
        rows.push(format!("| check and JSON: {name} | {json:.1?} | {floor:.1?} | {with_json:.3} |"));
        if ratio > MAX_RATIO {
            missed.push(format!("{name}: a verdict costs {ratio:.3} times the floor, more than {MAX_RATIO}"));
        }
    }
}

/// Each linear shape, doubled from its smallest to its largest size.
fn growth(context: &Context, missed: &mut Vec<String>, rows: &mut Vec<String>) {
    println!("\nWhat twice the size costs (at most {MAX_DOUBLING} times)\n");
    let policy = shapes::wide_policy();
    for ((name, shape), least, most) in LINEAR {
        let mut line = format!("{name:<10}");
        let mut count = least;
        let mut worst: f64 = 0.0;
        while count * 2 <= most.next_power_of_two().max(most) {
            let larger = (count * 2).min(most);
            let (once, twice) = (shape(count), shape(larger));
            let verdict = policy.check(twice.as_bytes(), context);
            assert!(verdict.allowed, "{name}, {larger}: {:?}", verdict.reasons);
            let samples = samples_for(&policy, context, &twice, 301);
            let measure = || {
                medians(
                    samples,
                    [&mut || drop(black_box(policy.check(black_box(once.as_bytes()), context))), &mut || {
                        drop(black_box(policy.check(black_box(twice.as_bytes()), context)))
                    }],
                )
            };
            // The last step may be less than a doubling.
            let doubled = |[small, large]: &[Duration; 2]| {
                over(*large, *small).powf(std::f64::consts::LN_2 / over_counts(larger, count).ln())
            };
            let times = within(MAX_DOUBLING, measure, doubled);
            let (doubling, [small, large]) = (doubled(&times), times);
            if small >= SETTLED {
                worst = worst.max(doubling);
            }
            line += &format!("  {larger}: {large:.1?} ({doubling:.2})");
            if larger == most {
                break;
            }
            count = larger;
        }
        println!("{line}");
        rows.push(format!("| growth: {name}, twice the size | {worst:.2} times at worst | at most {MAX_DOUBLING} | |"));
        if worst > MAX_DOUBLING {
            missed.push(format!("{name}: twice the size costs {worst:.2} times, more than {MAX_DOUBLING}"));
        }
    }
}

/// Every hostile shape whose name has that part, at three sizes, under the default limits and under wide ones.
fn hostile(context: &Context, part: &str, missed: &mut Vec<String>) -> String {
    println!("\nMilliseconds per KiB of hostile texts (at most {MAX_PER_KIB}); in brackets: of the parser alone\n");
    println!("{:<34} {:>16} {:>16} {:>16} {:>16}", "shape", "2 KiB", "8 KiB", "64 KiB", "64 KiB, wide");
    let (policy, wide) = (shapes::policy(), shapes::wide_policy());
    let (mut worst, mut of) = ((0.0, 0.0), "");
    for shape in HOSTILE.iter().chain(WRITES).filter(|(name, _)| name.contains(part)) {
        let mut line = format!("{:<34}", shape.0);
        for (policy, kib) in [(&policy, 2), (&policy, 8), (&policy, 64), (&wide, 64)] {
            let (cost, floor) = per_kib(policy, context, shape, kib);
            line += &format!(" {cost:>8.3} ({floor:>5.2})");
            if cost > worst.0 {
                (worst, of) = ((cost, floor), shape.0);
            }
            if cost > MAX_PER_KIB {
                missed.push(format!("{}, {kib} KiB: {cost:.1} ms per KiB, more than {MAX_PER_KIB}", shape.0));
            }
        }
        println!("{line}");
    }
    let (cost, floor) = worst;
    format!(
        "| hostile texts, the worst ({of}) | {cost:.3} ms per KiB | {floor:.3} ms per KiB | at most {MAX_PER_KIB} ms |"
    )
}

fn per_kib(policy: &Policy, context: &Context, shape: &Shape, kib: usize) -> (f64, f64) {
    let sql = shapes::of_bytes(shape.1, kib * 1024);
    let samples = samples_for(policy, context, &sql, 51);
    let parses = policy.check(sql.as_bytes(), context).fingerprint.is_some();
    let measure = || {
        medians(
            samples,
            [&mut || drop(black_box(policy.check(black_box(sql.as_bytes()), context))), &mut || {
                // What is refused before the parser can cost the parser minutes.
                let _: bool = parses && black_box(shapes::floor_on_large_stack(black_box(&sql)));
            }],
        )
    };
    let per = |cost: Duration| cost.as_secs_f64() * 1e3 / (sql.len() as f64 / 1024.0);
    let [cost, floor] = within(MAX_PER_KIB, measure, |[cost, _]| per(*cost));
    (per(cost), per(floor))
}

/// Measures until the result is within a bound, a few times at most; the best result.
fn within<const N: usize>(
    bound: f64,
    measure: impl Fn() -> [Duration; N],
    judge: impl Fn(&[Duration; N]) -> f64,
) -> [Duration; N] {
    let mut best = measure();
    for _ in 1..ATTEMPTS {
        if judge(&best) <= bound {
            break;
        }
        let again = measure();
        if judge(&again) < judge(&best) {
            best = again;
        }
    }
    best
}

/// As many samples as fit into a fraction of a second, an odd number of them.
fn samples_for(policy: &Policy, context: &Context, sql: &str, most: usize) -> usize {
    let started = Instant::now();
    black_box(policy.check(sql.as_bytes(), context));
    let one = started.elapsed().as_secs_f64();
    ((0.05 / one.max(1e-6)) as usize).clamp(3, most) | 1
}

/// The median time of each of several pieces of work, which take turns. Each sample is one run, so that those that the
/// system interrupts are few and fall out.
fn medians<const N: usize>(samples: usize, mut work: [&mut dyn FnMut(); N]) -> [Duration; N] {
    let mut times: [Vec<Duration>; N] = std::array::from_fn(|_| Vec::with_capacity(samples));
    for _ in 0..samples {
        for (work, times) in work.iter_mut().zip(&mut times) {
            let started = Instant::now();
            work();
            times.push(started.elapsed());
        }
    }
    times.map(|mut times| {
        times.sort_unstable();
        times.get(times.len() / 2).copied().unwrap_or_default()
    })
}

fn over(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64()
}

fn over_counts(one: usize, other: usize) -> f64 {
    one as f64 / other as f64
}
