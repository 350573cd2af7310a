//! A draft as YAML, with the reason of each choice beside it.
//!
//! Receives a draft, returns a document that loads. Names of the database stand in quotes wherever YAML or the policy could read
//! them otherwise, and no name or comment of the database ends a comment or a string.

use std::fmt::Write as _;

use super::draft::{Draft, Entry, LeftOut, Tenant};

/// The document.
pub fn yaml(draft: &Draft) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = push(&mut out, draft);
    out
}

fn push(out: &mut String, draft: &Draft) -> std::fmt::Result {
    writeln!(
        out,
        "# A first policy for the database {}, drafted by `haltsql policy init`.",
        one_line(&draft.database)
    )?;
    writeln!(
        out,
        "# Nobody has decided anything yet: read every line, and hide or take out what callers should not see."
    )?;
    writeln!(out, "# Then: `haltsql policy doctor` checks on the database what the policy takes for granted.")?;
    writeln!(out, "apiVersion: haltsql.dev/v1\nkind: Policy\nmetadata:\n  name: {}", scalar(&one_line(&draft.name)))?;
    writeln!(out, "spec:")?;
    if let Some(schema) = &draft.search_path {
        writeln!(out, "  # Tables of other schemas are written with their schema.")?;
        writeln!(out, "  search_path: [{}]", scalar(&spell(schema)))?;
    }
    match &draft.key {
        Some(key) => {
            writeln!(out, "  tenancy:\n    keys:")?;
            writeln!(out, "      # Found in {} of {} tables.{}", key.tables, draft.tables, others(&key.others))?;
            let (column, context) = (scalar(&spell(&key.column)), scalar(&key.column));
            let ty = if key.ty == "text" { String::new() } else { format!(", type: {}", key.ty) };
            writeln!(out, "      - {{ column: {column}, context: {context}{ty} }}")?;
        }
        None => writeln!(out, "  # No tenancy: every caller sees all rows of every table below.")?,
    }
    writeln!(out, "  tables:{}", if draft.entries.is_empty() { " {}" } else { "" })?;
    for entry in &draft.entries {
        push_entry(out, entry, "    ")?;
    }
    for left_out in &draft.left_out {
        push_left_out(out, left_out)?;
    }
    Ok(())
}

fn others(others: &[(String, usize)]) -> String {
    if others.is_empty() {
        return String::new();
    }
    let named: Vec<String> = others.iter().map(|(name, count)| format!("{} ({count})", one_line(name))).collect();
    format!(" It could also be {}: --tenant-column says so.", named.join(", "))
}

fn push_entry(out: &mut String, entry: &Entry, indent: &str) -> std::fmt::Result {
    if let Some(comment) = &entry.comment {
        writeln!(out, "{indent}# {}", one_line(comment))?;
    }
    for note in &entry.notes {
        writeln!(out, "{indent}# {}", one_line(note))?;
    }
    writeln!(out, "{indent}{}:", scalar(&format!("{}.{}", spell(&entry.schema), spell(&entry.name))))?;
    writeln!(out, "{indent}  columns:")?;
    for column in &entry.columns {
        write!(
            out,
            "{indent}    - {{ name: {}, type: {}",
            scalar(&spell(&column.name)),
            scalar(&one_line(&column.type_text))
        )?;
        if let Some(comment) = column.comment.as_deref().map(one_line).filter(|comment| !comment.is_empty()) {
            write!(out, ", description: {}", scalar(&comment))?;
        }
        writeln!(out, " }}")?;
    }
    if !entry.hidden.is_empty() {
        writeln!(out, "{indent}  hidden:")?;
        for (name, why) in &entry.hidden {
            writeln!(out, "{indent}    - {}  # {why}", scalar(&spell(name)))?;
        }
    }
    writeln!(out, "{indent}  complete: true")?;
    match &entry.tenant {
        Tenant::Default => {}
        Tenant::Column(column) => {
            let name = if column == "none" { "\"none\"".to_owned() } else { spell(column) };
            writeln!(out, "{indent}  tenant: {{ {}: {} }}", scalar(&spell(&entry.key)), scalar(&name))?;
        }
        Tenant::Shared => writeln!(out, "{indent}  shared: true")?,
    }
    Ok(())
}

fn push_left_out(out: &mut String, left_out: &LeftOut) -> std::fmt::Result {
    writeln!(out, "\n    # Left out: {}: {}.", one_line(&left_out.display), one_line(&left_out.why))?;
    if let Some(entry) = &left_out.entry {
        push_entry(out, entry, "    # ")?;
    }
    Ok(())
}

/// A name as a policy writes it: bare where it is plain, else in double quotes.
fn spell(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

/// A text as a scalar of YAML: bare where nothing could take it for something else, else in double quotes.
fn scalar(text: &str) -> String {
    const WORDS: [&str; 10] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n", "none"];
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.() ".contains(&byte))
        && !text.ends_with(' ')
        && !WORDS.contains(&&*text.to_ascii_lowercase());
    if plain { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}

/// Text of the database on one line, without what YAML does not print.
fn one_line(text: &str) -> String {
    let printable = |c: char| {
        if c.is_control() || matches!(c, '\u{feff}' | '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}') {
            ' '
        } else {
            c
        }
    };
    text.chars().map(printable).collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}
