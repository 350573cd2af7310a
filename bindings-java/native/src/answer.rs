//! What a call returns: one array of bytes that `Answer.java` reads in the same order.
//!
//! Receives the parts of an answer or an error, returns bytes: a first byte that tells which, then numbers as big-endian,
//! texts as their length and their UTF-8, lists as their length and their items. Must never say what is in them: field names
//! stand in Java alone.

use haltsql::boundary::{self, Error};

const GOOD: u8 = 0;
const ERROR: u8 = 1;
/// The length of a text that is not there.
const ABSENT: i32 = -1;

/// Bytes on their way to Java.
pub(crate) struct Answer(Vec<u8>);

impl Answer {
    /// An answer without an error, to be filled.
    pub(crate) fn good() -> Self {
        Answer(vec![GOOD])
    }

    /// A verdict: whether it allows the text, and its JSON up to the end of the array.
    pub(crate) fn verdict(json: &str) -> Self {
        let mut bytes = Vec::with_capacity(json.len().saturating_add(2));
        bytes.extend([GOOD, u8::from(boundary::is_allowed(json))]);
        bytes.extend_from_slice(json.as_bytes());
        Answer(bytes)
    }

    /// An error, with everything that is wrong with a policy.
    pub(crate) fn error(error: &Error) -> Self {
        let mut answer = Answer(vec![ERROR]);
        answer.number(error.code().number() as usize).text(error.message());
        answer.list(error.problems(), |answer, problem| {
            answer.number(problem.line).number(problem.column).number(problem.offset).text(&problem.path);
            answer.text(&problem.message).optional(problem.help.as_deref()).text(&problem.snippet);
        });
        answer
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(crate) fn flag(&mut self, flag: bool) -> &mut Self {
        self.0.push(u8::from(flag));
        self
    }

    /// A count or a place. What is more than Java's `int` holds is the most that it holds; no text of ours is so long.
    pub(crate) fn number(&mut self, number: usize) -> &mut Self {
        self.0.extend(i32::try_from(number).unwrap_or(i32::MAX).to_be_bytes());
        self
    }

    pub(crate) fn long(&mut self, number: u64) -> &mut Self {
        self.0.extend(number.to_be_bytes());
        self
    }

    pub(crate) fn handle(&mut self, handle: i64) -> &mut Self {
        self.long(handle.cast_unsigned())
    }

    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.number(text.len()).0.extend(text.as_bytes());
        self
    }

    pub(crate) fn optional(&mut self, text: Option<&str>) -> &mut Self {
        match text {
            Some(text) => self.text(text),
            None => {
                self.0.extend(ABSENT.to_be_bytes());
                self
            }
        }
    }

    pub(crate) fn texts(&mut self, items: &[String]) -> &mut Self {
        self.list(items, |answer, text| {
            answer.text(text);
        })
    }

    pub(crate) fn list<T>(&mut self, items: &[T], write: fn(&mut Self, &T)) -> &mut Self {
        self.number(items.len());
        for item in items {
            write(self, item);
        }
        self
    }
}
