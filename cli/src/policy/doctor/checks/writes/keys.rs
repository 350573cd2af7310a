//! Unique and exclusion constraints: one that leaves the tenant out tells a writer what others have.

use haltsql::quote_ident;

use super::super::super::facts::Unique;
use super::super::{Check, Finding, Given, State, listed, sql_list};
use super::{NO_KEYS, NO_WRITES, Target, targets};

pub const UNIQUE: Check =
    Check { id: "writes.unique", title: "a unique key that a writer fills includes the tenant columns", run: unique };
pub const EXCLUSION: Check = Check {
    id: "writes.exclusion",
    title: "an exclusion constraint that a writer fills includes the tenant columns",
    run: exclusion,
};

fn unique(given: &Given<'_>) -> State {
    each(given, &given.facts.writes.uniques, |unique, carrier| unique.columns.iter().any(|column| column == carrier))
}

fn exclusion(given: &Given<'_>) -> State {
    // Under another operator than `=` the constraint would hold between tenants alone.
    each(given, &given.facts.writes.exclusions, |unique, carrier| {
        unique.columns.iter().zip(&unique.operators).any(|(column, operator)| column == carrier && operator == "=")
    })
}

fn each(given: &Given<'_>, constraints: &[Unique], includes: impl Fn(&Unique, &str) -> bool) -> State {
    let targets = targets(given);
    if targets.is_empty() {
        return NO_WRITES;
    }
    if targets.iter().all(|target| target.carriers().next().is_none()) {
        return NO_KEYS;
    }
    let mut findings = Vec::new();
    for target in &targets {
        for constraint in constraints.iter().filter(|constraint| target.oids.contains(&constraint.table)) {
            // A key that the server fills by itself answers nobody.
            let chosen = constraint.is_odd || constraint.columns.iter().any(|column| target.is_chosen(column));
            let missing: Vec<&str> = target.carriers().filter(|carrier| !includes(constraint, carrier)).collect();
            if chosen && !missing.is_empty() {
                findings.push(finding(constraint, &missing, target));
            }
        }
    }
    State::of(findings)
}

fn finding(constraint: &Unique, missing: &[&str], target: &Target<'_>) -> Finding {
    let found = format!("it holds for all tenants together: {} is not part of it", listed(missing.iter().copied()));
    let table = &constraint.table_text;
    let Some((name, definition)) = constraint.constraint.as_ref().zip(constraint.definition.as_ref()) else {
        let finding = Finding::new(&*constraint.index_text, found);
        return if constraint.is_odd {
            finding.advise(format!("create the index anew with {} in front", listed(missing.iter().copied())))
        } else {
            let columns = missing.iter().copied().chain(constraint.columns.iter().map(|column| &**column));
            finding
                .mend(format!("DROP INDEX {}", constraint.index_text))
                .mend(format!("CREATE UNIQUE INDEX ON {table} ({})", sql_list(columns)))
        };
    };
    let object = format!("{} ON {table}", quote_ident(name));
    let name = quote_ident(name);
    let with = |form: &str| missing.iter().map(|column| format!("{}{form}, ", quote_ident(column))).collect::<String>();
    // An exclusion constraint names an operator for each of its columns, a key does not.
    let (front, gist) = if definition.starts_with("EXCLUDE") {
        (" WITH =", definition.contains("USING gist"))
    } else {
        ("", !constraint.operators.is_empty())
    };
    let definition = definition.replacen('(', &format!("({}", with(front)), 1);
    let mut finding = Finding::new(object, found);
    if gist {
        finding = finding.mend("CREATE EXTENSION IF NOT EXISTS btree_gist");
    }
    finding
        .mend(format!("ALTER TABLE {table} DROP CONSTRAINT {name}, ADD CONSTRAINT {name} {definition}"))
        .advise(format!("or take its columns out of the `write` lists of `{}`", target.table.display))
}
