//! Foreign keys: one that leaves the tenant out tells a writer what others have, and a cascade along it changes it.

use std::collections::BTreeSet;

use haltsql::{AssumedTable, quote_ident};

use super::super::super::facts::{ForeignKey, Relation};
use super::super::{Check, Finding, Given, State, sql_list};
use super::{NO_WRITES, Target, targets};

pub const FOREIGN_KEYS: Check = Check {
    id: "writes.foreign_keys",
    title: "a foreign key that a write is held against includes the tenant columns",
    run: foreign_keys,
};
pub const CASCADES: Check =
    Check { id: "writes.cascades", title: "no cascade reaches rows of another tenant", run: cascades };

const NO_TENANCY: State = State::NotApplicable("the policy has no tenancy");

/// The policy's table with that oid, or the one that it is below.
fn table_of<'a>(given: &'a Given<'_>, oid: u32) -> Option<&'a AssumedTable<'a>> {
    let mut tables = given.assumed.tables.iter().zip(&given.facts.tables);
    let own = |relation: &Relation| {
        relation.oid == oid || relation.descendants.iter().any(|below| below.child == oid && below.is_partition)
    };
    let exact = tables.clone().find(|(_, relation)| relation.as_ref().is_some_and(|relation| relation.oid == oid));
    let found = exact.or_else(|| tables.find(|(_, relation)| relation.as_ref().is_some_and(own)));
    found.map(|(table, _)| table)
}

fn foreign_keys(given: &Given<'_>) -> State {
    let targets = targets(given);
    if targets.is_empty() {
        return NO_WRITES;
    }
    if given.assumed.keys.is_empty() {
        return NO_TENANCY;
    }
    let findings = given.facts.writes.foreign_keys.iter().filter_map(|key| {
        let asks = targets.iter().any(|target| refers(target, key) || is_referred_to(target, key));
        if !asks || holds(given, key) {
            return None;
        }
        let found = format!("it holds against the rows of all tenants in `{}`", key.target_text);
        Some(mended(given, key, Finding::new(format!("{} ON {}", quote_ident(&key.name), key.table_text), found)))
    });
    State::of(findings.collect())
}

/// A writer chooses what the key refers to.
fn refers(target: &Target<'_>, key: &ForeignKey) -> bool {
    target.oids.contains(&key.table) && key.columns.iter().any(|column| target.is_chosen(column))
}

/// A writer takes away what is referred to, and the key refuses it. Where it cascades, that is another check.
fn is_referred_to(target: &Target<'_>, key: &ForeignKey) -> bool {
    let refuses = |action: &str| matches!(action, "a" | "r");
    let updated = key.target_columns.iter().any(|column| target.table.update.contains(column));
    target.oids.contains(&key.target)
        && ((target.table.delete && refuses(&key.on_delete)) || (updated && refuses(&key.on_update)))
}

/// Whether both ends of a foreign key are of one tenant, by every key of the policy.
fn holds(given: &Given<'_>, key: &ForeignKey) -> bool {
    let (from, to) = (table_of(given, key.table), table_of(given, key.target));
    (0..given.assumed.keys.len()).all(|at| {
        let carrier = |table: Option<&AssumedTable<'_>>| {
            table.map(|table| table.tenant.get(at).copied().flatten().map(str::to_owned))
        };
        match (carrier(from), carrier(to)) {
            // Everybody's rows, on both sides or on the side that is referred to.
            (Some(_), Some(None)) => true,
            (Some(Some(from)), Some(Some(to))) => pairs(key).any(|pair| pair == (&*from, &*to)),
            // FAIL-CLOSED: of a table that the policy does not list nobody knows whose its rows are.
            (Some(Some(from)), None) => key.columns.contains(&from),
            (None, Some(Some(to))) => key.target_columns.contains(&to),
            (None, Some(None)) => true,
            (Some(None), Some(Some(_)) | None) | (None, None) => false,
        }
    })
}

fn pairs(key: &ForeignKey) -> impl Iterator<Item = (&str, &str)> {
    key.columns.iter().map(|column| &**column).zip(key.target_columns.iter().map(|column| &**column))
}

fn cascades(given: &Given<'_>) -> State {
    let targets = targets(given);
    if targets.is_empty() {
        return NO_WRITES;
    }
    if given.assumed.keys.is_empty() {
        return NO_TENANCY;
    }
    let mut broken = BTreeSet::new();
    for target in &targets {
        broken.extend(reached(given, target).0);
    }
    let findings = broken.iter().filter_map(|at| given.facts.writes.foreign_keys.get(*at)).map(|key| {
        let found = format!("what a write does to `{}` goes on to rows of all tenants", key.target_text);
        mended(given, key, Finding::new(format!("{} ON {}", quote_ident(&key.name), key.table_text), found))
    });
    State::of(findings.collect())
}

/// Where a write to a table goes on to: the foreign keys over which it may leave the tenant, and the tables with the events that
/// happen to them.
pub(super) fn reached(given: &Given<'_>, target: &Target<'_>) -> (Vec<usize>, Vec<(u32, [bool; 3])>) {
    struct Step {
        oids: Vec<u32>,
        carriers: Vec<Option<String>>,
        deleted: bool,
        updated: Vec<String>,
    }
    let writes = &given.facts.writes;
    let (mut broken, mut touched, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
    let mut steps = vec![Step {
        oids: target.oids.clone(),
        carriers: target.table.tenant.iter().map(|column| column.map(str::to_owned)).collect(),
        deleted: target.table.delete,
        updated: target.table.update.to_vec(),
    }];
    while let Some(step) = steps.pop() {
        for (at, key) in writes.foreign_keys.iter().enumerate().filter(|(_, key)| step.oids.contains(&key.target)) {
            let acts = |action: &str| matches!(action, "c" | "n" | "d");
            let updates = acts(&key.on_update) && key.target_columns.iter().any(|column| step.updated.contains(column));
            let deletes = step.deleted && key.on_delete == "c";
            let empties = step.deleted && matches!(&*key.on_delete, "n" | "d");
            if !(updates || deletes || empties) || !seen.insert((at, deletes, updates || empties)) {
                continue;
            }
            let from = table_of(given, key.table);
            let mut carriers = Vec::with_capacity(step.carriers.len());
            let mut whole = true;
            for (place, carrier) in step.carriers.iter().enumerate() {
                let declared = from.map(|table| table.tenant.get(place).copied().flatten());
                let next =
                    carrier.as_ref().and_then(|carrier| pairs(key).find(|(_, to)| to == carrier)).map(|(from, _)| from);
                whole &= match (next, declared) {
                    (_, Some(None)) => true,
                    (Some(column), Some(Some(declared))) => column == declared,
                    (Some(_), None) => true,
                    // FAIL-CLOSED: whose the rows are is not known to be the writer's.
                    (None, Some(Some(_)) | None) => false,
                };
                carriers.push(next.map(str::to_owned));
            }
            if !whole {
                broken.push(at);
            }
            let oids = writes.with_descendants(key.table);
            touched.extend(oids.iter().map(|oid| (*oid, [false, updates || empties, deletes])));
            let updated = if updates || empties { key.columns.clone() } else { Vec::new() };
            steps.push(Step { oids, carriers, deleted: deletes, updated });
        }
    }
    (broken, touched)
}

/// The finding with SQL that puts the tenant columns into the key, where both tables carry them.
fn mended(given: &Given<'_>, key: &ForeignKey, finding: Finding) -> Finding {
    let (from, to) = (table_of(given, key.table), table_of(given, key.target));
    let carriers = |table: Option<&AssumedTable<'_>>| -> Vec<Option<String>> {
        table.map(|table| table.tenant.iter().map(|column| column.map(str::to_owned)).collect()).unwrap_or_default()
    };
    let (own, other) = (carriers(from), carriers(to));
    let added: Vec<(&str, &str)> = own
        .iter()
        .zip(&other)
        .filter_map(|(own, other)| Some((own.as_deref()?, other.as_deref()?)))
        .filter(|added| !pairs(key).any(|pair| pair == *added))
        .collect();
    let shared = own.iter().zip(&other).any(|(own, other)| own.is_none() != other.is_none());
    let empties = |action: &str| matches!(action, "n" | "d");
    if given.facts.server.major() < 15 && empties(&key.on_delete) && !added.is_empty() {
        return finding.advise(
            "before PostgreSQL 15 SET NULL and SET DEFAULT set all columns of a key, the tenant's too: make the key anew with the tenant \
             columns and NO ACTION",
        );
    }
    if added.is_empty() || shared {
        return finding.advise(
            "no column on both sides says whose the rows are: list both tables with their tenant columns, take the key's columns out \
             of the `write` lists, or let the application write here",
        );
    }
    let columns: Vec<&str> =
        added.iter().map(|(own, _)| *own).chain(key.columns.iter().map(|column| &**column)).collect();
    let target: Vec<&str> =
        added.iter().map(|(_, other)| *other).chain(key.target_columns.iter().map(|column| &**column)).collect();
    let wanted: BTreeSet<&str> = target.iter().copied().collect();
    let unique = given.facts.writes.uniques.iter().any(|unique| {
        unique.table == key.target
            && !unique.is_odd
            && unique.columns.iter().map(|column| &**column).collect::<BTreeSet<_>>() == wanted
    });
    let finding = if unique {
        finding
    } else {
        finding.mend(format!("ALTER TABLE {} ADD UNIQUE ({})", key.target_text, sql_list(target.iter().copied())))
    };
    let name = quote_ident(&key.name);
    let action = |on: &str, action: &str| match action {
        "r" => format!(" ON {on} RESTRICT"),
        "c" => format!(" ON {on} CASCADE"),
        // The tenant column stays.
        "n" if on == "DELETE" => {
            format!(" ON {on} SET NULL ({})", sql_list(key.columns.iter().map(|column| &**column)))
        }
        "d" if on == "DELETE" => {
            format!(" ON {on} SET DEFAULT ({})", sql_list(key.columns.iter().map(|column| &**column)))
        }
        "n" => format!(" ON {on} SET NULL"),
        "d" => format!(" ON {on} SET DEFAULT"),
        _ => String::new(),
    };
    finding.mend(format!(
        "ALTER TABLE {} DROP CONSTRAINT {name}, ADD CONSTRAINT {name} FOREIGN KEY ({}) REFERENCES {} ({}){}{}",
        key.table_text,
        sql_list(columns),
        key.target_text,
        sql_list(target.iter().copied()),
        action("UPDATE", &key.on_update),
        action("DELETE", &key.on_delete)
    ))
}
