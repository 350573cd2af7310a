//! Where the corpus stands and what belongs to it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::case::Case;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance")
}

/// Every case, by id.
pub fn load() -> Vec<Case> {
    let mut cases: Vec<Case> = files("cases")
        .into_iter()
        .map(|(path, bytes)| {
            let id = path
                .trim_start_matches("cases/")
                .strip_suffix(".json")
                .unwrap_or_else(|| panic!("{path}: not a .json file"));
            let body = serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{path}: {error}"));
            Case { id: id.to_owned(), body }
        })
        .collect();
    cases.sort_by(|a, b| a.id.cmp(&b.id));
    cases
}

/// Name and text of every policy.
pub fn policy_files() -> Vec<(String, String)> {
    files("policies")
        .into_iter()
        .map(|(path, bytes)| {
            let name = path
                .trim_start_matches("policies/")
                .strip_suffix(".yaml")
                .unwrap_or_else(|| panic!("{path}: not a .yaml file"));
            (name.to_owned(), String::from_utf8(bytes).unwrap())
        })
        .collect()
}

/// All files below a folder of the corpus, by their path in it.
fn files(folder: &str) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![root().join(folder)];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display())) {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path
                    .strip_prefix(root())
                    .unwrap()
                    .components()
                    .map(|c| c.as_os_str().to_str().unwrap())
                    .collect::<Vec<_>>();
                found.insert(name.join("/"), fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// The text of MANIFEST.
pub fn stated_manifest() -> String {
    fs::read_to_string(root().join("MANIFEST")).unwrap_or_default()
}

/// What MANIFEST has to say: the number of cases, and the SHA-256 over `sha256sum`'s lines for cases and policies.
pub fn computed_manifest() -> String {
    let cases = files("cases");
    let mut lines = String::new();
    let count = cases.len();
    let all: BTreeMap<_, _> = cases.into_iter().chain(files("policies")).collect();
    for (path, bytes) in all {
        writeln!(lines, "{}  {path}", hex(&Sha256::digest(bytes))).unwrap();
    }
    format!("cases {count}\nsha256 {}\n", hex(&Sha256::digest(lines)))
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}
