//! Writes on a server: each in a transaction of its own that is rolled back, and what it would have left.
//!
//! One connection per twin, one statement after another: two writes at once would wait for each other's rows.

use std::sync::Arc;

use haltsql_testkit::Server;
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::sync::Mutex;
use tokio_postgres::{Client, Error, SimpleQueryMessage, Statement};

use super::database::{Answer, Job, executed, rows};
use super::state::{self, Column, Relation};

/// What a write did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// What RETURNING gave: a multiset.
    pub rows: Vec<Vec<u8>>,
    /// How many rows it says it wrote.
    pub count: u64,
    /// By table: the checksum of what the caller sees afterwards.
    pub seen: Vec<(String, String)>,
    /// Tables in which something changed that is not the caller's, or that the policy does not open.
    pub touched: Vec<String>,
}

/// One row of the state's query.
type Sums = [String; 4];

/// The connection that writes, with the state of its database for each policy and caller.
pub struct Writer {
    client: Client,
    /// Held by whoever has a transaction open: the next batch is under way before the last one has ended.
    turn: Mutex<()>,
    /// By judge, then by kind of statement.
    states: Vec<Vec<(Statement, Vec<Sums>)>>,
    /// The statement that sweeps.
    sweep: String,
}

impl Writer {
    /// Connects, and looks at the state before any write. `judges`: normal forms and contexts in the order of the queries' judges.
    ///
    /// # Errors
    /// The server refuses something.
    pub fn new(
        runtime: &Runtime,
        server: &Server,
        database: &str,
        search_path: &str,
        judges: &[(String, Value)],
    ) -> Result<Arc<Self>, String> {
        let client = super::database::connect(runtime, server, database, search_path)?;
        runtime
            .block_on(async {
                // Rows of rolled-back writes are swept by `sweep`, and at no other time.
                client.batch_execute("SET statement_timeout = 2000; SET default_transaction_read_only = off").await?;
                let catalog = catalog(&client).await?;
                let mut states = Vec::new();
                for (normal_form, context) in judges {
                    let mut kinds = Vec::new();
                    for kind in state::KINDS {
                        let statement = client.prepare(&state::query(normal_form, context, &catalog, kind)).await?;
                        let before = sums(&client, &statement).await?;
                        kinds.push((statement, before));
                    }
                    states.push(kinds);
                }
                let tables: Vec<&str> = catalog.iter().map(|relation| relation.name.as_str()).collect();
                let sweep = format!("VACUUM {}", tables.join(", "));
                Ok(Arc::new(Writer { client, turn: Mutex::new(()), states, sweep }))
            })
            .map_err(|error: Error| format!("{database}: {}", haltsql_testkit::in_full(&error)))
    }

    /// Runs a write and takes it back.
    pub(super) async fn run(&self, job: &Job) -> Answer {
        let _turn = self.turn.lock().await;
        if let Err(error) = self.client.batch_execute("BEGIN").await {
            return Answer::error(&error);
        }
        let answer = match self.effect(job).await {
            Ok(effect) => Answer::Wrote(effect),
            Err(error) => Answer::error(&error),
        };
        match self.client.batch_execute("ROLLBACK").await {
            Ok(()) => answer,
            Err(error) => Answer::error(&error),
        }
    }

    async fn effect(&self, job: &Job) -> Result<Effect, Error> {
        let (rows, count) = rows(&self.client, job).await?;
        let Some((statement, before)) = job.state.and_then(|(judge, kind)| self.states.get(judge)?.get(kind)) else {
            return Ok(Effect { rows, count, seen: Vec::new(), touched: vec!["no state".to_owned()] });
        };
        let after = sums(&self.client, statement).await?;
        let kept = |before: &Sums, after: &Sums| before[0] == after[0] && before[2..] == after[2..];
        let touched = before.iter().zip(&after).filter(|(before, after)| !kept(before, after));
        let touched = touched.map(|(before, _)| before[0].clone()).collect();
        let seen = after.into_iter().map(|[table, seen, _, _]| (table, seen)).collect();
        Ok(Effect { rows, count, seen, touched })
    }

    /// Sweeps what rolled-back writes have left on the pages.
    pub(super) async fn sweep(&self) {
        let _turn = self.turn.lock().await;
        // Without it the next writes are slower, and no less right.
        let _slower = self.client.batch_execute(&self.sweep).await;
    }

    /// What a write gives and leaves, for people.
    pub(super) async fn show(&self, job: &Job) -> String {
        let _turn = self.turn.lock().await;
        let shown = async {
            self.client.batch_execute("BEGIN").await?;
            let mut text = executed(&self.client, job).await?;
            let touched = self.client.simple_query(TOUCHED).await?;
            for name in touched.iter().filter_map(cell) {
                let rows = format!(
                    "SELECT whole::text FROM {name} whole WHERE xmin = pg_current_xact_id()::xid ORDER BY 1 LIMIT 12"
                );
                text.push_str(&format!("    {name} was changed; now its own are:\n"));
                for row in self.client.simple_query(&rows).await?.iter().filter_map(cell) {
                    text.push_str(&format!("      {row}\n"));
                }
            }
            Ok::<_, Error>(text)
        };
        let text = match shown.await {
            Ok(text) => text,
            Err(error) => format!("error {}\n", haltsql_testkit::in_full(&error)),
        };
        let _ends = self.client.batch_execute("ROLLBACK").await;
        let _ends = self.client.batch_execute("DEALLOCATE PREPARE shown").await;
        text
    }
}

/// Tables in which this transaction has written.
const TOUCHED: &str = "
    SELECT relid::regclass FROM pg_stat_xact_user_tables WHERE n_tup_ins + n_tup_upd + n_tup_del > 0 ORDER BY 1";

fn cell(message: &SimpleQueryMessage) -> Option<String> {
    match message {
        SimpleQueryMessage::Row(row) => Some(row.get(0).unwrap_or("NULL").to_owned()),
        _ => None,
    }
}

async fn catalog(client: &Client) -> Result<Vec<Relation>, Error> {
    let mut all: Vec<Relation> = Vec::new();
    for row in client.query(state::CATALOG, &[]).await? {
        let name: String = row.try_get(0)?;
        let column = Column {
            name: row.try_get(1)?,
            spelled: row.try_get(2)?,
            counts: row.try_get(3)?,
            text: row.try_get(4)?,
            filled: row.try_get(5)?,
        };
        match all.last_mut().filter(|last| last.name == name) {
            Some(last) => last.columns.push(column),
            None => all.push(Relation { name, columns: vec![column] }),
        }
    }
    Ok(all)
}

async fn sums(client: &Client, statement: &Statement) -> Result<Vec<Sums>, Error> {
    let mut all = Vec::new();
    for row in client.query(statement, &[]).await? {
        all.push([row.try_get(0)?, row.try_get(1)?, row.try_get(2)?, row.try_get(3)?]);
    }
    // UNION ALL promises no order.
    all.sort_unstable();
    Ok(all)
}
