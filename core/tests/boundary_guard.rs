//! The guard behind the boundary: JSON in, JSON out, and an error for everything that is no such JSON.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use haltsql::boundary::{DocumentFormat, ErrorCode, Guard, Policy, Session};
use serde_json::{Value, json};

const DOCUMENT: &str = "
apiVersion: haltsql.dev/v1
kind: Policy
metadata: { name: p }
spec:
  search_path: [app]
  tenancy: { mode: bound, keys: [{ column: tenant_id, context: tenant_id, type: integer }] }
  statements: [select, delete]
  tables: { app.orders: { columns: [id, tenant_id], complete: true, write: { delete: true } } }
";
const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const SELECT: &[u8] = b"SELECT id FROM orders WHERE tenant_id = ANY($1)";

fn policy(more: &str) -> Policy {
    Policy::load(format!("{DOCUMENT}{more}").as_bytes(), DocumentFormat::Yaml, "").unwrap()
}

fn guard(more: &str) -> Guard {
    Guard::new(&policy(more), b"{}", None, None).unwrap()
}

fn session(writable: bool) -> Session {
    let options = json!({ "writable": writable }).to_string();
    guard("").session(br#"{"tenant_id": ["7", "8"]}"#, options.as_bytes()).unwrap()
}

fn read(json: &str) -> Value {
    serde_json::from_str(json).expect(json)
}

#[test]
fn a_transaction_is_told_in_json() {
    let steps = read(&session(true).steps().unwrap());
    assert_eq!(steps["begin"], "BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE, NOT DEFERRABLE");
    assert_eq!(steps["set_transaction"], "SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE, NOT DEFERRABLE");
    assert_eq!((steps["max_rows"].as_u64(), steps["writable"].as_bool()), (Some(1000), Some(true)));
    let pin = read(&session(false).pin(br#"{"database": "d", "now": 0, "jdbc": true}"#).unwrap());
    let params = pin["params"].as_array().unwrap().len();
    assert!(pin["sql"].as_str().unwrap().contains(&format!("${params}::pg_catalog.text")));
    assert_eq!(
        pin["jdbc"]["order"].as_array().unwrap().len(),
        pin["jdbc"]["sql"].as_str().unwrap().matches('?').count()
    );
    let pinned = session(false).read_pin(br#"["ok", "reader", "2026-01-01T00:00:00.000000Z"]"#).unwrap();
    assert_eq!(read(&pinned)["role"], "reader");
    assert_eq!(session(false).read_pin(br#"[null]"#).unwrap_err().code(), ErrorCode::Seal);
}

#[test]
fn a_statement_says_what_to_send_and_nothing_where_it_is_denied() {
    let session = session(true);
    let statement = session.statement(SELECT).unwrap();
    let run = read(&statement.run(true).unwrap());
    assert_eq!(
        run["params"],
        json!([{ "value": "{\"7\",\"8\"}", "elements": ["7", "8"], "type": "integer[]", "oid": 1016 }])
    );
    assert_eq!(
        (run["command"].as_str(), &run["gate"], &run["jdbc"]["order"]),
        (Some("SELECT"), &Value::Null, &json!([1]))
    );
    let rendered = read(&statement.rendered(1, false).unwrap());
    assert!(rendered["text"].as_str().unwrap().starts_with("SELECT c1, CASE WHEN pg_catalog.num_nulls(c1)"));
    let delete = read(&session.statement(b"DELETE FROM orders WHERE tenant_id = ANY($1)").unwrap().run(false).unwrap());
    assert!(delete["gate"].as_str().unwrap().starts_with("WITH haltsql_gate AS (\nDELETE"));
    for denied in [&b"SELECT id FROM orders"[..], b"COMMIT", b"\xff", b""] {
        let statement = session.statement(denied).unwrap();
        assert_eq!(statement.run(true).unwrap(), "null");
        assert!(statement.verdict().unwrap().starts_with("{\"allowed\":false,"));
        assert_eq!(statement.rendered(1, false).unwrap_err().code(), ErrorCode::Argument);
        assert_eq!(statement.receipt(b"{}").unwrap_err().code(), ErrorCode::Argument);
    }
}

#[test]
fn a_receipt_asks_for_the_names_that_it_lacks() {
    let statement = session(false).statement(SELECT).unwrap();
    let mut execution = json!({ "role": "r", "started_at": "t", "elapsed_us": 1, "columns": [{ "name": "id", "oid": 23 },
        { "name": "mood", "oid": 16400 }], "rows": [["1", null]] });
    let asked = read(&statement.receipt(execution.to_string().as_bytes()).unwrap());
    assert_eq!(asked, json!({ "unnamed_types": "{16400}" }));
    execution["type_names"] = json!([[16400, "app", "mood"]]);
    let made = read(&statement.receipt(execution.to_string().as_bytes()).unwrap());
    assert_eq!(
        (made["rows"].as_u64(), made["truncated"].as_bool(), made["row_count"].as_u64()),
        (Some(1), Some(false), Some(1))
    );
    assert_eq!(made["receipt"]["columns"][1]["type"], "app.mood");
    let own = guard("").statement(br#"{"tenant_id": "7"}"#, b"{}", b"SELECT 1").unwrap();
    assert_ne!(own.run(false).unwrap(), "null");
    assert_eq!(own.receipt(execution.to_string().as_bytes()).unwrap_err().code(), ErrorCode::Argument);
}

#[test]
fn errors_are_redacted_and_a_broken_seal_is_told() {
    let error = br#"{"sqlstate": "23505", "message": "Key (ssn)=(1) exists", "detail": "ssn", "hint": "ssn"}"#;
    let left = guard("").redact(error).unwrap();
    assert!(!left.contains("ssn") && read(&left)["kind"] == "database" && read(&left)["sqlstate"] == "23505", "{left}");
    let shown = Guard::new(&policy(""), br#"{"show_errors": true}"#, None, None).unwrap().redact(error).unwrap();
    assert_eq!(read(&shown)["detail"], "ssn");
    let broken = br#"{"sqlstate": "22P02", "message": "invalid input syntax for type integer: \"haltsql: 12\""}"#;
    assert_eq!(read(&guard("").redact(broken).unwrap())["kind"], "seal");
}

#[test]
fn what_is_not_as_documented_is_an_error_that_quotes_nothing() {
    let signed = "  execution: { role: r, seal: signed, pin_key: { kid: k1, file: /run/pin } }\n";
    assert_eq!(policy(signed).pin_key_place().unwrap(), "{\"file\":\"/run/pin\"}");
    assert_eq!(policy("").pin_key_place().unwrap(), "null");
    assert_eq!(Guard::new(&policy(signed), b"{}", None, None).unwrap_err().code(), ErrorCode::Argument);
    assert!(Guard::new(&policy(signed), b"{}", Some(KEY.as_bytes()), Some(KEY.as_bytes())).is_ok());
    for (options, pin_key, receipt_key) in [
        (&b"{"[..], None, None),
        (b"{\"secret\": 1}", None, None),
        (b"{}", Some(&b"secret"[..]), None),
        (b"{}", None, Some(&b"secret"[..])),
    ] {
        let error = Guard::new(&policy(""), options, pin_key, receipt_key).unwrap_err();
        assert_eq!(error.code(), ErrorCode::Argument);
        assert!(!error.message().contains("secret"), "{}", error.message());
    }
    let guard = guard("");
    assert_eq!(guard.session(b"[]", b"{}").unwrap_err().code(), ErrorCode::Context);
    assert_eq!(guard.session(b"{}", b"{\"writable\": 1}").unwrap_err().code(), ErrorCode::Argument);
    assert_eq!(session(false).pin(b"{}").unwrap_err().code(), ErrorCode::Argument);
    let key = Guard::new(&policy(""), b"{}", Some(KEY.as_bytes()), None).unwrap();
    assert!(!format!("{key:?}").contains("0001"), "{key:?}");
}
