//! `params.bound`: a `$n` that no tenancy predicate binds, so that nobody knows what to bind to it.

use crate::reason::{Reason, ReasonCode};
use crate::rules::{Case, reason};

/// Adds a reason for each number.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    for (number, loc) in &case.facts.params.unbound {
        let message = format!("no tenancy predicate binds `${number}`");
        let hint = format!("write the value itself in place of `${number}`");
        out.push(reason(ReasonCode::ParamUnbound, *loc, message, hint));
    }
}
