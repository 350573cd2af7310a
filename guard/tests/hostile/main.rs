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

use data::{Case, Outcome, Seal, Way};
use haltsql_testkit::Version;
use sealed::Sealed;

/// What was seen of a statement under a seal, by the way that it was sent.
type Seen = BTreeMap<(usize, &'static str, Way), Vec<Outcome>>;

#[test]
fn statements_do_what_the_data_says_and_never_leak() {
    let suite = data::load();
    assert!(suite.cases.len() >= 250, "{} statements", suite.cases.len());
    let mut seen = Seen::new();
    let mut problems = Vec::new();
    for version in [Version::Pg16, Version::Pg18] {
        for seal in &suite.seals {
            let sealed = Sealed::start(version, &suite, seal);
            for (at, case) in suite.cases.iter().enumerate() {
                let outcomes = one(&sealed, case);
                for (way, outcome) in outcomes {
                    if let Some(problem) = forbidden(seal, way, &outcome) {
                        problems
                            .push(format!("{} {version:?} {} {way:?}: {problem}: {}", case.id, seal.name, case.sql));
                    }
                    let all = seen.entry((at, seal.name, way)).or_default();
                    if !all.contains(&outcome) {
                        all.push(outcome);
                    }
                }
            }
        }
    }
    problems.extend(suite.compare(&seen));
    report(&suite, &seen, problems.len());
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems.join("\n"));
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
