//! `types.allow`: a type outside the policy's profiles and lists.

use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::Refused;
use crate::rules::{Case, reason};

/// Adds a reason for each.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    for refusal in &case.tree.refusals {
        if let Refused::Type(name) = &refusal.what {
            let hint = format!("write the expression without the type `{name}`");
            out.push(reason(ReasonCode::TypeDenied, refusal.loc, format!("the type `{name}` is not allowed"), hint));
        }
    }
}
