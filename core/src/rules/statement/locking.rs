//! `statement.locking`: row locks are side effects, and hold up other writers.

use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::Refused;
use crate::rules::{Case, reason};

/// Adds a reason for each locking clause.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    for refusal in &case.tree.refusals {
        if let Refused::Locking(ordinal) = refusal.what {
            let hint = "remove the FOR UPDATE or FOR SHARE clause".to_owned();
            out.push(reason(ReasonCode::Locking, case.places.locking(ordinal), "row locks are not allowed", hint));
        }
    }
}
