//! The test server itself: it is PostgreSQL 18, and it is gone after the test.
#![allow(clippy::expect_used)]

#[path = "support/pg.rs"]
mod pg;

#[test]
fn a_server_of_its_own_is_postgresql_18_and_leaves_nothing() {
    let server = pg::Server::start();
    let home = server.socket_dir().to_owned();
    let version: String = server.connect().query_one("SHOW server_version", &[]).expect("an answer").get(0);
    assert!(version.starts_with("18."), "{version}");
    drop(server);
    assert!(!home.exists());
}
