//! Names in policies: how they are read, and the one way in which they are written.
//!
//! Receives the spelling in a policy, returns the name as PostgreSQL's catalogues hold it. It never folds case: `Orders` is refused
//! and not read as `orders`, because SQL and a catalogue would disagree about what it means.

/// PostgreSQL cuts longer names off.
const MAX_NAME_BYTES: usize = 63;

/// Why a spelling is no name.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NameError {
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl NameError {
    fn new(message: String, help: Option<String>) -> Self {
        NameError { message, help }
    }
}

/// A name of one part: a column, a schema, a role.
pub(super) fn single(text: &str) -> Result<String, NameError> {
    match <[String; 1]>::try_from(parts(text)?) {
        Ok([name]) => Ok(name),
        Err(_) => Err(NameError::new(
            format!("`{text}` has several parts where one name belongs"),
            Some(format!("if the dot is part of the name, write it in double quotes: '{}'", quoted(text))),
        )),
    }
}

/// A table's name with its schema.
pub(super) fn table(text: &str) -> Result<(String, String), NameError> {
    match <[String; 2]>::try_from(parts(text)?) {
        Ok([schema, name]) => Ok((schema, name)),
        Err(_) => Err(NameError::new(
            format!("`{text}` is not a table's name with its schema"),
            Some("write `schema.table`".to_owned()),
        )),
    }
}

/// A function, type or collation: with its schema, or one of PostgreSQL's own. Returns the one spelling.
pub(super) fn object(text: &str) -> Result<String, NameError> {
    let parts = parts(text)?;
    match &*parts {
        [name] => Ok(spell(name)),
        [schema, name] if schema == "pg_catalog" => Ok(spell(name)),
        [schema, name] => Ok(format!("{}.{}", spell(schema), spell(name))),
        _ => Err(NameError::new(format!("`{text}` has too many parts"), Some("write `schema.name`".to_owned()))),
    }
}

/// An operator: `<->`, or `OPERATOR(schema.<->)`. Returns the one spelling.
pub(super) fn operator(text: &str) -> Result<String, NameError> {
    let Some(inner) = text.strip_prefix("OPERATOR(").and_then(|rest| rest.strip_suffix(')')) else {
        return symbol(text, text).map(str::to_owned);
    };
    // No operator's name holds a dot, so the last one ends the schema's name.
    let Some((schema, name)) = inner.rsplit_once('.') else {
        return symbol(inner, text).map(str::to_owned);
    };
    let schema = single(schema)?;
    let name = symbol(name, text)?;
    Ok(if schema == "pg_catalog" { name.to_owned() } else { format!("OPERATOR({}.{name})", spell(&schema)) })
}

fn symbol<'n>(name: &'n str, text: &str) -> Result<&'n str, NameError> {
    if !name.is_empty() && name.len() <= MAX_NAME_BYTES && name.chars().all(|c| "+-*/<>=~!@#%^&|`?".contains(c)) {
        return Ok(name);
    }
    Err(NameError::new(
        format!("`{text}` is not an operator"),
        Some("write `<->` or `OPERATOR(schema.<->)`".to_owned()),
    ))
}

/// The parts of a dotted name, by SQL's rules for double quotes.
fn parts(text: &str) -> Result<Vec<String>, NameError> {
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        let (part, behind) = match rest.strip_prefix('"') {
            Some(inner) => quoted_part(inner, text)?,
            None => bare_part(rest, text)?,
        };
        check_length(&part)?;
        parts.push(part);
        match behind.strip_prefix('.') {
            Some(next) => rest = next,
            None if behind.is_empty() => return Ok(parts),
            None => return Err(NameError::new(format!("`{text}` goes on after a closing quote"), None)),
        }
    }
}

fn quoted_part<'t>(inner: &'t str, text: &str) -> Result<(String, &'t str), NameError> {
    let mut part = String::new();
    let mut rest = inner;
    while let Some((piece, behind)) = rest.split_once('"') {
        part.push_str(piece);
        match behind.strip_prefix('"') {
            Some(next) => {
                part.push('"');
                rest = next;
            }
            None if part.is_empty() => return Err(NameError::new(format!("`{text}` has an empty part"), None)),
            None => return Ok((part, behind)),
        }
    }
    Err(NameError::new(format!("`{text}` lacks a closing quote"), None))
}

fn bare_part<'t>(rest: &'t str, text: &str) -> Result<(String, &'t str), NameError> {
    let end = rest.find('.').unwrap_or(rest.len());
    let (part, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
    if part.is_empty() {
        return Err(NameError::new(format!("`{text}` has an empty part"), None));
    }
    // Names of collations hold hyphens; what SQL's own punctuation could hide in stays refused.
    let plain = !part.chars().any(|c| c.is_whitespace() || c.is_control() || "\"'`()[]{},;".contains(c));
    if plain && !part.chars().any(char::is_uppercase) {
        return Ok((part.to_owned(), behind));
    }
    // The double quotes belong to the value: in YAML and JSON they stand inside the document's own quotes.
    let name = quoted(part);
    let (what, help) = if plain {
        ("upper case", format!("write '{name}' for that very name, `{}` for the folded one", part.to_lowercase()))
    } else {
        (
            "a character that a bare name cannot have",
            format!("write it as in SQL, the double quotes included: '{name}'"),
        )
    };
    Err(NameError::new(format!("`{part}` holds {what}"), Some(help)))
}

fn check_length(part: &str) -> Result<(), NameError> {
    if part.len() > MAX_NAME_BYTES {
        return Err(NameError::new(
            format!("`{part}` is longer than the {MAX_NAME_BYTES} bytes of a name in PostgreSQL"),
            None,
        ));
    }
    Ok(())
}

/// The one spelling of a name in normal forms. It never depends on a list of keywords, which grows with PostgreSQL's versions.
pub(super) fn spell(name: &str) -> String {
    if is_plain(name) { name.to_owned() } else { quoted(name) }
}

fn is_plain(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
