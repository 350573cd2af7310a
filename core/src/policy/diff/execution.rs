//! Changes of `spec.execution`, which no check reads: judged for whoever runs the text.
//!
//! What a role may do is the database's affair (`haltsql policy doctor` looks at it): another role may do more, for all that a policy
//! tells. A seal is a wall behind the verdict; taking it away, or putting a weaker one up, relaxes.

use std::collections::BTreeSet;

use super::super::model::{Execution, Isolation, PinKey, PinKeySource, Seal, SettingValue};
use super::{Effect, Log};

pub(super) fn changes(old: &Execution, new: &Execution, log: &mut Log) {
    let Execution {
        role,
        seal,
        pin_key,
        settings,
        isolation,
        timezone,
        statement_timeout_ms,
        lock_timeout_ms,
        idle_in_transaction_session_timeout_ms,
        max_rows,
        max_result_bytes,
    } = old;
    roles(role.as_ref(), new.role.as_ref(), log);
    seals(*seal, new.seal, log);
    let key = |key: &Option<PinKey>| key.as_ref().map(place);
    let why = "the same key elsewhere, or another that the database has to know: a wrong one gives no rows";
    log.neutral("spec.execution.pin_key", key(pin_key), key(&new.pin_key), why);
    let value = |settings: &[(String, SettingValue)], name: &str| {
        settings.iter().find(|(own, _)| own == name).map(|(_, value)| value_word(value))
    };
    for name in settings.iter().chain(&new.settings).map(|(name, _)| name).collect::<BTreeSet<_>>() {
        let (before, now) = (value(settings, name), value(&new.settings, name));
        if before != now {
            let why = "may allow more: row security and functions of the database can depend on it";
            log.add(Effect::Relaxes, &format!("spec.execution.settings[\"{name}\"]"), before, now, why);
        }
    }
    let why = "which of several consistent states is read";
    let levels = (isolation_word(*isolation), isolation_word(new.isolation));
    log.neutral("spec.execution.isolation", Some(levels.0), Some(levels.1), why);
    let why = "how times are shown and read";
    log.neutral("spec.execution.timezone", Some(timezone), Some(&new.timezone), why);
    for (key, old, new, what) in [
        ("statement_timeout_ms", *statement_timeout_ms, new.statement_timeout_ms, "time for a statement"),
        ("lock_timeout_ms", *lock_timeout_ms, new.lock_timeout_ms, "time for a lock"),
        (
            "idle_in_transaction_session_timeout_ms",
            *idle_in_transaction_session_timeout_ms,
            new.idle_in_transaction_session_timeout_ms,
            "time for an idle transaction",
        ),
        ("max_rows", *max_rows, new.max_rows, "rows handed over"),
        ("max_result_bytes", *max_result_bytes, new.max_result_bytes, "bytes handed over"),
    ] {
        log.bound(&format!("spec.execution.{key}"), old, new, what);
    }
}

fn roles(old: Option<&String>, new: Option<&String>, log: &mut Log) {
    let (effect, why) = match (old, new) {
        (None, None) => return,
        (Some(old), Some(new)) if old == new => return,
        (Some(_), Some(_)) => (Effect::Relaxes, "may allow more: the rights of another role are not known here"),
        // A role never stands without a seal: the two are judged together, by the seal.
        (None, Some(_)) => (Effect::Restricts, "statements run as a role of their own, behind the seal"),
        (Some(_), None) => (Effect::Relaxes, "statements run with the rights of whoever is connected"),
    };
    log.add(effect, "spec.execution.role", old, new, why);
}

fn seals(old: Seal, new: Seal, log: &mut Log) {
    if old == new {
        return;
    }
    let strength = |seal: Seal| match seal {
        Seal::None => 0,
        Seal::Bare => 1,
        Seal::Signed | Seal::Login => 2,
    };
    let (effect, why) = match strength(new).cmp(&strength(old)) {
        std::cmp::Ordering::Greater => {
            (Effect::Restricts, "the database itself holds the session to its tenant more firmly")
        }
        std::cmp::Ordering::Less => {
            (Effect::Relaxes, "the database holds the session to its tenant less firmly, or not at all")
        }
        std::cmp::Ordering::Equal => (Effect::Relaxes, "may allow more: another wall, with other roles"),
    };
    log.add(effect, "spec.execution.seal", Some(old.as_str()), Some(new.as_str()), why);
}

fn place(key: &PinKey) -> String {
    let PinKey { kid, source } = key;
    match source {
        PinKeySource::Env(name) => format!("{kid} from the environment variable {name}"),
        PinKeySource::File(path) => format!("{kid} from the file {path}"),
    }
}

fn value_word(value: &SettingValue) -> String {
    match value {
        SettingValue::Text(text) => text.clone(),
        SettingValue::Context(key) => format!("{{context.{key}}}"),
    }
}

fn isolation_word(isolation: Isolation) -> &'static str {
    match isolation {
        Isolation::ReadCommitted => "read committed",
        Isolation::RepeatableRead => "repeatable read",
        Isolation::Serializable => "serializable",
    }
}
