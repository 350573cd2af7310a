//! Parameters that reach a comparison through an output: `WITH me AS (SELECT $1::text AS t) … JOIN me ON o.tenant_id = me.t`.
//!
//! Receives what comparisons tell directly, returns the parameters that carry a key all the same: those that stand only under
//! a cast to the declared type of exactly one key, and that feed a column which is compared with a tenant column.

use std::collections::{BTreeMap, BTreeSet};

use crate::resolve::tree::{Body, ExprId, ExprKind, Join, LevelId, Tree};

use super::caller::Caller;
use super::columns::{ColumnId, Columns, Feed, Source};
use super::forms::Form;
use super::params::Carried;
use super::{value, writes};

/// The parameters that carry a key by what they feed. `carried`: those that do by a comparison of their own.
pub fn linked(tree: &Tree<'_>, caller: &Caller, carried: &BTreeMap<u32, Carried>) -> BTreeMap<u32, Carried> {
    let mut candidates = candidates(tree, caller);
    candidates.retain(|number, _| !carried.contains_key(number));
    if candidates.is_empty() {
        return candidates;
    }
    let all = carried.iter().chain(&candidates).map(|(number, carried)| (*number, *carried)).collect();
    let mut columns = Columns::new(tree, caller, all);
    let (mut forms, mut reached) = (Vec::new(), BTreeSet::new());
    for at in 0..u32::try_from(tree.exprs.len()).unwrap_or(0) {
        columns.forms(ExprId(at), &mut forms);
        for form in forms.drain(..) {
            let mut seen = BTreeSet::new();
            match form {
                Form::Equal(left, right) => {
                    feeding(&mut columns, left, &mut seen, &mut reached);
                    feeding(&mut columns, right, &mut seen, &mut reached);
                }
                Form::InQuery(column, level, output) => {
                    if let Some(key) = columns.all.get(column.at()).map(|column| column.key) {
                        feeding_output(&mut columns, (level, output), key, &mut seen, &mut reached);
                    }
                }
                Form::Pin { .. } => {}
            }
        }
    }
    for (level, output, key) in writes::fed_outputs(tree, caller) {
        let mut seen = BTreeSet::new();
        feeding_output(&mut columns, (level, output), key, &mut seen, &mut reached);
    }
    for join in &tree.joins {
        let Join::Node { using, .. } = join else { continue };
        for (left, right) in using {
            for key in 0..caller.keys.len() {
                if let (Some((left, _)), Some((right, _))) = (columns.of_expr(*left, key), columns.of_expr(*right, key))
                {
                    let mut seen = BTreeSet::new();
                    feeding(&mut columns, left, &mut seen, &mut reached);
                    feeding(&mut columns, right, &mut seen, &mut reached);
                }
            }
        }
    }
    candidates.retain(|number, _| reached.contains(number));
    candidates
}

/// Parameters all of whose occurrences stand under a cast to the declared type of exactly one key.
fn candidates(tree: &Tree<'_>, caller: &Caller) -> BTreeMap<u32, Carried> {
    let (mut occurrences, mut found) = (BTreeMap::new(), BTreeMap::new());
    for (at, expr) in (0..).zip(&tree.exprs) {
        if let ExprKind::Param(number) = expr.kind {
            *occurrences.entry(number).or_insert(0usize) += 1;
        }
        let declared = |key: &usize| {
            let ty = caller.keys.get(*key).map(|key| key.ty);
            ty.and_then(|ty| value::declared_param(tree, ExprId(at), ty, false))
        };
        let mut keys = (0..caller.keys.len()).filter_map(|key| Some((key, declared(&key)?)));
        if let (Some((key, (number, _))), None) = (keys.next(), keys.next()) {
            let entry = found.entry(number).or_insert((Carried { key, array: false }, 0usize));
            if entry.0.key == key {
                entry.1 += 1;
            }
        }
    }
    found.retain(|number, (_, count)| occurrences.get(number) == Some(count));
    found.into_iter().map(|(number, (carried, _))| (number, carried)).collect()
}

/// Adds the parameters that feed a column, through every level that it comes from.
fn feeding(
    columns: &mut Columns<'_, '_>,
    column: ColumnId,
    seen: &mut BTreeSet<(u32, usize)>,
    reached: &mut BTreeSet<u32>,
) {
    let mut open = vec![column];
    while let Some(column) = open.pop() {
        let Some(found) = columns.all.get(column.at()).copied() else { continue };
        match found.source {
            Source::Merged(left, right) => open.extend([left, right]),
            Source::Relation(rel, output) => {
                if let Some(level) = columns.tree.source_level(rel) {
                    feeding_output(columns, (level, output as usize), found.key, seen, reached);
                }
            }
        }
    }
}

fn feeding_output(
    columns: &mut Columns<'_, '_>,
    start: (LevelId, usize),
    key: usize,
    seen: &mut BTreeSet<(u32, usize)>,
    reached: &mut BTreeSet<u32>,
) {
    let tree = columns.tree;
    let mut open = vec![start];
    while let Some((id, output)) = open.pop() {
        if !seen.insert((id.0, output)) {
            continue;
        }
        let Some(level) = tree.level(id) else { continue };
        let exprs: Vec<ExprId> = match &level.body {
            Body::Select { .. } => level.outputs.get(output).and_then(|output| output.expr).into_iter().collect(),
            Body::Values { rows } => rows.iter().filter_map(|row| tree.list(*row).get(output).copied()).collect(),
            Body::SetOp { arms, .. } => {
                open.extend(arms.iter().map(|arm| (*arm, output)));
                Vec::new()
            }
        };
        for expr in exprs {
            match columns.feed(expr, key) {
                Feed::Value(value) => reached.extend(value.param.map(|(number, _)| number)),
                Feed::Column(column) => {
                    if let Some(Source::Relation(rel, output)) =
                        columns.all.get(column.at()).map(|column| column.source)
                        && let Some(level) = tree.source_level(rel)
                    {
                        open.push((level, output as usize));
                    }
                }
                Feed::Null | Feed::Other => {}
            }
        }
    }
}
