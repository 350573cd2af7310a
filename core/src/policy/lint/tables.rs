//! What a policy opens of its tables: columns and writes.

use super::super::model::{Column, Policy, Seal, Table, Write};
use super::super::names::spell;
use super::super::sensitive::Sensitive;
use super::Severity::{Danger, Note, Warning};
use super::scope::name;
use super::{Kind, Report};

const NO_TABLE: Kind = ("tables.none", Note, "nothing but texts without a table is allowed");
const INCOMPLETE: Kind = (
    "tables.incomplete",
    Note,
    "an unlisted column could answer to any name: `*`, NATURAL JOIN and names of an outer query are denied over this table, harmless ones too",
);
const NOTHING_HIDDEN: Kind = (
    "tables.nothing_hidden",
    Note,
    "what is not listed is denied all the same, but nobody has said that a column of these tables is not for reading",
);
const NOTHING_READABLE: Kind = ("tables.nothing_readable", Note, "only rows can be counted");
const UNTYPED: Kind = (
    "tables.untyped",
    Note,
    "whoever writes the text has to guess types, and names beside `unnest` of a column may be denied",
);
const SECRET: Kind = ("columns.secret", Danger, "a credential that can be read can be used");
const PERSONAL: Kind =
    ("columns.personal", Warning, "it tells about a person, and reaches the agent and everything that it writes to");
const WRITE_WITHOUT_KEY: Kind =
    ("write.unscoped", Danger, "the rows belong to nobody: one caller changes what every other one reads");
const WRITE_UNSEALED: Kind = (
    "write.unsealed",
    Warning,
    "the verdict is the only wall before other tenants' rows: no role or row security of the database stands behind it",
);
const DELETE: Kind = (
    "write.delete",
    Warning,
    "a WHERE that is too wide deletes everything that the caller has, and nothing of the policy brings it back",
);
const MOVES: Kind = ("write.tenant_column", Warning, "a row can change hands among the caller's own values");
const WRITES_HIDDEN: Kind =
    ("write.hidden", Note, "what cannot be read can be overwritten: a password, an address for the next message");
const UNIQUE: Kind = (
    "write.unique",
    Note,
    "a unique or foreign key without the tenant column answers for all tenants: an error tells that a value exists elsewhere",
);
const UNOPENED: Kind = ("write.unopened", Note, "the list has no effect: `statements` does not open the kind");
const NO_TARGET: Kind =
    ("statements.without_table", Note, "the kind of statement has no effect: no table is open for it");

pub(super) fn findings(policy: &Policy, report: &mut Report<'_>) {
    if policy.tables.is_empty() {
        return report.add(NO_TABLE, &["tables"], "no table is listed".to_owned(), "list the tables that may be asked");
    }
    for table in &policy.tables {
        reads(table, report);
        if let Some(write) = &table.write {
            writes(policy, table, write, report);
        }
    }
    let columns = || policy.tables.iter().flat_map(|table| &table.columns);
    if columns().all(|column| column.readable) {
        let what = "no column of any table is hidden".to_owned();
        report.add(NOTHING_HIDDEN, &["tables"], what, "put columns that are there and must not be read under `hidden`");
    }
    if columns().all(|column| column.ty.is_none()) {
        let what = "no column has a type".to_owned();
        report.add(
            UNTYPED,
            &["tables"],
            what,
            "write `{ name: total, type: numeric }`; `haltsql policy init` fills types in",
        );
    }
    whole_writes(policy, report);
}

fn reads(table: &Table, report: &mut Report<'_>) {
    let name = name(table);
    if !table.complete {
        let mend = "list every column under `columns` or `hidden`, and say `complete: true`";
        report.add(INCOMPLETE, &["tables", &name, "complete"], format!("`{name}` is not complete"), mend);
    }
    if table.columns.iter().all(|column| !column.readable) {
        let what = format!("no column of `{name}` is readable");
        report.add(NOTHING_READABLE, &["tables", &name], what, "list columns, or take the table out");
    }
    for Column { name: column, readable, .. } in &table.columns {
        let (kind, looks) = match Sensitive::of_name(column) {
            Some(Sensitive::Secret) if *readable => (SECRET, "a secret"),
            Some(Sensitive::Personal) if *readable => (PERSONAL, "something personal"),
            Some(_) | None => continue,
        };
        let column = spell(column);
        let what = format!("`{column}` of `{name}` can be read, and looks like {looks} by its name");
        report.add(kind, &["tables", &name, "columns", &column], what, "move it from `columns` to `hidden`");
    }
}

fn writes(policy: &Policy, table: &Table, write: &Write, report: &mut Report<'_>) {
    let name = name(table);
    let Write { insert, update, delete } = write;
    let open = policy.statements;
    for (key, listed, open) in [
        ("insert", !insert.is_empty(), open.insert),
        ("update", !update.is_empty(), open.update),
        ("delete", *delete, open.delete),
    ] {
        if listed && !open {
            let what = format!("`{name}` has `write.{key}`, and `statements` does not list `{key}`");
            report.add(
                UNOPENED,
                &["tables", &name, "write", key],
                what,
                format!("list `{key}` under `statements`, or take it out here"),
            );
        }
    }
    let effective =
        (open.insert && !insert.is_empty()) || (open.update && !update.is_empty()) || (open.delete && *delete);
    if effective && table.tenant_columns.iter().all(Option::is_none) {
        let what = format!("`{name}` can be written and carries no tenant key");
        report.add(
            WRITE_WITHOUT_KEY,
            &["tables", &name, "write"],
            what,
            "take `write` out, or say which column tells whose a row is",
        );
    }
    if open.delete && *delete {
        let mend = "mark rows as deleted by an UPDATE of one column, or accept this finding";
        report.add(DELETE, &["tables", &name, "write", "delete"], format!("rows of `{name}` can be deleted"), mend);
    }
    for column in table.tenant_columns.iter().filter_map(|at| table.columns.get((*at)?)) {
        if open.update && update.contains(&column.name) {
            let column = spell(&column.name);
            let what = format!("`{column}` of `{name}` tells whose a row is, and can be updated");
            report.add(MOVES, &["tables", &name, "write", "update", &column], what, "take it out of `update`");
        }
    }
    for (key, names, open) in [("insert", insert, open.insert), ("update", update, open.update)] {
        let hidden = names.iter().filter(|name| table.column(name).is_some_and(|(_, column)| !column.readable));
        for column in hidden.filter(|_| open) {
            let column = spell(column);
            let what = format!("`{column}` of `{name}` is hidden, and `{key}` may write it");
            report.add(
                WRITES_HIDDEN,
                &["tables", &name, "write", key, &column],
                what,
                format!("take it out of `{key}`"),
            );
        }
    }
}

/// What concerns all writes of a policy together.
fn whole_writes(policy: &Policy, report: &mut Report<'_>) {
    let open = policy.statements;
    let written = |of: fn(&Write) -> bool| policy.tables.iter().any(|table| table.write.as_ref().is_some_and(of));
    let kinds = [
        ("insert", open.insert, written(|write| !write.insert.is_empty())),
        ("update", open.update, written(|write| !write.update.is_empty())),
        ("delete", open.delete, written(|write| write.delete)),
    ];
    for (kind, open, written) in kinds {
        if open && !written {
            let what = format!("`statements` lists `{kind}`, and no table is open for it");
            report.add(NO_TARGET, &["statements", kind], what, format!("take `{kind}` out"));
        }
    }
    if !kinds.iter().any(|(_, open, written)| *open && *written) {
        return;
    }
    if policy.execution.seal == Seal::None {
        let mend = "give `execution` a `role` and `seal: signed` (or `login`)";
        report.add(WRITE_UNSEALED, &["statements"], "tables can be written without a seal".to_owned(), mend);
    }
    if (open.insert || open.update) && policy.tenancy.is_some() {
        let mend = "make unique and foreign keys of writable tables begin with the tenant column; `haltsql policy doctor` finds them";
        report.add(UNIQUE, &["statements"], "rows can be inserted or updated".to_owned(), mend);
    }
}
