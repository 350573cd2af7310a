//! `haltsql policy`: schema, show, hash, describe, lint, diff.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use common::{Folder, POLICY, parts};
use haltsql::{Format, Policy};
use serde_json::Value;
use sha2::{Digest, Sha256};

fn policy() -> Policy {
    Policy::parse(POLICY.as_bytes(), Format::Yaml).unwrap()
}

fn run(folder: &Folder, arguments: &[&str]) -> (i32, String, String) {
    parts(&folder.run(&[&["policy"], arguments].concat(), b""))
}

#[test]
fn hash_is_the_version_of_a_verdict() {
    let folder = Folder::new();
    let verdict: Value = serde_json::from_str(&parts(&folder.check(&["--json", "SELECT 1"], b"")).1).unwrap();
    let version = verdict["policy"]["version"].as_str().unwrap();
    assert_eq!(run(&folder, &["hash", "policy.yaml"]), (0, format!("{version}\n"), String::new()));
    let json: Value = serde_json::from_str(&run(&folder, &["hash", "--json", "policy.yaml"]).1).unwrap();
    assert_eq!((&json["name"], &json["version"]), (&Value::from("cli"), &Value::from(version)));
}

#[test]
fn show_is_what_the_hash_is_computed_over_and_a_policy_itself() {
    let folder = Folder::new();
    let (code, out, _) = run(&folder, &["show", "policy.yaml"]);
    assert_eq!(code, 0);
    let digest = Sha256::digest(out.trim_end_matches('\n'));
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(format!("sha256:{hex}"), policy().version());
    for arguments in [&["show", "policy.yaml"][..], &["show", "--pretty", "policy.yaml"]] {
        folder.write("again.json", run(&folder, arguments).1);
        assert_eq!(run(&folder, &["hash", "again.json"]).1.trim_end(), policy().version());
    }
}

#[test]
fn schema_is_the_committed_one() {
    let folder = Folder::new();
    let committed =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../schema/policy.schema.json")).unwrap();
    assert_eq!(run(&folder, &["schema"]), (0, committed, String::new()));
}

#[test]
fn describe_is_a_prompt_or_json_and_names_no_hidden_column() {
    let folder = Folder::new();
    folder.write(
        "hidden.yaml",
        POLICY.replace("columns: [id, tenant_id, name]", "columns: [id, tenant_id]\n      hidden: [name_of_nobody]"),
    );
    let (code, out, _) = run(&folder, &["describe", "hidden.yaml"]);
    assert_eq!(code, 0);
    assert!(out.contains("app.customers") && out.ends_with('\n') && !out.contains("name_of_nobody"), "{out}");
    let (_, out, _) = run(&folder, &["describe", "--json", "hidden.yaml"]);
    let json: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(json["tables"][0]["name"], "app.customers");
    assert!(!out.contains("name_of_nobody"), "{out}");
}

#[test]
fn lint_ends_with_1_for_what_weighs_and_0_for_notes() {
    let folder = Folder::new();
    let (code, out, _) = run(&folder, &["lint", "policy.yaml"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("note[execution.no_seal]: "), "{out}");
    assert!(out.contains("0 dangers, 0 warnings, "), "{out}");
    folder.write("weak.yaml", POLICY.replace("spec:\n", "spec:\n  mode: shadow\n"));
    let (code, out, _) = run(&folder, &["lint", "weak.yaml"]);
    assert_eq!(code, 1);
    assert!(
        out.starts_with("danger[mode.shadow]: the policy is in shadow mode\n --> weak.yaml:6:3, spec.mode\n  why: "),
        "{out}"
    );
    assert!(out.contains("\n mend: set `mode: enforce`"), "{out}");
}

#[test]
fn an_accepted_finding_is_listed_and_counts_for_nothing() {
    let folder = Folder::new();
    folder.write("weak.yaml", POLICY.replace("spec:\n", "spec:\n  mode: shadow\n"));
    let (code, out, _) = run(&folder, &["lint", "--accept", "mode.shadow", "weak.yaml"]);
    assert_eq!(code, 0);
    assert!(
        out.contains("accepted[mode.shadow]") && out.contains("0 dangers, ") && out.ends_with(", 1 accepted\n"),
        "{out}"
    );
    let (code, _, err) = run(&folder, &["lint", "--accept", "mode.shadwo", "weak.yaml"]);
    assert_eq!(code, 2);
    assert!(err.contains("did you mean `mode.shadow`?"), "{err}");
}

#[test]
fn lint_as_json_is_one_object() {
    let folder = Folder::new();
    folder.write("weak.yaml", POLICY.replace("spec:\n", "spec:\n  mode: shadow\n"));
    let (code, out, _) = run(&folder, &["lint", "--json", "weak.yaml"]);
    assert_eq!(code, 1);
    let json: Value = serde_json::from_str(&out).unwrap();
    let first = &json["findings"][0];
    assert_eq!(
        (&json["ok"], &first["id"], &first["severity"]),
        (&Value::from(false), &Value::from("mode.shadow"), &Value::from("danger"))
    );
    assert_eq!(
        (&first["line"], &first["column"], &first["accepted"]),
        (&Value::from(6), &Value::from(3), &Value::from(false))
    );
}

#[test]
fn diff_fails_on_a_relaxation_only_where_it_is_asked_to() {
    let folder = Folder::new();
    folder.write("wider.yaml", POLICY.replace("[id, tenant_id, name]", "[id, tenant_id, name, email]"));
    let (code, out, _) = run(&folder, &["diff", "policy.yaml", "wider.yaml"]);
    assert_eq!(code, 0);
    assert!(out.starts_with("relaxes    spec.tables[\"app.customers\"].columns: + email under `columns`\n"), "{out}");
    assert!(out.ends_with("\n1 relaxes, 0 restrict, 0 neutral\n"), "{out}");
    assert_eq!(run(&folder, &["diff", "--fail-on-relaxation", "policy.yaml", "wider.yaml"]).0, 1);
    // A column that is hidden instead of forgotten restricts.
    folder.write("tighter.yaml", POLICY.replace("[id, tenant_id, name]", "[id, tenant_id]\n      hidden: [name]"));
    assert_eq!(run(&folder, &["diff", "--fail-on-relaxation", "policy.yaml", "tighter.yaml"]).0, 0);
    assert_eq!(run(&folder, &["diff", "--fail-on-relaxation", "policy.yaml", "nowhere.yaml"]).0, 2);
}

#[test]
fn diff_as_json_is_one_object() {
    let folder = Folder::new();
    folder.write("other.yaml", POLICY.replace("name: cli", "name: other"));
    let (code, out, _) = run(&folder, &["diff", "--json", "--fail-on-relaxation", "policy.yaml", "other.yaml"]);
    assert_eq!(code, 0);
    let json: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&json["relaxes"], &json["old"]["name"], &json["new"]["name"]),
        (&Value::from(false), &Value::from("cli"), &Value::from("other"))
    );
    assert_eq!(json["changes"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&json["changes"][0]["effect"], &json["changes"][0]["path"]),
        (&Value::from("neutral"), &Value::from("metadata.name"))
    );
    let (_, out, _) = run(&folder, &["diff", "policy.yaml", "policy.yaml"]);
    assert_eq!(out, "the two policies say the same\n");
}

#[test]
fn an_invalid_policy_ends_every_command_with_2() {
    let folder = Folder::new();
    folder.write("bad.yaml", POLICY.replace("search_path", "serch_path"));
    for command in ["hash", "show", "describe", "lint"] {
        let (code, out, err) = run(&folder, &[command, "bad.yaml"]);
        assert_eq!((code, &*out), (2, ""), "{command}");
        assert!(err.contains("did you mean `search_path`?") && err.contains("line 6, column 3"), "{command}: {err}");
    }
}
