//! Where a key stands in a document.

use super::super::document::{Node, Span, Value};
use super::super::names;
use super::super::reader::is_word;

/// A document and its text.
pub(super) struct Places<'d> {
    text: &'d str,
    root: Option<&'d Node>,
}

impl<'d> Places<'d> {
    pub(super) fn new(text: &'d str, root: Option<&'d Node>) -> Self {
        Places { text, root }
    }

    /// Path, line and column of the key at the end of `steps` below `spec`, or of the last one on the way that is written. A step is a key,
    /// or the name of an element of a list; names of tables and columns are told in their one spelling.
    pub(super) fn find(&self, steps: &[&str]) -> (String, usize, usize) {
        let mut written = String::new();
        let mut span = Span { start: 0, end: 0 };
        let mut node = self.root;
        let all: Vec<&str> = std::iter::once("spec").chain(steps.iter().copied()).collect();
        for step in all {
            let Some((key, inner, at)) = node.and_then(|node| child(node, step)) else { break };
            written = match key {
                Key::Map(key) if written.is_empty() => key.to_owned(),
                Key::Map(key) if is_word(key) => format!("{written}.{key}"),
                Key::Map(key) => format!("{written}[\"{}\"]", key.replace('"', "\\\"")),
                Key::Index(index) => format!("{written}[{index}]"),
            };
            span = at;
            node = Some(inner);
        }
        let before = self.text.get(..span.start).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        (written, line, column)
    }
}

enum Key<'d> {
    Map(&'d str),
    Index(usize),
}

fn child<'d>(node: &'d Node, step: &str) -> Option<(Key<'d>, &'d Node, Span)> {
    match &node.value {
        Value::Map(entries) => {
            let is_it = |key: &str| key == step || spelled(key).is_some_and(|key| key == step);
            let entry = entries.iter().find(|entry| is_it(&entry.key))?;
            Some((Key::Map(&entry.key), &entry.node, entry.span))
        }
        Value::List(items) => items.iter().enumerate().find_map(|(at, item)| {
            let name = match &item.value {
                Value::Text(text) => text,
                // A column with its details, a tenant key.
                Value::Map(entries) => {
                    let named = entries.iter().find(|entry| matches!(&*entry.key, "name" | "column"))?;
                    let Value::Text(text) = &named.node.value else { return None };
                    text
                }
                _ => return None,
            };
            let is_it = name == step || spelled(name).is_some_and(|name| name == step);
            is_it.then_some((Key::Index(at), item, item.span))
        }),
        _ => None,
    }
}

/// The one spelling of a table's, function's or column's name.
fn spelled(name: &str) -> Option<String> {
    names::object(name).or_else(|_| names::operator(name)).ok()
}
