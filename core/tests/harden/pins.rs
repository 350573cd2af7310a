//! Signed pins on real servers: the right one gives the tenant's rows, every other none.

use std::sync::Arc;

use haltsql::harden::{Options, sql};
use haltsql::session::{PinInput, PinKey, Session, SessionOptions};
use haltsql::{Context, Seal};
use haltsql_testkit::{Version, in_full};
use postgres::types::{ToSql, Type};
use postgres::{Client, SimpleQueryMessage};
use sha2::{Digest as _, Sha256};

use crate::{Case, KEY, Ward, key};

/// A pin as the format says, by its parts, under a key of 64 bytes or fewer (RFC 2104).
pub fn sign(key: &str, database: &str, user: &str, kid: &str, not_after: &str, context: &str) -> String {
    let signed = format!("haltsql-pin-1.{}.{}.{kid}.{not_after}.{}", hex(database), hex(user), hex(context));
    let key: Vec<u8> = (0..key.len()).step_by(2).map(|at| u8::from_str_radix(&key[at..at + 2], 16).unwrap()).collect();
    let pad = |byte: u8| -> Vec<u8> { (0..64).map(|at| key.get(at).copied().unwrap_or_default() ^ byte).collect() };
    let inner = Sha256::digest([&pad(0x36)[..], signed.as_bytes()].concat());
    let code = Sha256::digest([&pad(0x5c)[..], &inner].concat());
    format!("h1.{kid}.{not_after}.{}.{}", hex(context), hex(code))
}

fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Seconds since 1970 by the server's clock.
pub fn in_seconds(client: &mut Client, seconds: i64) -> String {
    let now: i64 = client.query_one("SELECT extract(epoch FROM now())::bigint", &[]).unwrap().get(0);
    (now + seconds).to_string()
}

/// A database that is sealed for the policy with `seal: signed`, and holds the key.
pub fn sealed(version: Version, optional: bool) -> (Case, Ward) {
    let case = Case::of(Seal::Signed);
    let ward = Ward::new(version, case.role);
    let key = key();
    ward.run("open", &sql(&case.policy, &Options { optional, pin_key: Some(&key), notes: &[] }).unwrap());
    (case, ward)
}

fn rows(client: &mut Client, pin: &str, query: &str) -> Vec<String> {
    let mut transaction = client.build_transaction().read_only(true).start().unwrap();
    transaction.execute("SELECT set_config('haltsql.pin', $1, true)", &[&pin]).unwrap();
    let mut rows: Vec<String> = Vec::new();
    for message in transaction.simple_query(query).unwrap() {
        if let SimpleQueryMessage::Row(row) = message {
            rows.push(row.get(0).unwrap_or_default().to_owned());
        }
    }
    rows
}

#[test]
fn only_a_pin_that_was_signed_for_this_session_gives_rows() {
    let (_, ward) = sealed(Version::Pg18, false);
    let mut client = ward.server.connect("open", "agent").unwrap();
    let soon = in_seconds(&mut client, 30);
    let acme = r#"{"tenant_id":["acme"]}"#;
    let pin = |context: &str| sign(KEY, "open", "agent", "k1", &soon, context);
    let tenants = "SELECT DISTINCT tenant_id FROM app.orders ORDER BY 1";

    assert_eq!(rows(&mut client, &pin(acme), tenants), ["acme"]);
    assert_eq!(rows(&mut client, &pin(r#"{"tenant_id":["globex","acme"]}"#), tenants), ["acme", "globex"]);
    assert_eq!(rows(&mut client, &pin(r#"{"tenant_id":["nobody"]}"#), tenants), Vec::<String>::new());
    assert_eq!(
        rows(&mut client, &pin(acme), r#"SELECT "the $haltsql$ \ column" FROM far."Odd 'Table'""#),
        ["ACME odd"]
    );
    assert_eq!(rows(&mut client, &pin(acme), "SELECT count(*) FROM app.products"), ["2"], "shared tables are whole");

    let past = in_seconds(&mut client, -1);
    let good = pin(r#"{"tenant_id":["acme"],"other":["é"]}"#);
    assert_eq!(rows(&mut client, &good, tenants), ["acme"]);
    let parts: Vec<&str> = good.split('.').collect();
    let with = |at: usize, part: &str| {
        let mut parts = parts.clone();
        parts[at] = part;
        parts.join(".")
    };
    let globex = hex(r#"{"tenant_id":["globex"]}"#);
    let other_key = KEY.replace('0', "1");
    let forged = [
        String::new(),
        "globex".to_owned(),
        "....".to_owned(),
        with(0, "h2"),
        with(1, "k2"),
        with(1, ""),
        with(2, "99999999999"),
        with(2, "-1"),
        with(2, "9999999999999"),
        with(3, &globex),
        with(3, ""),
        with(3, &parts[3].to_uppercase()),
        with(3, &format!("{}.{globex}", parts[3])),
        with(4, &parts[4].to_uppercase()),
        with(4, &parts[4][..62]),
        with(4, &format!("{}00", parts[4])),
        with(4, &"0".repeat(64)),
        format!("{good}\n"),
        format!(" {good}"),
        format!("{good}.{good}"),
        good.repeat(2),
        format!("{good}{}", "x".repeat(300_000)),
        sign(KEY, "open", "agent", "k1", &past, acme),
        sign(KEY, "postgres", "agent", "k1", &soon, acme),
        sign(KEY, "open", "shop_app", "k1", &soon, acme),
        sign(&other_key, "open", "agent", "k1", &soon, acme),
        sign(KEY, "open", "agent", "k2", &soon, acme),
        pin(r#"{"tenant_id":"acme"}"#),
        pin(r#"{"tenant_id":{"acme":"acme"}}"#),
        pin(r#"{"tenant_id":[]}"#),
        pin(r#"{"tenant_id":null}"#),
        pin(r#"{"tenant":["acme"]}"#),
        pin(r#"["acme"]"#),
        pin("\"acme\""),
    ];
    for forged in &forged {
        let shown = &forged[..forged.len().min(120)];
        assert_eq!(rows(&mut client, forged, tenants), Vec::<String>::new(), "{shown}");
    }
    // Signed, and no JSON: an error, and no rows.
    let mut transaction = client.transaction().unwrap();
    transaction.execute("SELECT set_config('haltsql.pin', $1, true)", &[&pin("acme")]).unwrap();
    assert!(transaction.simple_query(tenants).is_err());
    drop(transaction);

    ward.run("open", "UPDATE haltsql.pin_key SET valid_until = now()");
    assert_eq!(rows(&mut client, &pin(acme), tenants), Vec::<String>::new(), "a key that has run out");
}

#[test]
fn another_key_takes_the_place_of_one_with_its_name() {
    let (case, ward) = sealed(Version::Pg16, false);
    let mut client = ward.server.connect("open", "agent").unwrap();
    let soon = in_seconds(&mut client, 30);
    let other = KEY.replace('0', "1");
    let next = PinKey::parse(other.as_bytes()).unwrap();
    ward.run("open", &sql(&case.policy, &Options { optional: false, pin_key: Some(&next), notes: &[] }).unwrap());
    let (acme, query) = (r#"{"tenant_id":["acme"]}"#, "SELECT count(*) FROM app.customers");
    assert_eq!(rows(&mut client, &sign(&other, "open", "agent", "k1", &soon, acme), query), ["20"]);
    assert_eq!(rows(&mut client, &sign(KEY, "open", "agent", "k1", &soon, acme), query), ["0"]);
}

#[test]
fn a_key_is_never_shown() {
    let case = Case::of(Seal::Bare);
    let key = key();
    let refused = sql(&case.policy, &Options { pin_key: Some(&key), ..Options::default() }).unwrap_err();
    assert!(!refused.to_string().contains(&KEY[..8]), "{refused}");
    let text = sql(&Case::of(Seal::Signed).policy, &Options { pin_key: Some(&key), ..Options::default() }).unwrap();
    assert!(!text.contains(KEY) && text.contains("INSERT INTO haltsql.pin_key"), "the pads, and not the key");
    let without = sql(&Case::of(Seal::Signed).policy, &Options::default()).unwrap();
    assert!(!without.contains("INSERT INTO") && without.contains("--key-file"), "{without}");
}

/// What a guard sends, on what the script made: under each seal the pin holds, and the tenant's rows come.
#[test]
fn a_guards_session_is_accepted_under_each_seal() {
    for (seal, user) in [(Seal::Signed, "agent"), (Seal::Login, "t_acme"), (Seal::Bare, "shop_app")] {
        let case = Case::of(seal);
        let ward = Ward::new(Version::Pg18, case.role);
        let key = (seal == Seal::Signed).then(key);
        ward.run("open", &sql(&case.policy, &Options { optional: true, pin_key: key.as_ref(), notes: &[] }).unwrap());
        if seal == Seal::Bare {
            ward.run("open", "GRANT agent TO shop_app; GRANT CONNECT ON DATABASE open TO shop_app");
        }
        let context = Context::new().with("tenant_id", "acme");
        let session = Session::open(Arc::new(case.policy), Arc::new(context), SessionOptions::default()).unwrap();
        let mut client = ward.server.connect("open", user).unwrap();
        let now = in_seconds(&mut client, 0).parse().unwrap();
        let mut transaction = client.build_transaction().read_only(true).start().unwrap();
        let pin = session.pin(&PinInput { database: "open", now, key: key.as_ref() }).unwrap();
        let params: Vec<(&(dyn ToSql + Sync), Type)> =
            pin.params.iter().map(|param| (param as &(dyn ToSql + Sync), Type::TEXT)).collect();
        let row = transaction
            .query_typed_one(&pin.sql, &params)
            .unwrap_or_else(|problem| panic!("{seal:?}: {}", in_full(&problem)));
        let row: Vec<Option<String>> = (0..row.len()).map(|at| row.get(at)).collect();
        let row: Vec<Option<&str>> = row.iter().map(Option::as_deref).collect();
        assert_eq!(session.read_pin(&row).unwrap().role, case.role, "{seal:?}");
        let query = "SELECT count(*), count(*) FILTER (WHERE tenant_id = 'acme') FROM app.customers";
        let row = transaction.query_typed_one(query, &[]).unwrap();
        assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1)), (20, 20), "{seal:?}");
    }
}
