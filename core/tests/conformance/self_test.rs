//! The comparison itself: a runner that cannot fail proves nothing.

use haltsql::{BindParam, BindValue, PolicyRef, Reason, ReasonCode, StatementKind, Verdict};

use crate::case::{Body, Expect};
use crate::compare::differences;

const SQL: &[u8] = b"SELECT a, a FROM t";

fn expect(json: &str) -> Expect {
    serde_json::from_str(json).unwrap()
}

fn reason(code: ReasonCode, loc: Option<u32>) -> Reason {
    Reason { code, message: "m".into(), loc, hint: None }
}

fn verdict(reasons: Vec<Reason>) -> Verdict {
    Verdict {
        allowed: reasons.is_empty(),
        reasons,
        shadow_reasons: Vec::new(),
        policy: PolicyRef { name: "p".into(), version: "v".into(), search_path: Vec::new() },
        statement_kind: Some(StatementKind::Select),
        tables: vec!["app.t".into()],
        columns: vec!["app.t.a".into()],
        bind_params: vec![BindParam { param: 1, value: BindValue::One("x".into()), ty: "text" }],
        fingerprint: None,
        sql_sha256: String::new(),
        elapsed_us: 0,
    }
}

#[test]
fn equal_is_equal() {
    let stated = expect(
        r#"{ "allowed": true, "reasons": [], "statement_kind": "select", "tables": ["app.t"], "columns": ["app.t.a"],
             "bind_params": [{ "param": 1, "value": "x", "type": "text" }] }"#,
    );
    assert_eq!(differences(&stated, SQL, &verdict(Vec::new())), Vec::<String>::new());
}

#[test]
fn every_stated_field_is_compared() {
    for stated in [
        r#"{ "allowed": false }"#,
        r#"{ "allowed": true, "statement_kind": null }"#,
        r#"{ "allowed": true, "tables": [] }"#,
        r#"{ "allowed": true, "columns": ["app.t.b"] }"#,
        r#"{ "allowed": true, "bind_params": [] }"#,
        r#"{ "allowed": true, "bind_params": [{ "param": 1, "value": ["x"], "type": "text" }] }"#,
        r#"{ "allowed": true, "reasons": [{ "code": "E_STAR" }] }"#,
        r#"{ "allowed": true, "shadow_reasons": [{ "code": "E_STAR" }] }"#,
        r#"{ "allowed": true, "codes_include": ["E_STAR"] }"#,
        r#"{ "allowed": true, "codes_any": ["E_STAR", "E_PARSE"] }"#,
    ] {
        assert_eq!(differences(&expect(stated), SQL, &verdict(Vec::new())).len(), 1, "{stated}");
    }
}

#[test]
fn reasons_are_compared_by_code_and_place() {
    let got = || verdict(vec![reason(ReasonCode::ColumnDenied, Some(7)), reason(ReasonCode::ColumnDenied, Some(10))]);
    let wrong = |json: &str| differences(&expect(json), SQL, &got()).len();
    assert_eq!(
        wrong(
            r#"{ "allowed": false, "reasons": [{ "code": "E_COLUMN_DENIED" }, { "code": "E_COLUMN_DENIED", "at": "a, a" }] }"#
        ),
        0
    );
    assert_eq!(
        wrong(
            r#"{ "allowed": false, "reasons": [{ "code": "E_COLUMN_DENIED", "loc": 7 }, { "code": "E_COLUMN_DENIED", "at": "a", "nth": 2 }] }"#
        ),
        0
    );
    assert_eq!(
        wrong(r#"{ "allowed": false, "reasons": [{ "code": "E_COLUMN_DENIED", "at": "a, a" }] }"#),
        1,
        "one too many"
    );
    assert_eq!(
        wrong(
            r#"{ "allowed": false, "reasons": [{ "code": "E_COLUMN_DENIED", "loc": null }, { "code": "E_COLUMN_DENIED" }] }"#
        ),
        2,
        "no place"
    );
    assert_eq!(
        wrong(
            r#"{ "allowed": false, "reasons": [{ "code": "E_STAR", "at": "a, a" }, { "code": "E_COLUMN_DENIED", "loc": 10 }] }"#
        ),
        2,
        "another code"
    );
}

#[test]
fn a_place_that_is_not_certain_is_an_error_of_the_case() {
    for reason in [
        r#""at": "a""#,
        r#""at": "zzz""#,
        r#""at": "a", "nth": 3"#,
        r#""at": "a", "nth": 0"#,
        r#""at": "FROM", "loc": 12"#,
    ] {
        let stated = expect(&format!(r#"{{ "allowed": false, "reasons": [{{ "code": "E_STAR", {reason} }}] }}"#));
        assert!(stated.check(SQL).is_err(), "{reason}");
    }
}

#[test]
fn an_unknown_key_is_an_error_of_the_case() {
    let case = |key: &str| {
        format!(
            r#"{{ "why": "w", "source": "s", "policy": "p", "context": {{}}, "sql": "", "{key}": {{ "allowed": true }} }}"#
        )
    };
    assert!(serde_json::from_str::<Body>(&case("expect")).is_ok());
    assert!(serde_json::from_str::<Body>(&case("expects")).is_err());
    assert!(serde_json::from_str::<Expect>(r#"{ "allowed": true, "colums": [] }"#).is_err());
}
