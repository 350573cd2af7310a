//! Conditions that PostgreSQL's planner may lose.
//!
//! Measured on 16.14 and 18.4: an output that is the caller's value itself, of a subquery without a table, is pulled up as a
//! placeholder where the level has grouping sets or the subquery stands on the nullable side of an outer join. When another
//! LEFT JOIN of that level is then removed as useless, a condition on the placeholder goes with it:
//!
//! ```sql
//! SELECT t.tenant_id, count(*) FROM notes t LEFT JOIN products p ON t.id = p.id
//!   JOIN (SELECT $1::text AS k) v ON t.tenant_id = v.k GROUP BY ROLLUP (t.tenant_id)   -- every tenant's rows
//! ```
//!
//! By SQL the condition holds; by what the server returns it does not. So no proof rests on it.

use crate::resolve::tree::{Body, ExprId, Join, JoinKind, LevelId, RelId, RelKind};

use super::columns::{ColumnId, Columns, Feed, Source};

impl Columns<'_, '_> {
    /// Whether a condition on this column may get lost: it is fed by a value, and pulled up as a placeholder.
    pub fn is_lossy(&mut self, column: ColumnId) -> bool {
        let Some(found) = self.all.get(column.at()).copied() else { return false };
        let Source::Relation(rel, output) = found.source else { return false };
        let Some(level) = self.pulled_up(rel) else { return false };
        let within = self.tree.rel(rel).map(|rel| rel.level);
        self.is_value(level, output as usize, found.key)
            && (within.is_some_and(|level| self.has_grouping_sets(level)) || self.is_nullable(rel))
    }

    /// Whether `IN (SELECT …)` over this output may get lost in a level.
    pub fn is_lossy_in(&mut self, level: LevelId, (source, output): (LevelId, usize), key: usize) -> bool {
        self.has_grouping_sets(level) && self.is_value(source, output, key)
    }

    /// GROUPING SETS, CUBE or ROLLUP, as written.
    fn has_grouping_sets(&self, level: LevelId) -> bool {
        self.tree.level(level).and_then(|level| level.group.as_ref()).is_some_and(|group| !group.single_set)
    }

    /// The level of a relation that the planner may merge into its user.
    fn pulled_up(&self, rel: RelId) -> Option<LevelId> {
        match self.tree.rel(rel)?.kind {
            RelKind::Derived(level) => Some(level),
            RelKind::Cte(id) => {
                let cte = self.tree.cte(id)?;
                if cte.uses == 1 && !cte.materialized && !cte.recursive { cte.level } else { None }
            }
            RelKind::Table(_) | RelKind::SelfRef(_) | RelKind::Function { .. } | RelKind::Unknown => None,
        }
    }

    /// The relation stands on the nullable side of an outer join, as written.
    fn is_nullable(&self, rel: RelId) -> bool {
        let tree = self.tree;
        let Some(Body::Select { from, .. }) =
            tree.rel(rel).and_then(|rel| tree.level(rel.level)).map(|level| &level.body)
        else {
            return false;
        };
        let mut open: Vec<_> = from.iter().map(|join| (*join, false)).collect();
        while let Some((join, nullable)) = open.pop() {
            match tree.joins.get(join.at()) {
                Some(Join::Leaf(own)) if *own == rel => return nullable,
                Some(Join::Node { kind, left, right, .. }) => {
                    open.push((*left, nullable || matches!(kind, JoinKind::Right | JoinKind::Full)));
                    open.push((*right, nullable || matches!(kind, JoinKind::Left | JoinKind::Full)));
                }
                Some(Join::Leaf(_)) | None => {}
            }
        }
        false
    }

    /// The output is a value of a level without a table, by itself or through others that are pulled up.
    fn is_value(&mut self, level: LevelId, output: usize, key: usize) -> bool {
        let tree = self.tree;
        let (mut at, mut output) = (level, output);
        // Each step goes to a level that the one before is computed from: there are no more of them than levels.
        for _ in 0..=tree.levels.len() {
            let Some(level) = tree.level(at) else { return false };
            let expr: Option<ExprId> = match &level.body {
                Body::Select { .. } => level.outputs.get(output).and_then(|output| output.expr),
                Body::Values { rows } => match rows.as_slice() {
                    [only] => tree.list(*only).get(output).copied(),
                    _ => None,
                },
                Body::SetOp { .. } => None,
            };
            let Some(expr) = expr else { return false };
            match self.feed(expr, key) {
                Feed::Value(_) => return !self.holds_table(at),
                Feed::Column(column) => match self.all.get(column.at()).map(|column| column.source) {
                    Some(Source::Relation(rel, next)) => match self.pulled_up(rel) {
                        Some(source) => (at, output) = (source, next as usize),
                        None => return false,
                    },
                    Some(Source::Merged(_, _)) | None => return false,
                },
                Feed::Null | Feed::Other => return false,
            }
        }
        true
    }

    /// A level reads something that is no subquery.
    fn holds_table(&self, level: LevelId) -> bool {
        self.tree.rels.iter().any(|rel| {
            rel.level == level
                && matches!(
                    rel.kind,
                    RelKind::Table(_) | RelKind::Function { .. } | RelKind::SelfRef(_) | RelKind::Unknown
                )
        })
    }
}
