//! The programs of `tests/c`, under AddressSanitizer, UndefinedBehaviorSanitizer and LeakSanitizer.

use std::ffi::OsStr;
use std::process::Command;

use haltsql::boundary;
use haltsql_conformance::{generate, prepare};

use crate::kit::{Program, SANITIZED, STRICT, other_parser, package, root, succeed, weakened};

fn sanitized(name: &str) -> Program {
    Program::build(&[&format!("tests/c/{name}.c")], package(), SANITIZED, &[])
}

#[test]
fn the_good_path_frees_everything() {
    let program = sanitized("good");
    let versions = [boundary::version(), boundary::POSTGRES_VERSION];
    assert_eq!(succeed(program.command().args(versions)), "good\n");
}

#[test]
fn misuse_is_an_error() {
    assert_eq!(succeed(&mut sanitized("misuse").command()), "misuse\n");
}

#[test]
fn guards_are_used_and_misused() {
    assert_eq!(succeed(&mut sanitized("guard").command()), "guard\n");
}

#[test]
fn sixteen_threads_see_the_same_bytes() {
    assert_eq!(succeed(&mut sanitized("threads").command()), "threads\n");
}

#[test]
fn a_fork_after_loading_and_checking_is_harmless() {
    assert_eq!(succeed(&mut sanitized("fork").command()), "fork\n");
}

#[test]
fn memory_stays_flat_over_a_million_checks_and_ten_thousand_threads() {
    let program = Program::build(&["tests/c/flat.c"], package(), &["-O1", "-g"], &[]);
    assert_eq!(succeed(&mut program.command()), "flat\n");
}

#[test]
fn a_panic_ends_at_the_fence() {
    let program = Program::build(&["tests/c/panic.c"], weakened(), SANITIZED, &[]);
    assert_eq!(succeed(&mut program.command()), "panic\n");
}

/// The sanitizers would say nothing if they were not there.
#[test]
fn the_sanitizers_see_a_leak_and_a_read_past_the_end() {
    for (flag, report) in [("-DLEAK", "LeakSanitizer"), ("-DOVERREAD", "heap-buffer-overflow")] {
        let flags = [SANITIZED, &[flag]].concat();
        let output = Program::build(&["tests/c/defect.c"], package(), &flags, &[]).command().output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(report), "{flag}: {said}");
    }
}

/// The corpus and generated inputs, the sanitizers watching. `make conformance` runs all of them without.
#[test]
fn the_corpus_comes_out_alike() {
    let folder = tempfile::tempdir().unwrap();
    let sets = prepare::sets(1, generate::USUAL_COUNT / 5).unwrap();
    prepare::write(folder.path(), &sets).unwrap();
    let said = succeed(sanitized("conformance").command().env("HALTSQL_CONFORMANCE_DIR", folder.path()));
    print!("{said}");
    let lines = sets.iter().map(|set| {
        let (count, digest) = (set.rows.len(), &set.digest);
        format!("conformance name=c set={} cases={count} identical={count} uncarried=0 digest={digest}\n", set.name)
    });
    assert_eq!(said, lines.collect::<String>());
}

#[test]
fn another_libpg_query_may_be_in_the_same_program() {
    let other = other_parser();
    let include = format!("-I{}", other.display());
    let archive = other.join("libpg_query.a");
    // What the program asks for of it.
    let program = Program::build(&["tests/c/beside.c"], package(), &["-g", &include], &[archive.as_os_str()]);
    assert_eq!(succeed(&mut program.command()), "beside\n");
    // The archive that cargo makes would not do: it has the same names, and the second definition is an error.
    let raw = tempfile::tempdir().unwrap();
    std::fs::create_dir(raw.path().join("lib")).unwrap();
    std::os::unix::fs::symlink(package().join("include"), raw.path().join("include")).unwrap();
    let cargos = package().parent().unwrap().join("libhaltsql_c.a");
    std::os::unix::fs::symlink(cargos, raw.path().join("lib/libhaltsql.a")).unwrap();
    let whole = [OsStr::new("-Wl,--whole-archive"), archive.as_os_str(), OsStr::new("-Wl,--no-whole-archive")];
    let refused = Program::try_build(&["tests/c/beside.c"], raw.path(), &["-g", &include], &whole).unwrap_err();
    assert!(refused.contains("multiple definition of `pg_query_parse"), "{refused}");
    // The whole of it, wanted or not: no name is defined twice.
    let program = Program::build(&["tests/c/beside.c"], package(), &["-g", &include], &whole);
    assert_eq!(succeed(&mut program.command()), "beside\n");
}

#[test]
fn another_rust_library_may_be_in_the_same_program() {
    let folder = tempfile::tempdir().unwrap();
    let (source, archive) = (folder.path().join("other.rs"), folder.path().join("libother.a"));
    let code = "#[unsafe(no_mangle)] pub extern \"C\" fn other(panics: bool) -> i32 {
        std::panic::set_hook(Box::new(|_| ()));
        std::panic::catch_unwind(|| if panics { panic!() } else { 1 }).unwrap_or(2)
    }";
    std::fs::write(&source, code).unwrap();
    let mut compile = Command::new("rustc");
    compile.args(["--edition=2024", "--crate-type=staticlib", "-o"]).arg(&archive).arg(&source);
    succeed(&mut compile);
    let whole = [OsStr::new("-Wl,--whole-archive"), archive.as_os_str(), OsStr::new("-Wl,--no-whole-archive")];
    let program = Program::build(&["tests/c/rust.c"], package(), &["-g"], &whole);
    assert_eq!(succeed(&mut program.command()), "rust\n");
}

#[test]
fn a_library_that_was_closed_is_still_there_for_threads_that_end() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("unload");
    let mut compile = Command::new("cc");
    compile.arg("-std=gnu11").args(STRICT).args(["-Wno-pedantic", "-g", "-o"]).arg(&program);
    compile
        .arg("-I")
        .arg(package().join("include"))
        .arg(root().join("ffi-c/tests/c/unload.c"))
        .args(["-lpthread", "-ldl"]);
    succeed(&mut compile);
    let library = package().join("lib/libhaltsql.so.1");
    assert_eq!(succeed(Command::new(&program).arg(library)), "unload\n");
}

#[test]
fn the_header_is_c_and_cpp_of_the_promised_standards() {
    let folder = tempfile::tempdir().unwrap();
    let (include, lib) = (package().join("include"), package().join("lib"));
    let header = include.join("haltsql.h");
    for compiler in ["-std=c11", "-std=c17", "-std=c2x"] {
        succeed(Command::new("cc").arg(compiler).args(STRICT).args(["-fsyntax-only", "-x", "c"]).arg(&header));
    }
    for standard in ["-std=c++17", "-std=c++20"] {
        let program = folder.path().join("header");
        let mut compile = Command::new("c++");
        compile.arg(standard).args(STRICT).arg("-o").arg(&program).arg("-I").arg(&include);
        compile.arg(root().join("ffi-c/tests/c/header.cpp")).arg("-L").arg(&lib).arg("-lhaltsql");
        succeed(&mut compile);
        assert_eq!(succeed(Command::new(&program).env("LD_LIBRARY_PATH", &lib)), "c++\n");
    }
}
