//! The digest of a result: SHA-256 over the RFC 8785 form of `{"columns": […], "rows": […]}`.
//!
//! Receives names, types and texts; returns 64 hex digits, the same from every language for the same result. There are no numbers in it:
//! all values are text or null, so nothing is rounded, and the form is the one that the verdict's strings have.

use crate::text::sha256_hex;
use crate::verdict::{push_list, push_string};

/// The digest.
pub(super) fn result_sha256(columns: &[(&str, String)], rows: &[Vec<Option<String>>]) -> String {
    let mut canonical = String::from("{\"columns\":");
    push_columns(&mut canonical, columns);
    canonical.push_str(",\"rows\":");
    push_rows(&mut canonical, rows);
    canonical.push('}');
    sha256_hex(canonical.as_bytes())
}

/// `[{"name":…,"type":…},…]`.
pub(super) fn push_columns(out: &mut String, columns: &[(&str, String)]) {
    push_list(out, columns, |out, (name, ty)| {
        out.push_str("{\"name\":");
        push_string(out, name);
        out.push_str(",\"type\":");
        push_string(out, ty);
        out.push('}');
    });
}

/// `[[…],…]`.
pub(super) fn push_rows(out: &mut String, rows: &[Vec<Option<String>>]) {
    push_list(out, rows, |out, row| {
        push_list(out, row, |out, value| match value {
            Some(text) => push_string(out, text),
            None => out.push_str("null"),
        });
    });
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{push_columns, push_rows, result_sha256};

    /// The writer here and the library agree on what is canonical, for every character that could be escaped.
    #[test]
    fn is_rfc_8785() {
        let every: String = (0..=0x2fff).filter_map(char::from_u32).chain("😀\u{10ffff}".chars()).collect();
        let columns = [("a\"b", "text".to_owned()), (every.as_str(), "app.\"T\"".to_owned())];
        let rows = vec![vec![Some(every.clone()), None], vec![Some(String::new()), Some("1.50".to_owned())]];
        let (mut as_columns, mut as_rows) = (String::new(), String::new());
        push_columns(&mut as_columns, &columns);
        push_rows(&mut as_rows, &rows);
        let value: serde_json::Value =
            serde_json::from_str(&format!("{{\"rows\":{as_rows},\"columns\":{as_columns}}}")).unwrap();
        let canonical = serde_json_canonicalizer::to_vec(&value).unwrap();
        assert_eq!(result_sha256(&columns, &rows), crate::text::sha256_hex(&canonical));
        assert_eq!(result_sha256(&[], &[]), crate::text::sha256_hex(b"{\"columns\":[],\"rows\":[]}"));
    }
}
