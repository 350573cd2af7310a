//! `sql.supported`: a construct that the verifier does not model. Unknown always means denied.

use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::Refused;
use crate::rules::{Case, reason};

/// Adds a reason for each.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    for refusal in &case.tree.refusals {
        if let Refused::Unsupported(what) = refusal.what {
            // FAIL-CLOSED: what is not modelled is not proven harmless.
            out.push(reason(
                ReasonCode::Unsupported,
                refusal.loc,
                format!("{what} is not supported"),
                format!("write the query without {what}"),
            ));
        }
    }
}
