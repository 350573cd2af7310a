//! `limits.cartesian`: tables of one FROM that no condition ties multiply each other's rows.

use crate::facts::ties::Ties;
use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::LevelId;
use crate::rules::{Case, reason, words};

/// Adds a reason for each group of tables that stands apart.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    if !case.tree.policy.limits.cartesian_denied {
        return;
    }
    // One FROM item has nothing to be tied to.
    if case.tree.joins.len() < 2 {
        return;
    }
    let mut ties = Ties::new(case.tree);
    for (level, _) in (0..).zip(&case.tree.levels) {
        for rel in ties.apart(LevelId(level)) {
            let name = words::relation(case.tree, rel);
            let message = format!("no condition ties `{name}` to the other tables of its FROM");
            let hint = format!("add a join condition that names `{name}` and one of the other tables");
            out.push(reason(ReasonCode::Cartesian, case.tree.rel(rel).and_then(|rel| rel.loc), message, hint));
        }
    }
}
