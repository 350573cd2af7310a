//! Changes of `spec.tenancy`.
//!
//! A new obligation restricts; but what carries a key is also what a `$n` may be compared with, and in bound mode a text with a `$n`
//! that nothing bound was denied.

use super::super::model::{Tenancy, TenancyMode, TenantKey};
use super::super::names::spell;
use super::{Effect, Log};

const PATH: &str = "spec.tenancy";
const KEYS: &str = "spec.tenancy.keys";

pub(super) fn changes(old: Option<&Tenancy>, new: Option<&Tenancy>, log: &mut Log) {
    let (old, new) = match (old, new) {
        (None, None) => return,
        (Some(old), None) => {
            let why = "rows no longer have to be proven the caller's";
            return log.add(Effect::Relaxes, PATH, Some(summary(old)), None, why);
        }
        (None, Some(new)) => {
            let (effect, why) = added(new.mode);
            return log.add(effect, PATH, None, Some(summary(new)), why);
        }
        (Some(old), Some(new)) => (old, new),
    };
    let Tenancy { mode, keys } = old;
    if *mode != new.mode {
        let why = match new.mode {
            TenancyMode::Literal => {
                "the caller's value may stand in the text: texts with it may be allowed, texts with `$n` are denied"
            }
            TenancyMode::Bound => {
                "`$n` may stand for the caller's value: texts with it may be allowed, texts with the value are denied"
            }
        };
        log.add(Effect::Relaxes, "spec.tenancy.mode", Some(mode_word(*mode)), Some(mode_word(new.mode)), why);
    }
    for key in keys {
        let TenantKey { column, context, ty } = key;
        let Some(now) = find(&new.keys, column) else {
            let why = "rows no longer have to be proven the caller's by this key";
            log.add(Effect::Relaxes, KEYS, Some(spell(column)), None, why);
            continue;
        };
        if *context != now.context {
            let why =
                "callers are known by another key of the context: texts that were denied to a caller may be allowed";
            log.add(Effect::Relaxes, &of_key(column, "context"), Some(context), Some(&now.context), why);
        }
        if *ty != now.ty {
            let why = "other spellings are the caller's value: texts with them may be allowed";
            log.add(Effect::Relaxes, &of_key(column, "type"), Some(ty.as_str()), Some(now.ty.as_str()), why);
        }
    }
    for key in new.keys.iter().filter(|key| find(keys, &key.column).is_none()) {
        let (effect, why) = added(new.mode);
        log.add(effect, KEYS, None, Some(spell(&key.column)), why);
    }
    let order = |keys: &[TenantKey], others: &[TenantKey]| -> Vec<String> {
        keys.iter().filter(|key| find(others, &key.column).is_some()).map(|key| spell(&key.column)).collect()
    };
    let (before, now) = (order(keys, &new.keys), order(&new.keys, keys));
    if before != now {
        let why = "may allow: the first key that a `$n` fits is the one that it carries";
        log.add(Effect::Relaxes, KEYS, Some(before.join(", ")), Some(now.join(", ")), why);
    }
}

fn added(mode: TenancyMode) -> (Effect, &'static str) {
    match mode {
        TenancyMode::Literal => (Effect::Restricts, "rows have to be proven the caller's"),
        TenancyMode::Bound => (
            Effect::Relaxes,
            "rows have to be proven the caller's, but texts with `$n` may be allowed, which nothing bound before",
        ),
    }
}

fn find<'k>(keys: &'k [TenantKey], column: &str) -> Option<&'k TenantKey> {
    keys.iter().find(|key| key.column == column)
}

fn of_key(column: &str, field: &str) -> String {
    format!("{KEYS}[{}].{field}", spell(column))
}

fn summary(tenancy: &Tenancy) -> String {
    let keys: Vec<String> = tenancy.keys.iter().map(|key| spell(&key.column)).collect();
    format!("{} by {}", mode_word(tenancy.mode), keys.join(", "))
}

fn mode_word(mode: TenancyMode) -> &'static str {
    match mode {
        TenancyMode::Bound => "bound",
        TenancyMode::Literal => "literal",
    }
}
