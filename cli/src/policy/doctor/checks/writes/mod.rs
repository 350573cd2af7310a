//! `writes.*`: on tables that the policy opens for writing, the database neither answers for other tenants nor changes their rows.

mod keys;
mod references;

use haltsql::{AssumedTable, quote_ident};

use super::super::facts::Relation;
use super::{Check, Finding, Given, State};

pub use keys::{EXCLUSION, UNIQUE};
pub use references::{CASCADES, FOREIGN_KEYS};

pub const KIND: Check =
    Check { id: "writes.kind", title: "what may be written is a table of this database", run: kind };
pub const TRIGGERS: Check =
    Check { id: "writes.triggers", title: "no trigger runs that nobody has accepted", run: triggers };
pub const RULES: Check = Check { id: "writes.rules", title: "no rule rewrites a write", run: rules };

const NO_WRITES: State = State::NotApplicable("the policy opens no table for writing");
const NO_KEYS: State = State::NotApplicable("the policy opens no table with a tenant key for writing");

/// A table that may be written and exists, with everything below it.
struct Target<'a> {
    table: &'a AssumedTable<'a>,
    relation: &'a Relation,
    oids: Vec<u32>,
}

impl Target<'_> {
    /// The columns that carry a key.
    fn carriers(&self) -> impl Iterator<Item = &str> {
        self.table.tenant.iter().flatten().copied()
    }

    /// Whether the author of a statement chooses the value of that column.
    fn is_chosen(&self, column: &str) -> bool {
        self.table.insert.iter().chain(self.table.update).any(|open| open == column)
    }

    /// INSERT, UPDATE, DELETE.
    fn events(&self) -> [bool; 3] {
        [!self.table.insert.is_empty(), !self.table.update.is_empty(), self.table.delete]
    }
}

fn targets<'a>(given: &'a Given<'_>) -> Vec<Target<'a>> {
    let tables = given.assumed.tables.iter().zip(&given.facts.tables);
    let writable = tables.filter_map(|(table, relation)| {
        let relation = relation.as_ref().filter(|_| table.is_writable())?;
        Some(Target { table, relation, oids: given.facts.writes.with_descendants(relation.oid) })
    });
    writable.collect()
}

fn kind(given: &Given<'_>) -> State {
    let targets = targets(given);
    if targets.is_empty() {
        return NO_WRITES;
    }
    let findings = targets.iter().filter_map(|target| {
        let found = match &*target.relation.kind {
            "r" | "p" => return None,
            "v" => "it is a view: what a write to it does is said by the tables and triggers behind it",
            "f" => "it is a foreign table: its keys and triggers are not to be seen from here",
            _ => "it is no table",
        };
        Some(Finding::new(target.table.display, found).advise("take `write` out of it, and open the table behind it"))
    });
    State::of(findings.collect())
}

/// Each table that a write touches, by itself or by cascades, with the events that happen to it.
fn touched(given: &Given<'_>, targets: &[Target<'_>]) -> Vec<(u32, [bool; 3])> {
    let mut touched = Vec::new();
    for target in targets {
        touched.extend(target.oids.iter().map(|oid| (*oid, target.events())));
        touched.extend(references::reached(given, target).1);
    }
    touched
}

fn triggers(given: &Given<'_>) -> State {
    let targets = targets(given);
    if targets.is_empty() {
        return NO_WRITES;
    }
    let touched = touched(given, &targets);
    let findings = given.facts.writes.triggers.iter().filter(|trigger| {
        touched.iter().any(|(oid, events)| {
            *oid == trigger.table && events.iter().zip(&trigger.events).any(|(happens, fires)| *happens && *fires)
        })
    });
    State::of(
        findings
            .map(|trigger| {
                let object = format!("{} ON {}", quote_ident(&trigger.name), trigger.table_text);
                let found = format!("a write runs `{}`, which no verdict has read", trigger.function);
                Finding::new(&*object, found)
                    .mend(format!("ALTER TABLE {} DISABLE TRIGGER {}", trigger.table_text, quote_ident(&trigger.name)))
                    .advise(accept(TRIGGERS.id, &object))
            })
            .collect(),
    )
}

fn rules(given: &Given<'_>) -> State {
    let targets = targets(given);
    if targets.is_empty() {
        return NO_WRITES;
    }
    let touched = touched(given, &targets);
    let findings = given.facts.writes.rules.iter().filter(|rule| {
        let place = ["INSERT", "UPDATE", "DELETE"].iter().position(|event| *event == rule.event);
        touched.iter().any(|(oid, events)| {
            *oid == rule.table && place.and_then(|place| events.get(place)).copied().unwrap_or_default()
        })
    });
    State::of(
        findings
            .map(|rule| {
                let object = format!("{} ON {}", quote_ident(&rule.name), rule.table_text);
                Finding::new(&*object, format!("it makes something else of every {}", rule.event))
                    .mend(format!("ALTER TABLE {} DISABLE RULE {}", rule.table_text, quote_ident(&rule.name)))
                    .advise(accept(RULES.id, &object))
            })
            .collect(),
    )
}

fn accept(check: &str, object: &str) -> String {
    format!("or read it, and run the doctor with --accept '{check}={object}' if it touches no other tenant's rows")
}
