//! How the context that a caller gives on the command line or in a line of a batch reaches the verdict.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use common::{Folder, parts};
use serde_json::{Value, json};

const ONE: &str = "SELECT id FROM customers WHERE tenant_id = $1";
const SET: &str = "SELECT id FROM customers WHERE tenant_id = ANY($1)";

fn verdict(arguments: &[&str]) -> Value {
    let head = ["check", "--policy", "policy.yaml", "--json", "--exit-zero"];
    let (code, out, err) = parts(&Folder::new().run(&[&head, arguments].concat(), b""));
    assert_eq!(code, 0, "{err}");
    serde_json::from_str(&out).unwrap()
}

fn codes(verdict: &Value) -> Vec<&str> {
    verdict["reasons"].as_array().unwrap().iter().map(|reason| reason["code"].as_str().unwrap()).collect()
}

#[test]
fn one_value_is_bound_as_a_string_and_a_repeated_key_as_an_array() {
    let one = verdict(&["--context", "tenant_id=acme", ONE]);
    assert_eq!(one["bind_params"], json!([{"param": 1, "value": "acme", "type": "text"}]));
    let both = ["--context", "tenant_id=globex", "--context", "tenant_id=acme"];
    let set = verdict(&[&both[..], &[SET]].concat());
    assert_eq!(set["bind_params"], json!([{"param": 1, "value": ["acme", "globex"], "type": "text[]"}]));
    assert_eq!(codes(&verdict(&[&both[..], &[ONE]].concat())), ["E_TENANT_MISMATCH"]);
}

#[test]
fn a_context_in_json_is_the_same_context() {
    let json = verdict(&["--context-json", r#"{"tenant_id": "acme", "user": null}"#, ONE]);
    assert_eq!(json["bind_params"], json!([{"param": 1, "value": "acme", "type": "text"}]));
}

#[test]
fn a_missing_empty_or_ill_typed_value_is_a_denial_and_no_error() {
    for context in
        ["{}", r#"{"tenant_id": ""}"#, r#"{"tenant_id": []}"#, r#"{"tenant_id": null}"#, r#"{"tenant_id": 5}"#]
    {
        assert_eq!(
            codes(&verdict(&["--context-json", context, "SELECT id FROM products"])),
            ["E_CONTEXT_MISSING"],
            "{context}"
        );
    }
    assert_eq!(codes(&verdict(&["--context", "tenant_id=", "SELECT id FROM products"])), ["E_CONTEXT_MISSING"]);
}

#[test]
fn the_context_of_a_line_replaces_that_of_the_command_line() {
    let folder = Folder::new();
    let input = [
        json!({"id": 0, "sql": ONE}),
        json!({"id": 1, "sql": ONE, "context": {"tenant_id": "globex"}}),
        json!({"id": 2, "sql": ONE, "context": {}}),
        json!({"id": 3, "sql": SET, "context": {"tenant_id": ["initech", "globex"]}}),
    ];
    let input: Vec<String> = input.iter().map(Value::to_string).collect();
    let (code, out, _) = parts(&folder.check(&["--batch", "-"], input.join("\n").as_bytes()));
    assert_eq!(code, 1);
    let answers: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers[0]["verdict"]["bind_params"][0]["value"], "acme");
    assert_eq!(answers[1]["verdict"]["bind_params"][0]["value"], "globex");
    assert_eq!(codes(&answers[2]["verdict"]), ["E_CONTEXT_MISSING"]);
    assert_eq!(answers[3]["verdict"]["bind_params"][0]["value"], json!(["globex", "initech"]));
}

#[test]
fn a_person_sees_what_to_bind() {
    let (code, out, _) = parts(&Folder::new().check(&[ONE], b""));
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("bind        $1 = acme (text)"), "{out}");
    assert!(out.contains("tables      app.customers"), "{out}");
    assert!(out.contains("search_path app, pg_temp"), "{out}");
}
