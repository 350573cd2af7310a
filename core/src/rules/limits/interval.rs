//! How long an interval is at least, as far as a literal tells.

use crate::resolve::tree::{ExprId, ExprKind, Tree, TypeUse};

use super::amount::Amount;
use super::known::Known;

/// What is known of an interval, in order of length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// It may be shorter than a second, or nothing.
    Unknown,
    /// A second or more.
    Second,
    /// A day or more, which a cast to date keeps.
    Day,
}

/// An interval literal: `interval '1 day'`, `'1 day'::interval`, `'1 day'`, `interval '1' day`. A string without a unit is
/// none: it may be a number.
pub fn interval(known: &Known<'_, '_>, tree: &Tree<'_>, expr: ExprId) -> Option<Step> {
    match tree.expr(expr).kind {
        ExprKind::Cast(inner, ty) if ty.is_builtin("interval") => Some(match tree.expr(inner).kind {
            ExprKind::String(text) => typed(text, ty),
            _ => Step::Unknown,
        }),
        ExprKind::String(text) if text.trim().parse::<f64>().is_err() => Some(step(text).unwrap_or(Step::Unknown)),
        // `interval '1 day' * 7`
        ExprKind::Binary(operator, left, right) if operator.is_builtin("*") => {
            let times = |side| is_whole(known.amount(side));
            match (interval(known, tree, left), interval(known, tree, right)) {
                (Some(step), None) if times(right) => Some(step),
                (None, Some(step)) if times(left) => Some(step),
                (None, None) => None,
                (_, _) => Some(Step::Unknown),
            }
        }
        ExprKind::Call(call) => {
            let call = tree.calls.get(call.at()).filter(|call| call.name == "make_interval")?;
            // make_interval(days => 7): whole numbers, of which its seconds alone may be fractions.
            let whole = tree.list(call.args).iter().all(|part| is_whole(known.amount(*part)));
            Some(if whole && call.args.len > 0 { Step::Second } else { Step::Unknown })
        }
        _ => None,
    }
}

/// One or more.
fn is_whole(amount: Amount) -> bool {
    matches!(amount, Amount::Between(low, _) if low >= 1.0)
}

/// `interval '1 day'`, `interval '1' day`, `interval(3) '1 day'`.
fn typed(text: &str, ty: TypeUse<'_>) -> Step {
    /// PostgreSQL's numbers of YEAR, MONTH and DAY in a type, and of no unit (`utils/timestamp.h`: INTERVAL_MASK,
    /// INTERVAL_FULL_RANGE).
    const DAYS: [i32; 3] = [1 << 2, 1 << 1, 1 << 3];
    const ANY: i32 = 0x7FFF;
    match ty.length {
        None if !ty.modified => step(text).unwrap_or(Step::Unknown),
        Some(ANY) => step(text).unwrap_or(Step::Unknown),
        // The unit stands in the type: none is below a second. What it cuts off a text with units is not looked at.
        Some(unit) if is_count(text) => {
            if DAYS.contains(&unit) {
                Step::Day
            } else {
                Step::Second
            }
        }
        Some(_) | None => Step::Unknown,
    }
}

/// An interval of a second or more whose parts all have one sign: `1 day`, `-1 day`, `15m`, `2 hours 30 minutes`,
/// `1.5 hours`, `01:30:00`, `P1DT2H` (PostgreSQL manual, 8.5.4).
fn step(text: &str) -> Option<Step> {
    let text = text.trim().to_ascii_lowercase();
    let text = text.strip_prefix('-').unwrap_or(&text);
    let text = text.strip_prefix('p').map_or_else(|| text.to_owned(), |iso| iso.replace('t', " "));
    let (mut rest, mut longest) = (text.trim_start(), Step::Unknown);
    while !rest.is_empty() {
        let (count, behind) = digits(rest)?;
        let mut length = Step::Second;
        rest = match behind.strip_prefix(':') {
            // hh:mm[:ss]: the digits that follow are looked at in turn.
            Some(minutes) if !count.is_empty() && minutes.starts_with(|next: char| next.is_ascii_digit()) => minutes,
            Some(_) => return None,
            None if count.is_empty() => return None,
            None => {
                let behind = match behind.strip_prefix('.') {
                    Some(fraction) => digits(fraction)?.1,
                    None => behind,
                };
                let behind = behind.trim_start();
                let letters = behind.bytes().take_while(u8::is_ascii_alphabetic).count();
                let (unit, next) = behind.split_at_checked(letters)?;
                length = match unit {
                    // A clock's last digits have no unit.
                    "" if text.contains(':') => Step::Second,
                    unit => unit_length(unit)?,
                };
                next.trim_start()
            }
        };
        if is_count(count) {
            longest = longest.max(length);
        }
    }
    (longest > Step::Unknown).then_some(longest)
}

/// The digits that a text begins with, and what follows them.
fn digits(text: &str) -> Option<(&str, &str)> {
    text.split_at_checked(text.bytes().take_while(u8::is_ascii_digit).count())
}

/// A unit that is not below a second.
fn unit_length(unit: &str) -> Option<Step> {
    const SECONDS: [&str; 9] = ["s", "sec", "second", "m", "min", "minute", "h", "hr", "hour"];
    const DAYS: [&str; 11] = ["d", "day", "w", "week", "mon", "month", "quarter", "y", "yr", "year", "decade"];
    let is = |units: &[&str]| units.iter().any(|known| unit == *known || unit.strip_suffix('s') == Some(known));
    if is(&DAYS) {
        return Some(Step::Day);
    }
    is(&SECONDS).then_some(Step::Second)
}

/// A whole number above zero.
fn is_count(text: &str) -> bool {
    let text = text.trim();
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.bytes().any(|byte| byte != b'0')
}
