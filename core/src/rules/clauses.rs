//! Where a clause of a statement that parsed begins and ends, for words to insert: the syntax tree does not keep it.
//!
//! Receives the text's tokens and the place of something in FROM; returns byte offsets. Whoever inserts checks the text again, so that
//! a clause that was not understood costs a repair and never a promise.

use crate::text::{Kind, Token, Tokens};

/// The tokens of a text.
pub struct Clauses<'a> {
    tokens: Vec<Token<'a>>,
}

/// A place in the text, between its bytes.
pub type Place = usize;

/// A condition in the text: from the first byte of its first token to behind its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// Its beginning.
    pub start: Place,
    /// Its end.
    pub end: Place,
}

/// What may follow FROM and WHERE at their level. All are reserved, so that they stand as names only behind a dot.
const AFTER: &[&str] = &[
    "group",
    "having",
    "window",
    "order",
    "limit",
    "offset",
    "fetch",
    "for",
    "union",
    "intersect",
    "except",
    "returning",
];
/// The words in front of JOIN.
const BEFORE_JOIN: &[&str] = &["left", "right", "full", "inner", "outer", "cross", "natural"];

impl<'a> Clauses<'a> {
    /// Cuts the text.
    pub fn of(sql: &'a str) -> Self {
        Clauses { tokens: Tokens::scan(sql).iter().collect() }
    }

    /// The condition of the WHERE of the level in whose FROM a relation stands; `Err`: there is no WHERE, and it would begin there.
    pub fn filter(&self, relation: Place) -> Option<Result<Condition, Place>> {
        let from = self.start_of_from(self.at(relation)?)?;
        let end = self.end(from + 1, &|at| self.is_any(at, AFTER) || self.is(at, "where"));
        if !self.is(end, "where") {
            return Some(Err(self.tokens.get(end.checked_sub(1)?)?.end));
        }
        Some(Ok(self.condition(end + 1, self.end(end + 1, &|at| self.is_any(at, AFTER)))?))
    }

    /// The condition of the first ON behind a relation, at its level.
    pub fn on(&self, relation: Place) -> Option<Condition> {
        let on = self.end(self.at(relation)?, &|at| self.is(at, "on") || self.ends_from(at));
        if !self.is(on, "on") {
            return None;
        }
        let mut end = self.end(on + 1, &|at| self.is(at, "on") || self.is(at, "join") || self.ends_from(at));
        if self.is(end, "join") {
            while self.is_any(end.checked_sub(1)?, BEFORE_JOIN) {
                end -= 1;
            }
        }
        self.condition(on + 1, end)
    }

    /// Behind the last token that is no semicolon, where the statement's own level has no LIMIT.
    pub fn end_without_limit(&self) -> Option<Place> {
        let limit = self.end(0, &|at| self.is(at, "limit") || self.is(at, "fetch"));
        let last = self.tokens.iter().rev().find(|token| token.text != ";")?;
        (limit >= self.tokens.len() || self.text(limit) == ";").then_some(last.end)
    }

    fn condition(&self, first: usize, end: usize) -> Option<Condition> {
        let (start, last) = (self.tokens.get(first)?, self.tokens.get(end.checked_sub(1)?)?);
        (first < end).then_some(Condition { start: start.start, end: last.end })
    }

    fn ends_from(&self, at: usize) -> bool {
        self.is(at, "where") || self.is_any(at, AFTER) || self.text(at) == ","
    }

    /// The FROM (or UPDATE, or DELETE's USING) in whose list the relation stands: backwards, and out of the brackets of joins.
    fn start_of_from(&self, relation: usize) -> Option<usize> {
        if self.is(relation.checked_sub(1)?, "table") {
            return None;
        }
        let (mut depth, mut close) = (0_usize, relation);
        for at in (0..relation).rev() {
            match self.text(at) {
                ")" | "]" => depth += 1,
                "(" | "[" if depth > 0 => depth -= 1,
                "(" | "[" => {
                    // Behind an alias of the whole join, the relation has no name outside.
                    close = self.end(close + 1, &|_| false);
                    if self.is_alias(close + 1) {
                        return None;
                    }
                }
                _ if depth > 0 => {}
                _ if self.is(at, "from") && !(at > 0 && self.is(at - 1, "distinct")) => return Some(at),
                _ if self.is(at, "update") => return Some(at),
                _ => {}
            }
        }
        None
    }

    /// The first token from `at` on, outside of brackets opened since, that is an end; or the bracket that closes the level, a semicolon,
    /// or the end of the text.
    fn end(&self, from: usize, is_end: &dyn Fn(usize) -> bool) -> usize {
        let mut depth = 0_usize;
        for at in from..self.tokens.len() {
            match self.text(at) {
                "(" | "[" => depth += 1,
                ")" | "]" if depth == 0 => return at,
                ")" | "]" => depth -= 1,
                ";" => return at,
                _ if depth == 0 && is_end(at) => return at,
                _ => {}
            }
        }
        self.tokens.len()
    }

    fn at(&self, place: Place) -> Option<usize> {
        self.tokens.binary_search_by_key(&place, |token| token.start).ok()
    }

    fn text(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    fn is_alias(&self, at: usize) -> bool {
        let follows = ["on", "using", "join", "where", "tablesample"];
        let word = self.tokens.get(at).is_some_and(|token| matches!(token.kind, Kind::Word | Kind::QuotedName));
        word && !self.is_any(at, &follows) && !self.is_any(at, BEFORE_JOIN) && !self.is_any(at, AFTER)
    }

    /// A keyword, and no name behind a dot.
    fn is(&self, at: usize, word: &str) -> bool {
        let named = at > 0 && self.text(at - 1) == ".";
        !named && self.tokens.get(at).is_some_and(|token| token.is_word(word))
    }

    fn is_any(&self, at: usize, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(at, word))
    }
}
