//! What the guard costs: a select of ten rows through it, against the same steps done by hand and against a bare transaction, on a real
//! server in the same run. Ends with 1 where the guard costs more than a tenth over the same steps.
//!
//! Verification is on both sides and left out of the comparison: what it takes, proofs included, is measured beside it and taken off.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::join3;
use haltsql::session::{PinInput, Session, SessionOptions};
use haltsql::{Context, Policy};
use haltsql_guard::{Config, Guard};
use haltsql_testkit::{Server, Version};
use tokio::runtime::Runtime;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, NoTls};

/// The guard, without verification, over the same steps by hand.
const MAX_RATIO: f64 = 1.10;
/// How often each is run in a batch, and how many batches; of each the fastest counts, since they take turns.
const RUNS: u32 = 50;
const BATCHES: usize = 60;
/// A bound is missed when it is missed so many times in a row.
const ATTEMPTS: usize = 3;

const SQL: &str = "SELECT id, note FROM app.orders WHERE tenant_id = $1 ORDER BY id LIMIT 10";
const POLICY: &str = "
apiVersion: haltsql.dev/v1
kind: Policy
metadata: { name: bench }
spec:
  search_path: [app]
  tenancy: { mode: bound, keys: [{ column: tenant_id, context: tenant_id }] }
  tables: { app.orders: { columns: [id, tenant_id, note], complete: true } }
";

fn main() -> ExitCode {
    let server = Server::start(Version::Demo).expect("a server");
    let setup = "CREATE SCHEMA app; CREATE TABLE app.orders (id int PRIMARY KEY, tenant_id text NOT NULL, note text);
        INSERT INTO app.orders SELECT n, 't' || n % 50, 'note ' || n FROM generate_series(1, 5000) AS n; ANALYZE app.orders";
    server.connect("postgres", "postgres").expect("a connection").batch_execute(setup).expect("a schema");
    let runtime = Runtime::new().expect("a runtime");
    let bench = runtime.block_on(Bench::new(&server));
    let mut ratio = f64::INFINITY;
    for _ in 0..ATTEMPTS {
        ratio = runtime.block_on(bench.measure());
        if ratio <= MAX_RATIO {
            return ExitCode::SUCCESS;
        }
    }
    println!("missed: the guard over the same steps by hand: {ratio:.2}, and should be {MAX_RATIO}");
    ExitCode::from(1)
}

struct Bench {
    guard: Guard,
    client: Client,
    session: Session,
}

impl Bench {
    async fn new(server: &Server) -> Self {
        let mut config = Config::new();
        config.host_path(server.socket_folder()).user("postgres").dbname("postgres");
        let (client, connection) = config.connect(NoTls).await.expect("a connection");
        tokio::spawn(connection);
        let policy = || Policy::from_yaml(POLICY).expect("a policy");
        let guard = Guard::builder(policy(), config).connections(1).build().expect("a guard");
        let session =
            Session::open(Arc::new(policy()), Arc::new(context()), SessionOptions::default()).expect("a session");
        Bench { guard, client, session }
    }

    /// Prints what each costs; the ratio that is bounded.
    async fn measure(&self) -> f64 {
        let mut best = [Duration::MAX; 5];
        for _ in 0..BATCHES {
            for (at, best) in best.iter_mut().enumerate() {
                let started = Instant::now();
                for _ in 0..RUNS {
                    match at {
                        0 => self.bare().await,
                        1 => self.by_hand(false).await,
                        2 => self.by_hand(true).await,
                        3 => drop(self.guard.run(context(), SQL).await.expect("rows")),
                        _ => assert!(self.verified().1.len() > SQL.len()),
                    }
                }
                *best = (*best).min(started.elapsed() / RUNS);
            }
        }
        let [bare, apart, together, guarded, verified] = best.map(|best| best.as_secs_f64() * 1e6);
        let (apart, together, guarded) = (apart - verified, together - verified, guarded - verified);
        let ratio = guarded / together;
        println!(
            "| guard: same steps by hand, one after the other | {apart:.0} µs | {bare:.0} µs, a bare transaction | {:.2} |",
            apart / bare
        );
        println!(
            "| guard: same steps by hand, sent together | {together:.0} µs | {bare:.0} µs, a bare transaction | {:.2} |",
            together / bare
        );
        println!(
            "| guard: guarded | {guarded:.0} µs | {together:.0} µs, same steps by hand, sent together | {ratio:.2} |"
        );
        println!(
            "| guard: verification, in none of the above | {verified:.0} µs | {bare:.0} µs, a bare transaction | {:.2} |",
            verified / bare
        );
        ratio
    }

    /// What a program without a guard does.
    async fn bare(&self) {
        self.client.batch_execute("BEGIN READ ONLY").await.expect("BEGIN");
        let rows = self.client.query_typed(SQL, &[(&"t7", Type::TEXT)]).await.expect("rows");
        assert_eq!(rows.len(), 10);
        self.client.batch_execute("ROLLBACK").await.expect("ROLLBACK");
    }

    /// What the guard sends, by the driver alone.
    async fn by_hand(&self, together: bool) {
        let client = &self.client;
        // On both sides, and taken off both: a server that waits for a verdict falls asleep, and waking it is no cost of the guard's.
        let (capped, rendered) = self.verified();
        let begin = self.session.begin();
        let pin = self.session.pin(&PinInput { database: "postgres", now: 0, key: None }).expect("a pin");
        let params: Vec<(&(dyn ToSql + Sync), Type)> =
            pin.params.iter().map(|value| (value as _, Type::TEXT)).collect();
        let described = if together {
            let (began, pinned, described) = join3(
                client.batch_execute(&begin),
                client.query_typed(&pin.sql, &params),
                client.prepare_typed(&capped, &[Type::TEXT]),
            )
            .await;
            began.expect("BEGIN");
            pinned.expect("the pin");
            described
        } else {
            client.batch_execute(&begin).await.expect("BEGIN");
            client.query_typed(&pin.sql, &params).await.expect("the pin");
            client.prepare_typed(&capped, &[Type::TEXT]).await
        };
        assert_eq!(described.expect("columns").columns().len(), 2);
        let rows = client.query_typed(&rendered, &[(&"t7", Type::TEXT)]).await.expect("rows");
        let texts: Vec<Vec<Option<String>>> = rows.iter().map(|row| vec![row.get(1), row.get(3)]).collect();
        assert_eq!(texts.len(), 10);
        client.batch_execute("ROLLBACK").await.expect("ROLLBACK");
    }

    /// The texts to send, verified and proven: the capped one and the one with texts beside values.
    fn verified(&self) -> (String, String) {
        let statement = self.session.statement(SQL.as_bytes());
        (statement.text().expect("allowed").to_owned(), statement.rendered(2).expect("allowed"))
    }
}

fn context() -> Context {
    Context::new().with("tenant_id", "t7")
}
