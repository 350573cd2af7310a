//! `tables.qualified`: an unqualified relation name that another relation could answer to.

use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::Refused;
use crate::rules::{Case, reason};

/// Adds a reason for each.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    for refusal in &case.tree.refusals {
        if let Refused::Unqualified(name, qualified) = refusal.what {
            let hint = match qualified {
                Some(qualified) => format!("write `{qualified}`"),
                None => format!("write `{name}` with its schema"),
            };
            out.push(reason(
                ReasonCode::Unqualified,
                refusal.loc,
                format!("`{name}` must be written with its schema"),
                hint,
            ));
        }
    }
}
