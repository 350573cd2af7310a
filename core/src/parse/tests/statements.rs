//! How many statements a text holds, and its fingerprint.

use super::{parsed, refused};
use crate::reason::ReasonCode;

fn fingerprint(sql: &str) -> String {
    parsed(sql).unwrap().fingerprint
}

#[test]
fn nothing_is_no_statement() {
    for sql in ["", " \t\n", ";", ";;\n;", "-- SELECT 1", "/* a /* b */ */ ;", "\u{feff};"] {
        let refusal = parsed(sql);
        if sql.starts_with('\u{feff}') {
            assert_eq!(refused(sql).code, ReasonCode::Parse);
            continue;
        }
        let reason = refused(sql);
        assert_eq!((reason.code, reason.loc), (ReasonCode::Empty, None), "{sql:?}");
        assert_eq!(refusal.unwrap_err().fingerprint, None);
    }
}

#[test]
fn empty_statements_count_for_nothing() {
    for sql in ["SELECT 1;", ";SELECT 1", ";; SELECT 1 ;;", "SELECT 1 -- ;\n;", "/* ; */ SELECT ';'"] {
        assert!(parsed(sql).is_ok(), "{sql}");
    }
}

#[test]
fn a_second_statement_is_refused_at_its_first_token() {
    for (sql, second, count) in [
        ("SELECT 1; SELECT 2", "SELECT 2", 2),
        ("SELECT 1;DROP TABLE t", "DROP", 2),
        ("SELECT 'é;' ;; -- SELECT\n /* x */ TABLE t; SELECT 3", "TABLE", 3),
        (";SELECT 1;\n(SELECT 2)", "(SELECT", 2),
    ] {
        let refusal = parsed(sql).unwrap_err();
        let reason = &refusal.reasons[0];
        assert_eq!(reason.code, ReasonCode::MultiStatement, "{sql}");
        assert_eq!(reason.loc, u32::try_from(sql.find(second).unwrap()).ok(), "{sql}");
        assert_eq!(reason.message, format!("the text holds {count} statements"));
        assert_eq!(refusal.fingerprint.map(|hex| hex.len()), Some(16));
    }
}

#[test]
fn a_fingerprint_forgets_literals_and_keeps_relations() {
    let one = fingerprint("SELECT a FROM app.orders WHERE b = 1");
    assert_eq!(one, fingerprint("select a\nfrom app.orders where b = 'x' -- y"));
    assert!(one.len() == 16 && one.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)));
    for other in ["SELECT a FROM other.orders WHERE b = 1", "SELECT a FROM app.orders_01 WHERE b = 1"] {
        assert_ne!(one, fingerprint(other), "{other}");
    }
    assert_ne!(fingerprint("SELECT 1 FROM t_2024_01"), fingerprint("SELECT 1 FROM t_2024_02"));
}

#[test]
fn a_statement_of_any_kind_is_one_statement() {
    for sql in [
        "VALUES (1)",
        "TABLE t",
        "DROP TABLE t",
        "EXPLAIN SELECT 1",
        "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT 2; END",
    ] {
        assert!(parsed(sql).is_ok(), "{sql}");
    }
}
