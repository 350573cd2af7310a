//! What memory a verdict takes: the most that is held at one time, against the parser alone.
//!
//! Counted by the allocator, so that the numbers are the same on every machine. The parser's C code has an allocator of its own, which
//! both sides use alike: what a fresh process grows by shows it too.
#![allow(missing_docs, clippy::print_stdout, clippy::expect_used)]

mod shapes;

use std::hint::black_box;
use std::process::Command;

use haltsql::{Context, Policy};
use peak_alloc::PeakAlloc;
use shapes::{EVERYDAY, LINEAR};

#[global_allocator]
static COUNTED: PeakAlloc = PeakAlloc;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [fresh, query, part] = &arguments[..]
        && fresh == "fresh"
    {
        return in_this_process(query, part);
    }
    println!("\nMemory that is held at one time, in KiB\n");
    println!("{:<18} {:>9} {:>9} {:>12} {:>7}", "text", "floor", "check", "and to_json", "ratio");
    let (policy, wide, context) = (shapes::policy(), shapes::wide_policy(), shapes::context());
    let mut rows = Vec::new();
    for (name, sql) in EVERYDAY {
        rows.push(counted(name, sql, &policy, &context));
    }
    for ((name, shape), _, most) in LINEAR {
        counted(&format!("{name}, {most}"), &shape(most), &wide, &context);
    }
    println!("\nWhat a fresh process grows by, the parser's C code and the stack included, in KiB (Linux)\n");
    for (name, _) in EVERYDAY {
        let [floor, check] = ["floor", "check"].map(|part| grown(name, part));
        println!("{name:<18} {floor:>9} {check:>9}");
    }
    println!();
    for row in rows {
        println!("{row}");
    }
}

/// Prints a text's line; returns its row for the table of everything.
fn counted(name: &str, sql: &str, policy: &Policy, context: &Context) -> String {
    assert!(policy.check(sql.as_bytes(), context).allowed, "{name}");
    let floor = held(|| assert!(black_box(shapes::floor_on_large_stack(sql))));
    let check = held(|| drop(black_box(policy.check(sql.as_bytes(), context))));
    let json = held(|| drop(black_box(policy.check(sql.as_bytes(), context).to_json())));
    let ratio = check / floor;
    println!("{name:<18} {floor:>9.1} {check:>9.1} {json:>12.1} {ratio:>7.2}");
    format!("| memory: {name} | {check:.1} KiB | {floor:.1} KiB | {ratio:.2} |")
}

/// The most that the work holds beyond what is held before, in KiB.
fn held(mut work: impl FnMut()) -> f64 {
    work();
    let before = COUNTED.current_usage();
    COUNTED.reset_peak_usage();
    work();
    COUNTED.peak_usage().saturating_sub(before) as f64 / 1024.0
}

/// What another process reports.
fn grown(query: &str, part: &str) -> String {
    let own = std::env::current_exe().expect("this program's path");
    let output = Command::new(own).args(["fresh", query, part]).output().expect("this program runs");
    String::from_utf8(output.stdout).expect("a number").trim().to_owned()
}

/// Prints by how many KiB the first work of this process lets it grow.
fn in_this_process(query: &str, part: &str) {
    let (policy, context) = (shapes::policy(), shapes::context());
    let (_, sql) = EVERYDAY.into_iter().find(|(name, _)| *name == query).expect("an everyday query");
    let before = most_held();
    if part == "floor" {
        drop(black_box(shapes::floor(sql)));
    } else {
        drop(black_box(policy.check(sql.as_bytes(), &context)));
    }
    match (before, most_held()) {
        (Some(before), Some(after)) => println!("{}", after - before),
        _ => println!("-"),
    }
}

/// The most memory that this process has held, in KiB, where the system tells.
fn most_held() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.split_whitespace().next()?.parse().ok()
}
