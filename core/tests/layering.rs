//! Imports in the core point left only: a module may use those before it in [`ORDER`], never those after it.
//!
//! Reads the sources, not the compiled crate: also paths in the middle of an expression count. What stands below
//! `#[cfg(test)]` at the end of a file doesn't.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::fs;
use std::path::{Path, PathBuf};

/// The modules of the core from left to right, as ARCHITECTURE.md draws them. `lib.rs` may use all of them.
const ORDER: &[&str] = &[
    "weaken", "fence", "reason", "repair", "quote", "catalog", "policy", "context", "text", "parse", "resolve",
    "facts", "rules", "verdict", "check", "mend", "session", "harden", "receipt", "boundary",
];

#[test]
fn imports_point_left_only() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut problems = Vec::new();
    let mut seen = 0;
    for file in rust_files(&root) {
        let path = module_path(file.strip_prefix(&root).unwrap());
        let Some(own) = path.first() else { continue };
        let Some(rank) = rank(own) else {
            problems.push(format!("{}: the module `{own}` is not in the order", file.display()));
            continue;
        };
        seen += 1;
        for import in imports(&code(&fs::read_to_string(&file).unwrap()), &path) {
            match self::rank(&import) {
                Some(other) if other <= rank => {}
                Some(_) => {
                    problems.push(format!("{}: `{own}` imports `{import}`, which lies to its right", file.display()))
                }
                None => problems
                    .push(format!("{}: `{import}` of the crate's root: import it from its module", file.display())),
            }
        }
    }
    assert!(seen >= 9, "only {seen} files were read");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_reader_sees_every_form_of_an_import() {
    let here = ["rules".to_owned(), "tenancy".to_owned(), "value".to_owned()];
    let found = |text: &str| imports(&code(text), &here);
    assert_eq!(found("use crate::reason::Reason;"), ["reason"]);
    assert_eq!(found("use crate::{facts::Facts, resolve::{tree, scope}, policy};"), ["facts", "resolve", "policy"]);
    assert_eq!(found("use crate::{\n    verdict::Verdict,\n};"), ["verdict"]);
    assert_eq!(found("fn f() { crate::verdict::json(1) }"), ["verdict"]);
    assert_eq!(found("pub(crate) fn f(x: super::super::super::verdict::Verdict) {}"), ["verdict"]);
    assert_eq!(found("use super::super::columns::star;"), Vec::<String>::new());
    assert_eq!(found("// crate::verdict\n/// [`crate::verdict`]\n"), Vec::<String>::new());
    assert_eq!(found("#[cfg(test)]\nmod tests { use crate::verdict; }"), Vec::<String>::new());
}

fn rank(module: &str) -> Option<usize> {
    ORDER.iter().position(|name| *name == module)
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// `rules/tenancy/value.rs` is `rules::tenancy::value`, `policy/mod.rs` is `policy`; `lib.rs` is the root.
fn module_path(file: &Path) -> Vec<String> {
    let mut path: Vec<String> = file.with_extension("").iter().map(|part| part.to_str().unwrap().to_owned()).collect();
    if matches!(path.last().map(String::as_str), Some("mod" | "lib")) {
        path.pop();
    }
    path
}

/// The text without comments and without the tests at its end.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The first names after every path to the crate's root, in order.
fn imports(code: &str, here: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        // `$crate::`, `pub(crate)` and longer names are others.
        if !code.get(..at).unwrap().ends_with(|before: char| before.is_alphanumeric() || before == '_') {
            found.extend(heads(code.get(at + "crate::".len()..).unwrap()));
        }
    }
    for (at, _) in code.match_indices("super::") {
        let before = code.get(..at).unwrap();
        if before.ends_with("super::") || before.ends_with(|before: char| before.is_alphanumeric() || before == '_') {
            continue;
        }
        let (mut rest, mut up) = (code.get(at..).unwrap(), 0);
        while let Some(shorter) = rest.strip_prefix("super::") {
            (rest, up) = (shorter, up + 1);
        }
        if up >= here.len() {
            found.extend(heads(rest).into_iter().filter(|head| head != "*"));
        }
    }
    found
}

/// `a::b` gives a; `{a::b, c::{d, e}}` gives a and c.
fn heads(path: &str) -> Vec<String> {
    let name = |text: &str| -> String {
        text.chars().take_while(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '*')).collect()
    };
    let Some(list) = path.strip_prefix('{') else { return vec![name(path)] };
    let (mut depth, mut item, mut items) = (0, String::new(), Vec::new());
    for letter in list.chars() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                items.push(std::mem::take(&mut item));
                continue;
            }
            _ => {}
        }
        item.push(letter);
    }
    items.push(item);
    items.iter().map(|item| name(item.trim())).filter(|head| !head.is_empty()).collect()
}
