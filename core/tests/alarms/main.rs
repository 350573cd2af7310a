//! No false alarms: what BI tools, ORMs and agents really write is allowed.
//!
//! Each query of `conformance/alarms/` is run on a PostgreSQL 18, which has to take it, and then checked in both modes
//! of tenancy, which have to allow it. A query that is rightly denied stays in its file with the reason, and counts
//! against the share that is printed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[allow(dead_code, reason = "another test's module")]
#[path = "../conformance/case.rs"]
mod case;
#[allow(dead_code, reason = "another test's module")]
#[path = "../conformance/corpus.rs"]
mod corpus;
mod grammar;
mod queries;

use std::collections::{BTreeMap, BTreeSet};

use haltsql::{Policy, ReasonCode, Verdict};
use haltsql_testkit::{Server, Version, in_full};
use postgres::{Client, SimpleQueryMessage};

use queries::{Query, Refused, Tenancy, World, worlds};

#[test]
fn what_tools_and_agents_write_is_allowed() {
    let (mut asked, mut allowed, mut wrong) = (0, 0, Vec::new());
    let mut families: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for world in worlds() {
        let context = world.context();
        let modes = [Tenancy::Bound, Tenancy::Literal].map(|tenancy| (tenancy, world.policy(tenancy)));
        for query in &world.queries {
            let mut in_both = true;
            for (tenancy, policy) in &modes {
                let sql = query.text(&world, *tenancy);
                let verdict = policy.check(sql.as_bytes(), &context);
                in_both &= verdict.allowed;
                if let Some(problem) = differs(query.refused(*tenancy), &verdict) {
                    wrong.push(format!("{} ({tenancy:?}): {problem}\n{sql}\n", query.id));
                }
            }
            let family = families.entry(format!("{}/{}", world.name, query.family)).or_default();
            asked += 1;
            family.1 += 1;
            if in_both {
                allowed += 1;
                family.0 += 1;
            }
        }
    }
    for (family, (allowed, asked)) in &families {
        println!("  {family}: {allowed} of {asked}");
    }
    println!("alarms: {allowed} of {asked} allowed in both modes of tenancy");
    assert!(wrong.is_empty(), "\n{}\n{} wrong", wrong.join("\n"), wrong.len());
}

/// What is not as the file says: allowed, or denied with exactly these codes.
fn differs(refused: Option<&Refused>, verdict: &Verdict) -> Option<String> {
    let stated: BTreeSet<&str> = refused.iter().flat_map(|refused| &refused.codes).map(String::as_str).collect();
    let mut codes: BTreeSet<&str> = verdict.reasons.iter().map(|reason| reason.code.as_str()).collect();
    if !stated.is_empty() && !stated.contains("E_PARAM_UNBOUND") {
        // What isn't proven binds nothing: in bound mode that comes on top.
        codes.remove("E_PARAM_UNBOUND");
    }
    if codes == stated {
        return None;
    }
    let reasons: Vec<String> = verdict
        .reasons
        .iter()
        .map(|reason| {
            format!(
                "\n  {} at {:?}: {} ({})",
                reason.code.as_str(),
                reason.loc,
                reason.message,
                reason.hint.as_deref().unwrap_or("no hint")
            )
        })
        .collect();
    let why = refused.map_or("", |refused| &refused.why);
    Some(format!("stated {stated:?} {why}, the verdict:{}", reasons.concat()))
}

#[test]
fn a_caller_of_two_tenants_is_served_as_well() {
    let (mut asked, mut wrong) = (0, Vec::new());
    for world in worlds() {
        let policy = world.policy(Tenancy::Bound);
        for query in world.queries.iter().filter(|query| query.refused.is_none()) {
            let Some(sql) = query.text_for_many() else { continue };
            asked += 1;
            let verdict = policy.check(sql.as_bytes(), &world.context_of_two());
            wrong.extend((!verdict.allowed).then(|| format!("{}: {:?}\n{sql}\n", query.id, verdict.reasons)));
        }
    }
    println!("alarms: {} of {asked} allowed with `= ANY($1)` for two tenants", asked - wrong.len());
    assert!(asked > 400 && wrong.is_empty(), "\n{}\n{} wrong", wrong.join("\n"), wrong.len());
}

/// What a policy pays that doesn't say which tables it knows in full: stars and bare names that an unlisted column
/// could capture, nothing else.
#[test]
fn incomplete_tables_cost_stars_and_bare_names_alone() {
    let (mut asked, mut allowed, mut wrong) = (0, 0, Vec::new());
    for world in worlds() {
        let (complete, incomplete) = (world.policy(Tenancy::Bound), world.incomplete(Tenancy::Bound));
        for query in &world.queries {
            let check = |policy: &Policy| policy.check(query.sql.as_bytes(), &world.context());
            let verdict = check(&incomplete);
            asked += 1;
            allowed += usize::from(verdict.allowed);
            let may = [ReasonCode::Star, ReasonCode::ColumnAmbiguous];
            if check(&complete).allowed && !verdict.reasons.iter().all(|reason| may.contains(&reason.code)) {
                wrong.push(format!("{}: {:?}\n{}\n", query.id, verdict.reasons, query.sql));
            }
        }
    }
    println!("alarms: {allowed} of {asked} allowed where no table is declared complete");
    assert!(wrong.is_empty(), "\n{}\n{} wrong", wrong.join("\n"), wrong.len());
    assert!(allowed * 10 > asked * 9, "a policy without complete tables should still be of use");
}

#[test]
fn every_query_runs_on_postgresql_18_and_reads_no_neighbour() {
    let server = Server::start(Version::Pg18).unwrap();
    let (mut ran, mut empty, mut wrong) = (0, Vec::new(), Vec::new());
    for world in worlds() {
        let mut client = loaded(&server, &world, world.name);
        let mut alone = loaded(&server, &world, &format!("{}_alone", world.name));
        alone
            .batch_execute(&world.without_neighbours())
            .unwrap_or_else(|error| panic!("{}: {}", world.name, in_full(&error)));
        let size =
            "SELECT sum(reltuples)::bigint FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'";
        let [with, without] =
            [&mut client, &mut alone].map(|client| client.query_one(size, &[]).unwrap().get::<_, i64>(0));
        assert!(without > 0 && without < with, "{}: {with} rows with neighbours, {without} without", world.name);
        for query in &world.queries {
            for tenancy in [Tenancy::Bound, Tenancy::Literal] {
                let problem = match rows(&mut client, &world, query, tenancy) {
                    Ok(found) => {
                        ran += 1;
                        if found.is_empty() && tenancy == Tenancy::Bound {
                            empty.push(query.id.clone());
                        }
                        let left = rows(&mut alone, &world, query, tenancy).unwrap();
                        (query.refused(tenancy).is_none() && found != left).then(|| {
                            format!("{} rows with neighbours, {} without, or other ones", found.len(), left.len())
                        })
                    }
                    Err(error) => Some(in_full(&error)),
                };
                if let Some(problem) = problem {
                    wrong.push(format!("{} ({tenancy:?}): {problem}\n{}\n", query.id, query.text(&world, tenancy)));
                }
            }
        }
    }
    println!("alarms: {ran} ran, {} of the queries without a row: {empty:?}", empty.len());
    assert!(wrong.is_empty(), "\n{}\n{} failed", wrong.join("\n"), wrong.len());
}

/// A new database with the world's tables, and a session as a guard pins it.
fn loaded(server: &Server, world: &World, name: &str) -> Client {
    server.create_database(name).unwrap();
    let mut client = server.connect(name, "postgres").unwrap();
    client.batch_execute(&world.schema).unwrap_or_else(|error| panic!("{name}: {}", in_full(&error)));
    client
        .batch_execute("SET search_path = public, pg_temp; SET TimeZone = 'UTC'; SET statement_timeout = '10s'")
        .unwrap();
    client
}

/// Runs a query in a read-only transaction, its parameter declared as the policy's key is; the rows, sorted.
fn rows(
    client: &mut Client,
    world: &World,
    query: &Query,
    tenancy: Tenancy,
) -> Result<Vec<Vec<Option<String>>>, postgres::Error> {
    let sql = query.text(world, tenancy);
    let bound = tenancy == Tenancy::Bound && sql.contains("$1");
    let run = if bound {
        let (ty, value) = world.parameter(query.binds_array());
        client.batch_execute(&format!("PREPARE q ({ty}) AS {sql}"))?;
        format!("EXECUTE q ('{value}')")
    } else {
        sql
    };
    client.batch_execute("BEGIN READ ONLY")?;
    let messages = client.simple_query(&run);
    client.batch_execute("ROLLBACK")?;
    if bound {
        client.batch_execute("DEALLOCATE q")?;
    }
    let mut rows: Vec<Vec<Option<String>>> = messages?
        .iter()
        .filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some((0..row.len()).map(|at| row.get(at).map(str::to_owned)).collect()),
            _ => None,
        })
        .collect();
    rows.sort();
    Ok(rows)
}

#[test]
fn the_corpus_is_as_large_as_it_has_to_be() {
    let mut ids = BTreeSet::new();
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    let worlds = worlds();
    for world in &worlds {
        for query in &world.queries {
            assert!(ids.insert(&query.id), "{}: twice", query.id);
            assert!(
                query.refused.as_ref().is_none_or(|refused| !refused.why.is_empty()),
                "{}: refused without a reason",
                query.id
            );
            *count.entry(world.name).or_default() += 1;
        }
    }
    assert!(count["saas"] >= 200 && count["tpch"] == 22 && count["tpcds"] >= 70, "{count:?}");
}
