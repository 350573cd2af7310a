//! The README's lines and the example program work as they stand.

use std::ffi::OsStr;
use std::fs;
use std::process::Command;

use crate::kit::{Program, STRICT, package, root, succeed};

#[test]
fn the_lines_of_the_readme_work() {
    let readme = fs::read_to_string(root().join("ffi-c/README.md")).unwrap();
    let code = readme.split("```c\n").nth(1).unwrap().split("```").next().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (folder.path().join("check.c"), folder.path().join("check"));
    fs::write(&source, code).unwrap();
    // As the README says to compile it, with warnings as errors.
    let line = readme.lines().find_map(|line| line.strip_prefix("    cc -std=c11 check.c ")).unwrap();
    let mut compile = Command::new("cc");
    compile.args(STRICT).arg("-std=c11").arg(&source).arg("-o").arg(&program);
    compile.args(line.split(' ').map(|word| word.replace("haltsql-c/", &format!("{}/", package().display()))));
    succeed(&mut compile);
    assert_eq!(succeed(&mut Command::new(&program)), "allowed\n");
}

#[test]
fn the_example_ends_with_the_exit_codes_it_names() {
    let program = Program::build(&["examples/check.c"], package(), &[], &[OsStr::new("-g")]);
    let policy = root().join("conformance/policies/bound.yaml");
    let run = |context: &str, sql: &str| {
        let output = program.command().arg(&policy).arg(context).arg(sql).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let acme = r#"{"tenant_id":"acme"}"#;
    let (code, json) = run(acme, "SELECT id FROM app.orders WHERE tenant_id = $1");
    assert!(code == 0 && json.starts_with("{\"allowed\":true,"), "{code} {json}");
    let (code, json) = run(acme, "SELECT id FROM app.orders");
    assert!(code == 1 && json.contains("E_TENANT_MISSING"), "{code} {json}");
    assert_eq!(run("[]", "SELECT 1"), (2, String::new()));
    assert_eq!(program.command().output().unwrap().status.code(), Some(2));
}
