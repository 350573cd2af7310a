//! The normal form: what of a policy is hashed, in one spelling.
//!
//! Receives a validated policy, returns RFC 8785 JSON. Whatever changes a verdict or a session stands in it; what only people read
//! (`description`, the types and descriptions of columns), and whatever equals its default, does not. docs/policy.md has the rules.

use serde_json::{Map, Value, json};

use super::defaults;
use super::load::spell_role;
use super::model::{
    Execution, Isolation, KeyType, Limits, Mode, PinKeySource, Policy, Recursive, Seal, SettingValue, Statements,
    Table, Tenancy, TenancyMode, Write,
};
use super::names::spell;
use crate::catalog::Lists;

/// The normal form.
///
/// # Errors
/// Only where a value could not be written exactly, which loading has made sure of.
pub(super) fn form(policy: &Policy) -> Result<String, String> {
    let lists = &policy.lists;
    let mut spec = Spec::default();
    spec.put("mode", word(policy.mode == Mode::Shadow, "shadow"));
    spec.put("search_path", some_list(policy.search_path.iter().map(|schema| spell(schema))));
    spec.put("require_qualified", flag(policy.require_qualified));
    spec.put("statements", statements(policy.statements));
    spec.put("tenancy", policy.tenancy.as_ref().map(tenancy));
    let keys = policy.tenancy.as_ref();
    let tables = policy.tables.iter().map(|t| (format!("{}.{}", spell(&t.schema), spell(&t.name)), table(t, keys)));
    spec.put("tables", some_map(tables.collect()));
    spec.put("functions", functions(lists));
    let mut operators = Spec::default();
    operators.put("allow", some_set(lists.operators_allow.iter().cloned()));
    spec.put("operators", some_map(operators.0));
    let mut types = Spec::default();
    types.put("allow", some_set(lists.types_allow.iter().cloned()));
    types.put("collations", some_set(lists.collations.iter().cloned()));
    spec.put("types", some_map(types.0));
    spec.put("limits", limits(&policy.limits));
    spec.put("execution", execution(&policy.execution));

    let document = json!({
        "apiVersion": "haltsql.dev/v1",
        "kind": "Policy",
        "metadata": { "name": policy.name },
        "spec": spec.0,
    });
    serde_json_canonicalizer::to_string(&document).map_err(|error| format!("the policy has no normal form: {error}"))
}

/// A map that takes only what differs from its default.
#[derive(Default)]
struct Spec(Map<String, Value>);

impl Spec {
    fn put(&mut self, key: &str, value: Option<Value>) {
        if let Some(value) = value {
            self.0.insert(key.to_owned(), value);
        }
    }
}

fn flag(value: bool) -> Option<Value> {
    value.then_some(Value::Bool(true))
}

fn word(differs: bool, word: &str) -> Option<Value> {
    differs.then(|| Value::from(word))
}

fn number(value: u64, default: u64) -> Option<Value> {
    (value != default).then(|| Value::from(value))
}

fn some_map(map: Map<String, Value>) -> Option<Value> {
    (!map.is_empty()).then_some(Value::Object(map))
}

fn some_list(items: impl Iterator<Item = String>) -> Option<Value> {
    let items: Vec<Value> = items.map(Value::from).collect();
    (!items.is_empty()).then_some(Value::Array(items))
}

/// Sorted in the spelling that is written, so that the order can be seen in the text.
fn some_set(items: impl Iterator<Item = String>) -> Option<Value> {
    let mut items: Vec<String> = items.collect();
    items.sort();
    some_list(items.into_iter())
}

fn statements(statements: Statements) -> Option<Value> {
    if statements == Statements::default() {
        return None;
    }
    let Statements { select, insert, update, delete } = statements;
    let kinds = [(delete, "delete"), (insert, "insert"), (select, "select"), (update, "update")];
    Some(kinds.into_iter().filter(|(open, _)| *open).map(|(_, kind)| kind).collect())
}

fn tenancy(tenancy: &Tenancy) -> Value {
    let keys = tenancy.keys.iter().map(|key| {
        let mut map = Spec::default();
        map.put("column", Some(Value::from(spell(&key.column))));
        map.put("context", Some(Value::from(&*key.context)));
        map.put("type", word(key.ty != KeyType::Text, key.ty.as_str()));
        Value::Object(map.0)
    });
    let mut map = Spec::default();
    map.put("mode", word(tenancy.mode == TenancyMode::Literal, "literal"));
    map.put("keys", Some(keys.collect()));
    Value::Object(map.0)
}

fn table(table: &Table, tenancy: Option<&Tenancy>) -> Value {
    let names = |readable| table.columns.iter().filter(move |c| c.readable == readable).map(|c| spell(&c.name));
    let mut map = Spec::default();
    map.put("columns", some_set(names(true)));
    map.put("hidden", some_set(names(false)));
    map.put("complete", flag(table.complete));
    map.put("write", table.write.as_ref().map(write));
    // `shared: true` and `none` under every key say the same: the shorter spelling stands for both.
    let unscoped = tenancy.is_some() && table.tenant_columns.iter().all(Option::is_none);
    map.put("shared", flag(table.shared || unscoped));
    if let (Some(tenancy), false) = (tenancy, unscoped) {
        map.put("tenant", some_map(tenant(table, tenancy)));
    }
    Value::Object(map.0)
}

fn tenant(table: &Table, tenancy: &Tenancy) -> Map<String, Value> {
    let mut map = Map::new();
    for (key, carrier) in tenancy.keys.iter().zip(&table.tenant_columns) {
        let column = carrier.and_then(|at| table.columns.get(at)).map(|column| &*column.name);
        let value = match column {
            None => "none".to_owned(),
            Some(name) if name == key.column => continue,
            // In quotes, a column; bare, the word.
            Some("none") => "\"none\"".to_owned(),
            Some(name) => spell(name),
        };
        map.insert(spell(&key.column), Value::from(value));
    }
    map
}

fn write(write: &Write) -> Value {
    let mut map = Spec::default();
    map.put("insert", some_set(write.insert.iter().map(|name| spell(name))));
    map.put("update", some_set(write.update.iter().map(|name| spell(name))));
    map.put("delete", flag(write.delete));
    Value::Object(map.0)
}

fn functions(lists: &Lists) -> Option<Value> {
    let mut map = Spec::default();
    if lists.profiles != defaults::PROFILES {
        map.put("profiles", Some(lists.profiles.iter().map(|name| Value::from(&**name)).collect()));
    }
    map.put("allow", some_set(lists.functions_allow.iter().cloned()));
    map.put("deny", some_set(lists.functions_deny.iter().cloned()));
    some_map(map.0)
}

fn limits(limits: &Limits) -> Option<Value> {
    let default = Limits::default();
    let mut map = Spec::default();
    map.put("max_sql_bytes", number(limits.max_sql_bytes, default.max_sql_bytes));
    map.put("max_relations", number(limits.max_relations, default.max_relations));
    map.put("max_depth", number(limits.max_depth, default.max_depth));
    map.put("require_limit", flag(limits.require_limit));
    map.put("max_limit", limits.max_limit.map(Value::from));
    map.put("cartesian", word(!limits.cartesian_denied, "allow"));
    map.put(
        "recursive",
        match limits.recursive {
            Recursive::Bounded => None,
            Recursive::Deny => Some(Value::from("deny")),
            Recursive::Allow => Some(Value::from("allow")),
        },
    );
    map.put("max_generated", number(limits.max_generated, default.max_generated));
    map.put("max_grouping_sets", number(limits.max_grouping_sets, default.max_grouping_sets));
    some_map(map.0)
}

fn execution(execution: &Execution) -> Option<Value> {
    let default = Execution::default();
    let mut map = Spec::default();
    map.put("role", execution.role.as_ref().map(|role| Value::from(spell_role(execution.seal, role))));
    map.put("seal", word(execution.seal != Seal::None, execution.seal.as_str()));
    map.put(
        "pin_key",
        execution.pin_key.as_ref().map(|key| match &key.source {
            PinKeySource::Env(env) => json!({ "kid": key.kid, "env": env }),
            PinKeySource::File(file) => json!({ "kid": key.kid, "file": file }),
        }),
    );
    let settings = execution.settings.iter().map(|(name, value)| {
        let value = match value {
            SettingValue::Text(text) => text.clone(),
            SettingValue::Context(key) => format!("{{context.{key}}}"),
        };
        (name.clone(), Value::from(value))
    });
    map.put("settings", some_map(settings.collect()));
    map.put(
        "isolation",
        match execution.isolation {
            Isolation::ReadCommitted => None,
            Isolation::RepeatableRead => Some(Value::from("repeatable read")),
            Isolation::Serializable => Some(Value::from("serializable")),
        },
    );
    map.put("timezone", word(execution.timezone != default.timezone, &execution.timezone));
    for (key, value, default) in [
        ("statement_timeout_ms", execution.statement_timeout_ms, default.statement_timeout_ms),
        ("lock_timeout_ms", execution.lock_timeout_ms, default.lock_timeout_ms),
        (
            "idle_in_transaction_session_timeout_ms",
            execution.idle_in_transaction_session_timeout_ms,
            default.idle_in_transaction_session_timeout_ms,
        ),
        ("max_rows", execution.max_rows, default.max_rows),
        ("max_result_bytes", execution.max_result_bytes, default.max_result_bytes),
    ] {
        map.put(key, number(value, default));
    }
    some_map(map.0)
}
