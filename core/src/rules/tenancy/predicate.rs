//! `tenancy.predicate`: a reference to a tenant table that nothing holds to the caller's value.

use crate::facts::Lack;
use crate::reason::{Reason, ReasonCode};
use crate::rules::{Case, reason, words};

/// Adds a reason for each reference and key.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    for unproven in &case.facts.unproven {
        if unproven.lack != Lack::Predicate {
            continue;
        }
        let (rel, key) = (unproven.rel, unproven.key);
        let loc = case.tree.rel(rel).and_then(|rel| rel.loc);
        let table = words::table(case.tree, rel).unwrap_or_default();
        let Some(column) = words::tenant_column(case.tree, rel, key) else { continue };
        let hint = words::predicate(case, &column, key)
            .map(|predicate| format!("add `{predicate}` with AND to {}", words::clause_for(case.tree, rel)));
        let message = format!("nothing in its scope holds `{column}` of `{table}` to the caller's value");
        out.push(reason(ReasonCode::TenantMissing, loc, message, hint));
    }
}
