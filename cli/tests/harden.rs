//! `haltsql policy harden`: the demo's database, hardened, makes the doctor green under each seal.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod common;

use common::{Folder, parts};
use haltsql_testkit::{Server, Version, in_full};
use serde_json::Value;

const POLICY: &str = include_str!("../src/demo/policy.yaml");
const SCHEMA: &str = include_str!("../src/demo/schema.sql");
const KEY: &str = "8899aabbccddeeff00112233445566778899aabbccddeeff0011223344556677";

const SIGNED: &str = "  execution: { role: agent, seal: signed, pin_key: { kid: k1, env: HALTSQL_PIN_KEY } }\n";
const LOGIN: &str = "  execution: { role: 't_{context.tenant_id}', seal: login }\n";
const BARE: &str = "  execution: { role: agent, seal: bare, settings: { app.tenant: '{context.tenant_id}' } }\n";

struct Demo {
    server: Server,
    folder: Folder,
}

impl Demo {
    fn new(version: Version, execution: &str) -> Demo {
        let demo = Demo { server: Server::start(version).unwrap(), folder: Folder::new() };
        demo.run("postgres", "CREATE ROLE agent LOGIN; CREATE ROLE t_acme LOGIN; CREATE ROLE t_globex LOGIN");
        demo.server.create_database("shop").unwrap();
        demo.run("shop", SCHEMA);
        demo.folder.write("policy.yaml", format!("{POLICY}{execution}"));
        demo
    }

    fn run(&self, database: &str, sql: &str) {
        let done = self.server.connect(database, "postgres").unwrap().batch_execute(sql);
        done.unwrap_or_else(|problem| panic!("{sql}\n{}", in_full(&problem)));
    }

    fn dsn(&self) -> String {
        format!("host={} dbname=shop user=postgres", self.server.socket_folder().display())
    }

    fn policy(&self, arguments: &[&str]) -> (i32, String, String) {
        parts(&self.folder.run(&[&["policy", arguments[0], "policy.yaml"], &arguments[1..]].concat(), b""))
    }

    fn harden(&self, more: &[&str]) -> String {
        let (code, out, err) = self.policy(&[&["harden"], more].concat());
        assert_eq!((code, &*err), (0, ""), "{out}");
        out
    }

    /// The checks of the doctor that are red.
    fn red(&self, more: &[&str]) -> Vec<String> {
        let dsn = self.dsn();
        let (_, out, err) = self.policy(&[&["doctor", "--dsn", &dsn, "--json"], more].concat());
        assert_eq!(err, "");
        let report: Value = serde_json::from_str(&out).unwrap();
        let checks = report["checks"].as_array().unwrap();
        let red = checks.iter().filter(|check| check["state"] == "red");
        red.map(|check| check["id"].as_str().unwrap().to_owned()).collect()
    }
}

#[test]
fn the_hardened_demo_makes_the_doctor_green_under_each_seal() {
    for version in [Version::Pg18, Version::Pg16] {
        for (execution, optional) in [(SIGNED, true), (LOGIN, true), (BARE, false)] {
            let demo = Demo::new(version, execution);
            let before = demo.red(&["--optional"]);
            assert!(before.len() > 3 && before.contains(&"rls.enabled".to_owned()), "{before:?}");
            demo.run("shop", &demo.harden(&[]));
            assert_eq!(demo.red(&[]), Vec::<String>::new(), "{execution}");
            let left = demo.red(&["--optional"]);
            assert_eq!(left.is_empty(), !optional, "{execution}: {left:?}");
            demo.run("shop", &demo.harden(&["--optional"]));
            assert_eq!(demo.red(&["--optional"]), Vec::<String>::new(), "{execution}");
        }
    }
}

#[test]
fn without_a_seal_there_is_nothing_to_run_and_nothing_red() {
    let demo = Demo::new(Version::Pg18, "");
    let text = demo.harden(&[]);
    assert!(text.lines().all(|line| line.starts_with("--")) && text.contains("the verdict is the only wall"), "{text}");
    assert_eq!(demo.red(&["--role", "agent"]), Vec::<String>::new());
}

#[test]
fn a_server_is_looked_at_and_not_changed() {
    let demo = Demo::new(Version::Pg18, SIGNED);
    demo.run(
        "shop",
        "CREATE ROLE owner; ALTER TABLE app.orders OWNER TO owner; CREATE POLICY \"All\" ON app.orders USING (true)",
    );
    demo.run("shop", "DROP TABLE app.order_items; CREATE ROLE clerk LOGIN");
    let plain = demo.harden(&[]);
    let dsn = format!("host={} dbname=shop user=clerk", demo.server.socket_folder().display());
    let fitted = demo.harden(&["--dsn", &dsn, "--optional"]);
    for note in [
        "-- Looked at: database shop, PostgreSQL 18, as clerk (no superuser).\n",
        "-- app.order_items: there is no such table, and the SQL will fail.",
        "-- app.orders: it belongs to owner.",
        "-- app.orders: the policy \"All\" is for everybody",
        "-- The optional part needs a superuser, and clerk is none.\n",
    ] {
        assert!(fitted.contains(note), "{note}: {fitted}");
        assert!(!plain.contains(note), "{note}");
    }
    assert!(demo.red(&[]).contains(&"rls.enabled".to_owned()), "nothing was applied");
    let (code, out, err) = demo.policy(&["harden", "--dsn", "postgresql://a:hunter2@127.0.0.1:1/x"]);
    assert_eq!((code, &*out), (2, ""));
    assert!(err.contains("cannot connect") && !err.contains("hunter2"), "{err}");
}

#[test]
fn a_key_gets_in_by_its_file_and_is_shown_nowhere() {
    let demo = Demo::new(Version::Pg18, SIGNED);
    demo.folder.write("pin.key", format!("{KEY}\n"));
    let text = demo.harden(&["--key-file", "pin.key"]);
    assert!(text.contains("INSERT INTO haltsql.pin_key") && !text.contains(KEY), "{text}");
    demo.run("shop", &text);
    let mut client = demo.server.connect("shop", "postgres").unwrap();
    // The inner pad is the key, XOR 0x36: RFC 2104.
    let row = client.query_one("SELECT kid, encode(substr(ipad, 1, 32), 'hex') FROM haltsql.pin_key", &[]).unwrap();
    let inner: String =
        (0..32).map(|at| format!("{:02x}", u8::from_str_radix(&KEY[2 * at..2 * at + 2], 16).unwrap() ^ 0x36)).collect();
    assert_eq!((row.get::<_, String>(0), row.get::<_, String>(1)), ("k1".to_owned(), inner));

    for (name, content, says) in [
        ("short.key", &KEY[..40], "64 hex digits"),
        ("other.key", "hunter2-hunter2-hunter2-hunter2-hunter2-hunter2-hunter2-hunter2-hunter2", "64 hex digits"),
        ("none", "", "64 hex digits"),
    ] {
        demo.folder.write(name, content);
        let (code, out, err) = demo.policy(&["harden", "--key-file", name]);
        assert_eq!((code, &*out), (2, ""));
        assert!(err.contains(says) && err.contains("openssl rand -hex 32"), "{err}");
        assert!(!err.contains("hunter2") && !err.contains(&KEY[..8]), "{err}");
    }
    let (code, _, err) = demo.policy(&["harden", "--key-file", "absent"]);
    assert!(code == 2 && err.contains("cannot read the key file"), "{err}");

    demo.folder.write("policy.yaml", format!("{POLICY}{BARE}"));
    let (code, out, err) = demo.policy(&["harden", "--key-file", "pin.key"]);
    assert_eq!((code, &*out), (2, ""));
    assert!(err.contains("signs nothing"), "{err}");
}

#[test]
fn a_seal_that_cannot_hold_is_an_error_and_red() {
    let demo = Demo::new(Version::Pg18, "  execution: { role: agent, seal: bare }\n");
    let (code, out, err) = demo.policy(&["harden"]);
    assert_eq!((code, &*out), (2, ""));
    assert!(err.contains("`seal: bare` needs a setting") && err.contains("app.tenant_id"), "{err}");
    assert!(demo.red(&[]).contains(&"seal.hold".to_owned()));
}
