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

/// Values of every type of the profile `core` whose text depends on a setting or on its output function: each is what `psql` shows.
const VALUES: &[&str] = &[
    "true",
    "'a'::\"char\"",
    "'x'::name",
    "1::int2",
    "-2147483648",
    "9223372036854775807",
    "1.50::numeric",
    "'NaN'::numeric",
    "0.1::float4",
    "1e300::float8",
    "0.1::float8 + 0.2",
    "'-Infinity'::float8",
    "'a\"b\\c, é😀'",
    "'ab'::bpchar(5)",
    "'ab'::varchar(5)",
    "'\\x00ff'::bytea",
    "date '2024-02-29'",
    "date 'infinity'",
    "date '0044-03-15 BC'",
    "time '12:34:56.789'",
    "timetz '12:34:56+05:30'",
    "timestamp '2024-07-01 12:00:00.123456'",
    "timestamptz '2024-07-01 12:00:00+00'",
    "interval '1 year -2 mons 3 days 04:05:06.7'",
    "interval '-00:00:01'",
    "'550e8400-e29b-41d4-a716-446655440000'::uuid",
    "'{\"b\": 1,  \"a\": [true, null]}'::json",
    "'{\"b\": 1,  \"a\": [true, null]}'::jsonb",
    "'$.a[*] ? (@ > 1)'::jsonpath",
    "B'1010'",
    "B'1010'::varbit",
    "'10.0.0.1/8'::inet",
    "'10.0.0.0/8'::cidr",
    "'08:00:2b:01:02:03'::macaddr",
    "'08:00:2b:01:02:03:04:05'::macaddr8",
    "'(1,2.5)'::point",
    "'[(0,0),(1,1)]'::lseg",
    "'(1,1),(0,0)'::box",
    "'<(0,0),2>'::circle",
    "'12.34'::money",
    "'a:1A b'::tsvector",
    "'a & !b'::tsquery",
    "int4range(1, 5)",
    "'{[1,3), [5,7)}'::int4multirange",
    "tstzrange(timestamptz '2024-01-01 00:00+00', NULL)",
    "ARRAY['a', NULL, 'b c', '\"', '{}']",
    "ARRAY[[1, 2], [3, 4]]",
    "ARRAY[true, false]",
    "ARRAY[date '2024-01-01']",
    "ROW(1, 'a b', NULL, ROW(true))",
];

#[test]
fn every_types_text_is_psqls() {
    for version in [Version::Pg16, Version::Pg18] {
        let shop = Shop::start(version);
        let guard = shop.guard("timezone: Europe/Berlin");
        let mut client = shop.server.connect("shop", "postgres").unwrap();
        client.batch_execute("SET TimeZone = 'Europe/Berlin'; SET lc_monetary = 'C'").unwrap();
        let mut ran = 0;
        for value in VALUES {
            let sql = format!("SELECT {value} AS v");
            let result = shop.runtime.block_on(guard.run(acme(), &sql)).unwrap_or_else(|error| match error {
                haltsql_guard::Error::Denied(denied) => panic!("{sql}: {}", denied.for_agent()),
                error => panic!("{sql}: {error}"),
            });
            let shown = client.simple_query(&sql).unwrap();
            let shown = shown.iter().find_map(|message| match message {
                postgres::SimpleQueryMessage::Row(row) => Some(row.get(0).map(str::to_owned)),
                _ => None,
            });
            assert_eq!(Some(&result.rows()[0][0]), shown.as_ref(), "{sql}");
            ran += 1;
        }
        assert_eq!(ran, VALUES.len());
    }
}
