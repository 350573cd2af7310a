//! `statement.kind`: a statement of a kind that the policy does not open.

use crate::policy::{Policy, Statements};
use crate::reason::{Reason, ReasonCode};
use crate::rules::place::Places;
use crate::rules::reason;

/// The kinds of statement that a policy can speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement {
    /// SELECT, VALUES, TABLE.
    Select,
    /// INSERT.
    Insert,
    /// UPDATE.
    Update,
    /// DELETE.
    Delete,
    /// Everything else: DDL, utility, MERGE.
    Other,
}

/// The reason why this kind of statement may not run; `None`: it may. `sql`: its text.
pub fn refused_kind(policy: &Policy, statement: Statement, sql: &str) -> Option<Reason> {
    let Statements { select, insert, update, delete } = policy.statements;
    let (allowed, name) = match statement {
        Statement::Select => (select, "SELECT"),
        Statement::Insert => (insert, "INSERT"),
        Statement::Update => (update, "UPDATE"),
        Statement::Delete => (delete, "DELETE"),
        Statement::Other => (false, "this kind of statement"),
    };
    if allowed {
        return None;
    }
    let first = Places::new(sql).first();
    let open: Vec<&str> = [(select, "SELECT"), (insert, "INSERT"), (update, "UPDATE"), (delete, "DELETE")]
        .iter()
        .filter(|(open, _)| *open)
        .map(|(_, name)| *name)
        .collect();
    let hint = format!("write one {} statement", open.join(" or "));
    Some(reason(
        ReasonCode::StatementKind,
        first,
        format!("{name} is not allowed by this policy"),
        (!open.is_empty()).then_some(hint),
    ))
}
