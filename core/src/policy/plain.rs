//! What a plain (unquoted) YAML scalar is.
//!
//! Receives its text, returns its value. Versions and readers of YAML disagree about many of them: `no` is a boolean in 1.1 and
//! text in 1.2, `010` is eight or ten, `1:30` is ninety. Only what all of them read alike is read here; the rest is
//! [`Value::Unclear`], which no key of a policy accepts.

use super::document::{Reading, Value, is_whole};

/// The value of a plain scalar.
pub(super) fn resolve(text: &str) -> Value {
    match text {
        "true" => return Value::Bool(true),
        "false" => return Value::Bool(false),
        "null" => return Value::Null,
        _ => {}
    }
    if is_whole(text) {
        return text.parse().map_or_else(|_| Value::Number(text.to_owned()), Value::Integer);
    }
    match unclear(text) {
        Some(reading) => Value::Unclear(text.to_owned(), reading),
        None => Value::Text(text.to_owned()),
    }
}

fn unclear(text: &str) -> Option<Reading> {
    let lower = text.to_ascii_lowercase();
    match &*lower {
        "" => return Some(Reading::Missing),
        "~" | "null" => return Some(Reading::Null),
        "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n" => return Some(Reading::Boolean),
        "=" | "<<" => return Some(Reading::Special),
        _ => {}
    }
    number_like(&lower).then_some(Reading::Number)
}

/// Whether some reader of YAML takes it for a number or a date. Wider than any one of them.
fn number_like(lower: &str) -> bool {
    let unsigned = lower.strip_prefix(['+', '-']).unwrap_or(lower);
    if matches!(unsigned, ".inf" | ".nan") {
        return true;
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = unsigned.strip_prefix(prefix) {
            return digits.chars().all(|c| c == '_' || c.is_digit(radix));
        }
    }
    let mut bytes = unsigned.bytes();
    let starts = match bytes.next() {
        Some(b'.') => bytes.next().is_some_and(|byte| byte.is_ascii_digit()),
        Some(byte) => byte.is_ascii_digit(),
        None => false,
    };
    starts && (unsigned.bytes().all(|byte| byte.is_ascii_digit() || b"_.,:e+-".contains(&byte)) || date_like(unsigned))
}

/// `2024-01-01`, with or without a time behind it.
fn date_like(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let (year, month, rest) = (parts.next(), parts.next(), parts.next());
    let digits = |part: Option<&str>, sizes: std::ops::RangeInclusive<usize>| {
        part.is_some_and(|p| sizes.contains(&p.len()) && p.bytes().all(|byte| byte.is_ascii_digit()))
    };
    digits(year, 4..=4) && digits(month, 1..=2) && rest.is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit()))
}
