//! Verdicts against [`oracle`]: what could be compared and was unequal, and what could not be compared, by reason.
//!
//! Receives queries with their verdicts. Shared with the random generator's test (`noninterference/tests/exact_columns.rs`),
//! which takes the file as it is; so it needs nothing but `crate::oracle` and `crate::written`.

use std::collections::BTreeMap;

use haltsql::{BindValue, Policy, StatementKind, Verdict};
use haltsql_testkit::{Server, in_full};
use postgres::Client;

use crate::oracle::{self, Need, Parameter, Reads, Written};
use crate::written::written;

/// How the comparison went, for one source of queries.
#[derive(Default)]
pub struct Tally {
    pub recorded: usize,
    pub needed: usize,
    pub writes: usize,
    /// Why a query could not be compared.
    pub not: BTreeMap<&'static str, Vec<String>>,
    pub wrong: Vec<String>,
}

pub const DENIED: &str = "denied, or allowed in shadow mode alone: columns may be partial";
pub const NO_KIND: &str = "neither a query nor a write";
pub const NO_TEXT: &str = "not a text";
pub const UNCHECKED: &str = "grants: the planner drops the reference before it looks at rights";
pub const ONE_OF_TWO: &str = "grants: the planner drops one of a table's references before it looks at rights";
pub const WHOLE_ROW: &str = "grants: functional notation asks for rights to the whole row";

impl Tally {
    pub fn skip(&mut self, reason: &'static str, id: &str) {
        self.not.entry(reason).or_default().push(id.to_owned());
    }

    /// Compares one query with the server's record and, if `grants`, with what a role needs.
    pub fn compare(&mut self, client: &mut Client, id: &str, sql: &[u8], verdict: &Verdict, grants: bool) {
        if !verdict.allowed || !verdict.shadow_reasons.is_empty() {
            return self.skip(DENIED, id);
        }
        let Ok(sql) = std::str::from_utf8(sql) else { return self.skip(NO_TEXT, id) };
        let target = match verdict.statement_kind {
            None => return self.skip(NO_KIND, id),
            Some(StatementKind::Select) => Written::default(),
            Some(StatementKind::Insert | StatementKind::Update | StatementKind::Delete) => {
                self.writes += 1;
                written(client, sql, &verdict.policy.search_path)
            }
        };
        let parameters = parameters(verdict);
        let stated = Reads { tables: verdict.tables.clone(), columns: verdict.columns.clone() };
        self.recorded += 1;
        let recorded = oracle::recorded(client, sql, &parameters);
        // The server records what is written as it records what is read.
        let mut all = stated.clone();
        all.columns.extend(target.columns.iter().cloned());
        all.columns.sort_unstable();
        all.columns.dedup();
        let equal = recorded.as_ref().is_ok_and(|reads| *reads == all);
        match recorded {
            Ok(_) if equal => {}
            Ok(reads) => {
                self.wrong.push(format!("{id}: the verdict says {all:?}\n  the server records {reads:?}\n  {sql}"))
            }
            Err(error) => self.wrong.push(format!("{id}: {error}\n  {sql}")),
        }
        if !grants {
            return;
        }
        match oracle::needed(client, sql, &parameters, &stated, &target) {
            Need::Exactly => self.needed += 1,
            Need::Unchecked(columns) => self.skip(UNCHECKED, &format!("{id} ({})", columns.join(", "))),
            // Only where the server's own record says that nothing is missing.
            Need::WholeRow if equal => self.skip(WHOLE_ROW, id),
            Need::Without(column) if equal => self.skip(ONE_OF_TWO, &format!("{id} ({column})")),
            Need::Without(column) => self.wrong.push(format!("{id}: it runs without {column}\n  {sql}")),
            Need::WholeRow => self.wrong.push(format!("{id}: needs more than {:?}\n  {sql}", stated.columns)),
            Need::Wrong(error) => {
                self.wrong.push(format!("{id}: as a role that may read {:?}: {error}\n  {sql}", stated.columns))
            }
        }
    }

    /// Prints the figures; fails where something is unequal, or was left out for a reason that is not in the list.
    pub fn finish(self, title: &str, reasons: &[&str]) {
        println!(
            "{title}: {} compared with what the server records ({} of them writes), {} with what a role needs, {} unequal",
            self.recorded,
            self.writes,
            self.needed,
            self.wrong.len()
        );
        for (reason, ids) in &self.not {
            let some: Vec<&str> =
                ids.iter().map(String::as_str).take(if [DENIED, NO_KIND].contains(reason) { 0 } else { 20 }).collect();
            println!("  {} not compared: {reason} {some:?}", ids.len());
        }
        let others: Vec<_> = self.not.iter().filter(|(reason, _)| !reasons.contains(reason)).collect();
        assert!(others.is_empty(), "{title}: left out for reasons that are not listed: {others:?}");
        assert!(self.recorded > 0, "{title}: nothing was compared");
        assert!(self.wrong.is_empty(), "\n{}\n{} unequal", self.wrong.join("\n"), self.wrong.len());
    }
}

/// The values that the verdict says to bind, with the types that it says to declare.
pub fn parameters(verdict: &Verdict) -> Vec<Parameter> {
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
pub fn pinned(client: &mut Client, policy: &Policy) {
    let path: Vec<String> =
        policy.search_path().iter().map(|schema| format!("\"{}\"", schema.replace('"', "\"\""))).collect();
    let path = path.into_iter().chain(["pg_temp".to_owned()]).collect::<Vec<_>>().join(", ");
    let settings = "SET TimeZone = 'UTC'; SET statement_timeout = '20s'; SET geqo_threshold = 5; SET geqo_effort = 1; SET jit = off";
    client.batch_execute(&format!("SET search_path = {path}; {settings}")).unwrap();
}

pub fn load(server: &Server, name: &str, schema: &str) -> Client {
    server.create_database(name).unwrap();
    let mut client = server.connect(name, "postgres").unwrap();
    client.batch_execute(schema).unwrap_or_else(|error| panic!("{name}: {}", in_full(&error)));
    oracle::prepare(&mut client).unwrap_or_else(|error| panic!("{name}: {}", in_full(&error)));
    client
}
