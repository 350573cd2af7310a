//! Hostile statements, raw, as the sealed role with a valid pin: re-pinning, changes of role, leaving the transaction, hidden columns,
//! writes, functions. No verifier stands in front of them here.

use std::fs;

use haltsql_testkit::Version;
use postgres::{Client, SimpleQueryMessage};

use crate::pins::{in_seconds, sealed, sign};
use crate::{KEY, Ward};

struct Attack {
    id: String,
    sql: String,
}

fn attacks() -> Vec<Attack> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/harden/attacks.jsonl");
    let text = fs::read_to_string(path).unwrap();
    let field = |line: &serde_json::Value, name: &str| line[name].as_str().unwrap().to_owned();
    text.lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|line| Attack { id: field(&line, "id"), sql: field(&line, "sql") })
        .collect()
}

/// Every value of every row, whatever the statements were; an error ends it.
fn values(client: &mut Client, sql: &str) -> Vec<String> {
    let Ok(messages) = client.simple_query(sql) else { return Vec::new() };
    let mut values = Vec::new();
    for message in messages {
        if let SimpleQueryMessage::Row(row) = message {
            values.extend((0..row.len()).filter_map(|at| row.get(at)).map(str::to_owned));
        }
    }
    values
}

/// Values of the other tenant's rows and of hidden columns say so themselves.
fn foreign(values: &[String], sql: &str) -> Option<String> {
    let marks = ["GLOBEX_", "GLOBEX ", "SSN-", "mail"];
    // What a statement says itself is no row.
    let is_foreign = |value: &&String| marks.iter().any(|mark| value.contains(mark)) && !sql.contains(value.as_str());
    values.iter().find(is_foreign).cloned()
}

/// What a statement of the other tenant's, or nobody's, must not have changed.
fn others_rows(ward: &Ward) -> String {
    let mut client = ward.server.connect("open", "postgres").unwrap();
    let sql = "SELECT md5(string_agg(r, '|' ORDER BY r)) FROM (
                   SELECT c::text AS r FROM app.customers c UNION ALL SELECT k::text FROM app.api_keys k UNION ALL
                   SELECT o::text FROM app.orders o WHERE tenant_id <> 'acme' UNION ALL
                   SELECT t::text FROM app.tickets t WHERE tenant_id <> 'acme' UNION ALL SELECT p::text FROM app.products p) all_of_it";
    client.query_one(sql, &[]).unwrap().get(0)
}

fn leaks(ward: &Ward, ways: &[(&str, &str)]) -> Vec<String> {
    let attacks = attacks();
    assert!(attacks.len() > 150, "only {}", attacks.len());
    let mut leaks = Vec::new();
    for Attack { id, sql } in &attacks {
        for (begin, end) in ways {
            let mut client = ward.server.connect("open", "agent").unwrap();
            let soon = in_seconds(&mut client, 30);
            let pin = sign(KEY, "open", "agent", "k1", &soon, r#"{"tenant_id":["acme"]}"#);
            client
                .batch_execute(&format!(
                    "SET statement_timeout = '3s'; {begin}; SELECT set_config('haltsql.pin', '{pin}', true),
                         set_config('search_path', 'app, lib, pg_temp', true)"
                ))
                .unwrap();
            let mut seen = values(&mut client, sql);
            // The next statement of the transaction, and of the session that comes back into a pool.
            let again = "SELECT name FROM app.customers; SELECT note FROM app.orders; SELECT text FROM app.tickets";
            seen.extend(values(&mut client, again));
            seen.extend(values(&mut client, "TABLE app.customers"));
            values(&mut client, end);
            seen.extend(values(&mut client, again));
            if let Some(value) = foreign(&seen, sql) {
                leaks.push(format!("{id}, {begin}: {sql} gave `{value}`"));
            }
        }
    }
    leaks
}

fn stay_without_effect(version: Version) {
    let (_, ward) = sealed(version, true);
    let before = others_rows(&ward);
    let leaks = leaks(&ward, &[("BEGIN READ ONLY", "ROLLBACK"), ("BEGIN READ WRITE", "COMMIT")]);
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
    assert_eq!(others_rows(&ward), before, "rows of the other tenant, or shared ones, were changed");
}

#[test]
fn attacks_stay_without_effect_on_postgresql_18() {
    stay_without_effect(Version::Pg18);
}

#[test]
fn attacks_stay_without_effect_on_postgresql_14() {
    stay_without_effect(Version::Pg14);
}

/// The test above would see a leak: without the policy that holds there is one.
#[test]
fn without_what_holds_they_have_an_effect() {
    let (_, ward) = sealed(Version::Pg18, true);
    ward.run("open", "DROP POLICY haltsql_hold_agent ON app.customers");
    let leaks = leaks(&ward, &[("BEGIN READ ONLY", "ROLLBACK")]);
    assert!(leaks.len() > 100, "only {}", leaks.len());
}
