//! The strict reading of a document tree: maps with known keys, values of one type.
//!
//! Receives nodes, returns plain values; every deviation becomes a problem with place, path and repair. It converts nothing: a
//! boolean is never text, text is never a number, `null` is never an empty list.

use std::fmt;

use super::document::{Entry, Node, Reading, Span, Value};
use super::error::Problems;
use super::names::{self, NameError};

/// The largest whole number that every reader of JSON keeps exact, and so the largest that a hash may stand on.
pub(super) const MAX_EXACT: u64 = (1 << 53) - 1;

/// Where a node stands: `spec.tables["app.orders"].columns[2]`.
#[derive(Clone, Copy)]
pub(super) struct Path<'p> {
    parent: Option<&'p Path<'p>>,
    step: Step<'p>,
}

#[derive(Clone, Copy)]
enum Step<'p> {
    Root,
    Key(&'p str),
    Index(usize),
}

impl<'p> Path<'p> {
    pub(super) const ROOT: Path<'static> = Path { parent: None, step: Step::Root };

    pub(super) const fn key(&'p self, key: &'p str) -> Path<'p> {
        Path { parent: Some(self), step: Step::Key(key) }
    }

    pub(super) const fn index(&'p self, index: usize) -> Path<'p> {
        Path { parent: Some(self), step: Step::Index(index) }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(parent) = self.parent else { return Ok(()) };
        parent.fmt(out)?;
        match self.step {
            Step::Root => Ok(()),
            Step::Index(index) => write!(out, "[{index}]"),
            Step::Key(key) if !is_word(key) => write!(out, "[\"{}\"]", key.replace('"', "\\\"")),
            Step::Key(key) if parent.parent.is_none() => out.write_str(key),
            Step::Key(key) => write!(out, ".{key}"),
        }
    }
}

/// A key that a path writes behind a dot.
pub(super) fn is_word(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A map whose keys were all known.
#[derive(Clone, Copy)]
pub(super) struct Fields<'n> {
    span: Span,
    entries: &'n [Entry],
}

impl<'n> Fields<'n> {
    /// The value of a key, where it is written.
    pub(super) fn get(&self, key: &str) -> Option<&'n Node> {
        self.entry(key).map(|entry| &entry.node)
    }

    /// The key and its value, where they are written.
    pub(super) fn entry(&self, key: &str) -> Option<&'n Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// Where the map begins.
    pub(super) fn span(&self) -> Span {
        self.span
    }
}

/// A value with the place it was read from.
#[derive(Clone, Debug)]
pub(super) struct Placed<T> {
    pub(super) value: T,
    pub(super) span: Span,
}

/// Reads nodes, collects problems.
pub(super) struct Reader<'t> {
    problems: Problems<'t>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(problems: Problems<'t>) -> Self {
        Reader { problems }
    }

    pub(super) fn into_problems(self) -> Problems<'t> {
        self.problems
    }

    pub(super) fn is_clean(&self) -> bool {
        self.problems.is_empty()
    }

    /// Adds a problem.
    pub(super) fn refuse(&mut self, span: Span, path: &Path<'_>, message: impl Into<String>, help: Option<&str>) {
        self.problems.add(span, path.to_string(), message, help);
    }

    /// A map with these keys and no others. Unknown keys become problems, the known ones are still read.
    pub(super) fn map<'n>(&mut self, node: &'n Node, path: &Path<'_>, known: &[&str]) -> Option<Fields<'n>> {
        let entries = self.entries(node, path)?;
        for entry in entries {
            if !known.contains(&&*entry.key) {
                let near = self.nearest(&entry.key, known.iter().copied());
                let help = match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("known here: {}", listed(known)),
                };
                self.refuse(entry.span, &path.key(&entry.key), format!("unknown key `{}`", entry.key), Some(&help));
            }
        }
        Some(Fields { span: node.span, entries })
    }

    /// A map whose keys are the author's.
    pub(super) fn entries<'n>(&mut self, node: &'n Node, path: &Path<'_>) -> Option<&'n [Entry]> {
        match &node.value {
            Value::Map(entries) => Some(entries),
            _ => self.mismatch(node, path, "a map"),
        }
    }

    /// The value of a key that must be there.
    pub(super) fn required<'n>(&mut self, fields: Fields<'n>, path: &Path<'_>, key: &str) -> Option<&'n Node> {
        let found = fields.get(key);
        if found.is_none() {
            self.refuse(fields.span, path, format!("the key `{key}` is missing"), None);
        }
        found
    }

    pub(super) fn list<'n>(&mut self, node: &'n Node, path: &Path<'_>) -> Option<&'n [Node]> {
        match &node.value {
            Value::List(items) => Some(items),
            _ => self.mismatch(node, path, "a list"),
        }
    }

    /// Text of at least one character that is no white space.
    pub(super) fn text<'n>(&mut self, node: &'n Node, path: &Path<'_>) -> Option<&'n str> {
        match &node.value {
            Value::Text(text) if text.trim().is_empty() => {
                self.refuse(node.span, path, "the text is empty", None);
                None
            }
            Value::Text(text) => Some(text),
            _ => self.mismatch(node, path, "text"),
        }
    }

    /// Text of one line, with nothing around it: what programs compare. A block scalar's last line break never gets in.
    pub(super) fn line<'n>(&mut self, node: &'n Node, path: &Path<'_>) -> Option<&'n str> {
        let text = self.text(node, path)?;
        if text.contains(['\n', '\t']) || text.trim() != text {
            self.refuse(node.span, path, "the text has white space around it, a tab or a line break", None);
            return None;
        }
        Some(text)
    }

    pub(super) fn boolean(&mut self, node: &Node, path: &Path<'_>) -> Option<bool> {
        match &node.value {
            Value::Bool(value) => Some(*value),
            _ => self.mismatch(node, path, "`true` or `false`"),
        }
    }

    /// A whole number from 1 to `max`.
    pub(super) fn positive(&mut self, node: &Node, path: &Path<'_>, max: u64) -> Option<u64> {
        match &node.value {
            Value::Integer(0) => {
                let message = "0 is no limit that a statement could keep to";
                self.refuse(node.span, path, message, Some("write 1 or more; leave the key out for the default"));
                None
            }
            Value::Integer(value) => match u64::try_from(*value) {
                Ok(value) if value <= max => Some(value),
                _ => {
                    self.refuse(node.span, path, format!("`{value}` is not between 1 and {max}"), None);
                    None
                }
            },
            _ => self.mismatch(node, path, "a whole number"),
        }
    }

    /// `None` inside: the value is `null`, for the few keys that may be.
    pub(super) fn nullable<'n>(&self, node: &'n Node) -> Option<&'n Node> {
        if matches!(node.value, Value::Null) { None } else { Some(node) }
    }

    /// One of a few words.
    pub(super) fn choice<T: Copy>(&mut self, node: &Node, path: &Path<'_>, words: &[(&str, T)]) -> Option<T> {
        let text = match &node.value {
            Value::Bool(value) => value.to_string(),
            Value::Integer(value) => value.to_string(),
            Value::Number(text) => text.clone(),
            Value::Unclear(text, reading) if *reading != Reading::Missing => text.clone(),
            _ => self.line(node, path)?.to_owned(),
        };
        if let (Value::Text(_), Some((_, value))) = (&node.value, words.iter().find(|(word, _)| *word == text)) {
            return Some(*value);
        }
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        self.unknown(node.span, path, "value", &text, &known);
        None
    }

    /// A word that is none of the known ones.
    pub(super) fn unknown(&mut self, span: Span, path: &Path<'_>, what: &str, word: &str, known: &[&str]) {
        let near = self.nearest(word, known.iter().copied());
        let ask = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        let help = format!("{ask}known here: {}", listed(known));
        self.refuse(span, path, format!("unknown {what} `{word}`"), Some(&help));
    }

    /// A name of one part.
    pub(super) fn name(&mut self, node: &Node, path: &Path<'_>) -> Option<Placed<String>> {
        let text = self.line(node, path)?;
        let value = self.named(node.span, path, names::single(text))?;
        Some(Placed { value, span: node.span })
    }

    /// The names of a list, in its order.
    pub(super) fn name_list(&mut self, node: &Node, path: &Path<'_>) -> Vec<Placed<String>> {
        self.each(node, path, Reader::name)
    }

    /// Every element of a list that can be read.
    pub(super) fn each<T>(
        &mut self,
        node: &Node,
        path: &Path<'_>,
        read: impl Fn(&mut Self, &Node, &Path<'_>) -> Option<T>,
    ) -> Vec<T> {
        let Some(items) = self.list(node, path) else { return Vec::new() };
        items.iter().enumerate().filter_map(|(at, item)| read(self, item, &path.index(at))).collect()
    }

    /// Turns the refusal of a name into a problem.
    pub(super) fn named<T>(&mut self, span: Span, path: &Path<'_>, read: Result<T, NameError>) -> Option<T> {
        match read {
            Ok(value) => Some(value),
            Err(NameError { message, help }) => {
                self.refuse(span, path, message, help.as_deref());
                None
            }
        }
    }

    /// The known word that `word` is most likely a slip of, while problems are still listed.
    pub(super) fn nearest<'k>(&self, word: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
        if self.problems.is_full() { None } else { nearest(word, known) }
    }

    fn mismatch<T>(&mut self, node: &Node, path: &Path<'_>, wanted: &str) -> Option<T> {
        let (message, help) = match &node.value {
            Value::Unclear(_, Reading::Missing) => ("a value is missing".to_owned(), format!("{wanted} belongs here")),
            Value::Number(text) | Value::Unclear(text, Reading::Number) if wanted == "a whole number" => (
                format!("`{text}` is not a whole number in plain digits, or too large"),
                "write it as in `5000`".to_owned(),
            ),
            Value::Unclear(text, reading) => {
                let other = match reading {
                    Reading::Boolean => "a boolean to some readers of YAML and text to others",
                    Reading::Number => "a number to some readers of YAML and something else to others",
                    Reading::Null => "`null` to some readers of YAML and text to others",
                    Reading::Missing | Reading::Special => "not text to every reader of YAML",
                };
                let repair = match wanted {
                    "text" => format!("write \"{text}\" in double quotes"),
                    _ => format!("{wanted} belongs here, in its plainest form"),
                };
                (format!("`{text}` is {other}"), repair)
            }
            Value::Bool(_) | Value::Integer(_) | Value::Number(_) if wanted == "text" => {
                (format!("{} stands where text belongs", node.value.kind()), "write it in double quotes".to_owned())
            }
            Value::Text(text) if wanted == "`true` or `false`" || wanted == "a whole number" => {
                (format!("the text `{text}` stands where {wanted} belongs"), "write it without quotes".to_owned())
            }
            value => (format!("{} stands where {wanted} belongs", value.kind()), String::new()),
        };
        self.refuse(node.span, path, message, Some(&*help).filter(|help| !help.is_empty()));
        None
    }
}

fn nearest<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    // A very long word is no slip, and the distance costs its length for every candidate.
    if word.len() > 128 {
        return None;
    }
    let folded = word.to_lowercase().replace('-', "_");
    let room = (folded.chars().count() / 3).max(1);
    known
        .take(1_000)
        .map(|candidate| (strsim::osa_distance(&folded, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= room)
        .min()
        .map(|(_, candidate)| candidate)
}

fn listed(known: &[&str]) -> String {
    known.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
