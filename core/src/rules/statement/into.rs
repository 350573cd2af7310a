//! `statement.into`: `SELECT … INTO` creates a table.

use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::Refused;
use crate::rules::{Case, reason};

/// Adds a reason for each.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    for refusal in &case.tree.refusals {
        if matches!(refusal.what, Refused::SelectInto) {
            let loc = case.places.keyword_before(refusal.loc, &["into"]).or(refusal.loc);
            let hint = "remove the INTO clause; the rows are returned to you".to_owned();
            out.push(reason(ReasonCode::SelectInto, loc, "SELECT … INTO creates a table", hint));
        }
    }
}
