//! Receipts: what they say of an execution, and that no changed byte of a covered field passes for whole.

use haltsql::receipt::{Column, Execution, ReceiptKey, ReceiptPublicKey, TypeName, unnamed_types, verify};
use haltsql_testkit::Version;
use serde_json::Value;

use super::{Database, policy, session};

const KEY: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
-----END PRIVATE KEY-----";
/// The public half of the key above, from RFC 8410, 10.1 and 10.3.
const PUBLIC: &str = "-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PUBLIC KEY-----";

fn execution() -> Execution {
    let column = |name: &str, oid| Column { name: name.to_owned(), oid };
    let text = |text: &str| Some(text.to_owned());
    Execution {
        role: "reader".to_owned(),
        started_at: "2026-01-02T03:04:05.678901Z".to_owned(),
        elapsed_us: 417,
        columns: vec![column("id", 23), column("id", 25), column("mood", 16_400)],
        type_names: vec![TypeName { oid: 16_400, schema: "app".to_owned(), name: "Mood".to_owned() }],
        rows: vec![vec![text("1"), None, text("a\"\u{1}é😀")], vec![text("2"), text(""), None]],
        affected: None,
    }
}

fn receipt(execution: &Execution, key: Option<&ReceiptKey>) -> String {
    let session = session(&policy(""), false);
    let statement = session.statement(b"SELECT id, note, note FROM app.orders WHERE tenant_id = $1");
    session.receipt(&statement, execution, key).unwrap().to_json().to_owned()
}

#[test]
fn a_receipt_says_what_ran() {
    let receipt = receipt(&execution(), None);
    let value: Value = serde_json::from_str(&receipt).unwrap();
    assert_eq!(value["columns"][2]["type"], "app.\"Mood\"");
    assert_eq!(value["columns"][0]["type"], "int4");
    assert_eq!(value["rows"][0], serde_json::json!(["1", null, "a\"\u{1}é😀"]));
    assert_eq!((value["row_count"].as_u64(), value["truncated"].as_bool()), (Some(2), Some(false)));
    // Python: hashlib.sha256(b'{"tenant_id":"acme"}').
    assert_eq!(value["context_sha256"], "bd6aeed5cb97a40d68449af98df780689f1c83a67f7a0328ceb03979664c542b");
    assert!(verify(receipt.as_bytes(), None).unwrap().holds());
    assert_eq!(unnamed_types(&execution().columns), [16_400]);
}

#[test]
fn rows_and_bytes_over_the_caps_are_cut_and_told() {
    let mut execution = execution();
    let row = execution.rows[1].clone();
    execution.rows.resize(6, row);
    let cut: Value = serde_json::from_str(&receipt(&execution, None)).unwrap();
    assert_eq!((cut["rows"].as_array().unwrap().len(), cut["truncated"].as_bool()), (5, Some(true)));
    let session = session(&policy("max_result_bytes: 11"), false);
    let statement = session.statement(b"SELECT id, note, note FROM app.orders WHERE tenant_id = $1");
    let receipt = session.receipt(&statement, &execution, None).unwrap();
    assert_eq!(
        (receipt.rows(), receipt.truncated(), receipt.row_count()),
        (2, true, 2),
        "10 and 1 bytes are within 11"
    );
}

#[test]
fn what_is_no_execution_has_no_receipt() {
    let session = session(&policy(""), false);
    let statement = session.statement(b"SELECT id, note, note FROM app.orders WHERE tenant_id = $1");
    let whole = execution();
    let short = Execution { rows: vec![vec![None]], ..whole.clone() };
    let nameless = Execution { type_names: Vec::new(), ..whole.clone() };
    for bad in [&short, &nameless] {
        assert!(session.receipt(&statement, bad, None).is_err());
    }
    assert!(session.receipt(&session.statement(b"DROP TABLE app.orders"), &whole, None).is_err());
    let large = Execution { elapsed_us: 1 << 60, ..whole };
    let key = ReceiptKey::parse(KEY.as_bytes()).unwrap();
    assert!(session.receipt(&statement, &large, Some(&key)).is_err(), "a number that JSON's readers round");
}

#[test]
fn signed_receipts_are_checked_by_the_public_key() {
    let key = ReceiptKey::parse(KEY.as_bytes()).unwrap();
    let public = ReceiptPublicKey::parse(PUBLIC.as_bytes()).unwrap();
    assert_eq!(key.public(), public);
    assert_eq!(format!("{key:?}"), "ReceiptKey(…)");
    let signed = receipt(&execution(), Some(&key));
    let verified = verify(signed.as_bytes(), Some(&public)).unwrap();
    assert!(verified.holds() && verified.signed, "{verified:?}");
    let other = ReceiptKey::parse("01".repeat(32).as_bytes()).unwrap();
    assert!(!verify(signed.as_bytes(), Some(&other.public())).unwrap().holds(), "another signer");
    assert!(!verify(receipt(&execution(), None).as_bytes(), Some(&public)).unwrap().holds(), "not signed");
    let contexts = [&signed, &receipt(&execution(), None)]
        .map(|receipt| serde_json::from_str::<Value>(receipt).unwrap()["context_sha256"].as_str().unwrap().to_owned());
    assert_ne!(contexts[0], contexts[1], "with a key, nobody can guess the context");
}

/// Each byte of a signed receipt, changed to one that leaves it JSON where that is possible.
#[test]
fn every_changed_byte_of_a_signed_receipt_is_found() {
    let key = ReceiptKey::parse(KEY.as_bytes()).unwrap();
    let signed = receipt(&execution(), Some(&key));
    let mut readable = 0;
    for at in 0..signed.len() {
        let mut changed = signed.clone().into_bytes();
        changed[at] = match changed[at] {
            b'0'..=b'8' => changed[at] + 1,
            b'9' => b'0',
            b'a'..=b'y' => changed[at] + 1,
            b'z' => b'a',
            other => other ^ 1,
        };
        let found = verify(&changed, Some(&key.public()));
        readable += usize::from(found.is_ok());
        assert!(!found.is_ok_and(|verified| verified.holds()), "byte {at}: {}", String::from_utf8_lossy(&changed));
    }
    assert!(readable > signed.len() / 2, "{readable}");
}

/// Without a signature: what digests and the receipt's own parts say twice.
#[test]
fn unsigned_receipts_cover_text_result_and_verdict() {
    let whole = receipt(&execution(), None);
    assert!(verify(whole.as_bytes(), None).unwrap().holds());
    for (from, to, check) in [
        ("\"1\",null", "\"1\",\"\"", "result_sha256"),
        ("\"name\":\"mood\"", "\"name\":\"mode\"", "result_sha256"),
        ("\"type\":\"int4\"", "\"type\":\"int8\"", "result_sha256"),
        ("\"row_count\":2", "\"row_count\":3", "row_count"),
        ("\"sql\":\"SELECT id,", "\"sql\":\"SELECT  id,", "sql_sha256"),
        ("\"allowed\":true", "\"allowed\":false", "verdict"),
        ("\"policy\":{\"name\":\"shop\"", "\"policy\":{\"name\":\"shoq\"", "verdict"),
        ("\"role\":\"reader\"", "\"role\":\"reader\",\"role\":\"reader\"", "form"),
        ("\"role\":\"reader\"", "\"role\":\"reader\",\"extra\":1", "form"),
        ("\"name\":\"mood\"", "\"name\":\"mood\",\"name\":\"mood\"", "form"),
    ] {
        assert!(whole.contains(from), "{from}");
        let changed = whole.replacen(from, to, 1);
        let verified = verify(changed.as_bytes(), None).unwrap();
        let failed = verified.checks.iter().any(|found| found.name == check && found.problem.is_some());
        assert!(failed, "{from} -> {to}: {:?}", verified.checks);
    }
    for bad in ["", "{}", "[]", "null", "{\"receipt_version\":2}", "{\"receipt_version\":1}", "\u{0}"] {
        assert!(verify(bad.as_bytes(), None).is_err(), "{bad}");
    }
}

/// The core's list of types against servers: what is on it is there under that name, and what is not is asked for.
#[test]
fn type_names_are_the_servers() {
    for version in [Version::Pg16, Version::Pg18] {
        let database = Database::start(version);
        let mut client = database.connect();
        let rows = client.query("SELECT oid::int8, typname::text FROM pg_type WHERE oid < 10000", &[]).unwrap();
        let columns: Vec<Column> = rows
            .iter()
            .map(|row| Column { name: row.get(1), oid: u32::try_from(row.get::<_, i64>(0)).unwrap() })
            .collect();
        assert!(columns.len() > 190 && unnamed_types(&columns).is_empty());
        let session = session(&policy(""), false);
        let statement = session.statement(b"SELECT 1");
        let execution = Execution { columns, ..Execution::default() };
        let receipt = session.receipt(&statement, &execution, None).unwrap();
        let value: Value = serde_json::from_str(receipt.to_json()).unwrap();
        assert!(value["columns"].as_array().unwrap().iter().all(|column| column["name"] == column["type"]));
        let own = client.query_one("SELECT 'app.orders'::regtype::oid", &[]).unwrap().get::<_, u32>(0);
        let named = client
            .query_typed(haltsql::receipt::TYPE_NAMES, &[(&format!("{{{own},25}}"), postgres::types::Type::TEXT)]);
        let named: Vec<(String, String)> = named.unwrap().iter().map(|row| (row.get(1), row.get(2))).collect();
        assert!(
            named.contains(&("app".into(), "orders".into())) && named.contains(&("pg_catalog".into(), "text".into()))
        );
    }
}
