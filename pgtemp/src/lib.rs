//! A PostgreSQL of one's own: started in a temporary folder, reached over a unix socket, gone when its owner is.
//!
//! Receives the folder of a PostgreSQL's programs (`initdb`, `postgres`), returns a running [`Server`]. For the
//! demo and for tests. It must never open a network port, touch another server, need a new user on the machine, or leave
//! a process or a folder behind: a small shell process watches over the server and takes it away when the pipe to its
//! owner closes, so that this holds for Ctrl-C, for SIGKILL and for servers in a `static` as well.

#![forbid(unsafe_code)]

use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use postgres::{Client, Config, NoTls};
use tempfile::TempDir;

/// The watching shell; see the file.
const SUPERVISE: &str = include_str!("supervise.sh");

/// A unix socket's path holds 107 bytes, on some systems 103, of which `/haltsql-pg.XXXXXX/socket/.s.PGSQL.5432` needs 41.
const LONGEST_BASE: usize = 60;

/// A running server. Dropping it stops it and removes its folder.
#[derive(Debug)]
pub struct Server {
    folder: PathBuf,
    stopper: Stopper,
}

/// Stops a server from elsewhere, such as a signal handler's thread; clones stop the same server. For one server: once
/// stopped, it lets none start.
#[derive(Clone, Debug, Default)]
pub struct Stopper {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    NotStarted,
    Watched(Watched),
    Stopped,
}

#[derive(Debug)]
struct Watched {
    supervisor: Child,
    /// Removed by the supervisor; here for the case that there never was one.
    folder: TempDir,
}

/// Why there is no server, or no answer from it. One line, or one line and the end of the server's log.
#[derive(Debug)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl Server {
    /// Starts a server with the programs of the folder `bin`. Takes one to two seconds.
    ///
    /// # Errors
    /// The programs are missing or do not run, or the server does not come up; the message ends with the server's own words.
    pub fn start(bin: &Path) -> Result<Self, Error> {
        Self::start_stoppable(bin, &Stopper::default())
    }

    /// The same, with a handle that was made before: it stops a server that is still starting, too.
    ///
    /// # Errors
    /// As for [`Server::start`].
    pub fn start_stoppable(bin: &Path, stopper: &Stopper) -> Result<Self, Error> {
        let bin = bin.canonicalize().map_err(|error| Error(format!("{}: {error}", bin.display())))?;
        let initdb = bin.join("initdb");
        if !initdb.is_file() {
            return Err(Error(format!("there is no {}", initdb.display())));
        }
        let (folder, stdout) = stopper.watch(|| {
            let folder = temporary_folder()?;
            let supervisor = Command::new("/bin/sh")
                .args(["-c", SUPERVISE, "supervise"])
                .arg(folder.path())
                .arg(&bin)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                // Ctrl-C reaches every process of the terminal's group; the server has to outlive the last query.
                .process_group(0)
                .spawn()
                .map_err(|error| Error(format!("/bin/sh: {error}")))?;
            Ok(Watched { supervisor, folder })
        })?;
        let server = Self { folder, stopper: stopper.clone() };

        let mut answer = String::new();
        let mut rest = String::new();
        if let Some(stdout) = stdout {
            let mut stdout = BufReader::new(stdout);
            let read = stdout.read_line(&mut answer).and_then(|_| match answer.trim_end() {
                "ready" => Ok(0),
                _ => stdout.read_to_string(&mut rest),
            });
            read.map_err(|error| Error(format!("the server's supervisor: {error}")))?;
        }
        match answer.trim_end() {
            "ready" => Ok(server),
            "" => Err(Error("the server was stopped while it started".to_owned())),
            problem => Err(Error(format!("{problem}\n{rest}").trim_end().to_owned())),
        }
    }

    /// How to reach a database of the server as one of its roles. There are no passwords.
    #[must_use]
    pub fn config(&self, database: &str, user: &str) -> Config {
        let mut config = Config::new();
        config.host_path(self.socket_folder()).dbname(database).user(user);
        config
    }

    /// Connects to a database as one of the server's roles. `postgres` is the superuser, and a database.
    ///
    /// # Errors
    /// The database or the role does not exist.
    pub fn connect(&self, database: &str, user: &str) -> Result<Client, Error> {
        let client = self.config(database, user).connect(NoTls);
        client.map_err(|error| Error(format!("connecting to {database} as {user}: {}", in_full(&error))))
    }

    /// Creates an empty database.
    ///
    /// # Errors
    /// There is one of that name.
    pub fn create_database(&self, name: &str) -> Result<(), Error> {
        let statement = format!("CREATE DATABASE \"{}\"", name.replace('"', "\"\""));
        let done = self.connect("postgres", "postgres")?.batch_execute(&statement);
        done.map_err(|error| Error(format!("creating the database {name}: {}", in_full(&error))))
    }

    /// The folder of the unix socket, for other clients.
    #[must_use]
    pub fn socket_folder(&self) -> PathBuf {
        self.folder.join("socket")
    }

    /// The folder that holds everything of this server.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopper.stop();
    }
}

impl Stopper {
    /// Stops the server, if there is one, and returns when its processes and its folder are gone.
    pub fn stop(&self) {
        let before = std::mem::replace(&mut *self.state(), State::Stopped);
        if let State::Watched(Watched { mut supervisor, folder }) = before {
            drop(supervisor.stdin.take());
            // An error here means that the supervisor is gone already, and it never goes without having cleaned up.
            let _gone = supervisor.wait();
            drop(folder);
        }
    }

    /// Starts a supervisor and keeps it, in one step: whoever stops meanwhile waits, and then stops it.
    fn watch(&self, start: impl FnOnce() -> Result<Watched, Error>) -> Result<(PathBuf, Option<ChildStdout>), Error> {
        let mut state = self.state();
        if !matches!(*state, State::NotStarted) {
            return Err(Error("the server was stopped before it started".to_owned()));
        }
        let mut watched = start()?;
        let of_it = (watched.folder.path().to_path_buf(), watched.supervisor.stdout.take());
        *state = State::Watched(watched);
        Ok(of_it)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An error with its causes, which PostgreSQL's client leaves to whoever prints it.
#[must_use]
pub fn in_full(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

/// A folder that every user may enter (the server may run as `nobody`) and whose path is short enough for a socket.
fn temporary_folder() -> Result<TempDir, Error> {
    let usual = std::env::temp_dir();
    let base = if usual.as_os_str().as_bytes().len() <= LONGEST_BASE && open_to_all(&usual) {
        usual
    } else {
        PathBuf::from("/tmp")
    };
    tempfile::Builder::new()
        .prefix("haltsql-pg.")
        .permissions(std::fs::Permissions::from_mode(0o755))
        .tempdir_in(&base)
        .map_err(|error| Error(format!("a folder in {}: {error}", base.display())))
}

/// Whether every user may walk down to the folder.
fn open_to_all(folder: &Path) -> bool {
    folder.canonicalize().is_ok_and(|folder| {
        folder.ancestors().all(|part| part.metadata().is_ok_and(|found| found.permissions().mode() & 0o001 != 0))
    })
}
