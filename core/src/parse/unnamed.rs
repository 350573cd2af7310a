//! Places of the refusals that the grammar words itself, without the token: PostgreSQL points at a part of the clause.
//!
//! Receives the pieces of the text and the one at which the parser noticed; returns the byte that PostgreSQL points at,
//! for the refusals that queries can meet, else the piece at which it was noticed. Must never look beyond that piece.

use crate::text::{Kind, Piece};

/// The place for this refusal.
pub(super) fn offset(sql: &str, pieces: &[Piece], found: usize, what: &str) -> usize {
    let clause = Clause { sql, pieces };
    let at = match what {
        "LIMIT #,# syntax is not supported" | "multiple LIMIT clauses not allowed" => {
            clause.before(found, &["limit", "fetch"])
        }
        "multiple OFFSET clauses not allowed" => clause.before(found, &["offset"]),
        "multiple ORDER BY clauses not allowed" => clause.before(found, &["by"]).map(|by| by + 1),
        // The outer WITH, noticed when the bracket around the inner one is closed.
        "multiple WITH clauses not allowed" => clause.before(found + 1, &["with"]),
        "WITH TIES cannot be specified without ORDER BY clause"
        | "SKIP LOCKED and WITH TIES options cannot be used together" => clause.before(found, &["with"]),
        "wrong number of parameters on left side of OVERLAPS expression" => {
            clause.before(found + 1, &["overlaps"]).and_then(|at| clause.row_before(at))
        }
        "wrong number of parameters on right side of OVERLAPS expression" => {
            clause.before(found + 1, &["overlaps"]).map(|at| at + 1)
        }
        "UNIQUE predicate is not yet implemented" => clause.before(found + 1, &["unique"]),
        "cannot use DISTINCT with WITHIN GROUP"
        | "cannot use multiple ORDER BY clauses with WITHIN GROUP"
        | "cannot use VARIADIC with WITHIN GROUP" => clause.before(found + 1, &["within"]),
        "precision for type float must be at least 1 bit" | "precision for type float must be less than 54 bits" => {
            found.checked_sub(1)
        }
        "type modifier cannot have ORDER BY" => clause.inside_last_bracket(found, |at| clause.is(at, &["order"])),
        "type modifier cannot have parameter name" => {
            clause.inside_last_bracket(found, |at| matches!(clause.text(at + 1), "=>" | ":="))
        }
        "frame start cannot be UNBOUNDED FOLLOWING"
        | "frame starting from following row cannot end with current row" => clause.frame(found),
        "frame end cannot be UNBOUNDED PRECEDING"
        | "frame starting from current row cannot have preceding rows"
        | "frame starting from following row cannot have preceding rows" => {
            clause.before(found, &["and"]).map(|and| and + 1)
        }
        "only string constants are supported in JSON_TABLE path specification" => clause.json_table_path(found),
        "only one PATH value per column is allowed" => clause.before(found + 1, &["path"]),
        "only one DEFAULT value is allowed" => clause.before(found + 1, &["default"]),
        "multiple COLLATE clauses not allowed" => clause.before(found, &["collate"]),
        _ if what.starts_with("improper qualified name") => clause.name_start(found),
        _ if what.starts_with("conflicting or redundant NULL") => {
            let null = clause.before(found + 1, &["null"]);
            null.map(|null| null.checked_sub(1).filter(|&not| clause.is(not, &["not"])).unwrap_or(null))
        }
        _ if what.starts_with("unrecognized column option") || what.starts_with("option name") => {
            let quoted = what.split('"').nth(1).unwrap_or_default();
            clause.before(found + 1, &[quoted])
        }
        _ => None,
    };
    pieces.get(at.unwrap_or(found)).map_or(sql.len(), |piece| piece.start)
}

struct Clause<'a> {
    sql: &'a str,
    pieces: &'a [Piece],
}

impl Clause<'_> {
    fn text(&self, at: usize) -> &str {
        self.pieces.get(at).and_then(|piece| self.sql.get(piece.start..piece.end)).unwrap_or_default()
    }

    fn is(&self, at: usize, words: &[&str]) -> bool {
        self.pieces.get(at).is_some_and(|piece| piece.kind == Kind::Word)
            && words.iter().any(|word| self.text(at).eq_ignore_ascii_case(word))
    }

    /// The last of these words before a piece, at its level of brackets or further out.
    fn before(&self, end: usize, words: &[&str]) -> Option<usize> {
        let mut closed = 0_usize;
        (0..end.min(self.pieces.len())).rev().find(|&at| {
            match self.text(at) {
                ")" | "]" => closed += 1,
                "(" | "[" => closed = closed.saturating_sub(1),
                _ => {}
            }
            closed == 0 && self.is(at, words)
        })
    }

    /// The bracket that the closing one at `close` closes.
    fn open(&self, close: usize) -> Option<usize> {
        let mut closed = 0_usize;
        (0..=close).rev().find(|&at| {
            match self.text(at) {
                ")" | "]" => closed += 1,
                "(" | "[" => closed = closed.saturating_sub(1),
                _ => {}
            }
            closed == 0
        })
    }

    /// The row in brackets that ends before a piece, with its ROW.
    fn row_before(&self, at: usize) -> Option<usize> {
        let open = self.open(at.checked_sub(1)?)?;
        Some(open.checked_sub(1).filter(|&row| self.is(row, &["row"])).unwrap_or(open))
    }

    /// The first such piece directly inside the last bracket that is closed at or before a piece.
    fn inside_last_bracket(&self, found: usize, wanted: impl Fn(usize) -> bool) -> Option<usize> {
        let close = (0..=found).rev().find(|&at| self.text(at) == ")")?;
        self.outermost(self.open(close)? + 1, close).find(|&at| wanted(at))
    }

    /// The pieces of a range that stand in no bracket of their own.
    fn outermost(&self, from: usize, to: usize) -> impl Iterator<Item = usize> + '_ {
        let mut open = 0_usize;
        (from..to).filter(move |&at| {
            let outside = open == 0;
            match self.text(at) {
                "(" | "[" => open += 1,
                ")" | "]" => open = open.saturating_sub(1),
                _ => {}
            }
            outside
        })
    }

    /// The first bound of the window frame.
    fn frame(&self, found: usize) -> Option<usize> {
        let bound = self.before(found, &["rows", "range", "groups"])? + 1;
        Some(if self.is(bound, &["between"]) { bound + 1 } else { bound })
    }

    fn json_table_path(&self, found: usize) -> Option<usize> {
        let from = self.before(found + 1, &["json_table"])? + 2;
        self.outermost(from, found).find(|&at| self.text(at) == ",").map(|comma| comma + 1)
    }

    /// Where the dotted name starts that this piece ends.
    fn name_start(&self, mut at: usize) -> Option<usize> {
        while at >= 2 && self.text(at - 1) == "." {
            at -= 2;
        }
        Some(at)
    }
}
