//! The query's own words: how a hint names a relation, a column, a value.

use crate::context::Values;
use crate::facts::caller::CallerKey;
use crate::policy::{KeyType, Table};
use crate::quote::quote_ident;
use crate::resolve::tree::{Join, JoinId, JoinKind, RelId, RelKind, Tree};

use super::Case;

/// How the query refers to a relation.
pub fn relation(tree: &Tree<'_>, rel: RelId) -> String {
    tree.rel(rel).map_or_else(String::new, |rel| quote_ident(rel.alias).into_owned())
}

/// `schema.table` of a reference to a table of the policy.
pub fn table<'t>(tree: &'t Tree<'_>, rel: RelId) -> Option<&'t str> {
    match tree.rel(rel)?.kind {
        RelKind::Table(table) => Some(&tree.policy.tables.get(table as usize)?.display),
        RelKind::Derived(_) | RelKind::Cte(_) | RelKind::SelfRef(_) | RelKind::Function { .. } | RelKind::Unknown => {
            None
        }
    }
}

/// `alias.column` of a relation's column; `None` where nothing reaches it by name.
pub fn column(tree: &Tree<'_>, rel: RelId, column: u32) -> Option<String> {
    let (alias, name) = (tree.rel(rel)?.alias, tree.column_name(rel, column as usize)?);
    (!alias.is_empty()).then(|| format!("{}.{}", quote_ident(alias), quote_ident(name)))
}

/// The table that the statement writes to.
pub fn target<'t>(tree: &'t Tree<'_>) -> Option<&'t Table> {
    let RelKind::Table(table) = tree.rel(tree.write.as_ref()?.target)?.kind else { return None };
    tree.policy.tables.get(table as usize)
}

/// The column of that table that carries a key.
pub fn target_column(tree: &Tree<'_>, key: usize) -> Option<String> {
    let table = target(tree)?;
    let column = table.columns.get(table.tenant_columns.get(key).copied().flatten()?)?;
    Some(quote_ident(&column.name).into_owned())
}

/// The caller's value as a write gives it; `None`: a set in bound mode, of which no `$n` carries one.
pub fn value(case: &Case<'_, '_>, key: usize) -> Option<String> {
    let found = case.caller.keys.get(key)?;
    if case.caller.bound {
        return (!found.is_plural()).then(|| format!("${}", param_for(case, key, false)));
    }
    match found.values.as_ref()? {
        Values::One(value) => Some(literal(found, value)),
        Values::Many(values) => values.first().map(|value| literal(found, value)),
    }
}

/// `alias.column` of the column that carries a key in a reference to a tenant table.
pub fn tenant_column(tree: &Tree<'_>, rel: RelId, key: usize) -> Option<String> {
    let RelKind::Table(table) = tree.rel(rel)?.kind else { return None };
    let table = tree.policy.tables.get(table as usize)?;
    let column = table.columns.get(table.tenant_columns.get(key).copied().flatten()?)?;
    Some(format!("{}.{}", relation(tree, rel), quote_ident(&column.name)))
}

/// The readable columns of a table, for hints: at most a dozen, then an ellipsis.
pub fn readable_columns(tree: &Tree<'_>, rel: RelId) -> Option<String> {
    let RelKind::Table(table) = tree.rel(rel)?.kind else { return None };
    let table = tree.policy.tables.get(table as usize)?;
    let mut readable =
        table.columns.iter().filter(|column| column.readable).map(|column| format!("`{}`", quote_ident(&column.name)));
    let mut names: Vec<String> = readable.by_ref().take(40).collect();
    if readable.next().is_some() {
        names.push("…".to_owned());
    }
    Some(names.join(", "))
}

/// The predicate that holds a column to the caller: `o.tenant_id = $1`.
pub fn predicate(case: &Case<'_, '_>, column: &str, key: usize) -> Option<String> {
    let found = case.caller.keys.get(key)?;
    if case.caller.bound {
        let plural = found.is_plural();
        let number = param_for(case, key, plural);
        return Some(if plural { format!("{column} = ANY(${number})") } else { format!("{column} = ${number}") });
    }
    Some(match found.values.as_ref()? {
        Values::One(value) => format!("{column} = {}", literal(found, value)),
        Values::Many(values) => match values.as_slice() {
            [only] => format!("{column} = {}", literal(found, only)),
            several => {
                let list: Vec<String> = several.iter().map(|value| literal(found, value)).collect();
                format!("{column} IN ({})", list.join(", "))
            }
        },
    })
}

/// The `$n` that already carries a key in this form, or the first free number.
pub fn param_for(case: &Case<'_, '_>, key: usize, array: bool) -> u32 {
    let params = &case.facts.params;
    let own = params.carried.iter().find(|(_, carried)| carried.key == key && carried.array == array);
    // `= $1` under a set is to become `= ANY($1)`: another number would leave a gap, and the server no type for `$1`.
    let other_form = || params.carried.iter().find(|(_, carried)| array && carried.key == key);
    if let Some((number, _)) = own.or_else(other_form) {
        return *number;
    }
    // Several keys lack a parameter: each gets a number of its own.
    let without = (0..key).filter(|earlier| !params.carried.values().any(|carried| carried.key == *earlier)).count();
    params.free.get(without).copied().unwrap_or(1)
}

/// A value as a constant.
pub fn literal(key: &CallerKey, value: &str) -> String {
    match key.ty {
        KeyType::Integer => value.to_owned(),
        KeyType::Text | KeyType::Uuid => format!("'{}'", value.replace('\'', "''")),
    }
}

/// Where a predicate about a relation has to stand.
pub fn clause_for(tree: &Tree<'_>, rel: RelId) -> String {
    let name = relation(tree, rel);
    let Some(found) = tree.rel(rel) else { return "the WHERE clause".to_owned() };
    let Some(level) = tree.level(found.level) else { return "the WHERE clause".to_owned() };
    let crate::resolve::tree::Body::Select { from, .. } = &level.body else { return "a WHERE clause".to_owned() };
    let nullable = from.iter().find_map(|join| nullable_side(tree, *join, rel, None));
    match nullable {
        Some(JoinKind::Full) => {
            format!("the WHERE clause of a subquery that takes the place of `{name}` in the FULL JOIN")
        }
        Some(JoinKind::Left | JoinKind::Right) => format!("the ON clause of the outer join that attaches `{name}`"),
        Some(JoinKind::Inner) | None if found.level == tree.root => "the WHERE clause".to_owned(),
        Some(JoinKind::Inner) | None if tree.write.as_ref().is_some_and(|write| write.source == Some(found.level)) => {
            "the WHERE clause of the SELECT".to_owned()
        }
        Some(JoinKind::Inner) | None => format!("the WHERE clause of the subquery that reads `{name}`"),
    }
}

/// The innermost outer join that null-extends a relation; the outer `Option`: whether the relation is in this join tree.
fn nullable_side(tree: &Tree<'_>, join: JoinId, rel: RelId, around: Option<JoinKind>) -> Option<JoinKind> {
    match tree.joins.get(join.at())? {
        Join::Leaf(own) => (*own == rel).then_some(around.unwrap_or(JoinKind::Inner)),
        Join::Node { kind, left, right, .. } => {
            let (on_left, on_right) = match kind {
                JoinKind::Inner => (around, around),
                JoinKind::Left => (around, Some(*kind)),
                JoinKind::Right => (Some(*kind), around),
                JoinKind::Full => (Some(*kind), Some(*kind)),
            };
            nullable_side(tree, *left, rel, on_left).or_else(|| nullable_side(tree, *right, rel, on_right))
        }
    }
}
