//! The oracle as a command: a run of so many queries, its progress, its figures, exit code 1 on a violation.

#![forbid(unsafe_code)]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Parser, ValueEnum};
use haltsql_noninterference::run::stats::{Stats, percent};
use haltsql_noninterference::run::{Oracle, Plan};
use haltsql_noninterference::weaken;
use haltsql_testkit::Version;

/// Runs random queries against two databases that differ in what no caller may see.
#[derive(Debug, Parser)]
#[command(name = "oracle")]
struct Arguments {
    /// How many queries.
    #[arg(long, default_value_t = 1_000_000)]
    queries: u64,
    /// Decides every query and every row.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The server's version.
    #[arg(long, value_enum, default_value_t = Postgres::Pg18)]
    postgres: Postgres,
    /// Goes on from this file where it fits, and keeps it up to date.
    #[arg(long)]
    state: Option<PathBuf>,
    /// A folder for violations: as text and as cases of the corpus.
    #[arg(long)]
    findings: Option<PathBuf>,
    /// Runs denied queries too and shows those on which the twins agree.
    #[arg(long)]
    denied: bool,
    /// Stops at the first violation.
    #[arg(long)]
    first: bool,
    /// A rule to weaken, in a build that can.
    #[arg(long)]
    weaken: Option<String>,
    /// Prints the queries from one number on, and runs nothing.
    #[arg(long)]
    print: Option<u64>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Postgres {
    /// PostgreSQL 18.
    #[value(name = "18")]
    Pg18,
    /// PostgreSQL 16.
    #[value(name = "16")]
    Pg16,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(error) => {
            eprintln!("oracle: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<u64, String> {
    if let Some(switch) = &arguments.weaken {
        weaken::throw(switch)?;
    }
    let version = match arguments.postgres {
        Postgres::Pg18 => Version::Pg18,
        Postgres::Pg16 => Version::Pg16,
    };
    let oracle = Oracle::new(version, arguments.seed, 2)?;
    if let Some(first) = arguments.print {
        for number in first..first.saturating_add(arguments.queries) {
            let (world, query) = oracle.query(arguments.seed, number);
            let verdict = oracle.check(world, &query, &query.sql);
            let codes: Vec<&str> = verdict.reasons.iter().map(|reason| reason.code.as_str()).collect();
            println!("{number} {} {:?}\n    {}", verdict.allowed, codes, query.sql);
        }
        return Ok(0);
    }
    let stats = resumed(arguments);
    let plan = Plan {
        seed: arguments.seed,
        from: stats.queries,
        to: arguments.queries,
        denied: arguments.denied,
        first: arguments.first,
    };
    let mut told = Instant::now();
    let stats = oracle.run(&plan, stats, |stats, _| {
        if told.elapsed() > Duration::from_secs(5) {
            told = Instant::now();
            progress(stats);
            save(arguments, stats);
        }
    })?;
    save(arguments, &stats);
    report(arguments, &stats);
    println!("{}", stats.line());
    Ok(stats.violations)
}

#[allow(clippy::cast_precision_loss, reason = "a figure for people")]
fn rate(stats: &Stats) -> f64 {
    stats.queries as f64 / stats.seconds.max(0.001)
}

fn progress(stats: &Stats) {
    println!(
        "{:>9} queries  {:>5.0}/s  {:.1}% allowed  {:.1}% of these join  {} violations  {} errors differ",
        stats.queries,
        rate(stats),
        stats.share(),
        percent(stats.joined, stats.allowed),
        stats.violations,
        stats.errors_differ
    );
}

/// Where an earlier run of this seed stopped.
fn resumed(arguments: &Arguments) -> Stats {
    let stats = arguments
        .state
        .as_ref()
        .and_then(|path| std::fs::read_to_string(path).ok())
        .and_then(|text| serde_json::from_str::<(u64, Stats)>(&text).ok())
        .filter(|(seed, stats)| *seed == arguments.seed && stats.queries < arguments.queries);
    stats.map(|(_, stats)| stats).unwrap_or_default()
}

fn save(arguments: &Arguments, stats: &Stats) {
    let Some(path) = &arguments.state else { return };
    // A state that cannot be kept costs time on the next run and nothing else.
    if let Ok(text) = serde_json::to_string(&(arguments.seed, stats)) {
        let _lost = std::fs::write(path, text);
    }
}

fn report(arguments: &Arguments, stats: &Stats) {
    println!("\nconstructs, share of the allowed and of the denied:");
    let denied = stats.queries - stats.allowed;
    for (name, (in_allowed, in_denied)) in &stats.constructs {
        println!("  {name:<28} {:>5.1}% {:>5.1}%", percent(*in_allowed, stats.allowed), percent(*in_denied, denied));
    }
    println!("\ndenials by code:");
    for (code, count) in &stats.codes {
        println!("  {code:<22} {:>5.1}%", percent(*count, denied));
    }
    println!("\nallowed, and refused by the server:");
    let mut errors: Vec<_> = stats.errors.iter().collect();
    errors.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    for (kind, (count, example)) in errors {
        println!("  {count:>6}  {kind}\n          {example}");
    }
    for example in &stats.differ {
        println!("\nerrors differ: {example}");
    }
    if arguments.denied {
        println!("\ndenied for one reason, no sin, and the twins differ: {}", stats.denied_differ);
    }
    for (code, (count, examples)) in &stats.harmless {
        println!("\n{count} denied with {code} alone, twins agree:");
        for example in examples {
            println!("  {example}");
        }
    }
    for (number, finding) in (1..).zip(&stats.findings) {
        println!("\n{}", finding.text());
        if let Some(folder) = &arguments.findings {
            let _made = std::fs::create_dir_all(folder);
            let _written = std::fs::write(folder.join(format!("{number}.txt")), finding.text());
            let case = serde_json::to_string_pretty(&finding.case()).unwrap_or_default();
            let _written = std::fs::write(folder.join(format!("{number}.json")), case + "\n");
        }
    }
    println!();
    progress(stats);
}
