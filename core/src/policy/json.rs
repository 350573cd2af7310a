//! JSON text to a document tree.
//!
//! Receives text, returns its tree. RFC 8259 to the letter (`serde_json` reads it), and narrower in one point: no key twice.

use std::collections::BTreeSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::document::{Entry, MAX_DEPTH, MAX_NODES, Node, Span, Value, check_scalar, check_text, is_whole};
use super::error::Problems;

/// Parses the text. `None`: at least one problem was added.
pub(super) fn parse(text: &str, problems: &mut Problems<'_>) -> Option<Node> {
    if !check_text(text, false, problems) {
        return None;
    }
    let raw: &RawValue = match serde_json::from_str(text) {
        Ok(raw) => raw,
        Err(error) => {
            let start = place(text, error.line(), error.column());
            problems.add(Span { start, end: start + 1 }, String::new(), reason(&error), None);
            return None;
        }
    };
    let mut builder = Builder { text, problems, nodes: 0 };
    let root = builder.node(raw.get(), 0);
    root.filter(|_| problems.is_empty())
}

struct Builder<'t, 'p, 'q> {
    text: &'t str,
    problems: &'p mut Problems<'q>,
    nodes: usize,
}

impl<'t> Builder<'t, '_, '_> {
    fn node(&mut self, raw: &'t str, depth: usize) -> Option<Node> {
        let span = self.span(raw);
        self.nodes += 1;
        if depth > MAX_DEPTH || self.nodes > MAX_NODES {
            self.refuse(span, "the document is too large or nested too deeply for a policy", None);
            return None;
        }
        let value = match raw.as_bytes().first()? {
            b'{' => self.map(raw, depth)?,
            b'[' => {
                let Elements(items) = self.piece(raw)?;
                Value::List(items.into_iter().map(|item| self.node(item.get(), depth + 1)).collect::<Option<_>>()?)
            }
            b'"' => Value::Text(self.string(raw)?),
            b'n' => Value::Null,
            b't' => Value::Bool(true),
            b'f' => Value::Bool(false),
            _ => match raw.parse() {
                Ok(number) if is_whole(raw) => Value::Integer(number),
                _ => Value::Number(raw.to_owned()),
            },
        };
        Some(Node { span, value })
    }

    fn map(&mut self, raw: &'t str, depth: usize) -> Option<Value> {
        let Members(members) = self.piece(raw)?;
        let mut seen = BTreeSet::new();
        let mut entries = Vec::with_capacity(members.len());
        for (key, value) in members {
            let span = self.span(key.get());
            let key = self.string(key.get())?;
            if !seen.insert(key.clone()) {
                self.refuse(span, &format!("the key `{key}` stands twice in this map"), Some("keep one of them"));
            }
            entries.push(Entry { key, span, node: self.node(value.get(), depth + 1)? });
        }
        Some(Value::Map(entries))
    }

    fn string(&mut self, raw: &'t str) -> Option<String> {
        let text: String = self.piece(raw)?;
        check_scalar(&text, self.span(raw), self.problems);
        Some(text)
    }

    /// Reads a part of the text whose outline was checked before: only an escape that is half a character still fails.
    fn piece<T: Deserialize<'t>>(&mut self, raw: &'t str) -> Option<T> {
        match serde_json::from_str(raw) {
            Ok(value) => Some(value),
            Err(error) => {
                self.refuse(self.span(raw), &reason(&error), None);
                None
            }
        }
    }

    /// The place of a part, which is a slice of the text.
    fn span(&self, part: &str) -> Span {
        let start = part.as_ptr().addr().saturating_sub(self.text.as_ptr().addr());
        Span { start, end: start + part.len() }
    }

    fn refuse(&mut self, span: Span, message: &str, help: Option<&str>) {
        self.problems.add(span, String::new(), message, help);
    }
}

/// The members of a JSON object, in the text's order, duplicates included; keys and values as they are written.
///
/// Values are skipped over, not descended into: no nesting can exhaust the stack.
pub(crate) fn members(text: &str) -> Result<Vec<(&RawValue, &RawValue)>, serde_json::Error> {
    serde_json::from_str(text).map(|Members(members)| members)
}

/// The elements of a JSON array, as they are written.
pub(crate) fn elements(text: &str) -> Result<Vec<&RawValue>, serde_json::Error> {
    serde_json::from_str(text).map(|Elements(elements)| elements)
}

/// An object's members in the document's order, names as they are written.
struct Members<'t>(Vec<(&'t RawValue, &'t RawValue)>);

/// An array's elements.
struct Elements<'t>(Vec<&'t RawValue>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Members<'de>;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        from.deserialize_map(Read)
    }
}

impl<'de> Deserialize<'de> for Elements<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Elements<'de>;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an array")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = list.next_element()? {
                    items.push(item);
                }
                Ok(Elements(items))
            }
        }
        from.deserialize_seq(Read)
    }
}

/// The byte that a line and a column (in bytes, from 1) name.
fn place(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    (before + column.saturating_sub(1)).min(text.len())
}

/// The message without the place, which stands beside it.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    text.get(..end).unwrap_or(&text).to_lowercase()
}
