//! What `policy harden` prints, on real servers: every line matters, running it again changes nothing, attacks stay without effect.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, missing_docs, reason = "tests")]

mod attacks;
mod lines;
mod others;
mod pins;
mod random;
mod versions;

use std::collections::BTreeSet;

use haltsql::harden::{self, Options, Script, SealCheck, SealFinding};
use haltsql::session::PinKey;
use haltsql::{Policy, Seal};
use haltsql_testkit::{Server, Version, in_full};
use postgres::Transaction;
use postgres::types::Type;

const POLICY: &str = include_str!("policy.yaml");
const OPEN: &str = include_str!("open.sql");

/// A key like no other.
const KEY: &str = "00112233445566778899aabbccddeeff102132435465768798a9bacbdcedfe0f";

/// One policy, with a seal.
pub struct Case {
    pub policy: Policy,
    /// A role that is sealed.
    pub role: &'static str,
}

impl Case {
    pub fn of(seal: Seal) -> Case {
        let (role, execution) = match seal {
            Seal::Signed => ("agent", SIGNED),
            Seal::Bare => {
                ("agent", "role: agent\n    seal: bare\n    settings: { app.tenant: '{context.tenant_id}' }\n")
            }
            Seal::Login => ("t_acme", "role: 't_{context.tenant_id}'\n    seal: login\n"),
            Seal::None => panic!("there is nothing to seal"),
        };
        assert!(POLICY.contains(SIGNED));
        let text = POLICY.replace(SIGNED, execution);
        Case { policy: Policy::from_yaml(&text).unwrap(), role }
    }

    pub fn script(&self, optional: bool) -> Script {
        harden::script(&self.policy, &Options { optional, ..Options::default() }).unwrap()
    }

    pub fn check(&self) -> SealCheck {
        harden::seal_check(&self.policy).unwrap().unwrap()
    }
}

const SIGNED: &str = "role: agent\n    seal: signed\n    pin_key: { kid: k1, env: HALTSQL_PIN_KEY }\n";

/// A server with the open database as a template, and the roles that it speaks of.
pub struct Ward {
    pub server: Server,
    pub role: &'static str,
}

impl Ward {
    /// `role`: who is to be sealed.
    pub fn new(version: Version, role: &'static str) -> Ward {
        let ward = Ward { server: Server::start(version).unwrap(), role };
        ward.run("postgres", "CREATE ROLE shop_owner; CREATE ROLE shop_app LOGIN; CREATE ROLE staff");
        ward.run("postgres", &format!("CREATE ROLE {role}"));
        ward.run("postgres", "CREATE DATABASE open");
        ward.run("open", &OPEN.replace("agent", role));
        // As open as can be: also what no database holds.
        ward.run(
            "open",
            &format!(
                "REVOKE CONNECT ON DATABASE open FROM PUBLIC; GRANT CREATE ON DATABASE open TO {role};
                 ALTER ROLE {role} {} BYPASSRLS CREATEDB CREATEROLE REPLICATION; GRANT staff TO {role}",
                if role == "agent" { "NOLOGIN" } else { "LOGIN" },
            ),
        );
        ward.run("postgres", "CREATE DATABASE plain");
        let named: Vec<&str> = OPEN.split_inclusive(";\n").filter(|statement| !statement.contains("agent")).collect();
        ward.run("plain", &named.concat());
        ward
    }

    pub fn run(&self, database: &str, sql: &str) {
        self.attempt(database, sql).unwrap_or_else(|problem| panic!("{sql}\n{problem}"));
    }

    pub fn attempt(&self, database: &str, sql: &str) -> Result<(), String> {
        let mut client = self.server.connect(database, "postgres").unwrap();
        client.batch_execute(sql).map_err(|problem| in_full(&problem))
    }

    /// What is red after a text that ends in COMMIT was run, `before` having been run; then all of it is taken back.
    ///
    /// # Errors
    /// The server's.
    pub fn tried(
        &self,
        database: &str,
        before: &str,
        sql: &str,
        check: &SealCheck,
    ) -> Result<BTreeSet<String>, String> {
        let mut client = self.server.connect(database, "postgres").unwrap();
        let mut transaction = client.transaction().unwrap();
        transaction.batch_execute(before).unwrap();
        let sql = sql
            .strip_suffix(
                "COMMIT;
",
            )
            .unwrap();
        transaction.batch_execute(sql).map_err(|problem| in_full(&problem))?;
        Ok(ids(&self.ask(&mut transaction, check)))
    }

    /// What the seal check says, asked by `user`.
    pub fn findings(&self, database: &str, user: &str, check: &SealCheck) -> Vec<SealFinding> {
        let mut client = self.server.connect(database, user).unwrap();
        self.ask(&mut client.transaction().unwrap(), check)
    }

    fn ask(&self, transaction: &mut Transaction<'_>, check: &SealCheck) -> Vec<SealFinding> {
        transaction.batch_execute(SealCheck::PIN).unwrap();
        let rows = transaction.query_typed(check.sql(), &[(&self.role, Type::TEXT)]);
        let rows = rows.unwrap_or_else(|problem| panic!("{}\n{}", check.sql(), in_full(&problem)));
        let rows: Vec<[Option<String>; 3]> = rows.iter().map(|row| [row.get(0), row.get(1), row.get(2)]).collect();
        check.read(&rows)
    }

    pub fn found(&self, database: &str, check: &SealCheck) -> BTreeSet<String> {
        ids(&self.findings(database, "postgres", check))
    }
}

pub fn ids(findings: &[SealFinding]) -> BTreeSet<String> {
    findings.iter().map(|finding| finding.check.clone()).collect()
}

pub fn set(ids: &[&str]) -> BTreeSet<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

pub fn key() -> PinKey {
    PinKey::parse(KEY.as_bytes()).unwrap()
}
