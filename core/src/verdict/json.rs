//! The JSON of a verdict: the product's contract, and the only place that spells it.
//!
//! Receives a verdict, returns its bytes: fields in the order of `docs/verdict.md`, no blanks between tokens, one line.
//! Must never depend on anything but the verdict's own values, and never write `null` for an optional field of a reason.

use std::fmt::Write as _;

use super::Verdict;
use crate::facts::{BindParam, BindValue};
use crate::reason::Reason;

impl Verdict {
    /// The verdict's JSON, byte for byte the same on every platform and in every language but for `elapsed_us`, which is last.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = String::with_capacity(self.expected_length());
        out.push_str(if self.allowed { "{\"allowed\":true" } else { "{\"allowed\":false" });
        out.push_str(",\"reasons\":");
        push_list(&mut out, &self.reasons, push_reason);
        out.push_str(",\"shadow_reasons\":");
        push_list(&mut out, &self.shadow_reasons, push_reason);
        out.push_str(",\"policy\":{\"name\":");
        push_string(&mut out, &self.policy.name);
        out.push_str(",\"version\":");
        push_string(&mut out, &self.policy.version);
        out.push_str(",\"search_path\":");
        push_strings(&mut out, &self.policy.search_path);
        out.push_str("},\"statement_kind\":");
        push_optional(&mut out, self.statement_kind.map(super::StatementKind::as_str));
        out.push_str(",\"tables\":");
        push_strings(&mut out, &self.tables);
        out.push_str(",\"columns\":");
        push_strings(&mut out, &self.columns);
        out.push_str(",\"bind_params\":");
        push_list(&mut out, &self.bind_params, push_bind_param);
        out.push_str(",\"fingerprint\":");
        push_optional(&mut out, self.fingerprint.as_deref());
        out.push_str(",\"sql_sha256\":");
        push_string(&mut out, &self.sql_sha256);
        out.push_str(",\"elapsed_us\":");
        push_number(&mut out, self.elapsed_us);
        out.push('}');
        out
    }

    /// Enough for the whole text unless it is full of escapes, so that writing it allocates once.
    fn expected_length(&self) -> usize {
        let texts = |texts: &[String]| texts.iter().map(|text| text.len() + 3).sum::<usize>();
        let reasons = |reasons: &[Reason]| {
            let one = |reason: &Reason| 110 + reason.message.len() + reason.hint.as_ref().map_or(0, String::len);
            reasons.iter().map(one).sum::<usize>()
        };
        let binds = self.bind_params.iter().map(|bind| match &bind.value {
            BindValue::One(value) => 60 + value.len(),
            BindValue::Many(values) => 60 + texts(values),
        });
        let exact = 320
            + reasons(&self.reasons)
            + reasons(&self.shadow_reasons)
            + self.policy.name.len()
            + self.policy.version.len()
            + texts(&self.policy.search_path)
            + texts(&self.tables)
            + texts(&self.columns)
            + binds.sum::<usize>();
        exact + exact / 16
    }
}

fn push_reason(out: &mut String, reason: &Reason) {
    out.push_str("{\"code\":");
    push_string(out, reason.code.as_str());
    out.push_str(",\"message\":");
    push_string(out, &reason.message);
    out.push_str(",\"rule\":");
    push_string(out, reason.code.rule());
    if let Some(loc) = reason.loc {
        out.push_str(",\"loc\":");
        push_number(out, u64::from(loc));
    }
    if let Some(hint) = &reason.hint {
        out.push_str(",\"hint\":");
        push_string(out, hint);
    }
    out.push('}');
}

fn push_bind_param(out: &mut String, bind: &BindParam) {
    out.push_str("{\"param\":");
    push_number(out, u64::from(bind.param));
    out.push_str(",\"value\":");
    match &bind.value {
        BindValue::One(value) => push_string(out, value),
        BindValue::Many(values) => push_strings(out, values),
    }
    out.push_str(",\"type\":");
    push_string(out, bind.ty);
    out.push('}');
}

/// A JSON array of items that `push` writes.
pub(crate) fn push_list<T>(out: &mut String, items: &[T], push: impl Fn(&mut String, &T)) {
    out.push('[');
    for (position, item) in items.iter().enumerate() {
        if position > 0 {
            out.push(',');
        }
        push(out, item);
    }
    out.push(']');
}

/// A JSON array of strings.
pub(crate) fn push_strings(out: &mut String, texts: &[impl AsRef<str>]) {
    push_list(out, texts, |out, text| push_string(out, text.as_ref()));
}

/// A JSON string. Escaped are `"`, `\` and U+0000–U+001F alone, by the short form where there is one.
pub(crate) fn push_string(out: &mut String, text: &str) {
    out.push('"');
    // Nearly all texts hold nothing to escape: one pass without a branch finds that out many bytes at a time.
    if text.bytes().fold(false, |found, byte| found | is_escaped(byte)) {
        push_escaped(out, text);
    } else {
        out.push_str(text);
    }
    out.push('"');
}

const fn is_escaped(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

fn push_escaped(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.bytes().position(is_escaped) {
        let (plain, special) = rest.split_at(at);
        out.push_str(plain);
        let mut characters = special.chars();
        if let Some(character) = characters.next() {
            push_escape(out, character);
        }
        rest = characters.as_str();
    }
    out.push_str(rest);
}

fn push_escape(out: &mut String, character: char) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\u{8}' => out.push_str("\\b"),
        '\t' => out.push_str("\\t"),
        '\n' => out.push_str("\\n"),
        '\u{c}' => out.push_str("\\f"),
        '\r' => out.push_str("\\r"),
        // Writing to a String cannot fail.
        other => {
            let _ = write!(out, "\\u{:04x}", u32::from(other));
        }
    }
}

fn push_optional(out: &mut String, text: Option<&str>) {
    match text {
        Some(text) => push_string(out, text),
        None => out.push_str("null"),
    }
}

/// A JSON number.
pub(crate) fn push_number(out: &mut String, number: u64) {
    // Writing to a String cannot fail.
    let _ = write!(out, "{number}");
}
