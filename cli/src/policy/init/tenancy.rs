//! Whose a row is: the column that says so, by its name and by how many tables have it.

use std::collections::BTreeMap;

use super::look::{Found, Listed};
use crate::policy::doctor::facts::Column;

/// The key of the policy's tenancy.
pub struct Key {
    /// The column.
    pub column: String,
    /// `text`, `uuid` or `integer`.
    pub ty: &'static str,
    /// How many tables have it with this type.
    pub tables: usize,
    /// Other columns that could have been meant, with the number of tables that have them.
    pub others: Vec<(String, usize)>,
}

/// What a tenant is called. The first seven hardly mean anything else; the others are often things of a tenant.
const STEMS: [&str; 17] = [
    "tenant",
    "organization",
    "organisation",
    "org",
    "workspace",
    "account",
    "company",
    "customer",
    "client",
    "merchant",
    "team",
    "shop",
    "store",
    "school",
    "practice",
    "project",
    "user",
];
const STRONG: usize = 7;
const ENDINGS: [&str; 5] = ["id", "uuid", "key", "slug", ""];

/// The column, if there is one: `asked` for, or the one whose name says so in most tables.
pub fn key(found: &Found, asked: Option<&str>) -> Option<Key> {
    let mut counts: BTreeMap<(&str, &'static str), usize> = BTreeMap::new();
    for column in found.relations.iter().filter(|listed| is_table(listed)).flat_map(|listed| &listed.relation.columns) {
        let wanted = asked.map_or_else(|| rank(&column.name).is_some(), |asked| asked == column.name);
        if let (true, Some(ty)) = (wanted, key_type(column)) {
            *counts.entry((&column.name, ty)).or_default() += 1;
        }
    }
    // A strong name counts twice; at a tie the stem that comes first, and then the name.
    let weight = |&(&(name, _), &count): &(&(&str, &'static str), &usize)| {
        let rank = rank(name).unwrap_or(STEMS.len());
        let count = if rank < STRONG { count * 2 } else { count };
        (count, std::cmp::Reverse((rank, name.to_owned())))
    };
    let (&(column, ty), &tables) = counts.iter().max_by_key(weight)?;
    let mut others: Vec<(String, usize)> = Vec::new();
    for (&(name, _), &count) in counts.iter().filter(|((name, _), _)| *name != column) {
        match others.iter_mut().find(|(other, _)| other == name) {
            Some((_, sum)) => *sum += count,
            None => others.push((name.to_owned(), count)),
        }
    }
    Some(Key { column: column.to_owned(), ty, tables, others })
}

/// Whether a relation holds rows of its own.
pub fn is_table(listed: &Listed) -> bool {
    matches!(&*listed.relation.kind, "r" | "p" | "f")
}

/// The type of a key that such a column can carry.
pub fn key_type(column: &Column) -> Option<&'static str> {
    ["text", "uuid", "integer"].into_iter().find(|ty| crate::policy::doctor::checks::is_key_type(ty, column))
}

/// The position of the stem that the name is made of.
fn rank(name: &str) -> Option<usize> {
    let bare: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    STEMS.iter().enumerate().find_map(|(at, stem)| {
        let ending = bare.strip_prefix(stem)?;
        // `tenant` alone is a tenant; `customer` alone is more often a name.
        let known = ENDINGS.contains(&ending) && (at < 2 || !ending.is_empty());
        known.then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tenants_are_known() {
        for (name, stem) in
            [("tenant_id", "tenant"), ("tenantId", "tenant"), ("org_id", "org"), ("OrganizationUUID", "organization")]
        {
            assert_eq!(rank(name).map(|at| STEMS[at]), Some(stem), "{name}");
        }
        for other in ["id", "customer", "organism_id", "tenants", "tenant_name", "accounting_id"] {
            assert_eq!(rank(other), None, "{other}");
        }
    }
}
