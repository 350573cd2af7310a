//! Places of keywords in a text that parsed, for reasons whose place the syntax tree does not keep.
//!
//! Receives the text; returns byte offsets. For denials alone: nothing on the way to an allowed verdict may pay for it.
//! Must never fail: a place that cannot be found is none.

use super::lex::{Kind, Piece, Pieces};

/// How many pieces ahead a name is looked for: a text can have thousands of names to find, and thousands of pieces.
const NEAR: usize = 1000;

/// The pieces of one text.
#[derive(Debug)]
pub(crate) struct Tokens<'a> {
    text: &'a str,
    pieces: Vec<Piece>,
}

/// One piece with its keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) kind: Kind,
    /// As it stands in the text.
    pub(crate) text: &'a str,
}

impl Token<'_> {
    /// An unquoted word with this lower-case spelling. A column may have the name of a keyword that is not reserved.
    pub(crate) fn is_word(&self, keyword: &str) -> bool {
        self.kind == Kind::Word && self.text.eq_ignore_ascii_case(keyword)
    }

    fn is_one_of(&self, keywords: &[&str]) -> bool {
        keywords.iter().any(|keyword| self.is_word(keyword))
    }
}

impl<'a> Tokens<'a> {
    /// Cuts the text.
    pub(crate) fn scan(text: &'a str) -> Self {
        Tokens { text, pieces: Pieces::of(text).collect() }
    }

    /// All tokens, in order; comments are none.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = Token<'a>> + '_ {
        self.pieces.iter().map(|piece| self.token(piece))
    }

    /// Where the first token starts.
    pub(crate) fn first_token(&self) -> Option<usize> {
        self.first_token_from(0)
    }

    /// Where the first token at or behind `loc` starts.
    pub(crate) fn first_token_from(&self, loc: usize) -> Option<usize> {
        self.pieces.iter().map(|piece| piece.start).find(|&start| start >= loc)
    }

    /// The start of the last of these keywords (lower case) that starts before `loc`.
    pub(crate) fn find_keyword_before(&self, loc: usize, keywords: &[&str]) -> Option<usize> {
        let before = self.pieces.partition_point(|piece| piece.start < loc);
        let pieces = self.pieces.get(..before)?;
        pieces
            .iter()
            .rev()
            .map(|piece| self.token(piece))
            .find(|token| token.is_one_of(keywords))
            .map(|token| token.start)
    }

    /// The start of the first of this keyword (lower case) that starts behind `loc`.
    pub(crate) fn find_keyword_after(&self, loc: usize, keyword: &str) -> Option<usize> {
        let before = self.pieces.partition_point(|piece| piece.start <= loc);
        let behind = self.pieces.get(before..)?;
        behind.iter().map(|piece| self.token(piece)).find(|token| token.is_word(keyword)).map(|token| token.start)
    }

    /// The start of the first run of these keywords (lower case).
    pub(crate) fn find_run(&self, keywords: &[&str]) -> Option<usize> {
        let is_run =
            |pieces: &[Piece]| pieces.iter().zip(keywords).all(|(piece, keyword)| self.token(piece).is_word(keyword));
        let found = self.pieces.windows(keywords.len().max(1)).find(|pieces| is_run(pieces))?;
        found.first().map(|piece| piece.start)
    }

    /// The start of the first token at or behind `loc` that is this name, bare or in double quotes.
    pub(crate) fn find_name_after(&self, loc: usize, name: &str) -> Option<usize> {
        let before = self.pieces.partition_point(|piece| piece.start < loc);
        let is_name = |token: &Token<'a>| {
            let quoted = token.text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            token.text.eq_ignore_ascii_case(name) || quoted.is_some_and(|inner| inner.replace("\"\"", "\"") == name)
        };
        let near = self.pieces.get(before..)?.iter().take(NEAR);
        near.map(|piece| self.token(piece)).find(is_name).map(|token| token.start)
    }

    /// The FOR of each `FOR [NO KEY] UPDATE` or `FOR [KEY] SHARE`, in the order of the text.
    pub(crate) fn locking_clauses(&self) -> Vec<usize> {
        let mut clauses = Vec::new();
        // For each open bracket: it is SUBSTRING's or OVERLAY's own, where FOR takes a value that may be named `share`.
        let mut brackets = Vec::new();
        let mut callee = false;
        for (at, token) in self.iter().enumerate() {
            match token.text {
                "(" => brackets.push(callee),
                ")" => drop(brackets.pop()),
                _ if token.is_word("for") && brackets.last() != Some(&true) && self.locks(at + 1) => {
                    clauses.push(token.start)
                }
                _ => {}
            }
            callee = token.is_one_of(&["substring", "overlay"]);
        }
        clauses
    }

    fn locks(&self, at: usize) -> bool {
        let is = |offset: usize, word: &str| {
            self.pieces.get(at + offset).is_some_and(|piece| self.token(piece).is_word(word))
        };
        is(0, "update")
            || is(0, "share")
            || is(0, "key") && is(1, "share")
            || is(0, "no") && is(1, "key") && is(2, "update")
    }

    fn token(&self, piece: &Piece) -> Token<'a> {
        let Piece { kind, start, end } = *piece;
        Token { start, end, kind, text: self.text.get(start..end).unwrap_or_default() }
    }
}
