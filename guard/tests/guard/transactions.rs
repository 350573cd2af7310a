//! Several statements in one transaction, denials, writes, and how each ends.

use std::sync::{Arc, Mutex};

use haltsql::Context;
use haltsql_guard::{Error, TransactionOptions};
use haltsql_testkit::Version;

use super::{Shop, acme};

const WRITABLE: TransactionOptions = TransactionOptions { writable: true };
const INSERT: &str = "INSERT INTO app.orders (id, tenant_id, note) VALUES (100, $1, 'new') RETURNING id, note";
const COUNT: &str = "SELECT count(*) FROM app.orders";

#[test]
fn a_denial_reaches_nobody_and_leaves_the_transaction_usable() {
    let shop = Shop::start(Version::Pg18);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let audit = seen.clone();
    let hook = Arc::new(move |verdict: &haltsql::Verdict, _: &str| audit.lock().unwrap().push(verdict.allowed));
    let guard = shop.builder("").on_verdict(hook).build().unwrap();
    shop.runtime.block_on(async {
        let mut transaction = guard.transaction(acme(), TransactionOptions::default()).unwrap();
        for sql in ["SELECT id FROM app.orders", "COMMIT", "SELECT 1; SELECT 2", INSERT] {
            let Err(Error::Denied(denied)) = transaction.query(sql).await else { panic!("{sql} ran") };
            assert!(!denied.verdict().allowed && denied.for_agent().contains("E_"), "{}", denied.for_agent());
        }
        let sql = "SELECT id FROM app.orders WHERE tenant_id = $1 ORDER BY id";
        let first = transaction.query(sql).await.unwrap();
        assert!(matches!(transaction.query("DROP TABLE app.orders").await, Err(Error::Denied(_))));
        let second = transaction.query(sql).await.unwrap();
        assert_eq!(first.rows(), second.rows());
        transaction.finish().await.unwrap();
    });
    assert_eq!(*seen.lock().unwrap(), [false, false, false, false, true, false, true]);
}

#[test]
fn writes_are_committed_when_the_transaction_is_finished() {
    let shop = Shop::start(Version::Pg18);
    let guard = shop.guard("");
    shop.runtime.block_on(async {
        let mut transaction = guard.transaction(acme(), WRITABLE).unwrap();
        let inserted = transaction.query(INSERT).await.unwrap();
        assert_eq!(
            (inserted.row_count(), &inserted.rows()[0]),
            (1, &vec![Some("100".to_owned()), Some("new".to_owned())])
        );
        let updated = transaction.query("UPDATE app.orders SET note = 'y' WHERE tenant_id = $1").await.unwrap();
        assert_eq!((updated.row_count(), updated.rows().len(), updated.columns().len()), (21, 0, 0));
        let many =
            transaction.query("UPDATE app.orders SET note = 'z' WHERE tenant_id = $1 RETURNING id").await.unwrap();
        assert_eq!((many.row_count(), many.rows().len(), many.truncated()), (21, 5, true));
        transaction.finish().await.unwrap();
    });
    assert_eq!(shop.ask(COUNT), 41);
    assert_eq!(shop.ask("SELECT count(*) FROM app.orders WHERE note = 'z' AND tenant_id = 'acme'"), 21);
    assert_eq!(shop.ask("SELECT count(*) FROM app.orders WHERE note IN ('y', 'z') AND tenant_id <> 'acme'"), 0);
}

#[test]
fn what_is_not_finished_is_not_written() {
    let shop = Shop::start(Version::Pg18);
    let guard = shop.guard("");
    shop.runtime.block_on(async {
        let mut dropped = guard.transaction(acme(), WRITABLE).unwrap();
        dropped.query(INSERT).await.unwrap();
        drop(dropped);
        let mut rolled_back = guard.transaction(acme(), WRITABLE).unwrap();
        rolled_back.query(INSERT).await.unwrap();
        rolled_back.roll_back().await.unwrap();
        let mut failed = guard.transaction(acme(), WRITABLE).unwrap();
        failed.query(INSERT).await.unwrap();
        let Err(Error::Database(error)) = failed.query(INSERT).await else { panic!("a key twice") };
        assert_eq!(error.sqlstate, "23505");
        assert!(!format!("{error:?}").contains("100"), "{error:?}");
        assert!(matches!(failed.query(INSERT).await, Err(Error::Argument(_))), "it has ended");
        failed.finish().await.unwrap();
        guard.run(acme(), "SELECT 1").await.unwrap();
    });
    assert_eq!(shop.ask(COUNT), 40);
}

#[test]
fn errors_are_redacted_unless_an_operator_asks() {
    let shop = Shop::start(Version::Pg18);
    let divided = "SELECT 1 / (id - id) FROM app.orders WHERE tenant_id = $1";
    let sealed = "SELECT ('haltsql: ' || id)::int FROM app.orders WHERE tenant_id = $1";
    for (show, says) in [(false, "withheld"), (true, "division by zero")] {
        let guard = shop.builder("").show_errors(show).build().unwrap();
        let Err(Error::Database(error)) = shop.runtime.block_on(guard.run(acme(), divided)) else {
            panic!("it divides")
        };
        assert!(error.sqlstate == "22012" && error.message.contains(says), "{error:?}");
        let broken = shop.runtime.block_on(guard.run(acme(), sealed));
        assert!(matches!(broken, Err(Error::SealBroken(_))), "an error of the pin's message, whoever raises it");
    }
}

#[test]
fn a_guard_refuses_what_the_policy_does_not_mean() {
    let shop = Shop::start(Version::Pg18);
    let signed = "role: reader\nseal: signed\npin_key: { kid: k1, env: HALTSQL_NO_SUCH_KEY }";
    let Err(Error::Argument(message)) = shop.builder(signed).build().map(drop) else { panic!("there is no key") };
    assert!(message.contains("HALTSQL_NO_SUCH_KEY"), "{message}");
    let login = shop.guard("role: \"t_{context.tenant_id}\"\nseal: login");
    assert!(matches!(login.transaction(Context::new(), TransactionOptions::default()), Err(Error::Context(_))));
    let broken = shop.runtime.block_on(login.run(acme(), "SELECT 1"));
    assert!(matches!(broken, Err(Error::SealBroken(_))), "this session is postgres, and no t_acme: {broken:?}");
}
