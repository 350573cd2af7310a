//! The profiles against a live PostgreSQL 18: that they say of the server what is true, and that what `core` promises holds:
//! every function runs under a role without rights, in a read-only transaction, and returns the same for the same arguments
//! whatever the tables, the role and the database are.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod calls;
mod extensions;
mod files;
mod samples;
mod server;
mod suite;

use std::collections::BTreeSet;

use haltsql_testkit::Version;
use postgres::Client;
use server::Server;
use suite::{Suite, column};

/// Casts in function notation without a function: `pg_proc` has no such name.
const CASTS: [&str; 4] = ["inet", "jsonb", "jsonpath", "uuid"];

/// Ways to call a listed name that the server has and the profiles shut out: name and argument count.
const SHUT: [(&str, usize); 8] = [
    ("bpchar", 3),
    ("interval", 2),
    ("numeric", 2),
    ("polygon", 2),
    ("time", 2),
    ("timetz", 2),
    ("ts_rewrite", 2),
    ("varchar", 3),
];

/// Signatures of listed names that only a type of no profile reaches. They are harmless where a table has such a column.
const UNREACHED: [&str; 13] = [
    "age(xid)",
    "int8(oid)",
    "max(anyenum)",
    "max(oid)",
    "max(pg_lsn)",
    "max(tid)",
    "max(xid8)",
    "min(anyenum)",
    "min(oid)",
    "min(pg_lsn)",
    "min(tid)",
    "min(xid8)",
    "text(xml)",
];

#[test]
fn profiles_hold_on_a_live_server() {
    let server = Server::start(Version::Pg18);
    let mut admin = server.connect("postgres", "postgres");
    let suite = Suite {
        schema: "pg_catalog",
        entries: files::entries(),
        casts: &CASTS,
        shut: &SHUT,
        unreached: &UNREACHED,
        data_errors: &[],
        extensions: &[],
    };
    let signatures = suite.signatures(&mut admin);
    every_name_stands_in_one_place(&mut admin);
    suite.metadata_is_the_servers(&signatures);
    operators_types_and_collations_exist(&mut admin);
    suite.functions_depend_on_their_arguments_alone(&server, &mut admin, &signatures);
}

#[test]
fn fuzzy_holds_on_a_live_server() {
    extensions::hold("fuzzy", &Server::start(Version::Pg18));
}

#[test]
fn vector_holds_on_a_live_server() {
    extensions::hold("vector", &Server::start(Version::Demo));
}

/// What docs/profiles.md warns of, and a database has to keep clear of: an approximate index over several tenants' rows lets
/// the neighbours' rows decide which of the caller's come back, or how many. An exact search and a partial index do not.
#[test]
fn an_approximate_index_lets_the_neighbours_decide() {
    let server = Server::start(Version::Demo);
    let mut admin = server.connect("postgres", "postgres");
    admin
        .batch_execute(
            "CREATE EXTENSION vector SCHEMA public; SET search_path = public; CREATE TABLE d (id int, tenant_id text, e vector(3));
            INSERT INTO d SELECT n, 'acme', format('[%s,0,0]', 10 + n)::vector FROM generate_series(1, 5) n",
        )
        .unwrap();
    let nearest = "SELECT string_agg(id::text, ',') FROM
        (SELECT id FROM d WHERE tenant_id = 'acme' ORDER BY e <-> '[0,0,0]' LIMIT 3) q";
    let neighbours =
        "INSERT INTO d SELECT n, 'globex', format('[%s,0.001,0]', n * 0.001)::vector FROM generate_series(1, 1000) n";
    let found = |admin: &mut Client| calls::run(admin, nearest).unwrap().remove(0).remove(0);

    admin
        .batch_execute("CREATE INDEX d_approximate ON d USING hnsw (e vector_l2_ops); SET enable_seqscan = off")
        .unwrap();
    assert_eq!(found(&mut admin).as_deref(), Some("1,2,3"), "no neighbours yet");
    admin.batch_execute(neighbours).unwrap();
    assert_ne!(found(&mut admin).as_deref(), Some("1,2,3"), "the index no longer answers for everybody: mend the docs");

    admin.batch_execute("DROP INDEX d_approximate").unwrap();
    assert_eq!(found(&mut admin).as_deref(), Some("1,2,3"), "an exact search");
    admin.batch_execute("CREATE INDEX d_partial ON d USING hnsw (e vector_l2_ops) WHERE tenant_id = 'acme'").unwrap();
    assert_eq!(found(&mut admin).as_deref(), Some("1,2,3"), "an index over the caller's rows alone");
}

fn every_name_stands_in_one_place(admin: &mut Client) {
    let places = files::places();
    let ours = |object: &str| {
        let names = places.keys().filter(|key| key.0 == object).map(|key| key.1.to_owned());
        names.filter(|name| object != "function" || !CASTS.contains(&&**name)).collect::<BTreeSet<_>>()
    };
    let of = |table: &str, name: &str, schema: &str| {
        format!(
            "SELECT DISTINCT {name} FROM pg_catalog.{table} o WHERE {schema} = 'pg_catalog'::pg_catalog.regnamespace"
        )
    };
    assert_eq!(ours("function"), column(admin, &of("pg_proc", "proname", "pronamespace")));
    assert_eq!(ours("operator"), column(admin, &of("pg_operator", "oprname", "oprnamespace")));
    let types = of("pg_type", "typname", "typnamespace")
        + " AND NOT EXISTS (SELECT FROM pg_catalog.pg_type e WHERE e.typarray = o.oid)";
    assert_eq!(ours("type"), column(admin, &types));
    for cast in CASTS {
        assert!(places.contains_key(&("type", cast)) && places.contains_key(&("function", cast)), "{cast}");
    }
}

fn operators_types_and_collations_exist(admin: &mut Client) {
    let entries = files::entries();
    let named = |object: &str| entries.iter().filter(|entry| entry.object == object).cloned().collect::<Vec<_>>();
    let types = named("type").iter().map(|entry| format!("'{}'", entry.name)).collect::<Vec<_>>().join(", ");
    // An operand's type or an array's element is in a profile, or polymorphic.
    let fits = |operand: &str| {
        format!(
            "(o.{operand} = 0 OR EXISTS (SELECT FROM pg_catalog.pg_type t LEFT JOIN pg_catalog.pg_type e ON e.typarray = t.oid
            WHERE t.oid = o.{operand} AND (coalesce(e.typname, t.typname) IN ({types}) OR t.typname LIKE 'any%')))"
        )
    };
    let query = format!(
        "SELECT o.oprname || ' ' || CASE o.oprkind WHEN 'l' THEN 'prefix' ELSE 'infix' END FROM pg_catalog.pg_operator o
        WHERE o.oprnamespace = 'pg_catalog'::pg_catalog.regnamespace AND {} AND {}",
        fits("oprleft"),
        fits("oprright")
    );
    let usable = column(admin, &query);
    for operator in named("operator") {
        for kind in operator.kind.split(' ') {
            assert!(usable.contains(&format!("{} {kind}", operator.name)), "{operator:?}");
        }
    }
    let arrays = column(
        admin,
        "SELECT t.typname || ' ' || coalesce(a.typname, '-') FROM pg_catalog.pg_type t LEFT JOIN pg_catalog.pg_type a ON a.oid = t.typarray
        WHERE t.typnamespace = 'pg_catalog'::pg_catalog.regnamespace",
    );
    for ty in named("type") {
        assert!(arrays.contains(&format!("{} {}", ty.name, ty.mark("array:").unwrap_or("-"))), "{ty:?}");
    }
    for collation in named("collation") {
        let query = format!("SELECT 'b' < 'a' COLLATE pg_catalog.\"{}\"", collation.name);
        assert_eq!(calls::run(admin, &query), Ok(vec![vec![Some("f".into())]]), "{collation:?}");
    }
}
