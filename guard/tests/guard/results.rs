//! What a run returns, and its receipt.

use haltsql::receipt::{ReceiptKey, verify};
use haltsql_testkit::Version;
use serde_json::Value;

use super::{Shop, acme};

#[test]
fn rows_come_as_values_and_as_text_with_a_receipt() {
    let shop = Shop::start(Version::Pg18);
    let key = ReceiptKey::parse("07".repeat(32).as_bytes()).unwrap();
    let guard = shop.builder("").receipt_key(key.clone()).build().unwrap();
    let sql = "SELECT id, note, id, mood FROM app.orders WHERE tenant_id = $1 ORDER BY id";
    let result = shop.runtime.block_on(guard.run(acme(), sql)).unwrap();
    assert_eq!((result.row_count(), result.truncated(), result.rows().len()), (5, true, 5));
    assert_eq!(result.rows()[0], [Some("2"), Some("n2"), Some("2"), Some("sad")].map(|text| text.map(str::to_owned)));
    assert_eq!((result.get::<i32>(4, 2).unwrap(), result.get::<&str>(4, 1).unwrap()), (10, "n10"));
    assert!(result.get::<i32>(5, 0).is_err() && result.get::<i32>(0, 4).is_err());
    let names: Vec<&str> = result.columns().iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["id", "note", "id", "mood"]);
    let receipt: Value = serde_json::from_str(result.receipt().to_json()).unwrap();
    assert_eq!(receipt["sql"], sql);
    assert_eq!(receipt["columns"][3]["type"], "app.\"Mood\"");
    assert_eq!((receipt["role"].as_str(), receipt["seal"].as_str()), (Some("postgres"), Some("none")));
    let verified = verify(result.receipt().to_json().as_bytes(), Some(&key.public())).unwrap();
    assert!(verified.holds() && verified.signed);
}

#[test]
fn results_of_every_shape_come_through() {
    let shop = Shop::start(Version::Pg16);
    let guard = shop.guard("");
    for (sql, columns, rows) in [
        ("SELECT", 0, 1),
        ("SELECT 1 AS a, 2 AS a, 'x'", 3, 1),
        ("SELECT id FROM app.orders WHERE tenant_id = $1 AND false", 1, 0),
        ("VALUES (1, NULL), (2, 'b')", 2, 2),
        ("SELECT ROW(NULL, NULL), ARRAY[1, NULL], ROW(1, 'a b')", 3, 1),
        ("SELECT NULL; -- the end", 1, 1),
    ] {
        let result = shop.runtime.block_on(guard.run(acme(), sql)).unwrap_or_else(|error| panic!("{sql}: {error}"));
        assert_eq!((result.columns().len(), result.rows().len(), result.truncated()), (columns, rows, false), "{sql}");
        assert!(verify(result.receipt().to_json().as_bytes(), None).unwrap().holds());
    }
    let nulls = shop.runtime.block_on(guard.run(acme(), "SELECT ROW(NULL, NULL), NULL::int[]")).unwrap();
    assert_eq!(nulls.rows()[0], [Some("(,)".to_owned()), None], "a row of NULLs is no NULL");
}

#[test]
fn bytes_are_capped() {
    let shop = Shop::start(Version::Pg18);
    let guard = shop.guard("max_result_bytes: 5");
    let result = shop.runtime.block_on(guard.run(acme(), "VALUES ('aaa'), ('bb'), ('c')")).unwrap();
    assert_eq!((result.rows().len(), result.truncated()), (2, true));
    assert_eq!(result.get::<&str>(1, 0).unwrap(), "bb");
    assert!(result.get::<&str>(2, 0).is_err());
}

/// Values of every type of the profile `core` whose text depends on a setting or on its output function, with the text that `psql` shows
/// and the digest that every language has to come to.
const TYPES: &str = include_str!("../../../conformance/receipts/types.json");

#[test]
fn every_types_text_is_psqls() {
    let types: Value = serde_json::from_str(TYPES).unwrap();
    let values = types["values"].as_array().unwrap();
    assert!(values.len() >= 50);
    let zone = types["timezone"].as_str().unwrap();
    for version in [Version::Pg16, Version::Pg18] {
        let shop = Shop::start(version);
        let guard = shop.guard(&format!("timezone: {zone}"));
        let mut client = shop.server.connect("shop", "postgres").unwrap();
        client.batch_execute(&format!("SET TimeZone = '{zone}'; SET lc_monetary = 'C'")).unwrap();
        for value in values {
            let sql = value["sql"].as_str().unwrap();
            let result = shop.runtime.block_on(guard.run(acme(), sql)).unwrap_or_else(|error| match error {
                haltsql_guard::Error::Denied(denied) => panic!("{sql}: {}", denied.for_agent()),
                error => panic!("{sql}: {error}"),
            });
            let shown = client.simple_query(sql).unwrap();
            let shown = shown.iter().find_map(|message| match message {
                postgres::SimpleQueryMessage::Row(row) => Some(row.get(0).map(str::to_owned)),
                _ => None,
            });
            assert_eq!(Some(&result.rows()[0][0]), shown.as_ref(), "{sql}");
            assert_eq!(result.rows()[0][0].as_deref(), value["text"].as_str(), "{sql}");
            let receipt: Value = serde_json::from_str(result.receipt().to_json()).unwrap();
            assert_eq!(receipt["columns"][0]["type"], value["type"], "{sql}");
            assert_eq!(receipt["result_sha256"], value["result_sha256"], "{sql}");
        }
    }
}
