//! A PostgreSQL 18 of a test's own: started by [`Server::start`], stopped and removed when the value is dropped.
//!
//! The programs come from the prefix that `HALTSQL_TEST_PG` names (`bin/`, `lib/`), which `make setup` installs. Nothing
//! outside a temporary directory is written, and the server listens on a socket in there alone.
#![allow(dead_code, clippy::expect_used, clippy::panic)]

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The user that runs the server where the tests run as root, which PostgreSQL refuses to do.
const NOBODY: u32 = 65534;

/// A running server.
pub struct Server {
    bin: PathBuf,
    home: tempfile::TempDir,
}

impl Server {
    /// Makes a cluster (UTF-8, locale C, superuser `postgres`, no passwords) and starts it.
    ///
    /// # Panics
    /// Where `HALTSQL_TEST_PG` is not set or the server does not come up: a test that needs a server must not pass
    /// without one.
    #[must_use]
    pub fn start() -> Server {
        let Some(prefix) = std::env::var_os("HALTSQL_TEST_PG") else {
            panic!("HALTSQL_TEST_PG does not name a PostgreSQL 18: run `make setup`");
        };
        let bin = PathBuf::from(prefix).join("bin");
        let home = tempfile::Builder::new().prefix("haltsql-pg-").tempdir().expect("a temporary directory");
        if is_root() {
            std::os::unix::fs::chown(home.path(), Some(NOBODY), Some(NOBODY))
                .expect("chown of the temporary directory");
        }
        // A socket's path may have some hundred bytes only, and the server's user has to reach it.
        std::fs::set_permissions(home.path(), PermissionsExt::from_mode(0o755))
            .expect("chmod of the temporary directory");
        let server = Server { bin, home };
        server.run(
            "initdb",
            &["-U", "postgres", "--auth=trust", "-E", "UTF8", "--locale=C", "--no-sync", "-D", &server.path("data")],
        );
        let options = format!("-c listen_addresses='' -c fsync=off -k {}", server.path(""));
        server.run("pg_ctl", &["-w", "-D", &server.path("data"), "-l", &server.path("log"), "-o", &options, "start"]);
        server
    }

    /// A new connection to the database `postgres` as the superuser.
    #[must_use]
    pub fn connect(&self) -> postgres::Client {
        postgres::Config::new()
            .host_path(self.home.path())
            .user("postgres")
            .dbname("postgres")
            .connect(postgres::NoTls)
            .expect("a connection to the test server")
    }

    /// The directory of the server's socket, for clients that are not this one.
    #[must_use]
    pub fn socket_dir(&self) -> &Path {
        self.home.path()
    }

    fn path(&self, name: &str) -> String {
        self.home.path().join(name).to_str().expect("a temporary directory with a name in UTF-8").to_owned()
    }

    fn command(&self, program: &str) -> Command {
        let program = self.bin.join(program);
        let mut command = if is_root() {
            let mut command = Command::new("setpriv");
            command
                .args([format!("--reuid={NOBODY}"), format!("--regid={NOBODY}"), "--clear-groups".into()])
                .arg(program);
            command
        } else {
            Command::new(program)
        };
        // The server keeps its working directory for life; the caller's may be one that its user cannot enter.
        command.current_dir(self.home.path()).env("HOME", self.home.path()).env("LC_ALL", "C");
        command.stdin(std::process::Stdio::null());
        command
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        // Output goes to a file, since a server that inherits a pipe would keep it open for life.
        let log = std::fs::File::create(self.home.path().join(format!("{program}.out"))).expect("a log file");
        let status = self
            .command(program)
            .args(arguments)
            .stdout(log.try_clone().expect("a second handle of the log file"))
            .stderr(log)
            .status()
            .unwrap_or_else(|error| panic!("`{program}` of HALTSQL_TEST_PG cannot be run ({error}): run `make setup`"));
        if !status.success() {
            let read = |name: String| std::fs::read_to_string(self.home.path().join(name)).unwrap_or_default();
            panic!("`{program}` failed: {} {}", read(format!("{program}.out")), read("log".into()));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nothing in there is worth a checkpoint; errors are the next test's to notice, a drop must not panic.
        drop(self.command("pg_ctl").args(["-w", "-m", "immediate", "-D", &self.path("data"), "stop"]).output());
    }
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}
