//! Hints that are plain insertions, as data. What a hint words, this places in the text.

use crate::facts::Lack;
use crate::facts::ties::at_most_one_row;
use crate::quote::quote_ident;
use crate::reason::ReasonCode;
use crate::repair::{Insertion, Repair};
use crate::resolve::tree::{Body, ExprId, ExprKind, Join, JoinId, JoinKind, Loc, Refused, RelId};
use crate::text::place;

use super::clauses::{Clauses, Condition};
use super::{Case, words};

/// Every repair of a denied statement, in no order that counts. Two of them may insert at one place: apply one, check again.
pub fn repairs(case: &Case<'_, '_>) -> Vec<Repair> {
    let clauses = Clauses::of(case.tree.sql);
    let mut out = Vec::new();
    for refusal in &case.tree.refusals {
        out.extend(match &refusal.what {
            Refused::Unqualified(name, Some(qualified)) => qualified
                .strip_suffix(&*quote_ident(name))
                .and_then(|schema| insert(ReasonCode::Unqualified, refusal.loc, refusal.loc? as usize, schema)),
            Refused::Ambiguous(_, qualifiers) => match qualifiers.as_slice() {
                // Of several, the query's author has to choose.
                [only] if !only.is_empty() => refusal.loc.and_then(|loc| {
                    let qualifier = format!("{}.", quote_ident(only));
                    insert(ReasonCode::ColumnAmbiguous, refusal.loc, loc as usize, &qualifier)
                }),
                _ => None,
            },
            _ => None,
        });
    }
    for unproven in case.facts.unproven.iter().filter(|unproven| unproven.lack == Lack::Predicate) {
        out.extend(predicate(case, &clauses, unproven.rel, unproven.key));
    }
    out.extend(limit(case, &clauses));
    out
}

fn insert(code: ReasonCode, loc: Loc, at: usize, text: &str) -> Option<Repair> {
    Some(Repair { code, loc, insertions: vec![Insertion { at: place(at)?, text: text.to_owned() }] })
}

fn limit(case: &Case<'_, '_>, clauses: &Clauses<'_>) -> Option<Repair> {
    let (limits, root) = (&case.tree.policy.limits, case.tree.level(case.tree.root)?);
    if !limits.require_limit
        || case.tree.write.is_some()
        || root.limit.is_some()
        || root.unlimited
        || at_most_one_row(case.tree, root)
    {
        return None;
    }
    let text = format!(" LIMIT {}", limits.max_limit.unwrap_or(super::limits::SUGGESTED));
    insert(ReasonCode::LimitMissing, case.places.first(), clauses.end_without_limit()?, &text)
}

/// The tenant predicate, in WHERE or in the ON of the outer join that attaches the relation.
fn predicate(case: &Case<'_, '_>, clauses: &Clauses<'_>, rel: RelId, key: usize) -> Option<Repair> {
    let tree = case.tree;
    let column = words::tenant_column(tree, rel, key)?;
    let predicate = words::predicate(case, &column, key)?;
    let found = tree.rel(rel)?;
    let loc = found.loc;
    let Body::Select { from, filter } = &tree.level(found.level)?.body else { return None };
    let one = |insertions| Some(Repair { code: ReasonCode::TenantMissing, loc, insertions });
    match from.iter().find_map(|join| attached(case, *join, rel))? {
        Attached::Kept => match clauses.filter(loc? as usize)? {
            Ok(condition) => one(conjoin(case, condition, (*filter)?, &predicate)?),
            Err(end) => insert(ReasonCode::TenantMissing, loc, end, &format!(" WHERE {predicate}")),
        },
        Attached::By(on) => one(conjoin(case, clauses.on(loc? as usize)?, on, &predicate)?),
        Attached::Otherwise => None,
    }
}

/// ` AND predicate` behind a condition, which gets brackets where AND would bind tighter than it does.
fn conjoin(case: &Case<'_, '_>, at: Condition, condition: ExprId, predicate: &str) -> Option<Vec<Insertion>> {
    let behind = |text: String| Some(Insertion { at: place(at.end)?, text });
    Some(match case.tree.expr(condition).kind {
        ExprKind::Or(_) => {
            let open = Insertion { at: place(at.start)?, text: "(".to_owned() };
            vec![open, behind(format!(") AND {predicate}"))?]
        }
        _ => vec![behind(format!(" AND {predicate}"))?],
    })
}

/// How a relation gets into its level's rows.
enum Attached {
    /// No outer join drops its rows' condition: WHERE is the place.
    Kept,
    /// By an outer join that keeps rows without it, with this ON.
    By(ExprId),
    /// In a way in which no insertion helps.
    Otherwise,
}

fn attached(case: &Case<'_, '_>, join: JoinId, rel: RelId) -> Option<Attached> {
    match case.tree.joins.get(join.at())? {
        Join::Leaf(own) => (*own == rel).then_some(Attached::Kept),
        Join::Node { kind, left, right, on, .. } => {
            let is = |side: JoinId| matches!(case.tree.joins.get(side.at()), Some(Join::Leaf(own)) if *own == rel);
            let is_leaf = |side: JoinId| matches!(case.tree.joins.get(side.at()), Some(Join::Leaf(_)));
            let (found, nullable) = match (attached(case, *left, rel), attached(case, *right, rel)) {
                (Some(found), _) => (found, matches!(kind, JoinKind::Right | JoinKind::Full)),
                (None, found) => (found?, matches!(kind, JoinKind::Left | JoinKind::Full)),
            };
            Some(match (nullable, found) {
                (false, found) => found,
                (true, Attached::By(on)) => Attached::By(on),
                (true, _) => match on {
                    Some(on) if *kind == JoinKind::Left && is(*right) => Attached::By(*on),
                    Some(on) if *kind == JoinKind::Right && is(*left) && is_leaf(*right) => Attached::By(*on),
                    _ => Attached::Otherwise,
                },
            })
        }
    }
}
