//! `tenancy.bound`: the policy wants the caller's value as `$n`, and a constant stands in its place.

use crate::facts::Lack;
use crate::reason::{Reason, ReasonCode};
use crate::rules::{Case, reason, words};

/// Adds a reason for each reference and key.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    for unproven in &case.facts.unproven {
        let Lack::Param(loc) = unproven.lack else { continue };
        let Some(column) = words::tenant_column(case.tree, unproven.rel, unproven.key) else { continue };
        let plural = case.caller.keys.get(unproven.key).is_some_and(|key| key.is_plural());
        let number = words::param_for(case, unproven.key, plural);
        let message = format!("`{column}` is compared with a constant; this policy wants a parameter");
        let hint = if plural {
            format!("write `= ANY(${number})` in place of the comparison")
        } else {
            format!("write `${number}` in place of the constant")
        };
        out.push(reason(ReasonCode::TenantLiteral, loc, message, hint));
    }
}
