//! The oracle as a command: a run of so many queries, its progress, its figures, exit code 1 on a violation.

#![forbid(unsafe_code)]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Parser, ValueEnum};
use haltsql_noninterference::judge;
use haltsql_noninterference::run::constructs::shares;
use haltsql_noninterference::run::report::Finding;
use haltsql_noninterference::run::stats::{Stats, percent};
use haltsql_noninterference::run::{Mode, Oracle, Plan, Subject};
use haltsql_testkit::Version;

/// Runs random statements against two databases that differ in what no caller may see.
#[derive(Debug, Parser)]
#[command(name = "oracle")]
struct Arguments {
    /// How many queries.
    #[arg(long, default_value_t = 1_000_000)]
    queries: u64,
    /// The number of the first query.
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// Decides every query and every row.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// INSERT, UPDATE and DELETE instead of queries, each rolled back: also what they leave is compared.
    #[arg(long)]
    writes: bool,
    /// With writes: under schemas that the doctor warns of, where unique keys lack the tenant.
    #[arg(long, requires = "writes")]
    careless: bool,
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
    /// Leaves one rule out and stops at the first violation; `all`: one after the other.
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
    let version = match arguments.postgres {
        Postgres::Pg18 => Version::Pg18,
        Postgres::Pg16 => Version::Pg16,
    };
    // Of rules that matter where a unique key lacks the tenant, nothing shows elsewhere.
    let careless = arguments.careless || arguments.weaken.is_some();
    let oracle = match (arguments.writes, careless) {
        (false, _) => Oracle::new(version, arguments.seed, 2)?,
        (true, false) => Oracle::writes(version, arguments.seed)?,
        (true, true) => Oracle::careless(version, arguments.seed)?,
    };
    if let Some(first) = arguments.print {
        for number in first..first.saturating_add(arguments.queries) {
            let (world, query) = oracle.query(arguments.seed, number);
            let verdict = oracle.check(world, &query);
            println!("{number} {} {:?}\n    {}", verdict.allowed, verdict.codes, query.sql);
        }
        return Ok(0);
    }
    if let Some(switch) = &arguments.weaken {
        return bite(arguments, &oracle, switch);
    }
    let stats = resumed(arguments);
    let plan = Plan {
        seed: arguments.seed,
        from: stats.queries.max(arguments.from),
        to: arguments.queries,
        mode: if arguments.denied { Mode::Denied } else { Mode::Shipped },
        first: arguments.first,
        keep: 40,
    };
    let mut told = Instant::now();
    let mut shown = stats.findings.len();
    let stats = oracle.run(&plan, stats, |stats| {
        for finding in stats.findings.iter().skip(shown) {
            shown += 1;
            println!("\n{}", finding.text());
            keep(arguments, finding);
        }
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

/// Leaves rules out and counts the queries until it shows. Returns how many rules it did not show for.
fn bite(arguments: &Arguments, oracle: &Oracle, switch: &str) -> Result<u64, String> {
    let names = if switch == "all" { judge::switches(subject(arguments)) } else { vec![switch] };
    let mut silent = 0;
    for name in names {
        judge::weaken(name)?;
        let plan =
            Plan { seed: arguments.seed, from: 0, to: arguments.queries, mode: Mode::Weakened, first: true, keep: 1 };
        let stats = oracle.run(&plan, Stats::default(), |_| {})?;
        match (stats.first, stats.findings.first()) {
            (Some(number), Some(finding)) => {
                println!("{name:<24} {:>7} queries  {:>4.1} s  {}", number + 1, stats.seconds, finding.sql);
            }
            _ => {
                silent += 1;
                println!("{name:<24}  no violation in {} queries, {} tried", stats.queries, stats.same);
            }
        }
    }
    Ok(silent)
}

const fn subject(arguments: &Arguments) -> Subject {
    if arguments.writes { Subject::Writes } else { Subject::Queries }
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
        percent(stats.joined, stats.generated),
        stats.violations,
        stats.errors_differ
    );
}

/// Writes have a state of their own beside that of queries.
fn state(arguments: &Arguments) -> Option<PathBuf> {
    let path = arguments.state.as_ref()?;
    Some(if arguments.writes { path.with_extension("writes.json") } else { path.clone() })
}

/// Where an earlier run of this seed stopped.
fn resumed(arguments: &Arguments) -> Stats {
    let stats = state(arguments)
        .and_then(|path| std::fs::read_to_string(path).ok())
        .and_then(|text| serde_json::from_str::<(u64, Stats)>(&text).ok())
        .filter(|(seed, stats)| *seed == arguments.seed && stats.queries < arguments.queries);
    stats.map(|(_, stats)| stats).unwrap_or_default()
}

fn save(arguments: &Arguments, stats: &Stats) {
    let Some(path) = state(arguments) else { return };
    // A state that cannot be kept costs time on the next run and nothing else.
    if let Ok(text) = serde_json::to_string(&(arguments.seed, stats)) {
        let _lost = std::fs::write(path, text);
    }
}

/// Keeps a violation as text and as a case of the corpus.
fn keep(arguments: &Arguments, finding: &Finding) {
    let Some(folder) = &arguments.findings else { return };
    let kind = if arguments.writes { "write-" } else { "" };
    let name = format!("{kind}{}-{}", finding.seed, finding.number);
    let case = serde_json::to_string_pretty(&finding.case()).unwrap_or_default();
    let kept = std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(folder.join(format!("{name}.txt")), finding.text()))
        .and_then(|()| std::fs::write(folder.join(format!("{name}.json")), case + "\n"));
    if let Err(error) = kept {
        eprintln!("oracle: {}: {error}", folder.display());
    }
}

fn report(arguments: &Arguments, stats: &Stats) {
    println!("\nconstructs, share of the allowed and of the denied:");
    let denied = stats.queries - stats.allowed;
    for ((name, _, _), in_allowed, in_denied) in shares(stats, subject(arguments)) {
        println!("  {name:<34} {in_allowed:>5.1}% {in_denied:>5.1}%");
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
        for example in &stats.denied {
            println!("  {example}");
        }
    }
    for (code, (count, examples)) in &stats.harmless {
        println!("\n{count} denied with {code} alone, twins agree:");
        for example in examples {
            println!("  {example}");
        }
    }
    println!();
    progress(stats);
}
