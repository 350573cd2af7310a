//! Connections to a PostgreSQL of the test's own.

use haltsql_testkit::Version;
use postgres::Client;

/// A running server.
pub struct Server(haltsql_testkit::Server);

impl Server {
    /// Starts one.
    pub fn start(version: Version) -> Server {
        Server(haltsql_testkit::Server::start(version).expect("a server"))
    }

    /// A connection whose transactions are read-only unless it is the superuser's.
    pub fn connect(&self, user: &str, database: &str) -> Client {
        let mut client = self.0.connect(database, user).expect("a connection");
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
