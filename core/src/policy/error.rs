//! What is wrong with a policy, with the place and the repair.
//!
//! Receives problems from every stage of loading, returns them sorted by place. Messages quote the document, which its author
//! knows; they never name anything from outside it.

use std::error::Error;
use std::fmt;

use super::document::Span;

/// More problems than these are counted, not listed.
const MAX_LISTED: usize = 50;
/// Longer messages are cut, in characters.
const MAX_MESSAGE: usize = 500;
/// Longer lines are cut around the place.
const MAX_SNIPPET: usize = 120;

/// A policy document that cannot be loaded, with everything that is wrong with it.
///
/// A document whose syntax is broken has one problem; one that parses has all of them, sorted by place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyError {
    problems: Vec<Problem>,
    unlisted: usize,
}

/// One thing that is wrong with a policy document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// Byte offset into the document.
    pub offset: usize,
    /// What is wrong: one line, without the place.
    pub message: String,
    /// How to repair it, where that is known.
    pub help: Option<String>,
    /// Where in the document: `spec.tables["app.orders"].columns[2]`. Empty for the whole document and for syntax errors.
    pub path: String,
    /// The line of the document, cut where it is long.
    pub snippet: String,
    /// Where the marks under the snippet begin, in characters from 0, and how many there are.
    pub marks: (usize, usize),
}

impl PolicyError {
    /// The error with one problem.
    pub(super) fn one(text: &str, span: Span, message: &str) -> Self {
        PolicyError { problems: vec![problem(text, span, String::new(), message.to_owned(), None)], unlisted: 0 }
    }

    /// What is wrong, sorted by place; never empty.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// How many further problems were found than [`Self::problems`] lists.
    #[must_use]
    pub fn unlisted(&self) -> usize {
        self.unlisted
    }
}

impl Error for PolicyError {}

impl fmt::Display for PolicyError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, problem) in self.problems.iter().enumerate() {
            let gap = if at == 0 { "" } else { "\n\n" };
            write!(out, "{gap}{problem}")?;
        }
        match self.unlisted {
            0 => Ok(()),
            1 => write!(out, "\n\nand 1 more problem"),
            more => write!(out, "\n\nand {more} more problems"),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        let (start, count) = self.marks;
        write!(out, "{}\n{margin}--> line {}, column {}", self.message, self.line, self.column)?;
        if !self.path.is_empty() {
            write!(out, ", {}", self.path)?;
        }
        write!(
            out,
            "\n{margin} |\n{number} | {}\n{margin} | {}{}",
            self.snippet,
            " ".repeat(start),
            "^".repeat(count)
        )?;
        if let Some(help) = &self.help {
            write!(out, "\n{margin} = {help}")?;
        }
        Ok(())
    }
}

/// Collects problems while a document is read.
#[derive(Debug)]
pub(super) struct Problems<'t> {
    text: &'t str,
    list: Vec<Problem>,
    unlisted: usize,
}

impl<'t> Problems<'t> {
    /// None yet; places are places in `text`.
    pub(super) fn new(text: &'t str) -> Self {
        Problems { text, list: Vec::new(), unlisted: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Further problems are only counted.
    pub(super) fn is_full(&self) -> bool {
        self.list.len() >= MAX_LISTED
    }

    /// Adds one.
    pub(super) fn add(&mut self, span: Span, path: String, message: impl Into<String>, help: Option<&str>) {
        if self.is_full() {
            self.unlisted += 1;
            return;
        }
        self.list.push(problem(self.text, span, path, message.into(), help.map(str::to_owned)));
    }

    /// The error that holds them, or `None` where there are none.
    pub(super) fn into_error(mut self) -> Option<PolicyError> {
        self.list.sort_by(|a, b| (a.offset, &a.message).cmp(&(b.offset, &b.message)));
        if self.list.is_empty() { None } else { Some(PolicyError { problems: self.list, unlisted: self.unlisted }) }
    }
}

/// Finds line, column and snippet of a place.
fn problem(text: &str, span: Span, path: String, message: String, help: Option<String>) -> Problem {
    let offset = floor_boundary(text, span.start);
    let (before, after) = text.split_at_checked(offset).unwrap_or((text, ""));
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let prefix = before.get(line_start..).unwrap_or_default();
    let rest = after.split('\n').next().unwrap_or_default().trim_end_matches('\r');
    let column = prefix.chars().count();
    let marked = text.get(offset..floor_boundary(text, span.end)).unwrap_or_default();
    let marked = marked.split('\n').next().unwrap_or_default().trim_end().chars().count().max(1);

    // A long line is cut to a window that keeps the place in sight; the dots take the first place of it.
    let skip = column.saturating_sub(MAX_SNIPPET / 2);
    let mut snippet: String = prefix.chars().skip(skip).chain(rest.chars()).take(MAX_SNIPPET).map(printable).collect();
    if skip > 0 {
        snippet = std::iter::once('…').chain(snippet.chars().skip(1)).collect();
    }
    let snippet = snippet.trim_end().to_owned();
    let start = column - skip;
    let room = snippet.chars().count().saturating_sub(start).max(1);
    Problem {
        line: before.matches('\n').count() + 1,
        column: column + 1,
        offset,
        message: one_line(&message),
        help: help.map(|help| one_line(&help)),
        path: one_line(&path),
        snippet,
        marks: (start, marked.min(room)),
    }
}

/// A message that quotes a text stays one line, and short whatever it quotes.
fn one_line(text: &str) -> String {
    let mut line: String = text.chars().take(MAX_MESSAGE).map(printable).collect();
    if line.len() < text.len() {
        line.push('…');
    }
    line
}

/// Keeps marks under their characters, and terminals safe.
fn printable(character: char) -> char {
    if character.is_control() { ' ' } else { character }
}

fn floor_boundary(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at.min(text.len()))
}
