//! The text itself, before any parser: its size, its encoding, how deeply it nests, where its pieces stand.
//!
//! Receives the caller's bytes; returns a [`Source`] that the parser can hold, or the reasons why not. Knows no SQL but
//! PostgreSQL's lexical rules, and must never call the parser.

mod copies;
mod depth;
mod lex;
mod stack;
#[cfg(test)]
pub(crate) mod tests;
mod tokens;

pub(crate) use lex::{Kind, Piece, Pieces};
pub(crate) use stack::StackError;
pub(crate) use tokens::{Token, Tokens};

use crate::policy::Limits;
use crate::reason::{Reason, ReasonCode};
use depth::Depth;
use sha2::{Digest, Sha256};

/// A text that the parser may be given: not too large, UTF-8, no NUL, not nested beyond what the parser holds.
#[derive(Clone, Debug)]
pub(crate) struct Source<'a> {
    sql: &'a str,
    depth: Depth,
}

impl<'a> Source<'a> {
    /// Looks at the bytes as they came.
    ///
    /// # Errors
    /// E_TOO_LARGE; E_PARSE at the first byte that is not UTF-8 or is NUL; E_TOO_COMPLEX where nesting passes the bounds
    /// below which the parser is certain to answer, the same on every host, and where SET would repeat too much.
    pub(crate) fn new(bytes: &'a [u8], limits: &Limits) -> Result<Self, Reason> {
        if u64::try_from(bytes.len()).map_or(true, |len| len > limits.max_sql_bytes) {
            return Err(Reason {
                code: ReasonCode::TooLarge,
                message: format!("the text has {} bytes, more than the limit of {}", bytes.len(), limits.max_sql_bytes),
                loc: None,
                hint: Some(format!("send at most {} bytes", limits.max_sql_bytes)),
            });
        }
        // The first bad byte counts, whichever of the two it is.
        let valid = std::str::from_utf8(bytes);
        let valid_to = valid.map_or_else(|error| error.valid_up_to(), str::len);
        if let Some(nul) = bytes.iter().take(valid_to).position(|&byte| byte == 0) {
            return Err(unreadable(nul, "the text holds a NUL byte"));
        }
        let sql = valid.map_err(|error| unreadable(error.valid_up_to(), "the text is not UTF-8"))?;
        let source = Source { sql, depth: depth::measure(sql) };
        match source.depth.over {
            Some(at) => Err(too_complex(at)),
            None => copies::over(sql).map_or(Ok(source), |at| Err(repeats(at))),
        }
    }

    /// The text.
    pub(crate) fn sql(&self) -> &'a str {
        self.sql
    }

    /// Whether the text runs on the caller's stack.
    pub(crate) fn inline(&self) -> bool {
        self.depth.inline()
    }

    /// The first parameter with a word stuck to it, `$1a`.
    pub(crate) fn glued_param(&self) -> Option<Piece> {
        self.depth.glued_param
    }

    /// Parameters that may stand where the parser's library takes one and PostgreSQL doesn't, `date $1`.
    pub(crate) fn odd_params(&self) -> &[Piece] {
        &self.depth.odd_params
    }

    /// Where the text nests most.
    pub(crate) fn deepest(&self) -> usize {
        self.depth.deepest
    }
}

/// Runs everything that recurses over the text's tree, its drop included, where it has the stack for it: here for a
/// text that nests little, else on a thread made for the call. A panic of work that runs here unwinds to the caller.
///
/// # Errors
/// The system gave no thread, or the work panicked on it. Both are the caller's to turn into E_INTERNAL.
pub(crate) fn run_with_stack<R: Send>(source: &Source<'_>, work: impl FnOnce() -> R + Send) -> Result<R, StackError> {
    stack::run(source.inline(), work)
}

/// Lower-case hex SHA-256 of the exact bytes.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Two lower-case hex digits a byte.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    let digit = |nibble: u8| DIGITS.get(usize::from(nibble)).copied().unwrap_or('0');
    bytes.iter().flat_map(|&byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The bytes that hex digits of either case stand for; `None` where they are not pairs of digits.
pub(crate) fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.bytes().map(|byte| char::from(byte).to_digit(16)).collect::<Option<Vec<_>>>()?;
    let (pairs, odd) = digits.as_chunks::<2>();
    let byte = |&[high, low]: &[u32; 2]| u8::try_from(high * 16 + low).ok();
    odd.is_empty().then(|| pairs.iter().map(byte).collect()).flatten()
}

/// Runs work that recurses over the tree of another text than a caller's, one that is built around it: bounds are not looked at, the
/// stack is.
///
/// # Errors
/// As [`run_with_stack`].
pub(crate) fn run_around<R: Send>(sql: &str, work: impl FnOnce() -> R + Send) -> Result<R, StackError> {
    stack::run(depth::measure(sql).inline(), work)
}

/// The reason for a text that nests more than the parser can hold.
pub(crate) fn too_complex(at: usize) -> Reason {
    Reason {
        code: ReasonCode::TooComplex,
        message: "the text nests more deeply than can be verified".to_owned(),
        loc: place(at),
        hint: Some("split the query, or write long chains of one operator as a list".to_owned()),
    }
}

fn repeats(at: usize) -> Reason {
    Reason {
        code: ReasonCode::TooComplex,
        message: "SET repeats this source for too many columns".to_owned(),
        loc: place(at),
        hint: Some("set each column by itself".to_owned()),
    }
}

/// A byte offset as reasons carry it.
pub(crate) fn place(at: usize) -> Option<u32> {
    u32::try_from(at).ok()
}

fn unreadable(at: usize, message: &str) -> Reason {
    Reason { code: ReasonCode::Parse, message: message.to_owned(), loc: place(at), hint: None }
}
