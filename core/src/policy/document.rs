//! A policy document as a tree of values, each with its place in the text.
//!
//! Receives nothing itself: `yaml` and `json` build the tree, `reader` reads it. It never decides what a key means, and it never
//! guesses: a scalar that readers of YAML disagree about stays [`Value::Unclear`] until it is refused.

use super::error::Problems;

/// No policy comes near it; it bounds what a hostile document can cost.
pub(super) const MAX_BYTES: usize = 4 * 1024 * 1024;
/// Scalars, lists and maps together.
pub(super) const MAX_NODES: usize = 400_000;
/// The deepest place of a policy is 7 levels down.
pub(super) const MAX_DEPTH: usize = 32;

/// Bytes of the document's text, from `start` up to, not including, `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A value and its place.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) span: Span,
    pub(super) value: Value,
}

/// What a document can hold.
#[derive(Debug)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Integer(i64),
    /// A number that is no whole one, or none that fits; as written.
    Number(String),
    Text(String),
    /// A plain YAML scalar that has several readings.
    Unclear(String, Reading),
    List(Vec<Node>),
    /// Keys are unique.
    Map(Vec<Entry>),
}

/// A key of a map and its value.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) span: Span,
    pub(super) node: Node,
}

/// What else than text an unclear scalar may be read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// `yes`, `off`, `True`.
    Boolean,
    /// `010`, `0x1f`, `1_000`, `12:30`, `2024-01-01`.
    Number,
    /// `~`, `NULL`.
    Null,
    /// Nothing at all stands after the colon or dash.
    Missing,
    /// `=`, `<<`.
    Special,
}

impl Value {
    /// What it is, for messages.
    pub(super) const fn kind(&self) -> &'static str {
        match self {
            Value::Null => "`null`",
            Value::Bool(_) => "a boolean",
            Value::Integer(_) | Value::Number(_) => "a number",
            Value::Text(_) => "text",
            Value::Unclear(..) => "an unclear value",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
        }
    }
}

/// Whether `text` is a whole number in the one spelling that JSON and every YAML version read alike.
pub(super) fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let canonical = digits.len() == 1 || !digits.starts_with('0');
    !digits.is_empty() && canonical && digits.bytes().all(|byte| byte.is_ascii_digit()) && text != "-0"
}

/// Refuses what would let a person and a parser see two different texts. True: the text may be parsed.
pub(super) fn check_text(text: &str, yaml: bool, problems: &mut Problems<'_>) -> bool {
    let bytes = text.as_bytes();
    for (at, character) in text.char_indices() {
        let span = Span { start: at, end: at + character.len_utf8() };
        let message = match character {
            '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => "it makes a text look other than it is read",
            '\u{85}' | '\u{2028}' | '\u{2029}' if yaml => "some readers of YAML take it for the end of the line",
            '\r' if yaml && bytes.get(at + 1) != Some(&b'\n') => {
                "YAML takes it for the end of the line, most editors do not"
            }
            '\u{FEFF}' if yaml && at > 0 => "it is invisible",
            '\0'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{7F}'..='\u{9F}' => {
                "it is a control character"
            }
            _ => continue,
        };
        problems.add(
            span,
            String::new(),
            format!("the character U+{:04X} may not stand in a policy: {message}", u32::from(character)),
            Some("take it out, or write it as an escape inside double quotes"),
        );
        return false;
    }
    true
}

/// Refuses control characters that escapes brought into a text.
pub(super) fn check_scalar(text: &str, span: Span, problems: &mut Problems<'_>) {
    if let Some(found) = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        let message = format!("a text holds the control character U+{:04X}", u32::from(found));
        problems.add(span, String::new(), message, None);
    }
}
