//! `writes.shape`: a form of a write that could do what its text does not tell, or that is not modelled.

use crate::quote::quote_ident;
use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::{BadShape, Loc, Refused};
use crate::rules::{Case, reason, words};

/// Adds a reason for each.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    for refusal in &case.tree.refusals {
        if let Refused::Shape(shape) = &refusal.what {
            out.push(judged(case, shape, refusal.loc));
        }
    }
}

fn judged(case: &Case<'_, '_>, shape: &BadShape<'_>, at: Loc) -> Reason {
    let places = &case.places;
    let keys = tenant_columns(case);
    let remove = "remove the ON CONFLICT clause".to_owned();
    let (at, message, hint) = match shape {
        BadShape::NoColumns => {
            let hint = format!("name the columns: `INSERT INTO {} (…)`", target(case));
            (places.first(), "the INSERT has no column list".to_owned(), hint)
        }
        BadShape::DefaultValues => {
            let hint = format!("name columns and their values: `INSERT INTO {} (…) VALUES (…)`", target(case));
            (places.keyword_after(at, "default"), "DEFAULT VALUES leaves every column to its default".to_owned(), hint)
        }
        BadShape::Overriding => {
            let hint = "remove the OVERRIDING clause".to_owned();
            (places.keyword_after(at, "overriding"), "OVERRIDING is not allowed".to_owned(), hint)
        }
        BadShape::ConflictUpdate => {
            (at, "ON CONFLICT DO UPDATE could change a row of another tenant".to_owned(), remove)
        }
        BadShape::ConflictNotColumns if keys.is_empty() => {
            let hint = format!("{remove}, or name the columns of one key of the table plainly");
            (at, "ON CONFLICT has to name plain columns".to_owned(), hint)
        }
        BadShape::ConflictNotColumns => {
            let hint = format!(
                "{remove}, or name the columns of one key of the table plainly, {} among them",
                keys.join(" and ")
            );
            (at, "ON CONFLICT has to name plain columns, every tenant column among them".to_owned(), hint)
        }
        BadShape::ConflictWithoutKey(name) => {
            let name = quote_ident(name);
            let message = format!("ON CONFLICT without `{name}` would answer for every tenant's rows");
            (at, message, format!("{remove}, or name a key of the table that holds `{name}`"))
        }
        BadShape::CurrentOf => {
            let hint = "write a condition on the table's columns in place of the cursor".to_owned();
            (places.run(&["where", "current", "of"]), "which row a cursor stands on is not known".to_owned(), hint)
        }
        BadShape::ReturningDefault(names) => {
            let names: Vec<String> = names.iter().map(|name| format!("`{}`", quote_ident(name))).collect();
            let names = names.join(", ");
            let message = format!("RETURNING reads {names}, left to the default");
            (at, message, format!("give {names} a value in every row, or leave it out of RETURNING"))
        }
        BadShape::MultipleSet => {
            let message = "a SET of several columns takes a row or a subquery of as many values".to_owned();
            (at, message, "set each column by itself".to_owned())
        }
        BadShape::Other(what) => (at, format!("{what} is not modelled"), "name each column".to_owned()),
    };
    reason(ReasonCode::WriteShape, at, message, hint)
}

/// The target as the statement may name it.
fn target(case: &Case<'_, '_>) -> String {
    words::target(case.tree).map_or_else(|| "…".to_owned(), |table| table.display.clone())
}

fn tenant_columns(case: &Case<'_, '_>) -> Vec<String> {
    let Some(table) = words::target(case.tree) else { return Vec::new() };
    let columns = table.tenant_columns.iter().flatten().filter_map(|at| table.columns.get(*at));
    columns.map(|column| format!("`{}`", quote_ident(&column.name))).collect()
}
