//! The profiles against a live PostgreSQL 18: that they say of the server what is true, and that what `core` promises holds:
//! every function runs under a role without rights, in a read-only transaction, and returns the same for the same arguments
//! whatever the tables, the role and the database are.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod calls;
mod files;
mod samples;
mod server;

use std::collections::{BTreeMap, BTreeSet};

use calls::{Outcome, Signature};
use postgres::Client;
use server::Server;

/// Counts are compared up to this number of arguments: VARIADIC has no end.
const MOST: usize = 9;

/// They tell the time: another result at each call.
const CLOCK: [&str; 5] = ["clock_timestamp", "now", "statement_timestamp", "timeofday", "transaction_timestamp"];

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
    let server = Server::start();
    let mut admin = server.connect("postgres", "postgres");
    let signatures = signatures(&mut admin);
    every_name_stands_in_one_place(&mut admin);
    metadata_is_the_servers(&signatures);
    operators_types_and_collations_exist(&mut admin);
    functions_depend_on_their_arguments_alone(&server, &mut admin, &signatures);
}

fn column(client: &mut Client, query: &str) -> BTreeSet<String> {
    calls::run(client, query).unwrap().into_iter().map(|mut row| row.remove(0).unwrap()).collect()
}

/// All signatures of all names that a profile lists.
fn signatures(client: &mut Client) -> Vec<Signature> {
    let listed = files::places().into_iter().filter(|(key, place)| key.0 == "function" && *place != "out");
    let listed = listed.map(|((_, name), _)| name).collect::<BTreeSet<_>>();
    let query = "SELECT p.proname, coalesce(a.aggkind, p.prokind), p.proretset,
        coalesce((SELECT string_agg(p.proargnames[i], ',' ORDER BY i) FROM generate_subscripts(p.proargmodes, 1) i
            WHERE p.proargmodes[i] = 'o'), ''),
        r.typname,
        coalesce((SELECT string_agg(CASE WHEN t.at = p.pronargs AND p.provariadic <> 0 THEN v.typname ELSE y.typname END, ' ' ORDER BY t.at)
            FROM unnest(p.proargtypes) WITH ORDINALITY t(oid, at) JOIN pg_type y ON y.oid = t.oid
            LEFT JOIN pg_type v ON v.oid = p.provariadic), ''),
        p.provariadic <> 0, p.pronargdefaults, coalesce(a.aggnumdirectargs, 0)
        FROM pg_proc p JOIN pg_type r ON r.oid = p.prorettype LEFT JOIN pg_aggregate a ON a.aggfnoid = p.oid
        WHERE p.pronamespace = 'pg_catalog'::regnamespace ORDER BY p.proname, p.oid";
    let words = |text: &str, separator: char| {
        text.split(separator).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    calls::run(client, query)
        .unwrap()
        .into_iter()
        .map(|row| row.into_iter().map(Option::unwrap).collect::<Vec<_>>())
        .filter(|row| listed.contains(&*row[0]))
        .map(|row| Signature {
            name: row[0].clone(),
            kind: row[1].clone(),
            returns_set: row[2] == "t",
            columns: words(&row[3], ','),
            result: row[4].clone(),
            types: words(&row[5], ' '),
            variadic: row[6] == "t",
            defaults: row[7].parse().unwrap(),
            direct: row[8].parse().unwrap(),
        })
        .collect()
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

/// (name, arguments, kind, returns a set, OUT columns, needs a definition list, returns a catalogue type)
type Fact = (String, usize, &'static str, bool, Vec<String>, bool, bool);

fn metadata_is_the_servers(signatures: &[Signature]) {
    let mut servers = BTreeSet::<Fact>::new();
    for signature in signatures {
        let kind = match &*signature.kind {
            "f" => "plain",
            "w" => "window",
            "n" => "aggregate",
            "o" | "h" => "within-group",
            other => panic!("{other}"),
        };
        let open = signature.result == "record"
            && signature.columns.is_empty()
            && !signature.types.iter().any(|ty| ty == "record");
        for count in signature.counts(MOST) {
            let shut = SHUT.contains(&(&*signature.name, count));
            let catalogue = signature.result.starts_with("reg");
            if !shut {
                let columns = signature.columns.clone();
                servers.insert((signature.name.clone(), count, kind, signature.returns_set, columns, open, catalogue));
            }
        }
    }
    let mut ours = BTreeSet::<Fact>::new();
    for entry in files::entries().iter().filter(|entry| entry.object == "function" && !CASTS.contains(&entry.name)) {
        let split = |list: &str| list.split(',').filter(|column| *column != "-").map(str::to_owned).collect::<Vec<_>>();
        let open = entry.marks.contains(&"definition-list");
        let catalogue = entry.marks.contains(&"as-text");
        let ways = std::iter::once(entry.columns).chain(entry.mark("or-columns:"));
        for (columns, count) in
            ways.flat_map(|columns| entry.counts(MOST).into_iter().map(move |count| (columns, count)))
        {
            let fact =
                (entry.name.to_owned(), count, entry.kind, entry.returns == "set", split(columns), open, catalogue);
            assert!(ours.insert(fact), "{entry:?} says it twice");
        }
    }
    assert_eq!(ours.difference(&servers).collect::<Vec<_>>(), Vec::<&Fact>::new(), "what the server does not say");
    assert_eq!(servers.difference(&ours).collect::<Vec<_>>(), Vec::<&Fact>::new(), "what the profiles do not say");
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

const PREPARE: &str = "
    CREATE SCHEMA app;
    CREATE TABLE app.orders (id int8 PRIMARY KEY, tenant_id text, total numeric);
    INSERT INTO app.orders SELECT n, 'acme', n FROM generate_series(1, 100) n;
    REVOKE ALL ON ALL TABLES IN SCHEMA pg_catalog, information_schema FROM PUBLIC;
    REVOKE ALL ON SCHEMA public, information_schema FROM PUBLIC;
";

const CHANGE: &str = "
    INSERT INTO app.orders SELECT n, 'globex', -n FROM generate_series(101, 5000) n;
    DELETE FROM app.orders WHERE id < 50;
    ALTER TABLE app.orders ADD COLUMN note text DEFAULT 'x';
    CREATE TYPE app.english AS ENUM ('a', 'b');
    CREATE TABLE app.customers (id int8, name text);
    ANALYZE;
";

fn functions_depend_on_their_arguments_alone(server: &Server, admin: &mut Client, signatures: &[Signature]) {
    admin
        .batch_execute(
            "CREATE ROLE reader LOGIN; CREATE ROLE stranger LOGIN; REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC",
        )
        .unwrap();
    admin.batch_execute("SET search_path = pg_catalog").unwrap();
    admin.batch_execute(PREPARE).unwrap();
    admin.batch_execute("CREATE DATABASE elsewhere TEMPLATE template0").unwrap();
    server
        .connect("postgres", "elsewhere")
        .batch_execute(&format!("SET search_path = pg_catalog; {PREPARE} {CHANGE}"))
        .unwrap();

    let mut reader = server.connect("reader", "postgres");
    the_reader_has_no_rights(&mut reader);
    let plan = plan(signatures);
    let before = outcomes(&mut reader, &plan);
    admin.batch_execute(CHANGE).unwrap();
    let after = outcomes(&mut server.connect("stranger", "postgres"), &plan);
    let other = outcomes(&mut server.connect("reader", "elsewhere"), &plan);

    let mut changed = Vec::new();
    let mut succeeded = BTreeMap::<&str, usize>::new();
    let mut refused = 0;
    let mut wrong = Vec::new();
    for (at, call) in plan.iter().enumerate() {
        let successes = succeeded.entry(&call.signature).or_default();
        match &before[at] {
            Ok(_) => *successes += 1,
            // Data errors, and a value that the server's encoding or this type cannot have: they depend on the arguments.
            Err((code, _)) if code.starts_with("22") || code == "0A000" => refused += 1,
            Err((code, message)) => wrong.push(format!("{code} {message}: {}", call.statement)),
        }
        if call.repeatable && (before[at] != after[at] || before[at] != other[at]) {
            changed.push(format!("{}: {:?}, {:?}, {:?}", call.statement, before[at], after[at], other[at]));
        }
    }
    assert!(wrong.is_empty(), "{} calls failed otherwise than by their data:\n{}", wrong.len(), wrong.join("\n"));
    assert!(changed.is_empty(), "{} results changed:\n{}", changed.len(), changed.join("\n"));
    let never = succeeded.iter().filter(|(_, count)| **count == 0).map(|(name, _)| *name).collect::<Vec<_>>();
    assert_eq!(never, [""; 0], "no call of these succeeded");
    println!("{} signatures, {} calls, {refused} refused by their data", succeeded.len(), plan.len());
}

/// The harness itself: the reader can read no table, the transaction is read-only, and a result that does depend on the
/// database or the role is seen as different.
fn the_reader_has_no_rights(reader: &mut Client) {
    let code = |outcome: Outcome| outcome.map_err(|(code, _)| code);
    for relation in ["app.orders", "pg_catalog.pg_class", "pg_catalog.pg_settings", "information_schema.tables"] {
        assert_eq!(
            code(calls::run(reader, &format!("SELECT 1 FROM {relation}"))),
            Err("42501".to_owned()),
            "{relation}"
        );
    }
    assert_eq!(calls::run(reader, "SHOW transaction_read_only"), Ok(vec![vec![Some("on".to_owned())]]));
    assert_eq!(code(calls::run(reader, "CREATE TABLE public.t (a int)")), Err("25006".to_owned()));
    assert_eq!(
        calls::run(reader, "SELECT current_database(), current_user::text"),
        Ok(vec![vec![Some("postgres".into()), Some("reader".into())]])
    );
}

struct Call {
    signature: String,
    statement: String,
    /// The same arguments must give the same result.
    repeatable: bool,
}

fn plan(signatures: &[Signature]) -> Vec<Call> {
    let entries = files::entries();
    let mut plan = Vec::new();
    let mut unreached = BTreeSet::new();
    for signature in signatures {
        let entry = |count| {
            entries.iter().find(|entry| {
                entry.object == "function" && entry.name == signature.name && entry.counts(MOST).contains(&count)
            })
        };
        // Three VARIADIC arguments tell as much as nine, and four of a hypothetical-set aggregate.
        let most = if signature.kind == "h" { 4 } else { signature.types.len() + 2 };
        let counts =
            signature.counts(most).into_iter().filter_map(|count| Some((count, entry(count)?))).collect::<Vec<_>>();
        let mut calls = Vec::new();
        for (count, entry) in &counts {
            let repeatable =
                entry.profile != "random" && !CLOCK.contains(&entry.name) && (entry.name, *count) != ("age", 1);
            let statements = signature.statements(*count, entry.marks.contains(&"definition-list"));
            calls.extend(statements.into_iter().map(|statement| Call {
                signature: signature.display(),
                statement,
                repeatable,
            }));
        }
        if calls.is_empty() && !counts.is_empty() {
            unreached.insert(signature.display());
        }
        plan.extend(calls);
    }
    for cast in CASTS {
        for value in samples::of_type(cast).unwrap() {
            let text = value.rsplit_once("::").unwrap().0;
            let statement = format!("SELECT pg_catalog.{cast}({text})");
            plan.push(Call { signature: format!("{cast}(unknown)"), statement, repeatable: true });
        }
    }
    assert_eq!(
        unreached.iter().map(String::as_str).collect::<Vec<_>>(),
        UNREACHED,
        "signatures that no sample value reaches"
    );
    plan
}

fn outcomes(client: &mut Client, plan: &[Call]) -> Vec<Outcome> {
    plan.iter().map(|call| calls::run(client, &call.statement)).collect()
}
