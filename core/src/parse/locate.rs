//! Where a text stops being SQL: the place that PostgreSQL reports and that its parser's binding drops.
//!
//! Receives a text that does not parse, and PostgreSQL's message; returns E_PARSE with the first byte of the offending
//! token. The grammar's parser reads from left to right and reports the first token that cannot follow, so the shortest
//! beginning of the text that fails in the same words ends in that token: a binary search over the pieces of the text.
//! Each probe ends in a character that no statement holds, and so fails in the parser, before any tree is written.
//! Must never fail itself: a place that cannot be found is the end of the search.

use super::{escape, hint, unnamed};
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

/// The byte at which a text fails with this message.
pub(super) fn failure(sql: &str, message: &str) -> usize {
    offset(sql, &Pieces::of(sql).collect::<Vec<_>>(), &Message::read(message))
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
pub(super) fn excerpt(text: &str) -> String {
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
    if message.what.contains("Unicode") && !message.what.ends_with("character") {
        return escape::offset(sql, pieces, found).unwrap_or(piece.start);
    }
    let Some(near) = near else { return unnamed::offset(sql, pieces, found, message.what) };
    // `$1a` is one piece here and two tokens to the library's scanner.
    if piece.kind == Kind::Param {
        return piece.start;
    }
    // The words of a pair are probed together; a string with UESCAPE is one token, which fails once that is read.
    let named = |piece: &&Piece| {
        let text = sql.get(piece.start..piece.end).unwrap_or_default();
        text == near
            || text.starts_with(['u', 'U'])
                && near.starts_with(text)
                && sql.get(piece.start..).is_some_and(|rest| rest.starts_with(near))
    };
    let beside = [Some(found), found.checked_add(1), found.checked_sub(1), found.checked_sub(2)];
    beside.into_iter().flatten().filter_map(|at| pieces.get(at)).find(named).unwrap_or(piece).start
}

/// Words that PostgreSQL's parser reads as another token before one of these.
const PAIRS: &[(&str, &[&str])] = &[
    ("not", &["between", "in", "like", "ilike", "similar"]),
    ("nulls", &["first", "last"]),
    ("with", &["time", "ordinality"]),
    ("without", &["time"]),
    ("format", &["json"]),
];

/// The first of two pieces that are such a pair.
fn is_pair(sql: &str, first: &Piece, second: &Piece) -> bool {
    let is =
        |piece: &Piece, word: &str| sql.get(piece.start..piece.end).is_some_and(|text| text.eq_ignore_ascii_case(word));
    PAIRS.iter().any(|(word, followers)| is(first, word) && followers.iter().any(|follower| is(second, follower)))
}

/// The index of the first piece up to and including which the text fails in these words.
fn first_failing(sql: &str, pieces: &[Piece], message: &str) -> usize {
    let Some(stopper) = stopper(sql) else {
        return 0;
    };
    let fails = |count: usize| {
        let Some(last) = count.checked_sub(1).and_then(|last| pieces.get(last)) else { return false };
        let end = pieces.get(count).filter(|next| is_pair(sql, last, next)).unwrap_or(last).end;
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
pub(super) fn stopper(sql: &str) -> Option<char> {
    ('\u{1}'..='\u{8}')
        .chain('\u{e}'..='\u{1f}')
        .chain(['\u{7f}', '{', '}', '\\'])
        .find(|&control| !sql.contains(control))
}
