//! `functions.allow`: a function outside the policy's profiles and lists.

use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::Refused;
use crate::rules::{Case, reason};

/// Adds a reason for each.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    for refusal in &case.tree.refusals {
        if let Refused::Function(name) = &refusal.what {
            let hint = format!("write the query without `{name}`");
            out.push(reason(ReasonCode::FunctionDenied, refusal.loc, format!("the function `{name}` is not allowed"), hint));
        }
    }
}
