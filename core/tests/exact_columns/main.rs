//! The tables and columns of a verdict are exactly what PostgreSQL 18 records as read, and exactly what a role needs.
//!
//! For every allowed query and write of the conformance corpus and of `conformance/alarms/`. What can't be compared is counted by
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
mod tally;
mod written;

use std::collections::BTreeMap;
use std::fs;

use haltsql::{Context, Policy};
use haltsql_testkit::{Server, Version, root};
use postgres::Client;

use oracle::{Need, Reads, Written};
use tally::{DENIED, NO_KIND, NO_TEXT, Tally, UNCHECKED, WHOLE_ROW, load, pinned};

const NO_SERVER: &str = "no server of the tests has the extension";

/// Why queries of these sources can't be compared.
const REASONS: &[&str] = &[DENIED, NO_KIND, NO_SERVER, NO_TEXT, UNCHECKED, WHOLE_ROW];

#[test]
fn the_conformance_corpus_reads_what_it_says() {
    let server = Server::start(Version::Pg18).unwrap();
    let with_vector = Server::start(Version::Demo).unwrap();
    let policies: BTreeMap<String, Policy> =
        corpus::policy_files().into_iter().map(|(name, text)| (name, Policy::from_yaml(&text).unwrap())).collect();
    let folder = root().join("conformance/databases");
    let mut clients: BTreeMap<&str, Client> = BTreeMap::new();
    let mut tally = Tally::default();
    let cases = corpus::load();
    for case in &cases {
        let prefix = case.body.policy.split('-').next().unwrap();
        let database = if folder.join(prefix).is_dir() { prefix } else { "shop" };
        let server = match fs::read_to_string(folder.join(database).join("server")).as_deref() {
            Ok("demo\n") => &with_vector,
            Ok("by hand\n") => {
                tally.skip(NO_SERVER, &case.id);
                continue;
            }
            Ok(other) => panic!("{database}: `{other}` is no server"),
            Err(_) => &server,
        };
        let client = clients.entry(database).or_insert_with(|| {
            let read = |file: &str| fs::read_to_string(folder.join(database).join(file)).unwrap();
            load(server, database, &(read("schema.sql") + &read("a.sql")))
        });
        let policy = &policies[&case.body.policy];
        let context = Context::from_json(&case.body.context.to_string()).unwrap();
        let sql = case.sql();
        pinned(client, policy);
        tally.compare(client, &case.id, &sql, &policy.check(&sql, &context), true);
    }
    tally.finish("exact columns, conformance corpus", REASONS);
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
    tally.finish("exact columns, alarms", REASONS);
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
    let none = Written::default();
    assert_eq!(oracle::needed(&mut client, sql, &value, &right, &none), Need::Exactly);
    let few = oracle::needed(&mut client, sql, &value, &reads(&["public.t", "public.u"], &["public.t.a"]), &none);
    assert!(matches!(&few, Need::WholeRow), "{few:?}");
    let many = oracle::needed(
        &mut client,
        sql,
        &value,
        &reads(&["public.t", "public.u"], &["public.t.a", "public.t.b", "public.t.c"]),
        &none,
    );
    assert!(matches!(&many, Need::Without(column) if column == "public.t.c"), "{many:?}");
    let folded = "SELECT 1 FROM public.t WHERE false AND EXISTS (SELECT a FROM public.u)";
    let dropped = oracle::needed(&mut client, folded, &[], &reads(&["public.t", "public.u"], &["public.u.a"]), &none);
    assert_eq!(dropped, Need::Unchecked(vec!["public.u.a".to_owned()]));
}

#[test]
fn the_oracle_tells_too_few_and_too_many_rights_to_write() {
    let server = Server::start(Version::Pg18).unwrap();
    let mut client =
        load(&server, "bite", "CREATE TABLE public.t (a int, b int, c int); CREATE TABLE public.u (z int, a int)");
    let path = ["public".to_owned()];
    let reads = |tables: &[&str], columns: &[&str]| Reads {
        tables: tables.iter().map(|table| (*table).to_owned()).collect(),
        columns: columns.iter().map(|column| (*column).to_owned()).collect(),
    };
    for (sql, right) in [
        ("INSERT INTO t (a, b) SELECT a, 1 FROM u", reads(&["public.t", "public.u"], &["public.u.a"])),
        ("INSERT INTO t (a, b) VALUES (1, 2)", reads(&["public.t"], &[])),
        ("UPDATE t SET a = 1", reads(&["public.t"], &[])),
        ("UPDATE t SET (a, b) = (c, 1)", reads(&["public.t"], &["public.t.c"])),
        ("DELETE FROM t WHERE b = 1 RETURNING c", reads(&["public.t"], &["public.t.b", "public.t.c"])),
    ] {
        let target = written::written(&mut client, sql, &path);
        assert_eq!(oracle::needed(&mut client, sql, &[], &right, &target), Need::Exactly, "{sql}");
        let many = Written { columns: [&target.columns[..], &["public.t.c".to_owned()]].concat(), ..target.clone() };
        if target.right != "DELETE" {
            let found = oracle::needed(&mut client, sql, &[], &right, &many);
            assert_eq!(found, Need::Wrong(format!("it runs without {} public.t.c", target.right)), "{sql}");
            let few = Written { columns: target.columns[1..].to_vec(), ..target.clone() };
            let found = oracle::needed(&mut client, sql, &[], &right, &few);
            assert!(matches!(&found, Need::Wrong(error) if error.contains("permission denied")), "{sql}: {found:?}");
        }
        let unread = Reads { columns: Vec::new(), ..right.clone() };
        if !right.columns.is_empty() {
            let found = oracle::needed(&mut client, sql, &[], &unread, &target);
            assert!(!matches!(found, Need::Exactly), "{sql}: {found:?}");
        }
    }
}
