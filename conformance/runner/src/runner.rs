//! A runner: answers rows in one way, compares, counts, and prints the line of RUNNERS.md.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use haltsql::boundary::{DocumentFormat, Error, Policy};

use crate::rows::{Row, Set, Task};

/// What came of a row: the answer, or that it could not be asked.
pub type Answer = Option<String>;

/// What a set came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Rows that were run.
    pub cases: usize,
    /// Rows with the answer that is expected.
    pub identical: usize,
    /// Rows that could not be asked.
    pub uncarried: usize,
}

/// Differences that are shown in full.
const SHOWN: usize = 10;

/// Runs every set of a folder, prints a line for each, and tells whether there is no difference.
///
/// # Errors
/// The folder or a policy cannot be read, or `answers` fails.
pub fn run(
    name: &str,
    folder: &Path,
    answers: impl Fn(&Path, &[Row]) -> Result<Vec<Answer>, String>,
) -> Result<bool, String> {
    let mut same = true;
    for set in Set::all(folder)? {
        let count = compare(&set, &answers(folder, &set.rows)?);
        same &= count.identical + count.uncarried == set.rows.len() && count.cases == set.rows.len();
        println!(
            "conformance name={name} set={} cases={} identical={} uncarried={} digest={}",
            set.name, count.cases, count.identical, count.uncarried, set.digest
        );
    }
    Ok(same)
}

/// Counts the answers that are as expected, and reports the first of the others on standard error.
#[must_use]
pub fn compare(set: &Set, answers: &[Answer]) -> Count {
    let mut different = 0;
    let mut count = Count { cases: answers.len().min(set.rows.len()), ..Count::default() };
    for (row, answer) in set.rows.iter().zip(answers) {
        match answer {
            None => count.uncarried += 1,
            Some(answer) if *answer == row.expected => count.identical += 1,
            Some(answer) => {
                different += 1;
                if different <= SHOWN {
                    eprintln!("{}\n  expected {}\n  answered {answer}", row.id, row.expected);
                }
            }
        }
    }
    count
}

/// The answers of the Rust library, through the boundary that every language goes through.
///
/// # Errors
/// A policy that rows name cannot be read or loaded.
pub fn rust(folder: &Path, rows: &[Row]) -> Result<Vec<Answer>, String> {
    let mut policies: BTreeMap<&str, Policy> = BTreeMap::new();
    let mut answers = Vec::with_capacity(rows.len());
    for row in rows {
        let answer = match &row.task {
            Task::Check { policy, context, sql } => {
                if !policies.contains_key(&**policy) {
                    policies.insert(policy, load(folder, policy)?);
                }
                let policy = policies.get(&**policy).ok_or("a policy is gone")?;
                policy.check(sql, context).map(|verdict| cut(&verdict).to_owned())
            }
            Task::Load { format, name, document } => {
                let name = String::from_utf8_lossy(name);
                Policy::load(document, format_of(format)?, &name).map(|policy| policy.version().to_owned())
            }
        };
        answers.push(Some(answer.unwrap_or_else(|error| spell(&error))));
    }
    Ok(answers)
}

fn load(folder: &Path, name: &str) -> Result<Policy, String> {
    let path = folder.join("policies").join(format!("{name}.yaml"));
    let document = fs::read(&path).map_err(|problem| format!("{}: {problem}", path.display()))?;
    Policy::load(&document, DocumentFormat::Yaml, name).map_err(|error| error.to_string())
}

/// The format that a row names.
///
/// # Errors
/// It is none.
pub fn format_of(name: &str) -> Result<DocumentFormat, String> {
    match name {
        "auto" => Ok(DocumentFormat::Auto),
        "yaml" => Ok(DocumentFormat::Yaml),
        "json" => Ok(DocumentFormat::Json),
        _ => Err(format!("`{name}` is no format of a policy")),
    }
}

/// The part of a verdict that is the same on every run.
#[must_use]
pub fn cut(verdict: &str) -> &str {
    verdict.rsplit_once(",\"elapsed_us\":").map_or(verdict, |(same, _)| same)
}

/// An error as rows expect it.
#[must_use]
pub fn spell(error: &Error) -> String {
    format!("error {}", error.code().number())
}
