//! Every key of a policy: its default, the types it refuses, its nearest spelling.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use haltsql::{Mode, Policy};

/// A policy in JSON, which has one spelling for every value, around one part of `spec`.
fn document(spec: &str) -> String {
    format!(r#"{{"apiVersion":"haltsql.dev/v1","kind":"Policy","metadata":{{"name":"p"}},"spec":{spec}}}"#)
}

fn load(spec: &str) -> Policy {
    match Policy::from_json(&document(spec)) {
        Ok(policy) => policy,
        Err(error) => panic!("{spec}\n{error}"),
    }
}

/// Keys with a place for one value (`@`), the default and another value that is right there.
const KEYS: &[(&str, &str, &str)] = &[
    (r#"{"mode":@}"#, r#""enforce""#, r#""shadow""#),
    (r#"{"search_path":@}"#, "[]", r#"["app"]"#),
    (r#"{"require_qualified":@}"#, "false", "true"),
    (r#"{"statements":@}"#, r#"["select"]"#, r#"["select","insert","update","delete"]"#),
    (r#"{"tables":@}"#, "{}", r#"{"a.b":{}}"#),
    (r#"{"functions":@}"#, "{}", r#"{"profiles":[]}"#),
    (r#"{"functions":{"profiles":@}}"#, r#"["core"]"#, r#"["core","fuzzy","postgis","random","text-search","vector"]"#),
    (r#"{"functions":{"allow":@}}"#, "[]", r#"["app.f"]"#),
    (r#"{"functions":{"deny":@}}"#, "[]", r#"["md5"]"#),
    (r#"{"operators":@}"#, "{}", r#"{"allow":["<->"]}"#),
    (r#"{"operators":{"allow":@}}"#, "[]", r#"["OPERATOR(vec.<->)"]"#),
    (r#"{"types":@}"#, "{}", r#"{"allow":["app.t"]}"#),
    (r#"{"types":{"allow":@}}"#, "[]", r#"["app.order_status"]"#),
    (r#"{"types":{"collations":@}}"#, "[]", r#"["\"de-x-icu\""]"#),
    (r#"{"limits":@}"#, "{}", r#"{"max_depth":1}"#),
    (r#"{"limits":{"max_sql_bytes":@}}"#, "65536", "1"),
    (r#"{"limits":{"max_relations":@}}"#, "32", "1"),
    (r#"{"limits":{"max_depth":@}}"#, "64", "1"),
    (r#"{"limits":{"require_limit":@}}"#, "false", "true"),
    (r#"{"limits":{"max_limit":@}}"#, "null", "1"),
    (r#"{"limits":{"cartesian":@}}"#, r#""deny""#, r#""allow""#),
    (r#"{"limits":{"recursive":@}}"#, r#""bounded""#, r#""deny""#),
    (r#"{"limits":{"recursive":@}}"#, r#""bounded""#, r#""allow""#),
    (r#"{"limits":{"max_generated":@}}"#, "1000000", "1"),
    (r#"{"limits":{"max_grouping_sets":@}}"#, "64", "1"),
    (r#"{"execution":@}"#, "{}", r#"{"max_rows":1}"#),
    (r#"{"execution":{"seal":@}}"#, r#""none""#, r#""none""#),
    (r#"{"execution":{"role":@}}"#, "null", "null"),
    (r#"{"execution":{"seal":"bare","role":@}}"#, r#""r""#, r#""s""#),
    (r#"{"execution":{"pin_key":@}}"#, "null", "null"),
    (r#"{"execution":{"settings":@}}"#, "{}", r#"{"app.x":"y"}"#),
    (r#"{"execution":{"isolation":@}}"#, r#""read committed""#, r#""repeatable read""#),
    (r#"{"execution":{"isolation":@}}"#, r#""read committed""#, r#""serializable""#),
    (r#"{"execution":{"timezone":@}}"#, r#""UTC""#, r#""Europe/Berlin""#),
    (r#"{"execution":{"statement_timeout_ms":@}}"#, "5000", "1"),
    (r#"{"execution":{"lock_timeout_ms":@}}"#, "1000", "1"),
    (r#"{"execution":{"idle_in_transaction_session_timeout_ms":@}}"#, "10000", "1"),
    (r#"{"execution":{"max_rows":@}}"#, "1000", "1"),
    (r#"{"execution":{"max_result_bytes":@}}"#, "10485760", "1"),
    (r#"{"tenancy":{"keys":[{"column":"a","context":"b"}],"mode":@}}"#, r#""bound""#, r#""literal""#),
    (r#"{"tenancy":{"keys":[{"column":"a","context":"b","type":@}]}}"#, r#""text""#, r#""uuid""#),
    (r#"{"tenancy":{"keys":[{"column":"a","context":"b","type":@}]}}"#, r#""text""#, r#""integer""#),
    (r#"{"tenancy":{"keys":[{"column":@,"context":"b"}]}}"#, r#""a""#, r#""c""#),
    (r#"{"tenancy":{"keys":[{"column":"a","context":@}]}}"#, r#""b""#, r#""c""#),
    (r#"{"tenancy":{"keys":@}}"#, r#"[{"column":"a","context":"b"}]"#, r#"[{"column":"c","context":"b"}]"#),
    (r#"{"tables":{"a.b":@}}"#, "{}", r#"{"columns":["c"]}"#),
    (r#"{"tables":{"a.b":{"columns":@}}}"#, "[]", r#"["c"]"#),
    (r#"{"tables":{"a.b":{"hidden":@}}}"#, "[]", r#"["c"]"#),
    (r#"{"tables":{"a.b":{"columns":["c"],"complete":@}}}"#, "false", "true"),
    (r#"{"tables":{"a.b":{"shared":@}}}"#, "false", "true"),
    (r#"{"tables":{"a.b":{"columns":["c"],"write":@}}}"#, "{}", r#"{"delete":true}"#),
    (r#"{"tables":{"a.b":{"columns":["c"],"write":{"insert":@}}}}"#, "[]", r#"["c"]"#),
    (r#"{"tables":{"a.b":{"columns":["c"],"write":{"update":@}}}}"#, "[]", r#"["c"]"#),
    (r#"{"tables":{"a.b":{"columns":["c"],"write":{"delete":@}}}}"#, "false", "true"),
    (
        r#"{"tenancy":{"keys":[{"column":"k","context":"b"}]},"tables":{"a.b":{"columns":["c","k"],"tenant":@}}}"#,
        "{}",
        r#"{"k":"c"}"#,
    ),
    (
        r#"{"tenancy":{"keys":[{"column":"k","context":"b"}]},"tables":{"a.b":{"columns":["c","k"],"tenant":{"k":@}}}}"#,
        r#""k""#,
        r#""none""#,
    ),
];

/// The key that holds `@`, and the place without it.
fn without(place: &str) -> Option<String> {
    let at = place.find(":@")?;
    let start = place[..at].rfind(['{', ','])?;
    let end = at + 2;
    let from = if &place[start..=start] == "," { start } else { start + 1 };
    Some(format!("{}{}", &place[..from], &place[end..]))
}

#[test]
fn a_key_that_equals_its_default_is_as_if_it_were_not_there() {
    let required = [r#""column":@"#, r#""context":@"#, r#""keys":@"#, r#""a.b":@"#, r#""role":@"#];
    for (place, default, other) in KEYS {
        let written = load(&place.replace('@', default));
        assert_eq!(load(&place.replace('@', other)).version() == written.version(), default == other, "{place}");
        if required.iter().any(|key| place.contains(key)) {
            continue;
        }
        let left_out = load(&without(place).unwrap());
        assert_eq!(written.normal_form(), left_out.normal_form(), "{place}");
        assert_eq!(written.version(), left_out.version(), "{place}");
    }
}

#[test]
fn every_key_takes_one_type_of_value() {
    let values = ["true", "7", "1.5", r#""\u0020""#, "[]", "[[]]", "[7]", "[null]", "{}", r#"{"x":[]}"#, "null"];
    let kind = |value: &str| match value.chars().next().unwrap() {
        't' | 'f' => "boolean",
        '"' => "text",
        '[' => "list",
        '{' => "map",
        'n' => "null",
        _ => "number",
    };
    for (place, default, other) in KEYS {
        let right = [kind(default), kind(other)];
        // A list of lists, of numbers or of nulls is as wrong as no list; a column or key may be a map, but not that one.
        for value in values {
            let inner_wrong = matches!(value, "[[]]" | "[7]" | "[null]" | r#"{"x":[]}"# | "1.5" | r#""\u0020""#);
            if right.contains(&kind(value)) && !inner_wrong {
                continue;
            }
            let Err(error) = Policy::from_json(&document(&place.replace('@', value))) else {
                panic!("{place} took {value}");
            };
            assert!(error.problems().iter().all(|problem| problem.line == 1 && problem.column > 1), "{error}");
        }
    }
}

#[test]
fn booleans_and_numbers_in_quotes_are_text() {
    for (place, value) in [
        (r#"{"require_qualified":@}"#, r#""true""#),
        (r#"{"tables":{"a.b":{"shared":@}}}"#, r#""true""#),
        (r#"{"limits":{"max_depth":@}}"#, r#""7""#),
        (r#"{"limits":{"max_depth":@}}"#, "7.0"),
        (r#"{"limits":{"max_depth":@}}"#, "7e0"),
        (r#"{"limits":{"max_depth":@}}"#, "-0"),
    ] {
        assert!(Policy::from_json(&document(&place.replace('@', value))).is_err(), "{place} took {value}");
    }
    for spec in ["require_qualified: 'true'", "limits: { max_depth: '7' }", "limits: { max_depth: 7.0 }"] {
        let text = format!("apiVersion: haltsql.dev/v1\nkind: Policy\nmetadata: {{ name: p }}\nspec: {{ {spec} }}");
        assert!(Policy::from_yaml(&text).is_err(), "{spec}");
    }
}

#[test]
fn every_map_names_the_nearest_key() {
    for (place, near) in [
        (r#"{"modes":1}"#, "mode"),
        (r#"{"serch_path":1}"#, "search_path"),
        (r#"{"search-path":1}"#, "search_path"),
        (r#"{"searchPath":1}"#, "search_path"),
        (r#"{"Tables":1}"#, "tables"),
        (r#"{"tenancy":{"keys":[{"column":"a","context":"b"}],"key":1}}"#, "keys"),
        (r#"{"tenancy":{"keys":[{"column":"a","context":"b","tpye":1}]}}"#, "type"),
        (r#"{"tables":{"a.b":{"colums":1}}}"#, "columns"),
        (r#"{"tables":{"a.b":{"columns":[{"name":"c","descripton":"d"}]}}}"#, "description"),
        (r#"{"tables":{"a.b":{"write":{"inserts":1}}}}"#, "insert"),
        (r#"{"functions":{"alow":1}}"#, "allow"),
        (r#"{"operators":{"allows":1}}"#, "allow"),
        (r#"{"types":{"collation":1}}"#, "collations"),
        (r#"{"limits":{"max_relation":1}}"#, "max_relations"),
        (r#"{"execution":{"statement_timeout":1}}"#, "statement_timeout_ms"),
    ] {
        let error = Policy::from_json(&document(place)).expect_err(place);
        let help = error.problems()[0].help.as_deref();
        assert_eq!(help, Some(&*format!("did you mean `{near}`?")), "{error}");
        assert_eq!(error.problems().len(), 1, "{error}");
    }
    let error = Policy::from_json(&document(r#"{"operators":{"zzz":1}}"#)).unwrap_err();
    assert_eq!(error.problems()[0].help.as_deref(), Some("known here: `allow`"));
}

#[test]
fn the_envelope_is_whole() {
    for (text, message) in [
        (r#"{"kind":"Policy","metadata":{"name":"p"},"spec":{}}"#, "the key `apiVersion` is missing"),
        (r#"{"apiVersion":"haltsql.dev/v1","metadata":{"name":"p"},"spec":{}}"#, "the key `kind` is missing"),
        (r#"{"apiVersion":"haltsql.dev/v1","kind":"Policy","spec":{}}"#, "the key `metadata` is missing"),
        (r#"{"apiVersion":"haltsql.dev/v1","kind":"Policy","metadata":{"name":"p"}}"#, "the key `spec` is missing"),
        (r#"{"apiVersion":"haltsql.dev/v1","kind":"Policy","metadata":{},"spec":{}}"#, "the key `name` is missing"),
        (
            r#"{"apiVersion":"haltsql.dev/v1","kind":"Policy","metadata":{"name":" p"},"spec":{}}"#,
            "the text has white space around it, a tab or a line break",
        ),
        (r#"{"apiVersion":"v1","kind":"Policy","metadata":{"name":"p"},"spec":{}}"#, "unknown value `v1`"),
    ] {
        let error = Policy::from_json(text).expect_err(text);
        let messages: Vec<_> = error.problems().iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(messages, [message]);
    }
}

#[test]
fn what_was_loaded_can_be_asked_for() {
    let policy = load(r#"{"mode":"shadow","search_path":["app","\"B.c\""]}"#);
    assert_eq!(policy.name(), "p");
    assert_eq!(policy.mode(), Mode::Shadow);
    assert_eq!(policy.search_path(), ["app", "B.c"]);
    assert_eq!(load("{}").mode(), Mode::Enforce);
    assert!(load("{}").search_path().is_empty());
}
