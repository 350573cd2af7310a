//! What loading fills in, seen from inside: the tests in `core/tests` see policies from outside.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use super::names::{object, operator, single, spell, table};
use super::*;
use crate::quote::quote_ident;

fn load(spec: &str) -> Policy {
    let text =
        format!("apiVersion: haltsql.dev/v1\nkind: Policy\nmetadata: {{ name: p, description: d }}\nspec:\n{spec}\n");
    match Policy::from_yaml(&text) {
        Ok(policy) => policy,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_policy_that_says_nothing_is_closed_and_bounded() {
    let policy = load("  mode: enforce");
    assert_eq!(policy.description.as_deref(), Some("d"));
    assert_eq!(policy.statements, Statements { select: true, insert: false, update: false, delete: false });
    assert!(policy.tenancy.is_none() && policy.tables.is_empty() && !policy.require_qualified);
    let limits = Limits {
        max_sql_bytes: 65536,
        max_relations: 32,
        max_depth: 64,
        require_limit: false,
        max_limit: None,
        cartesian_denied: true,
        recursive: Recursive::Bounded,
        max_generated: 1_000_000,
        max_grouping_sets: 64,
    };
    assert_eq!(policy.limits, limits);
    let execution = Execution {
        role: None,
        seal: Seal::None,
        pin_key: None,
        settings: Vec::new(),
        isolation: Isolation::ReadCommitted,
        timezone: "UTC".to_owned(),
        statement_timeout_ms: 5000,
        lock_timeout_ms: 1000,
        idle_in_transaction_session_timeout_ms: 10000,
        max_rows: 1000,
        max_result_bytes: 10_485_760,
    };
    assert_eq!(policy.execution, execution);
}

#[test]
fn tables_are_found_by_their_exact_names() {
    let policy = load("  tables: { app.b: {}, app.a: {}, 'ap.\"p.a\"': {}, '\"App\".a': {}, app.order: {} }");
    let shown: Vec<&str> = policy.tables.iter().map(|table| &*table.display).collect();
    assert_eq!(shown, ["\"App\".a", "ap.\"p.a\"", "app.a", "app.b", "app.\"order\""]);
    for (at, found) in policy.tables.iter().enumerate() {
        assert_eq!(policy.table(&found.schema, &found.name).unwrap().0, at);
    }
    for (schema, name) in [("app", "A"), ("app", "c"), ("", "a"), ("ap", "a"), ("app", "")] {
        assert!(policy.table(schema, name).is_none());
    }
}

#[test]
fn columns_carry_what_was_said_about_them() {
    let policy = load(
        "  tables: { app.t: { columns: [b, { name: '\"C\"', type: text, description: what }], hidden: [a], complete: true } }",
    );
    let table = &policy.tables[0];
    let names: Vec<_> = table.columns.iter().map(|column| (&*column.name, column.readable)).collect();
    assert_eq!(names, [("C", true), ("a", false), ("b", true)]);
    assert_eq!(table.columns[0].ty.as_deref(), Some("text"));
    assert_eq!(table.columns[0].description.as_deref(), Some("what"));
    assert!(table.complete && table.tenant_columns.is_empty() && table.write.is_none());
    assert_eq!(table.column("b").unwrap().0, 2);
    assert!(table.column("c").is_none());
}

#[test]
fn each_key_has_its_column_in_each_table() {
    let policy = load(
        "  tenancy: { keys: [{ column: tenant_id, context: t }, { column: team, context: g, type: integer }] }
  tables:
    app.a: { columns: [a, team, tenant_id] }
    app.b: { columns: [id, z], tenant: { tenant_id: z, team: none } }
    app.c: { columns: [id, tenant_id, team], shared: true }
    app.d: { columns: [team, none], tenant: { tenant_id: '\"none\"' }, write: { delete: true, update: [team, team] } }",
    );
    let carriers: Vec<_> = policy.tables.iter().map(|table| table.tenant_columns.clone()).collect();
    assert_eq!(carriers, [vec![Some(2), Some(1)], vec![Some(1), None], vec![None, None], vec![Some(0), Some(1)]]);
    assert!(policy.tables[2].shared && !policy.tables[1].shared);
    let write = Write { insert: Vec::new(), update: vec!["team".to_owned()], delete: true };
    assert_eq!(policy.tables[3].write, Some(write));
    let tenancy = policy.tenancy.unwrap();
    assert_eq!(tenancy.mode, TenancyMode::Bound);
    assert_eq!(tenancy.keys[1], TenantKey { column: "team".to_owned(), context: "g".to_owned(), ty: KeyType::Integer });
}

#[test]
fn execution_is_kept_for_the_guards() {
    let policy = load(
        "  execution:
    role: '\"Reader\"'
    seal: signed
    pin_key: { kid: k1, file: /run/pin }
    settings: { work_mem: 4MB, app.owner: '{context.tenant id}' }",
    );
    assert_eq!(policy.execution.role.as_deref(), Some("Reader"));
    assert_eq!(policy.execution.seal, Seal::Signed);
    let key = PinKey { kid: "k1".to_owned(), source: PinKeySource::File("/run/pin".to_owned()) };
    assert_eq!(policy.execution.pin_key, Some(key));
    let settings = [
        ("app.owner".to_owned(), SettingValue::Context("tenant id".to_owned())),
        ("work_mem".to_owned(), SettingValue::Text("4MB".to_owned())),
    ];
    assert_eq!(policy.execution.settings, settings);
    assert!(policy.normal_form().contains(r#""role":"\"Reader\"""#));
}

#[test]
fn names_are_read_as_in_sql() {
    assert_eq!(table("app.orders").unwrap(), ("app".to_owned(), "orders".to_owned()));
    assert_eq!(table(r#"app."Weird.Name""#).unwrap(), ("app".to_owned(), "Weird.Name".to_owned()));
    assert_eq!(table(r#""a""b".c$1"#).unwrap(), (r#"a"b"#.to_owned(), "c$1".to_owned()));
    assert_eq!(single("größe").unwrap(), "größe");
    assert_eq!(single(r#""a b""#).unwrap(), "a b");
    assert_eq!(object("pg_catalog.md5").unwrap(), "md5");
    assert_eq!(object(r#""md5""#).unwrap(), "md5");
    assert_eq!(object(r#"app."F""#).unwrap(), r#"app."F""#);
    assert_eq!(operator("OPERATOR(pg_catalog.||)").unwrap(), "||");
    assert_eq!(operator("OPERATOR(<->)").unwrap(), "<->");
    assert_eq!(operator(r#"OPERATOR("a.b".<->)"#).unwrap(), r#"OPERATOR("a.b".<->)"#);
    assert_eq!(operator(r#"OPERATOR("vec".<->)"#).unwrap(), "OPERATOR(vec.<->)");
}

#[test]
fn names_are_written_as_quote_ident_writes_them() {
    // What PostgreSQL 18 answers to SELECT quote_ident(…).
    for (name, written) in [
        ("orders", "orders"),
        ("_a1", "_a1"),
        ("order", "\"order\""),
        ("user", "\"user\""),
        ("values", "\"values\""),
        ("left", "\"left\""),
        ("name", "name"),
        ("type", "type"),
        ("id$", "\"id$\""),
        ("1a", "\"1a\""),
        ("A", "\"A\""),
        ("größe", "\"größe\""),
        ("a\"b", "\"a\"\"b\""),
        ("a.b", "\"a.b\""),
        ("", "\"\""),
    ] {
        assert_eq!(quote_ident(name), written);
    }
    // The normal form's spelling knows no keywords.
    assert_eq!(spell("order"), "order");
    assert_eq!(spell("größe"), "\"größe\"");
}
