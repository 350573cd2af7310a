//! `haltsql check` for one text: exit codes, what is printed where, and where policy, context and SQL come from.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use common::{Folder, parts};
use serde_json::Value;

const ALLOWED: &str = "SELECT id FROM products";
const DENIED: &str = "SELECT id FROM secret";

#[test]
fn allowed_ends_with_0_and_denied_with_1() {
    let folder = Folder::new();
    let (code, out, err) = parts(&folder.check(&[ALLOWED], b""));
    assert_eq!((code, &*err), (0, ""));
    assert!(out.starts_with("allowed"), "{out}");
    let (code, out, err) = parts(&folder.check(&[DENIED], b""));
    assert_eq!((code, &*err), (1, ""));
    assert!(out.contains("\ndenied: 1 reason\n"), "{out}");
    assert!(out.contains("haltsql explain E_TABLE_DENIED"), "{out}");
}

#[test]
fn exit_zero_ends_with_0_for_a_denial_but_not_where_no_check_happened() {
    let folder = Folder::new();
    assert_eq!(parts(&folder.check(&["--exit-zero", DENIED], b"")).0, 0);
    assert_eq!(parts(&folder.check(&["--exit-zero", "--file", "nowhere.sql"], b"")).0, 2);
}

#[test]
fn json_is_the_verdict_on_one_line() {
    let folder = Folder::new();
    let (code, out, err) = parts(&folder.check(&["--json", DENIED], b""));
    assert_eq!((code, &*err), (1, ""));
    assert!(out.ends_with("}\n") && out.lines().count() == 1, "{out}");
    let verdict: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(verdict["allowed"], false);
    assert_eq!(verdict["reasons"][0]["code"], "E_TABLE_DENIED");
    assert_eq!(verdict["reasons"][0]["loc"], 15);
}

#[test]
fn a_person_sees_the_line_with_a_caret_at_the_place() {
    let folder = Folder::new();
    let (_, out, _) = parts(&folder.check(&["SELECT id\n  FROM secret"], b""));
    assert!(out.contains("error[E_TABLE_DENIED]: "), "{out}");
    assert!(out.contains("--> sql:2:8\n"), "{out}");
    assert!(out.contains("2 |   FROM secret\n  |        ^\n"), "{out}");
}

#[test]
fn a_reason_without_a_place_stands_without_a_line() {
    let folder = Folder::new();
    let arguments = ["check", "--policy", "policy.yaml", "SELECT id FROM products"];
    let (code, out, _) = parts(&folder.run(&arguments, b""));
    assert_eq!(code, 1);
    assert!(out.starts_with("error[E_CONTEXT_MISSING]: "), "{out}");
    assert!(!out.contains("-->"), "{out}");
}

#[test]
fn sql_comes_from_the_argument_a_file_or_standard_input() {
    let folder = Folder::new();
    folder.write("query.sql", DENIED);
    assert_eq!(parts(&folder.check(&["-"], ALLOWED.as_bytes())).0, 0);
    let (code, out, _) = parts(&folder.check(&["-"], DENIED.as_bytes()));
    assert_eq!(code, 1);
    assert!(out.contains("--> <stdin>:1:16\n"), "{out}");
    let (code, out, _) = parts(&folder.check(&["--file", "query.sql"], b""));
    assert_eq!(code, 1);
    assert!(out.contains("--> query.sql:1:16\n"), "{out}");
    let (code, out, err) = parts(&folder.check(&["--", "-- a comment first\nSELECT id FROM products"], b""));
    assert_eq!(code, 0, "{out}{err}");
}

#[test]
fn text_that_is_not_utf8_gets_a_verdict() {
    let folder = Folder::new();
    folder.write("query.sql", b"SELECT \xff");
    for (arguments, input) in [(["--file", "query.sql"], &b""[..]), (["--json", "-"], &b"SELECT \xff"[..])] {
        let (code, out, err) = parts(&folder.check(&arguments, input));
        assert_eq!((code, &*err), (1, ""));
        assert!(out.contains("E_PARSE"), "{out}");
    }
}

#[test]
fn nothing_that_a_terminal_obeys_is_printed() {
    let folder = Folder::new();
    let sql = "SELECT id, '\u{1b}[2J\u{9b}2J\u{7}\u{202e}' FROM secret";
    let (code, out, _) = parts(&folder.check(&[sql], b""));
    assert_eq!(code, 1);
    let obeyed = |character: char| (character.is_control() && character != '\n') || character == '\u{202e}';
    assert!(!out.contains(obeyed), "{out:?}");
}

#[test]
fn tabs_wide_characters_and_line_ends_of_windows_keep_the_caret_in_place() {
    let folder = Folder::new();
    let (_, out, _) = parts(&folder.check(&["SELECT 'é漢'\r\n\tFROM\tsecret\r\n"], b""));
    assert!(out.contains("2 |     FROM    secret\n  |             ^\n"), "{out}");
    let (_, out, _) = parts(&folder.check(&["SELECT '漢' FROM secret"], b""));
    // Two columns for the wide character.
    assert!(out.contains("1 | SELECT '漢' FROM secret\n  |                  ^\n"), "{out}");
}

#[test]
fn a_very_long_line_is_cut_down_to_the_place() {
    let folder = Folder::new();
    let sql = format!("SELECT '{}' FROM secret WHERE '{}' = ''", "x".repeat(20_000), "y".repeat(20_000));
    let (_, out, _) = parts(&folder.check(&[&sql], b""));
    assert!(out.len() < 2_000, "{}", out.len());
    assert!(out.contains("FROM secret"), "{out}");
}

#[test]
fn a_policy_may_be_json() {
    let folder = Folder::new();
    let policy = r#"{"apiVersion": "haltsql.dev/v1", "kind": "Policy", "metadata": {"name": "json"},
        "spec": {"search_path": ["app"], "tables": {"app.products": {"columns": ["id"]}}}}"#;
    folder.write("policy.json", policy);
    let arguments = ["check", "--policy", "policy.json", "--context", "a=b", ALLOWED];
    assert_eq!(parts(&folder.run(&arguments, b"")).0, 0);
}

#[test]
fn where_no_check_happens_the_exit_code_is_2_and_the_message_says_what_to_do() {
    let folder = Folder::new();
    folder.write("broken.yaml", "apiVersion: haltsql.dev/v1\n");
    folder.write("broken.json", "{");
    folder.write("latin1.yaml", b"name: \xe9");
    let check = |arguments: &[&str]| parts(&folder.run(&[&["check"], arguments].concat(), b""));
    for (arguments, says) in [
        (&["--policy", "nowhere.yaml", ALLOWED][..], "cannot read the policy `nowhere.yaml`"),
        (&["--policy", ".", ALLOWED], "cannot read the policy `.`"),
        (&["--policy", "broken.yaml", ALLOWED], "the policy `broken.yaml` is not valid"),
        (&["--policy", "broken.json", ALLOWED], "the policy `broken.json` is not valid"),
        (&["--policy", "latin1.yaml", ALLOWED], "the policy `latin1.yaml` is not UTF-8 at byte 6"),
        (&["--policy", "policy.yaml", "--file", "nowhere.sql"], "cannot read the SQL from `nowhere.sql`"),
        (&["--policy", "policy.yaml", "--batch", "nowhere.jsonl"], "cannot read the batch `nowhere.jsonl`"),
        (&["--policy", "policy.yaml", "--context-json", "[]", ALLOWED], "the context is not "),
        (&["--policy", "policy.yaml", "--context-json", "{", ALLOWED], "the context is not "),
    ] {
        let (code, out, err) = check(arguments);
        assert_eq!((code, &*out), (2, ""), "{arguments:?}");
        assert!(err.starts_with("error: ") && err.contains(says) && err.contains("\n help: "), "{arguments:?}: {err}");
    }
    for (arguments, says) in [
        (&["--policy", "policy.yaml"][..], "--file <FILE>"),
        (&[ALLOWED], "--policy <FILE>"),
        (&["--policy", "policy.yaml", "--context", "acme", ALLOWED], "write KEY=VALUE"),
        (&["--policy", "policy.yaml", "--file", "a.sql", ALLOWED], "cannot be used with"),
        (&["--policy", "policy.yaml", "--batch", "-", ALLOWED], "cannot be used with"),
        (&["--policy", "policy.yaml", "--context", "a=b", "--context-json", "{}", ALLOWED], "cannot be used with"),
        (&["--policy", "policy.yaml", "--jobs", "2", ALLOWED], "cannot be used with"),
        (&["--policy", "policy.yaml", "--jsno", ALLOWED], "--json"),
    ] {
        let (code, out, err) = check(arguments);
        assert_eq!((code, &*out), (2, ""), "{arguments:?}");
        assert!(err.contains(says), "{arguments:?}: {err}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_cannot_be_written_is_no_check() {
    let folder = Folder::new();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let arguments = ["check", "--policy", "policy.yaml", "--context", "tenant_id=acme", "--json", ALLOWED];
    let output = folder.haltsql(&arguments).stdout(full).output().unwrap();
    let (code, _, err) = parts(&output);
    assert_eq!(code, 2);
    assert!(err.contains("cannot write to standard output"), "{err}");
}

#[test]
fn help_teaches_and_version_is_told() {
    let folder = Folder::new();
    let (code, out, _) = parts(&folder.run(&["--version"], b""));
    assert_eq!((code, &*out), (0, concat!("haltsql ", env!("CARGO_PKG_VERSION"), "\n")));
    let (code, out, _) = parts(&folder.run(&["check", "--help"], b""));
    assert_eq!(code, 0);
    for taught in ["Examples:", "Exit codes:", "REPLACES", "--exit-zero", "haltsql check --policy policy.yaml"] {
        assert!(out.contains(taught), "{taught}: {out}");
    }
    let (code, _, err) = parts(&folder.run(&[], b""));
    assert_eq!(code, 2);
    assert!(err.contains("haltsql explain"), "{err}");
}
