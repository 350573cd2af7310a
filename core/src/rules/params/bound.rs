//! `params.bound`: a `$n` that no tenancy predicate binds, so that nobody knows what to bind to it. So is one that stands for
//! one value where the context has several, in a comparison that no proof needs (where one does, `tenancy.value` speaks).

use crate::reason::{Reason, ReasonCode};
use crate::rules::{Case, reason};

/// Adds a reason for each number.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    for (number, loc) in &case.facts.params.unbound {
        let message = format!("no tenancy predicate binds `${number}`");
        let hint = format!("write the value itself in place of `${number}`");
        out.push(reason(ReasonCode::ParamUnbound, *loc, message, hint));
    }
    let told = |reason: &Reason| matches!(reason.code, ReasonCode::TenantMismatch | ReasonCode::TenantWrite);
    if out.iter().any(told) {
        return;
    }
    for (number, loc) in &case.facts.params.too_small {
        let message = format!("`${number}` stands for one value, and the caller has several");
        let hint = format!("write `= ANY(${number})`, or leave the comparison out");
        out.push(reason(ReasonCode::ParamUnbound, *loc, message, hint));
    }
}
