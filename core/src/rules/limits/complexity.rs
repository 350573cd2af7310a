//! `limits.complexity`: nesting, relations, grouping sets or generated rows over the policy's limits; regular expressions
//! with back references. A courtesy that names the problem early: the wall is `statement_timeout`.

use crate::catalog::Held;
use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::{ExprId, ExprKind, Loc, Refused, Tree};
use crate::rules::{Case, reason};

use super::generated;

/// Adds a reason for each limit that is passed.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    let (tree, limits) = (case.tree, &case.tree.policy.limits);
    for refusal in &tree.refusals {
        match refusal.what {
            Refused::Depth => {
                let message = format!("the query nests more than {} levels", limits.max_depth);
                out.push(too_complex(refusal.loc, message, "flatten the query, or name parts of it in WITH"));
            }
            Refused::GroupingSets => {
                let message = format!("GROUP BY makes more than {} grouping sets", limits.max_grouping_sets);
                out.push(too_complex(refusal.loc, message, "use fewer columns in CUBE and ROLLUP"));
            }
            Refused::Relations => {
                let message = format!("the query names more than {} relations", limits.max_relations);
                out.push(too_complex(refusal.loc, message, "use fewer relations"));
            }
            Refused::StarredColumns(most) => {
                let message = format!("the stars of the query stand for more than {most} columns in all");
                out.push(too_complex(refusal.loc, message, "name the columns that are needed instead of `*`"));
            }
            _ => {}
        }
    }
    for excess in generated::excesses(tree) {
        out.push(too_complex(excess.loc, excess.message, excess.hint));
    }
    for (at, expr) in (0..).zip(&tree.exprs) {
        if let Some(loc) = back_reference(tree, ExprId(at), expr.kind) {
            let message = "a regular expression with back references can take exponential time";
            out.push(too_complex(loc, message.to_owned(), "write the pattern without back references"));
        }
    }
}

fn too_complex(loc: Loc, message: String, hint: impl Into<String>) -> Reason {
    reason(ReasonCode::TooComplex, loc, message, hint.into())
}

/// The place of a literal pattern that refers back to its own groups.
fn back_reference(tree: &Tree<'_>, _id: ExprId, kind: ExprKind<'_>) -> Option<Loc> {
    let pattern = match kind {
        ExprKind::Binary(operator, _, right) | ExprKind::AnyArray(operator, _, _, right)
            if matches!(operator.name, "~" | "~*" | "!~" | "!~*") =>
        {
            right
        }
        ExprKind::Call(call) => {
            let call = tree.calls.get(call.at()).filter(|call| call.held() == Some(Held::Regex))?;
            *tree.list(call.args).get(1)?
        }
        _ => return None,
    };
    let mut open = vec![pattern];
    while let Some(expr) = open.pop() {
        if let ExprKind::String(text) = tree.expr(expr).kind
            && refers_back(text)
        {
            return Some(tree.expr(expr).loc);
        }
        tree.each_operand(expr, &mut |operand| open.push(operand));
    }
    None
}

/// `\1` to `\9`, the backslash itself not escaped (PostgreSQL manual, 9.7.3.3).
fn refers_back(pattern: &str) -> bool {
    let mut escaped = false;
    for byte in pattern.bytes() {
        if escaped && (b'1'..=b'9').contains(&byte) {
            return true;
        }
        escaped = byte == b'\\' && !escaped;
    }
    false
}
