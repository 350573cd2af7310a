//! How many rows the series of a statement make: those of one FROM multiply, through derived tables and CTEs too. So do the
//! rows that other functions make of what `repeat` and its kin produce: `unnest(string_to_array(repeat('a,', 1000), ','))`.

use crate::catalog::Held;
use crate::resolve::tree::{Body, Call, ExprId, LevelId, Loc, RelId, Tree};

use super::amount::Amount;
use super::interval::{Step, interval};
use super::known::Known;

/// The places at which the rows that series make pass `most`, and what stands there.
pub fn excesses<'a>(known: &Known<'_, 'a>, tree: &Tree<'a>, most: f64) -> Vec<(Loc, &'a str)> {
    let (mut found, mut rows) = (Vec::new(), vec![1.0; tree.levels.len()]);
    let series: Vec<(&Call<'a>, f64)> = tree
        .calls
        .iter()
        .map(|call| (call, made(known, tree, call)))
        .filter(|(call, rows)| *rows > 1.0 || call.held() == Some(Held::Series))
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
        let limited = match level.limit.map(|limit| known.amount(limit)) {
            Some(Amount::Between(_, limit)) => product.min(limit.max(1.0)),
            Some(Amount::Data(_) | Amount::Unknown) | None => product,
        };
        if let Some(slot) = rows.get_mut(id.at()) {
            *slot = limited;
        }
    }
    found
}

/// The rows that a call makes, as far as literals tell; at least 1.
fn made(known: &Known<'_, '_>, tree: &Tree<'_>, call: &Call<'_>) -> f64 {
    let args = tree.list(call.args);
    if call.held() == Some(Held::Series) {
        return match rows(known, tree, args) {
            Amount::Between(_, rows) => rows.max(1.0),
            Amount::Data(_) | Amount::Unknown => 1.0,
        };
    }
    if !call.function.is_some_and(|function| function.returns_set) {
        return 1.0;
    }
    args.iter().map(|arg| known.of(*arg).made).fold(1.0, f64::max)
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
pub fn rows(known: &Known<'_, '_>, tree: &Tree<'_>, args: &[ExprId]) -> Amount {
    let (start, stop, step) = match args {
        [start, stop] => (*start, *stop, None),
        [start, stop, step, ..] => (*start, *stop, Some(*step)),
        _ => return Amount::Unknown,
    };
    if let Some(step) = step
        && let Some(step) = interval(known, tree, step)
    {
        // Dates and timestamps: a second or more in each step is few rows for any span that people ask about.
        let endless = known.of(start).endless || known.of(stop).endless;
        return if step > Step::Unknown && !endless { Amount::Data(0.0) } else { Amount::Unknown };
    }
    let step = step.map_or(Amount::Between(1.0, 1.0), |step| known.amount(step));
    let (start, stop) = (known.amount(start), known.amount(stop));
    let steps = match step {
        Amount::Between(low, _) if low > 0.0 => stop.plus(start.negated()).over(step),
        Amount::Between(_, high) if high < 0.0 => start.plus(stop.negated()).over(step.negated()),
        Amount::Between(..) | Amount::Data(_) | Amount::Unknown => Amount::Unknown,
    };
    steps.plus(Amount::Between(1.0, 1.0))
}
