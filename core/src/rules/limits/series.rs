//! How many rows the series of a statement make: those of one FROM multiply, through derived tables and CTEs too.

use crate::catalog::Held;
use crate::resolve::tree::{Body, Call, ExprId, ExprKind, LevelId, Loc, RelId, Tree};

use super::amount::{Amount, amount};

/// The places at which the rows that series make pass `most`, and what stands there.
pub fn excesses<'a>(tree: &Tree<'a>, most: f64) -> Vec<(Loc, &'a str)> {
    let (mut found, mut rows) = (Vec::new(), vec![1.0; tree.levels.len()]);
    let series: Vec<(&Call<'a>, f64)> = tree
        .calls
        .iter()
        .filter(|call| call.held() == Some(Held::Series))
        .filter_map(|call| match self::rows(tree, tree.list(call.args)) {
            Amount::Exactly(rows) => Some((call, rows.max(1.0))),
            Amount::Data | Amount::Unknown => None,
        })
        .collect();
    if series.is_empty() {
        return found;
    }
    for id in &tree.order {
        let Some(level) = tree.level(*id) else { continue };
        let product = match &level.body {
            Body::Values { .. } => 1.0,
            Body::SetOp { arms, .. } => arms.iter().filter_map(|arm| rows.get(arm.at())).sum(),
            Body::Select { .. } => {
                let own = series
                    .iter()
                    .filter(|(call, _)| call.level == *id)
                    .map(|(call, rows)| (call.loc, call.name, *rows));
                let factors: Vec<(Loc, &str, f64)> = sources(tree, *id, &rows).into_iter().chain(own).collect();
                let mut product = 1.0;
                for (loc, name, factor) in factors {
                    product *= factor;
                    if product > most {
                        // Told here; what stands on this level is not told again.
                        found.push((loc, name));
                        product = 1.0;
                        break;
                    }
                }
                if level.has_aggregate && level.group.is_none() { 1.0 } else { product }
            }
        };
        let limited = match level.limit.map(|limit| amount(tree, limit)) {
            Some(Amount::Exactly(limit)) => product.min(limit.max(1.0)),
            Some(Amount::Data | Amount::Unknown) | None => product,
        };
        if let Some(slot) = rows.get_mut(id.at()) {
            *slot = limited;
        }
    }
    found
}

/// The derived tables and CTEs of a level's FROM that make more than one row by themselves.
fn sources<'a>(tree: &Tree<'a>, id: LevelId, rows: &[f64]) -> Vec<(Loc, &'a str, f64)> {
    (0..)
        .zip(&tree.rels)
        .filter(|(_, rel)| rel.level == id)
        .filter_map(|(at, rel)| {
            let source = tree.source_level(RelId(at))?;
            let factor = *rows.get(source.at())?;
            (factor > 1.0).then_some((rel.loc, rel.alias, factor))
        })
        .collect()
}

/// The rows of `generate_series(start, stop, step)`.
pub fn rows(tree: &Tree<'_>, args: &[ExprId]) -> Amount {
    let (start, stop, step) = match args {
        [start, stop] => (*start, *stop, None),
        [start, stop, step, ..] => (*start, *stop, Some(*step)),
        _ => return Amount::Unknown,
    };
    if let Some(step) = step
        && let Some(step) = interval(tree, step)
    {
        // Dates and timestamps: a second or more in each step is few rows for any span that people ask about.
        let endless = [start, stop].into_iter().any(|bound| is_infinite(tree, bound));
        return if step == Step::AtLeastASecond && !endless { Amount::Data } else { Amount::Unknown };
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

/// What is known of an interval.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    AtLeastASecond,
    Unknown,
}

/// An interval literal: `interval '1 day'`, `'1 day'::interval`, `'1 day'`, `interval '1' day`. A string without a unit is
/// none: it may be a number.
fn interval(tree: &Tree<'_>, expr: ExprId) -> Option<Step> {
    match tree.expr(expr).kind {
        ExprKind::Cast(inner, ty) if ty.is_builtin("interval") => match tree.expr(inner).kind {
            // The unit stands in the type: none is below a second.
            ExprKind::String(text) if ty.modified && is_count(text) => Some(Step::AtLeastASecond),
            ExprKind::String(text) => Some(step(text).unwrap_or(Step::Unknown)),
            _ => Some(Step::Unknown),
        },
        ExprKind::String(text) if text.trim().parse::<f64>().is_err() => Some(step(text).unwrap_or(Step::Unknown)),
        // `interval '1 day' * 7`
        ExprKind::Binary(operator, left, right) if operator.is_builtin("*") => {
            let times = |side| matches!(amount(tree, side), Amount::Exactly(times) if times >= 1.0);
            match (interval(tree, left), interval(tree, right)) {
                (Some(step), None) if times(right) => Some(step),
                (None, Some(step)) if times(left) => Some(step),
                (None, None) => None,
                (_, _) => Some(Step::Unknown),
            }
        }
        ExprKind::Call(call) => {
            let call = tree.calls.get(call.at()).filter(|call| call.name == "make_interval")?;
            // make_interval(days => 7): whole numbers, of which its seconds alone may be fractions.
            let mut parts = tree.list(call.args).iter().map(|part| amount(tree, *part));
            let whole = parts.all(|part| matches!(part, Amount::Exactly(part) if part >= 1.0));
            Some(if whole && call.args.len > 0 { Step::AtLeastASecond } else { Step::Unknown })
        }
        _ => None,
    }
}

/// An interval of a second or more whose parts all have one sign: `1 day`, `-1 day`, `15m`, `2 hours 30 minutes`,
/// `01:30:00`, `P1DT2H` (PostgreSQL manual, 8.5.4).
fn step(text: &str) -> Option<Step> {
    let text = text.trim().to_ascii_lowercase();
    let text = text.strip_prefix('-').unwrap_or(&text);
    let text = text.strip_prefix('p').map_or_else(|| text.to_owned(), |iso| iso.replace('t', " "));
    let (mut rest, mut counted) = (text.trim_start(), false);
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (count, behind) = rest.split_at_checked(digits)?;
        counted |= is_count(count);
        rest = match behind.strip_prefix(':') {
            // hh:mm[:ss]: the digits that follow are looked at in turn.
            Some(minutes) if digits > 0 && minutes.starts_with(|next: char| next.is_ascii_digit()) => minutes,
            Some(_) => return None,
            None if digits == 0 => return None,
            None => {
                let behind = behind.trim_start();
                let letters = behind.bytes().take_while(u8::is_ascii_alphabetic).count();
                let (unit, next) = behind.split_at_checked(letters)?;
                // A clock's last digits have no unit.
                let clock = unit.is_empty() && text.contains(':');
                (clock || is_unit(unit)).then_some(next.trim_start())?
            }
        };
    }
    counted.then_some(Step::AtLeastASecond)
}

/// A unit that is not below a second.
fn is_unit(unit: &str) -> bool {
    const UNITS: [&str; 20] = [
        "s", "sec", "second", "m", "min", "minute", "h", "hr", "hour", "d", "day", "w", "week", "mon", "month",
        "quarter", "y", "yr", "year", "decade",
    ];
    UNITS.iter().any(|known| unit == *known || unit.strip_suffix('s') == Some(known))
}

/// A whole number above zero.
fn is_count(text: &str) -> bool {
    let text = text.trim();
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.bytes().any(|byte| byte != b'0')
}

/// A bound at which a series never ends.
fn is_infinite(tree: &Tree<'_>, expr: ExprId) -> bool {
    match tree.expr(expr).kind {
        ExprKind::String(text) => text.to_ascii_lowercase().contains("inf"),
        ExprKind::Cast(inner, _) => is_infinite(tree, inner),
        _ => false,
    }
}
