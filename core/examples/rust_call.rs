//! What a check costs from Rust, for the benchmarks of other languages: they start this program and take turns with it, so that
//! whatever else the machine does falls on both sides alike.
//!
//! A line on standard input, a line on standard output: `policy` gives the policy (line feeds as `\n`), `sql N` the text number N,
//! `time N COUNT` the microseconds a check of text N takes, over COUNT checks with `{"tenant_id":"acme"}`, context and JSON included.

#![allow(clippy::expect_used, reason = "a tool of benchmarks")]

#[path = "../benches/shapes/mod.rs"]
mod shapes;

use std::hint::black_box;
use std::io::{BufRead, Write, stdin, stdout};
use std::time::Instant;

use haltsql::boundary::{DocumentFormat, Policy};

fn main() {
    let document = shapes::document("bound", "");
    let policy = Policy::load(document.as_bytes(), DocumentFormat::Yaml, "").expect("the policy is valid");
    for line in stdin().lock().lines() {
        let line = line.expect("a line of text");
        let words: Vec<&str> = line.split(' ').collect();
        let answer = match *words {
            ["policy"] => document.replace('\n', "\\n"),
            ["sql", number] => sql(number).to_owned(),
            ["time", number, count] => format!("{:.3}", microseconds(&policy, sql(number), count)),
            _ => "policy, sql N, or time N COUNT".to_owned(),
        };
        writeln!(stdout(), "{answer}").expect("someone reads this");
        stdout().flush().expect("someone reads this");
    }
}

fn sql(number: &str) -> &'static str {
    let number: usize = number.parse().expect("a number");
    shapes::EVERYDAY.get(number).expect("an everyday query").1
}

fn microseconds(policy: &Policy, sql: &str, count: &str) -> f64 {
    let count: u32 = count.parse().expect("a number");
    let started = Instant::now();
    for _ in 0..count {
        black_box(policy.check(black_box(sql.as_bytes()), b"{\"tenant_id\":\"acme\"}")).expect("a verdict");
    }
    started.elapsed().as_secs_f64() * 1e6 / f64::from(count)
}
