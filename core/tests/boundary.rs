//! The boundary: bytes in, bytes out, the same as the Rust API gives; errors with numbers; any number of threads.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "tests")]

use haltsql::boundary::{self, DocumentFormat, ErrorCode, Policy};

const YAML: &str = "apiVersion: haltsql.dev/v1
kind: Policy
metadata: { name: shop, description: what agents may ask }
spec:
  search_path: [app]
  tenancy: { mode: bound, keys: [{ column: tenant_id, context: tenant_id, type: text }] }
  tables:
    app.orders: { columns: [id, tenant_id, total], hidden: [note], complete: true }
";
const JSON: &str = r#"{"apiVersion":"haltsql.dev/v1","kind":"Policy","metadata":{"name":"shop"},"spec":{"tables":{}}}"#;
const ACME: &[u8] = br#"{"tenant_id":"acme"}"#;
const ALLOWED: &[u8] = b"SELECT id FROM orders WHERE tenant_id = $1";
const DENIED: &[u8] = b"SELECT note FROM orders WHERE tenant_id = $1";

fn policy() -> Policy {
    Policy::load(YAML.as_bytes(), DocumentFormat::Auto, "shop.yaml").unwrap()
}

fn cut(json: &str) -> &str {
    json.split_once(",\"elapsed_us\":").unwrap().0
}

#[test]
fn a_check_gives_the_bytes_of_the_rust_api() {
    let plain = haltsql::Policy::from_yaml(YAML).unwrap();
    let context = haltsql::Context::new().with("tenant_id", "acme");
    let (policy, prepared) = (policy(), policy().for_context(ACME).unwrap());
    for sql in [ALLOWED, DENIED, b"", b"\0", b"\xff", "SELECT 'é😀'".as_bytes()] {
        let expected = plain.check(sql, &context).to_json();
        assert_eq!(cut(&policy.check(sql, ACME).unwrap()), cut(&expected));
        assert_eq!(cut(&prepared.check(sql).unwrap()), cut(&expected));
    }
    assert!(boundary::is_allowed(&policy.check(ALLOWED, ACME).unwrap()));
    assert!(!boundary::is_allowed(&policy.check(DENIED, ACME).unwrap()));
    assert!(!boundary::is_allowed(""));
}

#[test]
fn many_checks_keep_their_order_on_any_number_of_threads() {
    let texts: Vec<String> = (0..200).map(|n| format!("SELECT {n}, id FROM orders WHERE tenant_id = $1")).collect();
    let texts: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
    let caller = policy().for_context(ACME).unwrap();
    let one: Vec<String> = texts.iter().map(|text| cut(&caller.check(text).unwrap()).to_owned()).collect();
    for threads in [0, 1, 2, 7, 1000] {
        let many = caller.check_many(&texts, threads).unwrap();
        assert_eq!(many.iter().map(|json| cut(json).to_owned()).collect::<Vec<_>>(), one);
    }
    assert!(caller.check_many(&[], 4).unwrap().is_empty());
}

#[test]
fn a_context_that_is_no_object_is_an_error_and_sql_never_is() {
    for (context, message) in [
        (&b"[]"[..], "the context is not a JSON object"),
        (b"", "the context is not JSON: eof while parsing a value at line 1 column 0"),
        (br#"{"a":"b","a":"c"}"#, "the key `a` stands twice in the context"),
        (b"{\"a\":\"\xff\"}", "the context is not UTF-8 at byte 6"),
    ] {
        let error = policy().check(ALLOWED, context).unwrap_err();
        assert_eq!((error.code(), error.message()), (ErrorCode::Context, message));
    }
    let large = vec![b' '; boundary::MAX_CONTEXT_BYTES + 1];
    assert_eq!(policy().for_context(&large).unwrap_err().code(), ErrorCode::Context);
    // A missing key is the caller's, and a denial.
    assert!(policy().check(ALLOWED, b"{}").unwrap().contains("E_CONTEXT_MISSING"));
}

#[test]
fn the_format_is_said_or_follows_from_the_name_or_the_text() {
    for (document, format, name) in [
        (YAML, DocumentFormat::Auto, ""),
        (YAML, DocumentFormat::Auto, "POLICY.YML"),
        (YAML, DocumentFormat::Yaml, "policy.json"),
        (JSON, DocumentFormat::Auto, ""),
        (JSON, DocumentFormat::Auto, "policy.JSON"),
        (JSON, DocumentFormat::Json, "policy.yaml"),
        (
            "{ apiVersion: haltsql.dev/v1, kind: Policy, metadata: { name: shop }, spec: { tables: {} } }",
            DocumentFormat::Auto,
            "flow.yaml",
        ),
    ] {
        let loaded = Policy::load(document.as_bytes(), format, name);
        assert_eq!(loaded.as_ref().map(Policy::name), Ok("shop"), "{format:?} {name}: {loaded:?}");
    }
    assert_eq!(DocumentFormat::from_number(2), Some(DocumentFormat::Json));
    assert_eq!(DocumentFormat::from_number(3), None);
}

#[test]
fn a_bad_policy_says_everything_that_is_wrong_and_where() {
    let document = YAML.replace("kind: Policy", "kind: Polity").replace("complete: true", "complet: true");
    let error = Policy::load(document.as_bytes(), DocumentFormat::Auto, "a\nb.yaml").unwrap_err();
    assert_eq!((error.code(), error.code().number()), (ErrorCode::Policy, 3));
    assert!(error.message().starts_with("the policy `a b.yaml` is not valid\n\n"), "{error}");
    let places: Vec<_> = error.problems().iter().map(|problem| (problem.line, problem.column)).collect();
    assert_eq!(places, [(2, 7), (8, 68)]);
    let json: serde_json::Value = serde_json::from_str(&error.to_json()).unwrap();
    assert_eq!((&json["code"], &json["name"], &json["unlisted"]), (&3.into(), &"policy".into(), &0.into()));
    assert_eq!(json["problems"][1]["line"], 8);
    assert_eq!(json["problems"][1]["path"], "spec.tables[\"app.orders\"].complet");
    assert!(json["problems"][0]["snippet"].as_str().unwrap().contains("Polity"));
    assert!(Policy::load(b"\xff", DocumentFormat::Auto, "").is_err());
}

#[test]
fn error_numbers_and_names_are_for_ever() {
    let known: Vec<_> = ErrorCode::ALL.iter().map(|code| (code.number(), code.name())).collect();
    assert_eq!(
        known,
        [
            (1, "internal"),
            (2, "argument"),
            (3, "policy"),
            (4, "context"),
            (5, "verdict"),
            (6, "closed"),
            (7, "version"),
            (8, "encoding"),
            (9, "seal"),
        ]
    );
}

#[test]
fn a_verdict_that_comes_back_is_rendered_as_the_rust_api_renders_it() {
    let plain = haltsql::Policy::from_yaml(YAML).unwrap();
    let context = haltsql::Context::new().with("tenant_id", "acme");
    for sql in ["SELECT id FROM orders WHERE tenant_id = $1", "SELECT note, x FROM orders", "SELECT", ""] {
        let verdict = plain.check(sql.as_bytes(), &context);
        let rendered = boundary::for_agent(verdict.to_json().as_bytes(), sql.as_bytes()).unwrap();
        assert_eq!(rendered, verdict.for_agent(sql));
    }
    let odd = b"SELECT 1 \xff FROM";
    let rendered = boundary::for_agent(policy().check(odd, ACME).unwrap().as_bytes(), odd).unwrap();
    assert!(rendered.contains("SELECT 1 \u{27e6}1\u{27e7}\u{fffd} FROM"), "{rendered}");
}

#[test]
fn what_is_no_verdict_on_this_text_is_not_rendered() {
    let verdict = policy().check(DENIED, ACME).unwrap();
    for (json, sql) in [
        (verdict.as_str(), ALLOWED),
        ("", DENIED),
        ("{}", DENIED),
        (&verdict.replace("E_COLUMN_DENIED", "E_FROM_THE_FUTURE"), DENIED),
    ] {
        assert_eq!(boundary::for_agent(json.as_bytes(), sql).unwrap_err().code(), ErrorCode::Verdict, "{json}");
    }
}

#[test]
fn a_policy_describes_itself() {
    let plain = haltsql::Policy::from_yaml(YAML).unwrap();
    let policy = policy();
    assert_eq!(policy.describe_text().unwrap(), plain.describe().to_text());
    assert_eq!(policy.describe_json().unwrap(), plain.describe().to_json());
    assert_eq!(policy.search_path_value().unwrap(), "\"app\", pg_temp");
    assert_eq!((policy.name(), policy.version(), policy.mode()), ("shop", plain.version(), "enforce"));
}

#[test]
fn handles_go_from_thread_to_thread() {
    fn shared<T: Send + Sync + Clone + 'static>() {}
    shared::<Policy>();
    shared::<boundary::Caller>();
    shared::<boundary::Error>();
}

#[test]
fn versions_are_those_of_the_build() {
    assert_eq!(boundary::version(), env!("CARGO_PKG_VERSION"));
    let number = pg_query::parse("SELECT 1", pg_query::ParserOptions::default()).unwrap().protobuf.version;
    assert_eq!(boundary::POSTGRES_VERSION, format!("{}.{}", number / 10_000, number % 10_000));
    let codes: serde_json::Value = serde_json::from_str(&boundary::reason_codes()).unwrap();
    assert_eq!(codes.as_array().unwrap().len(), haltsql::ReasonCode::ALL.len());
    assert_eq!(codes[0], serde_json::json!({"code": "E_PARSE", "rule": "sql.parse"}));
}
