//! The figures of a run, which can be saved and gone on from.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::constructs::{CONSTRUCTS, WRITES};
use super::report::Finding;
use crate::generate::Query;
use crate::judge::Judged;
use crate::world::{Sharing, World};

/// Figures.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Stats {
    /// Queries so far.
    pub queries: u64,
    /// Of these allowed.
    pub allowed: u64,
    /// Of the allowed: those of the generator, whose tables are known.
    pub generated: u64,
    /// Of these: that read two or more tenant tables.
    pub joined: u64,
    /// Of the allowed: on which the twins gave the same rows.
    pub same: u64,
    /// On which they gave different rows.
    pub violations: u64,
    /// On which one gave an error that the other did not give.
    pub errors_differ: u64,
    /// Denied queries on which the twins differ, where those were run.
    pub denied_differ: u64,
    /// Examples of these.
    #[serde(default)]
    pub denied: Vec<String>,
    /// The number of the first violation, where the run stopped at it.
    pub first: Option<u64>,
    /// Time spent.
    pub seconds: f64,
    /// By construct: allowed, denied.
    pub constructs: BTreeMap<String, (u64, u64)>,
    /// Denials by code.
    pub codes: BTreeMap<String, u64>,
    /// Errors of allowed queries by kind: count and an example.
    pub errors: BTreeMap<String, (u64, String)>,
    /// Queries on which the twins differ.
    pub findings: Vec<Finding>,
    /// Examples of differing errors.
    pub differ: Vec<String>,
    /// Denied queries on which the twins agree, by code: count and the shortest examples.
    pub harmless: BTreeMap<String, (u64, Vec<String>)>,
}

impl Stats {
    /// Counts a verdict.
    pub fn count(&mut self, world: Option<&World>, query: &Query, verdict: &Judged) {
        for (name, tags, _) in CONSTRUCTS.iter().chain(WRITES) {
            if !tags.iter().any(|tag| query.tags.contains(tag)) {
                continue;
            }
            let entry = self.constructs.entry((*name).to_owned()).or_default();
            if verdict.allowed {
                entry.0 += 1;
            } else {
                entry.1 += 1;
            }
        }
        if verdict.allowed {
            self.allowed += 1;
            let Some(world) = world else { return };
            self.generated += 1;
            let tenant = |name: &&String| {
                world.tables.iter().any(|table| {
                    table.sharing == Sharing::Tenant && **name == format!("{}.{}", table.schema, table.name)
                })
            };
            if verdict.tables.iter().filter(tenant).count() >= 2 {
                self.joined += 1;
            }
        }
        let mut codes = verdict.codes.clone();
        codes.sort_unstable();
        codes.dedup();
        for code in codes {
            *self.codes.entry(code.to_owned()).or_default() += 1;
        }
    }

    /// Adds the verdicts of a batch.
    pub fn add(&mut self, batch: Stats) {
        self.allowed += batch.allowed;
        self.generated += batch.generated;
        self.joined += batch.joined;
        for (name, (allowed, denied)) in batch.constructs {
            let entry = self.constructs.entry(name).or_default();
            entry.0 += allowed;
            entry.1 += denied;
        }
        for (code, count) in batch.codes {
            *self.codes.entry(code).or_default() += count;
        }
    }

    /// Counts an error of an allowed query, with the user's words taken out of its message.
    pub fn error(&mut self, code: &str, message: &str, sql: &str) {
        let mut kind = String::new();
        for (at, part) in message.split('"').enumerate() {
            kind.push_str(if at % 2 == 0 { part } else { "…" });
        }
        let kind = format!("{code} {kind}");
        if self.errors.len() > 300 && !self.errors.contains_key(&kind) {
            return;
        }
        let entry = self.errors.entry(kind).or_insert_with(|| (0, sql.to_owned()));
        entry.0 += 1;
        if sql.len() < entry.1.len() {
            sql.clone_into(&mut entry.1);
        }
    }

    /// Remembers a denied query on which the twins agree.
    pub fn harmless(&mut self, query: &Query, verdict: &Judged) {
        let Some(code) = verdict.codes.first() else { return };
        let entry = self.harmless.entry((*code).to_owned()).or_default();
        entry.0 += 1;
        entry.1.push(format!("{}\n    {}", query.sql, verdict.message));
        entry.1.sort_by_key(String::len);
        entry.1.truncate(150);
    }

    /// The allowed share in percent.
    #[must_use]
    pub fn share(&self) -> f64 {
        percent(self.allowed, self.queries)
    }

    /// The line that a run ends with.
    #[must_use]
    pub fn line(&self) -> String {
        format!(
            "queries={} allowed={:.1}% violations={} errors_differ={}",
            self.queries,
            self.share(),
            self.violations,
            self.errors_differ
        )
    }
}

/// `part` of `whole` in percent.
#[must_use]
#[allow(clippy::cast_precision_loss, reason = "a figure for people")]
pub fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 }
}
