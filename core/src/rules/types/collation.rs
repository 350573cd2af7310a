//! `types.collation`: a collation outside the policy's profiles and lists. It can make different values equal.

use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::Refused;
use crate::rules::{Case, reason};

/// Adds a reason for each.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    for refusal in &case.tree.refusals {
        if let Refused::Collation(name) = &refusal.what {
            let hint = "remove the COLLATE clause, or use COLLATE \"C\"".to_owned();
            out.push(reason(
                ReasonCode::CollationDenied,
                refusal.loc,
                format!("the collation `{name}` is not allowed"),
                hint,
            ));
        }
    }
}
