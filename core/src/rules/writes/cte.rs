//! `writes.cte`: a data-modifying CTE, in any statement.

use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::Refused;
use crate::rules::{Case, reason};

/// Adds a reason for each.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    for refusal in &case.tree.refusals {
        if matches!(refusal.what, Refused::WriteInRead) {
            let hint =
                "write the INSERT, UPDATE or DELETE as a statement of its own, if the policy opens it".to_owned();
            out.push(reason(ReasonCode::WriteInRead, refusal.loc, "a WITH query writes", hint));
        }
    }
}
