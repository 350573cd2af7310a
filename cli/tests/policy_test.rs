//! `haltsql policy test`: the conformance corpus through it, and what it says of cases that fail and lines that cannot be read.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{Folder, parts};
use serde_json::{Value, json};

fn run(folder: &Folder, arguments: &[&str]) -> (i32, String, String) {
    let head = ["policy", "test", "--policy", "policy.yaml", "--context", "tenant_id=acme"];
    parts(&folder.run(&[&head, arguments].concat(), b""))
}

fn line(sql: &str, expect: Value) -> String {
    format!("{}\n", json!({ "sql": sql, "expect": expect }))
}

#[test]
fn cases_that_hold_end_with_0_and_a_table() {
    let folder = Folder::new();
    let denied = json!({ "allowed": false, "reasons": [{ "code": "E_TABLE_DENIED", "at": "secret" }] });
    let allowed =
        json!({ "allowed": true, "tables": ["app.products"], "columns": ["app.products.id"], "bind_params": [] });
    let named = json!({ "id": "bound", "sql": "SELECT id FROM customers WHERE tenant_id = $1", "context": { "tenant_id": "globex" },
        "expect": { "allowed": true, "bind_params": [{ "param": 1, "value": "globex", "type": "text" }] } });
    folder.write(
        "cases.jsonl",
        line("SELECT id FROM secret", denied) + "\n" + &line("SELECT id FROM products", allowed) + &named.to_string(),
    );
    let (code, out, err) = run(&folder, &["cases.jsonl"]);
    assert_eq!((code, &*err), (0, ""), "{out}");
    let rows: Vec<&str> = out.lines().collect();
    assert!(
        rows[1].starts_with("ok    cases.jsonl:1  SELECT id FROM secret")
            && rows[1].ends_with("denied    denied   E_TABLE_DENIED"),
        "{out}"
    );
    // The blank line counts as a line, and is no case.
    assert!(
        rows[2].starts_with("ok    cases.jsonl:3  SELECT id FROM products") && rows[2].ends_with("allowed   allowed"),
        "{out}"
    );
    assert!(rows[3].starts_with("ok    cases.jsonl:4  bound "), "{out}");
    assert!(out.ends_with("\n3 passed, 0 failed\n"), "{out}");
}

#[test]
fn a_case_that_does_not_hold_ends_with_1_and_says_what_differs() {
    let folder = Folder::new();
    let wrong = [
        (json!({ "allowed": true }), "allowed: expected true, got false"),
        (json!({ "allowed": false, "reasons": [{ "code": "E_STAR" }] }), "reasons: missing E_STAR"),
        (
            json!({ "allowed": false, "reasons": [{ "code": "E_TABLE_DENIED", "loc": 3 }] }),
            "reasons: missing E_TABLE_DENIED at byte 3",
        ),
        (
            json!({ "allowed": false, "reasons": [{ "code": "E_TABLE_DENIED" }, { "code": "E_TABLE_DENIED" }] }),
            "reasons: missing E_TABLE_DENIED",
        ),
        (json!({ "allowed": false, "codes_include": ["E_STAR"] }), "E_STAR is not among them"),
        (json!({ "allowed": false, "codes_any": ["E_STAR", "E_PARSE"] }), "none of E_STAR, E_PARSE is among them"),
        (json!({ "allowed": false, "statement_kind": null }), "statement_kind: expected None, got Some(\"select\")"),
        (json!({ "allowed": false, "tables": ["app.x"] }), "tables: expected [\"app.x\"], got []"),
        (json!({ "allowed": false, "columns": ["app.x.y"] }), "columns: expected"),
        (
            json!({ "allowed": false, "bind_params": [{ "param": 1, "value": ["a"], "type": "text[]" }] }),
            "bind_params: expected",
        ),
        (json!({ "allowed": false, "shadow_reasons": [{ "code": "E_STAR" }] }), "shadow_reasons: missing E_STAR"),
    ];
    for (expect, difference) in wrong {
        folder.write(
            "cases.jsonl",
            line("SELECT id FROM products", json!({ "allowed": true }))
                + &line("SELECT id FROM secret", expect.clone()),
        );
        let (code, out, _) = run(&folder, &["cases.jsonl"]);
        assert_eq!(code, 1, "{expect}");
        assert!(
            out.contains("FAIL  cases.jsonl:2") && out.contains(difference) && out.ends_with("\n1 passed, 1 failed\n"),
            "{expect}\n{out}"
        );
    }
}

#[test]
fn a_line_that_is_no_case_ends_with_2_and_its_number() {
    let folder = Folder::new();
    let bad = [
        ("{", "EOF while parsing"),
        ("[]", "no JSON object"),
        (r#"{"sql": "SELECT 1", "expect": [true]}"#, "`expect` is no JSON object"),
        (r#"{"sql": "SELECT 1"}"#, "missing field `expect`"),
        (r#"{"sql": "SELECT 1", "expect": {}}"#, "missing field `allowed`"),
        (r#"{"expect": {"allowed": true}}"#, "either `sql` or `sql_hex`"),
        (r#"{"sql": "SELECT 1", "sql_hex": "00", "expect": {"allowed": true}}"#, "either `sql` or `sql_hex`"),
        (r#"{"sql_hex": "0", "expect": {"allowed": true}}"#, "hexadecimal"),
        (r#"{"sql": "SELECT 1", "expect": {"allowed": true, "resons": []}}"#, "unknown field `resons`"),
        (r#"{"sql": "SELECT 1", "expcet": {}, "expect": {"allowed": true}}"#, "unknown field `expcet`"),
        (r#"{"sql": "SELECT 1", "context": [], "expect": {"allowed": true}}"#, "context"),
        (
            r#"{"sql": "SELECT 1", "expect": {"allowed": false, "codes_include": ["E_STARS"]}}"#,
            "no reason code `E_STARS`",
        ),
        (
            r#"{"sql": "SELECT 1", "expect": {"allowed": false, "reasons": [{"code": "E_STAR", "at": "x"}]}}"#,
            "`x` occurs 0 times",
        ),
        (
            r#"{"sql": "SELECT 1", "expect": {"allowed": false, "reasons": [{"code": "E_STAR", "at": "E"}]}}"#,
            "`E` occurs 2 times",
        ),
        (r#"{"sql": "SELECT 1", "expect": {"allowed": false, "reasons": []}}"#, "`reasons` is empty"),
        (
            r#"{"sql": "SELECT 1", "expect": {"allowed": true, "reasons": [{"code": "E_STAR"}]}}"#,
            "there are reasons why not",
        ),
    ];
    for (text, problem) in bad {
        folder.write("cases.jsonl", line("SELECT id FROM products", json!({ "allowed": true })) + text + "\n");
        let (code, out, err) = run(&folder, &["cases.jsonl"]);
        assert_eq!((code, &*out), (2, ""), "{text}: {err}");
        assert!(err.contains("cases.jsonl:2: ") && err.contains(problem), "{text}: {err}");
    }
}

#[test]
fn a_file_without_a_case_is_an_error() {
    let folder = Folder::new();
    folder.write("full.jsonl", line("SELECT 1", json!({ "allowed": true })));
    for text in ["", "\n \n"] {
        folder.write("empty.jsonl", text);
        let (code, out, err) = run(&folder, &["full.jsonl", "empty.jsonl"]);
        assert_eq!((code, &*out), (2, ""));
        assert!(err.contains("there is no case in `empty.jsonl`"), "{err}");
    }
    assert_eq!(run(&folder, &["nowhere.jsonl"]).0, 2);
    assert_eq!(run(&folder, &[]).0, 2);
}

#[test]
fn a_case_needs_a_policy() {
    let folder = Folder::new();
    folder.write("cases.jsonl", line("SELECT 1", json!({ "allowed": true })));
    let (code, _, err) = parts(&folder.run(&["policy", "test", "cases.jsonl"], b""));
    assert_eq!(code, 2);
    assert!(err.contains("cases.jsonl:1 names no policy"), "{err}");
}

#[test]
fn the_corpus_holds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance");
    let mut lines = String::new();
    let mut count = 0;
    for file in files(&root.join("cases")) {
        let mut case: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        let policy = root.join("policies").join(case["policy"].as_str().unwrap()).with_extension("yaml");
        case["policy"] = json!(policy);
        lines += &format!("{case}\n");
        count += 1;
    }
    assert!(count > 600, "{count} cases");
    let folder = Folder::new();
    folder.write("corpus.jsonl", lines);
    let (code, out, err) = parts(&folder.run(&["policy", "test", "--json", "corpus.jsonl"], b""));
    let found: Value = serde_json::from_str(&out).unwrap();
    let failed: Vec<&Value> =
        found["cases"].as_array().unwrap().iter().filter(|case| case["passed"] == false).collect();
    assert_eq!((code, &*err, failed.len()), (0, "", 0), "{failed:?}");
    assert_eq!((&found["passed"], &found["failed"]), (&json!(count), &json!(0)));
    assert_eq!(found["cases"][0]["verdict"]["sql_sha256"].as_str().unwrap().len(), 64);
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}
