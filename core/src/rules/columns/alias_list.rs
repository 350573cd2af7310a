//! `columns.alias_list`: `t AS a(x, y)` renames a table's columns by position, which a policy does not know.

use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::Refused;
use crate::rules::{Case, reason};

/// Adds a reason for each.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    for refusal in &case.tree.refusals {
        if let Refused::AliasColumns(alias) = refusal.what {
            let message = format!("`{alias}` renames the columns of a table by their position");
            let hint = format!("give `{alias}` no column list, and rename the columns in the select list");
            out.push(reason(ReasonCode::AliasColumns, refusal.loc, message, hint));
        }
    }
}
