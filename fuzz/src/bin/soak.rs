//! Checks for long, on many threads, and looks at what stays behind.
//!
//!     soak memory CHECKS THREADS    ends with 1 where memory grows
//!     soak leaks CHECKS THREADS     the same work, judged by the LeakSanitizer that it runs under
//!     soak control                  leaks on purpose, so that a sanitizer that sees nothing is found out
//!
//! The work is the whole corpus, again and again: texts that run on the caller's stack, texts that get a thread of their own, allowed
//! and denied ones. A verdict that differs from the first one is a panic. docs/fuzzing.md says how to read the output.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a tool of this repository: a panic says what is wrong"
)]

use std::process::ExitCode;
use std::thread;

use haltsql_fuzz::seeds::{self, Case};

/// What memory may grow by from the third tenth of the work to the last three, in KiB, each taken at its least: stacks that wait to
/// be used again come and go. A leak of 10 bytes a check is more over a million; what the parser keeps for a thread (21 KiB)
/// is thirty times as much over 10,000 threads.
const MAX_GROWTH: u64 = 3 * 1024;
/// How often memory is looked at.
const LOOKS: usize = 10;
const AT_ONCE: usize = 16;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let numbers = |checks: &str, threads: &str| Some((checks.parse().ok()?, threads.parse().ok()?));
    match arguments[..] {
        ["control"] => {
            // Written to, and its address kept nowhere.
            std::mem::forget(std::hint::black_box(vec![1_u8; 1_000]));
            return ExitCode::SUCCESS;
        }
        [mode @ ("memory" | "leaks"), checks, threads] => {
            if let Some((checks, threads)) = numbers(checks, threads) {
                let flat = soak(checks, threads);
                return if flat || mode == "leaks" { ExitCode::SUCCESS } else { ExitCode::FAILURE };
            }
        }
        _ => {}
    }
    eprintln!("usage: soak memory|leaks CHECKS THREADS, or soak control");
    ExitCode::from(2)
}

/// The whole work; whether memory stayed flat in all of it.
fn soak(checks: usize, threads: usize) -> bool {
    let cases = seeds::cases();
    let first: Vec<String> = cases.iter().map(Case::verdict).collect();
    let one = |at: usize| {
        let at = at % cases.len();
        assert_eq!(cases[at].verdict(), first[at], "another verdict than the first: {}", cases[at].name);
    };

    let mut flat = true;
    flat &= stays("checks on one thread", checks, one);
    flat &= stays("threads, one after another", threads, |at| {
        thread::scope(|scope| scope.spawn(|| one(at)).join()).unwrap();
    });
    flat &= stays("times sixteen threads at once", threads / AT_ONCE, |round| {
        thread::scope(|scope| {
            for number in 0..AT_ONCE {
                scope.spawn(move || one(round * AT_ONCE + number));
            }
        });
    });
    flat &= stays("times sixteen threads at once, a thousand checks each", checks / AT_ONCE / 1_000, |round| {
        thread::scope(|scope| {
            for number in 0..AT_ONCE {
                scope.spawn(move || (0..1_000).for_each(|at| one(round * 1_000 + number * 97 + at)));
            }
        });
    });
    flat
}

/// Does `work` for each number below `count`; whether memory stayed flat.
fn stays(what: &str, count: usize, work: impl Fn(usize)) -> bool {
    let mut seen = Vec::new();
    for part in 0..LOOKS {
        (count * part / LOOKS..count * (part + 1) / LOOKS).for_each(&work);
        seen.push(resident());
    }
    let least = |looks: &[u64]| looks.iter().copied().min().unwrap_or_default();
    let flat = least(&seen[LOOKS - 3..]).saturating_sub(least(&seen[2..5])) <= MAX_GROWTH;
    println!("{}: {count} {what}, KiB at each tenth: {seen:?}", if flat { "flat" } else { "GROWS" });
    flat
}

/// The memory that the process holds, in KiB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.unwrap_or_else(|| {
        eprintln!("soak: this system does not tell the memory of a process in /proc/self/status; run it on Linux");
        std::process::exit(2)
    })
}
