//! `columns.star`: a star over a table whose columns are not all known, or where a column's position counts.

use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::Refused;
use crate::rules::{Case, reason, words};

/// Adds a reason for each.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    for refusal in &case.tree.refusals {
        match &refusal.what {
            Refused::StarIncomplete(rel) => {
                let relation = words::relation(case.tree, *rel);
                let message = format!("the star may cover columns of `{relation}` that the policy does not list");
                let hint = match words::readable_columns(case.tree, *rel) {
                    Some(columns) => format!("list the columns instead: {columns}"),
                    None => "name the columns in place of the star".to_owned(),
                };
                out.push(reason(ReasonCode::Star, refusal.loc, message, hint));
            }
            Refused::StarPosition => {
                let message = "the position of a column counts here, and a star leaves it open";
                out.push(reason(
                    ReasonCode::Star,
                    refusal.loc,
                    message,
                    "list the columns in place of the star".to_owned(),
                ));
            }
            _ => {}
        }
    }
}
