//! The pin: what it sets, what it asserts, and that a session which is otherwise is refused before anything runs.

use haltsql::session::{DatabaseError, PinInput, Session, SessionErrorKind, SessionOptions};
use haltsql::{Context, Policy};
use haltsql_testkit::Version;
use std::sync::Arc;

use super::{Database, begin, pin, policy, query, session};

const SET_BY_PIN: &[(&str, &str)] = &[
    ("quote_all_identifiers", "off"),
    ("search_path", "\"app\", pg_temp"),
    ("standard_conforming_strings", "on"),
    ("row_security", "on"),
    ("DateStyle", "ISO, YMD"),
    ("IntervalStyle", "postgres"),
    ("extra_float_digits", "1"),
    ("bytea_output", "hex"),
    ("lc_monetary", "C"),
    ("lc_numeric", "C"),
    ("lc_time", "C"),
    ("transform_null_equals", "off"),
    ("array_nulls", "on"),
    ("default_text_search_config", "pg_catalog.english"),
    ("statement_timeout", "1500ms"),
    ("lock_timeout", "1min"),
    ("idle_in_transaction_session_timeout", "10s"),
    ("TimeZone", "Europe/Berlin"),
    ("app.owner", "acme"),
    ("app.fixed", ""),
    ("transaction_read_only", "on"),
    ("transaction_isolation", "repeatable read"),
    ("transaction_deferrable", "off"),
];

/// What a session may have been left with by whoever had the connection before.
const HOSTILE: &str = "SET search_path = evil, pg_catalog; SET standard_conforming_strings = off; SET row_security = off;
    SET DateStyle = 'SQL, DMY'; SET IntervalStyle = sql_standard; SET extra_float_digits = -15; SET bytea_output = escape;
    SET transform_null_equals = on; SET array_nulls = off; SET statement_timeout = 0; SET TimeZone = 'Asia/Tokyo';
    SET default_text_search_config = 'pg_catalog.german'; SET default_transaction_isolation = serializable;
    SET default_transaction_deferrable = on; SET default_transaction_read_only = off; SET quote_all_identifiers = on; SET app.owner = 'globex'";

/// Functions and operators that answer to the pin's own names, first in the path.
const IMPOSTORS: &str = "CREATE SCHEMA evil;
    CREATE FUNCTION evil.set_config(text, text, boolean) RETURNS text LANGUAGE sql AS 'SELECT $2';
    CREATE FUNCTION evil.text_eq(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT true';
    CREATE OPERATOR evil.= (LEFTARG = text, RIGHTARG = text, FUNCTION = evil.text_eq);
    CREATE FUNCTION evil.lower(text) RETURNS text LANGUAGE sql AS 'SELECT ''x''';
    CREATE FUNCTION evil.current_setting(text) RETURNS text LANGUAGE sql AS 'SELECT ''x''';
    CREATE DOMAIN evil.text AS pg_catalog.text CHECK (false)";

#[test]
fn sets_everything_whatever_the_session_was() {
    for version in [Version::Pg16, Version::Pg18] {
        let database = Database::start(version);
        let mut client = database.connect();
        client.batch_execute(IMPOSTORS).unwrap();
        client.batch_execute(HOSTILE).unwrap();
        let policy = policy(
            "isolation: repeatable read
             timezone: europe/berlin
             statement_timeout_ms: 1500
             lock_timeout_ms: 60000
             settings: { app.owner: '{context.tenant_id}', app.fixed: '' }",
        );
        let row = begin(&mut client, &session(&policy, false)).unwrap();
        assert_eq!((row.get::<_, &str>(0), row.get::<_, &str>(1)), ("ok", "postgres"));
        let read = session(&policy, false).read_pin(&[0, 1, 2].map(|at| Some(row.get::<_, &str>(at)))).unwrap();
        assert_eq!((&*read.role, &*read.started_at), ("postgres", row.get::<_, &str>(2)));
        let began: &str = row.get(2);
        assert!(began.len() == 27 && began.ends_with('Z') && began.as_bytes()[10] == b'T', "{began}");
        for (name, value) in SET_BY_PIN {
            let shown: String = client.query_one(&format!("SHOW {name}"), &[]).unwrap().get(0);
            assert_eq!(&shown, value, "{name}");
        }
        // A query having run, the transaction cannot be made to write any more.
        let refused = client.batch_execute("SET TRANSACTION READ WRITE").unwrap_err();
        assert_eq!(refused.code().unwrap().code(), "25001");
        client.batch_execute("ROLLBACK").unwrap();
        let left: String = client.query_one("SHOW app.owner", &[]).unwrap().get(0);
        assert_eq!(left, "globex", "the pin outlived its transaction");
    }
}

/// Why the pin must fail, and what makes it: the session before BEGIN, and what is sent in place of BEGIN.
const BROKEN: &[(&str, &str, &str)] = &[
    ("no transaction", "", ""),
    ("a transaction that writes", "", "BEGIN READ WRITE"),
    ("another isolation", "", "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY"),
    ("another encoding", "SET client_encoding = 'LATIN1'", "@begin"),
    ("a schema that is gone", "DROP SCHEMA app CASCADE", "@begin"),
];

#[test]
fn refuses_a_session_that_is_not_the_policys() {
    for (why, before, instead) in BROKEN {
        let database = Database::start(Version::Pg18);
        let session = session(&policy(""), false);
        let mut client = database.connect();
        client.batch_execute(before).unwrap();
        client.batch_execute(&instead.replace("@begin", &session.begin())).unwrap();
        let error = query(&mut client, &pin(&session)).expect_err(why);
        let error = error.as_db_error().expect(why);
        let error = DatabaseError {
            sqlstate: error.code().code().to_owned(),
            message: error.message().to_owned(),
            ..DatabaseError::default()
        };
        assert_eq!(error.kind(), Some(SessionErrorKind::Seal), "{why}: {error:?}");
    }
}

#[test]
fn what_a_pin_did_not_return_is_a_broken_seal() {
    let session = session(&policy(""), false);
    for row in [&[][..], &[Some("ok")], &[None, Some("r"), Some("t")], &[Some("no"), Some("r"), Some("t")]] {
        assert_eq!(session.read_pin(row).unwrap_err().kind(), SessionErrorKind::Seal);
    }
}

#[test]
fn any_schema_name_can_be_pinned() {
    let database = Database::start(Version::Pg18);
    let document = "{\"apiVersion\": \"haltsql.dev/v1\", \"kind\": \"Policy\", \"metadata\": {\"name\": \"p\"}, \"spec\": {
        \"search_path\": [\"\\\"We\\\"\\\"ird, x\\\"\", \"app\"], \"tables\": {\"app.orders\": {\"columns\": [\"id\"], \"shared\": true}}}}";
    let policy = Arc::new(Policy::from_json(document).unwrap_or_else(|problem| panic!("{problem}")));
    let session = Session::open(policy, Arc::new(Context::new()), SessionOptions::default()).unwrap();
    let mut client = database.connect();
    assert_eq!(begin(&mut client, &session).unwrap().get::<_, &str>(0), "ok");
    let path: String = client.query_one("SHOW search_path", &[]).unwrap().get(0);
    assert_eq!(path, "\"We\"\"ird, x\", \"app\", pg_temp");
}

#[test]
fn every_timezone_that_a_policy_may_name_can_be_pinned() {
    let database = Database::start(Version::Pg18);
    let mut client = database.connect();
    for zone in
        ["UTC", "utc", "europe/BERLIN", "Etc/GMT+5", "UTC+3", "-3", "5", "America/Argentina/Buenos_Aires", "EST5EDT"]
    {
        let policy = policy(&format!("timezone: '{zone}'"));
        let row = begin(&mut client, &session(&policy, false)).unwrap_or_else(|problem| panic!("{zone}: {problem}"));
        assert_eq!(row.get::<_, &str>(0), "ok");
        client.batch_execute("ROLLBACK").unwrap();
    }
}

#[test]
fn templates_need_one_value() {
    let policy = policy("settings: { app.owner: '{context.who}' }");
    let contexts = [
        (Context::new(), "a value"),
        (Context::new().with_set("who", ["a", "b"]), "not a set"),
        (Context::new().with("who", "a\0"), "NUL"),
        (Context::from_json("{\"who\": 5}").unwrap(), "a string"),
    ];
    for (context, says) in contexts {
        let error = Session::open(policy.clone(), Arc::new(context), SessionOptions::default()).unwrap_err();
        assert_eq!(error.kind(), SessionErrorKind::Context);
        assert!(error.message().contains(says) && error.message().contains("`who`"), "{error}");
    }
    assert!(Session::open(policy, Arc::new(Context::new().with("who", "")), SessionOptions::default()).is_ok());
}

#[test]
fn a_signed_seal_needs_its_key() {
    let policy = policy("role: reader\nseal: signed\npin_key: { kid: k1, env: HALTSQL_PIN_KEY }");
    let error = session(&policy, false).pin(&PinInput { database: "shop", now: 0, key: None }).unwrap_err();
    assert_eq!(error.kind(), SessionErrorKind::Argument);
    let missing = Session::open(policy, Arc::new(Context::new()), SessionOptions::default()).unwrap_err();
    assert_eq!(missing.kind(), SessionErrorKind::Context);
}
