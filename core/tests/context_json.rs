//! Contexts as JSON: what is one, and what is an error.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use haltsql::Context;

#[test]
fn strings_and_sets_are_read() {
    let read = Context::from_json(r#" { "tenant_id" : "acme", "teams": ["b", "a", "b"], "\u00e9": "\ud83d\ude00" } "#)
        .unwrap();
    let built = Context::new().with("tenant_id", "acme").with_set("teams", ["b", "a", "b"]).with("é", "😀");
    assert_eq!(read, built);
    assert_eq!(Context::from_json("{}").unwrap(), Context::new());
}

#[test]
fn a_key_that_stands_twice_is_an_error() {
    for json in [r#"{"a":"x","a":"x"}"#, r#"{"a":"x","b":1,"\u0061":null}"#] {
        let error = Context::from_json(json).expect_err(json);
        assert_eq!(error.to_string(), "the key `a` stands twice in the context");
        assert_eq!(error.message(), error.to_string());
    }
}

#[test]
fn what_is_no_object_is_an_error() {
    for json in [r#""acme""#, "5", "null", "true", "[]", r#"[{"a":"b"}]"#] {
        assert_eq!(Context::from_json(json).expect_err(json).message(), "the context is not a JSON object");
    }
    for json in [
        "",
        " ",
        "{",
        "{} {}",
        "{}x",
        r#"{"a"}"#,
        r#"{"a":}"#,
        r#"{"a":"b",}"#,
        "{'a':'b'}",
        "{a:1}",
        r#"{"a":"b" /* c */}"#,
        r#"{"a":NaN}"#,
        r#"{"a":01}"#,
        r#"{"a":["b",]}"#,
        r#"{"a":"\ud800"}"#,
        r#"{"a":["\ud800"]}"#,
        r#"{"\ud800":"b"}"#,
        "{\"a\":\"b\nc\"}",
        "\u{feff}{}",
    ] {
        let error = Context::from_json(json).expect_err(json);
        assert!(error.message().starts_with("the context is not JSON: "), "{json}: {error}");
        assert!(!error.message().contains('\n'), "{error}");
    }
}

#[test]
fn no_depth_exhausts_the_stack() {
    let deep = format!(r#"{{"a":{}{},"b":"x"}}"#, "[".repeat(200_000), "]".repeat(200_000));
    let objects = format!(r#"{{"a":{}1{},"b":"x"}}"#, r#"{"c":"#.repeat(200_000), "}".repeat(200_000));
    for json in [deep, objects] {
        let small = std::thread::Builder::new().stack_size(128 * 1024);
        let context = small.spawn(move || Context::from_json(&json).unwrap()).unwrap().join().unwrap();
        let shape = format!("{context:?}");
        assert!(shape.contains(r#""a": Unusable"#) && shape.contains(r#""b": One("x")"#), "{shape}");
    }
}
