//! `writes.columns`: an INSERT or UPDATE target that the policy does not open. Closed, hidden and unknown columns get the same
//! words, so that nothing is confirmed.

use crate::quote::quote_ident;
use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::WriteKind;
use crate::rules::writes::tables::is_open;
use crate::rules::{Case, reason, words};
use crate::weaken::{Switch, weak};

/// Adds a reason for each column. A table that is not open at all has one of its own.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    let Some(write) = &case.tree.write else { return };
    let Some(table) = words::target(case.tree).filter(|table| is_open(table, write)) else { return };
    let Some(open) = &table.write else { return };
    let open = match write.kind {
        WriteKind::Insert => &open.insert,
        WriteKind::Update => &open.update,
        WriteKind::Delete => return,
    };
    let kind = write.kind.name();
    let alias = words::relation(case.tree, write.target);
    let readable = |name: &&String| table.column(name).is_some_and(|(_, column)| column.readable);
    let listed: Vec<String> = open.iter().filter(readable).map(|name| format!("`{}`", quote_ident(name))).collect();
    for target in write.columns.iter().chain(write.sets.iter().map(|set| &set.target)) {
        let is_open = open.binary_search_by(|name| (**name).cmp(target.name)).is_ok();
        if is_open || weak(Switch::WriteAnyColumn) {
            continue;
        }
        let hint = if target.part && quote_ident(target.name) == alias {
            "write the columns of SET without the table's name".to_owned()
        } else {
            format!("{kind} may set only these columns of `{alias}`: {}", listed.join(", "))
        };
        let message = format!("the column `{}` is not open for {kind}", target.name);
        out.push(reason(ReasonCode::WriteColumnDenied, target.loc, message, hint));
    }
}
