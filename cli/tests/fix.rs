//! `haltsql check --fix`: the repaired text, what was inserted, what remains; files only with --write.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::fs;
use std::path::Path;

use common::{Folder, parts};
use serde_json::Value;

const DENIED: &str = "SELECT c.name FROM customers c WHERE c.id = 1 OR c.id = 2 -- two\n";
const REPAIRED: &str = "SELECT c.name FROM customers c WHERE (c.id = 1 OR c.id = 2) AND c.tenant_id = $1 -- two\n";

#[test]
fn the_repaired_text_is_printed_and_what_was_inserted_is_told() {
    let folder = Folder::new();
    let (code, out, err) = parts(&folder.check(&["--fix", DENIED], b""));
    assert_eq!((code, &*out), (0, REPAIRED));
    assert_eq!(err, "repaired E_TENANT_MISSING: inserted `(` and `) AND c.tenant_id = $1` at sql:1:58\n");
}

#[test]
fn a_file_is_written_only_when_asked() {
    let folder = Folder::new();
    let path = folder.write("query.sql", DENIED);
    let (code, out, _) = parts(&folder.check(&["--fix", "--file", "query.sql"], b""));
    assert_eq!((code, &*out, &*fs::read_to_string(&path).unwrap()), (0, REPAIRED, DENIED));
    let (code, out, err) = parts(&folder.check(&["--fix", "--write", "--file", "query.sql"], b""));
    assert_eq!((code, &*out, &*fs::read_to_string(&path).unwrap()), (0, "", REPAIRED));
    assert!(err.ends_with("written to query.sql\n"), "{err}");
    let (code, out, err) = parts(&folder.check(&["--fix", "--write", "--file", "query.sql"], b""));
    assert_eq!((code, &*out, &*err), (0, "", "nothing to repair\n"));
}

#[test]
fn what_an_insertion_cannot_mend_remains_and_is_shown() {
    let folder = Folder::new();
    let sql = "SELECT c.name, c.ssn FROM customers c";
    let (code, out, err) = parts(&folder.check(&["--fix", sql], b""));
    assert_eq!((code, &*out), (1, "SELECT c.name, c.ssn FROM customers c WHERE c.tenant_id = $1"));
    assert!(err.contains("what remains:\n\nerror[E_COLUMN_DENIED]"), "{err}");
    let (code, out, err) = parts(&folder.check(&["--fix", "DROP TABLE customers"], b""));
    assert_eq!((code, &*out), (1, "DROP TABLE customers"));
    assert!(err.starts_with("no reason can be repaired by an insertion alone\nwhat remains:\n"), "{err}");
    assert_eq!(parts(&folder.check(&["--fix", "--exit-zero", sql], b"")).0, 0);
}

#[test]
fn json_has_the_text_the_repairs_and_the_verdict_on_one_line() {
    let folder = Folder::new();
    let (code, out, err) = parts(&folder.check(&["--fix", "--json", DENIED], b""));
    assert_eq!((code, &*err, out.lines().count()), (0, "", 1));
    let answer: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(answer["sql"], REPAIRED);
    assert_eq!(answer["repairs"][0]["code"], "E_TENANT_MISSING");
    assert_eq!(answer["repairs"][0]["insertions"][0], serde_json::json!({ "at": 37, "text": "(" }));
    assert_eq!(answer["verdict"]["allowed"], true);
}

#[test]
fn bytes_that_are_no_text_come_out_as_they_went_in() {
    let folder = Folder::new();
    let output = folder.check(&["--fix", "-"], b"SELECT \xff");
    assert_eq!((output.status.code(), &*output.stdout), (Some(1), &b"SELECT \xff"[..]));
}

#[test]
fn write_needs_a_file() {
    let folder = Folder::new();
    for arguments in
        [&["--fix", "--write", DENIED][..], &["--write", "--file", "query.sql"], &["--fix", "--batch", "-"]]
    {
        assert_eq!(parts(&folder.check(arguments, b"")).0, 2, "{arguments:?}");
    }
}

/// Each case of the corpus: the text keeps every byte in its order, has no more reasons than before, and reasons that had a repair
/// are gone or stand beside one that has none.
#[test]
fn the_corpus_comes_out_with_every_byte_and_fewer_reasons() {
    let folder = Folder::new();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance");
    let mut batches: std::collections::BTreeMap<String, Vec<(String, Value)>> = Default::default();
    for code in ["E_TENANT_MISSING", "E_LIMIT_MISSING", "E_UNQUALIFIED", "E_COLUMN_AMBIGUOUS"] {
        let mut files: Vec<_> =
            fs::read_dir(corpus.join("cases").join(code)).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        for file in files.iter().take(6) {
            let case: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
            let policy = case["policy"].as_str().unwrap().to_owned();
            batches.entry(policy).or_default().push((file.display().to_string(), case));
        }
    }
    let (mut repaired, mut allowed) = (0, 0);
    for (policy, cases) in batches {
        let policy = corpus.join(format!("policies/{policy}.yaml"));
        for (name, case) in cases {
            let (sql, context) = (case["sql"].as_str().unwrap(), case["context"].to_string());
            let common = ["check", "--policy", policy.to_str().unwrap(), "--json", "--context-json", &context];
            let before = folder.run(&[&common[..], &["--", sql]].concat(), b"");
            let before: Value = serde_json::from_slice(&before.stdout).unwrap();
            let after = folder.run(&[&common[..], &["--fix", "--", sql]].concat(), b"");
            let after: Value = serde_json::from_slice(&after.stdout).unwrap();
            let text = after["sql"].as_str().unwrap();
            let mut rest = text.chars();
            assert!(sql.chars().all(|kept| rest.any(|found| found == kept)), "{name}: {text}");
            let reasons = |verdict: &Value| verdict["reasons"].as_array().unwrap().len();
            let steps = after["repairs"].as_array().unwrap().len();
            assert!(reasons(&before) >= reasons(&after["verdict"]) + steps.min(1), "{name}: {text}");
            assert_eq!(text == sql, steps == 0, "{name}");
            repaired += steps.min(1);
            allowed += usize::from(after["verdict"]["allowed"] == true && steps > 0);
        }
    }
    assert!(repaired >= 12 && allowed >= 10, "{repaired} repaired, {allowed} allowed");
}
