//! `haltsql policy doctor` on real servers: one database on which everything holds, and for each check a change that turns exactly its
//! line red.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod breaks;
#[path = "../common/mod.rs"]
mod common;
mod reach;
mod report;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use haltsql_testkit::{Server, Version};
use serde_json::Value;

use breaks::{BREAKS, ELSEWHERE, Mend};

const GREEN: &str = include_str!("green.sql");

/// Servers that tests share which leave the roles as they are.
static WARD_18: LazyLock<Clinic> = LazyLock::new(|| Clinic::new(Version::Pg18));
static WARD_16: LazyLock<Clinic> = LazyLock::new(|| Clinic::new(Version::Pg16));

/// A server with the database `green` and the roles of it.
struct Clinic {
    server: Server,
    version: i32,
    policy: PathBuf,
}

impl Clinic {
    fn new(version: Version) -> Clinic {
        let server = Server::start(version).unwrap();
        let mut admin = server.connect("postgres", "postgres").unwrap();
        admin.batch_execute("CREATE ROLE doctor_owner; CREATE ROLE doctor_agent LOGIN").unwrap();
        let version: String = admin.query_one("SHOW server_version_num", &[]).unwrap().get(0);
        let policy = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/doctor/policy.yaml");
        let clinic = Clinic { server, version: version.parse::<i32>().unwrap() / 10_000, policy };
        clinic.server.create_database("green").unwrap();
        clinic.run_sql("green", GREEN);
        let harden = Self::harden(&clinic.policy, &["--optional"]);
        clinic.run_sql("green", &harden);
        // Not among those that keep what everybody lost: a break by membership would open all of that too.
        clinic.run_sql("green", "REVOKE haltsql_unsealed FROM doctor_owner; CREATE ROLE doctor_group");
        clinic
    }

    /// Runs statements, each by itself.
    fn run_sql(&self, database: &str, sql: &str) {
        self.attempt(database, sql).unwrap_or_else(|problem| panic!("{sql}: {problem}"));
    }

    fn attempt(&self, database: &str, sql: &str) -> Result<(), String> {
        let done = self.server.connect(database, "postgres").unwrap().batch_execute(sql);
        done.map_err(|problem| haltsql_testkit::in_full(&problem))
    }

    /// What `haltsql policy harden` prints.
    fn harden(policy: &Path, more: &[&str]) -> String {
        let output =
            Command::new(env!("CARGO_BIN_EXE_haltsql")).args(["policy", "harden"]).arg(policy).args(more).output();
        let (code, out, err) = common::parts(&output.unwrap());
        assert_eq!((code, &*err), (0, ""));
        out
    }

    /// A copy of the green database; rights on a database itself are not copied.
    fn copy(&self, name: &str) {
        self.run_sql("postgres", &format!("CREATE DATABASE {name} TEMPLATE green"));
        self.run_sql("postgres", &format!("REVOKE TEMPORARY ON DATABASE {name} FROM PUBLIC"));
    }

    fn dsn(&self, database: &str, user: &str) -> String {
        format!("host={} dbname={database} user={user}", self.server.socket_folder().display())
    }

    fn doctor(&self, dsn: &str, more: &[&str]) -> Output {
        Self::doctor_on(&self.policy, dsn, more)
    }

    fn doctor_on(policy: &Path, dsn: &str, more: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_haltsql"));
        command.args(["policy", "doctor"]).arg(policy).args(["--dsn", dsn]).args(more);
        command.output().unwrap()
    }

    fn report(&self, database: &str, more: &[&str]) -> Report {
        Report::of(&self.doctor(&self.dsn(database, "postgres"), &[&["--json", "--optional"], more].concat()))
    }
}

/// The doctor's JSON.
struct Report(Value);

impl Report {
    fn of(output: &Output) -> Report {
        let (code, out, err) = common::parts(output);
        assert_eq!(err, "", "{out}");
        let report = Report(serde_json::from_str(&out).unwrap());
        assert_eq!(code, i32::from(!report.0["ok"].as_bool().unwrap()), "{out}");
        report
    }

    fn checks(&self) -> &Vec<Value> {
        self.0["checks"].as_array().unwrap()
    }

    /// Each check's state.
    fn states(&self) -> BTreeMap<String, String> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        self.checks().iter().map(|check| (text(&check["id"]), text(&check["state"]))).collect()
    }

    fn findings(&self, id: &str) -> Vec<Value> {
        let check = self.checks().iter().find(|check| check["id"] == id).unwrap();
        check["findings"].as_array().cloned().unwrap_or_default()
    }

    /// The SQL that mends a check.
    fn mend(&self, id: &str) -> Vec<String> {
        let findings = self.findings(id);
        let sql = findings.iter().flat_map(|finding| finding["mend"].as_array().unwrap());
        sql.map(|sql| sql.as_str().unwrap().to_owned()).collect()
    }
}

fn expected(clinic: &Clinic) -> BTreeMap<String, String> {
    let mut states = clinic.report("green", &[]).states();
    let moot: Vec<_> = states.iter().filter(|(_, state)| *state != "ok").map(|(id, _)| id.clone()).collect();
    // PostgreSQL 17 knows all of the syntax; nothing else may have nothing to look at, or a break would not show.
    let own = ["seal.set_config"];
    assert_eq!(moot, if clinic.version >= 17 { [&["overloads.syntax"], &own[..]].concat() } else { own.to_vec() });
    states.retain(|_, state| state != "red");
    states
}

fn each_break_turns_its_line_red(version: Version) {
    let clinic = Clinic::new(version);
    let green = expected(&clinic);
    let mut wrong = Vec::new();
    for (number, case) in BREAKS.iter().enumerate() {
        if !(case.versions.0..=case.versions.1).contains(&clinic.version) {
            continue;
        }
        let database = format!("broken_{number}");
        clinic.copy(&database);
        let sql = case.sql.replace("{db}", &database);
        if let Err(problem) = clinic.attempt(&database, &sql) {
            wrong.push(format!("{sql}\n{problem}"));
            continue;
        }

        let mut wanted = green.clone();
        for id in case.also.iter().chain([&case.id]) {
            wanted.insert((*id).to_owned(), "red".to_owned());
        }
        for id in case.moot {
            wanted.insert((*id).to_owned(), "not_applicable".to_owned());
        }
        if case.id == "role.exists" {
            for (_, state) in wanted.iter_mut().filter(|(id, _)| id.starts_with("seal.")) {
                *state = "not_applicable".to_owned();
            }
        }
        let report = clinic.report(&database, &[]);
        if report.states() != wanted {
            let differ = report.states().into_iter().filter(|(id, state)| wanted.get(id) != Some(state));
            wrong.push(format!("{sql}\n{:?}", differ.collect::<Vec<_>>()));
        }
        if !case.undo.is_empty() {
            clinic.run_sql(&database, case.undo);
        }
        let mend = report.mend(case.id);
        if case.mend == Mend::Person {
            assert_eq!(mend, Vec::<String>::new(), "{sql}");
            assert!(report.findings(case.id).iter().all(|finding| finding["advice"].is_string()), "{sql}");
            continue;
        }
        assert!(!mend.is_empty(), "nothing mends: {sql}\n{:#}", report.0);
        for statement in &mend {
            clinic.run_sql(&database, statement);
        }
        let mended = clinic.report(&database, &[]);
        // What others see from their side is theirs to mend.
        let (mut states, mut wanted) = (mended.states(), green.clone());
        for id in case.also.iter().chain(case.left) {
            states.remove(*id);
            wanted.remove(*id);
        }
        if states != wanted {
            let differ = states.into_iter().filter(|(id, state)| wanted.get(id) != Some(state));
            wrong.push(format!("mended by {mend:?}: {sql}\n{:?}", differ.collect::<Vec<_>>()));
        }
        clinic.run_sql("postgres", &format!("DROP DATABASE {database}"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert_eq!(clinic.report("green", &[]).states(), green, "a break reached the database that it was copied from");
}

#[test]
fn each_break_turns_its_line_red_on_postgresql_18() {
    each_break_turns_its_line_red(Version::Pg18);
}

#[test]
fn each_break_turns_its_line_red_on_postgresql_16() {
    each_break_turns_its_line_red(Version::Pg16);
}

#[test]
fn every_check_is_broken_by_something() {
    let clinic = &*WARD_18;
    let known: BTreeSet<String> = clinic.report("green", &[]).states().into_keys().collect();
    let broken: BTreeSet<String> = BREAKS.iter().map(|case| case.id).chain(ELSEWHERE).map(str::to_owned).collect();
    assert_eq!(broken, known);
}
