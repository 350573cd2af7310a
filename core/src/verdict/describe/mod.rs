//! What a policy lets a caller ask: for prompts, tool descriptions and user interfaces.
//!
//! Receives a policy, returns its description. Must never name a hidden column, a table that is not listed, the policy's
//! version (which is a digest over hidden names too) or anything of `execution`. All names stand as SQL writes them.

mod text;

use serde::Serialize;

use crate::policy::{Limits, Policy, Recursive, Statements, Table, Tenancy, TenancyMode};
use crate::quote::quote_ident;

/// What may be asked under a policy. See [`Policy::describe`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Description {
    policy: Header,
    statements: Vec<&'static str>,
    search_path: Vec<String>,
    require_qualified: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    tenancy: Option<TenancyRule>,
    tables: Vec<ReadableTable>,
    functions: Functions,
    operators: Vec<String>,
    types: Vec<String>,
    collations: Vec<String>,
    limits: AskLimits,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Header {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct TenancyRule {
    /// `bound` or `literal`.
    mode: &'static str,
    keys: Vec<Key>,
    /// What a prompt says about it; stands in the JSON too, so that every client says the same.
    instruction: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Key {
    /// The key of the check's context that holds the caller's value.
    context: String,
    #[serde(rename = "type")]
    ty: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct ReadableTable {
    name: String,
    columns: Vec<ReadableColumn>,
    /// `*` may be used by name over it.
    star: bool,
    /// How each key is held on this table; empty where it carries none.
    tenant: Vec<Held>,
    #[serde(skip_serializing_if = "Option::is_none")]
    write: Option<Writable>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct ReadableColumn {
    name: String,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    ty: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Held {
    context: String,
    column: String,
    /// The predicate as a query writes it, without the table's alias.
    predicate: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Writable {
    insert: Vec<String>,
    update: Vec<String>,
    delete: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Functions {
    profiles: Vec<String>,
    allow: Vec<String>,
    deny: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct AskLimits {
    max_sql_bytes: u64,
    max_relations: u64,
    max_depth: u64,
    require_limit: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_limit: Option<u64>,
    cartesian: &'static str,
    recursive: &'static str,
    max_generated: u64,
    max_grouping_sets: u64,
}

impl Policy {
    /// What may be asked under this policy: tables, readable columns, how rows are held to the caller, limits.
    #[must_use]
    pub fn describe(&self) -> Description {
        let lists = Lists::of(self);
        let mut description = Description {
            policy: Header { name: self.name.clone(), description: self.description.as_deref().map(one_line) },
            statements: self.open_statements(),
            search_path: self.search_path.clone(),
            require_qualified: self.require_qualified,
            tenancy: None,
            tables: self.tables.iter().map(|table| readable_table(table, self)).collect(),
            functions: Functions {
                profiles: lists.get("/spec/functions/profiles").unwrap_or_else(|| vec!["core".to_owned()]),
                allow: lists.get("/spec/functions/allow").unwrap_or_default(),
                deny: lists.get("/spec/functions/deny").unwrap_or_default(),
            },
            operators: lists.get("/spec/operators/allow").unwrap_or_default(),
            types: lists.get("/spec/types/allow").unwrap_or_default(),
            collations: lists.get("/spec/types/collations").unwrap_or_default(),
            limits: ask_limits(&self.limits),
        };
        description.tenancy = self.tenancy.as_ref().map(|tenancy| TenancyRule {
            mode: match tenancy.mode {
                TenancyMode::Bound => "bound",
                TenancyMode::Literal => "literal",
            },
            keys: tenancy.keys.iter().map(|key| Key { context: key.context.clone(), ty: key.ty.as_str() }).collect(),
            instruction: text::tenancy_instruction(tenancy.mode, &description.tables),
        });
        description
    }

    fn open_statements(&self) -> Vec<&'static str> {
        let open = [
            ("select", self.statements.select),
            ("insert", self.statements.insert),
            ("update", self.statements.update),
            ("delete", self.statements.delete),
        ];
        open.into_iter().filter(|(_, open)| *open).map(|(kind, _)| kind).collect()
    }
}

impl Description {
    /// The description as JSON: one line, the order of keys fixed.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Serialising strings, numbers and lists to memory has no way to fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The policy's lists by name, which the core else holds only as look-ups: read from the normal form, where a list that
/// equals its default is absent.
struct Lists(serde_json::Value);

impl Lists {
    fn of(policy: &Policy) -> Self {
        Lists(serde_json::from_str(&policy.normal_form).unwrap_or_default())
    }

    fn get(&self, pointer: &str) -> Option<Vec<String>> {
        let items = self.0.pointer(pointer)?.as_array()?;
        Some(items.iter().filter_map(|item| item.as_str()).map(str::to_owned).collect())
    }
}

fn readable_table(table: &Table, policy: &Policy) -> ReadableTable {
    ReadableTable {
        name: table.display.clone(),
        columns: table
            .columns
            .iter()
            .filter(|column| column.readable)
            .map(|column| ReadableColumn {
                name: quote_ident(&column.name).into_owned(),
                ty: column.ty.as_deref().map(one_line),
                description: column.description.as_deref().map(one_line),
            })
            .collect(),
        star: table.complete && table.columns.iter().all(|column| column.readable),
        tenant: policy.tenancy.as_ref().map(|tenancy| held_keys(table, tenancy)).unwrap_or_default(),
        write: writable(table, policy.statements),
    }
}

/// What may be written, of the kinds of statement that are open; of the columns only those that may be known.
fn writable(table: &Table, open: Statements) -> Option<Writable> {
    let write = table.write.as_ref()?;
    let names = |open: bool, names: &[String]| {
        let known = |name: &&String| open && table.column(name).is_some_and(|(_, column)| column.readable);
        names.iter().filter(known).map(|name| quote_ident(name).into_owned()).collect()
    };
    let writable = Writable {
        insert: names(open.insert, &write.insert),
        update: names(open.update, &write.update),
        delete: open.delete && write.delete,
    };
    (!writable.insert.is_empty() || !writable.update.is_empty() || writable.delete).then_some(writable)
}

fn held_keys(table: &Table, tenancy: &Tenancy) -> Vec<Held> {
    let mut held = Vec::new();
    for (position, (key, column)) in tenancy.keys.iter().zip(&table.tenant_columns).enumerate() {
        let Some(column) = column.and_then(|at| table.columns.get(at)) else {
            continue;
        };
        let column = quote_ident(&column.name).into_owned();
        let value = text::caller_value(tenancy.mode, position, key);
        held.push(Held { context: key.context.clone(), predicate: format!("{column} = {value}"), column });
    }
    held
}

fn ask_limits(limits: &Limits) -> AskLimits {
    AskLimits {
        max_sql_bytes: limits.max_sql_bytes,
        max_relations: limits.max_relations,
        max_depth: limits.max_depth,
        require_limit: limits.require_limit,
        max_limit: limits.max_limit,
        cartesian: if limits.cartesian_denied { "deny" } else { "allow" },
        recursive: match limits.recursive {
            Recursive::Deny => "deny",
            Recursive::Bounded => "bounded",
            Recursive::Allow => "allow",
        },
        max_generated: limits.max_generated,
        max_grouping_sets: limits.max_grouping_sets,
    }
}

/// Free text of a policy with every run of blanks and line ends as one blank.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
