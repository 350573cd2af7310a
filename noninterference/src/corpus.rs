//! The corpus as a source of queries: its cases, with a few of their tokens changed.
//!
//! Receives the folder `conformance/`; returns cases by database, and mutations of them. Leaves out cases in which SQL lets the
//! server choose (LIMIT, DISTINCT, first_value …): a mutation could take their order away. So with writes that depend on which of
//! several rows counts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use fastrand::Rng;
use serde_json::Value;

use crate::generate::Query;
use crate::run::Subject;
use crate::run::shrink::tokens;

/// Words after which the server may choose, and functions that tell one database from another.
const CHOICES: &[&str] = &[
    "limit",
    "fetch",
    "offset",
    "distinct",
    "row_number",
    "lag",
    "lead",
    "_value",
    "ntile",
    "_agg",
    "array",
    "random",
    "rows",
    "ntile",
    "now",
    "current_",
    "localtime",
    "clock_timestamp",
    "generate_series",
    "union",
    "intersect",
    "except",
    "min",
    "max",
    "mode",
    "avg",
    "label",
    "percentile",
    "rank",
    "over",
    "statement_timestamp",
    "json_object",
    "sum(p.ratio",
    "stddev",
    "corr",
    "regr_",
    "var",
];

/// One database of the corpus.
#[derive(Debug)]
pub struct Database {
    /// Its name.
    pub name: String,
    /// The schema with what both twins have.
    pub schema: String,
    /// What each twin has alone.
    pub twins: [String; 2],
    /// Policies and contexts: the policy's name and text, the context.
    pub judges: Vec<(String, String, Value)>,
    /// Cases: tokens, and the judge's position.
    pub cases: Vec<(Vec<String>, usize)>,
}

/// Reads the corpus.
///
/// # Errors
/// A file is missing or no JSON.
pub fn load(conformance: &Path, subject: Subject) -> Result<Vec<Database>, String> {
    let mut files = Vec::new();
    collect(&conformance.join("cases"), &mut files)?;
    files.sort();
    let mut databases: BTreeMap<String, Database> = BTreeMap::new();
    for file in files {
        let case: Value =
            serde_json::from_str(&read(&file)?).map_err(|error| format!("{}: {error}", file.display()))?;
        let (Some(sql), Some(policy)) = (case["sql"].as_str(), case["policy"].as_str()) else { continue };
        let lower = sql.to_lowercase();
        let kind = lower.trim_start();
        let starts: &[&str] = match subject {
            Subject::Queries => &["select", "with", "(", "table", "values"],
            Subject::Writes => &["insert", "update", "delete", "with"],
        };
        let writes = ["insert into", "update ", "delete from"].iter().any(|word| lower.contains(word));
        let fits = starts.iter().any(|word| kind.starts_with(word)) && (subject == Subject::Queries || writes);
        if !fits || CHOICES.iter().any(|word| lower.contains(word)) || policy == "shadow" || policy == "open" {
            continue;
        }
        let first = policy.split('-').next().unwrap_or_default();
        let folder = conformance.join("databases").join(first);
        let name = if folder.is_dir() { first } else { "shop" };
        if conformance.join("databases").join(name).join("server").exists() {
            // It needs an extension that these servers lack.
            continue;
        }
        if !databases.contains_key(name) {
            let folder = conformance.join("databases").join(name);
            let database = Database {
                name: name.to_owned(),
                schema: read(&folder.join("schema.sql"))?,
                twins: [read(&folder.join("a.sql"))?, read(&folder.join("b.sql"))?],
                judges: Vec::new(),
                cases: Vec::new(),
            };
            databases.insert(name.to_owned(), database);
        }
        let Some(database) = databases.get_mut(name) else { continue };
        let context = &case["context"];
        let known = database.judges.iter().position(|(name, _, own)| name == policy && own == context);
        let judge = match known {
            Some(at) => at,
            None => {
                let text = read(&conformance.join("policies").join(format!("{policy}.yaml")))?;
                database.judges.push((policy.to_owned(), text, context.clone()));
                database.judges.len() - 1
            }
        };
        let list = tokens(sql);
        if !leaves_choice(&list) {
            database.cases.push((list, judge));
        }
    }
    Ok(databases.into_values().collect())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|kind| kind == "json") {
            files.push(path);
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// A case with up to three changes.
#[must_use]
pub fn mutate(database: &Database, rng: &mut Rng) -> Query {
    let (case, judge) = &database.cases[rng.usize(0..database.cases.len())];
    let mut list = case.clone();
    let declared = rng.bool();
    for _ in 0..rng.usize(0..4) {
        // What is put in comes from a case of the same policy and context, so that names and values mean something.
        let other = &database.cases[rng.usize(0..database.cases.len())];
        let donor = if other.1 == *judge { &other.0 } else { case };
        change(&mut list, donor, rng);
    }
    if leaves_choice(&list) {
        list.clone_from(case);
    }
    let tags = BTreeSet::from(["mutation"]);
    Query { sql: list.join(" "), tags, judge: *judge, params: Vec::new(), sins: 1, declared }
}

/// Whether what a write does can depend on which of several matches, or of several rows of one key, comes first.
fn leaves_choice(list: &[String]) -> bool {
    let mut depth = 0_usize;
    let mut outer: BTreeSet<String> = BTreeSet::new();
    for token in list {
        match token.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ if depth == 0 => {
                outer.insert(token.to_lowercase());
            }
            _ => {}
        }
    }
    let all = |words: &[&str]| words.iter().all(|word| outer.contains(*word));
    all(&["update", "set", "from"]) || all(&["delete", "using", "returning"]) || all(&["insert", "conflict", "select"])
}

fn change(list: &mut Vec<String>, donor: &[String], rng: &mut Rng) {
    if list.is_empty() || donor.is_empty() {
        return;
    }
    let at = rng.usize(0..list.len());
    let from = rng.usize(0..donor.len());
    let end = (from + rng.usize(1..8)).min(donor.len());
    match rng.u8(0..12) {
        0 => {
            let end = (at + rng.usize(1..5)).min(list.len());
            list.drain(at..end);
        }
        1 => {
            let to = rng.usize(0..list.len());
            list.swap(at, to);
        }
        2 => list[at].clone_from(&donor[from]),
        3 => {
            for (offset, token) in donor[from..end].iter().enumerate() {
                list.insert(at + offset, token.clone());
            }
        }
        4 => replace(list, "JOIN", &["LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "JOIN"], rng),
        5 => replace(list, "LEFT", &["RIGHT", "FULL", "INNER"], rng),
        6 => replace(list, "AND", &["OR", "AND NOT"], rng),
        7 => replace(list, "=", &["<>", "<=", "IS NOT DISTINCT FROM", "LIKE"], rng),
        8 => replace(list, "AS", &["AS MATERIALIZED", ""], rng),
        9 => replace(list, "WHERE", &["WHERE NOT", "HAVING", "AND"], rng),
        10 => replace(list, "WITH", &["WITH RECURSIVE"], rng),
        _ => replace(list, "OR", &["AND"], rng),
    }
}

/// Puts another word in place of one occurrence of a word.
fn replace(list: &mut [String], word: &str, others: &[&str], rng: &mut Rng) {
    let found: Vec<usize> = (0..list.len()).filter(|at| list[*at].eq_ignore_ascii_case(word)).collect();
    if !found.is_empty() {
        let at = found[rng.usize(0..found.len())];
        others[rng.usize(0..others.len())].clone_into(&mut list[at]);
    }
}
