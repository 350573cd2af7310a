//! What `make test` runs of the oracle for writes: some thousand, each rolled back, and every rule of writes left out until it
//! shows.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::fmt::Write as _;

use haltsql_noninterference::judge;
use haltsql_noninterference::run::constructs::rare;
use haltsql_noninterference::run::report::Finding;
use haltsql_noninterference::run::stats::{Stats, percent};
use haltsql_noninterference::run::{Mode, Oracle, Plan, Subject};
use haltsql_testkit::Version;

const SEED: u64 = 2026;

fn run(oracle: &Oracle, to: u64, mode: Mode) -> Stats {
    let plan = Plan { seed: SEED, from: 0, to, mode, first: mode == Mode::Weakened, keep: 10 };
    oracle.run(&plan, Stats::default(), |_| {}).unwrap()
}

fn no_violation(stats: &Stats, ran: u64) {
    let shown: String = stats.findings.iter().map(Finding::text).collect();
    assert_eq!(stats.violations, 0, "{shown}");
    assert!(stats.same * 100 > stats.allowed * ran, "only {} of {} allowed writes ran", stats.same, stats.allowed);
}

#[test]
fn six_thousand_writes() {
    let oracle = Oracle::writes(Version::Pg18, SEED).unwrap();
    let stats = run(&oracle, 6_000, Mode::Shipped);
    no_violation(&stats, 80);
    let allowed = stats.share();
    assert!((30.0..=70.0).contains(&allowed), "{allowed:.1}% are allowed: at least 30% have to be, and 30% denied");
    let joined = percent(stats.joined, stats.generated);
    assert!(joined >= 40.0, "{joined:.1}% of the allowed name two tenant tables or more");
    assert_eq!(rare(&stats, Subject::Writes), Vec::<String>::new());
}

#[test]
fn postgresql_16_agrees() {
    // Which does not know RETURNING old and new.
    no_violation(&run(&Oracle::writes(Version::Pg16, SEED).unwrap(), 2_000, Mode::Shipped), 60);
}

/// Where a unique key lacks the tenant, errors tell of other tenants' rows; rows and what is left still do not.
#[test]
fn a_unique_key_without_the_tenant_shows_in_errors_alone() {
    let stats = run(&Oracle::careless(Version::Pg18, SEED).unwrap(), 3_000, Mode::Shipped);
    no_violation(&stats, 70);
    assert!(stats.errors_differ > 0, "the key has to be one that answers for other tenants");
}

#[test]
fn a_rule_of_writes_that_is_left_out_shows() {
    let oracle = Oracle::careless(Version::Pg18, SEED).unwrap();
    let names = judge::switches(Subject::Writes);
    let mut silent = String::new();
    for name in &names {
        judge::weaken(name).unwrap();
        match run(&oracle, 20_000, Mode::Weakened).first {
            Some(number) => println!("{name:<24} {:>6} writes", number + 1),
            None => writeln!(silent, "{name}: no violation in 20,000 writes").unwrap(),
        }
    }
    assert!(silent.is_empty(), "{silent}");
    assert!(names.len() >= 16, "only {} rules were left out", names.len());
}
