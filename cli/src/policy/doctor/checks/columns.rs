//! `columns.*`: the columns are those that the policy names.

use haltsql::{AssumedColumn, AssumedTable};

use super::super::facts::{Column, Relation};
use super::{Check, Finding, Given, State, listed};

pub const EXIST: Check = Check { id: "columns.exist", title: "every column of the policy exists", run: exist };
pub const TYPES: Check = Check { id: "columns.type", title: "a column has the type that the policy says", run: types };
pub const COMPLETE: Check =
    Check { id: "columns.complete", title: "a table that is said to be complete has no other column", run: complete };
pub const GENERATED: Check = Check {
    id: "columns.generated_from_hidden",
    title: "no readable column is computed from one that is not readable",
    run: generated,
};

/// The policy's tables that exist.
fn tables<'a>(given: &'a Given<'_>) -> impl Iterator<Item = (&'a AssumedTable<'a>, &'a Relation)> {
    let tables = given.assumed.tables.iter().zip(&given.facts.tables);
    tables.filter_map(|(table, relation)| Some((table, relation.as_ref()?)))
}

/// Their columns that exist.
fn columns<'a>(given: &'a Given<'_>) -> impl Iterator<Item = (&'a AssumedTable<'a>, AssumedColumn<'a>, &'a Column)> {
    tables(given).flat_map(|(table, relation)| {
        table.columns.iter().filter_map(move |column| Some((table, *column, relation.column(column.name)?)))
    })
}

fn exist(given: &Given<'_>) -> State {
    if given.assumed.tables.iter().all(|table| table.columns.is_empty()) {
        return State::NotApplicable("the policy names no columns");
    }
    let findings = tables(given).flat_map(|(table, relation)| {
        let missing = table.columns.iter().filter(|column| relation.column(column.name).is_none());
        missing.map(|column| {
            Finding::new(format!("{}.{}", table.display, haltsql::quote_ident(column.name)), "there is no such column")
                .advise("take it out of the policy, or write its name as the catalogue has it")
        })
    });
    State::of(findings.collect())
}

fn types(given: &Given<'_>) -> State {
    let mut typed = columns(given).filter_map(|(table, column, found)| Some((table, column.ty?, found))).peekable();
    if typed.peek().is_none() {
        return State::NotApplicable("the policy says no column's type");
    }
    let wrong = typed.filter(|(_, ty, found)| !is_type(ty, found));
    State::of(
        wrong
            .map(|(table, ty, found)| {
                let object = format!("{}.{}", table.display, haltsql::quote_ident(&found.name));
                Finding::new(object, format!("it is of type `{}`, and the policy says `{ty}`", found.type_text))
                    .advise(format!("write `type: {}` in the policy", found.type_text))
            })
            .collect(),
    )
}

/// Whether a policy's spelling is the column's type, with its length or without.
fn is_type(spelled: &str, column: &Column) -> bool {
    let spelled = plain(spelled);
    let (name, array) = match spelled.strip_suffix("[]") {
        Some(element) => (element, "[]"),
        None => (&*spelled, ""),
    };
    let (head, length) = match name.split_once('(') {
        Some((head, length)) => (head.trim_end(), format!("({length}")),
        None => (name, String::new()),
    };
    let standard = SPELLINGS.iter().find(|(short, _)| *short == head).map_or(head, |(_, standard)| *standard);
    let standard = match standard.split_once(" with") {
        // The length stands in the middle: `timestamp(3) with time zone`.
        Some((first, rest)) if !length.is_empty() => format!("{first}{length} with{rest}{array}"),
        _ => format!("{standard}{length}{array}"),
    };
    let own = if column.type_is_system { Some(&column.type_name) } else { None };
    [&column.type_text, &column.type_bare].into_iter().chain(own).any(|text| {
        let text = plain(text);
        text == spelled || text == standard
    })
}

/// Lower case, and no more blanks than one.
fn plain(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ").replace(", ", ",").replace(" (", "(")
}

/// The server's spelling of short names (PostgreSQL manual, table 8.1).
const SPELLINGS: [(&str, &str); 19] = [
    ("bool", "boolean"),
    ("char", "character"),
    ("dec", "numeric"),
    ("decimal", "numeric"),
    ("float", "double precision"),
    ("float4", "real"),
    ("float8", "double precision"),
    ("int", "integer"),
    ("int2", "smallint"),
    ("int4", "integer"),
    ("int8", "bigint"),
    ("serial", "integer"),
    ("bigserial", "bigint"),
    ("time", "time without time zone"),
    ("timestamp", "timestamp without time zone"),
    ("timestamptz", "timestamp with time zone"),
    ("timetz", "time with time zone"),
    ("varbit", "bit varying"),
    ("varchar", "character varying"),
];

fn complete(given: &Given<'_>) -> State {
    if !given.assumed.tables.iter().any(|table| table.complete) {
        return State::NotApplicable("the policy says of no table that it is complete");
    }
    let findings = tables(given).filter(|(table, _)| table.complete).filter_map(|(table, relation)| {
        let unnamed = |column: &&Column| !table.columns.iter().any(|known| known.name == column.name);
        let more: Vec<&str> = relation.columns.iter().filter(unnamed).map(|column| &*column.name).collect();
        (!more.is_empty()).then(|| {
            Finding::new(table.display, format!("it also has {}", listed(more.iter().copied())))
                .advise(format!("add {} to the table's `hidden`, or to `columns`", listed(more)))
        })
    });
    State::of(findings.collect())
}

fn generated(given: &Given<'_>) -> State {
    let mut generated =
        columns(given).filter(|(_, column, found)| column.readable && !found.generated_from.is_empty()).peekable();
    if generated.peek().is_none() {
        return State::NotApplicable("no readable column is generated");
    }
    let findings = generated.filter_map(|(table, column, found)| {
        let readable = |name: &str| table.columns.iter().any(|known| known.readable && known.name == name);
        let unreadable: Vec<&str> =
            found.generated_from.iter().map(|name| &**name).filter(|name| !readable(name)).collect();
        (!unreadable.is_empty()).then(|| {
            let object = format!("{}.{}", table.display, haltsql::quote_ident(column.name));
            Finding::new(object, format!("it is computed from {}, which may not be read", listed(unreadable)))
                .advise("move the column to the table's `hidden`")
        })
    });
    State::of(findings.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_compared_by_meaning() {
        let column = |text: &str, bare: &str, name: &str| Column {
            name: "c".to_owned(),
            type_text: text.to_owned(),
            type_bare: bare.to_owned(),
            type_name: name.to_owned(),
            type_is_system: true,
            base_type: None,
            not_null: false,
            not_validated: None,
            collation: None,
            deterministic: true,
            generated_from: Vec::new(),
            comment: None,
        };
        let long = column("character varying(20)", "character varying", "varchar");
        for same in ["varchar", "varchar(20)", "VARCHAR (20)", "character varying", "character varying(20)"] {
            assert!(is_type(same, &long), "{same}");
        }
        for other in ["text", "varchar(21)", "varchar[]", "character"] {
            assert!(!is_type(other, &long), "{other}");
        }
        let exact = column("numeric(12,2)", "numeric", "numeric");
        assert!(is_type("decimal", &exact) && is_type("numeric(12, 2)", &exact) && !is_type("numeric(12,3)", &exact));
        let time = column("timestamp(3) with time zone", "timestamp with time zone", "timestamptz");
        assert!(is_type("timestamptz", &time) && is_type("timestamptz(3)", &time) && !is_type("timestamp", &time));
        let list = column("integer[]", "integer[]", "_int4");
        assert!(is_type("int[]", &list) && is_type("_int4", &list) && !is_type("int", &list));
    }
}
