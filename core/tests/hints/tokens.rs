//! A text as its tokens: where a clause begins and ends, as somebody who follows a hint would find it.

use pg_query::protobuf::Token;

/// A token of the text, comments left out.
pub struct Piece {
    pub start: usize,
    pub end: usize,
    /// In upper case.
    pub word: String,
    /// How many brackets are open around it; a bracket itself stands outside of what it encloses.
    pub depth: usize,
}

pub struct Tokens<'a> {
    pub sql: &'a str,
    pub pieces: Vec<Piece>,
}

const SET_OPERATIONS: &[&str] = &["UNION", "INTERSECT", "EXCEPT"];
/// What ends a WHERE clause at its own depth.
const AFTER_WHERE: &[&str] = &[
    "GROUP",
    "HAVING",
    "WINDOW",
    "ORDER",
    "LIMIT",
    "OFFSET",
    "FETCH",
    "FOR",
    "RETURNING",
    "UNION",
    "INTERSECT",
    "EXCEPT",
    ";",
];
/// What else ends an ON clause.
const AFTER_ON: &[&str] = &["JOIN", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL", "WHERE", "ON", ","];

impl<'a> Tokens<'a> {
    pub fn new(sql: &'a str) -> Self {
        let mut depth = 0usize;
        let scanned = pg_query::scan(sql).unwrap().tokens;
        let comment = |token: i32| matches!(Token::try_from(token), Ok(Token::SqlComment | Token::CComment));
        let pieces = scanned.iter().filter(|token| !comment(token.token)).map(|token| {
            let (start, end) = (token.start as usize, token.end as usize);
            let word = sql[start..end].to_uppercase();
            if matches!(&*word, ")" | "]") {
                depth = depth.saturating_sub(1);
            }
            let piece = Piece { start, end, depth, word };
            if matches!(&*piece.word, "(" | "[") {
                depth += 1;
            }
            piece
        });
        Tokens { sql, pieces: pieces.collect() }
    }

    /// The token that begins at a byte.
    pub fn at(&self, byte: usize) -> Option<usize> {
        self.pieces.iter().position(|piece| piece.start == byte)
    }

    pub fn is(&self, at: usize, words: &[&str]) -> bool {
        self.pieces.get(at).is_some_and(|piece| words.contains(&&*piece.word))
    }

    /// The first token from `at` on, at that depth, of those words; or where the brackets around it close; or the end.
    pub fn find(&self, at: usize, depth: usize, words: &[&str]) -> usize {
        (at..self.pieces.len())
            .find(|next| {
                let piece = &self.pieces[*next];
                piece.depth < depth || (piece.depth == depth && words.contains(&&*piece.word))
            })
            .unwrap_or(self.pieces.len())
    }

    /// Where a token begins, or the text ends: behind the last token.
    pub fn start(&self, at: usize) -> usize {
        self.pieces.get(at).map_or_else(|| self.pieces.last().map_or(0, |last| last.end), |piece| piece.start)
    }

    /// Where the token before begins its end: texts are put in behind it.
    pub fn end_before(&self, at: usize) -> usize {
        at.checked_sub(1).and_then(|before| self.pieces.get(before)).map_or(0, |piece| piece.end)
    }

    /// The query around a token: its first token and its depth.
    pub fn query_around(&self, at: usize) -> (usize, usize) {
        let mut depth = self.pieces[at].depth;
        for before in (0..at).rev() {
            let piece = &self.pieces[before];
            if piece.depth < depth {
                let inside = before + 1;
                if self.is(inside, &["SELECT", "WITH", "VALUES"]) {
                    return (inside, depth);
                }
                depth = piece.depth;
            } else if piece.depth == depth && SET_OPERATIONS.contains(&&*piece.word) {
                let all = usize::from(self.is(before + 1, &["ALL", "DISTINCT"]));
                return (before + 1 + all, depth);
            }
        }
        (0, depth)
    }

    /// The WHERE clause of the query around a token: the word WHERE where it stands, and the token behind the clause.
    pub fn where_clause(&self, at: usize) -> (Option<usize>, usize) {
        let (first, depth) = self.query_around(at);
        let from = self.find(first, depth, &["FROM", "UPDATE"]).max(first);
        let word = self.find(from, depth, &[AFTER_WHERE, &["WHERE"]].concat());
        if self.is(word, &["WHERE"]) && self.pieces[word].depth == depth {
            (Some(word), self.find(word + 1, depth, AFTER_WHERE))
        } else {
            (None, word)
        }
    }

    /// The ON clause of the join that attaches a relation: the word ON, and the token behind the clause.
    pub fn on_clause(&self, at: usize) -> Option<(usize, usize)> {
        let depth = self.pieces[at].depth;
        let word = self.find(at, depth, &[AFTER_WHERE, AFTER_ON].concat());
        (self.is(word, &["ON"]) && self.pieces[word].depth == depth)
            .then(|| (word, self.find(word + 1, depth, &[AFTER_WHERE, AFTER_ON].concat())))
    }

    /// The condition around a token: from the last AND, OR, WHERE … to the next.
    pub fn conjunct(&self, at: usize) -> (usize, usize) {
        let depth = self.pieces[at].depth;
        let bounds = [AFTER_WHERE, AFTER_ON, &["AND", "OR", "WHERE", "ON", "WHEN", "HAVING", "NOT", "THEN"]].concat();
        let first = (0..at)
            .rev()
            .find(|before| {
                let piece = &self.pieces[*before];
                piece.depth < depth || (piece.depth == depth && bounds.contains(&&*piece.word))
            })
            .map_or(0, |before| before + 1);
        (first, self.find(at + 1, depth, &bounds))
    }
}
