//! `operators.allow`: an operator outside the policy's profiles and lists, or of another schema than pg_catalog.

use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::Refused;
use crate::rules::{Case, reason};

/// Adds a reason for each.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    for refusal in &case.tree.refusals {
        if let Refused::Operator(name) = &refusal.what {
            let hint = match name.as_str() {
                "==" => "write `=`".to_owned(),
                _ => format!("write the condition without the operator `{name}`"),
            };
            out.push(reason(
                ReasonCode::OperatorDenied,
                refusal.loc,
                format!("the operator `{name}` is not allowed"),
                hint,
            ));
        }
    }
}
