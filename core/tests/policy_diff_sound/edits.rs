//! Single changes of a policy's document, in every place where it has one, each under the name of its kind.

use serde_json::{Map, Value, json};

/// One change of a document.
pub struct Edit {
    pub kind: &'static str,
    /// What it sets, as [`patched`] takes it.
    pub patch: Value,
}

/// Values for keys of one value each; those that a document already has change nothing, and are harmless.
const VALUES: &[(&str, &str, &[&str])] = &[
    ("name", "/metadata/name", &["\"other\""]),
    ("mode", "/spec/mode", &["\"shadow\"", "\"enforce\""]),
    (
        "search path",
        "/spec/search_path",
        &[
            "[]",
            r#"["app"]"#,
            r#"["pub"]"#,
            r#"["app","pub"]"#,
            r#"["pub","app"]"#,
            r#"["app","zoo"]"#,
            r#"["app","zoo","pub"]"#,
        ],
    ),
    ("require_qualified", "/spec/require_qualified", &["true", "false"]),
    (
        "statements",
        "/spec/statements",
        &[
            r#"["select"]"#,
            "[]",
            r#"["select","insert"]"#,
            r#"["insert","update","delete"]"#,
            r#"["select","insert","update"]"#,
            r#"["select","insert","update","delete"]"#,
        ],
    ),
    (
        "profiles",
        "/spec/functions/profiles",
        &[
            r#"["core"]"#,
            r#"["core","random"]"#,
            r#"["text-search"]"#,
            r#"["core","fuzzy"]"#,
            r#"["core","random","text-search"]"#,
        ],
    ),
    (
        "functions allow",
        "/spec/functions/allow",
        &[
            "[]",
            r#"["md5"]"#,
            r#"["app.name"]"#,
            r#"["similarity"]"#,
            r#"["pub.similarity"]"#,
            r#"["app.name","app.region","app.fiscal_quarter"]"#,
            r#"["app.fiscal_quarter","pub.meaning","random"]"#,
            r#"["app.fiscal_quarter","random"]"#,
        ],
    ),
    ("functions deny", "/spec/functions/deny", &["[]", r#"["count"]"#, r#"["lower","sum"]"#, r#"["app.name"]"#]),
    (
        "operators",
        "/spec/operators/allow",
        &["[]", r#"["OPERATOR(app.===)"]"#, r#"["OPERATOR(app.===)","OPERATOR(pub.<->)"]"#],
    ),
    ("types", "/spec/types/allow", &["[]", r#"["app.order_state"]"#, r#"["regclass","app.order_state"]"#]),
    ("collations", "/spec/types/collations", &["[]", r#"["\"de-x-icu\""]"#, r#"["\"de-x-icu\"","\"en-x-icu\""]"#]),
    ("max_sql_bytes", "/spec/limits/max_sql_bytes", &["20", "60", "65536", "10000000"]),
    ("max_relations", "/spec/limits/max_relations", &["1", "2", "32", "1000"]),
    ("max_depth", "/spec/limits/max_depth", &["3", "8", "64", "200"]),
    ("require_limit", "/spec/limits/require_limit", &["true", "false"]),
    ("max_limit", "/spec/limits/max_limit", &["1", "10", "100000", "null"]),
    ("cartesian", "/spec/limits/cartesian", &["\"deny\"", "\"allow\""]),
    ("recursive", "/spec/limits/recursive", &["\"deny\"", "\"bounded\"", "\"allow\""]),
    ("max_generated", "/spec/limits/max_generated", &["10", "1000000", "1000000000"]),
    ("max_grouping_sets", "/spec/limits/max_grouping_sets", &["1", "64", "100000"]),
    ("timeout", "/spec/execution/statement_timeout_ms", &["1", "100000"]),
    ("max_rows", "/spec/execution/max_rows", &["1", "100000"]),
    ("timezone", "/spec/execution/timezone", &["\"Europe/Berlin\""]),
    ("tenancy mode", "/spec/tenancy/mode", &["\"bound\"", "\"literal\""]),
    ("tenancy context", "/spec/tenancy/keys/0/context", &["\"org\"", "\"user\"", "\"tenant_id\""]),
    ("tenancy type", "/spec/tenancy/keys/0/type", &["\"text\"", "\"uuid\"", "\"integer\""]),
];

/// Every single change of a document that this file knows. `pool`: names that texts use.
pub fn edits(base: &Value, pool: &[String]) -> Vec<Edit> {
    let mut found = Vec::new();
    let has_tenancy = base.pointer("/spec/tenancy").is_some();
    for (kind, path, values) in VALUES {
        for value in *values {
            let value: Value = serde_json::from_str(value).unwrap();
            if let Some(field) = path.strip_prefix("/spec/tenancy/keys/0/") {
                if has_tenancy {
                    let mut keys = base["spec"]["tenancy"]["keys"].clone();
                    keys[0][field] = value;
                    found.push(Edit { kind, patch: patch("/spec/tenancy/keys", keys) });
                }
            } else if has_tenancy || *kind != "tenancy mode" {
                found.push(Edit { kind, patch: patch(path, value) });
            }
        }
    }
    tenancy(base, &mut found);
    for (name, table) in tables(base) {
        found.push(Edit { kind: "table away", patch: of_table_named(name, Value::Null) });
        for (kind, change) in of_table(table, has_tenancy, pool) {
            found.push(Edit { kind, patch: of_table_named(name, change) });
        }
    }
    for name in ["app.zoo", "app.secret", "pub.zoo", "public.customers"] {
        let table = json!({ "columns": ["id", "code", "name"], "complete": true, "shared": has_tenancy });
        found.push(Edit { kind: "table", patch: of_table_named(name, table) });
    }
    found
}

/// A document with a change made to it (RFC 7396).
pub fn patched(document: &Value, patch: &Value) -> Value {
    let Value::Object(changes) = patch else { return patch.clone() };
    let mut changed = document.as_object().cloned().unwrap_or_default();
    for (key, change) in changes {
        if change.is_null() {
            changed.remove(key);
        } else {
            let value = patched(changed.get(key).unwrap_or(&Value::Null), change);
            changed.insert(key.clone(), value);
        }
    }
    Value::Object(changed)
}

fn patch(path: &str, value: Value) -> Value {
    path.split('/').skip(1).collect::<Vec<_>>().into_iter().rev().fold(value, |inner, step| json!({ step: inner }))
}

fn of_table_named(name: &str, change: Value) -> Value {
    json!({ "spec": { "tables": { name: change } } })
}

fn tables(base: &Value) -> impl Iterator<Item = (&String, &Value)> {
    base.pointer("/spec/tables").and_then(Value::as_object).into_iter().flatten()
}

fn columns(table: &Value) -> &[Value] {
    table.get("columns").and_then(Value::as_array).map_or(&[], |columns| columns)
}

fn tenancy(base: &Value, found: &mut Vec<Edit>) {
    // What each table has to say when the keys change.
    let each = |change: &dyn Fn(&Value) -> Value| {
        Value::Object(tables(base).map(|(name, table)| (name.clone(), change(table))).collect::<Map<_, _>>())
    };
    let Some(keys) = base.pointer("/spec/tenancy/keys").and_then(Value::as_array) else {
        for mode in ["bound", "literal"] {
            for column in ["code", "day", "id"] {
                let tenancy = json!({ "mode": mode, "keys": [{ "column": column, "context": "tenant_id" }] });
                let tables = each(&|table| json!({ "shared": !columns(table).contains(&json!(column)) }));
                found
                    .push(Edit { kind: "tenancy", patch: json!({ "spec": { "tenancy": tenancy, "tables": tables } }) });
            }
        }
        return;
    };
    let none = each(&|_| json!({ "tenant": null }));
    found.push(Edit { kind: "no tenancy", patch: json!({ "spec": { "tenancy": null, "tables": none } }) });
    if let [.., last] = keys.as_slice()
        && keys.len() > 1
    {
        let turned: Vec<_> = keys.iter().rev().collect();
        found.push(Edit { kind: "keys turned", patch: patch("/spec/tenancy/keys", json!(turned)) });
        let fewer = json!({ "keys": keys[..keys.len() - 1] });
        let key = last["column"].as_str().unwrap();
        let tables =
            each(&|table| if table.get("tenant").is_some() { json!({ "tenant": { key: null } }) } else { json!({}) });
        found.push(Edit { kind: "key away", patch: json!({ "spec": { "tenancy": fewer, "tables": tables } }) });
    }
    for column in ["customer_id", "status", "name", "title"] {
        let mut more = keys.clone();
        more.push(json!({ "column": column, "context": "user" }));
        let tables = each(&|table| {
            let carries = columns(table).contains(&json!(column)) || table.get("shared") == Some(&json!(true));
            if carries { json!({}) } else { json!({ "tenant": { column: "none" } }) }
        });
        found.push(Edit { kind: "key", patch: json!({ "spec": { "tenancy": { "keys": more }, "tables": tables } }) });
    }
}

/// A table's own changes.
fn of_table(table: &Value, has_tenancy: bool, pool: &[String]) -> Vec<(&'static str, Value)> {
    let list = |key: &str| -> Vec<Value> { table.get(key).and_then(Value::as_array).cloned().unwrap_or_default() };
    let (columns, hidden) = (list("columns"), list("hidden"));
    let with = |columns: &[Value], hidden: &[Value]| json!({ "columns": columns, "hidden": hidden });
    let less = |list: &[Value], at: usize| -> Vec<Value> {
        list.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, name)| name.clone()).collect()
    };
    let more = |list: &[Value], name: &Value| -> Vec<Value> { list.iter().chain([name]).cloned().collect() };
    let mut found = Vec::new();
    for (at, name) in columns.iter().enumerate() {
        found.push(("column hidden", with(&less(&columns, at), &more(&hidden, name))));
        found.push(("column away", with(&less(&columns, at), &hidden)));
        for ty in ["text[]", "app.pair[]"] {
            let mut columns = columns.clone();
            columns[at] = json!({ "name": name, "type": ty, "description": "a column" });
            found.push(("type", with(&columns, &hidden)));
        }
    }
    for key in ["insert", "update"] {
        let written = table.pointer(&format!("/write/{key}")).and_then(Value::as_array).cloned().unwrap_or_default();
        for name in columns.iter().chain(&hidden) {
            let fewer: Vec<_> = written.iter().filter(|other| *other != name).collect();
            if fewer.len() < written.len() {
                found.push(("write less", json!({ "write": { key: fewer } })));
            } else {
                found.push(("write more", json!({ "write": { key: more(&written, name) } })));
            }
        }
    }
    for (at, name) in hidden.iter().enumerate() {
        found.push(("hidden readable", with(&more(&columns, name), &less(&hidden, at))));
        found.push(("hidden away", with(&columns, &less(&hidden, at))));
    }
    for name in pool.iter().map(|name| json!(name)).filter(|name| !columns.contains(name) && !hidden.contains(name)) {
        found.push(("new column", with(&more(&columns, &name), &hidden)));
        found.push(("new hidden", with(&columns, &more(&hidden, &name))));
    }
    for name in ["zip", "meaning"].map(|name| json!(name)).iter().filter(|name| !columns.contains(name)) {
        found.push(("new readable", with(&more(&columns, name), &hidden)));
    }
    found.push(("complete", json!({ "complete": table.get("complete") != Some(&json!(true)) })));
    let deletes = table.pointer("/write/delete") == Some(&json!(true));
    found.push(("delete", json!({ "write": { "delete": !deletes } })));
    found.push(("no write", json!({ "write": null })));
    if has_tenancy {
        let shared = table.get("shared") == Some(&json!(true));
        found.push(("shared", json!({ "tenant": null, "shared": !shared })));
        for column in &columns {
            found.push(("tenant", json!({ "tenant": { "tenant_id": column }, "shared": false })));
        }
    }
    found
}
