//! Deferred obligations (rule 9): a derived table, or a CTE that is used once, may leave the proof to its user, where
//! filtering outside gives what filtering inside would.

use crate::resolve::tree::{Body, Distinct, ExprId, ExprKind, Level, LevelId, List, RelId, RelKind, Tree};

use super::columns::{ColumnId, Source};
use super::local::Cause;
use super::solve::Solver;
use crate::weaken::{Switch, weak};

impl Solver<'_, '_, '_> {
    /// Hands the strict proofs about a relation's columns to the level that computes them.
    pub(super) fn defer(&mut self, rel: RelId) {
        let tree = self.columns.tree;
        let Some(level) = deferrable(tree, rel) else { return };
        for at in 0..self.columns.all.len() {
            let Some(column) = self.columns.all.get(at).copied() else { continue };
            let Source::Relation(of, output) = column.source else { continue };
            let id = ColumnId(u32::try_from(at).unwrap_or(u32::MAX));
            if of == rel
                && let Some(cause) = self.proven(id).filter(|cause| cause.strict)
            {
                self.pass(level, output as usize, column.key, cause);
            }
        }
    }

    /// Passes a proof about an output into a level, if the level lets it through.
    fn pass(&mut self, id: LevelId, output: usize, key: usize, cause: Cause) {
        let tree = self.columns.tree;
        let Some(level) = tree.level(id) else { return };
        let limited = level.limit.is_some() && !weak(Switch::DeferLimit);
        if limited || (level.offset.is_some() && !weak(Switch::DeferOffset)) {
            return;
        }
        match &level.body {
            Body::SetOp { arms, .. } => {
                for arm in arms {
                    self.pass(*arm, output, key, cause);
                }
            }
            Body::Select { .. } => {
                let Some(expr) = level.outputs.get(output).and_then(|output| output.expr) else { return };
                let Some((column, false)) = self.columns.of_expr(expr, key) else { return };
                // A column of an enclosing level is not this level's to filter.
                let own = self.columns.rel_of(column).and_then(|rel| tree.rel(rel)).is_some_and(|rel| rel.level == id);
                if own && passes(tree, level, expr) {
                    self.add_deferred(id, column, cause);
                }
            }
            Body::Values { .. } => {}
        }
    }
}

/// The level that a relation's proofs can be handed to.
fn deferrable(tree: &Tree<'_>, rel: RelId) -> Option<LevelId> {
    match tree.rel(rel)?.kind {
        RelKind::Derived(level) => Some(level),
        RelKind::Cte(id) => {
            let cte = tree.cte(id)?;
            // An error on a foreign row of what is computed once for all is a dependable yes or no.
            let once = cte.uses == 1 || weak(Switch::DeferTwiceUsed);
            let inlined = once && (!cte.materialized || weak(Switch::DeferMaterialized)) && !cte.recursive;
            inlined.then_some(cte.level).flatten()
        }
        RelKind::Table(_) | RelKind::SelfRef(_) | RelKind::Function { .. } | RelKind::Unknown => None,
    }
}

/// Whether a filter on this column gives the same before and after what the level does with its rows.
fn passes(tree: &Tree<'_>, level: &Level<'_>, column: ExprId) -> bool {
    let has = |list: &[ExprId]| list.iter().any(|key| same_column(tree, *key, column));
    let in_list = |list: &List| has(tree.list(*list));
    let grouped = match &level.group {
        // A grouping set without the column gives NULL for it, and the strict proof drops that row.
        Some(group) => has(&group.keys),
        None => !level.aggregated && !level.may_aggregate,
    };
    let distinct = match &level.distinct {
        Distinct::No | Distinct::All => true,
        Distinct::On(list) => in_list(list),
    };
    let integer = |list: &List| tree.list(*list).iter().any(|key| matches!(tree.expr(*key).kind, ExprKind::Integer(_)));
    let windowed = |list: &List| in_list(list) || (weak(Switch::WindowOrdinal) && integer(list));
    (grouped || weak(Switch::DeferAggregate))
        && (distinct || weak(Switch::DeferDistinctOn))
        && (level.windows.iter().all(windowed) || weak(Switch::DeferWindow))
}

/// Whether a key is the column itself. A text cast without a length tells the same values apart; any other cast may not.
fn same_column(tree: &Tree<'_>, key: ExprId, column: ExprId) -> bool {
    let plain = |mut expr: ExprId| {
        while let ExprKind::Cast(inner, cast) = tree.expr(expr).kind
            && cast.is_text()
        {
            expr = inner;
        }
        tree.expr(expr).kind
    };
    match (plain(key), plain(column)) {
        (ExprKind::Column(a, x), ExprKind::Column(b, y)) => a == b && x == y,
        (ExprKind::Merged(_, a, x), ExprKind::Merged(_, b, y)) => a == b && x == y,
        (_, _) => false,
    }
}
