//! `tenant.*`: a tenant column says of every row whose it is, and equal means identical.

use haltsql::quote_ident;

use super::super::facts::{Column, Relation};
use super::{Check, Finding, Given, State};

pub const NOT_NULL: Check = Check { id: "tenant.not_null", title: "every row says whose it is", run: not_null };
pub const TYPE: Check =
    Check { id: "tenant.type", title: "tenant columns have the type of their key, and no other", run: types };
pub const COLLATION: Check = Check {
    id: "tenant.collation_deterministic",
    title: "tenant columns with equal values hold identical values",
    run: collation,
};

const NO_KEYS: State = State::NotApplicable("no table of the policy carries a tenant key");

/// A tenant column that exists.
struct Carrier<'a> {
    /// The table, as SQL writes it.
    table: &'a str,
    relation: &'a Relation,
    column: &'a Column,
    /// The type of the key.
    ty: &'static str,
}

impl Carrier<'_> {
    fn finding(&self, found: impl Into<String>) -> Finding {
        Finding::new(format!("{}.{}", self.table, quote_ident(&self.column.name)), found)
    }

    fn alter(&self, how: &str) -> String {
        format!("ALTER TABLE {} ALTER COLUMN {} {how}", self.table, quote_ident(&self.column.name))
    }
}

fn carriers<'a>(given: &'a Given<'_>) -> Vec<Carrier<'a>> {
    let mut found = Vec::new();
    for (table, relation) in given.assumed.tables.iter().zip(&given.facts.tables) {
        let Some(relation) = relation else { continue };
        for (key, column) in given.assumed.keys.iter().zip(&table.tenant) {
            if let Some(column) = column.and_then(|name| relation.column(name)) {
                found.push(Carrier { table: table.display, relation, column, ty: key.ty });
            }
        }
    }
    found
}

fn not_null(given: &Given<'_>) -> State {
    let carriers = carriers(given);
    // A view's columns have no constraints: those of the tables behind it count, and a comparison drops what a join left empty.
    let mut tables = carriers.iter().filter(|carrier| !carrier.relation.is_view()).peekable();
    if tables.peek().is_none() {
        return NO_KEYS;
    }
    let findings = tables.filter_map(|carrier| match &carrier.column.not_validated {
        _ if !carrier.column.not_null => {
            let finding = carrier.finding("it may be NULL: such a row belongs to nobody known");
            Some(finding.mend(carrier.alter("SET NOT NULL")).advise("give the rows without a value to somebody first"))
        }
        Some(constraint) => {
            let finding = carrier.finding("its NOT NULL was never validated");
            Some(finding.mend(format!("ALTER TABLE {} VALIDATE CONSTRAINT {}", carrier.table, quote_ident(constraint))))
        }
        None => None,
    });
    State::of(findings.collect())
}

fn types(given: &Given<'_>) -> State {
    let carriers = carriers(given);
    if carriers.is_empty() {
        return NO_KEYS;
    }
    let findings = carriers.iter().filter(|carrier| !is_of(carrier.ty, carrier.column)).map(|carrier| {
        let (wanted, ty) = match carrier.ty {
            "uuid" => ("uuid", "uuid"),
            "integer" => ("smallint, integer or bigint", "bigint"),
            _ => ("text or varchar", "text"),
        };
        let finding = carrier.finding(format!(
            "it is of type `{}`, and a key of type `{}` wants {wanted}",
            carrier.column.type_text, carrier.ty
        ));
        if carrier.relation.is_view() {
            return finding.advise("change the type of the column behind it");
        }
        let name = quote_ident(&carrier.column.name);
        finding
            .mend(carrier.alter(&format!("TYPE {ty} USING {name}::{ty}")))
            .advise("or write the key's `type` in the policy as the column has it, where it is one of the three")
    });
    State::of(findings.collect())
}

/// Whether a column can carry a key of that type. Of char(n), citext, name and domains over anything, equality is wider than identity,
/// or may become so.
pub fn is_of(ty: &str, column: &Column) -> bool {
    let names: &[&str] = match ty {
        "text" => &["text", "varchar"],
        "uuid" => &["uuid"],
        "integer" => &["int2", "int4", "int8"],
        _ => &[],
    };
    column.type_is_system && names.contains(&&*column.type_name)
}

fn collation(given: &Given<'_>) -> State {
    let mut carriers = carriers(given);
    carriers.retain(|carrier| carrier.column.collation.is_some());
    if carriers.is_empty() {
        return State::NotApplicable("no tenant column has a collation");
    }
    let findings = carriers.iter().filter(|carrier| !carrier.column.deterministic).map(|carrier| {
        let collation = carrier.column.collation.as_deref().unwrap_or_default();
        let finding = carrier.finding(format!("its collation {collation} takes different values for equal"));
        if carrier.relation.is_view() {
            return finding.advise("change the collation of the column behind it");
        }
        finding.mend(carrier.alter(&format!("TYPE {} COLLATE pg_catalog.\"default\"", carrier.column.type_text)))
    });
    State::of(findings.collect())
}
