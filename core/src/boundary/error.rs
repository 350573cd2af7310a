//! Why no check happened: one closed list of numbers for every language.
//!
//! Receives what went wrong, returns a number, a sentence and, for a policy, every problem with its place. Must never quote
//! SQL or a context's values.

use std::fmt;

use serde::Serialize;

use crate::fence::Panicked;
use crate::policy::{PolicyError, Problem};

macro_rules! error_codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $number:literal, $name:literal;)+) => {
        /// What kind of error it is. The numbers are those of the C ABI's `haltsql_status`, where 0 is success; a number is
        /// never reused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u32)]
        #[non_exhaustive]
        pub enum ErrorCode {
            $($(#[doc = $doc])+ $variant = $number,)+
        }

        impl ErrorCode {
            /// Every kind, by ascending number.
            pub const ALL: &'static [ErrorCode] = &[$(ErrorCode::$variant,)+];

            /// Its stable name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(ErrorCode::$variant => $name,)+
                }
            }
        }
    };
}

error_codes! {
    /// A bug of HaltSQL. No check happened.
    Internal = 1, "internal";
    /// A function was called in a way that its documentation rules out: NULL, an impossible length, an unknown format.
    Argument = 2, "argument";
    /// The policy document is not valid.
    Policy = 3, "policy";
    /// The context is not a JSON object with unique keys.
    Context = 4, "context";
    /// What was given as a verdict is none, or it was given for another text.
    Verdict = 5, "verdict";
    /// The policy was closed.
    Closed = 6, "closed";
    /// The library and the binding are of different versions.
    Version = 7, "version";
    /// A string of the host is not Unicode (half of a surrogate pair), so that no bytes are exactly its text.
    Encoding = 8, "encoding";
    /// The session or the database is not what the policy describes: nothing was run, and the connection is not to be used again.
    Seal = 9, "seal";
}

impl ErrorCode {
    /// Its number.
    #[must_use]
    pub const fn number(self) -> u32 {
        self as u32
    }
}

/// No check happened, and why. To be treated as a denial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    code: ErrorCode,
    message: String,
    problems: Vec<Problem>,
    unlisted: usize,
}

impl Error {
    /// An error that a binding finds by itself: [`ErrorCode::Argument`], [`ErrorCode::Closed`], [`ErrorCode::Version`],
    /// [`ErrorCode::Encoding`]. The message is lower case, one line, without a full stop.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Error { code, message: message.into(), problems: Vec::new(), unlisted: 0 }
    }

    pub(super) fn internal() -> Self {
        Error::new(ErrorCode::Internal, "no check happened: this is a bug of HaltSQL")
    }

    pub(super) fn context(message: String) -> Self {
        Error::new(ErrorCode::Context, message)
    }

    pub(super) fn policy(name: &str, error: &PolicyError) -> Self {
        let name: String = name.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
        let which = if name.is_empty() { "the policy".to_owned() } else { format!("the policy `{name}`") };
        Error {
            code: ErrorCode::Policy,
            message: format!("{which} is not valid\n\n{error}"),
            problems: error.problems().to_vec(),
            unlisted: error.unlisted(),
        }
    }

    /// The kind.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// What is wrong, for a person. One line, but for a policy: there every problem follows with its place and a snippet.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What is wrong with a policy, sorted by place; empty for every other kind.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The whole error as one line of JSON: `{"code":3,"name":"policy","message":"…","problems":[…],"unlisted":0}`, each
    /// problem with `line`, `column`, `offset`, `path`, `message`, `help` where there is one, and `snippet`.
    #[must_use]
    pub fn to_json(&self) -> String {
        #[derive(Serialize)]
        struct Whole<'a> {
            code: u32,
            name: &'a str,
            message: &'a str,
            problems: Vec<One<'a>>,
            unlisted: usize,
        }
        #[derive(Serialize)]
        struct One<'a> {
            line: usize,
            column: usize,
            offset: usize,
            path: &'a str,
            message: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            help: Option<&'a str>,
            snippet: &'a str,
        }
        let problems = self.problems.iter().map(|problem| One {
            line: problem.line,
            column: problem.column,
            offset: problem.offset,
            path: &problem.path,
            message: &problem.message,
            help: problem.help.as_deref(),
            snippet: &problem.snippet,
        });
        let whole = Whole {
            code: self.code.number(),
            name: self.code.name(),
            message: &self.message,
            problems: problems.collect(),
            unlisted: self.unlisted,
        };
        // Serialising strings, numbers and lists to memory has no way to fail.
        serde_json::to_string(&whole).unwrap_or_default()
    }
}

impl From<Panicked> for Error {
    fn from(_: Panicked) -> Self {
        Error::internal()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
