//! `server.*`: the server reads a text as HaltSQL does.

use haltsql::quote_ident;

use super::super::facts::StringsOff;
use super::{Check, Finding, Given, State};

/// The grammar and the profiles were compared with these.
const KNOWN: std::ops::RangeInclusive<i32> = 14..=18;

pub const VERSION: Check =
    Check { id: "server.version", title: "the server is a PostgreSQL of version 14 to 18", run: version };
pub const ENCODING: Check = Check { id: "server.encoding", title: "the database's encoding is UTF-8", run: encoding };
pub const STRINGS: Check = Check {
    id: "server.standard_conforming_strings",
    title: "a backslash in a string is a backslash",
    run: standard_strings,
};

fn version(given: &Given<'_>) -> State {
    let major = given.facts.server.major();
    if KNOWN.contains(&major) {
        return State::Holds;
    }
    let finding = Finding::new("server", format!("it is PostgreSQL {major}")).advise(
        "other versions have another grammar, other functions and other rules: use a server of version 14 to 18",
    );
    State::Broken(vec![finding])
}

fn encoding(given: &Given<'_>) -> State {
    let server = &given.facts.server;
    if server.encoding == "UTF8" {
        return State::Holds;
    }
    let finding = Finding::new(&*server.database, format!("its encoding is {}", server.encoding)).advise(
        "a database keeps its encoding: dump it, and restore it into one that was created with ENCODING 'UTF8' TEMPLATE template0",
    );
    State::Broken(vec![finding])
}

fn standard_strings(given: &Given<'_>) -> State {
    let server = &given.facts.server;
    let database = quote_ident(&server.database);
    let mut findings = Vec::new();
    for role in &given.facts.roles {
        for place in &role.strings_off {
            let name = quote_ident(&role.name);
            let (within, found) = match place {
                StringsOff::Everywhere => (String::new(), "it logs in with standard_conforming_strings = off"),
                StringsOff::InDatabase => (
                    format!(" IN DATABASE {database}"),
                    "it logs into this database with standard_conforming_strings = off",
                ),
            };
            findings.push(
                Finding::new(&*role.name, found)
                    .mend(format!("ALTER ROLE {name}{within} SET standard_conforming_strings = on")),
            );
        }
    }
    if findings.is_empty() && !server.standard_strings {
        findings.push(
            Finding::new(&*server.database, "a session here starts with standard_conforming_strings = off")
                .mend(format!("ALTER DATABASE {database} SET standard_conforming_strings = on"))
                .advise("where the connection string, the role or postgresql.conf sets it, take it out there"),
        );
    }
    State::of(findings)
}
