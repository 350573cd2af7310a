//! Exact columns, for random queries: the tables and columns of an allowed query's verdict are what PostgreSQL 18 records as
//! read and what a role needs, no more and no less.
//!
//! The comparison is the one of `core/tests/exact_columns/`, taken as it is; here are only the queries. What can't be
//! compared is counted by reason, and a reason that is not listed here fails.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]
#![allow(clippy::string_slice, reason = "the shared oracle cuts where it has found ASCII")]

#[path = "../../core/tests/exact_columns/oracle.rs"]
mod oracle;
#[path = "../../core/tests/exact_columns/tally.rs"]
mod tally;
#[path = "../../core/tests/exact_columns/written.rs"]
mod written;

use fastrand::Rng;
use haltsql::{Context, Policy};
use haltsql_noninterference::corpus;

use haltsql_noninterference::generate::{self, Query};
use haltsql_noninterference::run::Subject;
use haltsql_noninterference::world::{WORLDS, World};
use haltsql_testkit::{Server, Version, root};
use postgres::Client;

use oracle::Parameter;
use tally::{DENIED, ONE_OF_TWO, Tally, UNCHECKED, WHOLE_ROW, load, parameters, pinned};

const SEED: u64 = 2026;

/// Comparisons after which a test ends, and what it may take to come that far.
const WANTED: usize = 1_500;
const WANTED_WRITES: usize = 500;
const TRIES: usize = 20_000;

/// Why the server may refuse an allowed query: HaltSQL looks at names and proofs, and at no types.
const REFUSALS: &[(&str, &str)] = &[
    ("42883", "the server refuses it: no operator or function for these types"),
    ("42725", "the server refuses it: several operators or functions for these types"),
    ("42804", "the server refuses it: types that do not match"),
    ("42809", "the server refuses it: field of a value that is no row"),
    ("22003", "the server refuses it: a literal beyond its column's type"),
    ("22P02", "the server refuses it: a literal that is none of its column's type"),
    ("42803", "the server refuses it: grouping"),
    ("42601 non-integer constant", "the server refuses it: a constant as ORDER BY or GROUP BY"),
    ("0A000 FULL JOIN", "the server refuses it: FULL JOIN on such a condition"),
    ("42P10", "the server refuses it: no key of these columns for ON CONFLICT"),
    ("42P18", "the server refuses it: a `$n` without a type"),
    ("42P08", "the server refuses it: a `$n` of two types"),
    ("42P09", "the server refuses it: a `$n` of two types"),
    (UNBOUND, "a `$n` of the application's own, whose type the verdict does not say"),
];

/// What the server says where the verdict binds fewer `$n` than stand in the query.
const UNBOUND: &str = "42601 wrong number of parameters";

/// The server takes it and stops while it runs, so that there is a record but no role that can run it.
const STOPS: &str = "grants: the server stops while it runs";

enum Source {
    World(&'static World),
    Corpus(corpus::Database),
}

/// A database and the policies and contexts that its queries are checked with, in the order of [`Query::judge`].
///
/// Its tables are empty: what is read and needed does not depend on rows, and no row stops a query.
struct Loaded {
    source: Source,
    client: Client,
    judges: Vec<(Policy, Context)>,
}

impl Loaded {
    fn query(&self, mut rng: Rng, subject: Subject) -> Query {
        match (&self.source, subject) {
            (Source::World(world), Subject::Queries) => generate::query(world, rng),
            (Source::World(world), Subject::Writes) => generate::write(world, rng),
            (Source::Corpus(database), _) => corpus::mutate(database, &mut rng),
        }
    }
}

fn databases(server: &Server, subject: Subject) -> Vec<Loaded> {
    let mut all = Vec::new();
    for world in WORLDS {
        let judges = [true, false].into_iter().flat_map(|bound| {
            world.callers.iter().map(move |caller| (world.policy(bound).unwrap(), world.context(caller)))
        });
        let judges = judges.collect();
        all.push(Loaded { source: Source::World(world), client: load(server, world.name, world.ddl), judges });
    }
    for database in corpus::load(&root().join("conformance"), subject).unwrap() {
        let judges = database.judges.iter().map(|(_, policy, context)| {
            (Policy::from_yaml(policy).unwrap(), Context::from_json(&context.to_string()).unwrap())
        });
        let client = load(server, &format!("corpus_{}", database.name), &database.schema);
        all.push(Loaded { judges: judges.collect(), client, source: Source::Corpus(database) });
    }
    all
}

/// Where the server refuses a query, and its words.
enum Refusal {
    Parsing(String),
    Running(String),
}

/// Whether a superuser can run it.
fn refused(client: &mut Client, sql: &str, parameters: &[Parameter]) -> Option<Refusal> {
    let spell = |error: postgres::Error| {
        let error = error.as_db_error().expect("the server answers");
        format!("{} {}", error.code().code(), error.message())
    };
    let list = |items: Vec<String>| if items.is_empty() { String::new() } else { format!("({})", items.join(", ")) };
    let types = list(parameters.iter().map(|(_, ty)| ty.clone()).collect());
    let values = list(parameters.iter().map(|(value, _)| format!("'{}'", value.replace('\'', "''"))).collect());
    if let Err(error) = client.batch_execute(&format!("PREPARE tried{types} AS {sql}")) {
        return Some(Refusal::Parsing(spell(error)));
    }
    client.batch_execute("BEGIN").unwrap();
    let ran = client.batch_execute(&format!("EXECUTE tried{values}"));
    client.batch_execute("ROLLBACK").unwrap();
    client.batch_execute("DEALLOCATE tried").unwrap();
    ran.err().map(spell).map(
        |error| {
            if error.starts_with(UNBOUND) { Refusal::Parsing(error) } else { Refusal::Running(error) }
        },
    )
}

#[test]
fn what_the_generator_writes_reads_what_the_verdict_says() {
    compare(Subject::Queries, WANTED, 1_000, "exact columns, generator");
}

#[test]
fn what_the_generator_changes_needs_what_the_verdict_says() {
    compare(Subject::Writes, WANTED_WRITES, 350, "exact columns, generated writes");
}

fn compare(subject: Subject, wanted: usize, least: usize, title: &str) {
    let server = Server::start(Version::Pg18).unwrap();
    let mut databases = databases(&server, subject);
    let mut rng = Rng::with_seed(SEED);
    let mut tally = Tally::default();
    for number in 0..TRIES {
        if tally.recorded == wanted {
            break;
        }
        let at = match number % 16 {
            0..=8 => 0,
            9..=13 => 1,
            _ => rng.usize(2..databases.len()),
        };
        let query = databases[at].query(rng.fork(), subject);
        let Loaded { client, judges, .. } = &mut databases[at];
        let (policy, context) = &judges[query.judge];
        let (sql, id) = (query.sql.as_str(), format!("query {number}"));
        let verdict = policy.check(sql.as_bytes(), context);
        if !verdict.allowed {
            tally.skip(DENIED, &id);
            continue;
        }
        pinned(client, policy);
        // What a key or a check refuses shows its rights all the same.
        let refusal = refused(client, sql, &parameters(&verdict))
            .filter(|refusal| !matches!(refusal, Refusal::Running(error) if error.starts_with("23")));
        if let Some(Refusal::Parsing(error) | Refusal::Running(error)) = &refusal
            && !REFUSALS.iter().any(|(code, _)| error.starts_with(code))
        {
            tally.wrong.push(format!("{id}: a refusal that is not listed: {error}\n  {sql}"));
            continue;
        }
        match refusal {
            Some(Refusal::Parsing(error)) => {
                let reason = REFUSALS.iter().find(|(code, _)| error.starts_with(code)).expect("looked up above").1;
                tally.skip(reason, &id);
            }
            Some(Refusal::Running(error)) => {
                tally.skip(STOPS, &format!("{id} ({error})"));
                tally.compare(client, &id, sql.as_bytes(), &verdict, false);
            }
            None => tally.compare(client, &id, sql.as_bytes(), &verdict, true),
        }
    }
    let (recorded, needed) = (tally.recorded, tally.needed);
    let reasons: Vec<&str> =
        REFUSALS.iter().map(|(_, reason)| *reason).chain([DENIED, UNCHECKED, ONE_OF_TWO, WHOLE_ROW, STOPS]).collect();
    tally.finish(title, &reasons);
    assert_eq!(recorded, wanted, "of {TRIES} queries");
    assert!(needed >= least, "only {needed} were compared with what a role needs");
}
