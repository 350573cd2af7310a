//! `tables.allow`: a relation that the policy does not list, whether it exists or not.

use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::Refused;
use crate::rules::{Case, reason};

/// Adds a reason for each.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    for refusal in &case.tree.refusals {
        if let Refused::Table(name) = &refusal.what {
            let tables: Vec<String> =
                case.tree.policy.tables.iter().take(40).map(|table| format!("`{}`", table.display)).collect();
            let hint = format!("use only these tables: {}", tables.join(", "));
            out.push(reason(
                ReasonCode::TableDenied,
                refusal.loc,
                format!("the policy does not list the relation `{name}`"),
                (!tables.is_empty()).then_some(hint),
            ));
        }
    }
}
