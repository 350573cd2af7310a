//! What a hint says, done to the text.

use haltsql::{Reason, ReasonCode};

use crate::tokens::Tokens;

/// A stretch of the text, and what takes its place.
pub type Edit = (std::ops::Range<usize>, String);

/// The edits that a reason's hint asks for; `None` where it asks for something that only an author can do.
pub fn edits(tokens: &Tokens<'_>, reason: &Reason) -> Option<Vec<Edit>> {
    let hint = reason.hint.as_deref()?;
    let quoted: Vec<&str> = in_backticks(hint);
    let first = quoted.first().copied();
    let loc = reason.loc.map(|loc| loc as usize);
    let at = || tokens.at(loc?);
    match reason.code {
        ReasonCode::LimitMissing if hint.starts_with("add ") => Some(vec![(end(tokens), format!(" {}", first?))]),
        ReasonCode::LimitMissing => limit_clause(tokens, tokens.pieces.len() - 1, first?),
        ReasonCode::LimitExceeded => limit_clause(tokens, at()?, first?),
        ReasonCode::TenantMissing if hint.starts_with("add ") => add_predicate(tokens, at()?, first?, hint),
        ReasonCode::TenantMismatch if hint.starts_with("write ") => {
            let (first_of, after) = tokens.conjunct(at()?);
            Some(vec![(tokens.start(first_of)..tokens.end_before(after), first?.to_owned())])
        }
        ReasonCode::TenantLiteral => Some(vec![(token(tokens, at()?), first?.to_owned())]),
        ReasonCode::ColumnAmbiguous if hint.starts_with("write ") => {
            Some(vec![(token(tokens, at()?), first?.to_owned())])
        }
        ReasonCode::Unqualified => Some(vec![(token(tokens, at()?), first?.to_owned())]),
        ReasonCode::Star | ReasonCode::ColumnDenied if hint.starts_with("list the columns instead") => {
            let reference = dotted(tokens, at()?);
            let prefix = tokens.sql[reference.clone()].strip_suffix('*')?.to_owned();
            let list: Vec<String> = quoted.iter().map(|column| format!("{prefix}{column}")).collect();
            Some(vec![(reference, list.join(", "))])
        }
        ReasonCode::ColumnDenied if hint.starts_with("read only these columns of") => {
            let [relation, column, ..] = quoted.as_slice() else { return None };
            let (at, reference) = (at()?, dotted(tokens, at()?));
            // `ssn(c)` reads the column ssn of c; ON CONFLICT takes plain names.
            let functional = tokens.is(at + 1, &["("]);
            let conflict = (0..at).rev().find(|before| tokens.pieces[*before].depth < tokens.pieces[at].depth);
            let conflict = conflict.is_some_and(|open| open > 0 && tokens.is(open - 1, &["CONFLICT"]));
            let read = if functional || conflict { (*column).to_owned() } else { format!("{relation}.{column}") };
            Some(vec![(reference, read)])
        }
        ReasonCode::Locking => {
            let at = at()?;
            Some(vec![(
                tokens.start(at)..tokens.end_before(tokens.find(at + 1, tokens.pieces[at].depth, &["FOR", ";"])),
                String::new(),
            )])
        }
        ReasonCode::SelectInto => {
            let at = clause_start(tokens, at()?, &["INTO"])?;
            Some(vec![(
                tokens.start(at)
                    ..tokens.end_before(tokens.find(at + 1, tokens.pieces[at].depth, &["FROM", ";", "WHERE"])),
                String::new(),
            )])
        }
        ReasonCode::CollationDenied => {
            let name = at()?;
            let word = clause_start(tokens, name, &["COLLATE"])?;
            Some(vec![(tokens.start(word)..dotted(tokens, word + 1).end, String::new())])
        }
        ReasonCode::OperatorDenied if hint.starts_with("write `") => {
            let at = at()?;
            let end = if tokens.is(at, &["OPERATOR"]) {
                tokens.pieces[tokens.find(at + 2, tokens.pieces[at].depth + 1, &[])].end
            } else {
                tokens.pieces[at].end
            };
            Some(vec![(tokens.start(at)..end, first?.to_owned())])
        }
        ReasonCode::ParamConflict if hint.starts_with("use `$") && hint.contains("only in tenancy predicates") => {
            Some(vec![(token(tokens, at()?), "'x'".to_owned())])
        }
        ReasonCode::ParamUnbound => Some(vec![(token(tokens, at()?), "'1'".to_owned())]),
        ReasonCode::MultiStatement => Some(vec![(loc?..tokens.sql.len(), String::new())]),
        ReasonCode::TooComplex if hint.contains("without back references") => {
            Some(vec![(token(tokens, at()?), "'x'".to_owned())])
        }
        ReasonCode::TenantWrite if hint.starts_with("write ") => {
            let at = at()?;
            let after = tokens.find(at, tokens.pieces[at].depth, &[",", "WHERE", "FROM", "RETURNING", "ON", ";"]);
            Some(vec![(tokens.start(at)..tokens.end_before(after), first?.to_owned())])
        }
        ReasonCode::TenantWrite if hint.starts_with("leave ") => {
            let at = at()?;
            let (begin, depth) = (clause_start(tokens, at, &["SET", ","])? + 1, tokens.pieces[at].depth);
            let after = tokens.find(at, depth, &[",", "WHERE", "FROM", "RETURNING", ";"]);
            Some(vec![(tokens.start(begin)..tokens.end_before(after), quoted.get(1).copied()?.to_owned())])
        }
        ReasonCode::WriteShape if hint.starts_with("remove the ON CONFLICT clause") => {
            let word = (1..tokens.pieces.len()).find(|at| tokens.is(*at, &["CONFLICT"]))? - 1;
            let after = tokens.find(word, 0, &["RETURNING", ";"]);
            Some(vec![(tokens.start(word)..tokens.end_before(after), String::new())])
        }
        ReasonCode::WriteShape if hint.starts_with("remove the OVERRIDING clause") => {
            let word = (0..tokens.pieces.len()).find(|at| tokens.is(*at, &["OVERRIDING"]))?;
            Some(vec![(tokens.start(word)..tokens.end_before(word + 3), String::new())])
        }
        // Everything else asks for another query, or for another program.
        _another => None,
    }
}

/// The LIMIT clause that begins at a token or before it, written anew.
fn limit_clause(tokens: &Tokens<'_>, at: usize, limit: &str) -> Option<Vec<Edit>> {
    let clause = clause_start(tokens, at, &["LIMIT", "FETCH"])?;
    let after = tokens.find(clause + 1, tokens.pieces[clause].depth, &["ORDER", "OFFSET", "FOR", ";", "LIMIT"]);
    Some(vec![(tokens.start(clause)..tokens.end_before(after), limit.to_owned())])
}

fn add_predicate(tokens: &Tokens<'_>, at: usize, predicate: &str, hint: &str) -> Option<Vec<Edit>> {
    if hint.contains("in the FULL JOIN") {
        let end = alias_end(tokens, at);
        let (relation, name) = (&tokens.sql[tokens.start(at)..end], predicate.split('.').next()?);
        return Some(vec![(tokens.start(at)..end, format!("(SELECT * FROM {relation} WHERE {predicate}) AS {name}"))]);
    }
    let (word, after) = if hint.contains("to the ON clause") {
        let (word, after) = tokens.on_clause(at)?;
        (Some(word), after)
    } else {
        tokens.where_clause(at)
    };
    let end = tokens.end_before(after);
    Some(match word {
        Some(word) => {
            let begin = tokens.pieces[word].end;
            vec![(begin..begin, " (".to_owned()), (end..end, format!(") AND {predicate}"))]
        }
        None => vec![(end..end, format!(" WHERE {predicate}"))],
    })
}

/// Does the edits from the back, so that places stay true. What another has written over is left for the next round.
pub fn apply(sql: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut text = sql.to_owned();
    let mut begun = sql.len();
    // Where one place gets two predicates, the first brings the WHERE.
    let again = |at: usize| at > 0 && edits[at - 1].0 == edits[at].0 && edits[at].1.starts_with(" WHERE ");
    for (at, (range, written)) in edits.iter().enumerate().rev() {
        if range.end <= begun {
            let written = if again(at) { written.replacen(" WHERE ", " AND ", 1) } else { written.clone() };
            text.replace_range(range.clone(), &written);
            begun = range.start;
        }
    }
    text
}

/// Behind the last token, a semicolon aside.
fn end(tokens: &Tokens<'_>) -> std::ops::Range<usize> {
    let last = tokens.pieces.iter().rev().find(|piece| piece.word != ";").map_or(0, |piece| piece.end);
    last..last
}

/// The word that begins the clause that a token stands in, or is.
fn clause_start(tokens: &Tokens<'_>, at: usize, words: &[&str]) -> Option<usize> {
    (0..=at).rev().find(|before| tokens.is(*before, words))
}

fn token(tokens: &Tokens<'_>, at: usize) -> std::ops::Range<usize> {
    tokens.pieces[at].start..tokens.pieces[at].end
}

/// `a.b.c` from its first token on.
fn dotted(tokens: &Tokens<'_>, at: usize) -> std::ops::Range<usize> {
    let mut last = at;
    while tokens.is(last + 1, &["."]) {
        last += 2;
    }
    tokens.pieces[at].start..tokens.pieces[last.min(tokens.pieces.len() - 1)].end
}

/// Where a relation with its alias ends.
fn alias_end(tokens: &Tokens<'_>, at: usize) -> usize {
    let mut end = dotted(tokens, at).end;
    let next = tokens.pieces.iter().position(|piece| piece.start >= end).unwrap_or(tokens.pieces.len());
    let next = next + usize::from(tokens.is(next, &["AS"]));
    let ends = [
        "FULL", "LEFT", "RIGHT", "INNER", "JOIN", "CROSS", "NATURAL", "ON", "USING", "WHERE", ",", ")", ";", "GROUP",
        "ORDER", "LIMIT",
    ];
    if next < tokens.pieces.len() && !tokens.is(next, &ends) {
        end = tokens.pieces[next].end;
    }
    end
}

/// What stands in backticks.
fn in_backticks(hint: &str) -> Vec<&str> {
    hint.split('`').skip(1).step_by(2).collect()
}
