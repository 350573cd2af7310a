//! The twins on one server: loading them, and running batches of texts on both.
//!
//! Receives texts with the values to bind, returns what each twin answered. Statements run as guards run them: pinned
//! search_path, read only, declared parameter types, the exact text. Several stand in each connection's pipeline. Writes are
//! run one at a time and taken back ([`super::effect`]).

use std::pin::pin;
use std::sync::Arc;

use futures_util::TryStreamExt;
use haltsql::{BindParam, BindValue};
use haltsql_testkit::Server;
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{Format, FromSql, IsNull, Kind, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

use super::effect::{Effect, Writer};

/// What a database answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The rows in PostgreSQL's binary form, sorted: a multiset.
    Rows(Vec<Vec<u8>>),
    /// What a write gave and left.
    Wrote(Effect),
    /// An error: SQLSTATE and message.
    Error(String, String),
}

impl Answer {
    pub(super) fn error(error: &tokio_postgres::Error) -> Self {
        match error.as_db_error() {
            Some(error) => Answer::Error(error.code().code().to_owned(), error.message().to_owned()),
            None => Answer::Error("client".to_owned(), haltsql_testkit::in_full(error)),
        }
    }
}

/// One text to run.
#[derive(Clone, Debug)]
pub struct Job {
    /// The exact text.
    pub sql: String,
    /// What to bind to `$1`, `$2` …
    pub bind: Vec<BindParam>,
    /// Their types are declared; else the server finds them out.
    pub declared: bool,
    /// It is a write: which of the writer's states tells what it left, by judge and kind of statement.
    pub state: Option<(usize, usize)>,
}

/// Two databases that differ in what no caller may see.
pub struct Twins {
    clients: [Vec<Arc<Client>>; 2],
    /// Where writes are run.
    writers: Option<[Arc<Writer>; 2]>,
}

/// A parameter in text form, whatever its type.
#[derive(Debug)]
struct TextValue(Option<String>);

impl ToSql for TextValue {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match &self.0 {
            Some(text) => {
                out.extend_from_slice(text.as_bytes());
                Ok(IsNull::No)
            }
            None => Ok(IsNull::Yes),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }

    to_sql_checked!();
}

/// A value as the server sent it.
struct Raw<'a>(Option<&'a [u8]>);

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Raw(Some(raw)))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Raw(None))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// How many statements stand in one connection's pipeline at a time: enough to keep the server busy, few enough that a slow one
/// doesn't hold up many.
const PIPELINE: usize = 24;

impl Twins {
    /// Creates the databases `<name>_a` and `<name>_b`, loads both, and connects.
    ///
    /// # Errors
    /// The server refuses something.
    pub fn load(
        runtime: &Runtime,
        server: &Server,
        name: &str,
        ddl: &str,
        scripts: [&[String]; 2],
        search_path: &str,
        connections: usize,
    ) -> Result<Self, String> {
        let mut clients = [Vec::new(), Vec::new()];
        // One is the other's copy before either is filled, so that the same types and tables have the same numbers.
        let first = format!("{name}_a");
        server.create_database(&first).map_err(|error| error.to_string())?;
        let in_full = |error: &dyn std::error::Error| haltsql_testkit::in_full(error);
        let mut loader = server.connect(&first, "postgres").map_err(|error| error.to_string())?;
        loader.batch_execute(ddl).map_err(|error| format!("loading {name}: {}", in_full(&error)))?;
        drop(loader);
        let mut loader = server.connect("postgres", "postgres").map_err(|error| error.to_string())?;
        let copy = format!("CREATE DATABASE {name}_b TEMPLATE {first}");
        loader.batch_execute(&copy).map_err(|error| format!("copying {name}: {}", in_full(&error)))?;
        for ((suffix, scripts), clients) in ["a", "b"].into_iter().zip(scripts).zip(&mut clients) {
            let database = format!("{name}_{suffix}");
            let mut loader = server.connect(&database, "postgres").map_err(|error| error.to_string())?;
            for script in std::iter::once("SET session_replication_role = replica")
                .chain(scripts.iter().map(String::as_str))
                .chain(["ANALYZE"])
            {
                loader.batch_execute(script).map_err(|error| {
                    format!("loading {database}: {}: {script:.200}", haltsql_testkit::in_full(&error))
                })?;
            }
            for _ in 0..connections {
                clients.push(Arc::new(connect(runtime, server, &database, search_path)?));
            }
        }
        Ok(Twins { clients, writers: None })
    }

    /// Makes the twins ready for writes. `judges`: the normal form and the context of every judge.
    ///
    /// # Errors
    /// The server refuses something.
    pub fn writable(
        &mut self,
        runtime: &Runtime,
        server: &Server,
        name: &str,
        search_path: &str,
        judges: &[(String, Value)],
    ) -> Result<(), String> {
        let writer = |suffix| Writer::new(runtime, server, &format!("{name}_{suffix}"), search_path, judges);
        self.writers = Some([writer("a")?, writer("b")?]);
        Ok(())
    }

    /// Starts running a batch on both twins.
    #[must_use]
    pub fn start(&self, runtime: &Runtime, jobs: &Arc<Vec<Job>>) -> Batch {
        if let Some(writers) = &self.writers {
            let handles = writers.each_ref().map(|writer| {
                let (writer, jobs) = (Arc::clone(writer), Arc::clone(jobs));
                vec![runtime.spawn(async move {
                    let mut answers = Vec::new();
                    for (at, job) in jobs.iter().enumerate() {
                        answers.push((at, writer.run(job).await));
                    }
                    if !jobs.is_empty() {
                        writer.sweep().await;
                    }
                    answers
                })]
            });
            return Batch { handles, jobs: jobs.len() };
        }
        let handles = self.clients.each_ref().map(|clients| {
            (0..clients.len() * PIPELINE)
                .map(|lane| {
                    let client = Arc::clone(&clients[lane % clients.len()]);
                    let jobs = Arc::clone(jobs);
                    let lanes = clients.len() * PIPELINE;
                    runtime.spawn(async move {
                        let mut answers = Vec::new();
                        for at in (lane..jobs.len()).step_by(lanes) {
                            answers.push((at, run(&client, &jobs[at]).await));
                        }
                        answers
                    })
                })
                .collect()
        });
        Batch { handles, jobs: jobs.len() }
    }

    /// Runs one text on both.
    #[must_use]
    pub fn both(&self, runtime: &Runtime, job: &Job) -> [Answer; 2] {
        if let Some([a, b]) = &self.writers {
            return [runtime.block_on(a.run(job)), runtime.block_on(b.run(job))];
        }
        let one = |client: &Arc<Client>| runtime.block_on(run(client, job));
        [one(&self.clients[0][0]), one(&self.clients[1][0])]
    }

    /// Runs one text on both and renders what comes back for people.
    #[must_use]
    pub fn show(&self, runtime: &Runtime, job: &Job) -> [String; 2] {
        if let Some(writers) = &self.writers {
            return writers.each_ref().map(|writer| runtime.block_on(writer.show(job)));
        }
        self.clients.each_ref().map(|clients| runtime.block_on(show(&clients[0], job)))
    }
}

/// Answers with the positions of their queries.
type Answers = Vec<(usize, Answer)>;

/// A batch on its way.
pub struct Batch {
    handles: [Vec<JoinHandle<Answers>>; 2],
    jobs: usize,
}

impl Batch {
    /// Waits for both twins; the answers in the order of the jobs.
    ///
    /// # Errors
    /// A task failed.
    pub fn finish(self, runtime: &Runtime) -> Result<Vec<[Answer; 2]>, String> {
        let mut sides = Vec::new();
        for handles in self.handles {
            let mut answers: Vec<Option<Answer>> = vec![None; self.jobs];
            for handle in handles {
                for (at, answer) in runtime.block_on(handle).map_err(|error| error.to_string())? {
                    answers[at] = Some(answer);
                }
            }
            sides.push(answers);
        }
        let b = sides.pop().unwrap_or_default();
        let a = sides.pop().unwrap_or_default();
        let missing = || "a query got no answer".to_owned();
        a.into_iter().zip(b).map(|(a, b)| Ok([a.ok_or_else(missing)?, b.ok_or_else(missing)?])).collect()
    }
}

pub(super) fn connect(runtime: &Runtime, server: &Server, database: &str, search_path: &str) -> Result<Client, String> {
    let mut config = tokio_postgres::Config::new();
    config.host_path(server.socket_folder()).dbname(database).user("postgres");
    config.options("-c default_transaction_read_only=on -c statement_timeout=300 -c jit=off -c timezone=UTC");
    runtime.block_on(async {
        let (client, connection) = config.connect(NoTls).await.map_err(|error| format!("{database}: {error}"))?;
        tokio::spawn(connection);
        client
            .query_typed("SELECT set_config('search_path', $1, false)", &[(&search_path, Type::TEXT)])
            .await
            .map_err(|error| error.to_string())?;
        Ok(client)
    })
}

async fn run(client: &Client, job: &Job) -> Answer {
    match rows(client, job).await {
        Ok((rows, _)) => Answer::Rows(rows),
        Err(error) => Answer::error(&error),
    }
}

/// The rows that a text gives, and how many it says it touched.
pub(super) async fn rows(client: &Client, job: &Job) -> Result<(Vec<Vec<u8>>, u64), tokio_postgres::Error> {
    let params = parameters(job);
    let mut stream = pin!(client.query_typed_raw(&job.sql, params).await?);
    let mut rows: Vec<Vec<u8>> = Vec::new();
    while let Some(row) = stream.as_mut().try_next().await? {
        let mut bytes = Vec::new();
        for column in 0..row.len() {
            match row.try_get::<_, Raw<'_>>(column)?.0 {
                Some(value) => {
                    bytes.extend_from_slice(&u32::try_from(value.len()).unwrap_or(u32::MAX).to_be_bytes());
                    bytes.extend_from_slice(value);
                }
                None => bytes.extend_from_slice(&[0xff; 4]),
            }
        }
        rows.push(bytes);
    }
    rows.sort_unstable();
    Ok((rows, stream.rows_affected().unwrap_or(0)))
}

/// The values in the order of their numbers, with the declared types. A number that nothing binds is left to the server.
fn parameters(job: &Job) -> Vec<(TextValue, Type)> {
    let bind = &job.bind;
    let unknown = || Type::new(String::new(), 0, Kind::Pseudo, String::new());
    let last = bind.iter().map(|bind| bind.param).max().unwrap_or(0);
    (1..=last)
        .map(|number| match bind.iter().find(|bind| bind.param == number) {
            None => (TextValue(None), unknown()),
            Some(bind) => {
                let ty = match bind.ty {
                    _ if !job.declared => unknown(),
                    "uuid" => Type::UUID,
                    "integer" => Type::INT8,
                    "text[]" => Type::TEXT_ARRAY,
                    "uuid[]" => Type::UUID_ARRAY,
                    "integer[]" => Type::INT8_ARRAY,
                    _ => Type::TEXT,
                };
                let text = match &bind.value {
                    BindValue::One(value) => value.clone(),
                    BindValue::Many(values) => array(values),
                };
                (TextValue(Some(text)), ty)
            }
        })
        .collect()
}

fn array(values: &[String]) -> String {
    let quoted: Vec<String> =
        values.iter().map(|value| format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))).collect();
    format!("{{{}}}", quoted.join(","))
}

async fn show(client: &Client, job: &Job) -> String {
    let shown = executed(client, job).await;
    let _left = client.batch_execute("DEALLOCATE ALL").await;
    shown.unwrap_or_else(|error| format!("error {}\n", haltsql_testkit::in_full(&error)))
}

/// Through PREPARE and EXECUTE, since the simple protocol sends text. Leaves the prepared statement `shown`.
pub(super) async fn executed(client: &Client, job: &Job) -> Result<String, tokio_postgres::Error> {
    let literal = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let types: Vec<String> = parameters(job)
        .iter()
        .map(|(_, ty)| if ty.oid() == 0 { "unknown".to_owned() } else { ty.name().to_owned() })
        .collect();
    let values: Vec<String> =
        parameters(job).iter().map(|(value, _)| value.0.as_deref().map_or("NULL".to_owned(), literal)).collect();
    let parenthesised =
        |list: Vec<String>| if list.is_empty() { String::new() } else { format!("({})", list.join(", ")) };
    client.batch_execute(&format!("PREPARE shown{} AS {}", parenthesised(types), job.sql)).await?;
    let messages = client.simple_query(&format!("EXECUTE shown{}", parenthesised(values))).await?;
    let (mut lines, mut touched) = (Vec::new(), 0);
    for message in &messages {
        match message {
            SimpleQueryMessage::Row(row) => {
                let cells = (0..row.len()).map(|at| row.get(at).unwrap_or("NULL").to_owned());
                lines.push(cells.collect::<Vec<_>>().join(" | "));
            }
            SimpleQueryMessage::CommandComplete(count) => touched += count,
            _ => {}
        }
    }
    lines.sort_unstable();
    lines.truncate(30);
    Ok(format!("{touched} rows\n{}", lines.iter().map(|line| format!("    {line}\n")).collect::<String>()))
}
