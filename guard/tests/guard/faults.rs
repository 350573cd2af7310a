//! Faults: what is abandoned, killed, restarted or exhausted gives a clear error, a usable pool, and no statement that runs twice.

use std::process::Command;
use std::time::Duration;

use haltsql_guard::{Error, TransactionOptions};
use haltsql_testkit::Version;

use super::{Shop, acme};

const LONG: &str = "SELECT pg_sleep(30)";
const RUNNING: &str = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep%' AND state = 'active' AND pid <> pg_backend_pid()";
const OPEN: &str = "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'";

/// Waits until a count is as it has to be; the server needs a moment.
fn wait_for(shop: &Shop, query: &str, count: i64) {
    for _ in 0..600 {
        if shop.ask(query) == count {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("{query} is {}, and should be {count}", shop.ask(query));
}

#[test]
fn an_abandoned_query_is_cancelled_on_the_server() {
    let shop = Shop::start(Version::Pg18);
    let guard = shop.builder("statement_timeout_ms: 60000").connections(1).build().unwrap();
    let task = {
        let guard = guard.clone();
        shop.runtime.spawn(async move { guard.run(acme(), LONG).await.map(drop) })
    };
    wait_for(&shop, RUNNING, 1);
    task.abort();
    wait_for(&shop, RUNNING, 0);
    wait_for(&shop, OPEN, 0);
    shop.runtime.block_on(guard.run(acme(), "SELECT 1")).unwrap();
}

#[test]
fn a_timeout_of_the_policy_ends_a_query() {
    let shop = Shop::start(Version::Pg18);
    let guard = shop.builder("statement_timeout_ms: 200").connections(1).build().unwrap();
    let Err(Error::Database(error)) = shop.runtime.block_on(guard.run(acme(), LONG)) else { panic!("it slept") };
    assert_eq!(error.sqlstate, "57014");
    shop.runtime.block_on(guard.run(acme(), "SELECT 1")).unwrap();
    wait_for(&shop, OPEN, 0);
}

#[test]
fn a_killed_backend_is_an_error_and_the_pool_goes_on() {
    let shop = Shop::start(Version::Pg18);
    let guard = shop.builder("statement_timeout_ms: 60000").connections(1).build().unwrap();
    let task = {
        let guard = guard.clone();
        shop.runtime.spawn(async move { guard.run(acme(), LONG).await.map(drop) })
    };
    wait_for(&shop, RUNNING, 1);
    let kill = RUNNING.replace("SELECT count(*)", "SELECT count(pg_terminate_backend(pid))");
    assert_eq!(shop.ask(&kill), 1);
    match shop.runtime.block_on(task).unwrap() {
        Err(Error::Database(error)) => assert_eq!(error.sqlstate, "57P01"),
        Err(Error::Connection(_)) => {}
        other => panic!("{other:?}"),
    }
    shop.runtime.block_on(guard.run(acme(), "SELECT 1")).unwrap();
}

#[test]
fn connections_that_died_while_idle_are_replaced() {
    let shop = Shop::start(Version::Pg18);
    let guard = shop.builder("").connections(1).build().unwrap();
    shop.runtime.block_on(guard.run(acme(), "SELECT 1")).unwrap();
    let kill =
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'postgres' AND datname = 'shop'
                AND pid <> pg_backend_pid()";
    assert!(shop.ask(kill) >= 1);
    let others = "SELECT count(*) FROM pg_stat_activity WHERE datname = 'shop' AND pid <> pg_backend_pid()";
    wait_for(&shop, others, 0);
    shop.runtime.block_on(async {
        // The driver hears of it before it is asked for a connection.
        tokio::time::sleep(Duration::from_millis(200)).await;
        guard.run(acme(), "SELECT 1").await.unwrap();
    });
}

#[test]
fn an_exhausted_pool_says_so() {
    let shop = Shop::start(Version::Pg18);
    let guard = shop.builder("").connections(1).wait(Duration::from_millis(200)).build().unwrap();
    shop.runtime.block_on(async {
        let mut holds = guard.transaction(acme(), TransactionOptions::default()).unwrap();
        holds.query("SELECT 1").await.unwrap();
        let Err(Error::Connection(message)) = guard.run(acme(), "SELECT 1").await else { panic!("there is none left") };
        assert_eq!(message, "all 1 connections of the guard's pool are in use");
        holds.finish().await.unwrap();
        guard.run(acme(), "SELECT 1").await.unwrap();
    });
}

#[test]
fn a_server_that_is_not_there_is_an_error() {
    let shop = Shop::start(Version::Pg18);
    let mut config = shop.config();
    config.dbname("nowhere");
    let guard = haltsql_guard::Guard::builder(super::policy(""), config).build().unwrap();
    let Err(Error::Database(error)) = shop.runtime.block_on(guard.run(acme(), "SELECT 1")) else { panic!("nowhere") };
    assert_eq!(error.sqlstate, "3D000");
    let mut config = shop.config();
    config.port(1);
    let guard = haltsql_guard::Guard::builder(super::policy(""), config).build().unwrap();
    assert!(matches!(shop.runtime.block_on(guard.run(acme(), "SELECT 1")), Err(Error::Connection(_))));
}

/// A backend that dies by SIGKILL takes the whole server through recovery: every connection breaks, as in a restart.
#[test]
fn a_server_that_restarts_is_an_error_and_nothing_runs_twice() {
    let shop = Shop::start(Version::Pg18);
    let guard = shop.builder("statement_timeout_ms: 60000").connections(2).build().unwrap();
    let insert = "INSERT INTO app.orders (id, tenant_id, note) VALUES (100, $1, 'once')";
    // The tests' servers leave their log in memory: what was set up has to be there afterwards.
    shop.server.connect("shop", "postgres").unwrap().batch_execute("CHECKPOINT").unwrap();
    let task = {
        let guard = guard.clone();
        shop.runtime.spawn(async move {
            let mut transaction = guard.transaction(acme(), TransactionOptions { writable: true }).unwrap();
            transaction.query(insert).await.unwrap();
            let slept = transaction.query(LONG).await;
            assert!(matches!(slept, Err(Error::Connection(_) | Error::Database(_))), "{slept:?}");
            transaction.finish().await.unwrap();
        })
    };
    wait_for(&shop, RUNNING, 1);
    let pid = shop.ask(&RUNNING.replace("count(*)", "min(pid)::int8"));
    assert!(Command::new("kill").args(["-KILL", &pid.to_string()]).status().unwrap().success());
    shop.runtime.block_on(task).unwrap();
    // While the server recovers it takes no connections.
    let mut answer = Err(Error::Connection("not asked yet".to_owned()));
    for _ in 0..600 {
        std::thread::sleep(Duration::from_millis(50));
        answer = shop.runtime.block_on(guard.run(acme(), "SELECT 1")).map(drop);
        if answer.is_ok() {
            break;
        }
    }
    assert!(answer.is_ok(), "the pool never came back: {answer:?}");
    assert_eq!(shop.ask("SELECT count(*) FROM app.orders WHERE note = 'once'"), 0);
    let options = TransactionOptions { writable: true };
    shop.runtime.block_on(guard.run_with(acme(), options, insert)).unwrap();
    assert_eq!(shop.ask("SELECT count(*) FROM app.orders WHERE note = 'once'"), 1);
}
