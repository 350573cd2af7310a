//! `tenancy.value`: it would be proven if the value were the caller's.

use crate::facts::Lack;
use crate::reason::{Reason, ReasonCode};
use crate::rules::{Case, reason, words};

/// Adds a reason for each reference and key.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    for unproven in &case.facts.unproven {
        let Lack::Value(loc, compared) = unproven.lack else { continue };
        let own = words::tenant_column(case.tree, unproven.rel, unproven.key);
        // What a subquery hands out is compared outside of it, under the subquery's name.
        let compared = compared.and_then(|(rel, column)| words::column(case.tree, rel, column));
        let Some(column) = compared.or(own) else { continue };
        let message = format!("`{column}` is compared with another value than the caller's");
        let hint = words::predicate(case, &column, unproven.key).map(|predicate| format!("write `{predicate}`"));
        out.push(reason(ReasonCode::TenantMismatch, loc, message, hint));
    }
}
