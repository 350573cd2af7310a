//! The JSON Schema and the reference page say what the loader does.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeSet;

use haltsql::Policy;
use serde_json::{Value, json};

const SCHEMA: &str = include_str!("../../schema/policy.schema.json");
const PAGE: &str = include_str!("../../docs/policy.md");

/// Each map with fixed keys: a place for it in a policy, and its place in the schema.
const MAPS: &[(&str, &str)] = &[
    ("", ""),
    ("/metadata", "/properties/metadata"),
    ("/spec", "/properties/spec"),
    ("/spec/tenancy", "/properties/spec/properties/tenancy"),
    ("/spec/tenancy/keys/0", "/properties/spec/properties/tenancy/properties/keys/items"),
    ("/spec/tables/app.t", "/$defs/table"),
    ("/spec/tables/app.t/columns/0", "/$defs/table/properties/columns/items/anyOf/1"),
    ("/spec/tables/app.t/write", "/$defs/table/properties/write"),
    ("/spec/functions", "/properties/spec/properties/functions"),
    ("/spec/operators", "/properties/spec/properties/operators"),
    ("/spec/types", "/properties/spec/properties/types"),
    ("/spec/limits", "/properties/spec/properties/limits"),
    ("/spec/execution", "/properties/spec/properties/execution"),
    ("/spec/execution/pin_key", "/properties/spec/properties/execution/properties/pin_key/anyOf/1"),
];

fn schema() -> Value {
    serde_json::from_str(SCHEMA).unwrap()
}

fn policy() -> Value {
    json!({
        "apiVersion": "haltsql.dev/v1", "kind": "Policy", "metadata": { "name": "p" },
        "spec": {
            "tenancy": { "keys": [{ "column": "id", "context": "k" }] },
            "tables": { "app.t": { "columns": [{ "name": "id" }], "write": {} } },
            "functions": {}, "operators": {}, "types": {}, "limits": {},
            "execution": { "seal": "signed", "role": "r", "pin_key": { "kid": "k1", "env": "K" } },
        },
    })
}

/// The keys that the loader lists when it meets one that is like none of them.
fn known(place: &str) -> BTreeSet<String> {
    let mut document = policy();
    document.pointer_mut(place).expect(place)["zzzzzzzzzzzzzzzz"] = json!(1);
    let error = Policy::from_json(&document.to_string()).expect_err(place);
    assert_eq!(error.problems().len(), 1, "{error}");
    let help = error.problems()[0].help.clone().unwrap();
    help.strip_prefix("known here: ").unwrap().split(", ").map(|key| key.trim_matches('`').to_owned()).collect()
}

#[test]
fn the_schema_has_the_loaders_keys() {
    Policy::from_json(&policy().to_string()).unwrap();
    let schema = schema();
    for (place, pointer) in MAPS {
        let map = schema.pointer(pointer).expect(pointer);
        let keys: BTreeSet<String> = map["properties"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(keys, known(place), "{pointer}");
        assert_eq!(map["additionalProperties"], json!(false), "{pointer}");
        for key in keys {
            let told = PAGE.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == key);
            assert!(told, "docs/policy.md does not tell of {key}");
        }
    }
    // No map with fixed keys is missing above.
    assert_eq!(SCHEMA.matches("\"properties\": {").count(), MAPS.len() + 1, "one more stands in a condition");
}

#[test]
fn the_schema_has_the_loaders_defaults_and_bounds() {
    let schema = schema();
    let smallest = r#"{"apiVersion":"haltsql.dev/v1","kind":"Policy","metadata":{"name":"p"},"spec":{}}"#;
    let load = |section: &str, key: &str, value: &Value| {
        let mut document: Value = serde_json::from_str(smallest).unwrap();
        document["spec"][section][key] = value.clone();
        Policy::from_json(&document.to_string())
    };
    for section in ["limits", "execution", "functions", "operators", "types"] {
        let keys = schema.pointer(&format!("/properties/spec/properties/{section}/properties")).unwrap();
        for (key, property) in keys.as_object().unwrap() {
            let default = property.get("default").unwrap_or_else(|| panic!("{key} has no default"));
            assert_eq!(load(section, key, default).unwrap().normal_form(), smallest, "{key}");
            for word in property["enum"].as_array().into_iter().flatten().filter(|_| key != "seal") {
                assert!(load(section, key, word).is_ok(), "{key}: {word}");
            }
            let Some(maximum) = property["maximum"].as_u64() else { continue };
            assert!(load(section, key, &json!(maximum)).is_ok(), "{key}");
            assert!(load(section, key, &json!(maximum + 1)).is_err(), "{key}");
        }
    }
}

#[test]
fn the_pages_example_is_a_policy() {
    let example = PAGE.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    let policy = Policy::from_yaml(example).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(policy.name(), "analytics-agent");
    let shown = PAGE.split("```text\n").nth(1).unwrap().split("\n```").next().unwrap();
    let wrong = example
        .replace("search_path: [app]", "serch_path: [app]")
        .replace("metadata:\n  name: analytics-agent", "metadata: { name: p }");
    assert_eq!(Policy::from_yaml(&wrong).unwrap_err().to_string(), shown);
}
