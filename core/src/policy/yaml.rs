//! YAML text to a document tree.
//!
//! Receives text, returns the tree of its one document. It takes no part of YAML by which a text means something else than it
//! shows: no anchors, aliases, tags, merge keys, directives, second documents, keys that are no text. docs/adr/0002 says why it reads
//! the parser's events and not a deserializer's values.

use std::collections::BTreeSet;

use granit_parser::{Event, Parser, ScalarStyle};

use super::document::{Entry, MAX_DEPTH, MAX_NODES, Node, Reading, Span, Value, check_scalar, check_text};
use super::error::Problems;
use super::plain;

/// Parses the text. `None`: at least one problem was added.
pub(super) fn parse(text: &str, problems: &mut Problems<'_>) -> Option<Node> {
    if !check_text(text, true, problems) {
        return None;
    }
    let mut builder = Builder { text, problems, open: Vec::new(), root: None, documents: 0, nodes: 0 };
    let options = granit_parser::options! {
        strict_indentation: true,
        disallow_directives: true,
        emit_unresolved_aliases: true,
        emit_anchor_events: true,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    for next in Parser::new_from_str_with_options(text, options) {
        match next {
            Ok((event, place)) => {
                if let Event::Scalar(_, _, _, Some(_))
                | Event::SequenceStart(_, _, Some(_))
                | Event::MappingStart(_, _, Some(_)) = event
                {
                    let help = Some("take the tag out, and write text in double quotes");
                    let tag = span_of(&place.tag_span().unwrap_or(place));
                    builder.refuse(tag, "tags (`!name`) may not stand in a policy", help);
                }
                builder.event(event, span_of(&place))?;
            }
            Err(error) => {
                let start = error.marker().byte_offset().unwrap_or_default();
                builder.refuse(Span { start, end: start + 1 }, &error.info().to_lowercase(), None);
                return None;
            }
        }
    }
    let root = builder.root.take();
    if root.is_none() && problems.is_empty() {
        problems.add(Span { start: 0, end: 0 }, String::new(), "the document is empty", None);
    }
    root.filter(|_| problems.is_empty())
}

fn span_of(place: &granit_parser::Span) -> Span {
    let range = place.byte_range().unwrap_or_default();
    Span { start: range.start, end: range.end }
}

struct Builder<'t, 'p, 'q> {
    text: &'t str,
    problems: &'p mut Problems<'q>,
    open: Vec<Open>,
    root: Option<Node>,
    documents: usize,
    nodes: usize,
}

/// A list or map whose end has not come yet.
enum Open {
    List { span: Span, items: Vec<Node> },
    Map { span: Span, entries: Vec<Entry>, seen: BTreeSet<String>, key: Option<(String, Span)> },
}

impl Builder<'_, '_, '_> {
    /// Takes one event. `None`: stop here.
    fn event(&mut self, event: Event<'_>, span: Span) -> Option<()> {
        self.nodes += 1;
        if self.nodes > MAX_NODES || self.open.len() > MAX_DEPTH {
            self.refuse(span, "the document is too large or nested too deeply for a policy", None);
            return None;
        }
        match event {
            Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
            Event::Anchor(..) => {
                self.refuse(span, "anchors (`&name`) may not stand in a policy", Some("write the value out"));
            }
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    self.refuse(span, "a second document begins here", Some("a policy is exactly one document"));
                    return None;
                }
            }
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                self.refuse(span, "aliases (`*name`) may not stand in a policy", Some("write the value out"));
                return None;
            }
            Event::Scalar(text, style, _, _) => {
                check_scalar(&text, span, self.problems);
                let plain = style == ScalarStyle::Plain;
                // The parser writes `~` for a value that is not there.
                let missing = plain && self.text.get(span.start..span.end) != Some("~") && text == "~";
                let text = if missing { "".into() } else { text };
                if self.wants_key() {
                    self.key(&text, plain, span);
                } else {
                    let value = if plain { plain::resolve(&text) } else { Value::Text(text.into_owned()) };
                    self.value(Node { span, value });
                }
            }
            Event::SequenceStart(..) => {
                self.no_key(span)?;
                self.open.push(Open::List { span, items: Vec::new() });
            }
            Event::MappingStart(..) => {
                self.no_key(span)?;
                self.open.push(Open::Map { span, entries: Vec::new(), seen: BTreeSet::new(), key: None });
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let node = match self.open.pop()? {
                    Open::List { span, items } => Node { span, value: Value::List(items) },
                    Open::Map { span, entries, .. } => {
                        Node { span: entries.first().map_or(span, |first| first.span), value: Value::Map(entries) }
                    }
                };
                self.value(node);
            }
            // FAIL-CLOSED: an event of a later parser that this reading does not know.
            _ => {
                self.refuse(span, "the document holds something that a policy cannot", None);
                return None;
            }
        }
        Some(())
    }

    fn wants_key(&self) -> bool {
        matches!(self.open.last(), Some(Open::Map { key: None, .. }))
    }

    fn key(&mut self, text: &str, plain: bool, span: Span) {
        let value = if plain { plain::resolve(text) } else { Value::Text(text.to_owned()) };
        match value {
            Value::Text(_) => {}
            Value::Unclear(_, Reading::Special) => {
                self.refuse(
                    span,
                    &format!("the merge key `{text}` may not stand in a policy"),
                    Some("write the keys out"),
                );
            }
            _ => {
                let help = format!("write \"{text}\" in double quotes");
                self.refuse(span, &format!("the key `{text}` is not text to every reader of YAML"), Some(&help));
            }
        }
        let Some(Open::Map { seen, key, .. }) = self.open.last_mut() else { return };
        let fresh = seen.insert(text.to_owned());
        *key = Some((text.to_owned(), span));
        if !fresh {
            self.refuse(span, &format!("the key `{text}` stands twice in this map"), Some("keep one of them"));
        }
    }

    fn value(&mut self, node: Node) {
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open::List { items, .. }) => items.push(node),
            Some(Open::Map { entries, key, .. }) => {
                if let Some((name, span)) = key.take() {
                    // A value that is not there has no place of its own: its key has.
                    let missing = matches!(node.value, Value::Unclear(_, Reading::Missing));
                    let node = if missing { Node { span, value: node.value } } else { node };
                    entries.push(Entry { key: name, span, node });
                }
            }
        }
    }

    /// A list or map that stands where a key is due.
    fn no_key(&mut self, span: Span) -> Option<()> {
        if self.wants_key() {
            self.refuse(span, "a key must be text", None);
            return None;
        }
        Some(())
    }

    fn refuse(&mut self, span: Span, message: &str, help: Option<&str>) {
        self.problems.add(span, String::new(), message, help);
    }
}
