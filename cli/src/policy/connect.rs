//! A read-only look at a live database: connection string, TLS, one transaction.
//!
//! Receives what stands after `--dsn`, hands a [`Catalog`] to a closure. Must never print the connection string or a part of it (a
//! misread one can show its password), never fall back from the TLS that was asked for, and never write: the transaction is
//! read only and rolled back.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use haltsql_pgtemp::in_full;
use postgres::types::{ToSql, Type};
use postgres::{Client, Config, IsolationLevel, NoTls, Row, Transaction};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::failure::Failure;

/// The catalogue is small; what takes longer than this hangs on a lock.
const TIMEOUT_MS: &str = "30000";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const FORMS: &str =
    "write postgresql://user@host:5432/database (percent-encode what is special in it), or 'host=… user=… dbname=…'";

/// Which database.
#[derive(Debug, Args)]
pub struct DatabaseArgs {
    /// The database: postgresql://user@host/name, or 'host=/run/postgresql dbname=name'; the password may stand in PGPASSWORD
    ///
    /// sslmode=require and stricter encrypt and verify certificate and host name; sslmode=prefer, the default, does so where the
    /// server has TLS; sslmode=disable goes without.
    #[arg(long, value_name = "URL")]
    dsn: String,

    /// A PEM file with the certificates to trust for TLS, instead of the system's
    #[arg(long, value_name = "FILE")]
    ssl_root_cert: Option<PathBuf>,
}

/// Which database, where one may be named.
#[derive(Debug, Args)]
pub struct MaybeDatabaseArgs {
    /// A database to fit the SQL to: postgresql://user@host/name, or 'host=/run/postgresql dbname=name'; it is looked at, not changed
    #[arg(long, value_name = "URL")]
    dsn: Option<String>,

    /// A PEM file with the certificates to trust for TLS, instead of the system's
    #[arg(long, value_name = "FILE", requires = "dsn")]
    ssl_root_cert: Option<PathBuf>,
}

impl MaybeDatabaseArgs {
    /// The database, if one was named.
    pub fn named(&self) -> Option<DatabaseArgs> {
        let dsn = self.dsn.clone()?;
        Some(DatabaseArgs::new(dsn, self.ssl_root_cert.clone()))
    }
}

impl DatabaseArgs {
    /// The database of a connection string, with the certificates to trust.
    pub fn new(dsn: String, ssl_root_cert: Option<PathBuf>) -> Self {
        DatabaseArgs { dsn, ssl_root_cert }
    }
}

/// The catalogue of a database, for as long as one transaction.
pub struct Catalog<'t>(Transaction<'t>);

/// A parameter with the type that it is sent as.
pub type Param<'a> = (&'a (dyn ToSql + Sync), Type);

impl Catalog<'_> {
    /// The rows of a query, sent unnamed: nothing is prepared, so that poolers may stand between.
    ///
    /// # Errors
    /// The server's.
    pub fn rows(&mut self, query: &str, params: &[Param<'_>]) -> Result<Vec<Row>, postgres::Error> {
        self.0.query_typed(query, params)
    }

    /// The one row of a query.
    ///
    /// # Errors
    /// The server's, or that there is not one row.
    pub fn row(&mut self, query: &str, params: &[Param<'_>]) -> Result<Row, postgres::Error> {
        self.0.query_typed_one(query, params)
    }
}

/// Looks at a database: one snapshot, read only, with the search path pinned to `pg_catalog` so that nothing in the database can
/// stand in the place of what a query names.
///
/// # Errors
/// No connection, or a query that the server refused.
pub fn look<T>(
    args: &DatabaseArgs,
    what: &str,
    read: impl FnOnce(&mut Catalog<'_>) -> Result<T, postgres::Error>,
) -> Result<T, Failure> {
    let mut client = connect(args, what)?;
    let looked = (|| {
        let mut transaction =
            client.build_transaction().read_only(true).isolation_level(IsolationLevel::RepeatableRead).start()?;
        let pins = "SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true), \
                           pg_catalog.set_config('statement_timeout', $1, true), pg_catalog.set_config('lock_timeout', $1, true)";
        transaction.query_typed(pins, &[(&TIMEOUT_MS, Type::TEXT)])?;
        let mut catalog = Catalog(transaction);
        let read = read(&mut catalog)?;
        catalog.0.rollback()?;
        Ok(read)
    })();
    looked.map_err(|problem: postgres::Error| {
        Failure::new(
            format!("cannot read the database's catalogue: {}", in_full(&problem)),
            "connect as a role that may read pg_catalog, and run the command again",
        )
    })
}

fn connect(args: &DatabaseArgs, what: &str) -> Result<Client, Failure> {
    let (config, tls) = configuration(args, what)?;
    let config = Config::from(config);
    let connected = match tls {
        None => config.connect(NoTls),
        Some(tls) => config.connect(tls),
    };
    connected
        .map_err(|problem| Failure::new(format!("cannot connect: {}", in_full(&problem)), advice(&in_full(&problem))))
}

/// How to connect: the connection string as it was read, and TLS where it is to be used.
///
/// # Errors
/// A connection string or certificates that cannot be read.
pub fn configuration(
    args: &DatabaseArgs,
    what: &str,
) -> Result<(tokio_postgres::Config, Option<MakeRustlsConnect>), Failure> {
    let (dsn, root) = without_libpq_words(&args.dsn);
    // The reason would quote the connection string.
    let mut config: tokio_postgres::Config =
        dsn.parse().map_err(|_| Failure::new("the connection string after --dsn cannot be read", FORMS))?;
    if config.get_password().is_none()
        && let Ok(password) = std::env::var("PGPASSWORD")
    {
        config.password(password);
    }
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        let socket = Path::new("/var/run/postgresql");
        if socket.is_dir() {
            config.host_path(socket)
        } else {
            config.host("localhost")
        };
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT_TIMEOUT);
    }
    config.application_name(what);
    let by_socket = config.get_hosts().iter().all(|host| matches!(host, Host::Unix(_)));
    if config.get_ssl_mode() == SslMode::Disable || (by_socket && !config.get_hosts().is_empty()) {
        // PostgreSQL has no TLS on unix sockets; where it was required, this refuses.
        return Ok((config, None));
    }
    let tls = tls(args.ssl_root_cert.as_deref().or(root.as_deref()))?;
    Ok((config, Some(tls)))
}

/// What to do about a failed connection.
pub fn advice(text: &str) -> String {
    if text.contains("TLS") || text.contains("certificate") {
        "name the certificates to trust with --ssl-root-cert FILE, or say sslmode=disable in the connection string to go without TLS"
            .to_owned()
    } else if text.contains("password") || text.contains("authentication") {
        "give the password in the connection string or in PGPASSWORD, and check the server's pg_hba.conf".to_owned()
    } else {
        format!("check that the server runs and that the connection string names it; {FORMS}")
    }
}

/// TLS that verifies the server's certificate and name.
fn tls(root: Option<&Path>) -> Result<MakeRustlsConnect, Failure> {
    let mut roots = RootCertStore::empty();
    match root {
        Some(path) => {
            let unreadable = |problem: String| {
                Failure::new(
                    format!("cannot read the certificates in `{}`: {problem}", path.display()),
                    "name a PEM file with the certificate of the server's issuer after --ssl-root-cert",
                )
            };
            let found = CertificateDer::pem_file_iter(path).map_err(|problem| unreadable(problem.to_string()))?;
            for certificate in found {
                let certificate = certificate.map_err(|problem| unreadable(problem.to_string()))?;
                roots.add(certificate).map_err(|problem| unreadable(problem.to_string()))?;
            }
            if roots.is_empty() {
                return Err(unreadable("there is none".to_owned()));
            }
        }
        // What of the system's store cannot be read is not trusted; a connection then says so.
        None => drop(roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs)),
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|problem| Failure::new(format!("TLS cannot be set up: {problem}"), "report this bug"))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

/// The connection string without the words of libpq that this client lacks: `sslmode=verify-full` and `verify-ca` are what
/// `require` does here, `sslrootcert` is a path of its own.
fn without_libpq_words(dsn: &str) -> (String, Option<PathBuf>) {
    let mut root = None;
    let mut word = |word: &str| match word.split_once('=') {
        Some(("sslmode", "verify-full" | "verify-ca")) => Some("sslmode=require".to_owned()),
        Some(("sslrootcert", path)) => {
            root = (path != "system").then(|| PathBuf::from(path));
            None
        }
        _ => Some(word.to_owned()),
    };
    let rewritten = if let Some((head, query)) = dsn.split_once('?').filter(|(head, _)| head.contains("://")) {
        let query: Vec<String> = query.split('&').filter_map(&mut word).collect();
        format!("{head}?{}", query.join("&"))
    } else if dsn.contains("://") || dsn.contains(['\'', '\\']) {
        dsn.to_owned()
    } else {
        dsn.split_whitespace().filter_map(&mut word).collect::<Vec<_>>().join(" ")
    };
    (rewritten, root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_libpq_are_understood() {
        let strict = "postgresql://u:p@h/d?sslmode=verify-full&sslrootcert=/etc/ca.pem&connect_timeout=3";
        let (dsn, root) = without_libpq_words(strict);
        assert_eq!(dsn, "postgresql://u:p@h/d?sslmode=require&connect_timeout=3");
        assert_eq!(root, Some(PathBuf::from("/etc/ca.pem")));
        let (dsn, root) = without_libpq_words("host=h  sslmode=verify-ca dbname=d");
        assert_eq!((&*dsn, root), ("host=h sslmode=require dbname=d", None));
        for untouched in ["postgresql://u:sslmode=verify-full@h/d", "host=h password='a sslmode=verify-full'"] {
            assert_eq!(without_libpq_words(untouched), (untouched.to_owned(), None));
        }
    }
}
