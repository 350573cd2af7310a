//! The caller's value in SQL: which expressions are it (soundness.md, rule 3), and how close the others come.

use crate::policy::KeyType;
use crate::resolve::tree::{ExprId, ExprKind, Loc, Tree, TypeUse};

use super::caller::Caller;
use crate::weaken::{Switch, weak};

/// How good a value is as a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quality {
    /// It is the caller's value.
    Own,
    /// A constant where the policy wants `$n`.
    Literal,
    /// Another value, or a `$n` that cannot carry the caller's.
    Foreign,
}

/// An expression in one of the forms of rule 3.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    /// How good it is.
    pub quality: Quality,
    /// Its place.
    pub loc: Loc,
    /// `$n`, and the expression that it is.
    pub param: Option<(u32, ExprId)>,
}

/// The expression as a value of the key at that position, if it has such a form.
pub fn value(tree: &Tree<'_>, caller: &Caller, key: usize, expr: ExprId) -> Option<Value> {
    let found = caller.keys.get(key)?;
    let (inner, casts) = strip_casts(tree, expr, found.ty)?;
    let loc = tree.expr(inner).loc;
    let constant = |own: bool| {
        let quality = match (caller.bound, own) {
            (true, _) => Quality::Literal,
            (false, true) => Quality::Own,
            (false, false) => Quality::Foreign,
        };
        Some(Value { quality, loc, param: None })
    };
    match (tree.expr(inner).kind, found.ty) {
        (ExprKind::Param(number), ty) => {
            if ty == KeyType::Integer && casts == Casts::Narrow {
                return None;
            }
            let quality = if !caller.bound || found.is_plural() { Quality::Foreign } else { Quality::Own };
            Some(Value { quality, loc, param: Some((number, inner)) })
        }
        (ExprKind::String(text), KeyType::Text) => constant(found.holds(text)),
        (ExprKind::String(text), KeyType::Uuid) => constant(found.holds(&canonical_uuid(text)?)),
        (ExprKind::String(text), KeyType::Integer) => constant(found.holds(canonical_integer(text, casts)?)),
        (ExprKind::Integer(number), KeyType::Integer) => {
            let text = number.to_string();
            is_spelled(tree.sql, loc, &text).then_some(())?;
            constant(found.holds(canonical_integer(&text, casts)?))
        }
        (ExprKind::Numeric(text), KeyType::Integer) => {
            is_spelled(tree.sql, loc, text).then_some(())?;
            constant(found.holds(canonical_integer(text, casts)?))
        }
        (ExprKind::Numeric(text), KeyType::Text) if weak(Switch::NumericLiterals) => constant(found.holds(text)),
        (_, KeyType::Text | KeyType::Uuid | KeyType::Integer) => None,
    }
}

/// The expression as an array of values of the key, bound as a whole: `= ANY($n)`.
pub fn array_param(tree: &Tree<'_>, caller: &Caller, key: usize, expr: ExprId) -> Option<Value> {
    let ty = caller.keys.get(key)?.ty;
    let mut inner = expr;
    while let ExprKind::Cast(arg, cast) = tree.expr(inner).kind {
        if !cast.array || redundant(cast, ty)? == Casts::Narrow {
            return None;
        }
        inner = arg;
    }
    let ExprKind::Param(number) = tree.expr(inner).kind else { return None };
    let quality = if caller.bound { Quality::Own } else { Quality::Foreign };
    Some(Value { quality, loc: tree.expr(inner).loc, param: Some((number, inner)) })
}

/// The elements of an array constructor, through redundant array casts.
pub fn array_elements<'t>(tree: &'t Tree<'_>, ty: KeyType, expr: ExprId) -> Option<&'t [ExprId]> {
    let mut inner = expr;
    while let ExprKind::Cast(arg, cast) = tree.expr(inner).kind {
        if !cast.array || redundant(cast, ty)? == Casts::Narrow {
            return None;
        }
        inner = arg;
    }
    match tree.expr(inner).kind {
        ExprKind::Array(list) => Some(tree.list(list)),
        _ => None,
    }
}

/// A bare NULL, or one under a redundant cast.
pub fn is_null(tree: &Tree<'_>, expr: ExprId, ty: KeyType) -> bool {
    strip_casts(tree, expr, ty).is_some_and(|(inner, _)| matches!(tree.expr(inner).kind, ExprKind::Null))
}

/// `$n` under a cast to exactly the declared type of the key, or (`array`) its array: how it may stand in an output.
pub fn declared_param(tree: &Tree<'_>, expr: ExprId, ty: KeyType, array: bool) -> Option<(u32, ExprId)> {
    let ExprKind::Cast(inner, cast) = tree.expr(expr).kind else { return None };
    let ExprKind::Param(number) = tree.expr(inner).kind else { return None };
    let declared = match ty {
        KeyType::Text => "text",
        KeyType::Uuid => "uuid",
        KeyType::Integer => "int8",
    };
    (cast.is_builtin(declared) && !cast.modified && cast.array == array).then_some((number, inner))
}

/// What the casts around a value do to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Casts {
    /// Nothing.
    Same,
    /// To int4 or int2: fine for a literal that fits.
    Narrow,
}

/// Takes redundant casts off; `None` where a cast is not redundant.
pub fn strip_casts(tree: &Tree<'_>, expr: ExprId, ty: KeyType) -> Option<(ExprId, Casts)> {
    let (mut inner, mut casts) = (expr, Casts::Same);
    loop {
        let (arg, cast) = match tree.expr(inner).kind {
            ExprKind::Cast(arg, cast) => (arg, cast),
            ExprKind::Collate(arg) if weak(Switch::Collate) => {
                inner = arg;
                continue;
            }
            _ => break,
        };
        if cast.array {
            return None;
        }
        let national = cast.is_builtin("bpchar") && matches!(tree.expr(arg).kind, ExprKind::String(_));
        if national && weak(Switch::NationalLiterals) {
            inner = arg;
            continue;
        }
        if redundant(cast, ty)? == Casts::Narrow {
            casts = Casts::Narrow;
        }
        inner = arg;
    }
    // Never a numeric constant under a text cast: `1e1::text` is '10'.
    Some((inner, casts))
}

/// A cast that leaves every value of the key's type as it is.
fn redundant(cast: TypeUse<'_>, ty: KeyType) -> Option<Casts> {
    if cast.modified && !weak(Switch::LengthCasts) {
        return None;
    }
    let is = |name| cast.is_builtin(name);
    match ty {
        KeyType::Text if is("bpchar") && weak(Switch::BpcharCasts) => Some(Casts::Same),
        KeyType::Text => (is("text") || is("varchar")).then_some(Casts::Same),
        KeyType::Uuid => is("uuid").then_some(Casts::Same),
        KeyType::Integer if is("int8") => Some(Casts::Same),
        KeyType::Integer => (is("int4") || is("int2")).then_some(Casts::Narrow),
    }
}

/// The number is spelled with digits and an optional minus only: no underscore, base prefix or blank.
fn is_spelled(sql: &str, loc: Loc, text: &str) -> bool {
    let Some(rest) = loc.and_then(|loc| sql.get(loc as usize..)).and_then(|rest| rest.strip_prefix(text)) else {
        return false;
    };
    !rest.starts_with(|next: char| next.is_alphanumeric() || matches!(next, '_' | '.' | '$'))
}

/// `0` or `-?[1-9][0-9]*` within int8 (within int4 under a narrow cast).
fn canonical_integer(text: &str, casts: Casts) -> Option<&str> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let canonical = text == "0"
        || (digits.starts_with(|first: char| ('1'..='9').contains(&first))
            && digits.bytes().all(|byte| byte.is_ascii_digit()));
    let number: i64 = text.parse().ok()?;
    let fits = casts == Casts::Same || i32::try_from(number).is_ok();
    (canonical && fits).then_some(text)
}

/// A uuid in any spelling that PostgreSQL accepts (`uuid_in`: optional braces, a hyphen allowed after each four digits), in
/// the canonical one.
fn canonical_uuid(text: &str) -> Option<String> {
    let inner = match (text.strip_prefix('{'), text.ends_with('}')) {
        (Some(rest), true) => rest.strip_suffix('}')?,
        (None, false) => text,
        (Some(_), false) | (None, true) => return None,
    };
    let mut digits = String::with_capacity(36);
    let (mut count, mut last_hyphen) = (0, true);
    for byte in inner.bytes() {
        match byte {
            b'-' if !last_hyphen && count % 4 == 0 && count < 32 => last_hyphen = true,
            _ if byte.is_ascii_hexdigit() && count < 32 => {
                if matches!(count, 8 | 12 | 16 | 20) {
                    digits.push('-');
                }
                digits.push(char::from(byte.to_ascii_lowercase()));
                count += 1;
                last_hyphen = false;
            }
            _ => return None,
        }
    }
    (count == 32 && !last_hyphen).then_some(digits)
}
