//! The session's steps on real PostgreSQL, driven by hand: what the pin sets and asserts, what is sent for a statement, receipts.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod pins;
mod receipts;
mod statements;

use std::sync::Arc;

use haltsql::session::{PinInput, Query, Session, SessionOptions, Statement};
use haltsql::{Context, Policy};
use haltsql_testkit::{Server, Version};
use postgres::types::{Format, IsNull, ToSql, Type};
use postgres::{Client, Row};

/// A database with one tenant table, on a server of its own.
pub struct Database(Server);

impl Database {
    pub fn start(version: Version) -> Self {
        let server = Server::start(version).unwrap();
        server.create_database("shop").unwrap();
        let mut client = server.connect("shop", "postgres").unwrap();
        client
            .batch_execute(
                "CREATE SCHEMA app; CREATE SCHEMA \"We\"\"ird, x\";
                 CREATE TABLE app.orders (id int PRIMARY KEY, tenant_id text NOT NULL, note text, tags jsonb);
                 INSERT INTO app.orders SELECT n, CASE n % 2 WHEN 0 THEN 'acme' ELSE 'globex' END, 'n' || n, '{\"a\": 1}'
                 FROM generate_series(1, 40) AS n",
            )
            .unwrap();
        Database(server)
    }

    pub fn connect(&self) -> Client {
        self.0.connect("shop", "postgres").unwrap()
    }
}

/// A policy over it; `execution` is put under `execution:`.
pub fn policy(execution: &str) -> Arc<Policy> {
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
  tables:
    app.orders:
      columns: [id, tenant_id, note, tags]
      complete: true
      write: {{ insert: [id, tenant_id, note], update: [note], delete: true }}
  execution:
    max_rows: 5
{lines}"
    );
    Arc::new(Policy::from_yaml(&document).unwrap_or_else(|problem| panic!("{problem}")))
}

pub fn session(policy: &Arc<Policy>, writable: bool) -> Session {
    let context = Arc::new(Context::new().with("tenant_id", "acme"));
    Session::open(policy.clone(), context, SessionOptions { writable, allow_shadow: false }).unwrap()
}

pub fn pin(session: &Session) -> Query {
    session.pin(&PinInput { database: "shop", now: 0, key: None }).unwrap()
}

/// Begins and pins; what the pin answered.
pub fn begin(client: &mut Client, session: &Session) -> Result<Row, postgres::Error> {
    client.batch_execute(&session.begin())?;
    query(client, &pin(session))
}

pub fn query(client: &mut Client, query: &Query) -> Result<Row, postgres::Error> {
    let params: Vec<(&(dyn ToSql + Sync), Type)> = query.params.iter().map(|value| (value as _, Type::TEXT)).collect();
    client.query_typed_one(&query.sql, &params)
}

/// Runs a text of a statement with its values, each declared with its own type and sent as text.
pub fn run(client: &mut Client, statement: &Statement, text: &str) -> Result<Vec<Row>, postgres::Error> {
    let values: Vec<(Text, Type)> = statement
        .params()
        .iter()
        .map(|param| (Text(param.value.clone()), Type::from_oid(param.oid).unwrap()))
        .collect();
    let params: Vec<(&(dyn ToSql + Sync), Type)> = values.iter().map(|(value, ty)| (value as _, ty.clone())).collect();
    client.query_typed(text, &params)
}

#[derive(Debug)]
pub struct Text(pub Option<String>);

impl ToSql for Text {
    fn to_sql(
        &self,
        _: &Type,
        out: &mut postgres::types::private::BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        let Some(text) = &self.0 else { return Ok(IsNull::Yes) };
        out.extend_from_slice(text.as_bytes());
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }

    postgres::types::to_sql_checked!();
}
