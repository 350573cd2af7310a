//! Whom a policy binds, and to what: mode, tenancy, search_path, statements.

use super::super::model::{KeyType, Mode, Policy, Table, TenancyMode};
use super::super::names::spell;
use super::Severity::{Danger, Note, Warning};
use super::{Kind, Report};

const SHADOW: Kind =
    ("mode.shadow", Danger, "every text is allowed, whatever it reads: a shadow policy protects nothing");
const NO_TENANCY: Kind =
    ("tenancy.none", Warning, "rows belong to nobody: every caller may read every row of every listed table");
const LITERAL: Kind = (
    "tenancy.literal",
    Note,
    "the caller's value stands in the text, and so in logs, caches and the prompt of whoever writes it",
);
const UNUSED_KEY: Kind =
    ("tenancy.unused_key", Warning, "no row is held to the caller by this key, and every check still needs its value");
const MOSTLY_SHARED: Kind = (
    "tenancy.mostly_shared",
    Warning,
    "rows of a shared table are everybody's: tenancy holds only what the other tables have",
);
const SHARED_WITH_KEY: Kind = (
    "tenancy.shared_with_key",
    Danger,
    "the table has the column that tells whose a row is, and its rows are open to every caller",
);
const KEY_TYPE: Kind = (
    "tenancy.key_type",
    Warning,
    "the key's type decides which spellings are the same value and how `$n` is declared: on a column of another type the comparison fails or means something else",
);
const LOOSE_TYPE: Kind =
    ("tenancy.loose_type", Danger, "equality of this type is wider than identity: one caller's value equals another's");
const PUBLIC: Kind = (
    "search_path.public",
    Warning,
    "where anybody may create in `public` (the default before PostgreSQL 15), a foreign function or operator can answer to a name",
);
const SEVERAL: Kind = (
    "search_path.several",
    Note,
    "tables are found without their schema only in the first one, but functions and operators of all of them take part in overload resolution",
);
const NO_TABLE_FIRST: Kind = (
    "search_path.first_without_table",
    Warning,
    "a table is found without its schema only in the first schema, which has none: such texts are all denied",
);
const EMPTY_PATH: Kind = (
    "search_path.empty",
    Note,
    "every relation has to be written with its schema; an agent that forgets it is denied and asks again",
);
const NO_STATEMENT: Kind = ("statements.none", Warning, "no statement may run at all");

pub(super) fn findings(policy: &Policy, report: &mut Report<'_>) {
    if policy.mode == Mode::Shadow {
        report.add(
            SHADOW,
            &["mode"],
            "the policy is in shadow mode".to_owned(),
            "set `mode: enforce` once its reports are clean",
        );
    }
    let statements = policy.statements;
    if !(statements.select || statements.insert || statements.update || statements.delete) {
        report.add(NO_STATEMENT, &["statements"], "`statements` is empty".to_owned(), "list `select`");
    }
    tenancy(policy, report);
    search_path(policy, report);
}

fn tenancy(policy: &Policy, report: &mut Report<'_>) {
    let Some(tenancy) = &policy.tenancy else {
        if !policy.tables.is_empty() {
            let mend = "say under `tenancy` which column tells whose a row is; for a database of one owner, accept this finding";
            report.add(NO_TENANCY, &["tenancy"], "the policy has no tenancy".to_owned(), mend);
        }
        return;
    };
    if tenancy.mode == TenancyMode::Literal {
        let mend = "use `mode: bound` where whoever runs the text can bind parameters";
        report.add(LITERAL, &["tenancy", "mode"], "the caller's value stands in the text itself".to_owned(), mend);
    }
    for (at, key) in tenancy.keys.iter().enumerate() {
        let spelled = spell(&key.column);
        let carriers = policy
            .tables
            .iter()
            .filter_map(|table| Some((table, table.columns.get((*table.tenant_columns.get(at)?)?)?)));
        let mut carried = false;
        for (table, column) in carriers {
            carried = true;
            if let Some(ty) = &column.ty {
                key_type(table, &column.name, ty, key.ty, report);
            }
        }
        if !carried && !policy.tables.is_empty() {
            let what = format!("no table carries the key `{spelled}`");
            report.add(
                UNUSED_KEY,
                &["tenancy", "keys", &spelled],
                what,
                "name the column that carries it in some table, or take the key out",
            );
        }
        for table in policy.tables.iter().filter(|table| table.tenant_columns.get(at) == Some(&None)) {
            if table.column(&key.column).is_some() {
                let name = name(table);
                let what = format!("`{name}` has the column `{spelled}` and is declared not to carry the key");
                let mend = "take `shared` (or the `none`) out, so that its rows are held to the caller";
                report.add(
                    SHARED_WITH_KEY,
                    &["tables", &name, if table.shared { "shared" } else { "tenant" }],
                    what,
                    mend,
                );
            }
        }
    }
    let shared = policy.tables.iter().filter(|table| table.tenant_columns.iter().all(Option::is_none)).count();
    if shared > 1 && shared * 2 > policy.tables.len() {
        let what = format!("{shared} of {} tables carry no key", policy.tables.len());
        report.add(MOSTLY_SHARED, &["tables"], what, "look whether each of them is the same for every caller");
    }
}

/// A declared type against the key's. Types of columns are text for people; those that cannot be read are left alone.
fn key_type(table: &Table, column: &str, declared: &str, key: KeyType, report: &mut Report<'_>) {
    let ty = declared.split('(').next().unwrap_or_default().trim().to_ascii_lowercase();
    let (name, column) = (name(table), spell(column));
    let steps = ["tables", &name, "columns", &column];
    if matches!(&*ty, "char" | "character" | "bpchar" | "citext" | "name") {
        let what = format!("the tenant column `{column}` of `{name}` has the type `{declared}`");
        return report.add(
            LOOSE_TYPE,
            &steps,
            what,
            "give the column the type text, uuid or an integer in the database",
        );
    }
    let fits: &[&str] = match key {
        KeyType::Text => &["text", "varchar", "character varying"],
        KeyType::Uuid => &["uuid"],
        KeyType::Integer => &["int", "int2", "int4", "int8", "integer", "bigint", "smallint"],
    };
    if !fits.contains(&&*ty) {
        let what = format!(
            "the tenant column `{column}` of `{name}` has the type `{declared}`, the key has `{}`",
            key.as_str()
        );
        report.add(KEY_TYPE, &steps, what, "make the key's `type` that of the columns that carry it");
    }
}

fn search_path(policy: &Policy, report: &mut Report<'_>) {
    let path = &policy.search_path;
    if path.iter().any(|schema| schema == "public") {
        let mend = "move what is queried to a schema of its own, or REVOKE CREATE ON SCHEMA public FROM PUBLIC";
        report.add(PUBLIC, &["search_path", "public"], "`public` is searched".to_owned(), mend);
    }
    if path.len() > 1 {
        let mend = "keep the schema that most texts name, and write the others out";
        report.add(SEVERAL, &["search_path"], format!("{} schemas are searched", path.len()), mend);
    }
    match path.first() {
        None if !policy.tables.is_empty() => {
            let mend = "name the schema that the tables stand in, or tell agents to write it";
            report.add(EMPTY_PATH, &["search_path"], "no schema is searched".to_owned(), mend);
        }
        Some(first) if !policy.tables.is_empty() && policy.tables.iter().all(|table| table.schema != *first) => {
            let first = spell(first);
            let what = format!("no table of the schema `{first}` is listed, and it comes first");
            report.add(NO_TABLE_FIRST, &["search_path", &first], what, "put the schema that the tables stand in first");
        }
        Some(_) | None => {}
    }
}

/// The table's name in its one spelling, as a step of a path.
pub(super) fn name(table: &Table) -> String {
    format!("{}.{}", spell(&table.schema), spell(&table.name))
}
