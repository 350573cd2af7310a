//! `haltsql run` and `haltsql receipt verify` on a real PostgreSQL.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::process::{Command, Output, Stdio};
use std::time::Duration;

use common::{Folder, parts};
use haltsql_testkit::{Server, Version};
use serde_json::Value;

const POLICY: &str = "\
apiVersion: haltsql.dev/v1
kind: Policy
metadata: { name: run }
spec:
  search_path: [app]
  tenancy:
    keys: [{ column: tenant_id, context: tenant_id }]
  statements: [select, update]
  functions: { allow: [pg_sleep] }
  tables:
    app.orders:
      columns: [id, tenant_id, note, total]
      complete: true
      write: { update: [note] }
  execution: { max_rows: 3, statement_timeout_ms: 60000 }
";
const KEY: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
-----END PRIVATE KEY-----
";
const PUBLIC: &str = "-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PUBLIC KEY-----
";
const SELECT: &str = "SELECT id, note, total FROM orders WHERE tenant_id = $1 ORDER BY id, note, total";

struct Shop {
    folder: Folder,
    server: Server,
    dsn: String,
}

impl Shop {
    fn start() -> Self {
        let server = Server::start(Version::Pg18).unwrap();
        let setup = "CREATE SCHEMA app; CREATE TABLE app.orders (id int PRIMARY KEY, tenant_id text, note text, total numeric(8,2));
            INSERT INTO app.orders VALUES (1, 'acme', 'a,\"b\"', 12.50), (22, 'acme', NULL, 3), (333, 'acme', '', NULL),
                (4444, 'acme', 'cut', 1), (5, 'globex', 'secret', 9)";
        server.connect("postgres", "postgres").unwrap().batch_execute(setup).unwrap();
        let folder = Folder::new();
        folder.write("policy.yaml", POLICY);
        folder.write("key.pem", KEY);
        folder.write("public.pem", PUBLIC);
        let dsn = format!("host={} user=postgres dbname=postgres", server.socket_folder().display());
        Shop { folder, server, dsn }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let fixed = ["run", "--policy", "policy.yaml", "--dsn", &self.dsn, "--context", "tenant_id=acme"];
        self.folder.haltsql(&[&fixed[..], arguments].concat())
    }

    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        parts(&output(&mut self.command(arguments)))
    }

    fn verify(&self, arguments: &[&str]) -> (i32, String, String) {
        parts(&output(&mut self.folder.haltsql(&[&["receipt", "verify"], arguments].concat())))
    }
}

fn output(command: &mut Command) -> Output {
    command.stdin(Stdio::null()).output().unwrap()
}

#[test]
fn a_person_sees_an_aligned_table_and_that_more_were_cut() {
    let shop = Shop::start();
    let (code, out, err) = shop.run(&[SELECT]);
    assert_eq!((code, &*err), (0, ""));
    let table = "\
id   note   total
---  -----  -----
  1  a,\"b\"  12.50
 22  NULL    3.00
333          NULL
(3 rows; more were cut (the policy's max_rows or max_result_bytes))
";
    assert_eq!(out, table);
    let (_, out, _) = shop.run(&["SELECT 1 AS \"n\u{1b}[31m\", E'a\\nb\\tc' AS t"]);
    assert!(!out.contains('\u{1b}') && out.contains("a↵b c") && out.ends_with("(1 row)\n"), "{out}");
}

#[test]
fn programs_get_json_and_csv() {
    let shop = Shop::start();
    let (code, out, err) = shop.run(&["--json", SELECT]);
    assert_eq!((code, &*err, out.lines().count()), (0, "", 1));
    let answer: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(answer["columns"], serde_json::json!(["id", "note", "total"]));
    assert_eq!(answer["rows"][1], serde_json::json!(["22", null, "3.00"]));
    assert_eq!((answer["row_count"].as_u64(), answer["truncated"].as_bool()), (Some(3), Some(true)));
    assert_eq!(answer["receipt"]["rows"], answer["rows"]);
    assert_eq!(answer["receipt"]["sql"], SELECT);
    let (code, out, _) = shop.run(&["--csv", SELECT]);
    assert_eq!((code, &*out), (0, "id,note,total\n1,\"a,\"\"b\"\"\",12.50\n22,,3.00\n333,\"\",\n"));
    assert_eq!(shop.run(&["--csv", "--json", SELECT]).0, 2);
}

#[test]
fn a_denial_ends_with_1_and_says_what_check_says() {
    let shop = Shop::start();
    for sql in ["SELECT id FROM orders", "DROP TABLE orders", "UPDATE orders SET note = '' WHERE tenant_id = $1"] {
        let (code, out, err) = shop.run(&[sql]);
        assert_eq!((code, &*err), (1, ""), "{sql}");
        assert!(out.contains("error[E_") && out.contains("denied: "), "{out}");
        let (code, out, _) = shop.run(&["--json", sql]);
        let answer: Value = serde_json::from_str(&out).unwrap();
        assert_eq!((code, answer["verdict"]["allowed"].as_bool()), (1, Some(false)));
        assert!(answer.get("rows").is_none());
    }
}

#[test]
fn a_write_is_committed_only_where_writing_was_asked_for() {
    let shop = Shop::start();
    let update = "UPDATE orders SET note = 'new' WHERE tenant_id = $1 RETURNING id";
    assert_eq!(shop.run(&[update]).0, 1);
    let (code, out, _) = shop.run(&["--writable", update]);
    assert_eq!(code, 0);
    assert!(out.ends_with("(4 rows; more were cut (the policy's max_rows or max_result_bytes))\n"), "{out}");
    let written = "SELECT count(*) FROM app.orders WHERE note = 'new'";
    let mut client = shop.server.connect("postgres", "postgres").unwrap();
    assert_eq!(client.query_one(written, &[]).unwrap().get::<_, i64>(0), 4);
}

#[test]
fn what_could_not_run_ends_with_2_and_says_what_to_do() {
    let shop = Shop::start();
    let (code, out, err) = shop.run(&["SELECT 1 / (id - id) FROM orders WHERE tenant_id = $1"]);
    assert_eq!((code, &*out), (2, ""));
    assert!(err.contains("SQLSTATE 22012") && err.contains("withheld") && err.contains("help: "), "{err}");
    let (_, _, err) = shop.run(&["--show-errors", "SELECT 1 / (id - id) FROM orders WHERE tenant_id = $1"]);
    assert!(err.contains("division by zero"), "{err}");
    let nowhere =
        ["run", "--policy", "policy.yaml", "--dsn", "host=/nowhere user=u", "--context", "tenant_id=acme", "SELECT 1"];
    let (code, _, err) = parts(&output(&mut shop.folder.haltsql(&nowhere)));
    assert!(code == 2 && err.contains("help: "), "{err}");
    assert_eq!(shop.run(&["--sign-key", "policy.yaml", "SELECT 1"]).0, 2);
}

#[test]
fn ctrl_c_cancels_on_the_server() {
    let shop = Shop::start();
    let mut child = shop.command(&["SELECT pg_sleep(50)"]).spawn().unwrap();
    let mut client = shop.server.connect("postgres", "postgres").unwrap();
    let running = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%haltsql_capped%' AND state = 'active' AND pid <> pg_backend_pid()";
    let mut wait_for = |count: i64| {
        for _ in 0..600 {
            if client.query_one(running, &[]).unwrap().get::<_, i64>(0) == count {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("never {count}");
    };
    wait_for(1);
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(2));
    wait_for(0);
}

#[test]
fn receipts_are_written_signed_and_checked() {
    let shop = Shop::start();
    assert_eq!(shop.run(&["--sign-key", "key.pem", "--receipt", "receipt.json", SELECT]).0, 0);
    let (code, out, err) = shop.verify(&["receipt.json", "--public-key", "public.pem"]);
    assert_eq!((code, &*err), (0, ""));
    assert!(out.ends_with("the receipt is whole, and signed by that key\n"), "{out}");
    let rerun =
        ["receipt.json", "--dsn", &shop.dsn, "--policy", "policy.yaml", "--context", "tenant_id=acme", "--json"];
    let (code, out, err) = shop.verify(&rerun);
    assert_eq!((code, &*err), (0, ""), "{out}");
    let answer: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((answer["holds"].as_bool(), answer["rerun"]["holds"].as_bool()), (Some(true), Some(true)));
    let mut client = shop.server.connect("postgres", "postgres").unwrap();
    client.batch_execute("UPDATE app.orders SET note = 'other' WHERE id = 1").unwrap();
    let (code, out, _) = shop.verify(&rerun);
    let answer: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, answer["rerun"]["holds"].as_bool()), (1, Some(false)));
    let receipt = std::fs::read_to_string(shop.folder.write("touched.json", "")).unwrap();
    assert!(receipt.is_empty());
    let (code, _, err) = shop.verify(&["touched.json"]);
    assert!(code == 2 && err.contains("this is not a receipt"), "{err}");
}
