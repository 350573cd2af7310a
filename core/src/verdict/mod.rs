//! Verdicts: the order of their parts, their JSON, their renderings for people and for language models.

mod agent;
mod describe;
mod json;
mod search_path;

pub use describe::Description;
pub(crate) use json::{push_list, push_string, push_strings};

use crate::facts::BindParam;
use crate::reason::Reason;

/// What HaltSQL decided about one text, under one policy, for one context.
///
/// The JSON form ([`Verdict::to_json`]) is the contract; the fields are the same in every language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The caller may run this exact SQL text.
    pub allowed: bool,
    /// Why not; empty when allowed. Sorted by place, code, message.
    pub reasons: Vec<Reason>,
    /// Shadow mode: what enforce mode would have put in `reasons`.
    pub shadow_reasons: Vec<Reason>,
    /// The policy that was asked.
    pub policy: PolicyRef,
    /// `select`, `insert`, `update`, `delete`; `None` for everything else.
    pub statement_kind: Option<StatementKind>,
    /// Relations read or written, as `schema.table`, sorted bytewise, unique.
    pub tables: Vec<String>,
    /// Columns read, as `schema.table.column`, sorted bytewise, unique.
    pub columns: Vec<String>,
    /// What to bind to each `$n`, by ascending number.
    pub bind_params: Vec<BindParam>,
    /// libpg_query's fingerprint, 16 hex digits; `None` where the text did not parse.
    pub fingerprint: Option<String>,
    /// Lower-case hex SHA-256 of the exact input bytes.
    pub sql_sha256: String,
    /// Time spent verifying, in microseconds. The only part that differs between runs.
    pub elapsed_us: u64,
}

/// The policy that a verdict was given under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyRef {
    /// `metadata.name`.
    pub name: String,
    /// `sha256:<hex>`.
    pub version: String,
    /// The schemas that unqualified names were resolved against; the verdict holds only in a session with this path.
    pub search_path: Vec<String>,
}

/// The kinds of statement that a policy can open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// `SELECT`, `VALUES`, `TABLE`, `SELECT … INTO`.
    Select,
    /// `INSERT`.
    Insert,
    /// `UPDATE`.
    Update,
    /// `DELETE`.
    Delete,
}

impl StatementKind {
    /// The spelling in the verdict.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            StatementKind::Select => "select",
            StatementKind::Insert => "insert",
            StatementKind::Update => "update",
            StatementKind::Delete => "delete",
        }
    }
}
