//! `tables.catalog`: system catalogues and temporary schemas.

use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::Refused;
use crate::rules::{Case, reason};

/// Adds a reason for each.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    for refusal in &case.tree.refusals {
        if let Refused::SystemCatalog(name) = &refusal.what {
            let message = format!("`{name}` is a system relation");
            out.push(reason(
                ReasonCode::SystemCatalog,
                refusal.loc,
                message,
                "ask for the policy's description instead of the catalogue".to_owned(),
            ));
        }
    }
}
