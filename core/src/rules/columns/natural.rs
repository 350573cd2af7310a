//! `columns.natural`: NATURAL JOIN compares whatever columns both sides have, known or not.

use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::Refused;
use crate::rules::{Case, reason};

/// Adds a reason for each.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    for refusal in &case.tree.refusals {
        if matches!(refusal.what, Refused::Natural) {
            let loc = case.places.keyword_before(refusal.loc, &["natural"]).or(refusal.loc);
            let message = "NATURAL JOIN over a table whose columns are not all known";
            out.push(reason(ReasonCode::NaturalJoin, loc, message, "write JOIN … USING or JOIN … ON".to_owned()));
        }
    }
}
