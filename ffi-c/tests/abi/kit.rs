//! The package that programs are linked with, the compiler, and running what it made.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// Warnings are errors, and every one that a careful user would switch on is.
pub const STRICT: &[&str] = &["-Wall", "-Wextra", "-Werror", "-pedantic"];
/// Memory errors, leaks and undefined behaviour end a program.
pub const SANITIZED: &[&str] =
    &["-g", "-O1", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

pub fn root() -> PathBuf {
    haltsql_testkit::root().canonicalize().unwrap()
}

/// The target folder of this build.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().to_owned()
}

/// The folder with `include` and `lib`.
pub fn package() -> &'static Path {
    static PACKAGE: OnceLock<PathBuf> = OnceLock::new();
    PACKAGE.get_or_init(|| packaged("haltsql-c"))
}

/// The same over the weakened core, as an archive.
pub fn weakened() -> &'static Path {
    static PACKAGE: OnceLock<PathBuf> = OnceLock::new();
    PACKAGE.get_or_init(|| packaged("haltsql-c-weakened"))
}

fn packaged(name: &str) -> PathBuf {
    let mut script = Command::new(root().join("ffi-c/package"));
    script.args(["--profile", "checked", "--crate", name]).env("CARGO_TARGET_DIR", target());
    succeed(&mut script);
    target().join("checked").join(name)
}

/// Where cargo builds the parser's C library: another libpg_query, for a program that has one of its own.
pub fn other_parser() -> PathBuf {
    let builds = std::fs::read_dir(target().join("checked/build")).unwrap();
    let outs = builds.map(|entry| entry.unwrap().path().join("out"));
    outs.into_iter().find(|out| out.join("libpg_query.a").is_file()).expect("the parser was built")
}

/// A C program of `tests/c`, compiled and linked with the static archive.
#[derive(Debug)]
pub struct Program {
    folder: tempfile::TempDir,
}

impl Program {
    /// `flags` come before the sources, `libraries` after them.
    pub fn build(sources: &[&str], package: &Path, flags: &[&str], libraries: &[&OsStr]) -> Program {
        Program::try_build(sources, package, flags, libraries).unwrap_or_else(|said| panic!("{sources:?}: {said}"))
    }

    /// The same, or what compiler and linker said.
    pub fn try_build(
        sources: &[&str],
        package: &Path,
        flags: &[&str],
        libraries: &[&OsStr],
    ) -> Result<Program, String> {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("cc");
        command.arg("-std=gnu11").args(STRICT).args(flags).arg("-o").arg(folder.path().join("program"));
        command.arg("-I").arg(package.join("include"));
        command.args(sources.iter().map(|source| root().join("ffi-c").join(source)));
        command.arg(package.join("lib/libhaltsql.a")).args(libraries).args(["-lgcc_s", "-lm", "-lpthread", "-ldl"]);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() { Ok(Program { folder }) } else { Err(format!("{command:?}\n{said}")) }
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(self.folder.path().join("program"));
        command.env("ASAN_OPTIONS", "detect_leaks=1:strict_string_checks=1").env("UBSAN_OPTIONS", "print_stacktrace=1");
        command
    }
}

/// Runs a command that has to succeed; returns its output.
pub fn succeed(command: &mut Command) -> String {
    let output: Output = command.output().unwrap_or_else(|problem| panic!("{command:?}: {problem}"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{out}\n{err}", output.status);
    out.into_owned()
}
