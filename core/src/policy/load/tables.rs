//! `spec.tables`: relations, their columns, who carries which tenant key, what may be written.
//!
//! Silence never means "unscoped": with tenancy on, a table that carries a key in no known readable column has to say `none`.

use std::collections::{BTreeMap, BTreeSet};

use super::super::document::{Node, Span, Value};
use super::super::model::{Column, Table, Tenancy, TenantKey, Write};
use super::super::names;
use super::super::reader::{Fields, Path, Placed, Reader};
use super::is_system_schema;

/// Reads all tables, sorted. `tenancy`: `None` where it was refused, `Some(None)` where the policy has none.
pub(super) fn read(
    node: &Node,
    path: &Path<'_>,
    tenancy: Option<Option<&Tenancy>>,
    reader: &mut Reader<'_>,
) -> Vec<Table> {
    let Some(entries) = reader.entries(node, path) else { return Vec::new() };
    let mut seen = BTreeSet::new();
    let mut tables = Vec::with_capacity(entries.len());
    for entry in entries {
        let path = path.key(&entry.key);
        // A table whose name was refused is read all the same, for its other problems.
        let named = reader.named(entry.span, &path, names::table(&entry.key));
        let display = match &named {
            Some((schema, name)) => {
                format!("{}.{}", crate::quote::quote_ident(schema), crate::quote::quote_ident(name))
            }
            None => entry.key.clone(),
        };
        let known = named.is_some();
        let (schema, name) = named.unwrap_or_default();
        if is_system_schema(&schema) {
            let message = format!("`{schema}` is one of PostgreSQL's own schemas: its tables cannot be opened");
            reader.refuse(entry.span, &path, message, None);
        } else if known && !seen.insert((schema.clone(), name.clone())) {
            let help = Some("keep one of them");
            reader.refuse(entry.span, &path, format!("the table `{display}` stands here twice"), help);
        }
        let draft = Draft { schema, name, display, span: entry.span };
        tables.extend(table(draft, &entry.node, &path, tenancy, reader).filter(|_| known));
    }
    tables.sort_by(|a, b| (&a.schema, &a.name).cmp(&(&b.schema, &b.name)));
    tables
}

/// A table of which only the name was read.
struct Draft {
    schema: String,
    name: String,
    display: String,
    span: Span,
}

fn table(
    draft: Draft,
    node: &Node,
    path: &Path<'_>,
    tenancy: Option<Option<&Tenancy>>,
    reader: &mut Reader<'_>,
) -> Option<Table> {
    let fields = reader.map(node, path, &["columns", "hidden", "complete", "write", "tenant", "shared"])?;
    let mut flag = |key| fields.get(key).map(|node| reader.boolean(node, &path.key(key)));
    let complete = flag("complete").unwrap_or(Some(false));
    let shared = flag("shared").unwrap_or(Some(false));
    let columns = columns(fields, path, reader);

    if complete == Some(true) && columns.as_ref().is_some_and(|all| !all.iter().any(|column| column.readable)) {
        let span = fields.entry("complete").map_or(draft.span, |entry| entry.span);
        let message = format!("`{}` is said to be complete, but lists no readable column", draft.display);
        reader.refuse(span, &path.key("complete"), message, Some("list the columns, or leave `complete` out"));
    }
    let mut table = Table {
        schema: draft.schema,
        name: draft.name,
        display: draft.display,
        columns: columns?,
        complete: complete?,
        shared: shared?,
        tenant_columns: Vec::new(),
        write: None,
    };
    for column in &mut table.columns {
        column.display = format!("{}.{}", table.display, crate::quote::quote_ident(&column.name));
    }
    let place = Place { fields, path, span: draft.span };
    if let Some(tenancy) = tenancy {
        tenant_columns(&mut table, tenancy, &place, reader)?;
    }
    if let Some(node) = fields.get("write") {
        let keys = tenancy.flatten().map_or(&[][..], |tenancy| &tenancy.keys);
        table.write = write(&table, keys, node, &path.key("write"), reader);
    }
    Some(table)
}

/// A table's place in the document.
struct Place<'n, 'p> {
    fields: Fields<'n>,
    path: &'p Path<'p>,
    span: Span,
}

/// Readable and hidden columns. `None`: at least one problem was added, and what follows from columns stays unsaid.
fn columns(fields: Fields<'_>, path: &Path<'_>, reader: &mut Reader<'_>) -> Option<Vec<Column>> {
    let mut all: BTreeMap<String, Column> = BTreeMap::new();
    let mut whole = true;
    if let Some(node) = fields.get("columns") {
        let path = path.key("columns");
        for (at, item) in reader.list(node, &path)?.iter().enumerate() {
            let path = path.index(at);
            let Some(column) = column(item, &path, reader) else {
                whole = false;
                continue;
            };
            match all.get(&column.name) {
                Some(other) if *other != column => {
                    let message = format!("the column `{}` stands here twice, with different details", column.name);
                    reader.refuse(item.span, &path, message, Some("keep one of them"));
                    whole = false;
                }
                Some(_) => {}
                None => {
                    all.insert(column.name.clone(), column);
                }
            }
        }
    }
    if let Some(node) = fields.get("hidden") {
        let path = path.key("hidden");
        for (at, item) in reader.list(node, &path)?.iter().enumerate() {
            let path = path.index(at);
            let Some(Placed { value: name, span }) = reader.name(item, &path) else {
                whole = false;
                continue;
            };
            if all.get(&name).is_some_and(|column| column.readable) {
                let message = format!("the column `{name}` is both readable and hidden");
                reader.refuse(span, &path, message, Some("keep it in `columns` or in `hidden`"));
                whole = false;
            } else {
                all.insert(name.clone(), Column::new(name, false));
            }
        }
    }
    whole.then(|| all.into_values().collect())
}

/// A readable column: its name, or a map with name, type and description.
fn column(node: &Node, path: &Path<'_>, reader: &mut Reader<'_>) -> Option<Column> {
    if !matches!(node.value, Value::Map(_)) {
        let name = reader.name(node, path)?.value;
        return Some(Column::new(name, true));
    }
    let fields = reader.map(node, path, &["name", "type", "description"])?;
    let name = reader.required(fields, path, "name");
    let name = name.and_then(|node| reader.name(node, &path.key("name")));
    let mut text = |key| match fields.get(key) {
        Some(node) => reader.text(node, &path.key(key)).map(|text| Some(text.to_owned())),
        None => Some(None),
    };
    let (ty, description) = (text("type"), text("description"));
    Some(Column { ty: ty?, description: description?, ..Column::new(name?.value, true) })
}

/// What a `tenant` entry says about one key.
enum Carried {
    By(Placed<String>),
    Not,
}

/// Finds the column that carries each key. `None`: at least one problem was added.
fn tenant_columns(
    table: &mut Table,
    tenancy: Option<&Tenancy>,
    place: &Place<'_, '_>,
    reader: &mut Reader<'_>,
) -> Option<()> {
    let keys = tenancy.map_or(&[][..], |tenancy| &tenancy.keys);
    let entries = match place.fields.entry("tenant") {
        Some(entry) if table.shared => {
            let message = "`shared: true` already says that the table carries no key";
            reader.refuse(entry.span, &place.path.key("tenant"), message, Some("keep `shared` or `tenant`"));
            return None;
        }
        Some(entry) => tenant_entries(&entry.node, keys, &place.path.key("tenant"), reader)?,
        None => BTreeMap::new(),
    };
    let mut carriers: Vec<Option<usize>> = Vec::with_capacity(keys.len());
    let mut whole = true;
    for key in keys {
        let (column, span) = match entries.get(&*key.column) {
            Some(Carried::Not) => {
                carriers.push(None);
                continue;
            }
            Some(Carried::By(column)) => (&*column.value, Some(column.span)),
            None if table.shared => {
                carriers.push(None);
                continue;
            }
            None => (&*key.column, None),
        };
        let found = table.column(column).map(|(at, column)| (at, column.readable));
        let message = match found {
            Some((at, true)) if !carriers.contains(&Some(at)) => {
                carriers.push(Some(at));
                continue;
            }
            Some((_, true)) => format!("the column `{column}` of `{}` cannot carry two tenant keys", table.display),
            Some((_, false)) => {
                format!("the column `{column}` of `{}` carries a tenant key, so it cannot be hidden", table.display)
            }
            None => format!("`{}` has no column `{column}` for the tenant key `{}`", table.display, key.column),
        };
        let help = match (found, span) {
            (Some(_), _) => "list it under `columns`, and name one column a key".to_owned(),
            (None, Some(_)) => {
                let names = table.columns.iter().map(|column| &*column.name);
                reader.nearest(column, names).map_or_else(String::new, |near| format!("did you mean `{near}`?"))
            }
            (None, None) => format!(
                "name the column that carries it (`tenant: {{ {key}: <column> }}`), or say that none does (`tenant: {{ {key}: none }}`, \
                 `shared: true`)",
                key = names::spell(&key.column)
            ),
        };
        let tenant = place.path.key("tenant");
        let path = if span.is_some() { &tenant } else { place.path };
        reader.refuse(span.unwrap_or(place.span), path, message, Some(&*help).filter(|help| !help.is_empty()));
        whole = false;
    }
    table.tenant_columns = carriers;
    whole.then_some(())
}

fn tenant_entries(
    node: &Node,
    keys: &[TenantKey],
    path: &Path<'_>,
    reader: &mut Reader<'_>,
) -> Option<BTreeMap<String, Carried>> {
    let mut entries = BTreeMap::new();
    let mut whole = true;
    for entry in reader.entries(node, path)? {
        let path = path.key(&entry.key);
        let Some(key) = reader.named(entry.span, &path, names::single(&entry.key)) else {
            whole = false;
            continue;
        };
        if !keys.iter().any(|known| known.column == key) {
            let known: Vec<&str> = keys.iter().map(|key| &*key.column).collect();
            if known.is_empty() {
                let help = Some("leave `tenant` out, or write `spec.tenancy`");
                reader.refuse(entry.span, &path, format!("`{key}` is no tenant key: the policy has no tenancy"), help);
            } else {
                reader.unknown(entry.span, &path, "tenant key", &key, &known);
            }
            whole = false;
            continue;
        }
        // The bare word; a column of that name is written in double quotes.
        let carried = match &entry.node.value {
            Value::Text(text) if text == "none" => Some(Carried::Not),
            _ => reader.name(&entry.node, &path).map(Carried::By),
        };
        whole &= carried.is_some();
        let Some(carried) = carried else { continue };
        if entries.insert(key, carried).is_some() {
            reader.refuse(entry.span, &path, "this tenant key stands here twice", Some("keep one of them"));
            whole = false;
        }
    }
    whole.then_some(entries)
}

fn write(table: &Table, keys: &[TenantKey], node: &Node, path: &Path<'_>, reader: &mut Reader<'_>) -> Option<Write> {
    let fields = reader.map(node, path, &["insert", "update", "delete"])?;
    let mut lists = ["insert", "update"].map(|key| {
        let Some(node) = fields.get(key) else { return BTreeSet::new() };
        let path = path.key(key);
        let names = reader.name_list(node, &path);
        for Placed { value, span } in &names {
            if table.column(value).is_none() {
                let near = reader.nearest(value, table.columns.iter().map(|column| &*column.name));
                let help = near.map(|near| format!("did you mean `{near}`?"));
                let help = help.as_deref().or(Some("list it under `columns` or `hidden` first"));
                reader.refuse(*span, &path, format!("`{}` has no column `{value}`", table.display), help);
            }
        }
        names.into_iter().map(|name| name.value).collect()
    });
    let delete = fields.get("delete").map_or(Some(false), |node| reader.boolean(node, &path.key("delete")))?;
    let [insert, update] = &mut lists;
    if let (false, Some(node)) = (insert.is_empty(), fields.get("insert")) {
        for (key, column) in keys.iter().zip(&table.tenant_columns) {
            let Some(column) = column.and_then(|at| table.columns.get(at)) else { continue };
            if !insert.contains(&column.name) {
                let message = format!(
                    "`insert` leaves out `{}`, which carries the tenant key `{}`: a row without it would belong to nobody known",
                    column.name, key.column
                );
                reader.refuse(node.span, &path.key("insert"), message, Some("add the column to the list"));
            }
        }
    }
    let (insert, update): (Vec<_>, Vec<_>) =
        (std::mem::take(insert).into_iter().collect(), std::mem::take(update).into_iter().collect());
    (delete || !insert.is_empty() || !update.is_empty()).then_some(Write { insert, update, delete })
}
