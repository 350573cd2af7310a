//! What one set of functions has to hold on a live server: metadata, and results that depend on the arguments alone.

use std::collections::{BTreeMap, BTreeSet};

use postgres::Client;

use crate::calls::{self, Outcome, Signature};
use crate::files::Entry;
use crate::server::Server;
use crate::{extensions, samples};

/// The functions of one schema and what is in of them.
pub struct Suite {
    /// Where they live: `pg_catalog`, or `ext` for extensions.
    pub schema: &'static str,
    pub entries: Vec<Entry>,
    /// Casts in function notation without a function.
    pub casts: &'static [&'static str],
    /// Ways to call a listed name that the server has and the profiles shut out: name and argument count.
    pub shut: &'static [(&'static str, usize)],
    /// Signatures that no sample value reaches, sorted.
    pub unreached: &'static [&'static str],
    /// SQLSTATEs that its functions give to bad data, beyond class 22 and 0A000.
    pub data_errors: &'static [&'static str],
    /// What `ext` holds.
    pub extensions: &'static [&'static str],
}

/// Counts are compared up to this number of arguments: VARIADIC has no end.
const MOST: usize = 9;

/// They tell the time: another result at each call.
const CLOCK: [&str; 5] = ["clock_timestamp", "now", "statement_timestamp", "timeofday", "transaction_timestamp"];

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

/// (name, arguments, kind, returns a set, OUT columns, needs a definition list, returns a catalogue type)
type Fact = (String, usize, &'static str, bool, Vec<String>, bool, bool);

/// The one column that a query gives.
pub fn column(client: &mut Client, query: &str) -> BTreeSet<String> {
    calls::run(client, query).unwrap().into_iter().map(|mut row| row.remove(0).unwrap()).collect()
}

impl Suite {
    /// All signatures of all names that are in.
    pub fn signatures(&self, client: &mut Client) -> Vec<Signature> {
        let listed = self.entries.iter().filter(|entry| entry.object == "function").map(|entry| entry.name);
        let listed = listed.collect::<BTreeSet<_>>();
        let query = format!("SELECT p.proname, coalesce(a.aggkind, p.prokind), p.proretset,
        coalesce((SELECT string_agg(p.proargnames[i], ',' ORDER BY i) FROM generate_subscripts(p.proargmodes, 1) i
            WHERE p.proargmodes[i] = 'o'),
            (SELECT string_agg(f.attname, ',' ORDER BY f.attnum) FROM pg_attribute f WHERE f.attrelid = r.typrelid AND f.attnum > 0), ''),
        r.typname,
        coalesce((SELECT string_agg(CASE WHEN t.at = p.pronargs AND p.provariadic <> 0 THEN v.typname ELSE y.typname END, ' ' ORDER BY t.at)
            FROM unnest(p.proargtypes) WITH ORDINALITY t(oid, at) JOIN pg_type y ON y.oid = t.oid
            LEFT JOIN pg_type v ON v.oid = p.provariadic), ''),
        p.provariadic <> 0, p.pronargdefaults, coalesce(a.aggnumdirectargs, 0)
        FROM pg_proc p JOIN pg_type r ON r.oid = p.prorettype LEFT JOIN pg_aggregate a ON a.aggfnoid = p.oid
        WHERE p.pronamespace = '{}'::regnamespace ORDER BY p.proname, p.oid", self.schema);
        let words = |text: &str, separator: char| {
            text.split(separator).filter(|word| !word.is_empty()).map(str::to_owned).collect()
        };
        calls::run(client, &query)
            .unwrap()
            .into_iter()
            .map(|row| row.into_iter().map(Option::unwrap).collect::<Vec<_>>())
            .filter(|row| listed.contains(&*row[0]))
            .map(|row| Signature {
                schema: self.schema,
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

    /// Kinds, numbers of arguments, sets and columns are what the server says.
    pub fn metadata_is_the_servers(&self, signatures: &[Signature]) {
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
                let shut = self.shut.contains(&(&*signature.name, count));
                let catalogue = signature.result.starts_with("reg");
                if !shut {
                    let columns = signature.columns.clone();
                    servers.insert((
                        signature.name.clone(),
                        count,
                        kind,
                        signature.returns_set,
                        columns,
                        open,
                        catalogue,
                    ));
                }
            }
        }
        let mut ours = BTreeSet::<Fact>::new();
        for entry in self.entries.iter().filter(|entry| entry.object == "function" && !self.casts.contains(&entry.name))
        {
            let split =
                |list: &str| list.split(',').filter(|column| *column != "-").map(str::to_owned).collect::<Vec<_>>();
            let open = entry.marks.contains(&"definition-list");
            let catalogue = entry.marks.contains(&"as-text");
            let ways = std::iter::once(entry.columns).chain(entry.mark("or-columns:"));
            for (columns, count) in
                ways.flat_map(|columns| entry.counts(MOST).into_iter().map(move |count| (columns, count)))
            {
                let kinds: &[&str] =
                    if entry.kind == "plain-or-aggregate" { &["plain", "aggregate"] } else { &[entry.kind] };
                for kind in kinds {
                    let fact =
                        (entry.name.to_owned(), count, *kind, entry.returns == "set", split(columns), open, catalogue);
                    assert!(ours.insert(fact), "{entry:?} says it twice");
                }
            }
        }
        assert_eq!(ours.difference(&servers).collect::<Vec<_>>(), Vec::<&Fact>::new(), "what the server does not say");
        assert_eq!(servers.difference(&ours).collect::<Vec<_>>(), Vec::<&Fact>::new(), "what the profiles do not say");
    }

    /// The extensions, each in the schema `ext`, where everybody may look.
    pub fn install(&self, admin: &mut Client) {
        for extension in self.extensions {
            let create = format!("CREATE SCHEMA IF NOT EXISTS ext; CREATE EXTENSION {extension} SCHEMA ext");
            admin.batch_execute(&create).unwrap();
        }
        if !self.extensions.is_empty() {
            admin.batch_execute("GRANT USAGE ON SCHEMA ext TO PUBLIC").unwrap();
        }
    }

    /// Every call gives the same, whatever the tables, the role and the database are.
    pub fn functions_depend_on_their_arguments_alone(
        &self,
        server: &Server,
        admin: &mut Client,
        signatures: &[Signature],
    ) {
        admin
        .batch_execute(
            "CREATE ROLE reader LOGIN; CREATE ROLE stranger LOGIN; REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC",
        )
        .unwrap();
        admin.batch_execute("SET search_path = pg_catalog").unwrap();
        admin.batch_execute(PREPARE).unwrap();
        admin.batch_execute("CREATE DATABASE elsewhere TEMPLATE template0").unwrap();
        let mut elsewhere = server.connect("postgres", "elsewhere");
        self.install(&mut elsewhere);
        elsewhere.batch_execute(&format!("SET search_path = pg_catalog; {PREPARE} {CHANGE}")).unwrap();

        let mut reader = self.connect(server, "reader", "postgres");
        the_reader_has_no_rights(&mut reader);
        let plan = self.plan(admin, signatures);
        let before = outcomes(&mut reader, &plan);
        admin.batch_execute(CHANGE).unwrap();
        let after = outcomes(&mut self.connect(server, "stranger", "postgres"), &plan);
        let other = outcomes(&mut self.connect(server, "reader", "elsewhere"), &plan);

        let mut changed = Vec::new();
        let mut succeeded = BTreeMap::<&str, usize>::new();
        let mut refused = 0;
        let mut wrong = Vec::new();
        for (at, call) in plan.iter().enumerate() {
            let successes = succeeded.entry(&call.signature).or_default();
            match &before[at] {
                Ok(_) => *successes += 1,
                // Data errors, and a value that the server's encoding or this type cannot have: they depend on the arguments.
                Err((code, _)) if self.is_data(code) => refused += 1,
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

    /// A connection that may only read. Some functions of PostGIS find others of their own by the session's search_path.
    fn connect(&self, server: &Server, user: &str, database: &str) -> Client {
        let mut client = server.connect(user, database);
        if !self.extensions.is_empty() {
            client.batch_execute("SET search_path = ext").unwrap();
        }
        client
    }

    fn is_data(&self, code: &str) -> bool {
        code.starts_with("22") || code == "0A000" || self.data_errors.contains(&code)
    }

    fn plan(&self, admin: &mut Client, signatures: &[Signature]) -> Vec<Call> {
        let entries = &self.entries;
        let mut plan = Vec::new();
        let mut unreached = BTreeSet::new();
        for signature in signatures {
            let entry = |count| {
                entries.iter().find(|entry| {
                    let named = entry.object == "function" && entry.name == signature.name;
                    named && entry.counts(MOST).contains(&count) && entry.lets_in(&signature.types, count)
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
        for cast in self.casts {
            for value in samples::of_type(cast).unwrap() {
                let text = value.rsplit_once("::").unwrap().0;
                let statement = format!("SELECT pg_catalog.{cast}({text})");
                plan.push(Call { signature: format!("{cast}(unknown)"), statement, repeatable: true });
            }
        }
        if !self.extensions.is_empty() {
            plan.extend(extensions::operators(admin));
        }
        if self.extensions.contains(&"postgis") {
            plan.extend(extensions::tiles());
        }
        assert_eq!(
            unreached.iter().map(String::as_str).collect::<Vec<_>>(),
            self.unreached,
            "signatures that no sample value reaches"
        );
        plan
    }
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

/// One statement of the plan.
pub struct Call {
    /// What it calls.
    pub signature: String,
    /// Its text.
    pub statement: String,
    /// The same arguments must give the same result.
    pub repeatable: bool,
}

fn outcomes(client: &mut Client, plan: &[Call]) -> Vec<Outcome> {
    plan.iter().map(|call| calls::run(client, &call.statement)).collect()
}
