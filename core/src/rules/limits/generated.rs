//! What literals may make a function produce: `generate_series`, `repeat`, `lpad`, `array_fill` and their kin.
//!
//! Receives the resolved form, returns the calls over `max_generated`. Nested calls multiply, and so do the series of one
//! FROM.

use std::collections::BTreeMap;

use crate::catalog::Held;
use crate::resolve::tree::{Call, ExprId, ExprKind, Loc, Tree};

use super::amount::{Amount, amount, produced};

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
    let mut rows: BTreeMap<u32, f64> = BTreeMap::new();
    for call in &tree.calls {
        let Some(held) = call.held() else { continue };
        let args = tree.list(call.args);
        let amount = match held {
            Held::Series => {
                let own = series(tree, args);
                match (own, call.in_from) {
                    (Amount::Exactly(own), Some(level)) => {
                        let product = rows.entry(level.0).or_insert(1.0);
                        *product *= own.max(1.0);
                        Amount::Exactly(*product)
                    }
                    (own, _) => own,
                }
            }
            Held::Repeat | Held::Pad | Held::ArrayFill => produced(tree, call),
            Held::Factorial => match args.first().map(|arg| amount(tree, *arg)) {
                Some(Amount::Exactly(number)) if number <= MAX_DIGITS => continue,
                _ => {
                    found.push(excess(call, "factorial of more than a literal 1000", "use a literal of at most 1000"));
                    continue;
                }
            },
            Held::Power => {
                if let [base, exponent] = args
                    && power_digits(tree, *base, *exponent) > MAX_DIGITS
                {
                    found.push(excess(call, "a power of more than 1000 digits", "use a smaller exponent"));
                }
                continue;
            }
            Held::Format => format_width(tree, args),
            Held::Regex => continue,
        };
        match amount {
            Amount::Exactly(amount) if amount > most => {
                let message = format!("`{}` would produce more than {most} rows or bytes", call.name);
                found.push(excess(call, &message, &format!("keep what it produces within {most}")));
            }
            Amount::Exactly(_) | Amount::Data => {}
            Amount::Unknown => {
                let message = format!("how much `{}` would produce is not certain", call.name);
                found.push(excess(call, &message, "give it literals, or columns"));
            }
        }
    }
    for expr in &tree.exprs {
        if let ExprKind::Cast(_, ty) = expr.kind
            && (ty.is_builtin("bpchar") || ty.is_builtin("bit"))
            && ty.length.is_some_and(|length| f64::from(length) > most)
        {
            let message = format!("a cast to {} or more padded characters", ty.length.unwrap_or_default());
            found.push(Excess { loc: expr.loc, message, hint: format!("use a length of at most {most}") });
        }
        if let ExprKind::Binary(operator, base, exponent) = expr.kind
            && operator.is_builtin("^")
            && power_digits(tree, base, exponent) > MAX_DIGITS
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

/// The rows of `generate_series(start, stop, step)`.
fn series(tree: &Tree<'_>, args: &[ExprId]) -> Amount {
    let (start, stop, step) = match args {
        [start, stop] => (*start, *stop, None),
        [start, stop, step, ..] => (*start, *stop, Some(*step)),
        _ => return Amount::Unknown,
    };
    if let Some(step) = step
        && let Some(text) = interval(tree, step)
    {
        // Dates and timestamps: a second or more in each step is few rows for any span that people ask about.
        let endless = [start, stop].into_iter().any(|bound| is_infinite(tree, bound));
        return if at_least_a_second(text) && !endless { Amount::Data } else { Amount::Unknown };
    }
    let step = match step.map(|step| amount(tree, step)) {
        None => 1.0,
        Some(Amount::Exactly(step)) if step != 0.0 => step,
        Some(_) => return Amount::Unknown,
    };
    match (amount(tree, start), amount(tree, stop)) {
        (Amount::Exactly(start), Amount::Exactly(stop)) => Amount::Exactly(((stop - start) / step + 1.0).max(0.0)),
        (Amount::Unknown, _) | (_, Amount::Unknown) => Amount::Unknown,
        (Amount::Data, _) | (_, Amount::Data) => Amount::Data,
    }
}

/// An interval literal: `interval '1 day'`, `'1 day'::interval`, `'1 day'`.
fn interval<'a>(tree: &Tree<'a>, expr: ExprId) -> Option<&'a str> {
    match tree.expr(expr).kind {
        ExprKind::Cast(inner, ty) if ty.name == "interval" => interval(tree, inner),
        ExprKind::String(text) => Some(text),
        _ => None,
    }
}

/// A bound at which a series never ends.
fn is_infinite(tree: &Tree<'_>, expr: ExprId) -> bool {
    match tree.expr(expr).kind {
        ExprKind::String(text) => text.to_ascii_lowercase().contains("inf"),
        ExprKind::Cast(inner, _) => is_infinite(tree, inner),
        _ => false,
    }
}

/// Any unit that is not below a second, with a whole number before it.
fn at_least_a_second(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let tiny = ["milli", "micro", "ms", "us", "µs", "msec", "usec", "0."].iter().any(|unit| lower.contains(unit));
    !tiny && lower.bytes().any(|byte| (b'1'..=b'9').contains(&byte))
}

/// The digits of a power, as far as literals tell.
fn power_digits(tree: &Tree<'_>, base: ExprId, exponent: ExprId) -> f64 {
    match (amount(tree, base), amount(tree, exponent)) {
        (Amount::Exactly(base), Amount::Exactly(exponent)) => (base.abs().max(2.0).log10() * exponent.abs()).max(0.0),
        (Amount::Data | Amount::Unknown, Amount::Exactly(exponent)) => exponent.abs(),
        (_, Amount::Data | Amount::Unknown) => 0.0,
    }
}

/// The widths that a format asks for (PostgreSQL manual, 9.4.1): `%10s`, `%-10s`, `%*s`.
fn format_width(tree: &Tree<'_>, args: &[ExprId]) -> Amount {
    let Some(format) = args.first().map(|format| tree.expr(*format).kind) else { return Amount::Unknown };
    let text = match format {
        ExprKind::String(text) => text,
        ExprKind::Column(..) | ExprKind::Merged(..) => return Amount::Data,
        _ => return Amount::Unknown,
    };
    let mut sum = 0.0;
    for part in text.replace("%%", "").split('%').skip(1) {
        let spec: String = part.chars().take_while(|c| c.is_ascii_digit() || matches!(c, '-' | '*' | '$')).collect();
        let width = spec.rsplit('$').next().unwrap_or_default().trim_start_matches('-');
        if width.contains('*') {
            let widths = args.iter().skip(1).filter_map(|arg| match amount(tree, *arg) {
                Amount::Exactly(width) => Some(width),
                Amount::Data | Amount::Unknown => None,
            });
            sum += widths.fold(0.0, f64::max);
        } else if !width.is_empty() {
            sum += width.parse::<f64>().unwrap_or(f64::INFINITY);
        }
    }
    Amount::Exactly(sum)
}
