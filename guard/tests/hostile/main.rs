//! The hostile suite: `conformance/hostile` on real servers, raw through the session's steps and through the guard.
//!
//! Raw: the verifier is out of the way, and the database alone has to hold. Through the guard: nothing reaches the database that the
//! verifier did not allow. Each ended both ways, and afterwards another tenant has its turn on the same connection. What came is compared
//! with what the data says; and whatever the data says, under `signed` and `login` nothing leaks, and the next turn is never wrong.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod data;
mod guarded;
mod raw;
mod sealed;

use std::collections::BTreeMap;
use std::thread;

use data::{Case, Outcome, Seal, Way};
use haltsql_testkit::Version;
use sealed::Sealed;

/// What was seen of a statement under a seal, by the way that it was sent.
type Seen = BTreeMap<(usize, &'static str, Way), Vec<Outcome>>;

#[test]
fn statements_do_what_the_data_says_and_never_leak() {
    let suite = data::load();
    assert!(suite.cases.len() >= 250, "{} statements", suite.cases.len());
    let (mut seen, mut problems) = (Seen::new(), Vec::new());
    // Both servers at a time.
    let parts: Vec<(Seen, Vec<String>)> = thread::scope(|scope| {
        let suite = &suite;
        let runs = [Version::Pg16, Version::Pg18].map(|version| scope.spawn(move || on(version, suite)));
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    for (part, wrong) in parts {
        problems.extend(wrong);
        for (key, outcomes) in part {
            let all = seen.entry(key).or_default();
            let new: Vec<Outcome> = outcomes.into_iter().filter(|outcome| !all.contains(outcome)).collect();
            all.extend(new);
        }
    }
    problems.extend(suite.compare(&seen));
    report(&suite, &seen, problems.len());
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems.join("\n"));
}

/// Whether a run of all tests tries a seal on a version: `signed` on both, the others on one. `make hostile` tries all on both
/// (`HALTSQL_HOSTILE=all`), and so does who writes the data.
fn is_tried(version: Version, seal: &Seal) -> bool {
    let all = std::env::var("HALTSQL_HOSTILE").is_ok_and(|value| value == "all")
        || std::env::var_os("HALTSQL_HOSTILE_WRITE").is_some();
    all || seal.name == "signed" || (seal.name == "bare") == (version == Version::Pg18)
}

/// The suite on one version: what was seen, and what must not have been.
fn on(version: Version, suite: &data::Suite) -> (Seen, Vec<String>) {
    let (mut seen, mut problems) = (Seen::new(), Vec::new());
    for seal in suite.seals.iter().filter(|seal| is_tried(version, seal)) {
        let sealed = Sealed::start(version, suite, seal);
        for (at, case) in suite.cases.iter().enumerate() {
            for (way, outcome) in one(&sealed, case) {
                if let Some(problem) = forbidden(seal, way, &outcome) {
                    problems.push(format!("{} {version:?} {} {way:?}: {problem}: {}", case.id, seal.name, case.sql));
                }
                let all = seen.entry((at, seal.name, way)).or_default();
                if !all.contains(&outcome) {
                    all.push(outcome);
                }
            }
        }
    }
    (seen, problems)
}

/// Every way of one statement under one seal.
fn one(sealed: &Sealed, case: &Case) -> Vec<(Way, Outcome)> {
    let mut outcomes = Vec::new();
    // Without a seal the verifier is the only wall: raw, everything leaks.
    if sealed.seal.name != "none" {
        for way in [Way::Plain, Way::Capped] {
            for end in ["ROLLBACK", "COMMIT"] {
                outcomes.push((way, raw::run(sealed, case, way, end)));
            }
        }
    }
    outcomes.push((Way::Guard, guarded::run(sealed, case)));
    outcomes
}

/// What must not be, whatever the data says.
fn forbidden(seal: &Seal, way: Way, outcome: &Outcome) -> Option<String> {
    let holds = way == Way::Guard || matches!(seal.name, "signed" | "login");
    match outcome {
        Outcome::Next => Some("the next turn saw what is not its own".to_owned()),
        Outcome::Leak | Outcome::Repinned | Outcome::Role if holds => Some(format!("{outcome:?}")),
        _ => None,
    }
}

/// One line for each scenario, for `make hostile`, and one that counts.
fn report(suite: &data::Suite, seen: &Seen, failed: usize) {
    let mut scenarios: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (at, case) in suite.cases.iter().enumerate() {
        let entry = scenarios.entry(&case.scenario).or_default();
        entry.0 += 1;
        entry.1 += seen.iter().filter(|((case, ..), _)| *case == at).map(|(_, outcomes)| outcomes.len()).sum::<usize>();
    }
    for (scenario, (statements, outcomes)) in scenarios {
        println!(
            "hostile name=rust scenario={} statements={statements} outcomes={outcomes}",
            scenario.replace(' ', "-")
        );
    }
    let outcomes = seen.values().map(Vec::len).sum::<usize>();
    println!("hostile name=rust passed={} failed={failed}", outcomes.saturating_sub(failed));
}
