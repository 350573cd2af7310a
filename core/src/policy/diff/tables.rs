//! Changes of `spec.tables`.
//!
//! Names are what is subtle here. A column that is listed, readable or hidden, answers to its name: a reference that another relation
//! could answer to as well is ambiguous, and denied. Taken off the lists, it no longer stands in the way. So hiding a column
//! restricts, and forgetting it may relax.

use std::collections::BTreeSet;

use super::super::model::{Column, Policy, Table, Write};
use super::super::names::spell;
use super::{Effect, Log};

pub(super) fn changes(old: &Policy, new: &Policy, log: &mut Log) {
    let names: BTreeSet<(&str, &str)> =
        old.tables.iter().chain(&new.tables).map(|table| (&*table.schema, &*table.name)).collect();
    for (schema, name) in names {
        let spelled = format!("{}.{}", spell(schema), spell(name));
        let before = old.table(schema, name).map(|(_, table)| table);
        let now = new.table(schema, name).map(|(_, table)| table);
        match (before, now) {
            (Some(before), Some(now)) => Pair { old, new, before, now, path: path(&spelled) }.changes(log),
            (None, Some(_)) => {
                log.add(Effect::Relaxes, "spec.tables", None, Some(spelled), "texts may name the table");
            }
            (Some(_), None) => {
                log.add(
                    Effect::Restricts,
                    "spec.tables",
                    Some(spelled),
                    None,
                    "every text that names the table is denied",
                );
            }
            (None, None) => {}
        }
    }
}

fn path(spelled: &str) -> String {
    format!("spec.tables[\"{}\"]", spelled.replace('"', "\\\""))
}

/// A table that both policies list.
struct Pair<'p> {
    old: &'p Policy,
    new: &'p Policy,
    before: &'p Table,
    now: &'p Table,
    path: String,
}

/// What a policy says of a column's name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Readable,
    Hidden,
    Not,
}

impl Pair<'_> {
    fn changes(&self, log: &mut Log) {
        let Table { schema: _, name: _, display: _, columns, complete, shared, tenant_columns: _, write } = self.before;
        let names: BTreeSet<&str> = columns.iter().chain(&self.now.columns).map(|column| &*column.name).collect();
        for name in names {
            self.column(name, log);
        }
        log.flag(
            &self.key("complete"),
            *complete,
            self.now.complete,
            Effect::Relaxes,
            [
                "`*` may be used, and a name that is not listed here may be looked up further out",
                "`*` is denied, and so is a name that an unlisted column could answer to",
            ],
        );
        if self.old.tenancy.is_none() && self.new.tenancy.is_none() {
            log.neutral(&self.key("shared"), Some(*shared), Some(self.now.shared), "without tenancy it says nothing");
        }
        self.carriers(log);
        self.write(write.as_ref(), log);
    }

    fn key(&self, key: &str) -> String {
        format!("{}.{key}", self.path)
    }

    fn column(&self, name: &str, log: &mut Log) {
        let known = |table: &Table| match table.column(name) {
            Some((_, column)) if column.readable => Known::Readable,
            Some(_) => Known::Hidden,
            None => Known::Not,
        };
        let spelled = spell(name);
        let (before, now) = (known(self.before), known(self.now));
        let (effect, why) = match (before, now) {
            (Known::Not, Known::Readable) | (Known::Hidden, Known::Readable) => {
                (Effect::Relaxes, "the column may be read")
            }
            (Known::Readable, Known::Hidden) => (Effect::Restricts, "the column cannot be read any more"),
            (Known::Not, Known::Hidden) => {
                (Effect::Restricts, "the name is known and never readable: where it is looked up, it is denied")
            }
            (Known::Readable | Known::Hidden, Known::Not) => (
                Effect::Relaxes,
                "may allow: the name is not known here any more, so that it may now mean another relation's column; under `hidden` \
                 it would stay denied",
            ),
            (Known::Readable, Known::Readable) => return self.details(name, log),
            (Known::Hidden, Known::Hidden) | (Known::Not, Known::Not) => return,
        };
        let place = |known: Known| match known {
            Known::Readable => Some(format!("{spelled} under `columns`")),
            Known::Hidden => Some(format!("{spelled} under `hidden`")),
            Known::Not => None,
        };
        let list =
            if now == Known::Hidden || before == Known::Hidden && now == Known::Not { "hidden" } else { "columns" };
        log.add(effect, &self.key(list), place(before), place(now), why);
    }

    /// What a policy tells of a readable column.
    fn details(&self, name: &str, log: &mut Log) {
        let (Some((_, before)), Some((_, now))) = (self.before.column(name), self.now.column(name)) else { return };
        let Column { name: _, display: _, readable: _, ty, description } = before;
        let path = |field: &str| format!("{}[{}].{field}", self.key("columns"), spell(name));
        log.neutral(&path("description"), description.as_ref(), now.description.as_ref(), "for describe() alone");
        if *ty == now.ty {
            return;
        }
        let scalar = |policy: &Policy, ty: Option<&String>| ty.is_some_and(|ty| policy.catalog.is_scalar(ty));
        let (effect, why) = match (scalar(self.old, ty.as_ref()), scalar(self.new, now.ty.as_ref())) {
            (false, true) => {
                (Effect::Relaxes, "may allow: `unnest` of the column is known to have no fields that a name could mean")
            }
            (true, false) => (Effect::Restricts, "`unnest` of the column may have fields that a name could mean"),
            (true, true) | (false, false) => (Effect::Neutral, "for describe() alone"),
        };
        log.add(effect, &path("type"), ty.as_ref(), now.ty.as_ref(), why);
    }

    /// Which column carries each key that both policies have.
    fn carriers(&self, log: &mut Log) {
        let (Some(old), Some(new)) = (&self.old.tenancy, &self.new.tenancy) else { return };
        for (key, column) in old.keys.iter().zip(&self.before.tenant_columns) {
            let Some(at) = new.keys.iter().position(|other| other.column == key.column) else { continue };
            let name = |table: &Table, column: Option<usize>| Some(spell(&table.columns.get(column?)?.name));
            let before = name(self.before, *column);
            let now = name(self.now, self.now.tenant_columns.get(at).copied().flatten());
            if before == now {
                continue;
            }
            let why = match (&before, &now) {
                (_, None) => "rows of the table no longer have to be proven the caller's by this key",
                (None, Some(_)) => {
                    "rows of the table have to be proven the caller's, but its column may now prove those of tables joined to it, and \
                     may be compared with `$n`"
                }
                (Some(_), Some(_)) => "another column proves whose the rows are",
            };
            let key = format!("{}[{}]", self.key("tenant"), spell(&key.column));
            let word = |carrier: Option<String>| Some(carrier.unwrap_or_else(|| "none".to_owned()));
            log.add(Effect::Relaxes, &key, word(before), word(now), why);
        }
    }

    fn write(&self, before: Option<&Write>, log: &mut Log) {
        let nothing = Write { insert: Vec::new(), update: Vec::new(), delete: false };
        let Write { insert, update, delete } = before.unwrap_or(&nothing);
        let now = self.now.write.as_ref().unwrap_or(&nothing);
        for (key, before, now) in [("write.insert", insert, &now.insert), ("write.update", update, &now.update)] {
            for name in before.iter().chain(now).collect::<BTreeSet<_>>() {
                log.member(
                    &self.key(key),
                    &spell(name),
                    before.contains(name),
                    now.contains(name),
                    [
                        (Effect::Relaxes, "the column may be written"),
                        (Effect::Restricts, "the column cannot be written any more"),
                    ],
                );
            }
        }
        let why = ["rows may be deleted", "rows cannot be deleted any more"];
        log.flag(&self.key("write.delete"), *delete, now.delete, Effect::Relaxes, why);
    }
}
