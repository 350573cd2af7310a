//! No shipped artefact holds the marker of the weakened core (`core/src/weaken.rs`): neither the binary nor a library.
//!
//! Builds the workspace's default members as they ship, in the profile and the directory of the tests, and searches every
//! file that comes out. The marker itself is taken from the weakened core, so that no other file has to spell it.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use haltsql_weakened::weaken::MARKER;
use serde_json::Value;

/// What Cargo prints, as JSON values.
fn cargo(arguments: &[&str]) -> Vec<Value> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .arg("--locked")
        .current_dir(haltsql_testkit::root())
        .env("CARGO_TARGET_DIR", target)
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    assert!(output.status.success(), "cargo {arguments:?}: {}", output.status);
    serde_json::Deserializer::from_slice(&output.stdout).into_iter().map(Result::unwrap).collect()
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn holds_marker(file: &Path) -> bool {
    let bytes = fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    bytes.windows(MARKER.len()).any(|window| window == MARKER.as_bytes())
}

#[test]
fn no_shipped_artefact_holds_the_marker() {
    let metadata = cargo(&["metadata", "--no-deps", "--format-version=1"]);
    let members = strings(&metadata[0]["workspace_default_members"]);
    let messages = cargo(&["build", "--profile=checked", "--message-format=json"]);
    let mut searched: Vec<PathBuf> = Vec::new();
    for message in &messages {
        let package = message["package_id"].as_str().unwrap_or_default();
        // A binary that was linked with the weakened core need not hold a text that nothing reads; so neither that package
        // nor its switch may take part at all.
        assert!(!package.contains("haltsql-weakened"), "{package} is part of what ships");
        assert!(!strings(&message["cfgs"]).contains(&"haltsql_weaken"), "{package} switches weakened rules on");
        if message["reason"] == "compiler-artifact" && members.contains(&package) {
            searched.extend(strings(&message["filenames"]).into_iter().map(PathBuf::from));
        }
    }
    let command = format!("haltsql{}", env::consts::EXE_SUFFIX);
    for expected in [&*command, "libhaltsql.rlib", "libhaltsql_c.so", "libhaltsql_c.a"] {
        let there = searched.iter().any(|file| file.file_name().is_some_and(|name| name == expected));
        assert!(there, "no {expected} among {searched:?}");
    }
    let found: Vec<&PathBuf> = searched.iter().filter(|file| holds_marker(file)).collect();
    println!("{} files searched for the marker: {searched:?}", searched.len());
    assert!(found.is_empty(), "{found:?} hold {MARKER}");
}

#[test]
fn the_search_finds_the_marker_where_it_is() {
    // This test links the weakened core and names the marker, which keeps it through optimisation.
    let own = env::current_exe().unwrap();
    assert!(holds_marker(&own), "{} does not hold {MARKER}", own.display());
    let libraries: Vec<PathBuf> = fs::read_dir(own.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|file| {
            let name = file.file_name().unwrap().to_string_lossy();
            name.starts_with("libhaltsql_weakened-") && name.ends_with(".rlib")
        })
        .collect();
    // Older builds may lie beside the one that is linked here.
    assert!(libraries.iter().any(|file| holds_marker(file)), "none of {libraries:?} holds {MARKER}");
}
