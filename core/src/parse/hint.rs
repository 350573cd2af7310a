//! What to write instead, for the mistakes that agents and templates make most often.
//!
//! Receives a text that does not parse and the place of its failure; returns an instruction only where the text itself
//! shows what was meant. Must never guess.

use crate::text::{Kind, Piece};

const PARAMETERS: &str = "write parameters as `$1`, `$2`, …";

/// The hint for a failure at this byte, in PostgreSQL's words for it.
pub(super) fn hint(sql: &str, pieces: &[Piece], at: usize, what: &str) -> Option<String> {
    let found = pieces.partition_point(|piece| piece.start < at);
    let text = |index: usize| pieces.get(index).and_then(|piece| sql.get(piece.start..piece.end)).unwrap_or_default();
    let touches = |index: usize| {
        let end_of = |at: usize| pieces.get(at).map(|piece| piece.end);
        end_of(index) == pieces.get(index + 1).map(|next| next.start)
    };
    let kind = |index: usize| pieces.get(index).map(|piece| piece.kind);
    let (here, before) = (text(found), found.checked_sub(1).map(text).unwrap_or_default());
    let hint = match what {
        "LIMIT #,# syntax is not supported" => "write `LIMIT count OFFSET start`",
        _ if what.starts_with("unterminated quoted") => "close the quote; a quote inside quotes is written twice",
        _ if what.starts_with("unterminated dollar") => "close the string with the dollar tag that opened it",
        _ if what.starts_with("unterminated /*") => "close the comment with `*/`",
        _ if here.starts_with("```") || before.starts_with("```") => "send the SQL alone, without a code fence",
        _ if here.starts_with('`') || before.starts_with('`') => "write quoted names in double quotes",
        _ if here == "?" || before == "?" => PARAMETERS,
        "syntax error" if here == "%" && touches(found) && (text(found + 1) == "s" || text(found + 1) == "(") => {
            PARAMETERS
        }
        "syntax error" if here == ":" && touches(found) && kind(found + 1) == Some(Kind::Word) => PARAMETERS,
        "syntax error" if here == "{" || here == "$" => PARAMETERS,
        "syntax error" if before == "," && (here == ")" || here.eq_ignore_ascii_case("from")) => {
            return Some(format!("remove the comma before `{here}`"));
        }
        _ if before.eq_ignore_ascii_case("top") && kind(found) == Some(Kind::Number) => "write `LIMIT n` at the end",
        _ => return None,
    };
    Some(hint.to_owned())
}
