//! `columns.system`: `ctid`, `xmin`, `tableoid` and their kin tell of other rows and transactions.

use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::Refused;
use crate::rules::{Case, reason};

/// Adds a reason for each.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    for refusal in &case.tree.refusals {
        if let Refused::SystemColumn(name) = refusal.what {
            let hint = format!("remove `{name}`");
            out.push(reason(ReasonCode::SystemColumn, refusal.loc, format!("`{name}` is a system column"), hint));
        }
    }
}
