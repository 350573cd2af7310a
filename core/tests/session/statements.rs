//! What is sent for a statement: the cap, the gate, the rendered form, JDBC's form; and that nothing else can be sent.

use haltsql::session::{Session, SessionOptions};
use haltsql::{Context, Policy};
use haltsql_testkit::Version;
use std::sync::Arc;

use super::{Database, begin, policy, run, session};

const READS: &[&str] = &[
    "SELECT id FROM app.orders WHERE tenant_id = $1 ORDER BY id",
    "SELECT id FROM app.orders WHERE tenant_id = $1 ORDER BY id DESC;",
    ";;SELECT id FROM app.orders WHERE tenant_id = $1 ORDER BY id;;  -- the end",
    "/* ; */ SELECT id, id, note AS id FROM app.orders WHERE tenant_id = $1 ORDER BY 1 -- no line feed behind this",
    "WITH o AS (SELECT * FROM app.orders WHERE tenant_id = $1) SELECT o.id FROM o ORDER BY o.id",
    "SELECT id FROM app.orders WHERE tenant_id = $1 UNION ALL SELECT 0 ORDER BY 1",
    "SELECT note, 'é😀', NULL, true, ROW(1, NULL) FROM app.orders WHERE tenant_id = $1 ORDER BY id OFFSET 1",
    "SELECT id FROM app.orders WHERE tenant_id = $1 AND tags ? 'a' AND '$1 ?' <> note ORDER BY id",
    "VALUES (1), (2)",
    "SELECT 1",
    "SELECT",
];

#[test]
fn a_read_is_capped_and_otherwise_itself() {
    let database = Database::start(Version::Pg18);
    let mut client = database.connect();
    let session = session(&policy(""), false);
    for sql in READS {
        let statement = session.statement(sql.as_bytes());
        assert!(statement.may_run(), "{sql}: {:?}", statement.verdict().reasons);
        let text = statement.text().unwrap();
        assert!(text.starts_with("SELECT * FROM (\n") && text.ends_with("\n) AS haltsql_capped LIMIT 6"), "{text}");
        begin(&mut client, &session).unwrap();
        let plain = run(&mut client, &statement, sql).unwrap();
        let capped = run(&mut client, &statement, text).unwrap();
        let columns = plain.first().map_or(0, postgres::Row::len);
        let rendered = run(&mut client, &statement, &statement.rendered(columns).unwrap()).unwrap();
        client.batch_execute("ROLLBACK").unwrap();
        assert_eq!(capped.len(), plain.len().min(6), "{sql}");
        assert_eq!(rendered.len(), capped.len(), "{sql}");
        let first =
            |rows: &[postgres::Row]| rows.iter().take(6).map(|row| row.try_get::<_, i32>(0).ok()).collect::<Vec<_>>();
        assert_eq!(first(&plain), first(&capped), "{sql}");
        assert_eq!(first(&plain), first(&rendered), "{sql}");
        for (row, same) in capped.iter().zip(&rendered) {
            let names =
                |row: &postgres::Row| row.columns().iter().map(|column| column.type_().clone()).collect::<Vec<_>>();
            assert_eq!(names(row), names(same).into_iter().step_by(2).collect::<Vec<_>>(), "{sql}");
        }
    }
}

#[test]
fn jdbcs_form_runs_to_the_same_rows() {
    let database = Database::start(Version::Pg18);
    let mut client = database.connect();
    let session = session(&policy(""), false);
    let twice = "SELECT id FROM app.orders WHERE tenant_id = $1 AND note <> '$1' AND tenant_id = $1 AND tags ?| '{a}' ORDER BY id";
    let statement = session.statement(twice.as_bytes());
    let form = statement.jdbc().unwrap_or_else(|| panic!("{:?}", statement.verdict().reasons));
    assert_eq!(form.order, [1, 1]);
    assert!(form.sql.contains("tenant_id = ? AND note <> '$1' AND tenant_id = ? AND tags ??| "), "{}", form.sql);
    assert!(form.native_sql.contains("tenant_id = $1 AND note <> '$1' AND tenant_id = $2 AND tags ?| "));
    begin(&mut client, &session).unwrap();
    let rows = client
        .query_typed(
            &form.native_sql,
            &[(&"acme", postgres::types::Type::TEXT), (&"acme", postgres::types::Type::TEXT)],
        )
        .unwrap();
    assert_eq!(rows.len(), 6);
}

#[test]
fn a_write_is_sent_as_it_is_behind_its_gate() {
    let database = Database::start(Version::Pg18);
    let mut client = database.connect();
    let policy = policy("");
    let (writing, reading) = (session(&policy, true), session(&policy, false));
    for (sql, columns, rows) in [
        ("INSERT INTO app.orders (id, tenant_id, note) VALUES (100, $1, 'x') RETURNING id, note;", 2, 1),
        ("UPDATE app.orders SET note = 'y' WHERE tenant_id = $1 AND id < 8 RETURNING id", 1, 3),
        ("DELETE FROM app.orders WHERE tenant_id = $1 RETURNING id", 1, 20),
    ] {
        let statement = writing.statement(sql.as_bytes());
        assert!(statement.may_run(), "{sql}: {:?}", statement.verdict().reasons);
        assert_eq!(statement.text(), Some(sql));
        begin(&mut client, &writing).unwrap();
        client.prepare_typed(statement.gate().unwrap(), &[postgres::types::Type::TEXT]).unwrap();
        client.batch_execute("SAVEPOINT plain").unwrap();
        assert_eq!(run(&mut client, &statement, sql).unwrap().len(), rows, "{sql}");
        client.batch_execute("ROLLBACK TO plain").unwrap();
        let rendered = run(&mut client, &statement, &statement.rendered(columns).unwrap()).unwrap();
        assert_eq!((rendered.len(), rendered[0].len()), (rows, columns * 2), "{sql}");
        client.batch_execute("ROLLBACK").unwrap();
        // The same text in a transaction that reads: an agent can repair that, so it is a denial.
        let refused = reading.statement(sql.as_bytes());
        assert!(!refused.may_run() && !refused.verdict().allowed && refused.verdict().bind_params.is_empty());
        assert_eq!(refused.verdict().reasons[0].code.as_str(), "E_STATEMENT_KIND");
    }
}

#[test]
fn what_is_denied_has_nothing_to_send() {
    let session = session(&policy(""), true);
    for sql in [
        "SELECT id FROM app.orders",
        "COMMIT",
        "SELECT 1; SELECT 2",
        "",
        "SELECT 1) AS x; --",
        "\u{0}",
        "DROP TABLE app.orders",
    ] {
        let statement = session.statement(sql.as_bytes());
        assert!(!statement.may_run() && statement.text().is_none() && statement.gate().is_none(), "{sql}");
        assert!(
            statement.rendered(1).is_none() && statement.jdbc().is_none() && statement.params().is_empty(),
            "{sql}"
        );
    }
}

#[test]
fn a_deep_text_that_is_allowed_can_be_sent() {
    let session = session(&policy("statement_timeout_ms: 60000"), false);
    for sql in [
        format!("SELECT 1{}", " + 1".repeat(4_700)),
        format!("SELECT {}1{}", "(".repeat(900), ")".repeat(900)),
        format!("SELECT 1{}", "::int".repeat(2_000)),
    ] {
        let statement = session.statement(sql.as_bytes());
        assert!(statement.may_run(), "{:?}", statement.verdict().reasons);
    }
}

#[test]
fn shadow_runs_only_what_can_be_bound_and_capped() {
    let document = "{\"apiVersion\": \"haltsql.dev/v1\", \"kind\": \"Policy\", \"metadata\": {\"name\": \"p\"}, \"spec\": {
        \"mode\": \"shadow\", \"search_path\": [\"app\"], \"tables\": {\"app.orders\": {\"columns\": [\"id\"], \"shared\": true}}}}";
    let policy = Arc::new(Policy::from_json(document).unwrap_or_else(|problem| panic!("{problem}")));
    let context = Arc::new(Context::new());
    assert!(Session::open(policy.clone(), context.clone(), SessionOptions::default()).is_err());
    let options = SessionOptions { writable: false, allow_shadow: true };
    assert!(Session::open(policy.clone(), context.clone(), SessionOptions { writable: true, ..options }).is_err());
    let session = Session::open(policy, context, options).unwrap();
    assert!(session.begin().contains("READ ONLY"));
    for (sql, runs) in [
        ("SELECT note FROM app.orders", true),
        ("SELECT note FROM app.orders WHERE id = $1", false),
        ("DELETE FROM app.orders", false),
        ("COMMIT", false),
        ("SELECT 1; SELECT 2", false),
        ("SELEC", false),
    ] {
        let statement = session.statement(sql.as_bytes());
        assert!(statement.verdict().allowed, "a shadow verdict allows everything: {sql}");
        assert_eq!(statement.may_run(), runs, "{sql}");
    }
}
