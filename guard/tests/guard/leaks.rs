//! Nothing of a transaction stays on its connection.

use std::collections::BTreeSet;

use haltsql_guard::{Guard, TransactionOptions};
use haltsql_testkit::Version;

use super::{Shop, acme};

/// What a session can keep, as one text: settings that somebody set, prepared statements, cursors, locks, channels, temporary tables. A
/// view, so that the guard's own connections can be asked; what the pin sets is in it each time.
const STATE: &str = "CREATE VIEW app.session_state AS SELECT pg_backend_pid() AS pid,
    (SELECT string_agg(name || '=' || setting, ', ' ORDER BY name) FROM pg_settings WHERE source = 'session') || '; ' ||
    coalesce((SELECT string_agg(statement, ', ' ORDER BY statement) FROM pg_prepared_statements), 'nothing prepared') || '; ' ||
    (SELECT count(*) FROM pg_cursors WHERE name <> '') || ' ' ||
    (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory') || ' ' ||
    (SELECT count(*) FROM pg_listening_channels()) || ' ' || (pg_my_temp_schema() <> 0) || ' ' ||
    coalesce(current_setting('app.owner', true), 'nobody') AS state";

/// What each of the guard's connections holds.
async fn states(guard: &Guard) -> BTreeSet<String> {
    let mut held = Vec::new();
    let mut states = BTreeSet::new();
    for _ in 0..4 {
        let mut transaction = guard.transaction(acme(), TransactionOptions::default()).unwrap();
        let result = transaction.query("SELECT state FROM app.session_state").await.unwrap();
        states.extend(result.rows()[0][0].clone());
        held.push(transaction);
    }
    for transaction in held {
        transaction.finish().await.unwrap();
    }
    states
}

#[test]
fn ten_thousand_transactions_leave_nothing_behind() {
    let shop = Shop::start(Version::Pg18);
    let guard = shop.builder("settings: { app.owner: '{context.tenant_id}' }").connections(4).build().unwrap();
    shop.server.connect("shop", "postgres").unwrap().batch_execute(STATE).unwrap();
    shop.runtime.block_on(async {
        let before = states(&guard).await;
        assert_eq!(before.len(), 1, "{before:#?}");
        assert!(
            before.iter().all(|state| state.ends_with("false acme") && state.contains("nothing prepared")),
            "{before:?}"
        );
        let tasks: Vec<_> = (0..8)
            .map(|task| {
                let guard = guard.clone();
                tokio::spawn(async move {
                    for round in 0..1_250 {
                        let writable = round % 10 == 0;
                        let mut transaction = guard.transaction(acme(), TransactionOptions { writable }).unwrap();
                        let sql = match round % 4 {
                            0 => "SELECT id FROM app.orders WHERE tenant_id = $1",
                            1 => "SELECT 1 / (id - id) FROM app.orders WHERE tenant_id = $1",
                            2 => "SELECT id FROM app.orders",
                            _ => "SELECT mood FROM app.orders WHERE tenant_id = $1 AND id < $1",
                        };
                        drop(transaction.query(sql).await);
                        if round % 100 == task {
                            drop(transaction);
                        } else {
                            transaction.finish().await.unwrap();
                        }
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(states(&guard).await, before);
    });
    assert_eq!(shop.ask("SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'"), 0);
    assert_eq!(shop.ask("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"), 0);
    let backends = "SELECT count(*) FROM pg_stat_activity WHERE datname = 'shop' AND pid <> pg_backend_pid()";
    assert!(shop.ask(backends) <= 4);
}
