//! What `make test` runs of the oracle: 20,000 queries, and every rule left out until it shows.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::fmt::Write as _;

use haltsql_noninterference::judge;
use haltsql_noninterference::run::constructs::rare;
use haltsql_noninterference::run::stats::{Stats, percent};
use haltsql_noninterference::run::{Mode, Oracle, Plan, Subject};
use haltsql_testkit::Version;

const SEED: u64 = 2026;

/// Rules whose absence cannot show as different rows.
const SILENT: &[(&str, &str)] = &[("DeferMaterialized", "the rows are the same, only errors on foreign rows tell")];

fn plan(to: u64, mode: Mode) -> Plan {
    Plan { seed: SEED, from: 0, to, mode, first: mode == Mode::Weakened, keep: 10 }
}

#[test]
fn twenty_thousand_queries() {
    let oracle = Oracle::new(Version::Pg18, SEED, 2).unwrap();
    let stats = oracle.run(&plan(20_000, Mode::Shipped), Stats::default(), |_| {}).unwrap();
    let shown: String = stats.findings.iter().map(haltsql_noninterference::run::report::Finding::text).collect();
    assert_eq!(stats.violations, 0, "{shown}");
    let allowed = stats.share();
    assert!((30.0..=70.0).contains(&allowed), "{allowed:.1}% are allowed: at least 30% have to be, and 30% denied");
    let joined = percent(stats.joined, stats.generated);
    assert!(joined >= 50.0, "{joined:.1}% of the allowed read two tenant tables or more");
    assert!(stats.same * 10 > stats.allowed * 8, "only {} of {} allowed queries ran", stats.same, stats.allowed);
    assert_eq!(rare(&stats, Subject::Queries), Vec::<String>::new());
}

#[test]
fn postgresql_16_agrees() {
    let oracle = Oracle::new(Version::Pg16, SEED, 2).unwrap();
    let stats = oracle.run(&plan(4_000, Mode::Shipped), Stats::default(), |_| {}).unwrap();
    let shown: String = stats.findings.iter().map(haltsql_noninterference::run::report::Finding::text).collect();
    assert_eq!(stats.violations, 0, "{shown}");
}

#[test]
fn a_rule_that_is_left_out_shows() {
    let oracle = Oracle::new(Version::Pg18, SEED, 2).unwrap();
    let mut silent = String::new();
    let mut shown = 0;
    for name in judge::switches(Subject::Queries) {
        if SILENT.iter().any(|(of, _)| *of == name) {
            continue;
        }
        judge::weaken(name).unwrap();
        let stats = oracle.run(&Plan { keep: 0, ..plan(50_000, Mode::Weakened) }, Stats::default(), |_| {}).unwrap();
        match stats.first {
            Some(number) => {
                shown += 1;
                println!("{name:<24} {:>6} queries", number + 1);
            }
            None => writeln!(silent, "{name}: no violation in 50,000 queries").unwrap(),
        }
    }
    assert!(silent.is_empty(), "{silent}");
    assert!(shown >= 28, "only {shown} rules were left out");
}
