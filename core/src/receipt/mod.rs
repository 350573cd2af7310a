//! Receipts: what ran, for whom, and what came back, from the same execution.
//!
//! Receives a statement of a session and what its run returned, as text in PostgreSQL's output form; returns one JSON object. Must never
//! describe a text that did not run: only guards call this, with what the server answered. That a number is real is all that it says,
//! not that it answers the question.

mod digest;
mod key;
mod order;
mod types;
mod verify;

pub use key::{ReceiptKey, ReceiptPublicKey};
pub use verify::{Check, VerifiedReceipt, verify};

use std::fmt::Write as _;

use crate::catalog;
use crate::policy::Policy;
use crate::quote::quote_ident;
use crate::session::{Session, SessionError, Statement};
use crate::text::{hex, sha256_hex};
use crate::verdict::{StatementKind, push_string, push_strings};

/// The version of the receipt's form.
pub const RECEIPT_VERSION: u64 = 1;

/// What asks a server for the names of types that [`unnamed_types`] returned: `$1` is their numbers, as `text` in the form of an array.
/// One row each: number, schema, name.
pub const TYPE_NAMES: &str = "SELECT t.oid::pg_catalog.text, n.nspname::pg_catalog.text, t.typname::pg_catalog.text \
     FROM pg_catalog.pg_type AS t JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) t.typnamespace \
     WHERE t.oid OPERATOR(pg_catalog.=) ANY ($1::pg_catalog.text::pg_catalog.oid[])";

/// A column of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name, as the server said it.
    pub name: String,
    /// The number of its type.
    pub oid: u32,
}

/// The name of a type that is not PostgreSQL's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeName {
    /// Its number.
    pub oid: u32,
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
}

/// What a run returned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Execution {
    /// The role, as the pin returned it.
    pub role: String,
    /// When the transaction began, as the pin returned it.
    pub started_at: String,
    /// From sending the statement to its last row, in microseconds.
    pub elapsed_us: u64,
    /// The columns.
    pub columns: Vec<Column>,
    /// Names for those types of them that [`unnamed_types`] returns.
    pub type_names: Vec<TypeName>,
    /// The rows that came, each value in the text of its output function, `None` for NULL. One more than the cap means: more were there.
    pub rows: Vec<Vec<Option<String>>>,
    /// For a write: the number in its command tag.
    pub affected: Option<u64>,
}

/// A receipt. Made by a guard, from an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    json: String,
    rows: usize,
    row_count: u64,
    truncated: bool,
}

impl Receipt {
    /// Its JSON, in one line (docs/receipts.md).
    #[must_use]
    pub fn to_json(&self) -> &str {
        &self.json
    }

    /// How many of the rows that came are the result: the caller gets these and no more.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The rows of a read, the rows that a write touched.
    #[must_use]
    pub fn row_count(&self) -> u64 {
        self.row_count
    }

    /// There were more rows, or more bytes, than the policy lets through.
    #[must_use]
    pub fn truncated(&self) -> bool {
        self.truncated
    }
}

/// Those types whose names the core doesn't know, each once, in order of appearance.
#[must_use]
pub fn unnamed_types(columns: &[Column]) -> Vec<u32> {
    let mut unnamed = Vec::new();
    for column in columns {
        if types::builtin(column.oid).is_none() && !unnamed.contains(&column.oid) {
            unnamed.push(column.oid);
        }
    }
    unnamed
}

impl Session {
    /// The receipt of one run of a statement of this session.
    ///
    /// # Errors
    /// [`SessionErrorKind::Argument`](crate::session::SessionErrorKind): the statement may not run, a type has no name, a row has
    /// another number of values than there are columns, or a number is too large for JSON.
    pub fn receipt(
        &self,
        statement: &Statement,
        execution: &Execution,
        key: Option<&ReceiptKey>,
    ) -> Result<Receipt, SessionError> {
        let kind =
            statement.kind().ok_or_else(|| SessionError::argument("a statement that may not run has no receipt"))?;
        let columns = named(execution)?;
        if execution.rows.iter().any(|row| row.len() != columns.len()) {
            return Err(SessionError::argument("a row has another number of values than the result has columns"));
        }
        let kept = self.kept(&execution.rows);
        let rows = execution.rows.get(..kept).unwrap_or_default();
        let truncated = kept < execution.rows.len();
        let row_count = match (kind, execution.affected) {
            (StatementKind::Select, _) | (_, None) => kept as u64,
            (_, Some(affected)) => affected,
        };
        let policy = self.policy();
        let verdict = statement.verdict();
        let mut out = String::with_capacity(1024 + statement.sql().len());
        let _ = write!(out, "{{\"receipt_version\":{RECEIPT_VERSION},\"haltsql_version\":");
        push_string(&mut out, env!("CARGO_PKG_VERSION"));
        field(&mut out, "profiles_sha256", &profiles_sha256(policy));
        field(&mut out, "sql", statement.sql());
        field(&mut out, "sql_sha256", &verdict.sql_sha256);
        field(&mut out, "fingerprint", verdict.fingerprint.as_deref().unwrap_or_default());
        out.push_str(",\"policy\":{\"name\":");
        push_string(&mut out, policy.name());
        field(&mut out, "version", policy.version());
        out.push_str(",\"search_path\":");
        push_strings(&mut out, policy.search_path());
        out.push('}');
        field(&mut out, "context_sha256", &context_sha256(self, key)?);
        field(&mut out, "seal", policy.execution.seal.as_str());
        field(&mut out, "role", &execution.role);
        let _ = write!(out, ",\"row_count\":{row_count},\"truncated\":{truncated}");
        out.push_str(",\"columns\":");
        digest::push_columns(&mut out, &columns);
        out.push_str(",\"rows\":");
        digest::push_rows(&mut out, rows);
        field(&mut out, "result_sha256", &digest::result_sha256(&columns, rows));
        field(&mut out, "started_at", &execution.started_at);
        let _ = write!(out, ",\"elapsed_us\":{},\"verdict\":{}", execution.elapsed_us, verdict.to_json());
        out.push('}');
        let json = match key {
            Some(key) => key.sign(&out)?,
            None => out,
        };
        Ok(Receipt { json, rows: kept, row_count, truncated })
    }

    /// How many of the rows are within the policy's caps.
    fn kept(&self, rows: &[Vec<Option<String>>]) -> usize {
        let mut bytes = 0u64;
        let fits = |row: &&Vec<Option<String>>| {
            let length = row.iter().flatten().map(|value| value.len() as u64).sum::<u64>();
            bytes = bytes.saturating_add(length);
            bytes <= self.max_result_bytes()
        };
        let most = usize::try_from(self.max_rows()).unwrap_or(usize::MAX);
        rows.iter().take(most).take_while(fits).count()
    }
}

fn field(out: &mut String, name: &str, value: &str) {
    let _ = write!(out, ",\"{name}\":");
    push_string(out, value);
}

/// A column with the name of its type: `pg_type.typname`, its schema in front outside `pg_catalog`.
fn named(execution: &Execution) -> Result<Vec<(&str, String)>, SessionError> {
    let name = |column: &Column| match types::builtin(column.oid) {
        Some(name) => Ok(name.to_owned()),
        None => match execution.type_names.iter().find(|name| name.oid == column.oid) {
            Some(TypeName { schema, name, .. }) if schema == "pg_catalog" => Ok(name.clone()),
            Some(TypeName { schema, name, .. }) => Ok(format!("{}.{}", quote_ident(schema), quote_ident(name))),
            None => Err(SessionError::argument(format!("the type with oid {} has no name", column.oid))),
        },
    };
    execution.columns.iter().map(|column| Ok((&*column.name, name(column)?))).collect()
}

/// What the profiles of a policy contain, in one digest: over a line for each, its name and its own digest.
fn profiles_sha256(policy: &Policy) -> String {
    let line = |name: &String| format!("{name} {}\n", catalog::profile_sha256(name).unwrap_or_default());
    sha256_hex(policy.lists.profiles.iter().map(line).collect::<String>().as_bytes())
}

/// The context's digest; with a key nobody can guess it.
fn context_sha256(session: &Session, key: Option<&ReceiptKey>) -> Result<String, SessionError> {
    let canonical = session.context().canonical();
    Ok(match key {
        Some(key) => hex(&key.mac(canonical.as_bytes())),
        None => sha256_hex(canonical.as_bytes()),
    })
}
