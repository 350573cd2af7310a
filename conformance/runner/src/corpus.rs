//! The corpus as rows: cases with their golden bytes.
//!
//! Receives the folder `conformance/`, returns its cases by id, the golden bytes of each as what is expected, and MANIFEST's digest,
//! computed anew. Must never check anything itself: what is expected comes from the committed files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::rows::{Row, Set, Task, hex, unhex};

/// The corpus that stands in `root`.
///
/// # Errors
/// A file cannot be read, MANIFEST is not of these files, or golden bytes and cases are not of the same ids.
pub fn load(root: &Path) -> Result<Set, String> {
    let cases = files(root, "cases")?;
    let digest = manifest(root, &cases)?;
    let golden = text(&root.join("golden/verdicts.tsv"))?;
    let mut golden: BTreeMap<&str, &str> = golden.lines().filter_map(|line| line.split_once('\t')).collect();
    let mut rows = Vec::new();
    for (path, bytes) in &cases {
        let id = path.strip_prefix("cases/").and_then(|path| path.strip_suffix(".json"));
        let id = id.ok_or_else(|| format!("{path}: not a .json file"))?;
        let expected = golden.remove(id).ok_or_else(|| format!("{id}: no golden bytes: run the example `golden`"))?;
        let task = task(bytes).map_err(|problem| format!("{path}: {problem}"))?;
        rows.push(Row { id: id.to_owned(), task, expected: expected.to_owned() });
    }
    match golden.keys().next() {
        None => Ok(Set { name: "corpus".to_owned(), digest, rows }),
        Some(id) => Err(format!("{id}: golden bytes of no case: run the example `golden`")),
    }
}

/// Every policy of the corpus: name and document.
///
/// # Errors
/// A file cannot be read.
pub fn policies(root: &Path) -> Result<Vec<(String, Vec<u8>)>, String> {
    let mut found = Vec::new();
    for (path, bytes) in files(root, "policies")? {
        let name = path.strip_prefix("policies/").and_then(|path| path.strip_suffix(".yaml"));
        found.push((name.ok_or_else(|| format!("{path}: not a .yaml file"))?.to_owned(), bytes));
    }
    Ok(found)
}

fn task(case: &[u8]) -> Result<Task, String> {
    let case: Value = serde_json::from_slice(case).map_err(|problem| problem.to_string())?;
    let member = |name: &str| case.get(name).and_then(Value::as_str);
    let sql = match (member("sql"), member("sql_hex")) {
        (Some(sql), None) => sql.as_bytes().to_vec(),
        (None, Some(digits)) => unhex(digits).ok_or("sql_hex is not hexadecimal")?,
        _ => return Err("not exactly one of sql and sql_hex".to_owned()),
    };
    let context = case.get("context").ok_or("no context")?.to_string().into_bytes();
    Ok(Task::Check { policy: member("policy").ok_or("no policy")?.to_owned(), context, sql })
}

/// MANIFEST's digest, having compared it with the files.
fn manifest(root: &Path, cases: &BTreeMap<String, Vec<u8>>) -> Result<String, String> {
    let mut all = cases.clone();
    all.extend(files(root, "policies")?);
    let lines: String = all.iter().map(|(path, bytes)| format!("{}  {path}\n", hex(&Sha256::digest(bytes)))).collect();
    let digest = hex(&Sha256::digest(lines));
    if text(&root.join("MANIFEST"))? == format!("cases {}\nsha256 {digest}\n", cases.len()) {
        Ok(digest)
    } else {
        Err("MANIFEST is not of these files: run scripts/conformance/manifest".to_owned())
    }
}

/// All files below a folder of the corpus, by their path in the corpus.
fn files(root: &Path, folder: &str) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let mut found = BTreeMap::new();
    let mut open: Vec<(String, PathBuf)> = vec![(folder.to_owned(), root.join(folder))];
    while let Some((name, directory)) = open.pop() {
        let failed = |problem: std::io::Error| format!("{}: {problem}", directory.display());
        for entry in fs::read_dir(&directory).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = format!("{name}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                open.push((name, entry.path()));
            } else {
                found.insert(name, fs::read(entry.path()).map_err(failed)?);
            }
        }
    }
    Ok(found)
}

fn text(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|problem| format!("{}: {problem}", path.display()))
}
