//! What is weak in a policy that is valid.
//!
//! Receives a document, returns findings: where, what, why it matters, how to mend it. Must never refuse a policy, and never say that one is
//! safe: what the database allows is for `haltsql policy doctor` to see. An id is for ever, as a reason code is; docs/policy-lint.md
//! has a row for each, which a test checks.

mod execution;
mod lists;
mod place;
mod scope;
mod tables;

use serde::Serialize;

use super::document::Node;
use super::error::{PolicyError, Problems};
use super::{Format, Policy, json, yaml};
use place::Places;

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The policy gives away what it is there to keep.
    Danger,
    /// Weaker than it has to be, or than it looks.
    Warning,
    /// Worth knowing; often on purpose.
    Note,
}

/// One weakness of a policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// Stable: `tenancy.none`.
    pub id: &'static str,
    /// How much it weighs.
    pub severity: Severity,
    /// The key that it is about: `spec.tables["app.orders"].shared`; where it is left out, the nearest that is written.
    pub path: String,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// What is weak.
    pub what: String,
    /// What follows from it.
    pub why: &'static str,
    /// How to mend it.
    pub mend: String,
}

impl Policy {
    /// Loads a policy and says what is weak in it: the weightiest first, then by place.
    ///
    /// # Errors
    /// The document is no valid policy: see [`Policy::parse`].
    pub fn lint(text: &[u8], format: Format) -> Result<Vec<Finding>, PolicyError> {
        let policy = Policy::parse(text, format)?;
        let decoded = String::from_utf8_lossy(text);
        let root = tree(&decoded, format);
        let mut report = Report { places: Places::new(&decoded, root.as_ref()), findings: Vec::new() };
        scope::findings(&policy, &mut report);
        tables::findings(&policy, &mut report);
        lists::findings(&policy, &mut report);
        execution::findings(&policy, &mut report);
        let mut findings = report.findings;
        findings.sort_by(|a, b| {
            (a.severity, a.line, a.column, a.id, &a.what).cmp(&(b.severity, b.line, b.column, b.id, &b.what))
        });
        Ok(findings)
    }
}

/// The document once more, for its places: a policy keeps none.
fn tree(text: &str, format: Format) -> Option<Node> {
    let mut problems = Problems::new(text);
    match format {
        Format::Yaml => yaml::parse(text, &mut problems),
        Format::Json => json::parse(text, &mut problems),
    }
}

/// Collects findings.
struct Report<'d> {
    places: Places<'d>,
    findings: Vec<Finding>,
}

/// Id, severity, and why it matters.
type Kind = (&'static str, Severity, &'static str);

impl Report<'_> {
    /// `steps`: the keys down from `spec`; the place is that of the last one that is written.
    fn add(&mut self, (id, severity, why): Kind, steps: &[&str], what: String, mend: impl Into<String>) {
        let (path, line, column) = self.places.find(steps);
        self.findings.push(Finding { id, severity, path, line, column, what, why, mend: mend.into() });
    }
}

impl Severity {
    /// The spelling in JSON and in texts: `danger`, `warning`, `note`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Severity::Danger => "danger",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}
