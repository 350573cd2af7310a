//! Which way single changes of a policy go, key by key. That none is called harmless which is not: `policy_diff_sound`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use haltsql::{Change, Effect, Policy};
use serde_json::{Value, json};

const BASE: &str = "\
apiVersion: haltsql.dev/v1
kind: Policy
metadata: { name: base }
spec:
  search_path: [app, pub]
  statements: [select, insert]
  tenancy:
    mode: literal
    keys: [{ column: tenant_id, context: tenant_id }]
  tables:
    app.orders:
      columns: [id, tenant_id, { name: total, type: numeric, description: in euros }]
      hidden: [note]
      complete: true
      write: { insert: [id, tenant_id] }
    app.notes: { columns: [id, tenant_id] }
    pub.codes: { columns: [code], shared: true }
  functions: { allow: [app.quarter, pub.quarter, md5] }
  limits: { max_limit: 100, require_limit: true }
  execution: { role: reader, seal: bare, settings: { app.user: '{context.user}' } }
";

/// The base policy as a document that can be changed.
fn document() -> Value {
    let mut document: Value = serde_json::from_str(Policy::from_yaml(BASE).unwrap().normal_form()).unwrap();
    let columns = json!(["id", "tenant_id", { "name": "total", "type": "numeric", "description": "in euros" }]);
    document["spec"]["tables"]["app.orders"]["columns"] = columns;
    document
}

fn load(document: &Value) -> Policy {
    Policy::from_json(&document.to_string()).unwrap_or_else(|error| panic!("{error}"))
}

/// The changes when the value at `pointer` becomes `value` (`null`: is left out).
fn changes(pointer: &str, value: Value) -> Vec<Change> {
    let mut changed = document();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = changed.pointer_mut(&format!("/spec{parent}")).expect(pointer).as_object_mut().unwrap();
    if value.is_null() {
        parent.remove(key).expect(pointer);
    } else {
        parent.insert(key.to_owned(), value);
    }
    load(&document()).changes_to(&load(&changed))
}

/// The one change.
fn change(pointer: &str, value: Value) -> (Effect, String) {
    let found = changes(pointer, value);
    let [one] = found.as_slice() else { panic!("{pointer}: {found:#?}") };
    (one.effect, one.path.clone())
}

#[test]
fn equal_documents_have_no_changes() {
    assert_eq!(load(&document()).changes_to(&load(&document())), []);
    assert_eq!(load(&document()).changes_to(&Policy::from_yaml(BASE).unwrap()), []);
}

#[test]
fn each_key_goes_its_way() {
    use Effect::{Neutral, Relaxes, Restricts};
    let orders = "spec.tables[\"app.orders\"]";
    let table = |key: &str| format!("{orders}.{key}");
    let typed = |ty: &str| json!(["id", "tenant_id", { "name": "total", "type": ty, "description": "in euros" }]);
    let cases: Vec<(&str, Value, Effect, String)> = vec![
        ("/mode", json!("shadow"), Relaxes, "spec.mode".into()),
        ("/search_path", json!(["pub", "app"]), Relaxes, "spec.search_path".into()),
        ("/search_path", json!(["app", "pub", "zoo"]), Relaxes, "spec.search_path".into()),
        ("/search_path", json!(["app"]), Restricts, "spec.search_path".into()),
        // `quarter(x)` is a column then, where x has one.
        ("/search_path", json!([]), Relaxes, "spec.search_path".into()),
        ("/require_qualified", json!(true), Restricts, "spec.require_qualified".into()),
        ("/statements", json!(["select"]), Restricts, "spec.statements".into()),
        ("/statements", json!(["select", "insert", "delete"]), Relaxes, "spec.statements".into()),
        ("/tenancy/mode", json!("bound"), Relaxes, "spec.tenancy.mode".into()),
        (
            "/tenancy/keys",
            json!([{ "column": "tenant_id", "context": "org" }]),
            Relaxes,
            "spec.tenancy.keys[tenant_id].context".into(),
        ),
        (
            "/tenancy/keys",
            json!([{ "column": "tenant_id", "context": "tenant_id", "type": "uuid" }]),
            Relaxes,
            "spec.tenancy.keys[tenant_id].type".into(),
        ),
        ("/tables/app.zoo", json!({ "columns": ["id"], "shared": true }), Relaxes, "spec.tables".into()),
        ("/tables/app.notes", Value::Null, Restricts, "spec.tables".into()),
        (
            "/tables/pub.codes",
            json!({ "columns": ["code", "title"], "shared": true }),
            Relaxes,
            "spec.tables[\"pub.codes\"].columns".into(),
        ),
        (
            "/tables/pub.codes",
            json!({ "columns": ["code"], "hidden": ["x"], "shared": true }),
            Restricts,
            "spec.tables[\"pub.codes\"].hidden".into(),
        ),
        ("/tables/pub.codes", json!({ "shared": true }), Relaxes, "spec.tables[\"pub.codes\"].columns".into()),
        (
            "/tables/pub.codes",
            json!({ "hidden": ["code"], "shared": true }),
            Restricts,
            "spec.tables[\"pub.codes\"].hidden".into(),
        ),
        ("/tables/app.orders/hidden", Value::Null, Relaxes, table("hidden")),
        ("/tables/app.orders/complete", Value::Null, Restricts, table("complete")),
        ("/tables/app.notes/complete", json!(true), Relaxes, "spec.tables[\"app.notes\"].complete".into()),
        ("/tables/app.notes/shared", json!(true), Relaxes, "spec.tables[\"app.notes\"].tenant[tenant_id]".into()),
        (
            "/tables/app.notes/tenant",
            json!({ "tenant_id": "id" }),
            Relaxes,
            "spec.tables[\"app.notes\"].tenant[tenant_id]".into(),
        ),
        ("/tables/app.orders/columns", typed("int[]"), Neutral, table("columns[total].type")),
        ("/tables/app.orders/columns", typed("app.pair[]"), Restricts, table("columns[total].type")),
        ("/tables/app.orders/write", json!({ "insert": ["id", "tenant_id", "note"] }), Relaxes, table("write.insert")),
        ("/tables/app.orders/write", json!({ "insert": ["tenant_id"] }), Restricts, table("write.insert")),
        (
            "/tables/app.orders/write",
            json!({ "insert": ["id", "tenant_id"], "delete": true }),
            Relaxes,
            table("write.delete"),
        ),
        ("/functions/profiles", json!(["core", "random"]), Relaxes, "spec.functions.profiles".into()),
        ("/functions/profiles", json!([]), Restricts, "spec.functions.profiles".into()),
        ("/functions/allow", json!(["pub.quarter", "md5"]), Relaxes, "spec.functions.allow".into()),
        ("/functions/allow", json!(["app.quarter", "md5"]), Restricts, "spec.functions.allow".into()),
        ("/functions/allow", json!(["app.quarter", "pub.quarter"]), Restricts, "spec.functions.allow".into()),
        ("/functions/deny", json!(["lower"]), Restricts, "spec.functions.deny".into()),
        ("/operators", json!({ "allow": ["OPERATOR(app.===)"] }), Relaxes, "spec.operators.allow".into()),
        ("/types", json!({ "allow": ["app.state"] }), Relaxes, "spec.types.allow".into()),
        ("/types", json!({ "collations": ["\"de-x-icu\""] }), Relaxes, "spec.types.collations".into()),
        ("/limits/max_limit", Value::Null, Relaxes, "spec.limits.max_limit".into()),
        ("/limits/max_limit", json!(99), Restricts, "spec.limits.max_limit".into()),
        ("/limits/require_limit", Value::Null, Relaxes, "spec.limits.require_limit".into()),
        ("/limits/recursive", json!("deny"), Restricts, "spec.limits.recursive".into()),
        ("/limits/recursive", json!("allow"), Relaxes, "spec.limits.recursive".into()),
        ("/limits/cartesian", json!("allow"), Relaxes, "spec.limits.cartesian".into()),
        ("/limits/max_depth", json!(63), Restricts, "spec.limits.max_depth".into()),
        ("/limits/max_depth", json!(65), Relaxes, "spec.limits.max_depth".into()),
        ("/execution/role", json!("writer"), Relaxes, "spec.execution.role".into()),
        ("/execution/settings", Value::Null, Relaxes, "spec.execution.settings[\"app.user\"]".into()),
        ("/execution/isolation", json!("serializable"), Neutral, "spec.execution.isolation".into()),
        ("/execution/timezone", json!("Europe/Berlin"), Neutral, "spec.execution.timezone".into()),
        ("/execution/statement_timeout_ms", json!(4999), Restricts, "spec.execution.statement_timeout_ms".into()),
        ("/execution/max_rows", json!(1001), Relaxes, "spec.execution.max_rows".into()),
    ];
    for (pointer, value, effect, path) in cases {
        assert_eq!(change(pointer, value.clone()), (effect, path), "{pointer} = {value}");
    }
}

#[test]
fn a_seal_and_its_role_are_judged_by_the_wall_that_they_make() {
    let effects = |value: Value| -> Vec<(Effect, String)> {
        changes("/execution", value).into_iter().map(|change| (change.effect, change.path)).collect()
    };
    let settings = json!({ "app.user": "{context.user}" });
    let signed =
        json!({ "role": "reader", "seal": "signed", "pin_key": { "kid": "k1", "env": "K" }, "settings": settings });
    assert_eq!(
        effects(signed),
        [(Effect::Restricts, "spec.execution.seal".to_owned()), (Effect::Neutral, "spec.execution.pin_key".to_owned())]
    );
    assert_eq!(
        effects(json!({ "settings": settings })),
        [(Effect::Relaxes, "spec.execution.role".to_owned()), (Effect::Relaxes, "spec.execution.seal".to_owned())]
    );
}

#[test]
fn tenancy_that_comes_or_goes_is_one_change() {
    let mut without = document();
    without["spec"].as_object_mut().unwrap().remove("tenancy");
    let (with, without) = (load(&document()), load(&without));
    let effects =
        |changes: Vec<Change>| changes.into_iter().map(|change| (change.effect, change.path)).collect::<Vec<_>>();
    assert_eq!(effects(with.changes_to(&without)), [(Effect::Relaxes, "spec.tenancy".to_owned())]);
    // In literal mode nothing can be said that could not be said before.
    assert_eq!(effects(without.changes_to(&with)), [(Effect::Restricts, "spec.tenancy".to_owned())]);
    let mut bound = document();
    bound["spec"]["tenancy"]["mode"] = json!("bound");
    assert_eq!(effects(without.changes_to(&load(&bound))), [(Effect::Relaxes, "spec.tenancy".to_owned())]);
}

#[test]
fn what_relaxes_comes_first_and_every_change_says_why() {
    let mut changed = document();
    changed["metadata"]["name"] = json!("other");
    changed["spec"]["limits"] =
        json!({ "max_limit": 100, "max_relations": 1, "max_depth": 100, "require_limit": true });
    let found = load(&document()).changes_to(&load(&changed));
    let effects: Vec<Effect> = found.iter().map(|change| change.effect).collect();
    assert_eq!(effects, [Effect::Relaxes, Effect::Restricts, Effect::Neutral]);
    assert!(found.iter().all(|change| !change.why.is_empty() && !change.why.contains('\n')), "{found:?}");
    assert_eq!((found[0].from.as_deref(), found[0].to.as_deref()), (Some("64"), Some("100")));
}
