//! Statements as they are, in a transaction that the session's steps opened: the database has to hold alone.

use std::sync::{Arc, Mutex};

use postgres::{Client, NoTls, SimpleQueryMessage};

use super::data::{Case, Outcome, Way};
use super::sealed::{Sealed, is_foreign};

/// What everybody on the connection was told.
type Heard = Arc<Mutex<String>>;

pub fn run(sealed: &Sealed, case: &Case, way: Way, end: &str) -> Outcome {
    let (mut client, heard) = connect(sealed);
    for statement in &case.session {
        drop(client.simple_query(statement));
    }
    let outcome = statement(sealed, &mut client, case, way, &heard);
    drop(client.simple_query(end));
    let outcome = match next(sealed, &mut client) {
        Some(next) if outcome != Outcome::Leak => next,
        _ => outcome,
    };
    drop(client);
    if case.writable && end == "COMMIT" {
        sealed.restore();
    }
    outcome
}

fn connect(sealed: &Sealed) -> (Client, Heard) {
    let heard = Heard::default();
    let told = heard.clone();
    let mut config = sealed.server.config("shop", &sealed.seal.user);
    config.notice_callback(move |notice| told.lock().unwrap().push_str(notice.message()));
    (config.connect(NoTls).unwrap(), heard)
}

fn statement(sealed: &Sealed, client: &mut Client, case: &Case, way: Way, heard: &Heard) -> Outcome {
    let session = sealed.session("acme", case.writable);
    if !sealed.begin(client, &session) {
        return Outcome::Refused;
    }
    let began = one(client, "SELECT pg_catalog.now()");
    let role = one(client, "SELECT current_user");
    heard.lock().unwrap().clear();
    let text = match way {
        Way::Capped => format!("SELECT * FROM (\n{}\n) AS haltsql_capped LIMIT 1001", case.sql),
        Way::Plain | Way::Guard => case.sql.clone(),
    };
    let ran = client.simple_query(&text);
    let foreign = match &ran {
        Ok(messages) => cells(messages).iter().any(|cell| is_foreign(cell, "acme")),
        Err(error) => error.as_db_error().is_some_and(|error| is_foreign(&format!("{error:?}"), "acme")),
    };
    if foreign || is_foreign(&heard.lock().unwrap(), "acme") {
        return Outcome::Leak;
    }
    if ran.is_err() {
        return Outcome::Refused;
    }
    // The text of the same moment changes with TimeZone.
    if one(client, &format!("SELECT pg_catalog.now() = '{}'", began.unwrap_or_default())).as_deref() != Some("t") {
        return Outcome::Ended;
    }
    if one(client, "SELECT current_user") != role {
        return Outcome::Role;
    }
    match client.simple_query("SELECT name FROM app.customers") {
        Ok(rows) if cells(&rows).iter().any(|cell| is_foreign(cell, "acme")) => Outcome::Repinned,
        _ => Outcome::Harmless,
    }
}

/// Another tenant's turn on the connection: wrong, refused, or as it should be.
fn next(sealed: &Sealed, client: &mut Client) -> Option<Outcome> {
    let tenant = sealed.next();
    if !sealed.begin(client, &sealed.session(tenant, false)) {
        return Some(Outcome::NextRefused);
    }
    let own = client.simple_query("SELECT name FROM app.customers");
    let rows = own.map(|messages| cells(&messages)).unwrap_or_default();
    let right = rows.len() == 4 && !rows.iter().any(|cell| is_foreign(cell, tenant));
    (!right).then_some(Outcome::Next)
}

fn cells(messages: &[SimpleQueryMessage]) -> Vec<String> {
    let row = |message: &SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => (0..row.len()).filter_map(|at| row.get(at).map(str::to_owned)).collect(),
        _ => Vec::new(),
    };
    messages.iter().flat_map(row).collect()
}

fn one(client: &mut Client, query: &str) -> Option<String> {
    client.simple_query(query).ok().and_then(|messages| cells(&messages).into_iter().next())
}
