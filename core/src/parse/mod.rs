//! The only callers of `pg_query`: text to syntax tree, with every refusal turned into a reason with a place.
//!
//! Receives a text that `text::Source` let through, on a stack that `text::run_with_stack` chose; returns the one
//! statement's tree and its fingerprint. On the way to a tree the text is parsed twice (tree, fingerprint), never a third
//! time; only a refusal looks closer. Must never let a limit of the parser's own decide, and judges no statement.

mod escape;
mod hint;
mod locate;
mod params;
#[cfg(test)]
mod tests;
mod unnamed;

use crate::reason::{Reason, ReasonCode};
use crate::text::{Source, Tokens, place, too_complex};
use pg_query::{FingerprintOptions, ParserOptions};

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

impl From<Reason> for Refusal {
    fn from(reason: Reason) -> Self {
        Refusal { reasons: vec![reason], fingerprint: None }
    }
}

/// Parses a text whose limits were looked at already.
///
/// # Errors
/// E_PARSE, E_EMPTY, E_MULTI_STATEMENT; E_TOO_COMPLEX where the parser gave up all the same.
pub(crate) fn parse_source(source: &Source<'_>) -> Result<Parsed, Refusal> {
    haltsql_parser_thread::prepare();
    let sql = source.sql();
    let mut statements = match pg_query::parse(sql, ParserOptions::DEFAULT) {
        Ok(result) => result.protobuf.stmts,
        Err(error) => return Err(refusal(source, error)),
    };
    if let Some(reason) = params::refused(source) {
        return Err(reason.into());
    }
    if statements.is_empty() {
        return Err(Refusal::from(Reason {
            code: ReasonCode::Empty,
            message: "the text holds no statement".to_owned(),
            loc: None,
            hint: Some("send one SELECT statement".to_owned()),
        }));
    }
    let fingerprint = match pg_query::fingerprint(sql, ParserOptions::DEFAULT, fingerprint_options()) {
        Ok(fingerprint) => fingerprint.hex,
        Err(error) => return Err(refusal(source, error)),
    };
    if let Some(second) = statements.get(1) {
        let from = usize::try_from(second.stmt_location).unwrap_or_default();
        let reason = several(statements.len(), Tokens::scan(sql).first_token_from(from));
        return Err(Refusal { reasons: vec![reason], fingerprint: Some(fingerprint) });
    }
    match statements.pop() {
        Some(statement) => Ok(Parsed { statement, fingerprint }),
        None => Err(internal("the parser's list of statements changed")),
    }
}

/// The parser's defaults ignore schemas and digits in names.
fn fingerprint_options() -> FingerprintOptions {
    FingerprintOptions::RANGEVAR_PG17_COMPAT | FingerprintOptions::FULL_RELNAME
}

/// The fingerprint of a text that is not being verified; `None` where it does not parse.
pub(crate) fn fingerprint(source: &Source<'_>) -> Option<String> {
    haltsql_parser_thread::prepare();
    let run = || pg_query::fingerprint(source.sql(), ParserOptions::DEFAULT, fingerprint_options()).ok();
    crate::text::run_with_stack(source, run).ok().flatten().map(|fingerprint| fingerprint.hex)
}

/// The tree of a text that holds one statement; `None` for every other text.
pub(crate) fn single(sql: &str) -> Option<pg_query::protobuf::Node> {
    haltsql_parser_thread::prepare();
    let mut statements = pg_query::parse(sql, ParserOptions::DEFAULT).ok()?.protobuf.stmts;
    let statement = statements.pop()?;
    if statements.is_empty() { statement.stmt.map(|node| *node) } else { None }
}

/// The one statement of a text, without a `;` behind it or anything that follows one.
pub(crate) fn statement_text(sql: &str) -> Option<&str> {
    haltsql_parser_thread::prepare();
    let run = || {
        let statements = pg_query::parse(sql, ParserOptions::DEFAULT).ok()?.protobuf.stmts;
        let [statement] = statements.as_slice() else { return None };
        let start = usize::try_from(statement.stmt_location).ok()?;
        let length = usize::try_from(statement.stmt_len).ok()?;
        // Zero: to the end of the text.
        Some(start..if length == 0 { sql.len() } else { start.checked_add(length)? })
    };
    crate::text::run_around(sql, run).ok().flatten().and_then(|range| sql.get(range))
}

/// The tokens of a text, as the server's own scanner cuts it.
pub(crate) fn scan(sql: &str) -> Option<Vec<pg_query::protobuf::ScanToken>> {
    haltsql_parser_thread::prepare();
    Some(pg_query::scan(sql).ok()?.tokens)
}

/// The highest `n` of the text's `$n`, 0 where there is none; `None` where one is not `known`.
pub(crate) fn highest_param(sql: &str, known: impl Fn(u32) -> bool) -> Option<u32> {
    let mut highest = 0;
    for piece in crate::text::Pieces::of(sql).filter(|piece| piece.kind == crate::text::Kind::Param) {
        let number =
            sql.get(piece.start..piece.end)?.strip_prefix('$')?.parse().ok().filter(|number| known(*number))?;
        highest = highest.max(number);
    }
    Some(highest)
}

fn several(count: usize, second: Option<usize>) -> Reason {
    Reason {
        code: ReasonCode::MultiStatement,
        message: format!("the text holds {count} statements"),
        loc: second.and_then(place),
        hint: Some("send one statement at a time".to_owned()),
    }
}

fn refusal(source: &Source<'_>, error: pg_query::Error) -> Refusal {
    match error {
        pg_query::Error::Parse(message) if gave_up(&message) => too_complex(source.deepest()).into(),
        pg_query::Error::Parse(message) => {
            let reason = locate::reason(source.sql(), &message);
            params::refused_before(source, reason.loc).unwrap_or(reason).into()
        }
        // The parser's answer could not be read: its libraries disagree, the text is not to blame.
        other => internal(&other.to_string()),
    }
}

/// The parser ran into a limit of its own. `text` bounds what comes here, so that hosts with different stacks do not
/// meet different limits; the grammar's own stack, of one size everywhere, still ends earlier for a few odd shapes.
fn gave_up(message: &str) -> bool {
    message == "stack depth limit exceeded"
        || message == "parse tree is nested too deeply to serialize to protobuf"
        || message.starts_with("memory exhausted at ")
        || message == "out of memory"
}

fn internal(message: &str) -> Refusal {
    Reason { code: ReasonCode::Internal, message: format!("the parser failed: {message}"), loc: None, hint: None }
        .into()
}
