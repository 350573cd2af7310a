//! The SQL text as bytes: what can be refused before the parser sees it.

/// The place of a name behind a place, in any spelling that contains it letter by letter.
pub fn name_after(sql: &str, from: u32, name: &str) -> Option<u32> {
    let rest = sql.get(from as usize..)?;
    let at = rest.to_lowercase().find(&name.to_lowercase())?;
    u32::try_from(at).ok()?.checked_add(from)
}
