//! What the parser repeats is never more than what is counted.

use crate::text::copies::over;
use pg_query::ParserOptions;

fn list(item: &str, count: usize) -> String {
    vec![item; count].join(", ")
}

/// How often the parser's tree holds a marked constant.
fn copies(sql: &str) -> usize {
    format!("{:?}", pg_query::parse(sql, ParserOptions::DEFAULT).unwrap().protobuf).matches("MARK").count()
}

#[test]
fn the_parser_repeats_the_source_of_a_multi_column_set() {
    assert_eq!(copies("UPDATE t SET (a, b, c) = (SELECT 'MARK', 1, 2)"), 3);
    assert_eq!(copies("UPDATE t SET (a, b) = (WITH c AS (UPDATE t SET (a, b) = ROW('MARK', 1)) SELECT 1, 2)"), 4);
}

#[test]
fn ordinary_writes_are_fine() {
    let list = |item| list(item, 20);
    for sql in [
        "UPDATE t SET (a, b) = (SELECT c, d FROM u WHERE u.id = t.id), e = 1 WHERE id = 2".to_owned(),
        format!("UPDATE t SET ({}) = (SELECT {} FROM u)", list("some_column"), list("u.some_column")),
        format!("UPDATE t SET (a, b) = (1, 2) WHERE id IN ({})", vec!["1234"; 12_000].join(", ")),
        format!("SELECT 1 FROM t WHERE (a, b, c, d) = ({})", vec!["1"; 20_000].join(", ")),
        format!("UPDATE t SET a = 1 FROM u WHERE (u.a, u.b, u.c) IN (({}))", vec!["1"; 20_000].join(", ")),
    ] {
        assert_eq!(over(&sql), None, "{sql}");
    }
}

#[test]
fn what_would_not_fit_into_memory_is_refused() {
    let (columns, values) = (list("a", 2_000), list("1", 2_000));
    for sql in [
        format!("UPDATE t SET ({columns}) = (SELECT {values})"),
        format!("update t set x = 1, ({columns}) = row({values})"),
        format!("UPDATE t SET values = 1, ({columns}) = ROW({values})"),
        format!("UPDATE t SET x = t.where, ({columns}) = ROW({values})"),
        format!("UPDATE t SET (/* ) = */ {columns}) /* */ = -- x\n ROW({values})"),
        format!("UPDATE t SET ({columns}) = a IS DISTINCT FROM ROW({values})"),
        format!("INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET ({columns}) = ROW({values})"),
        format!("MERGE INTO t USING u ON true WHEN MATCHED THEN UPDATE SET ({columns}) = ROW({values})"),
        format!("SELECT 1; WITH c AS (UPDATE t SET ({columns}) = ROW({values})) SELECT 1"),
        format!("{}SELECT 1, 2{}", "WITH c AS (UPDATE t SET (a, b) = (".repeat(40), ")) SELECT 1, 2".repeat(40)),
    ] {
        assert!(over(&sql).is_some(), "{sql}");
    }
}
