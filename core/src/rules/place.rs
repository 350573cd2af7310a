//! Where a clause's keyword stands: the parser gives places of names and values, not of keywords.

use std::cell::OnceCell;

use crate::resolve::tree::Loc;
use crate::text::Tokens;

/// The tokens of a text, scanned once, when a denial needs them.
pub struct Places<'a> {
    sql: &'a str,
    tokens: OnceCell<Tokens<'a>>,
    locking: OnceCell<Vec<usize>>,
}

impl<'a> Places<'a> {
    /// Nothing is scanned yet.
    pub fn new(sql: &'a str) -> Self {
        Places { sql, tokens: OnceCell::new(), locking: OnceCell::new() }
    }

    fn tokens(&self) -> &Tokens<'a> {
        self.tokens.get_or_init(|| Tokens::scan(self.sql))
    }

    /// The last of these keywords before a place.
    pub fn keyword_before(&self, place: Loc, keywords: &[&str]) -> Loc {
        loc(self.tokens().find_keyword_before(place? as usize, keywords))
    }

    /// The first of these keywords behind a place.
    pub fn keyword_after(&self, place: Loc, keyword: &str) -> Loc {
        loc(self.tokens().find_keyword_after(place? as usize, keyword))
    }

    /// Where these keywords stand one behind the other.
    pub fn run(&self, keywords: &[&str]) -> Loc {
        loc(self.tokens().find_run(keywords))
    }

    /// The FOR of the n-th locking clause.
    pub fn locking(&self, ordinal: usize) -> Loc {
        loc(self.locking.get_or_init(|| self.tokens().locking_clauses()).get(ordinal).copied())
    }

    /// The first token of the statement.
    pub fn first(&self) -> Loc {
        loc(self.tokens().first_token())
    }
}

fn loc(place: Option<usize>) -> Loc {
    place.and_then(|place| u32::try_from(place).ok())
}
