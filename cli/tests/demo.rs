//! `haltsql demo` from outside: what it shows, and that nothing of it is left, however it ends.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use haltsql_testkit::Version;
use tempfile::TempDir;

#[test]
fn the_demo_ends_as_its_story_says() {
    let base = base();
    let output = demo(base.path(), &[]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    for line in [
        "2/12  Who are our customers in Europe?",
        "  had it run, 3 of its 5 rows would have shown what acme must not see",
        "    Ann Archer   EU       2025-01-09",
        "    2025-08    808.00         1655.50   328.00            1",
        "  rows of other tenants seen: 0   (every answer was the same on a twin database that lacks them)",
        "  everything came out as it should",
    ] {
        assert!(text.lines().any(|found| found == line), "no line `{line}` in:\n{text}");
    }
    for code in ["E_TENANT_MISSING", "E_TENANT_LITERAL", "E_COLUMN_DENIED", "E_MULTI_STATEMENT", "E_SYSTEM_CATALOG"] {
        assert!(text.contains(code), "no {code} in:\n{text}");
    }
    assert!(!text.contains('\u{1b}'), "colours belong on a terminal");
    assert_nothing_left(base.path());
}

#[test]
fn an_interrupt_while_the_server_starts_leaves_nothing() {
    let base = base();
    let mut demo = demo(base.path(), &[]).spawn().unwrap();
    while fs::read_dir(base.path()).unwrap().next().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
        assert!(demo.try_wait().unwrap().is_none(), "the demo ended by itself");
    }
    interrupt(&mut demo);
    assert_nothing_left(base.path());
}

#[test]
fn an_interrupt_with_a_running_server_leaves_nothing() {
    let base = base();
    let mut demo = demo(base.path(), &["--keep"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(demo.stdout.take().unwrap()).lines();
    lines.find(|line| line.as_ref().unwrap().contains("psql -h ")).expect("--keep says how to connect").unwrap();
    assert!(processes(base.path()) > 0, "the server is kept");
    // Held until the end: closing it would end the demo, as Enter does.
    let _stdin = demo.stdin.take();
    interrupt(&mut demo);
    assert_nothing_left(base.path());
}

#[test]
fn a_reader_that_goes_away_leaves_nothing() {
    let base = base();
    let mut demo = demo(base.path(), &[]).spawn().unwrap();
    let mut start = [0; 8];
    demo.stdout.take().unwrap().read_exact(&mut start).unwrap();
    assert_eq!(demo.wait().unwrap().code(), Some(1));
    assert_nothing_left(base.path());
}

#[test]
fn a_wrong_folder_is_named() {
    let base = base();
    let output = demo(base.path(), &["--pg-bin", "/nowhere"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("there is no `initdb` and `postgres` in `/nowhere`"), "{message}");
    assert_nothing_left(base.path());
}

/// A folder of this test's own for the demo's temporary ones.
fn base() -> TempDir {
    use std::os::unix::fs::PermissionsExt;
    // Open to all, so that a server which root runs as `nobody` finds its way.
    let open = fs::Permissions::from_mode(0o755);
    tempfile::Builder::new().prefix("haltsql-demo.").permissions(open).tempdir_in("/tmp").unwrap()
}

fn demo(base: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_haltsql"));
    command.arg("demo").args(arguments).env("TMPDIR", base).env("HALTSQL_PG_BIN", Version::Pg18.bin());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What Ctrl-C sends; waits for the end.
fn interrupt(demo: &mut Child) {
    assert!(Command::new("kill").args(["-INT", &demo.id().to_string()]).status().unwrap().success());
    assert_eq!(demo.wait().unwrap().code(), Some(130));
}

fn assert_nothing_left(base: &Path) {
    let folders: Vec<_> = fs::read_dir(base).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(folders.is_empty(), "{folders:?}");
    assert_eq!(processes(base), 0, "processes of {}", base.display());
}

/// How many processes name the folder in their command line, as the server and its supervisor do.
fn processes(base: &Path) -> usize {
    let named = |entry: &fs::DirEntry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(base.to_str().unwrap())
    };
    fs::read_dir("/proc").unwrap().map(Result::unwrap).filter(named).count()
}
