//! A verdict as SARIF 2.1.0, for code scanning and editors: each reason a result, with its rule's page and its repair.
//!
//! Receives a verdict, the checked bytes and their origin; returns one JSON document. Columns count UTF-16 code units, and each
//! region has the byte offset too.

use std::collections::BTreeSet;
use std::path::{Component, Path};

use haltsql::{Reason, ReasonCode, Repair, Verdict};
use serde_json::{Value, json};

use crate::explain;
use crate::input::Sql;
use crate::place::Place;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// The document, with a line's end.
pub fn render(verdict: &Verdict, repairs: &[Repair], sql: &Sql) -> String {
    let denied = verdict.reasons.iter().map(|reason| (reason, "error"));
    // In shadow mode nothing is denied.
    let reasons: Vec<_> = denied.chain(verdict.shadow_reasons.iter().map(|reason| (reason, "warning"))).collect();
    let codes: BTreeSet<ReasonCode> = reasons.iter().map(|(reason, _)| reason.code).collect();
    let codes: Vec<ReasonCode> = codes.into_iter().collect();
    let uri = uri(&sql.origin);
    let results: Vec<Value> = reasons
        .iter()
        .map(|(reason, level)| {
            let index = codes.iter().position(|code| *code == reason.code);
            result(reason, level, index.unwrap_or_default(), repairs, sql, &uri)
        })
        .collect();
    let mut run = json!({
        "tool": { "driver": {
            "name": "HaltSQL",
            "version": env!("CARGO_PKG_VERSION"),
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "informationUri": REPOSITORY,
            "rules": codes.iter().map(|code| rule(*code)).collect::<Vec<_>>(),
        } },
        "columnKind": "utf16CodeUnits",
        "invocations": [{ "executionSuccessful": true }],
        "artifacts": [{
            "location": { "uri": uri },
            "length": sql.bytes.len(),
            "sourceLanguage": "sql",
            "hashes": { "sha-256": verdict.sql_sha256 },
        }],
        "results": results,
        "properties": {
            "allowed": verdict.allowed,
            "policy": { "name": verdict.policy.name, "version": verdict.policy.version },
        },
    });
    if let (Some(fingerprint), Some(properties)) = (&verdict.fingerprint, run.get_mut("properties")) {
        add(properties, "fingerprint", json!(fingerprint));
    }
    format!("{}\n", json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] }))
}

fn rule(code: ReasonCode) -> Value {
    let page = explain::section(code.as_str()).unwrap_or_default();
    let summary = page.lines().next().unwrap_or_default();
    json!({
        "id": code.as_str(),
        "name": code.rule(),
        "shortDescription": { "text": summary },
        "help": { "text": page, "markdown": page },
        "helpUri": format!("{REPOSITORY}/blob/main/docs/reason-codes.md#{}", code.as_str().to_ascii_lowercase()),
        "defaultConfiguration": { "level": "error" },
    })
}

fn result(reason: &Reason, level: &str, rule: usize, repairs: &[Repair], sql: &Sql, uri: &str) -> Value {
    let mut physical = json!({ "artifactLocation": { "uri": uri, "index": 0 } });
    if let Some(loc) = reason.loc {
        add(&mut physical, "region", region(&sql.bytes, loc, true));
    }
    let message = match &reason.hint {
        Some(hint) => format!("{}; to repair it, {hint}", reason.message),
        None => reason.message.clone(),
    };
    let mut result = json!({
        "ruleId": reason.code.as_str(),
        "ruleIndex": rule,
        "level": level,
        "message": { "text": message },
        "locations": [{ "physicalLocation": physical }],
    });
    // Several reasons of one code can stand at one place, one for each tenant key: which repair is whose is then not certain.
    let own: Vec<&Repair> =
        repairs.iter().filter(|repair| (repair.code, repair.loc) == (reason.code, reason.loc)).collect();
    if let [repair] = own[..] {
        let replacements: Vec<Value> = repair
            .insertions
            .iter()
            .map(|insertion| {
                json!({
                    "deletedRegion": region(&sql.bytes, insertion.at, false),
                    "insertedContent": { "text": insertion.text },
                })
            })
            .collect();
        let changes = json!([{ "artifactLocation": { "uri": uri, "index": 0 }, "replacements": replacements }]);
        let fixes = json!([{ "description": { "text": reason.hint }, "artifactChanges": changes }]);
        add(&mut result, "fixes", fixes);
    }
    result
}

fn add(object: &mut Value, key: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(key.to_owned(), value);
    }
}

/// The character at a place, or nothing there.
fn region(sql: &[u8], loc: u32, whole: bool) -> Value {
    let Place { line, column, size } = Place::of(sql, loc);
    let (bytes, units) = if whole { size } else { (0, 0) };
    json!({
        "startLine": line,
        "startColumn": column,
        "endLine": line,
        "endColumn": column + units,
        "byteOffset": loc,
        "byteLength": bytes,
    })
}

/// A path as a URI reference: relative as it was given, so that code scanning finds it in the repository.
fn uri(origin: &str) -> String {
    let path = Path::new(origin);
    let parts = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(escaped(&name.to_string_lossy())),
        Component::ParentDir => Some("..".to_owned()),
        Component::Prefix(prefix) => Some(escaped(&prefix.as_os_str().to_string_lossy())),
        Component::RootDir | Component::CurDir => None,
    });
    let joined = parts.collect::<Vec<_>>().join("/");
    if path.is_absolute() { format!("file:///{joined}") } else { joined }
}

fn escaped(name: &str) -> String {
    let mut out = String::new();
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
