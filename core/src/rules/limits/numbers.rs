//! The value of an expression, as far as literals tell.

use crate::resolve::tree::{Call, ExprId, ExprKind, Tree, TypeUse};

use super::amount::Amount;
use super::known::Known;

/// A number: a literal, an arithmetic of literals, a column.
pub fn number(known: &Known<'_, '_>, tree: &Tree<'_>, kind: ExprKind<'_>) -> Amount {
    match kind {
        ExprKind::Integer(number) => Amount::exactly(f64::from(number)),
        ExprKind::Numeric(text) | ExprKind::String(text) => Amount::spelled(text),
        ExprKind::Merged(_, left, right) => known.amount(left).or(known.amount(right)),
        ExprKind::Cast(inner, ty) => cast(known.amount(inner), ty),
        ExprKind::Prefix(operator, inner) if operator.is_builtin("-") => known.amount(inner).negated(),
        ExprKind::Binary(operator, left, right) if matches!(operator.schema, None | Some("pg_catalog")) => {
            let (left, right) = (known.amount(left), known.amount(right));
            match operator.name {
                "+" => left.plus(right),
                "-" => left.plus(right.negated()),
                "*" => left.times(right),
                "/" => left.over(right),
                "%" if right != Amount::Unknown => left.modulo(),
                // A part of a column's document.
                "->" | "->>" | "#>" | "#>>" if matches!(left, Amount::Data(_)) => left,
                _ => Amount::Unknown,
            }
        }
        ExprKind::Call(call) => match tree.calls.get(call.at()) {
            Some(call) => self::call(known, tree, call),
            None => Amount::Unknown,
        },
        // The clock: CURRENT_DATE and its kin.
        ExprKind::Other(list) if list.len == 0 => Amount::Data(0.0),
        // COALESCE, GREATEST, LEAST, NULLIF, CASE; what `unnest` makes rows of.
        ExprKind::Other(list) | ExprKind::Array(list) => any(known, tree.list(list)),
        _ => Amount::Unknown,
    }
}

fn call(known: &Known<'_, '_>, tree: &Tree<'_>, call: &Call<'_>) -> Amount {
    let args = tree.list(call.args);
    match (call.name, args) {
        ("abs", [number]) => known.amount(*number).absolute(),
        ("extract" | "date_part", [field, ..]) => match tree.expr(*field).kind {
            ExprKind::String(field) if FIELDS.contains(&&*field.to_ascii_lowercase()) => Amount::Data(0.0),
            _ => Amount::Unknown,
        },
        // In FROM: each of the numbers between its bounds, each element, each part of a column's text or document.
        ("generate_series", [start, stop, ..]) => known.amount(*start).or(known.amount(*stop)),
        ("unnest", arrays) => any(known, arrays),
        (name, [whole, ..]) if SPLITS.contains(&name) => match known.amount(*whole) {
            Amount::Data(more) => Amount::Data(more),
            Amount::Between(..) | Amount::Unknown => Amount::Unknown,
        },
        // As many as there are rows or elements.
        (name, _) if COUNTS.contains(&name) => Amount::Data(0.0),
        // One of what they are given, or a whole number near it; a second argument is how many digits.
        ("round" | "trunc", [number]) => known.amount(*number).rounded(),
        (name, [number]) if PASSES_ON.contains(&name) => known.amount(*number).rounded(),
        ("round" | "trunc", [number, digits]) if digits_are_few(known.amount(*digits)) => {
            known.amount(*number).rounded()
        }
        (_, _) => Amount::Unknown,
    }
}

/// One of several.
fn any(known: &Known<'_, '_>, exprs: &[ExprId]) -> Amount {
    exprs.iter().map(|expr| known.amount(*expr)).reduce(Amount::or).unwrap_or(Amount::Unknown)
}

/// A cast between numbers, or of text to one. Others may make a large number of a small one: `-1::bit(31)::int`.
fn cast(amount: Amount, ty: TypeUse<'_>) -> Amount {
    const WHOLE: [&str; 3] = ["int2", "int4", "int8"];
    const KEEPS: [&str; 4] = ["numeric", "float8", "text", "varchar"];
    let is = |names: &[&str]| !ty.array && names.iter().any(|name| ty.is_builtin(name));
    match amount {
        Amount::Between(..) if is(&WHOLE) => amount.rounded(),
        // A modifier may round to thousands.
        Amount::Between(..) if is(&KEEPS) && !ty.modified => amount,
        Amount::Data(_) if is(&WHOLE) || is(&KEEPS) || is(&["float4", "date"]) => amount,
        Amount::Between(..) | Amount::Data(_) | Amount::Unknown => Amount::Unknown,
    }
}

/// What a round of a recursion adds to its column: by steps of at most ten it stays near the number of its rounds.
pub fn grown(amount: Amount) -> Amount {
    match amount {
        Amount::Data(more) if more <= 10.0 => Amount::Data(0.0),
        Amount::Between(..) => amount,
        Amount::Data(_) | Amount::Unknown => Amount::Unknown,
    }
}

/// Infinity, or NaN, which is above it: nothing reaches them.
pub fn is_endless(text: &str) -> bool {
    let text = text.trim().trim_start_matches(['+', '-']);
    ["inf", "infinity", "nan"].iter().any(|endless| text.eq_ignore_ascii_case(endless))
}

/// `round(x, 2)`: not `round(x, -9)`, which may make a large number of a small one.
fn digits_are_few(digits: Amount) -> bool {
    matches!(digits, Amount::Between(low, _) if low >= 0.0)
}

/// Functions whose result is a count of what there is.
const COUNTS: [&str; 15] = [
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
    "generate_subscripts",
];

/// Functions whose result is one of their arguments, or near it.
const PASSES_ON: [&str; 6] = ["min", "max", "avg", "floor", "ceil", "ceiling"];

/// Functions whose rows are parts of their first argument.
const SPLITS: [&str; 6] = [
    "string_to_table",
    "regexp_split_to_table",
    "jsonb_array_elements",
    "jsonb_array_elements_text",
    "json_array_elements",
    "json_array_elements_text",
];

/// The parts of a moment that are few: not its epoch, its microseconds, its Julian day.
const FIELDS: [&str; 18] = [
    "century", "day", "days", "decade", "dow", "doy", "hour", "hours", "isodow", "isoyear", "minute", "month",
    "months", "quarter", "second", "week", "year", "years",
];
