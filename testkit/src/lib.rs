//! What HaltSQL's tests share: real PostgreSQL servers of known versions.
//!
//! Receives the version that a test wants, returns a running server of it that the test owns. A test that needs a server
//! fails without one; it is never skipped.
//!
//! ```no_run
//! use haltsql_testkit::{Server, Version};
//!
//! let server = Server::start(Version::Pg18)?;
//! server.create_database("shop")?;
//! let mut client = server.connect("shop", "postgres")?;
//! client.batch_execute("CREATE TABLE t (a int)").expect("a new table");
//! # Ok::<(), haltsql_testkit::Error>(())
//! ```

#![forbid(unsafe_code)]

use std::ops::Deref;
use std::path::PathBuf;

pub use haltsql_pgtemp::{Error, in_full};

/// The servers that tests use; `make setup` provides all but the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// PostgreSQL 18 with ICU and the contrib modules.
    Pg18,
    /// PostgreSQL 16 with ICU and the contrib modules.
    Pg16,
    /// PostgreSQL 17.
    Pg17,
    /// PostgreSQL 15.
    Pg15,
    /// PostgreSQL 14.
    Pg14,
    /// The demo's PostgreSQL 18, without contrib modules, with pgvector.
    Demo,
    /// A PostgreSQL with PostGIS, which `make setup` does not provide: scripts/profiles/postgis-server does.
    Postgis,
}

impl Version {
    /// The environment variable that holds the prefix of the installation; the demo's holds the folder of its programs.
    const fn variable(self) -> &'static str {
        match self {
            Version::Pg18 => "HALTSQL_TEST_PG",
            Version::Pg16 => "HALTSQL_TEST_PG16",
            Version::Pg17 => "HALTSQL_TEST_PG17",
            Version::Pg15 => "HALTSQL_TEST_PG15",
            Version::Pg14 => "HALTSQL_TEST_PG14",
            Version::Demo => "HALTSQL_PG_BIN",
            Version::Postgis => "HALTSQL_TEST_POSTGIS",
        }
    }

    /// Where `make setup` puts it, below the root of the checkout.
    const fn folder(self) -> &'static str {
        match self {
            Version::Pg18 => ".build/postgres-18",
            Version::Pg16 => ".build/postgres-16",
            Version::Pg17 => ".build/postgres-17",
            Version::Pg15 => ".build/postgres-15",
            Version::Pg14 => ".build/postgres-14",
            Version::Demo => ".build/postgres-demo/bin",
            Version::Postgis => ".build/postgis/usr/lib/postgresql/15",
        }
    }

    /// The folder of the programs: from the environment, else where `make setup` puts it, so that `cargo test` alone works.
    ///
    /// # Panics
    /// There is none.
    #[must_use]
    #[allow(clippy::panic, reason = "a test without its server has to fail, with an instruction")]
    pub fn bin(self) -> PathBuf {
        let prefix = std::env::var_os(self.variable()).map_or_else(|| root().join(self.folder()), PathBuf::from);
        let bin = if self == Version::Demo { prefix } else { prefix.join("bin") };
        assert!(
            bin.join("initdb").is_file(),
            "there is no PostgreSQL in {}: run `make setup`, or set {} to one",
            bin.display(),
            self.variable()
        );
        bin
    }
}

/// A server of a test's own; dropping it stops it.
///
/// One in a `static` is stopped when the test's process ends, so that the tests of one file may share it, each with a
/// database of its own.
#[derive(Debug)]
pub struct Server(haltsql_pgtemp::Server);

impl Server {
    /// Starts a server. Takes one to two seconds.
    ///
    /// # Errors
    /// The server does not come up.
    ///
    /// # Panics
    /// `make setup` was not run.
    pub fn start(version: Version) -> Result<Self, Error> {
        haltsql_pgtemp::Server::start(&version.bin()).map(Self)
    }
}

impl Deref for Server {
    type Target = haltsql_pgtemp::Server;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

/// The root of the checkout.
#[must_use]
pub fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}
