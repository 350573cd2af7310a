//! Names as a policy spells them: `name`, `schema.name`, `"Name"`, `OPERATOR(schema.<->)`.
//!
//! Receives one entry of a list, returns its parts as the catalogue has them. Never folds case: what would need folding is
//! refused, so that no entry can be read two ways.

/// An entry of a list: with a schema, or `None` for `pg_catalog`'s own.
pub(super) type Name = (Option<String>, String);

/// `name` or `schema.name`, each part as it is or in double quotes.
///
/// # Errors
/// It is neither, with what is wrong.
pub(super) fn parse(entry: &str) -> Result<Name, String> {
    let (first, rest) = part(entry, entry)?;
    if rest.is_empty() {
        return Ok((None, first));
    }
    let (second, rest) = part(rest.strip_prefix('.').ok_or_else(|| wrong(entry))?, entry)?;
    if rest.is_empty() { Ok((Some(first), second)) } else { Err(wrong(entry)) }
}

/// `<->` or `OPERATOR(schema.<->)`.
///
/// # Errors
/// It is neither, with what is wrong.
pub(super) fn parse_operator(entry: &str) -> Result<Name, String> {
    let wrong = || format!("`{entry}` is no operator: write `<->` or `OPERATOR(schema.<->)`");
    let (schema, operator) = match entry.split_once('(') {
        Some((word, inside)) if word.trim().eq_ignore_ascii_case("operator") => {
            let inside = inside.strip_suffix(')').ok_or_else(wrong)?.trim();
            let (schema, rest) = part(inside, entry)?;
            (Some(schema), rest.strip_prefix('.').ok_or_else(wrong)?)
        }
        _ => (None, entry),
    };
    let spelled = !operator.is_empty() && operator.chars().all(|sign| "+-*/<>=~!@#%^&|`?".contains(sign));
    if spelled { Ok((schema, operator.to_owned())) } else { Err(wrong()) }
}

/// The first part of a name and what follows it.
fn part<'a>(text: &'a str, entry: &str) -> Result<(String, &'a str), String> {
    let Some(mut rest) = text.strip_prefix('"') else {
        let (part, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
        if part.contains(|sign: char| sign.is_ascii_uppercase()) {
            return Err(format!("`{entry}`: a part with upper case is written in double quotes"));
        }
        let odd = part.is_empty() || part.contains(|sign: char| sign == '"' || sign == '(' || sign.is_whitespace());
        return if odd { Err(wrong(entry)) } else { Ok((part.to_owned(), rest)) };
    };
    let mut name = String::new();
    loop {
        let (before, after) = rest.split_once('"').ok_or_else(|| wrong(entry))?;
        name.push_str(before);
        match after.strip_prefix('"') {
            Some(more) => {
                name.push('"');
                rest = more;
            }
            None if name.is_empty() => return Err(wrong(entry)),
            None => return Ok((name, after)),
        }
    }
}

fn wrong(entry: &str) -> String {
    format!("`{entry}` is no name: write `name` or `schema.name`, a part with a dot or upper case in double quotes")
}
