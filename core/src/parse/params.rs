//! Parameters that the parser's library takes and PostgreSQL refuses.
//!
//! The library's scanner reads `$1a` as `$1 a`, and its grammar takes a parameter where PostgreSQL wants a string:
//! `date $1`, `interval(3) $1`, `EXTRACT($1 FROM x)`. Receives a text; returns E_PARSE at the first such parameter. Costs
//! a text without odd parameters nothing, and must never refuse what PostgreSQL takes.

use super::locate::{excerpt, failure, stopper};
use crate::reason::{Reason, ReasonCode};
use crate::text::{Piece, Pieces, Source, place};
use pg_query::ParserOptions;

/// The first parameter of the text that only the library takes.
pub(super) fn refused(source: &Source<'_>) -> Option<Reason> {
    let glued = source.glued_param();
    let misplaced = misplaced(source);
    match (glued, misplaced) {
        (Some(glued), Some(misplaced)) if misplaced.start < glued.start => {
            Some(reason(source, "syntax error", misplaced))
        }
        (Some(glued), _) => Some(reason(source, "trailing junk after parameter", glued)),
        (None, misplaced) => misplaced.map(|param| reason(source, "syntax error", param)),
    }
}

/// The same for a text that fails at this place anyhow: what PostgreSQL meets first counts.
pub(super) fn refused_before(source: &Source<'_>, failure: Option<u32>) -> Option<Reason> {
    refused(source).filter(|reason| {
        reason.loc <= failure || source.glued_param().is_some_and(|glued| read_ahead(source, glued, failure))
    })
}

/// After these PostgreSQL reads a token ahead, so that what is wrong with that one comes before what the grammar says.
fn read_ahead(source: &Source<'_>, glued: Piece, failure: Option<u32>) -> bool {
    let sql = source.sql();
    let before = Pieces::of(sql).take_while(|piece| piece.start < glued.start).last();
    before
        .filter(|before| place(before.start) == failure)
        .and_then(|before| sql.get(before.start..before.end))
        .is_some_and(|word| {
            word.starts_with(['u', 'U']) && word.contains('&')
                || ["not", "nulls", "with", "without", "format"].iter().any(|ahead| word.eq_ignore_ascii_case(ahead))
        })
}

fn reason(source: &Source<'_>, what: &str, param: Piece) -> Reason {
    let near = source.sql().get(param.start..param.end).unwrap_or_default();
    Reason {
        code: ReasonCode::Parse,
        message: format!("{what} at `{}`", excerpt(near)),
        loc: place(param.start),
        hint: None,
    }
}

/// In a query a number may stand wherever PostgreSQL takes a parameter, and nowhere where only the library does: with
/// numbers in their place, the first odd parameter fails. The text ends in a character that no statement holds, so that
/// it fails there, before a tree is written, where all of them are fine.
fn misplaced(source: &Source<'_>) -> Option<Piece> {
    let params = source.odd_params();
    params.first()?;
    let sql = source.sql();
    let stopper = stopper(sql)?;
    let (mut numbers, mut done) = (String::with_capacity(sql.len() + 2), 0);
    for param in params {
        numbers.push_str(sql.get(done..param.start)?);
        numbers.push('1');
        numbers.extend(std::iter::repeat_n(' ', (param.end - param.start).saturating_sub(1)));
        done = param.end;
    }
    numbers.push_str(sql.get(done..)?);
    let whole = format!("{numbers} {stopper}");
    let Err(pg_query::Error::Parse(message)) = pg_query::parse(&whole, ParserOptions::DEFAULT) else { return None };
    let at = failure(&whole, &message);
    params.iter().copied().find(|param| param.start == at)
}
