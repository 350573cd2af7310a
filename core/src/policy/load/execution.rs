//! `spec.execution`: what transaction-owning guards pin.

use super::super::document::{Node, Value};
use super::super::model::{Execution, Isolation, PinKey, PinKeySource, Seal, SettingValue};
use super::super::names;
use super::super::reader::{Fields, MAX_EXACT, Path, Reader};

/// PostgreSQL's timeouts are `int`.
const MAX_TIMEOUT: u64 = i32::MAX as u64;

/// Settings that a guard pins or asserts itself, so that a policy's value would fight with it. Sorted.
const PINNED: &[&str] = &[
    "array_nulls",
    "bytea_output",
    "client_encoding",
    "datestyle",
    "default_text_search_config",
    "extra_float_digits",
    "idle_in_transaction_session_timeout",
    "intervalstyle",
    "lc_monetary",
    "lc_numeric",
    "lc_time",
    "lock_timeout",
    "quote_all_identifiers",
    "role",
    "row_security",
    "search_path",
    "session_authorization",
    "standard_conforming_strings",
    "statement_timeout",
    "timezone",
    "transform_null_equals",
];

/// `None`: at least one problem was added.
pub(super) fn read(node: &Node, path: &Path<'_>, reader: &mut Reader<'_>) -> Option<Execution> {
    let known = &[
        "role",
        "seal",
        "pin_key",
        "settings",
        "isolation",
        "timezone",
        "statement_timeout_ms",
        "lock_timeout_ms",
        "idle_in_transaction_session_timeout_ms",
        "max_rows",
        "max_result_bytes",
    ];
    let fields = reader.map(node, path, known)?;
    let mut execution = Execution::default();
    seal(fields, path, &mut execution, reader);
    if let Some(node) = fields.get("settings") {
        execution.settings = settings(node, &path.key("settings"), reader);
    }
    if let Some(node) = fields.get("isolation") {
        let words = [
            ("read committed", Isolation::ReadCommitted),
            ("repeatable read", Isolation::RepeatableRead),
            ("serializable", Isolation::Serializable),
        ];
        execution.isolation = reader.choice(node, &path.key("isolation"), &words).unwrap_or(execution.isolation);
    }
    if let Some(node) = fields.get("timezone") {
        execution.timezone = timezone(node, &path.key("timezone"), reader).unwrap_or(execution.timezone);
    }
    let numbers = [
        ("statement_timeout_ms", MAX_TIMEOUT, &mut execution.statement_timeout_ms),
        ("lock_timeout_ms", MAX_TIMEOUT, &mut execution.lock_timeout_ms),
        ("idle_in_transaction_session_timeout_ms", MAX_TIMEOUT, &mut execution.idle_in_transaction_session_timeout_ms),
        ("max_rows", MAX_EXACT, &mut execution.max_rows),
        ("max_result_bytes", MAX_EXACT, &mut execution.max_result_bytes),
    ];
    for (key, max, limit) in numbers {
        if let Some(value) = fields.get(key).and_then(|node| reader.positive(node, &path.key(key), max)) {
            *limit = value;
        }
    }
    Some(execution)
}

fn timezone(node: &Node, path: &Path<'_>, reader: &mut Reader<'_>) -> Option<String> {
    let text = reader.line(node, path)?;
    if text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_+-/".contains(&byte)) {
        return Some(text.to_owned());
    }
    let help = Some("write a name such as `UTC` or `Europe/Berlin`");
    reader.refuse(node.span, path, format!("`{text}` is not the name of a time zone"), help);
    None
}

/// Role, seal and pin key, which only make sense together.
fn seal(fields: Fields<'_>, path: &Path<'_>, execution: &mut Execution, reader: &mut Reader<'_>) {
    let seal = match fields.get("seal") {
        Some(node) => {
            let words = [Seal::None, Seal::Signed, Seal::Login, Seal::Bare].map(|seal| (seal.as_str(), seal));
            match reader.choice(node, &path.key("seal"), &words) {
                Some(seal) => seal,
                None => return,
            }
        }
        None => Seal::None,
    };
    execution.seal = seal;
    let word = seal.as_str();
    match fields.get("role").and_then(|node| reader.nullable(node)) {
        Some(node) if seal == Seal::None => {
            let help = Some("say `seal: signed`, `login` or `bare`, or leave `role` out");
            reader.refuse(node.span, &path.key("role"), "a role without a seal holds nobody to their rows", help);
        }
        Some(node) if seal == Seal::Login => execution.role = role_template(node, &path.key("role"), reader),
        Some(node) => {
            let path = path.key("role");
            let role = reader.name(node, &path).map(|role| role.value);
            if role.as_ref().is_some_and(|role| role.contains(['{', '}'])) {
                let message = format!("with `seal: {word}` every caller has the same role: no template may stand here");
                reader.refuse(node.span, &path, message, Some("templates belong to `seal: login`"));
            }
            execution.role = role;
        }
        None if seal != Seal::None => {
            let span = fields.entry("seal").map_or(fields.span(), |entry| entry.node.span);
            let message = format!("`seal: {word}` needs a `role`");
            reader.refuse(span, &path.key("seal"), message, Some("name the role that runs the statements"));
        }
        None => {}
    }
    match fields.get("pin_key").and_then(|node| reader.nullable(node)) {
        Some(node) if seal == Seal::Signed => execution.pin_key = pin_key(node, &path.key("pin_key"), reader),
        Some(node) => {
            let message = format!("`seal: {word}` signs nothing, so a `pin_key` would protect nothing");
            reader.refuse(node.span, &path.key("pin_key"), message, Some("say `seal: signed`, or leave `pin_key` out"));
        }
        None if seal == Seal::Signed => {
            let span = fields.entry("seal").map_or(fields.span(), |entry| entry.node.span);
            let help = Some("write `pin_key: { kid: k1, env: HALTSQL_PIN_KEY }`, or `file` in place of `env`");
            reader.refuse(span, &path.key("seal"), "`seal: signed` needs a `pin_key`", help);
        }
        None => {}
    }
}

/// `t_{context.tenant_id}`: one template, and around it only what a bare name may hold.
fn role_template(node: &Node, path: &Path<'_>, reader: &mut Reader<'_>) -> Option<String> {
    let text = reader.line(node, path)?;
    let around = text.split_once("{context.").and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
    let plain = |part: &str| part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    match around {
        Some((before, (key, after))) if is_context_key(key) && plain(before) && plain(after) => Some(text.to_owned()),
        _ => {
            let message = format!("`{text}` is not a role's name with one template in it");
            let help = "with `seal: login` every tenant has a role of its own: write `t_{context.tenant_id}`";
            reader.refuse(node.span, path, message, Some(help));
            None
        }
    }
}

fn is_context_key(key: &str) -> bool {
    !key.trim().is_empty() && !key.contains(['{', '}'])
}

fn pin_key(node: &Node, path: &Path<'_>, reader: &mut Reader<'_>) -> Option<PinKey> {
    let fields = reader.map(node, path, &["kid", "env", "file"])?;
    let kid = reader.required(fields, path, "kid").and_then(|node| {
        let path = path.key("kid");
        let text = reader.line(node, &path)?;
        // It stands between the dots of a signed pin.
        if text.len() <= 64 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)) {
            return Some(text.to_owned());
        }
        let message = format!("`{text}` is not the name of a key");
        reader.refuse(node.span, &path, message, Some("up to 64 letters, digits, `_` and `-`"));
        None
    });
    let source = match (fields.get("env"), fields.get("file")) {
        (Some(node), None) => {
            let path = path.key("env");
            let text = reader.line(node, &path)?;
            let word = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            if !word || text.starts_with(|c: char| c.is_ascii_digit()) {
                let help = Some("name the variable that holds the key, never the key itself");
                reader.refuse(node.span, &path, "this is not the name of an environment variable", help);
                return None;
            }
            PinKeySource::Env(text.to_owned())
        }
        (None, Some(node)) => PinKeySource::File(reader.line(node, &path.key("file"))?.to_owned()),
        _ => {
            let message = "a pin key comes from exactly one place: `env` or `file`";
            reader.refuse(node.span, path, message, Some("name the place of the key, never the key itself"));
            return None;
        }
    };
    Some(PinKey { kid: kid?, source })
}

fn settings(node: &Node, path: &Path<'_>, reader: &mut Reader<'_>) -> Vec<(String, SettingValue)> {
    let Some(entries) = reader.entries(node, path) else { return Vec::new() };
    let mut settings = Vec::with_capacity(entries.len());
    for entry in entries {
        let path = path.key(&entry.key);
        if let Some((message, help)) = refused_setting(&entry.key) {
            reader.refuse(entry.span, &path, message, Some(help));
        }
        if let Some(value) = setting_value(&entry.node, &path, reader) {
            settings.push((entry.key.clone(), value));
        }
    }
    settings.sort_by(|a, b| a.0.cmp(&b.0));
    settings
}

/// Why a policy may not pin a setting of that name.
fn refused_setting(name: &str) -> Option<(String, &'static str)> {
    let word = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_$".contains(&byte))
    };
    if !name.split('.').all(word) {
        return Some((format!("`{name}` is not the name of a setting"), "write `name` or `prefix.name`"));
    }
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        let message = format!("`{name}` holds upper case, which PostgreSQL ignores in the names of settings");
        return Some((message, "write it in lower case"));
    }
    // `session_user`, `current_role` and the like are no settings; these are, and each is an identity or the guard's own pin.
    if PINNED.binary_search(&name).is_ok() || name.starts_with("transaction_") || name.starts_with("haltsql.") {
        return Some((format!("the guard itself pins `{name}`"), "leave it out of `settings`"));
    }
    None
}

fn setting_value(node: &Node, path: &Path<'_>, reader: &mut Reader<'_>) -> Option<SettingValue> {
    let text = match &node.value {
        // A value that a setting can have.
        Value::Text(text) if text.is_empty() => text,
        _ => reader.line(node, path)?,
    };
    if !text.contains(['{', '}']) {
        return Some(SettingValue::Text(text.to_owned()));
    }
    match text.strip_prefix("{context.").and_then(|rest| rest.strip_suffix('}')).filter(|key| is_context_key(key)) {
        Some(key) => Some(SettingValue::Context(key.to_owned())),
        None => {
            let message = format!("`{text}` is neither literal text nor exactly one template");
            let help = "a template is the whole value, `{context.<key>}`; literal text holds no braces";
            reader.refuse(node.span, path, message, Some(help));
            None
        }
    }
}

/// The one spelling of a role in normal forms.
pub(in crate::policy) fn spell_role(seal: Seal, role: &str) -> String {
    if seal == Seal::Login { role.to_owned() } else { names::spell(role) }
}
