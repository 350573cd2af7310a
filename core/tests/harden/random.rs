//! Any policy: one key or several, sets, schemas, writes, names that have to be quoted. The SQL parses, applies, and seals.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use haltsql::harden::{Options, SealCheck, script, seal_check};
use haltsql::{Policy, quote_ident};
use haltsql_testkit::{Server, Version, in_full};
use postgres::types::Type;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

static SERVER: LazyLock<Server> = LazyLock::new(|| Server::start(Version::Pg18).unwrap());

/// Names that a careless script takes for something else.
const NAMES: &[&str] = &[
    "plain",
    "select",
    "order",
    "Upper",
    "with space",
    "it's",
    "do\"ble",
    "dot.ted",
    "$haltsql$",
    "$1",
    "back\\slash",
    "semi;colon",
    "--dash",
    "/*open",
    "ünï",
    "x",
    "kind",
    "others",
    "public_",
    "%I",
    "{braces}",
    "comma, list",
    "(bracket",
    "r",
    "s",
    "p",
    "a_name_of_exactly_sixty_three_bytes_which_is_all_that_there_can",
];

const TYPES: &[(&str, &[&str])] =
    &[("text", &["text", "varchar(20)"]), ("uuid", &["uuid"]), ("integer", &["smallint", "int", "bigint"])];

#[derive(Clone, Debug)]
struct Key {
    column: &'static str,
    context: &'static str,
    ty: usize,
}

#[derive(Clone, Debug)]
struct Table {
    schema: &'static str,
    name: &'static str,
    columns: BTreeSet<&'static str>,
    /// For each key: carried by the key's own column, by one of this name, or not at all.
    tenant: Vec<u8>,
    hidden: usize,
    write: Option<(bool, bool)>,
    serial: bool,
    /// Which type of those that fit the key.
    width: usize,
}

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(NAMES)
}

fn keys() -> impl Strategy<Value = Vec<Key>> {
    let key = (name(), name(), 0..TYPES.len()).prop_map(|(column, context, ty)| Key { column, context, ty });
    prop::collection::vec(key, 1..4).prop_map(|keys| {
        let mut seen = BTreeSet::new();
        keys.into_iter().filter(|key| seen.insert(key.column) && !key.context.contains(['{', '}'])).collect()
    })
}

fn tables() -> impl Strategy<Value = Vec<Table>> {
    let table = (
        (name(), name(), prop::collection::btree_set(name(), 1..5)),
        (
            prop::collection::vec(0..3_u8, 3),
            0..3_usize,
            prop::option::of(any::<(bool, bool)>()),
            any::<bool>(),
            0..3_usize,
        ),
    );
    let table = table.prop_map(|((schema, name, columns), (tenant, hidden, write, serial, width))| Table {
        schema,
        name,
        columns,
        tenant,
        hidden,
        write,
        serial,
        width,
    });
    prop::collection::vec(table, 1..5).prop_map(|tables| {
        let mut seen = BTreeSet::new();
        tables.into_iter().filter(|table| seen.insert((table.schema, table.name))).collect()
    })
}

/// As a policy and as SQL write it.
fn spelled(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The policy's document, and SQL that makes its tables.
fn world(keys: &[Key], tables: &[Table], role: &str, seal: usize) -> (Value, String) {
    let mut sql = String::new();
    let (mut documents, mut schemas) = (Map::new(), BTreeSet::new());
    let mut statements = BTreeSet::from(["select"]);
    for table in tables {
        if schemas.insert(table.schema) {
            sql.push_str(&format!("CREATE SCHEMA {};\n", quote_ident(table.schema)));
        }
        let (mut carried, mut declared, mut columns) = (Vec::new(), Map::new(), Vec::new());
        for (at, key) in keys.iter().enumerate() {
            let own = format!("key {at}");
            let column = match table.tenant[at] {
                0 => key.column.to_owned(),
                1 => own,
                _ => {
                    declared.insert(spelled(key.column), json!("none"));
                    continue;
                }
            };
            if table.tenant[at] == 1 {
                declared.insert(spelled(key.column), json!(spelled(&column)));
            }
            let fitting = TYPES[key.ty].1;
            columns.push(format!("{} {} NOT NULL", quote_ident(&column), fitting[table.width % fitting.len()]));
            carried.push(column);
        }
        let free: Vec<&str> =
            table.columns.iter().copied().filter(|column| !keys.iter().any(|key| key.column == *column)).collect();
        columns.extend(free.iter().map(|column| format!("{} int", quote_ident(column))));
        if table.serial {
            columns.push("number_of_its_own serial".to_owned());
        }
        let hidden = &free[..table.hidden.min(free.len())];
        let readable: Vec<String> = carried
            .iter()
            .map(|column| spelled(column))
            .chain(free[hidden.len()..].iter().map(|column| spelled(column)))
            .chain(["\"always\"".to_owned()])
            .collect();
        columns.push("always int".to_owned());
        let table_sql = format!("{}.{}", quote_ident(table.schema), quote_ident(table.name));
        sql.push_str(&format!("CREATE TABLE {table_sql} ({});\n", columns.join(", ")));
        let mut document =
            json!({ "columns": readable, "hidden": hidden.iter().map(|column| spelled(column)).collect::<Vec<_>>() });
        if !declared.is_empty() {
            document["tenant"] = Value::Object(declared);
        }
        if let Some((update, delete)) = table.write {
            let insert: Vec<String> =
                carried.iter().map(|column| spelled(column)).chain(["always".to_owned()]).collect();
            document["write"] = json!({ "insert": insert, "delete": delete });
            statements.insert("insert");
            if update {
                document["write"]["update"] = json!(["always"]);
                statements.insert("update");
            }
            if delete {
                statements.insert("delete");
            }
        }
        documents.insert(format!("{}.{}", spelled(table.schema), spelled(table.name)), document);
    }
    let execution = match seal {
        1 if keys.len() == 1 => json!({ "role": format!("t_{{context.{}}}", keys[0].context), "seal": "login" }),
        2 => {
            let settings = keys
                .iter()
                .enumerate()
                .map(|(at, key)| (format!("app.k{at}"), json!(format!("{{context.{}}}", key.context))));
            json!({ "role": spelled(role), "seal": "bare", "settings": settings.collect::<Map<_, _>>() })
        }
        _ => json!({ "role": spelled(role), "seal": "signed", "pin_key": { "kid": "k-1_A", "env": "KEY" } }),
    };
    let document = json!({
        "apiVersion": "haltsql.dev/v1", "kind": "Policy", "metadata": { "name": "random" },
        "spec": {
            "search_path": schemas.iter().take(2).map(|schema| spelled(schema)).collect::<Vec<_>>(),
            "statements": statements,
            "tenancy": { "keys": keys.iter().map(|key| json!({
                "column": spelled(key.column), "context": key.context, "type": TYPES[key.ty].0,
            })).collect::<Vec<_>>() },
            "tables": documents,
            "execution": execution,
        },
    });
    (document, sql)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_policy_gets_sql_that_seals(keys in keys(), tables in tables(), role in name().prop_filter("a template", |name| !name.contains('{')), seal in 0..3_usize) {
        prop_assume!(!keys.is_empty());
        let (document, sql) = world(&keys, &tables, role, seal);
        let policy = match Policy::from_json(&document.to_string()) {
            Ok(policy) => policy,
            Err(problem) => return Err(TestCaseError::fail(format!("{problem}\n{document:#}"))),
        };
        let check = seal_check(&policy).unwrap().unwrap();
        let text = script(&policy, &Options { optional: true, ..Options::default() }).unwrap().to_sql();
        let login = document["spec"]["execution"]["seal"] == "login";
        let role = if login { "t_acme" } else { role };

        let mut client = SERVER.connect("postgres", "postgres").unwrap();
        let mut transaction = client.transaction().unwrap();
        let made = format!("{sql}CREATE ROLE {} LOGIN;", quote_ident(role));
        transaction.batch_execute(&made).unwrap_or_else(|problem| panic!("{made}\n{}", in_full(&problem)));
        for _ in 0..2 {
            let text = text.strip_suffix("COMMIT;\n").unwrap();
            transaction.batch_execute(text).unwrap_or_else(|problem| panic!("{text}\n{}", in_full(&problem)));
        }
        transaction.batch_execute(SealCheck::PIN).unwrap();
        let rows = transaction.query_typed(check.sql(), &[(&role, Type::TEXT)]);
        let rows = rows.unwrap_or_else(|problem| panic!("{}\n{}", check.sql(), in_full(&problem)));
        let rows: Vec<[Option<String>; 3]> = rows.iter().map(|row| [row.get(0), row.get(1), row.get(2)]).collect();
        prop_assert_eq!(check.read(&rows), []);
    }
}
