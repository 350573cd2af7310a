//! Completions and manual pages: what shells and `man` can read.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use std::fs;

use common::{Folder, parts};

const COMMANDS: [&str; 8] = ["check", "demo", "run", "explain", "receipt", "policy", "completions", "man"];

#[test]
fn each_shell_gets_completions_that_know_every_command() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (code, script, err) = parts(&folder.run(&["completions", shell], b""));
        assert_eq!((code, &*err), (0, ""), "{shell}");
        for command in ["check", "explain", "policy", "context-json", "exit-zero", "sarif"] {
            assert!(script.contains(command), "{shell}: {command}");
        }
    }
    assert_eq!(parts(&folder.run(&["completions", "csh"], b"")).0, 2);
}

#[test]
fn bash_takes_its_completions_and_completes() {
    let folder = Folder::new();
    let (_, script, _) = parts(&folder.run(&["completions", "bash"], b""));
    let path = folder.write("haltsql.bash", script);
    let complete = r#"
        set -eu
        source "$1"
        COMP_WORDS=(haltsql check --sa) COMP_CWORD=2
        _haltsql haltsql --sa check
        echo "${COMPREPLY[@]}"
    "#;
    for arguments in [
        vec!["-n".to_owned(), path.display().to_string()],
        vec!["-c".to_owned(), complete.to_owned(), "bash".to_owned(), path.display().to_string()],
    ] {
        let output = std::process::Command::new("bash").args(&arguments).output().unwrap();
        let (code, out, err) = parts(&output);
        assert_eq!((code, &*err), (0, ""), "{arguments:?}");
        assert!(arguments[0] == "-n" || out == "--sarif\n", "{out}");
    }
}

/// A line of a page that begins with a macro which man(7) doesn't have would be shown as nothing.
fn well_formed(page: &str) {
    const MACROS: [&str; 12] = ["ie", "el", "ds", "TH", "SH", "SS", "TP", "PP", "RS", "RE", "br", "IP"];
    for line in page.lines().filter(|line| line.starts_with('.')) {
        let name = line[1..].split([' ', '\\']).next().unwrap();
        assert!(MACROS.contains(&name), "{line}");
    }
    let place = |section: &str| page.find(&format!("\n.SH {section}\n")).unwrap_or(page.len());
    assert!(page.contains("\n.TH "), "{page}");
    assert!(place("NAME") < place("SYNOPSIS") && place("SYNOPSIS") < place("DESCRIPTION"), "{page}");
    assert!(page.contains("haltsql"));
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let folder = Folder::new();
    let (code, page, err) = parts(&folder.run(&["man"], b""));
    assert_eq!((code, &*err), (0, ""));
    well_formed(&page);
    assert_eq!(parts(&folder.run(&["man", "--dir", "pages/man1"], b"")), (0, String::new(), String::new()));
    let pages = folder.write("marker", "").with_file_name("pages").join("man1");
    assert_eq!(fs::read_to_string(pages.join("haltsql.1")).unwrap(), page);
    for command in COMMANDS {
        let page = fs::read_to_string(pages.join(format!("haltsql-{command}.1"))).unwrap();
        well_formed(&page);
    }
    let check = fs::read_to_string(pages.join("haltsql-check.1")).unwrap();
    for option in ["policy", "context", "sarif", "fix", "batch"] {
        assert!(check.contains(&format!("\\fB\\-\\-{option}\\fR")), "{option}");
    }
}
