//! No false alarms: what BI tools, ORMs and agents really write is allowed.
//!
//! Each query of `conformance/alarms/` is run on a PostgreSQL 18, which has to take it, and then checked in both modes of
//! tenancy, which have to allow it. A query that is rightly denied stays in its file with the reason, and counts against
//! the share that is printed.

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
use postgres::SimpleQueryMessage;

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

/// What a policy pays that doesn't say which tables it knows in full: stars and bare names that an unlisted column could capture, nothing else.
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
fn every_query_runs_on_postgresql_18() {
    let server = Server::start(Version::Pg18).unwrap();
    let (mut ran, mut empty, mut wrong) = (0, Vec::new(), Vec::new());
    for world in worlds() {
        server.create_database(world.name).unwrap();
        let mut client = server.connect(world.name, "postgres").unwrap();
        client.batch_execute(&world.schema).unwrap_or_else(|error| panic!("{}: {}", world.name, in_full(&error)));
        client.batch_execute("SET search_path = public, pg_temp; SET TimeZone = 'UTC'; SET default_transaction_read_only = on; SET statement_timeout = '10s'").unwrap();
        for query in &world.queries {
            for tenancy in [Tenancy::Bound, Tenancy::Literal] {
                match rows(&mut client, &world, query, tenancy) {
                    Ok(rows) => {
                        ran += 1;
                        if rows == 0 && tenancy == Tenancy::Bound {
                            empty.push(query.id.clone());
                        }
                    }
                    Err(error) => wrong.push(format!(
                        "{} ({tenancy:?}): {}\n{}\n",
                        query.id,
                        in_full(&error),
                        query.text(&world, tenancy)
                    )),
                }
            }
        }
    }
    println!("alarms: {ran} ran, {} of the queries without a row: {empty:?}", empty.len());
    assert!(wrong.is_empty(), "\n{}\n{} failed", wrong.join("\n"), wrong.len());
}

/// Runs a query, its parameter declared as the policy's key is.
fn rows(
    client: &mut postgres::Client,
    world: &World,
    query: &Query,
    tenancy: Tenancy,
) -> Result<usize, postgres::Error> {
    let sql = query.text(world, tenancy);
    let count = |messages: Vec<SimpleQueryMessage>| {
        messages.iter().filter(|message| matches!(message, SimpleQueryMessage::Row(_))).count()
    };
    if tenancy == Tenancy::Literal || !sql.contains("$1") {
        return client.simple_query(&sql).map(count);
    }
    let (ty, value) = world.parameter(query.binds_array());
    client.batch_execute(&format!("PREPARE q ({ty}) AS {sql}"))?;
    let ran = client.simple_query(&format!("EXECUTE q ('{value}')")).map(count);
    client.batch_execute("DEALLOCATE q")?;
    ran
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
