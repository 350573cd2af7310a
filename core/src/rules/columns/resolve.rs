//! `columns.resolve`: an unqualified name that cannot be proven to bind to one known column.

use crate::quote::quote_ident;
use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::Refused;
use crate::rules::{Case, reason};

/// More choices than these help nobody.
const MAX_CHOICES: usize = 12;

/// Adds a reason for each.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    for refusal in &case.tree.refusals {
        if let Refused::Ambiguous(name, qualifiers) = &refusal.what {
            let spelled = quote_ident(name);
            let choices: Vec<String> = qualifiers
                .iter()
                .filter(|qualifier| !qualifier.is_empty())
                .map(|qualifier| format!("`{}.{spelled}`", quote_ident(qualifier)))
                .take(MAX_CHOICES)
                .collect();
            let hint = if choices.is_empty() {
                format!("qualify `{name}` with the alias of its relation, or use another name")
            } else {
                format!("write {}", choices.join(" or "))
            };
            out.push(reason(
                ReasonCode::ColumnAmbiguous,
                refusal.loc,
                format!("it is not certain which column `{name}` means"),
                hint,
            ));
        }
    }
}
