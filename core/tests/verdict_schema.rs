//! The published JSON Schema of a verdict: it accepts what the core writes, refuses what breaks the contract, and is complete.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod verdict_samples;

use haltsql::{BindParam, BindValue, ReasonCode, Verdict};
use serde_json::{Value, json};
use verdict_samples::{allowed, denied, reason};

fn schema() -> Value {
    serde_json::from_str(include_str!("../../schema/verdict.schema.json")).unwrap()
}

fn accepts(verdict: &Value) -> bool {
    jsonschema::draft202012::new(&schema()).unwrap().is_valid(verdict)
}

fn value(verdict: &Verdict) -> Value {
    serde_json::from_str(&verdict.to_json()).unwrap()
}

/// A verdict in which every field of the contract is there.
fn full() -> Value {
    let mut verdict = value(&allowed());
    verdict["shadow_reasons"] =
        value(&denied(vec![reason(ReasonCode::Star, Some(7), "m", Some("h"))]))["reasons"].clone();
    verdict
}

#[test]
fn the_schema_is_one_of_its_draft() {
    assert!(jsonschema::draft202012::meta::is_valid(&schema()));
}

#[test]
fn every_kind_of_verdict_is_accepted() {
    let mut nothing_known = denied(vec![reason(ReasonCode::Parse, Some(0), "m", None)]);
    nothing_known.statement_kind = None;
    nothing_known.fingerprint = None;
    nothing_known.policy.search_path.clear();
    let mut types = allowed();
    types.bind_params = ["text", "uuid", "integer"]
        .into_iter()
        .map(|ty| BindParam { param: 1, value: BindValue::One("5".to_owned()), ty })
        .collect();
    let every_code = denied(ReasonCode::ALL.iter().map(|code| reason(*code, None, "m", None)).collect());
    for verdict in [allowed(), nothing_known, types, every_code] {
        assert!(accepts(&value(&verdict)), "{}", verdict.to_json());
    }
    assert!(accepts(&full()));
}

#[test]
fn fields_and_codes_of_later_versions_are_accepted() {
    let mut verdict = value(&denied(vec![reason(ReasonCode::Star, None, "m", None)]));
    verdict["later"] = json!(1);
    verdict["reasons"][0]["code"] = json!("E_LATER");
    verdict["reasons"][0]["later"] = json!([]);
    assert!(accepts(&verdict));
}

#[test]
fn what_breaks_the_contract_is_refused() {
    for (pointer, wrong) in [
        ("/allowed", json!("yes")),
        ("/allowed", json!(false)),
        ("/reasons", json!([{"code": "E_STAR", "message": "m", "rule": "columns.star"}])),
        ("/shadow_reasons/0/code", json!("nonsense")),
        ("/shadow_reasons/0/loc", json!(null)),
        ("/shadow_reasons/0/loc", json!(-1)),
        ("/shadow_reasons/0/hint", json!(null)),
        ("/policy/version", json!("sha256:00")),
        ("/statement_kind", json!("merge")),
        ("/tables", json!(["a.b", "a.b"])),
        ("/columns", json!([1])),
        ("/bind_params/0/value", json!(5)),
        ("/bind_params/0/type", json!("bigint")),
        ("/bind_params/0/param", json!(0)),
        ("/fingerprint", json!("XYZ")),
        ("/sql_sha256", json!(null)),
        ("/elapsed_us", json!(1.5)),
    ] {
        let mut verdict = full();
        *verdict.pointer_mut(pointer).unwrap() = wrong.clone();
        assert!(!accepts(&verdict), "{pointer}: {wrong}");
    }
}

#[test]
fn the_schema_names_exactly_the_fields_that_the_core_writes() {
    let keys = |value: &Value| {
        let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys
    };
    let (schema, full) = (schema(), full());
    for (of_schema, of_verdict) in [
        ("/properties", ""),
        ("/properties/policy/properties", "/policy"),
        ("/$defs/reason/properties", "/shadow_reasons/0"),
        ("/$defs/bind_param/properties", "/bind_params/0"),
    ] {
        let written = full.pointer(of_verdict).unwrap();
        assert_eq!(keys(schema.pointer(of_schema).unwrap()), keys(written), "{of_schema}");
    }
    // All fields of a verdict are always there.
    for field in keys(&full) {
        let mut without = full.clone();
        without.as_object_mut().unwrap().remove(&field);
        assert!(!accepts(&without), "{field}");
    }
}

#[test]
fn the_schema_lists_every_code() {
    let codes: Vec<&str> = ReasonCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(schema()["$defs"]["reason"]["properties"]["code"]["anyOf"][0]["enum"], json!(codes));
}
