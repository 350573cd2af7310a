//! `columns.whole_row`: a table's row as a value hands over every column, hidden ones included.

use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::Refused;
use crate::rules::{Case, reason};

/// Adds a reason for each.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    for refusal in &case.tree.refusals {
        if let Refused::WholeRow(alias) = refusal.what {
            let message = format!("`{alias}` stands for a whole row of a table");
            let hint =
                format!("name the columns of `{alias}` that are needed, or select them in a subquery and use its row");
            out.push(reason(ReasonCode::WholeRow, refusal.loc, message, hint));
        }
    }
}
