//! `haltsql policy init` on a real server: the draft loads, holds on its database, and decides nothing by silence.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

#[path = "../common/mod.rs"]
mod common;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use common::{Folder, parts};
use haltsql_testkit::{Server, Version};
use serde_json::{Value, json};

static SERVER: LazyLock<Server> = LazyLock::new(|| {
    let server = Server::start(Version::Pg18).unwrap();
    for (database, sql) in
        [("shop", include_str!("shop.sql")), ("bare", "CREATE TABLE public.facts (id int, name text)")]
    {
        server.create_database(database).unwrap();
        server.connect(database, "postgres").unwrap().batch_execute(sql).unwrap();
    }
    server
});

fn dsn(database: &str) -> String {
    format!("host={} dbname={database} user=postgres", SERVER.socket_folder().display())
}

fn init(folder: &Folder, database: &str, more: &[&str]) -> (i32, String, String) {
    parts(&folder.run(&[&["policy", "init", "--dsn", &dsn(database)], more].concat(), b""))
}

/// The normal form of a draft.
fn normal(folder: &Folder, draft: &str) -> Value {
    folder.write("draft.yaml", draft);
    let (code, out, err) = parts(&folder.run(&["policy", "show", "draft.yaml"], b""));
    assert_eq!((code, &*err), (0, ""), "{draft}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn a_draft_opens_what_carries_the_tenant_and_hides_what_looks_personal() {
    let folder = Folder::new();
    let (code, draft, err) = init(&folder, "shop", &["--schema", "app"]);
    assert_eq!((code, &*err), (0, ""));
    let spec = &normal(&folder, &draft)["spec"];
    assert_eq!(spec["search_path"], json!(["app"]));
    assert_eq!(spec["tenancy"], json!({ "keys": [{ "column": "org_id", "context": "org_id", "type": "uuid" }] }));
    assert_eq!(
        spec["tables"],
        json!({
            "app.orgs": { "columns": ["id", "name"], "hidden": ["\"billing email\""], "complete": true, "tenant": { "org_id": "id" } },
            "app.customers": {
                "columns": ["id", "name", "org_id", "region"],
                "hidden": ["\"phoneNumber\"", "email", "mail_domain", "seen_from"],
                "complete": true,
            },
            "app.\"Order.Items\"": {
                "columns": ["\"Id\"", "\"größe\"", "\"say \"\"hi\"\"\"", "created", "customer_id", "null", "on", "org_id"],
                "complete": true,
            },
            "app.drafts": { "columns": ["body", "id", "org_id"], "complete": true },
            "app.events": { "columns": ["at", "id", "org_id"], "complete": true },
            "app.regions": { "columns": ["customers", "org_id", "region"], "complete": true },
            "app.a_busy_regions": { "columns": ["customers", "org_id", "region"], "complete": true },
        }),
        "{draft}"
    );
    for (left_out, why) in [
        ("app.countries", "it has no column `org_id`"),
        ("app.imports", "its column `org_id` is of type app.org, which cannot carry a key of type uuid"),
        ("app.secrets", "no column of it looks fit to be read"),
        ("app.totals", "a materialised view"),
        ("app.old_style", "ALTER VIEW app.old_style SET (security_invoker = true)"),
        ("app.contacts", "a view that reads what this policy does not open"),
        ("app.everybody", "a view that reads what this policy does not open"),
    ] {
        let line = draft.lines().find(|line| line.starts_with(&format!("    # Left out: {left_out}: ")));
        assert!(line.is_some_and(|line| line.contains(why)), "{left_out}\n{draft}");
    }
    assert!(
        draft.contains("# Found in 4 of 8 tables. It could also be customer_id (1): --tenant-column says so.\n"),
        "{draft}"
    );
    assert!(draft.contains("# org_id may be NULL"), "{draft}");
}

#[test]
fn types_and_comments_come_along_and_end_nothing() {
    let folder = Folder::new();
    let (_, draft, _) = init(&folder, "shop", &["--schema", "app"]);
    folder.write("draft.yaml", &draft);
    let (code, out, _) = parts(&folder.run(&["policy", "describe", "--json", "draft.yaml"], b""));
    assert_eq!(code, 0);
    let described: Value = serde_json::from_str(&out).unwrap();
    let tables = described["tables"].as_array().unwrap();
    let column = |table: &str, name: &str| {
        let table = tables.iter().find(|found| found["name"] == table).unwrap();
        table["columns"].as_array().unwrap().iter().find(|found| found["name"] == name).unwrap().clone()
    };
    assert_eq!(
        column("app.customers", "region"),
        json!({ "name": "region", "type": "text", "description": "ISO 3166-2: \"DE-BE\", or {nothing}" })
    );
    let items = "app.\"Order.Items\"";
    assert_eq!(column(items, "\"on\"")["type"], "app.\"Status\"");
    assert_eq!(column(items, "\"null\"")["type"], "numeric(12,2)");
    assert_eq!(column(items, "created")["type"], "timestamp(3) with time zone");
    assert_eq!(column("app.customers", "name")["type"], "character varying(80)");
    assert!(draft.contains("    # Whom we sell to # not a comment apiVersion: evil\n"), "{draft}");
}

#[test]
fn a_draft_holds_on_its_own_database() {
    let folder = Folder::new();
    let (_, draft, _) = init(&folder, "shop", &["--schema", "app"]);
    folder.write("draft.yaml", &draft);
    let doctor = ["policy", "doctor", "draft.yaml", "--dsn", &dsn("shop"), "--role", "init_agent", "--json"];
    let (code, out, err) = parts(&folder.run(&doctor, b""));
    assert_eq!(err, "");
    let report: Value = serde_json::from_str(&out).unwrap();
    let red = report["checks"].as_array().unwrap().iter().filter(|check| check["state"] == "red");
    let red: Vec<(&str, &Value)> =
        red.map(|check| (check["id"].as_str().unwrap(), &check["findings"][0]["object"])).collect();
    // The one thing that the draft itself warns of.
    assert_eq!((code, red), (1, vec![("tenant.not_null", &json!("app.drafts.org_id"))]), "{out}");
}

#[test]
fn what_is_left_out_can_be_taken_in_by_taking_the_marks_away() {
    let folder = Folder::new();
    let (_, draft, _) = init(&folder, "shop", &["--schema", "app"]);
    let opened = draft.replace("    # Left out", "    ## Left out").lines().fold(String::new(), |text, line| {
        let mark = line.strip_prefix("    # ").filter(|rest| rest.starts_with("app.") || rest.starts_with("  "));
        text + &mark.map_or_else(|| line.to_owned(), |rest| format!("    {rest}")) + "\n"
    });
    let spec = &normal(&folder, &opened)["spec"];
    assert_eq!(
        spec["tables"]["app.countries"],
        json!({ "columns": ["code", "name"], "complete": true, "shared": true })
    );
}

#[test]
fn the_same_database_gives_the_same_draft() {
    let folder = Folder::new();
    let (_, first, _) = init(&folder, "shop", &[]);
    let (_, second, _) = init(&folder, "shop", &[]);
    assert_eq!(first, second);
    let (code, out, err) = init(&folder, "shop", &["--output", "made.yaml"]);
    assert_eq!((code, &*out, &*err), (0, "", ""));
    let path: PathBuf = folder.write("other.txt", "").with_file_name("made.yaml");
    assert_eq!(std::fs::read_to_string(Path::new(&path)).unwrap(), first);
    let (code, _, err) = init(&folder, "shop", &["--output", "made.yaml"]);
    assert!(code == 2 && err.contains("does not exist yet"), "what is there is never written over: {err}");
}

#[test]
fn all_schemas_count_unless_some_are_named() {
    let folder = Folder::new();
    let (_, draft, _) = init(&folder, "shop", &[]);
    let spec = &normal(&folder, &draft)["spec"];
    assert!(spec["tables"]["other.visits"].is_object() && spec["tables"]["app.customers"].is_object());
    assert_eq!(spec["search_path"], json!(["app"]), "the schema with the most tables");
    let (_, draft, _) = init(&folder, "shop", &["--schema", "other", "--tenant-column", "customer_id", "--name", "on"]);
    let normal = normal(&folder, &draft);
    assert_eq!(normal["metadata"]["name"], "on");
    assert_eq!(
        normal["spec"]["tenancy"]["keys"],
        json!([{ "column": "customer_id", "context": "customer_id", "type": "integer" }])
    );
    let tables: Vec<_> = normal["spec"]["tables"].as_object().unwrap().keys().collect();
    assert_eq!(tables, ["other.visits"]);
}

#[test]
fn nobody_is_everybody_only_when_told() {
    let folder = Folder::new();
    let (code, out, err) = init(&folder, "bare", &[]);
    assert_eq!((code, &*out), (2, ""));
    assert!(err.contains("--tenant-column") && err.contains("--no-tenancy"), "{err}");
    let (code, _, err) = init(&folder, "bare", &["--tenant-column", "shop"]);
    assert!(code == 2 && err.contains("`shop`"), "{err}");
    let (code, _, err) = init(&folder, "bare", &["--schema", "absent", "--no-tenancy"]);
    assert!(code == 2 && err.contains("`absent`"), "{err}");
    let (code, draft, _) = init(&folder, "bare", &["--no-tenancy"]);
    assert_eq!(code, 0);
    let spec = &normal(&folder, &draft)["spec"];
    assert_eq!(spec["tables"], json!({ "public.facts": { "columns": ["id", "name"], "complete": true } }));
    assert!(spec.get("tenancy").is_none());
}
