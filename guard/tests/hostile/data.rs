//! The data of the suite, and what it says of each statement.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use haltsql::Policy;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Seen;

/// How a statement is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// As it is, after the pin.
    Plain,
    /// In the cap, unverified.
    Capped,
    /// Through the guard.
    Guard,
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Way::Plain => "plain",
            Way::Capped => "capped",
            Way::Guard => "guard",
        }
    }
}

/// What a statement did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The verifier denied it: nothing was sent.
    Denied,
    /// The server refused it, or the session.
    Refused,
    /// It ran, and showed nothing but the caller's own.
    Harmless,
    /// It ended the transaction.
    Ended,
    /// What it left behind made the next turn's pin fail.
    NextRefused,
    /// It showed another tenant's rows or hidden data.
    Leak,
    /// A later statement of the transaction saw another tenant's rows.
    Repinned,
    /// A later statement ran as another role.
    Role,
    /// The next tenant's turn on the connection saw what is not its own.
    Next,
}

/// One statement.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub id: String,
    pub scenario: String,
    pub sql: String,
    /// It is sent in a transaction that may write.
    #[serde(default, skip_serializing_if = "is_default")]
    pub writable: bool,
    /// What the session was left with before.
    #[serde(default, skip_serializing_if = "is_default")]
    pub session: Vec<String>,
    /// By seal and way: what may come, over both versions and both ends.
    #[serde(default)]
    expect: BTreeMap<String, BTreeMap<String, Vec<Outcome>>>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// One seal.
pub struct Seal {
    pub name: &'static str,
    pub user: String,
    pub pin_key: Option<String>,
    execution: Value,
}

/// The whole suite.
pub struct Suite {
    pub cases: Vec<Case>,
    pub seals: Vec<Seal>,
    document: String,
}

fn folder() -> PathBuf {
    haltsql_testkit::root().join("conformance/hostile")
}

/// A file of the suite.
pub fn file(name: &str) -> String {
    let path = folder().join(name);
    fs::read_to_string(&path).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()))
}

/// Reads all of it.
pub fn load() -> Suite {
    let cases = file("statements.jsonl").lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let seals: BTreeMap<String, Value> = serde_json::from_str(&file("seals.json")).unwrap();
    let text = |seal: &Value, name: &str| seal.get(name).and_then(Value::as_str).map(str::to_owned);
    let seals = ["signed", "login", "bare", "none"].map(|name| {
        let seal = &seals[name];
        Seal {
            name,
            user: text(seal, "user").unwrap(),
            pin_key: text(seal, "pin_key"),
            execution: seal["execution"].clone(),
        }
    });
    Suite { cases, seals: seals.into(), document: file("policy.yaml") }
}

impl Suite {
    /// The policy under a seal.
    pub fn policy(&self, seal: &Seal) -> Policy {
        // JSON is YAML.
        let document = format!("{}  execution: {}\n", self.document, seal.execution);
        Policy::from_yaml(&document).unwrap_or_else(|problem| panic!("{problem}"))
    }

    /// What differs from the data. With HALTSQL_HOSTILE_WRITE the data is written instead: for a person to read before it is committed.
    pub fn compare(&self, seen: &Seen) -> Vec<String> {
        if std::env::var_os("HALTSQL_HOSTILE_WRITE").is_some() {
            self.write(seen);
            return Vec::new();
        }
        let mut problems = Vec::new();
        for ((at, seal, way), outcomes) in seen {
            let case = &self.cases[*at];
            let expected = case.expect.get(*seal).and_then(|ways| ways.get(way.name()));
            for outcome in outcomes {
                if !expected.is_some_and(|expected| expected.contains(outcome)) {
                    problems.push(format!(
                        "{} {seal} {}: {outcome:?}, and not {expected:?}: {}",
                        case.id,
                        way.name(),
                        case.sql
                    ));
                }
            }
        }
        problems
    }

    fn write(&self, seen: &Seen) {
        let mut text = String::new();
        for (at, case) in self.cases.iter().enumerate() {
            let mut expect: BTreeMap<String, BTreeMap<String, Vec<Outcome>>> = BTreeMap::new();
            for ((case, seal, way), outcomes) in seen {
                if *case == at {
                    let mut outcomes = outcomes.clone();
                    outcomes.sort_by_key(|outcome| format!("{outcome:?}"));
                    expect.entry((*seal).to_owned()).or_default().insert(way.name().to_owned(), outcomes);
                }
            }
            let Case { id, scenario, sql, writable, session, .. } = case;
            let case = Case {
                id: id.clone(),
                scenario: scenario.clone(),
                sql: sql.clone(),
                writable: *writable,
                session: session.clone(),
                expect,
            };
            text.push_str(&serde_json::to_string(&case).unwrap());
            text.push('\n');
        }
        fs::write(folder().join("statements.jsonl"), text).unwrap();
    }
}
