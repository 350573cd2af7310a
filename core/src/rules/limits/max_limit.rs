//! `limits.max_limit`: a LIMIT above the policy's, or not a plain number.

use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::ExprKind;
use crate::rules::{Case, reason};

/// Adds a reason for the outermost LIMIT.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    let Some(most) = case.tree.policy.limits.max_limit else { return };
    let Some(limit) = case.tree.level(case.tree.root).and_then(|root| root.limit) else { return };
    let limit = case.tree.expr(limit);
    let message = match limit.kind {
        ExprKind::Integer(rows) => match u64::try_from(rows) {
            Ok(rows) if rows <= most => return,
            Ok(_) | Err(_) => format!("the LIMIT is above {most}"),
        },
        _ => "the LIMIT is not a plain number".to_owned(),
    };
    let loc = case.places.keyword_before(limit.loc, &["limit", "fetch"]).or(limit.loc);
    out.push(reason(ReasonCode::LimitExceeded, loc, message, format!("write `LIMIT {most}` or less")));
}
