//! What `describe()` and `search_path_value()` say of a policy, and what they must not say.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use haltsql::Policy;
use serde_json::{Value, json};

const POLICY: &str = r#"
apiVersion: haltsql.dev/v1
kind: Policy
metadata:
  name: analytics-agent
  description: |
    what support agents
    may read
spec:
  search_path: [app, '"We""ird, Sch"']
  statements: [select, update]
  tenancy:
    keys:
      - { column: tenant_id, context: tenant, type: uuid }
      - { column: team_id, context: team, type: integer }
  tables:
    app.customers:
      columns: [id, tenant_id, team_id, name]
      hidden: [ssn]
      complete: true
      write: { update: [name, ssn] }
    app.tenants:
      columns:
        - id
        - { name: '"Legal"', type: text, description: "the company's\nlegal name" }
      tenant: { tenant_id: id, team_id: none }
    app.products:
      columns: [sku, select]
      complete: true
      shared: true
  functions:
    allow: [app.fiscal_quarter]
    deny: [md5]
  types: { allow: [app.order_status] }
  limits: { require_limit: true, max_limit: 500, recursive: deny }
  execution: { timezone: Europe/Vienna }
"#;

fn policy(from: &str, to: &str) -> Policy {
    assert!(POLICY.contains(from));
    Policy::from_yaml(&POLICY.replace(from, to)).unwrap()
}

fn json_of(policy: &Policy) -> Value {
    serde_json::from_str(&policy.describe().to_json()).unwrap()
}

#[test]
fn json_says_what_may_be_asked() {
    let description = json_of(&policy("", ""));
    assert_eq!(
        description["policy"],
        json!({"name": "analytics-agent", "description": "what support agents may read"})
    );
    assert_eq!(description["statements"], json!(["select", "update"]));
    assert_eq!(description["tenancy"]["mode"], "bound");
    assert_eq!(
        description["tenancy"]["keys"],
        json!([{"context": "tenant", "type": "uuid"}, {"context": "team", "type": "integer"}])
    );
    assert_eq!(
        description["tables"],
        json!([
            {
                "name": "app.customers",
                "columns": [{"name": "id"}, {"name": "name"}, {"name": "team_id"}, {"name": "tenant_id"}],
                "star": false,
                "tenant": [
                    {"context": "tenant", "column": "tenant_id", "predicate": "tenant_id = $1"},
                    {"context": "team", "column": "team_id", "predicate": "team_id = $2"},
                ],
                "write": {"insert": [], "update": ["name"], "delete": false},
            },
            {
                "name": "app.products",
                "columns": [{"name": "\"select\""}, {"name": "sku"}],
                "star": true,
                "tenant": [],
            },
            {
                "name": "app.tenants",
                "columns": [
                    {"name": "\"Legal\"", "type": "text", "description": "the company's legal name"},
                    {"name": "id"},
                ],
                "star": false,
                "tenant": [{"context": "tenant", "column": "id", "predicate": "id = $1"}],
            },
        ])
    );
    assert_eq!(
        description["functions"],
        json!({"profiles": ["core"], "allow": ["app.fiscal_quarter"], "deny": ["md5"]})
    );
    assert_eq!(description["types"], json!(["app.order_status"]));
    assert_eq!(description["limits"]["max_limit"], 500);
    assert_eq!(description["limits"]["max_sql_bytes"], 65536);
    assert_eq!(description["limits"]["cartesian"], "deny");
    assert_eq!(description["limits"]["recursive"], "deny");
}

#[test]
fn text_names_every_readable_column_and_every_predicate() {
    let text = policy("", "").describe().to_text();
    for said in [
        "what support agents may read",
        "SELECT, UPDATE",
        "- app.customers: id, name, team_id, tenant_id; UPDATE may set name",
        "- app.products: \"select\", sku",
        "\"Legal\" text (the company's legal name)",
        "- `tenant_id = $1` for app.customers",
        "- `team_id = $2` for app.customers",
        "- `id = $1` for app.tenants",
        "every query on these tables must say",
        "= ANY($n)",
        "no such predicate: app.products",
        "`*` may stand only for app.products",
        "those of `app` may go without",
        "needs a LIMIT, a plain number up to 500",
        "no WITH RECURSIVE",
        "no cross joins",
        "profiles core",
        "also app.fiscal_quarter; not md5",
        "types of these profiles: app.order_status",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

#[test]
fn neither_form_names_hidden_columns_or_what_guards_pin() {
    let policy = policy("", "");
    for text in [policy.describe().to_text(), policy.describe().to_json()] {
        for secret in ["ssn", "sha256", policy.version(), "Vienna", "timeout"] {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
    }
}

#[test]
fn in_literal_mode_the_value_to_write_is_the_callers() {
    let policy = policy("  tenancy:\n", "  tenancy:\n    mode: literal\n");
    let text = policy.describe().to_text();
    assert!(text.contains("- `tenant_id = '<tenant>'` for app.customers"), "{text}");
    assert!(text.contains("- `team_id = <team>` for app.customers"), "{text}");
    assert!(text.contains("the caller's own value"), "{text}");
    assert!(!text.contains('$'), "{text}");
    assert_eq!(json_of(&policy)["tenancy"]["mode"], "literal");
}

#[test]
fn writes_are_described_where_their_kind_of_statement_is_open() {
    let closed = policy("statements: [select, update]", "statements: [select]");
    let description = json_of(&closed);
    assert!(description["tables"][0].get("write").is_none(), "{description}");
    let text = closed.describe().to_text();
    assert!(!text.contains("INSERT") && !text.contains("Writes"), "{text}");
}

#[test]
fn text_says_how_writes_are_written() {
    let text = policy("", "").describe().to_text();
    assert!(text.contains("never in a WITH query"), "{text}");
    assert!(text.contains("UPDATE and DELETE need the predicate"), "{text}");
    assert!(!text.contains("ON CONFLICT"), "no INSERT is open: {text}");
    let insert = policy("write: { update: [name, ssn] }", "write: { insert: [id, tenant_id, team_id, name] }");
    let opened = Policy::from_yaml(
        &POLICY
            .replace("[select, update]", "[insert]")
            .replace("write: { update: [name, ssn] }", "write: { insert: [id, tenant_id, team_id, name] }"),
    );
    let text = opened.unwrap().describe().to_text();
    assert!(text.contains("INSERT may set id, name, team_id, tenant_id"), "{text}");
    assert!(text.contains("DO NOTHING"), "{text}");
    assert!(text.contains("the same `$n` in every row"), "{text}");
    assert!(!insert.describe().to_text().contains("DO NOTHING"), "`statements` opens UPDATE alone");
}

#[test]
fn without_tenancy_nothing_is_said_of_it() {
    let text = "apiVersion: haltsql.dev/v1\nkind: Policy\nmetadata: { name: p }\nspec:\n  tables:\n    app.t: { columns: [id] }\n";
    let policy = Policy::from_yaml(text).unwrap();
    assert!(json_of(&policy).get("tenancy").is_none());
    let text = policy.describe().to_text();
    assert!(!text.contains("tenant") && !text.contains("Rows belong"), "{text}");
    assert!(text.contains("Write every table with its schema."), "{text}");
}

#[test]
fn the_search_path_names_pg_temp_last_and_quotes_every_schema() {
    // PostgreSQL 18.4: with this value current_schemas(true) is {pg_catalog,app,"We\"ird, Sch"}, and a temporary table of the
    // same name does not shadow app's.
    assert_eq!(policy("", "").search_path_value(), r#""app", "We""ird, Sch", pg_temp"#);
    assert_eq!(policy(r#"[app, '"We""ird, Sch"']"#, "[]").search_path_value(), "pg_temp");
}
