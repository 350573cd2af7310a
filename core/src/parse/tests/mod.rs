//! The parser against a live PostgreSQL 18, and on stacks of every size.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod live;
mod position;
mod stacks;
mod statements;

use haltsql_testkit::{Server, Version};

use super::{Parsed, Refusal, parse_source};
use crate::reason::{Reason, ReasonCode};
use crate::text::Source;
use crate::text::tests::sample::limits;

/// A PostgreSQL 18, and a connection to it.
fn server() -> (Server, postgres::Client) {
    let server = Server::start(Version::Pg18).expect("a server");
    let client = server.connect("postgres", "postgres").expect("a connection");
    (server, client)
}

/// Parses under a size limit that no test meets by accident.
fn parsed(sql: &str) -> Result<Parsed, Refusal> {
    parse_source(&Source::new(sql.as_bytes(), &limits(64 << 20))?)
}

/// The one reason for which a text is refused.
fn refused(sql: &str) -> Reason {
    let mut reasons = parsed(sql).expect_err(sql).reasons;
    assert_eq!(reasons.len(), 1, "{sql}");
    reasons.remove(0)
}

/// What PostgreSQL's scanner or grammar says against a text, with the byte that it points at; `None` where both take
/// it. Each statement is only prepared, in a transaction that is rolled back, and what comes after parsing is no matter.
fn server_refusal(client: &mut postgres::Client, sql: &str) -> Option<(String, Option<usize>)> {
    let error = client.prepare(sql).err()?;
    let error = error.as_db_error().unwrap_or_else(|| panic!("{error}: {sql:?}"));
    // The source file tells the scanner and the grammar from analysis, which uses the same codes.
    if !matches!(error.file(), Some("scan.l" | "scan.c" | "gram.y" | "gram.c" | "parser.c" | "mbutils.c")) {
        return None;
    }
    let position = error.position().map(|position| match position {
        postgres::error::ErrorPosition::Original(characters) => {
            let before = usize::try_from(*characters).unwrap() - 1;
            sql.char_indices().nth(before).map_or(sql.len(), |(at, _)| at)
        }
        postgres::error::ErrorPosition::Internal { .. } => panic!("an internal position: {sql:?}"),
    });
    Some((error.message().to_owned(), position))
}

/// Byte offset of a reason, for comparing with the server's.
fn loc(reason: &Reason) -> Option<usize> {
    reason.loc.map(|loc| usize::try_from(loc).unwrap())
}

fn is_parse(refusal: &Refusal) -> bool {
    refusal.reasons.iter().any(|reason| reason.code == ReasonCode::Parse)
}
