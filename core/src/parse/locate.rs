//! Where a text stops being SQL: the place that PostgreSQL reports and that its parser's binding drops.
//!
//! Receives a text that does not parse, and PostgreSQL's message; returns E_PARSE with the first byte of the offending
//! token. The grammar's parser reads from left to right and reports the first token that cannot follow, so the shortest
//! beginning of the text that fails in the same words ends in that token: a binary search over the pieces of the text.
//! Each probe ends in a character that no statement holds, and so fails in the parser, before any tree is written.
//! Must never fail itself: a place that cannot be found is the end of the search.

use super::hint;
use crate::reason::{Reason, ReasonCode};
use crate::text::{Kind, Piece, Pieces, place};
use pg_query::ParserOptions;

/// The reason for a text that PostgreSQL refuses with this message.
pub(super) fn reason(sql: &str, message: &str) -> Reason {
    let pieces: Vec<Piece> = Pieces::of(sql).collect();
    let message = Message::read(message);
    let at = offset(sql, &pieces, &message);
    Reason {
        code: ReasonCode::Parse,
        message: message.in_our_style(),
        loc: place(at),
        hint: hint::hint(sql, &pieces, at, message.what),
    }
}

/// The reason for `$1a`: PostgreSQL's scanner refuses it, the one that comes with the parser's library reads `$1 a`.
pub(super) fn glued_param(sql: &str, glued: Piece) -> Reason {
    let near = sql.get(glued.start..glued.end).unwrap_or_default();
    Reason {
        code: ReasonCode::Parse,
        message: format!("trailing junk after parameter at `{}`", excerpt(near)),
        loc: place(glued.start),
        hint: None,
    }
}

/// PostgreSQL's message, taken apart.
struct Message<'a> {
    whole: &'a str,
    /// What is wrong, without the place.
    what: &'a str,
    place: Place<'a>,
}

enum Place<'a> {
    /// `at end of input`.
    End,
    /// `at or near "…"`: the text from the offending token on, to the end of what was read.
    Near(&'a str),
    /// The message names no token.
    Unnamed,
}

impl<'a> Message<'a> {
    fn read(whole: &'a str) -> Self {
        if let Some(what) = whole.strip_suffix(" at end of input") {
            return Message { whole, what, place: Place::End };
        }
        match whole.split_once(" at or near \"").and_then(|(what, near)| Some((what, near.strip_suffix('"')?))) {
            Some((what, near)) => Message { whole, what, place: Place::Near(near) },
            None => Message { whole, what: whole, place: Place::Unnamed },
        }
    }

    fn in_our_style(&self) -> String {
        match self.place {
            Place::End => format!("{} at the end of the text", self.what),
            Place::Near(near) => format!("{} at `{}`", self.what, excerpt(near)),
            Place::Unnamed => excerpt(self.whole),
        }
    }
}

/// One line, not too long, without characters that would disturb a terminal or a prompt.
fn excerpt(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut shown = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == LONGEST || character == '\n' || character == '\r' {
            shown.push('…');
            break;
        }
        shown.push(if character.is_control() { '\u{fffd}' } else { character });
    }
    shown
}

fn offset(sql: &str, pieces: &[Piece], message: &Message<'_>) -> usize {
    let near = match message.place {
        Place::End => return sql.len(),
        // Nothing ends such a token, so that the message quotes the whole rest of the text.
        Place::Near(near) if message.what.starts_with("unterminated ") && sql.ends_with(near) => {
            return sql.len() - near.len();
        }
        Place::Near(near) => Some(near),
        Place::Unnamed => None,
    };
    let found = first_failing(sql, pieces, message.whole);
    let Some(piece) = pieces.get(found) else { return sql.len() };
    if message.what.contains("Unicode") {
        return escape(sql, pieces, found).unwrap_or(piece.start);
    }
    let Some(near) = near else { return unnamed(sql, pieces, found, message.what) };
    // A word like NOT reads differently before the next one, so that a failure at it may show one piece late.
    let named = |piece: &&Piece| sql.get(piece.start..piece.end) == Some(near);
    let back = found.checked_sub(1).and_then(|before| pieces.get(before));
    [Some(piece), back].into_iter().flatten().find(named).unwrap_or(piece).start
}

/// The index of the first piece up to and including which the text fails in these words.
fn first_failing(sql: &str, pieces: &[Piece], message: &str) -> usize {
    let Some(stopper) = stopper(sql) else {
        return 0;
    };
    let fails = |count: usize| {
        let Some(end) = count.checked_sub(1).and_then(|last| pieces.get(last)).map(|last| last.end) else { return false };
        let mut probe = String::with_capacity(end + 2);
        probe.push_str(sql.get(..end).unwrap_or(sql));
        probe.push(' ');
        probe.push(stopper);
        matches!(pg_query::parse(&probe, ParserOptions::DEFAULT), Err(pg_query::Error::Parse(found)) if found == message)
    };
    let (mut good, mut bad) = (0, pieces.len());
    while good + 1 < bad {
        let middle = good + (bad - good) / 2;
        if fails(middle) {
            bad = middle;
        } else {
            good = middle;
        }
    }
    good
}

/// A character that is no part of any statement and does not stand in the text, so that a failure at it is no failure
/// of the text's own.
fn stopper(sql: &str) -> Option<char> {
    ('\u{1}'..='\u{8}').chain('\u{e}'..='\u{1f}').chain(['\u{7f}', '{', '}', '\\']).find(|&control| !sql.contains(control))
}

/// The places of refusals that the grammar makes by hand, with a message of their own: how PostgreSQL points for those
/// that queries can meet, else the token at which it noticed.
fn unnamed(sql: &str, pieces: &[Piece], found: usize, what: &str) -> usize {
    let start = |at: usize| pieces.get(at).map_or(sql.len(), |piece| piece.start);
    let is = |at: usize, words: &[&str]| {
        pieces.get(at).is_some_and(|piece| {
            piece.kind == Kind::Word
                && sql.get(piece.start..piece.end).is_some_and(|text| words.iter().any(|word| text.eq_ignore_ascii_case(word)))
        })
    };
    let before = |words: &[&str]| (0..found).rev().find(|&at| is(at, words));
    let place = match what {
        "LIMIT #,# syntax is not supported" | "multiple LIMIT clauses not allowed" => before(&["limit", "fetch"]),
        "multiple OFFSET clauses not allowed" => before(&["offset"]),
        "multiple ORDER BY clauses not allowed" => before(&["by"]).map(|by| by + 1),
        "multiple WITH clauses not allowed" => before(&["with"]),
        "WITH TIES cannot be specified without ORDER BY clause" => before(&["with"]),
        _ => None,
    };
    place.map_or_else(|| start(found), start)
}

/// Where the first bad Unicode escape stands in the string or quoted name that ends at or before a piece.
fn escape(sql: &str, pieces: &[Piece], found: usize) -> Option<usize> {
    (found.saturating_sub(2)..=found).rev().filter_map(|at| pieces.get(at)).find_map(|piece| {
        let text = sql.get(piece.start..piece.end)?;
        match *text.as_bytes() {
            [b'e' | b'E', b'\'', ..] => bad_escape(text.as_bytes(), 2, b"uU").map(|at| piece.start + at),
            [b'u' | b'U', b'&', ..] => bad_escape(text.as_bytes(), 3, b"+").map(|at| piece.start + at),
            _ => None,
        }
    })
}

/// The first escape that is malformed, names no character, or is half of a surrogate pair (then what stands where the
/// other half should). `long` holds the letters after a backslash: `\uXXXX` and `\UXXXXXXXX`, or `\XXXX` and `\+XXXXXX`.
fn bad_escape(text: &[u8], from: usize, long: &[u8]) -> Option<usize> {
    let short_prefix = if long == b"+" { 1 } else { 2 };
    let long_digits = if long == b"+" { 6 } else { 8 };
    let (mut at, mut high) = (from, false);
    while let Some(&byte) = text.get(at) {
        if byte != b'\\' {
            if high {
                return Some(at);
            }
            at += 1;
            continue;
        }
        let next = text.get(at + 1).copied().unwrap_or(0);
        let (prefix, digits) = if next == b'U' || next == b'+' && long == b"+" {
            (2, long_digits)
        } else if next == b'u' || long == b"+" && next != b'\\' {
            (short_prefix, 4)
        } else if high {
            return Some(at);
        } else {
            at += 2;
            continue;
        };
        let hex = text.get(at + prefix..at + prefix + digits).and_then(|hex| std::str::from_utf8(hex).ok());
        let Some(code) = hex.and_then(|hex| u32::from_str_radix(hex, 16).ok()) else { return Some(at) };
        let low = (0xdc00..0xe000).contains(&code);
        if code == 0 || code > 0x10_ffff || low != high {
            return Some(at);
        }
        high = (0xd800..0xdc00).contains(&code);
        at += prefix + digits;
    }
    None
}
