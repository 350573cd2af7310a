//! `functions.allow`: a function outside the policy's profiles and lists, or called as they do not allow.

use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::{ExprId, ExprKind, Refused, Tree};
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
        if let Some(small) = call.function.and_then(|function| function.small)
            && let Some(argument) = case.tree.list(call.args).get(small.argument)
            && (call.named || !is_small(case.tree, *argument, small.most))
        {
            let (name, place, most) = (call.name, small.argument + 1, small.most);
            let message = format!(
                "the function `{name}` is allowed only with a whole number of at most {most}, written out, in place {place}"
            );
            let hint =
                format!("write argument {place} of `{name}` as a number of at most {most}, without argument names");
            out.push(reason(ReasonCode::FunctionDenied, call.loc, message, hint));
        }
    }
}

/// A whole number up to `most`, bare or under a cast to an integer type.
fn is_small(tree: &Tree<'_>, argument: ExprId, most: i32) -> bool {
    match tree.expr(argument).kind {
        ExprKind::Integer(number) => number <= most,
        ExprKind::Cast(inner, ty) => {
            let integer = ["int2", "int4", "int8"].into_iter().any(|name| ty.is_builtin(name));
            integer && !ty.array && matches!(tree.expr(inner).kind, ExprKind::Integer(number) if number <= most)
        }
        _other => false,
    }
}
