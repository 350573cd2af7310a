//! What literals may make a function produce: `generate_series`, `repeat`, `lpad`, `array_fill` and their kin.
//!
//! Receives the resolved form, returns the calls over `max_generated`. Nested calls multiply, and so do the series of one
//! FROM.

use crate::catalog::Held;
use crate::resolve::tree::{Call, ExprId, ExprKind, Loc, Tree, TypeUse};

use super::amount::Amount;
use super::known::Known;
use super::series;

/// `factorial` takes at most this; numeric powers give at most so many digits.
const MAX_DIGITS: f64 = 1000.0;

/// A call that may produce too much.
pub struct Excess {
    /// Where it stands.
    pub loc: Loc,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: String,
}

/// Every call over the policy's limit.
pub fn excesses(tree: &Tree<'_>) -> Vec<Excess> {
    let mut found = Vec::new();
    let most = tree.policy.limits.max_generated as f64;
    // Most statements have nothing of the kind: nothing has to be known of them.
    let is_held = |kind| match kind {
        ExprKind::Binary(operator, ..) => operator.is_builtin("^"),
        ExprKind::Cast(_, ty) => is_padded(ty),
        _ => false,
    };
    if !tree.calls.iter().any(|call| call.held().is_some()) && !tree.exprs.iter().any(|expr| is_held(expr.kind)) {
        return found;
    }
    let known = Known::new(tree);
    for call in &tree.calls {
        let Some(held) = call.held() else { continue };
        let args = tree.list(call.args);
        let amount = match held {
            // How many rows it makes is looked at together with what else makes rows: below.
            Held::Series => match series::rows(&known, tree, args) {
                Amount::Between(..) => continue,
                amount => amount,
            },
            Held::Repeat | Held::Pad | Held::ArrayFill => known.produced(call),
            Held::Factorial => match args.first().map(|arg| known.amount(*arg)) {
                Some(Amount::Between(_, number)) if number <= MAX_DIGITS => continue,
                _ => {
                    found.push(excess(call, "factorial of more than a literal 1000", "use a literal of at most 1000"));
                    continue;
                }
            },
            Held::Power => {
                if let [base, exponent] = args
                    && power_digits(&known, *base, *exponent) > MAX_DIGITS
                {
                    found.push(excess(call, "a power of more than 1000 digits", "use a smaller exponent"));
                }
                continue;
            }
            Held::Format => format_width(&known, tree, args),
            Held::Regex => continue,
        };
        match amount {
            Amount::Between(_, amount) | Amount::Data(amount) if amount > most => {
                let message = format!("`{}` would produce more than {most} rows or bytes", call.name);
                found.push(excess(call, &message, &format!("keep what it produces within {most}")));
            }
            Amount::Between(..) | Amount::Data(_) => {}
            Amount::Unknown => {
                let message = format!("how much `{}` would produce is not certain", call.name);
                found.push(excess(call, &message, "give it literals, or columns"));
            }
        }
    }
    for (loc, name) in series::excesses(&known, tree, most) {
        let message = format!("`{name}` would produce more than {most} rows or bytes");
        found.push(Excess { loc, message, hint: format!("keep what it produces within {most}") });
    }
    for expr in &tree.exprs {
        if let ExprKind::Cast(_, ty) = expr.kind
            && is_padded(ty)
            && ty.length.is_some_and(|length| f64::from(length) > most)
        {
            let message = format!("a cast to {} or more padded characters", ty.length.unwrap_or_default());
            found.push(Excess { loc: expr.loc, message, hint: format!("use a length of at most {most}") });
        }
        if let ExprKind::Binary(operator, base, exponent) = expr.kind
            && operator.is_builtin("^")
            && power_digits(&known, base, exponent) > MAX_DIGITS
        {
            let message = "a power of more than 1000 digits".to_owned();
            found.push(Excess { loc: expr.loc, message, hint: "use a smaller exponent".to_owned() });
        }
    }
    found
}

fn excess(call: &Call<'_>, message: &str, hint: &str) -> Excess {
    Excess { loc: call.loc, message: message.to_owned(), hint: hint.to_owned() }
}

/// The digits of a power, as far as literals tell.
fn power_digits(known: &Known<'_, '_>, base: ExprId, exponent: ExprId) -> f64 {
    let exponent = match known.amount(exponent) {
        exponent @ Amount::Between(..) => exponent.reach().unwrap_or(f64::MAX),
        Amount::Data(_) | Amount::Unknown => return 0.0,
    };
    match known.amount(base) {
        base @ Amount::Between(..) => base.reach().unwrap_or(f64::MAX).max(2.0).log10() * exponent,
        Amount::Data(_) | Amount::Unknown => exponent,
    }
}

/// A type that fills what is cast to it with blanks or zeros.
fn is_padded(ty: TypeUse<'_>) -> bool {
    ty.is_builtin("bpchar") || ty.is_builtin("bit")
}

/// The widths that a format asks for (PostgreSQL manual, 9.4.1): `%10s`, `%-10s`, `%*s`.
fn format_width(known: &Known<'_, '_>, tree: &Tree<'_>, args: &[ExprId]) -> Amount {
    let Some(format) = args.first().map(|format| tree.expr(*format).kind) else { return Amount::Unknown };
    let text = match format {
        ExprKind::String(text) => text,
        ExprKind::Column(..) | ExprKind::Merged(..) => return Amount::Data(0.0),
        _ => return Amount::Unknown,
    };
    let mut sum = 0.0;
    for part in text.replace("%%", "").split('%').skip(1) {
        let spec: String = part.chars().take_while(|c| c.is_ascii_digit() || matches!(c, '-' | '*' | '$')).collect();
        let width = spec.rsplit('$').next().unwrap_or_default().trim_start_matches('-');
        if width.contains('*') {
            let widths = args.iter().skip(1).filter_map(|arg| match known.amount(*arg) {
                width @ Amount::Between(..) => width.reach(),
                Amount::Data(_) | Amount::Unknown => None,
            });
            sum += widths.fold(0.0, f64::max);
        } else if !width.is_empty() {
            sum += width.parse::<f64>().unwrap_or(f64::INFINITY);
        }
    }
    Amount::exactly(sum)
}
