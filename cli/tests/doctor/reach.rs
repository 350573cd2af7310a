//! How the doctor reaches a server, as whom, and what it says when it does not.

use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::thread;

use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

use crate::common::parts;
use crate::{Clinic, GREEN, Report, WARD_16, WARD_18};

#[test]
fn the_executing_role_can_be_the_one_that_looks() {
    let clinic = &*WARD_18;
    let as_superuser = clinic.report("green", &[]).states();
    let output = clinic.doctor(&clinic.dsn("green", "doctor_agent"), &["--json", "--optional"]);
    assert_eq!(Report::of(&output).states(), as_superuser, "a role without rights sees the same");
    let as_itself = clinic.report("green", &["--role", "postgres"]).states();
    let red: Vec<_> = as_itself.iter().filter(|(_, state)| *state == "red").map(|(id, _)| &**id).collect();
    assert_eq!(red, ["role.bypassrls", "role.superuser", "seal.hold", "seal.open", "search_path.create_privilege"]);
}

#[test]
fn with_a_role_for_each_tenant_every_one_of_them_counts() {
    let clinic = &*WARD_18;
    let folder = tempfile::tempdir().unwrap();
    let policy = folder.path().join("login.yaml");
    let text = include_str!("policy.yaml");
    let login = text
        .replace("role: doctor_agent", "role: 'ward_{context.tenant_id}_x'")
        .replace("seal: signed\n    pin_key: { kid: k1, env: HALTSQL_PIN_KEY }", "seal: login");
    assert!(login.contains("seal: login") && login.contains("ward_"), "{login}");
    std::fs::write(&policy, login).unwrap();
    let look = || Report::of(&Clinic::doctor_on(&policy, &clinic.dsn("green", "postgres"), &["--json"]));
    assert_eq!(look().states()["role.exists"], "red");

    clinic.run_sql(
        "green",
        "CREATE ROLE ward_acme_x; CREATE ROLE \"ward_b%\"; CREATE ROLE ward_x; CREATE ROLE \"ward_É_x\" BYPASSRLS",
    );
    clinic.run_sql("green", "GRANT USAGE ON SCHEMA app, lib, spare TO ward_acme_x, \"ward_É_x\"");
    let report = look();
    assert_eq!(report.0["roles"], serde_json::json!(["ward_acme_x", "ward_É_x"]));
    // What a seal for each tenant wants is told by core/tests/harden.
    let red = report.states().into_iter().filter(|(id, state)| state == "red" && !id.starts_with("seal."));
    assert_eq!(red.map(|(id, _)| id).collect::<Vec<_>>(), ["role.bypassrls"]);
    assert_eq!(report.mend("role.bypassrls"), ["ALTER ROLE \"ward_É_x\" NOBYPASSRLS"]);
}

#[test]
fn an_encoding_that_is_not_utf_8_turns_its_line_red() {
    for clinic in [&*WARD_18, &*WARD_16] {
        clinic.run_sql(
            "postgres",
            "CREATE DATABASE ascii ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0",
        );
        clinic.run_sql("ascii", GREEN);
        clinic.run_sql("ascii", &Clinic::harden(&clinic.policy, &["--optional"]));
        let mut wanted = clinic.report("green", &[]).states();
        wanted.insert("server.encoding".to_owned(), "red".to_owned());
        assert_eq!(clinic.report("ascii", &[]).states(), wanted);
    }
}

/// No server of another version is at hand: one that is says so, by a proxy that changes its number.
#[test]
fn another_version_turns_its_line_red() {
    for (clinic, said) in [(&*WARD_18, b"190001"), (&*WARD_16, b"130022")] {
        let mut client = clinic.server.connect("green", "postgres").unwrap();
        let own: String = client.query_one("SHOW server_version_num", &[]).unwrap().get(0);
        let folder = tempfile::tempdir().unwrap();
        lie(folder.path(), &clinic.server.socket_folder(), own.as_bytes(), said);
        let dsn = format!("host={} dbname=green user=postgres", folder.path().display());
        let report = Report::of(&clinic.doctor(&dsn, &["--json", "--optional"]));
        assert_eq!(report.0["server_version"], std::str::from_utf8(said).unwrap().parse::<i32>().unwrap());
        let mut wanted = clinic.report("green", &[]).states();
        wanted.insert("server.version".to_owned(), "red".to_owned());
        assert_eq!(report.states(), wanted);
    }
}

/// Serves one connection, with one text of the server's answers changed.
fn lie(folder: &Path, server: &Path, truth: &[u8], said: &'static [u8]) {
    let listener = UnixListener::bind(folder.join(".s.PGSQL.5432")).unwrap();
    let (server, truth) = (server.join(".s.PGSQL.5432"), truth.to_vec());
    thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let mut server = UnixStream::connect(server).unwrap();
        let (mut from, mut to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
        thread::spawn(move || std::io::copy(&mut from, &mut to));
        let mut bytes = [0; 65536];
        while let Ok(read @ 1..) = server.read(&mut bytes) {
            let answer = &mut bytes[..read];
            while let Some(at) = answer.windows(truth.len()).position(|window| window == truth) {
                answer[at..at + said.len()].copy_from_slice(said);
            }
            if client.write_all(answer).is_err() {
                break;
            }
        }
    });
}

#[test]
fn what_cannot_be_reached_is_an_error_that_shows_no_password() {
    let clinic = &*WARD_18;
    let socket = clinic.server.socket_folder();
    let socket = socket.display();
    for (dsn, says) in [
        ("postgresql://agent:hunter2@/no where".to_owned(), "cannot"),
        ("postgresql://agent:hunter2@127.0.0.1:1/shop".to_owned(), "cannot connect"),
        ("host=127.0.0.1 port=1 password=hunter2".to_owned(), "cannot connect"),
        ("password=hunter2 hunter2=hunter2".to_owned(), "cannot be read"),
        ("postgresql://agent:hun@ter2@[::1/shop?hunter2=hunter2".to_owned(), "cannot"),
        (format!("host={socket} dbname=green user=nobody_known password=hunter2"), "does not exist"),
        (format!("host={socket} dbname=absent user=postgres password=hunter2"), "does not exist"),
    ] {
        let (code, out, err) = parts(&clinic.doctor(&dsn, &[]));
        assert_eq!((code, &*out), (2, ""), "{dsn}: {err}");
        assert!(err.starts_with("error: ") && err.contains(says) && err.contains("\n help: "), "{dsn}: {err}");
        assert!(!err.contains("hunter2") && !err.contains("ter2"), "{err}");
    }
}

#[test]
fn required_tls_is_never_dropped() {
    let clinic = &*WARD_18;
    for mode in ["require", "verify-full", "verify-ca"] {
        let dsn = format!("{} sslmode={mode}", clinic.dsn("green", "postgres"));
        let (code, out, err) = parts(&clinic.doctor(&dsn, &[]));
        assert_eq!((code, &*out), (2, ""), "{mode}");
        assert!(err.contains("TLS"), "{mode}: {err}");
    }
}

#[test]
fn tls_verifies_the_server() {
    let clinic = &*WARD_18;
    let folder = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let trusted = folder.path().join("trusted.pem");
    std::fs::write(&trusted, made.cert.pem()).unwrap();
    let other = folder.path().join("other.pem");
    std::fs::write(&other, rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap().cert.pem()).unwrap();
    let port = behind_tls(&clinic.server.socket_folder(), made);

    let url = |host: &str, mode: &str| format!("postgresql://postgres@{host}:{port}/green?sslmode={mode}");
    for mode in ["require", "verify-full", "prefer"] {
        let root = ["--json", "--optional", "--ssl-root-cert", trusted.to_str().unwrap()];
        let report = Report::of(&clinic.doctor(&url("localhost", mode), &root));
        assert_eq!(report.states(), clinic.report("green", &[]).states(), "{mode}");
    }
    let named = format!("{}&sslrootcert={}", url("localhost", "verify-full"), trusted.display());
    Report::of(&clinic.doctor(&named, &["--json"]));

    for (dsn, root) in [
        (url("localhost", "require"), Some(&other)),
        (url("localhost", "require"), None),
        (url("localhost", "prefer"), None),
        (url("127.0.0.1", "verify-full"), Some(&trusted)),
    ] {
        let root = root.map(|root| root.to_str().unwrap());
        let more: Vec<&str> = root.into_iter().flat_map(|root| ["--ssl-root-cert", root]).collect();
        let (code, out, err) = parts(&clinic.doctor(&dsn, &more));
        assert_eq!((code, &*out), (2, ""), "{dsn}: {err}");
        assert!(err.contains("--ssl-root-cert"), "{dsn}: {err}");
    }
    let (code, _, err) = parts(&clinic.doctor(&url("localhost", "require"), &["--ssl-root-cert", "/dev/null"]));
    assert_eq!(code, 2);
    assert!(err.contains("`/dev/null`"), "{err}");
}

/// The server behind TLS on a port of its own: PostgreSQL's SSLRequest answered, then the handshake.
fn behind_tls(server: &Path, made: rcgen::CertifiedKey<rcgen::KeyPair>) -> u16 {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()).into();
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let listener = std::net::TcpListener::bind(("localhost", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let socket = server.join(".s.PGSQL.5432");
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        runtime.block_on(async move {
            listener.set_nonblocking(true).unwrap();
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            loop {
                let (mut client, _) = listener.accept().await.unwrap();
                let mut request = [0; 8];
                client.read_exact(&mut request).await.unwrap();
                assert_eq!(request, [0, 0, 0, 8, 4, 210, 22, 47], "an SSLRequest");
                client.write_all(b"S").await.unwrap();
                // A client that does not trust the certificate goes away.
                let Ok(mut client) = acceptor.accept(client).await else { continue };
                let mut server = tokio::net::UnixStream::connect(&socket).await.unwrap();
                let _closed = tokio::io::copy_bidirectional(&mut client, &mut server).await;
            }
        });
    });
    port
}
