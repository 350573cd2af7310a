//! `writes.tables`: INSERT, UPDATE or DELETE of a table that the policy doesn't open for it.

use crate::policy::Table;
use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::{Write, WriteKind};
use crate::rules::{Case, reason, words};
use crate::weaken::{Switch, weak};

/// Adds a reason where the target is a table of the policy that is not open.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    let Some(write) = &case.tree.write else { return };
    let Some(table) = words::target(case.tree) else { return };
    if is_open(table, write) || weak(Switch::WriteAnyTable) {
        return;
    }
    let name = write.kind.name();
    let open: Vec<String> = case
        .tree
        .policy
        .tables
        .iter()
        .filter(|table| is_open(table, write))
        .take(40)
        .map(|table| format!("`{}`", table.display))
        .collect();
    let hint = format!("{name} is open for these tables only: {}", open.join(", "));
    out.push(reason(
        ReasonCode::WriteDenied,
        case.tree.rel(write.target).and_then(|rel| rel.loc),
        format!("the policy does not open `{}` for {name}", table.display),
        (!open.is_empty()).then_some(hint),
    ));
}

/// Whether the policy opens a table for a kind of write.
pub fn is_open(table: &Table, write: &Write<'_>) -> bool {
    table.write.as_ref().is_some_and(|open| match write.kind {
        WriteKind::Insert => !open.insert.is_empty(),
        WriteKind::Update => !open.update.is_empty(),
        WriteKind::Delete => open.delete,
    })
}
