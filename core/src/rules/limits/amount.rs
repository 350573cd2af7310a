//! How much an argument makes a function produce, as far as literals tell.

use crate::catalog::Held;
use crate::resolve::tree::{Call, ExprId, ExprKind, Tree};

/// What a function's argument says about how much comes out.
#[derive(Clone, Copy, PartialEq)]
pub enum Amount {
    /// So much.
    Exactly(f64),
    /// As much as a column of the data says.
    Data,
    /// Nobody knows.
    Unknown,
}

/// The bytes or elements that a call produces.
pub fn produced(tree: &Tree<'_>, call: &Call<'_>) -> Amount {
    let args = tree.list(call.args);
    match (call.held(), args) {
        (Some(Held::Repeat), [text, count, ..]) => multiply(size(tree, *text), amount(tree, *count)),
        (Some(Held::Pad), [_, length, ..]) => amount(tree, *length),
        (Some(Held::ArrayFill), [_, dimensions, ..]) => match tree.expr(*dimensions).kind {
            ExprKind::Array(list) => tree
                .list(list)
                .iter()
                .fold(Amount::Exactly(1.0), |product, length| multiply(product, amount(tree, *length))),
            _ => Amount::Unknown,
        },
        _ => Amount::Unknown,
    }
}

/// How long a text is that a call repeats: its own length where it is spelled, one where it is data.
fn size(tree: &Tree<'_>, expr: ExprId) -> Amount {
    match tree.expr(expr).kind {
        ExprKind::String(text) => Amount::Exactly(text.len() as f64),
        ExprKind::Cast(inner, _) => size(tree, inner),
        ExprKind::Call(call) => match tree.calls.get(call.at()) {
            Some(call) if matches!(call.held(), Some(Held::Repeat | Held::Pad)) => produced(tree, call),
            Some(_) | None => Amount::Exactly(1.0),
        },
        ExprKind::Binary(_, left, right) => match (size(tree, left), size(tree, right)) {
            (Amount::Exactly(left), Amount::Exactly(right)) => Amount::Exactly(left + right),
            (Amount::Unknown, _) | (_, Amount::Unknown) => Amount::Unknown,
            (Amount::Data, _) | (_, Amount::Data) => Amount::Data,
        },
        _ => Amount::Exactly(1.0),
    }
}

fn multiply(left: Amount, right: Amount) -> Amount {
    match (left, right) {
        (Amount::Exactly(left), Amount::Exactly(right)) => Amount::Exactly(left * right),
        (Amount::Unknown, _) | (_, Amount::Unknown) => Amount::Unknown,
        (Amount::Data, _) | (_, Amount::Data) => Amount::Data,
    }
}

/// A number: a literal, an arithmetic of literals, a column.
pub fn amount(tree: &Tree<'_>, expr: ExprId) -> Amount {
    match tree.expr(expr).kind {
        ExprKind::Integer(number) => Amount::Exactly(f64::from(number)),
        ExprKind::Numeric(text) | ExprKind::String(text) => {
            text.trim().parse().map_or(Amount::Unknown, Amount::Exactly)
        }
        ExprKind::Column(..) | ExprKind::Merged(..) => Amount::Data,
        ExprKind::Cast(inner, _) => amount(tree, inner),
        ExprKind::Prefix(operator, inner) if operator.is_builtin("-") => match amount(tree, inner) {
            Amount::Exactly(number) => Amount::Exactly(-number),
            other => other,
        },
        ExprKind::Binary(operator, left, right) => match (amount(tree, left), amount(tree, right)) {
            (Amount::Exactly(left), Amount::Exactly(right)) => match operator.name {
                "+" => Amount::Exactly(left + right),
                "-" => Amount::Exactly(left - right),
                "*" => Amount::Exactly(left * right),
                "/" if right != 0.0 => Amount::Exactly(left / right),
                _ => Amount::Unknown,
            },
            // A column and a small literal, added or divided, stay near the column.
            (Amount::Data, Amount::Exactly(_)) if matches!(operator.name, "+" | "-" | "/" | "%") => Amount::Data,
            (Amount::Data, Amount::Data) if matches!(operator.name, "+" | "-" | "/" | "%") => Amount::Data,
            (_, _) => Amount::Unknown,
        },
        ExprKind::Call(call) => match tree.calls.get(call.at()).map(|call| (call.name, tree.list(call.args))) {
            // As many as there are rows, elements, or days in a month.
            Some((name, _)) if COUNTS.contains(&name) => Amount::Data,
            // As large as one of what they are given.
            Some((name, args)) if PASSES_ON.contains(&name) => largest(tree, args),
            Some(_) | None => Amount::Unknown,
        },
        // COALESCE, GREATEST, LEAST, NULLIF, CASE.
        ExprKind::Other(list) => largest(tree, tree.list(list)),
        _ => Amount::Unknown,
    }
}

/// Functions whose result is a count of what there is.
const COUNTS: [&str; 16] = [
    "count",
    "row_number",
    "rank",
    "dense_rank",
    "ntile",
    "cardinality",
    "array_length",
    "array_upper",
    "jsonb_array_length",
    "json_array_length",
    "length",
    "char_length",
    "character_length",
    "octet_length",
    "extract",
    "date_part",
];

/// Functions whose result is one of their arguments, or near it.
const PASSES_ON: [&str; 9] = ["min", "max", "avg", "round", "floor", "ceil", "ceiling", "trunc", "abs"];

/// The largest of several amounts, as far as they are known.
fn largest(tree: &Tree<'_>, exprs: &[ExprId]) -> Amount {
    exprs.iter().fold(Amount::Exactly(0.0), |largest, expr| match (largest, amount(tree, *expr)) {
        (Amount::Exactly(left), Amount::Exactly(right)) => Amount::Exactly(left.max(right)),
        (Amount::Unknown, _) | (_, Amount::Unknown) => Amount::Unknown,
        (Amount::Data, _) | (_, Amount::Data) => Amount::Data,
    })
}
