//! `limits.require_limit`: the policy wants a LIMIT at the outermost level.

use crate::facts::ties::at_most_one_row;
use crate::reason::{Reason, ReasonCode};
use crate::rules::{Case, reason};

/// Adds a reason where there is none and more than one row can come back.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    let limits = &case.tree.policy.limits;
    let Some(root) = case.tree.level(case.tree.root) else { return };
    // A write has no LIMIT of its own.
    if !limits.require_limit || case.tree.write.is_some() || root.limit.is_some() || at_most_one_row(case.tree, root) {
        return;
    }
    let rows = limits.max_limit.unwrap_or(super::SUGGESTED);
    let hint = if root.unlimited {
        format!("write `LIMIT {rows}` in place of the LIMIT that limits nothing")
    } else {
        format!("add `LIMIT {rows}` at the end of the statement")
    };
    out.push(reason(ReasonCode::LimitMissing, case.places.first(), "the statement has no LIMIT", hint));
}
