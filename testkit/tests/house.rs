//! The rules of the house that a program can check (CONTRIBUTING.md has them all).

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::fs;
use std::path::{Path, PathBuf};

use haltsql_testkit::root;

const LONGEST_FILE: usize = 500;
const LONGEST_RULE: usize = 200;
/// The only folders whose code may be unsafe: the two that hand memory to another language, and the one that declares a C
/// function of our own (docs/adr/0007-parser-threads.md).
const MAY_BE_UNSAFE: &[&str] = &["ffi-c", "bindings-java", "parser-thread"];

#[test]
fn files_are_short() {
    // The C header is made from the sources (ffi-c/examples/header.rs), which are short.
    let written = sources().into_iter().filter(|(name, _)| !name.ends_with("/haltsql.h"));
    let long = written.filter_map(|(name, text)| {
        let (lines, rule) = (text.lines().count(), name.starts_with("core/src/rules/"));
        let most = if rule { LONGEST_RULE } else { LONGEST_FILE };
        (lines > most).then(|| format!("{name}: {lines} lines, the most is {most}"))
    });
    none(long);
}

#[test]
fn nothing_is_left_to_do() {
    // In halves, so that this file may be checked as well.
    let marks = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X:"), concat!("#[", "ignore")];
    none(lines().filter_map(|(place, line)| {
        marks.iter().find(|mark| line.contains(*mark)).map(|mark| format!("{place}: {mark}"))
    }));
}

#[test]
fn unsafe_code_stands_in_three_places_only() {
    let marks =
        [concat!("unsafe", " {"), concat!("unsafe", " fn"), concat!("unsafe", " impl"), concat!("unsafe", " extern")];
    let lint = concat!("allow(", "unsafe_code");
    none(lines().filter_map(|(place, line)| {
        let free = MAY_BE_UNSAFE.iter().any(|folder| place.starts_with(folder));
        let found =
            place.contains(".rs:") && !free && (line.contains(lint) || marks.iter().any(|mark| line.contains(mark)));
        found.then(|| format!("{place}: {}", line.trim()))
    }));
}

#[test]
fn every_crate_takes_version_and_lints_from_the_workspace() {
    let mut crates = 0;
    for (name, text) in sources() {
        if name.ends_with("/Cargo.toml") && !name.contains("/fuzz/") {
            crates += 1;
            assert!(text.contains("\nversion.workspace = true\n"), "{name}: a version of its own");
            assert!(text.contains("\n[lints]\nworkspace = true\n"), "{name}: without the workspace's lints");
        }
    }
    assert!(crates >= 4, "only {crates} crates were read");
}

#[test]
fn dependencies_are_pinned_exactly() {
    let mut entries = 0;
    none(sources().into_iter().filter(|(name, _)| name.ends_with("Cargo.toml")).flat_map(|(name, text)| {
        let mut inside = false;
        let mut loose = Vec::new();
        for line in text.lines() {
            if line.starts_with('[') {
                inside = line.ends_with("dependencies]");
            } else if inside && line.contains(" = ") && !line.starts_with('#') {
                entries += 1;
                let exact = line.contains("\"=") || line.contains("path = ") || line.contains("workspace = true");
                loose.extend((!exact).then(|| format!("{name}: not exact: {line}")));
            }
        }
        loose
    }));
    assert!(entries > 10, "only {entries} dependencies were read");
}

#[test]
fn there_is_one_version() {
    let version = after(&read("Cargo.toml"), "\nversion = \"").unwrap();
    let changelog = after(&read("CHANGELOG.md").replace(']', "\""), "\n## [").unwrap();
    assert_eq!(changelog, version, "CHANGELOG.md's newest entry");
    for (name, text) in sources() {
        let found = match name.rsplit('/').next().unwrap() {
            "package.json" => after(&text, "\"version\": \""),
            "haltsql.h" => after(&text, "HALTSQL_VERSION \""),
            "pyproject.toml" => after(&text, "\nversion = \""),
            "version.go" => after(&text, "\nconst Version = \""),
            // The first one is the package's own.
            "pom.xml" => text.split_once("<version>").and_then(|(_, rest)| Some(rest.split_once('<')?.0.to_owned())),
            "HaltSql.java" => after(&text, " VERSION = \""),
            "version.ts" => after(&text, "VERSION = \""),
            _ => None,
        };
        assert!(
            found.as_ref().is_none_or(|found| *found == version),
            "{name}: {found:?}, and the workspace has {version}"
        );
    }
}

/// What stands between `mark` and the next double quote.
fn after(text: &str, mark: &str) -> Option<String> {
    text.split_once(mark)?.1.split_once('"').map(|(found, _)| found.to_owned())
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

fn none(problems: impl Iterator<Item = String>) {
    let problems: Vec<String> = problems.collect();
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

fn lines() -> impl Iterator<Item = (String, String)> {
    sources().into_iter().flat_map(|(name, text)| {
        let numbered = text.lines().enumerate().map(|(at, line)| (format!("{name}:{}", at + 1), line.to_owned()));
        numbered.collect::<Vec<_>>()
    })
}

/// Every source file that people write, by its name below the root.
fn sources() -> Vec<(String, String)> {
    let root = root().canonicalize().unwrap();
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    assert!(files.len() > 20, "only {} files were found", files.len());
    files
        .into_iter()
        .map(|path| {
            (path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned(), fs::read_to_string(&path).unwrap())
        })
        .collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    const NOT_OURS: &[&str] = &["target", "node_modules", "__pycache__", "dist"];
    const OURS: &[&str] = &["rs", "sh", "py", "toml", "js", "mjs", "cjs", "ts", "mts", "cts", "go", "java", "c", "h"];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            if !name.starts_with('.') && !NOT_OURS.contains(&name.as_str()) {
                collect(&path, files);
            }
        } else if name == "Makefile"
            || name == "pom.xml"
            || name == "package.json"
            || path.extension().is_some_and(|end| OURS.iter().any(|our| end == *our))
        {
            files.push(path);
        }
    }
}
