//! What the artefacts show to a linker, and that the header is what the sources say.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use crate::kit::{package, root, succeed};

#[path = "../../examples/header.rs"]
mod header;

/// The functions that the header declares.
fn declared() -> BTreeSet<String> {
    let header = fs::read_to_string(root().join("ffi-c/include/haltsql.h")).unwrap();
    let code: String =
        header.lines().filter(|line| !line.starts_with([' ', '/', '#'])).map(|line| format!("{line}\n")).collect();
    let calls = code.split('(').filter_map(|before| before.rsplit([' ', '*', '\n']).next());
    let found: BTreeSet<String> = calls.filter(|name| name.starts_with("haltsql_")).map(str::to_owned).collect();
    assert!(found.len() > 15, "{found:?}");
    found
}

/// The names of `nm`'s output: the last word of each line that defines something.
fn defined(arguments: &[&str], file: &str) -> BTreeSet<String> {
    let text = succeed(Command::new("nm").args(arguments).arg(package().join("lib").join(file)));
    let lines = text.lines().filter(|line| !line.is_empty() && !line.ends_with(':'));
    lines.map(|line| line.split_whitespace().next_back().unwrap().to_owned()).collect()
}

#[test]
fn the_header_is_fresh() {
    let committed = fs::read_to_string(root().join("ffi-c/include/haltsql.h")).unwrap();
    let fresh = header::header().unwrap();
    assert!(committed == fresh, "run: cargo run --profile checked -p haltsql-c --example header");
}

#[test]
fn the_shared_library_shows_what_the_header_declares_and_nothing_else() {
    assert_eq!(defined(&["-D", "--defined-only"], "libhaltsql.so.1"), declared());
}

#[test]
fn the_archive_shows_what_the_header_declares_and_nothing_else() {
    assert_eq!(defined(&["-g", "--defined-only"], "libhaltsql.a"), declared());
    // Hidden, not gone: this is where a clash would come from.
    let all = succeed(Command::new("nm").arg("--defined-only").arg(package().join("lib/libhaltsql.a")));
    for name in ["palloc", "pg_query_parse_protobuf_opts"] {
        assert!(all.lines().any(|line| line.ends_with(&format!(" t {name}"))), "{name} is not in the archive");
    }
    let wanted = defined(&["-g", "--undefined-only"], "libhaltsql.a");
    let rust = wanted.iter().filter(|name| name.starts_with("_R") || name.contains("rust") || name.contains("haltsql"));
    assert_eq!(rust.count(), 0, "the archive wants names that only another Rust library has: {wanted:?}");
}

#[test]
fn the_shared_library_has_a_name_and_stays_loaded() {
    let dynamic = succeed(Command::new("readelf").args(["-d", "-W"]).arg(package().join("lib/libhaltsql.so.1")));
    assert!(dynamic.contains(&format!("[libhaltsql.so.{}]", haltsql::boundary::ABI_VERSION)), "{dynamic}");
    assert!(dynamic.contains("NODELETE"), "{dynamic}");
    for line in dynamic.lines().filter(|line| line.contains("(NEEDED)")) {
        let system =
            ["libgcc_s.so.1", "libm.so.6", "libc.so.6", "ld-linux-x86-64.so.2", "libpthread.so.0", "libdl.so.2"];
        assert!(system.iter().any(|name| line.contains(name)), "needs more than the system's libraries: {line}");
    }
}

#[test]
fn versions_agree() {
    let config = fs::read_to_string(package().join("lib/pkgconfig/haltsql.pc")).unwrap();
    assert!(config.contains(&format!("\nVersion: {}\n", haltsql::boundary::version())), "{config}");
    let header = fs::read_to_string(package().join("include/haltsql.h")).unwrap();
    assert!(header.contains(&format!("#define HALTSQL_VERSION \"{}\"\n", haltsql::boundary::version())));
    assert!(header.contains(&format!("#define HALTSQL_ABI_VERSION {}\n", haltsql::boundary::ABI_VERSION)));
}
