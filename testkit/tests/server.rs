//! The servers that other tests rely on: their versions, their modules, and that nothing is left of them.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use haltsql_testkit::{Server, Version};

fn version_of(server: &Server) -> i32 {
    let mut client = server.connect("postgres", "postgres").unwrap();
    let row = client.query_one("SELECT pg_catalog.current_setting('server_version_num')", &[]).unwrap();
    row.get::<_, String>(0).parse::<i32>().unwrap() / 10_000
}

#[test]
fn each_version_is_what_its_name_says() {
    let all = [(Version::Pg14, 14), (Version::Pg15, 15), (Version::Pg16, 16), (Version::Pg17, 17), (Version::Pg18, 18)];
    for (version, major) in all {
        assert_eq!(version_of(&Server::start(version).unwrap()), major);
    }
}

#[test]
fn tests_have_icu_and_the_contrib_modules() {
    let server = Server::start(Version::Pg18).unwrap();
    server.create_database("a \"quoted\" name").unwrap();
    let mut client = server.connect("a \"quoted\" name", "postgres").unwrap();
    for module in ["citext", "dblink", "pg_trgm", "fuzzystrmatch", "pgcrypto", "tablefunc"] {
        client.batch_execute(&format!("CREATE EXTENSION {module}")).unwrap();
    }
    let row = client.query_one("SELECT 'a' < 'B' COLLATE \"en-x-icu\"", &[]).unwrap();
    assert!(row.get::<_, bool>(0));
}

#[test]
fn a_dropped_server_leaves_nothing() {
    let server = Server::start(Version::Pg18).unwrap();
    let folder = server.folder().to_path_buf();
    let postmaster = postmaster(&folder);
    assert!(Path::new(&postmaster).exists());
    drop(server);
    assert!(!folder.exists());
    assert!(!Path::new(&postmaster).exists());
}

#[test]
fn a_killed_owner_leaves_nothing() {
    // This test's own program, asked to start a server and wait; see `owner`.
    let mut owner = Command::new(std::env::current_exe().unwrap())
        .args(["owner", "--exact", "--nocapture"])
        .env("HALTSQL_TESTKIT_OWNER", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let folder = std::io::BufRead::lines(std::io::BufReader::new(owner.stdout.take().unwrap()))
        .map(Result::unwrap)
        .find_map(|line| line.split_once("folder=").map(|(_, folder)| folder.to_owned()))
        .unwrap();
    let folder = Path::new(&folder);
    let postmaster = postmaster(folder);
    assert!(Path::new(&postmaster).exists());
    owner.kill().unwrap();
    owner.wait().unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    while folder.exists() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!folder.exists());
    assert!(!Path::new(&postmaster).exists());
}

/// The owner that `a_killed_owner_leaves_nothing` kills; of no use, and quick, when it is run as a test.
#[test]
fn owner() {
    if std::env::var_os("HALTSQL_TESTKIT_OWNER").is_some() {
        let server = Server::start(Version::Pg18).unwrap();
        println!("folder={}", server.folder().display());
        std::thread::sleep(Duration::from_secs(120));
    }
}

#[test]
fn a_missing_program_is_named() {
    let error = haltsql_pgtemp::Server::start(Path::new("/usr/share")).unwrap_err().to_string();
    assert_eq!(error, "there is no /usr/share/initdb");
}

/// The server's entry below `/proc`.
fn postmaster(folder: &Path) -> String {
    // Readable for the server's user alone, and so for root and for whoever started it.
    let pid = std::fs::read_to_string(folder.join("data/postmaster.pid")).unwrap();
    format!("/proc/{}", pid.lines().next().unwrap())
}
