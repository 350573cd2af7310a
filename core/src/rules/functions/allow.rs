//! `functions.allow`: a function outside the policy's profiles and lists.

use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::Refused;
use crate::rules::{Case, reason};

/// Adds a reason for each.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    for refusal in &case.tree.refusals {
        if let Refused::Function(name) = &refusal.what {
            let hint = format!("write the query without `{name}`");
            out.push(reason(
                ReasonCode::FunctionDenied,
                refusal.loc,
                format!("the function `{name}` is not allowed"),
                hint,
            ));
        }
    }
    for call in &case.tree.calls {
        if call.function.is_some_and(|function| function.only_as_text) && !call.as_text {
            // Beside such a value the server reads a plain string as a name of the catalogue.
            let (message, hint) = (
                format!("the function `{}` is allowed only directly under a cast to text", call.name),
                format!("write `{}(…)::text`", call.name),
            );
            out.push(reason(ReasonCode::FunctionDenied, call.loc, message, hint));
        }
    }
}
