//! The guard on real PostgreSQL: results and receipts, denials, errors, faults, and that nothing stays behind on a connection.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod faults;
mod leaks;
mod pgbouncer;
mod results;
mod transactions;

use haltsql::{Context, Policy};
use haltsql_guard::{Config, Guard, GuardBuilder};
use haltsql_testkit::{Server, Version};
use tokio::runtime::Runtime;

/// A server of its own with one tenant table.
pub struct Shop {
    pub server: Server,
    pub runtime: Runtime,
}

impl Shop {
    pub fn start(version: Version) -> Self {
        let server = Server::start(version).unwrap();
        server.create_database("shop").unwrap();
        let mut client = server.connect("shop", "postgres").unwrap();
        client
            .batch_execute(
                "CREATE SCHEMA app; CREATE TYPE app.\"Mood\" AS ENUM ('glad', 'sad');
                 CREATE TABLE app.orders (id int PRIMARY KEY, tenant_id text NOT NULL, note text, mood app.\"Mood\");
                 INSERT INTO app.orders SELECT n, CASE n % 2 WHEN 0 THEN 'acme' ELSE 'globex' END, 'n' || n, 'sad'
                 FROM generate_series(1, 40) AS n",
            )
            .unwrap();
        Shop { server, runtime: Runtime::new().unwrap() }
    }

    pub fn config(&self) -> Config {
        let mut config = Config::new();
        config.host_path(self.server.socket_folder()).user("postgres").dbname("shop");
        config
    }

    pub fn builder(&self, execution: &str) -> GuardBuilder {
        Guard::builder(policy(execution), self.config())
    }

    pub fn guard(&self, execution: &str) -> Guard {
        self.builder(execution).build().unwrap()
    }

    /// One value, asked for by the superuser.
    pub fn ask(&self, query: &str) -> i64 {
        self.server.connect("shop", "postgres").unwrap().query_one(query, &[]).unwrap().get(0)
    }
}

pub fn policy(execution: &str) -> Policy {
    let lines: String = execution.lines().map(|line| format!("    {}\n", line.trim())).collect();
    let document = format!(
        "apiVersion: haltsql.dev/v1
kind: Policy
metadata: {{ name: shop }}
spec:
  search_path: [app]
  tenancy:
    mode: bound
    keys: [{{ column: tenant_id, context: tenant_id, type: text }}]
  statements: [select, insert, update, delete]
  functions: {{ profiles: [core, text-search], allow: [pg_sleep] }}
  tables:
    app.session_state: {{ columns: [state], shared: true }}
    app.orders:
      columns: [id, tenant_id, note, mood]
      complete: true
      write: {{ insert: [id, tenant_id, note], update: [note], delete: true }}
  limits: {{ max_generated: 100000000, cartesian: allow }}
  execution:
    max_rows: 5
{lines}"
    );
    Policy::from_yaml(&document).unwrap_or_else(|problem| panic!("{problem}"))
}

pub fn acme() -> Context {
    Context::new().with("tenant_id", "acme")
}
