//! The README's first example, run as it stands: its policy, its commands, and what they print.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn the_first_example_prints_what_the_readme_shows() {
    let readme = fs::read_to_string(haltsql_testkit::root().join("README.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("policy.yaml"), blocks(&readme, "yaml")[0]).unwrap();
    let programs = Path::new(env!("CARGO_BIN_EXE_haltsql")).parent().unwrap();
    let path = std::env::join_paths(
        [programs.to_path_buf()].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );

    let consoles = blocks(&readme, "console");
    assert_eq!(consoles.len(), 2, "one denied, one allowed");
    for (console, code) in consoles.iter().zip([1, 0]) {
        let lines: Vec<&str> = console.lines().collect();
        let last = lines.iter().position(|line| !line.ends_with('\\')).unwrap();
        let command = lines[..=last].join("\n");
        let shown = lines[last + 1..].join("\n");
        let output = Command::new("sh")
            .args(["-c", command.strip_prefix("$ ").unwrap()])
            .current_dir(&folder)
            .env("PATH", path.as_ref().unwrap())
            .output()
            .unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(printed.trim_end(), shown, "{command}\n{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{command}");
    }
}

/// What stands in the fenced blocks of a language.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    text.split(&format!("\n```{language}\n")).skip(1).map(|rest| rest.split("\n```").next().unwrap()).collect()
}
