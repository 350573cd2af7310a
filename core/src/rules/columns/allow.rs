//! `columns.allow`: a column that is not readable. Hidden and unknown columns get the same words, so that nothing is
//! confirmed.

use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::Refused;
use crate::rules::{Case, reason, words};

/// Adds a reason for each.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    for refusal in &case.tree.refusals {
        match &refusal.what {
            Refused::Column(name, rel) => {
                let readable = rel
                    .and_then(|rel| Some((words::relation(case.tree, rel), words::readable_columns(case.tree, rel)?)));
                let hint = match readable {
                    Some((relation, columns)) => format!("read only these columns of `{relation}`: {columns}"),
                    None => format!("remove `{name}`, or name a column that one of the query's relations has"),
                };
                out.push(reason(
                    ReasonCode::ColumnDenied,
                    refusal.loc,
                    format!("the column `{name}` is not readable"),
                    hint,
                ));
            }
            Refused::StarHidden(rel) => {
                let relation = words::relation(case.tree, *rel);
                let columns = words::readable_columns(case.tree, *rel).unwrap_or_default();
                let message = format!("the star covers columns of `{relation}` that are not readable");
                out.push(reason(
                    ReasonCode::ColumnDenied,
                    refusal.loc,
                    message,
                    format!("list the columns instead: {columns}"),
                ));
            }
            _ => {}
        }
    }
}
