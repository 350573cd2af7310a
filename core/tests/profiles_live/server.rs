//! A PostgreSQL 18 of the test's own, in a temporary folder, gone when the value is dropped.

use std::path::{Path, PathBuf};
use std::process::Command;

use postgres::{Client, Config, NoTls};

/// A running server.
pub struct Server {
    folder: PathBuf,
    bin: PathBuf,
}

impl Server {
    /// Starts one from the PostgreSQL that `HALTSQL_TEST_PG` names.
    pub fn start() -> Server {
        let prefix = std::env::var("HALTSQL_TEST_PG")
            .expect("HALTSQL_TEST_PG is not set: run `make setup`, then `make test`, which sets it to a PostgreSQL 18 with bin/ and lib/");
        let bin = Path::new(&prefix).join("bin");
        let folder = run(unprivileged("mktemp").args(["-d", "/tmp/haltsql-profiles-XXXXXXXX"]));
        let server = Server { folder: PathBuf::from(folder.trim()), bin };
        let data = server.folder.join("data");
        run(unprivileged(server.bin.join("initdb"))
            .args(["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "--pgdata"])
            .arg(&data));
        let options = format!("-c listen_addresses='' -k {} -F", server.folder.display());
        run(unprivileged(server.bin.join("pg_ctl"))
            .args(["--wait", "--silent", "--options", &options, "--pgdata"])
            .arg(&data)
            .arg("--log")
            .arg(server.folder.join("log"))
            .arg("start"));
        server
    }

    /// A connection whose transactions are read-only unless it is the superuser's.
    pub fn connect(&self, user: &str, database: &str) -> Client {
        let mut client = Config::new()
            .host_path(&self.folder)
            .user(user)
            .dbname(database)
            .connect(NoTls)
            .unwrap_or_else(|error| panic!("can't connect as {user} to {database}: {error}"));
        let read_only = if user == "postgres" { "off" } else { "on" };
        client
            .batch_execute(&format!(
                "SET default_transaction_read_only = {read_only}; SET TimeZone = 'UTC'; SET search_path = ''; \
                 SET statement_timeout = '5s'; SET default_text_search_config = 'pg_catalog.english'"
            ))
            .expect("settings");
        client
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let stopped = unprivileged(self.bin.join("pg_ctl"))
            .args(["--silent", "--mode=immediate", "--pgdata"])
            .arg(self.folder.join("data"))
            .arg("stop")
            .status();
        let removed = unprivileged("rm").arg("-rf").arg(&self.folder).status();
        if !stopped.is_ok_and(|status| status.success()) || !removed.is_ok_and(|status| status.success()) {
            eprintln!("could not clean up {}", self.folder.display());
        }
    }
}

/// The command, under another user where this is root: PostgreSQL refuses to run as root.
fn unprivileged(program: impl AsRef<std::ffi::OsStr>) -> Command {
    if run(Command::new("id").arg("-u")).trim() != "0" {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"]).arg(program);
    command.current_dir("/").env("HOME", "/tmp");
    command
}

/// Runs to the end; returns what it printed.
fn run(command: &mut Command) -> String {
    // pg_ctl's server keeps an inherited pipe open for as long as it lives: its output goes to its log, ours nowhere.
    let quiet = command.get_program().to_string_lossy().contains("pg_ctl")
        || command.get_args().any(|argument| argument.to_string_lossy().ends_with("/pg_ctl"));
    if quiet {
        let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        assert!(status.success(), "{command:?}: {status}");
        return String::new();
    }
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}
