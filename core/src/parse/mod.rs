//! The only callers of `pg_query`: text to syntax tree, with every refusal turned into a reason with a place.

use crate::policy::Limits;
use crate::reason::Reason;

/// What the parser made of one text.
#[derive(Debug)]
pub struct Parsed {
    /// The statement's syntax tree; exactly one statement.
    pub statement: pg_query::protobuf::RawStmt,
    /// 16 lower-case hex digits.
    pub fingerprint: String,
}

/// A text that holds no single statement to judge.
#[derive(Debug)]
pub struct Refusal {
    /// Never empty.
    pub reasons: Vec<Reason>,
    /// Present where the text parsed (several statements): the verdict still carries it.
    pub fingerprint: Option<String>,
}

/// Parses the text.
///
/// # Errors
/// E_TOO_LARGE, E_TOO_COMPLEX (nesting that the parser's stack could not hold), E_PARSE, E_EMPTY, E_MULTI_STATEMENT.
pub fn parse(sql: &str, limits: &Limits) -> Result<Parsed, Refusal> {
    let _ = (sql, limits);
    Err(Refusal { reasons: Vec::new(), fingerprint: None })
}
