//! `haltsql check --sarif`: valid by the schema that OASIS publishes, with places as editors count them and pages as help.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::path::PathBuf;

use common::{Folder, parts};
use serde_json::Value;
use serde_sarif::sarif::{ResultLevel, Sarif};

/// The schema, from the sources of the crate that makes types of it, where cargo has unpacked them to build this test.
fn schema() -> Value {
    let manifest = std::fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap();
    let (_, version) = manifest.split_once("serde-sarif = \"=").unwrap();
    let folder = format!("serde-sarif-{}", version.split('"').next().unwrap());
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo"))).unwrap();
    let registries = std::fs::read_dir(home.join("registry/src")).unwrap();
    let mut files = registries
        .map(|registry| registry.unwrap().path().join(&folder).join("src/schema.json"))
        .filter(|file| file.exists());
    let file = files.next().unwrap_or_else(|| panic!("{folder} is not below {}/registry/src", home.display()));
    let mut schema: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    assert!(schema["description"].as_str().unwrap().contains("2.1.0"), "another version's schema");
    // A pattern of it is none by the letter (`]?` for `)?`); of two optional fields that are not written here.
    for object in ["run", "toolComponent"] {
        let pattern = &mut schema["definitions"][object]["properties"]["language"]["pattern"];
        assert!(pattern.as_str().unwrap().ends_with("]?$"), "{object}: mended by now");
        *pattern = "".into();
    }
    schema
}

fn sarif(folder: &Folder, arguments: &[&str], code: i32) -> Value {
    let (ended, out, err) = parts(&folder.check(&[&["--sarif"], arguments].concat(), b""));
    assert_eq!((ended, &*err), (code, ""));
    assert!(out.ends_with("}\n"));
    serde_json::from_str(&out).unwrap()
}

#[test]
fn what_is_written_is_valid_sarif() {
    let folder = Folder::new();
    let (schema, mut results) = (schema(), 0);
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (sql, code) in [
        ("SELECT id FROM products", 0),
        ("SELECT FROM WHERE", 1),
        ("", 1),
        ("SELECT *, nothing FROM customers c, secret s; DROP TABLE x", 1),
        ("SELECT c.*, secret, pg_sleep(1) FROM customers c, secret s WHERE c.id = 1 OR c.id = 2", 1),
        ("SELECT '\u{1F600}', \u{fc}\n  FROM secret\r\n WHERE \u{1F600}.x = 1 FOR UPDATE", 1),
    ] {
        let file = folder.write("a query.sql", sql);
        let document = sarif(&folder, &["--file", "a query.sql"], code);
        let problems: Vec<String> =
            validator.iter_errors(&document).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(problems.is_empty(), "{sql}: {problems:#?}\n{document:#}");
        let typed: Sarif = serde_json::from_value(document).unwrap();
        let run = &typed.runs[0];
        let found = run.results.as_ref().unwrap();
        results += found.len();
        assert_eq!(found.is_empty(), code == 0);
        for result in found {
            // A rule's index leads to the rule of that name.
            let index = usize::try_from(result.rule_index.unwrap()).unwrap();
            assert_eq!(Some(&run.tool.driver.rules.as_ref().unwrap()[index].id), result.rule_id.as_ref());
        }
        drop(file);
    }
    assert!(results >= 8, "only {results} results were looked at");
    // The schema can say no.
    assert!(!validator.is_valid(&serde_json::json!({ "version": "2.1.0", "runs": [{ "results": [] }] })));
}

#[test]
fn a_result_has_its_place_in_bytes_and_utf16_and_its_repair() {
    let folder = Folder::new();
    let sql = "SELECT '\u{1F600}' AS x, c.id FROM customers c";
    folder.write("sub.sql", sql);
    let document = sarif(&folder, &["--file", "sub.sql"], 1);
    let typed: Sarif = serde_json::from_value(document.clone()).unwrap();
    assert_eq!(typed.runs[0].column_kind, Some("utf16CodeUnits".into()));
    let result = &document["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "E_TENANT_MISSING");
    assert!(result["message"]["text"].as_str().unwrap().contains("; to repair it, add `c.tenant_id = $1`"));
    let physical = &result["locations"][0]["physicalLocation"];
    assert_eq!(physical["artifactLocation"]["uri"], "sub.sql");
    // Counted by hand: `customers` begins at byte 30; the emoji has four bytes and two code units.
    let expected = serde_json::json!({
        "startLine": 1, "startColumn": 29, "endLine": 1, "endColumn": 30, "byteOffset": 30, "byteLength": 1
    });
    assert_eq!(physical["region"], expected);
    let replacement = &result["fixes"][0]["artifactChanges"][0]["replacements"][0];
    assert_eq!(replacement["insertedContent"]["text"], " WHERE c.tenant_id = $1");
    assert_eq!(replacement["deletedRegion"]["byteOffset"], sql.len());
    assert_eq!(replacement["deletedRegion"]["byteLength"], 0);
}

#[test]
fn a_rule_brings_its_page() {
    let document = sarif(&Folder::new(), &["SELECT id FROM secret"], 1);
    let driver = &document["runs"][0]["tool"]["driver"];
    let rule = &driver["rules"][0];
    assert_eq!((&rule["id"], &rule["name"]), (&"E_TABLE_DENIED".into(), &"tables.allow".into()));
    let page =
        std::fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/reason-codes.md")).unwrap();
    let help = rule["help"]["markdown"].as_str().unwrap();
    assert!(help.len() > 100 && page.contains(help), "{help}");
    assert!(help.starts_with(rule["shortDescription"]["text"].as_str().unwrap()));
    assert!(rule["helpUri"].as_str().unwrap().ends_with("/docs/reason-codes.md#e_table_denied"));
}

#[test]
fn shadow_mode_warns_and_denies_nothing() {
    let folder = Folder::new();
    folder.write("policy.yaml", common::POLICY.replace("spec:\n", "spec:\n  mode: shadow\n"));
    let document = sarif(&folder, &["SELECT id FROM secret"], 0);
    let typed: Sarif = serde_json::from_value(document).unwrap();
    let result = &typed.runs[0].results.as_ref().unwrap()[0];
    assert_eq!(result.level, Some(ResultLevel::Warning));
}

#[test]
fn a_path_is_a_uri() {
    let folder = Folder::new();
    let path = folder.write("\u{e4} 100%.sql", "SELECT id FROM secret");
    let uri = |path: &str| {
        let document = sarif(&folder, &["--file", path], 1);
        document["runs"][0]["artifacts"][0]["location"]["uri"].as_str().unwrap().to_owned()
    };
    assert_eq!(uri("./\u{e4} 100%.sql"), "%C3%A4%20100%25.sql");
    let absolute = uri(path.to_str().unwrap());
    assert!(absolute.starts_with("file:///") && absolute.ends_with("/%C3%A4%20100%25.sql"), "{absolute}");
}
