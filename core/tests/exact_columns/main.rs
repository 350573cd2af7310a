//! The tables and columns of a verdict are exactly what PostgreSQL 18 records as read, and exactly what a role needs.
//!
//! For every allowed read of the conformance corpus and of `conformance/alarms/`. What can't be compared is counted by
//! reason and printed; the reasons are listed here, so that a new one fails.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

#[allow(dead_code, reason = "another test's module")]
#[path = "../conformance/case.rs"]
mod case;
#[allow(dead_code, reason = "another test's module")]
#[path = "../conformance/corpus.rs"]
mod corpus;
mod oracle;
#[allow(dead_code, reason = "another test's module")]
#[path = "../alarms/queries.rs"]
mod queries;

use std::collections::BTreeMap;
use std::fs;

use haltsql::{BindValue, Context, Policy, StatementKind, Verdict};
use haltsql_testkit::{Server, Version, in_full, root};
use postgres::Client;

use oracle::{Need, Parameter, Reads};

/// How the comparison went, for one source of queries.
#[derive(Default)]
struct Tally {
    recorded: usize,
    needed: usize,
    /// Why a query could not be compared.
    not: BTreeMap<&'static str, Vec<String>>,
    wrong: Vec<String>,
}

const DENIED: &str = "denied, or allowed in shadow mode alone: columns may be partial";
const NO_READ: &str = "not a read";
const NO_TEXT: &str = "not a text";
const UNCHECKED: &str = "grants: the planner drops the reference before it looks at rights";
const WHOLE_ROW: &str = "grants: functional notation asks for rights to the whole row";

impl Tally {
    fn skip(&mut self, reason: &'static str, id: &str) {
        self.not.entry(reason).or_default().push(id.to_owned());
    }

    /// Compares one query with the server's record and, if `grants`, with what a role needs.
    fn compare(&mut self, client: &mut Client, id: &str, sql: &[u8], verdict: &Verdict, grants: bool) {
        if !verdict.allowed || !verdict.shadow_reasons.is_empty() {
            return self.skip(DENIED, id);
        }
        if verdict.statement_kind != Some(StatementKind::Select) {
            return self.skip(NO_READ, id);
        }
        let Ok(sql) = std::str::from_utf8(sql) else { return self.skip(NO_TEXT, id) };
        let parameters = parameters(verdict);
        let stated = Reads { tables: verdict.tables.clone(), columns: verdict.columns.clone() };
        self.recorded += 1;
        let recorded = oracle::recorded(client, sql, &parameters);
        let equal = recorded.as_ref().is_ok_and(|reads| *reads == stated);
        match recorded {
            Ok(_) if equal => {}
            Ok(reads) => {
                self.wrong.push(format!("{id}: the verdict says {stated:?}\n  the server records {reads:?}\n  {sql}"))
            }
            Err(error) => self.wrong.push(format!("{id}: {error}\n  {sql}")),
        }
        if !grants {
            return;
        }
        match oracle::needed(client, sql, &parameters, &stated) {
            Need::Exactly => self.needed += 1,
            Need::Unchecked(columns) => self.skip(UNCHECKED, &format!("{id} ({})", columns.join(", "))),
            // Only where the server's own record says that nothing is missing.
            Need::WholeRow if equal => self.skip(WHOLE_ROW, id),
            Need::WholeRow => self.wrong.push(format!("{id}: needs more than {:?}\n  {sql}", stated.columns)),
            Need::Wrong(error) => {
                self.wrong.push(format!("{id}: as a role that may read {:?}: {error}\n  {sql}", stated.columns))
            }
        }
    }

    fn finish(self, title: &str) {
        println!(
            "{title}: {} compared with what the server records, {} with what a role needs, {} unequal",
            self.recorded,
            self.needed,
            self.wrong.len()
        );
        for (reason, ids) in &self.not {
            let some: Vec<&str> =
                ids.iter().map(String::as_str).take(if [DENIED, NO_READ].contains(reason) { 0 } else { 20 }).collect();
            println!("  {} not compared: {reason} {some:?}", ids.len());
        }
        assert!(self.recorded > 0, "{title}: nothing was compared");
        assert!(self.wrong.is_empty(), "\n{}\n{} unequal", self.wrong.join("\n"), self.wrong.len());
    }
}

/// The values that the verdict says to bind, with the types that it says to declare.
fn parameters(verdict: &Verdict) -> Vec<Parameter> {
    let last = verdict.bind_params.last().map_or(0, |last| last.param);
    (1..=last)
        .map(|number| {
            let Some(param) = verdict.bind_params.iter().find(|param| param.param == number) else {
                return (String::new(), "text".to_owned());
            };
            let value = match &param.value {
                BindValue::One(value) => value.clone(),
                BindValue::Many(values) => {
                    let quoted =
                        values.iter().map(|value| format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"")));
                    format!("{{{}}}", quoted.collect::<Vec<_>>().join(","))
                }
            };
            (value, param.ty.replace("integer", "bigint"))
        })
        .collect()
}

/// Pins the session as a guard would. Plans need not be good here, only quick: each query is planned once for each of
/// its columns.
fn pinned(client: &mut Client, policy: &Policy) {
    let path: Vec<String> =
        policy.search_path().iter().map(|schema| format!("\"{}\"", schema.replace('"', "\"\""))).collect();
    let path = path.into_iter().chain(["pg_temp".to_owned()]).collect::<Vec<_>>().join(", ");
    let settings = "SET TimeZone = 'UTC'; SET statement_timeout = '20s'; SET geqo_threshold = 5; SET geqo_effort = 1; SET jit = off";
    client.batch_execute(&format!("SET search_path = {path}; {settings}")).unwrap();
}

fn load(server: &Server, name: &str, schema: &str) -> Client {
    server.create_database(name).unwrap();
    let mut client = server.connect(name, "postgres").unwrap();
    client.batch_execute(schema).unwrap_or_else(|error| panic!("{name}: {}", in_full(&error)));
    oracle::prepare(&mut client).unwrap_or_else(|error| panic!("{name}: {}", in_full(&error)));
    client
}

#[test]
fn the_conformance_corpus_reads_what_it_says() {
    let server = Server::start(Version::Pg18).unwrap();
    let policies: BTreeMap<String, Policy> =
        corpus::policy_files().into_iter().map(|(name, text)| (name, Policy::from_yaml(&text).unwrap())).collect();
    let folder = root().join("conformance/databases");
    let mut clients: BTreeMap<&str, Client> = BTreeMap::new();
    let mut tally = Tally::default();
    let cases = corpus::load();
    for case in &cases {
        let prefix = case.body.policy.split('-').next().unwrap();
        let database = if folder.join(prefix).is_dir() { prefix } else { "shop" };
        let client = clients.entry(database).or_insert_with(|| {
            let read = |file: &str| fs::read_to_string(folder.join(database).join(file)).unwrap();
            load(&server, database, &(read("schema.sql") + &read("a.sql")))
        });
        let policy = &policies[&case.body.policy];
        let context = Context::from_json(&case.body.context.to_string()).unwrap();
        let sql = case.sql();
        pinned(client, policy);
        tally.compare(client, &case.id, &sql, &policy.check(&sql, &context), true);
    }
    tally.finish("exact columns, conformance corpus");
}

#[test]
fn what_tools_and_agents_write_reads_what_the_verdict_says() {
    let server = Server::start(Version::Pg18).unwrap();
    let mut tally = Tally::default();
    for world in queries::worlds() {
        let mut client = load(&server, world.name, &world.schema);
        for tenancy in [queries::Tenancy::Bound, queries::Tenancy::Literal] {
            let (policy, context) = (world.policy(tenancy), world.context());
            pinned(&mut client, &policy);
            for query in &world.queries {
                let sql = query.text(&world, tenancy);
                // The two modes differ in `$1` alone, and each column costs a run.
                let grants = tenancy == queries::Tenancy::Bound;
                tally.compare(
                    &mut client,
                    &format!("{} ({tenancy:?})", query.id),
                    sql.as_bytes(),
                    &policy.check(sql.as_bytes(), &context),
                    grants,
                );
            }
        }
    }
    tally.finish("exact columns, alarms");
}

#[test]
fn the_oracle_tells_too_few_and_too_many() {
    let server = Server::start(Version::Pg18).unwrap();
    let mut client =
        load(&server, "bite", "CREATE TABLE public.t (a int, b int, c int); CREATE TABLE public.u (a int)");
    let reads = |tables: &[&str], columns: &[&str]| Reads {
        tables: tables.iter().map(|table| (*table).to_owned()).collect(),
        columns: columns.iter().map(|column| (*column).to_owned()).collect(),
    };
    let value = [("1".to_owned(), "bigint".to_owned())];
    let sql = "SELECT t.a FROM public.t, public.u WHERE t.b = $1;";
    let right = reads(&["public.t", "public.u"], &["public.t.a", "public.t.b"]);
    assert_eq!(oracle::recorded(&mut client, sql, &value).unwrap(), right);
    assert_eq!(oracle::needed(&mut client, sql, &value, &right), Need::Exactly);
    let few = oracle::needed(&mut client, sql, &value, &reads(&["public.t", "public.u"], &["public.t.a"]));
    assert!(matches!(&few, Need::WholeRow), "{few:?}");
    let many = oracle::needed(
        &mut client,
        sql,
        &value,
        &reads(&["public.t", "public.u"], &["public.t.a", "public.t.b", "public.t.c"]),
    );
    assert!(matches!(&many, Need::Wrong(error) if error.contains("public.t.c")), "{many:?}");
    let folded = "SELECT 1 FROM public.t WHERE false AND EXISTS (SELECT a FROM public.u)";
    let dropped = oracle::needed(&mut client, folded, &[], &reads(&["public.t", "public.u"], &["public.u.a"]));
    assert_eq!(dropped, Need::Unchecked(vec!["public.u.a".to_owned()]));
}
