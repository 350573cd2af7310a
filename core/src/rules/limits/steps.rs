//! What a recursion counts by: a literal step that no cast undoes, from a start that it leaves, to a bound that it reaches.

use crate::resolve::tree::{ExprId, ExprKind, Tree, TypeUse};

use super::amount::Amount;
use super::interval::{self, interval};
use super::known::{Fact, Known};

/// From here on a float8 has no room for a 1: `n + 1 = n`.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// Steps below this take too many rounds, and are lost in a float8 sooner.
const MIN_FRACTION: f64 = 1e-6;

/// A step above zero.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A whole number.
    Whole,
    /// Another number.
    Fraction,
    /// A second or more.
    Second,
    /// A day or more.
    Day,
}

impl Step {
    /// A cast to that type keeps it: it neither rounds it away nor maps all numbers to few.
    pub fn survives(self, ty: TypeUse<'_>) -> bool {
        let is = |names: &[&str]| names.iter().any(|name| ty.is_builtin(name));
        let kept = match self {
            // `date + 1` is a day later.
            Step::Whole => is(&["int2", "int4", "int8", "numeric", "float8", "date"]),
            Step::Fraction => is(&["numeric", "float8"]),
            Step::Second => is(&["timestamp", "timestamptz"]),
            Step::Day => is(&["date", "timestamp", "timestamptz"]),
        };
        // A modifier is a precision, which may be coarser than the step.
        kept && !ty.array && !ty.modified
    }
}

/// The step that a literal is: a number, or an interval in words without a minus.
pub fn step(known: &Known<'_, '_>, tree: &Tree<'_>, expr: ExprId) -> Option<Step> {
    if let Some(length) = interval(known, tree, expr) {
        return match length {
            interval::Step::Second if !has_minus(tree, expr) => Some(Step::Second),
            interval::Step::Day if !has_minus(tree, expr) => Some(Step::Day),
            interval::Step::Unknown | interval::Step::Second | interval::Step::Day => None,
        };
    }
    let number = known.amount(expr).single().filter(|number| (MIN_FRACTION..MAX_EXACT).contains(number))?;
    Some(if number.fract() == 0.0 { Step::Whole } else { Step::Fraction })
}

/// A literal that counting reaches.
pub fn is_bound(known: &Known<'_, '_>, tree: &Tree<'_>, expr: ExprId) -> bool {
    let fact = known.of(expr);
    match tree.expr(expr).kind {
        ExprKind::Integer(_) | ExprKind::Numeric(_) => is_exact(fact.amount),
        // Text is a number or a moment.
        _ => is_start(fact),
    }
}

/// A value that counting leaves: a number that has room for a step, or a moment.
pub fn is_start(fact: Fact) -> bool {
    !fact.endless && (fact.amount == Amount::Unknown || is_exact(fact.amount))
}

fn is_exact(amount: Amount) -> bool {
    amount.reach().is_some_and(|reach| reach < MAX_EXACT)
}

fn has_minus(tree: &Tree<'_>, expr: ExprId) -> bool {
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        if let ExprKind::String(text) = tree.expr(expr).kind
            && text.contains('-')
        {
            return true;
        }
        tree.each_operand(expr, &mut |operand| open.push(operand));
    }
    false
}
