//! Which items of one FROM are tied to each other by a condition.

use crate::resolve::tree::{Body, Distinct, ExprId, ExprKind, Join, JoinId, Level, LevelId, RelId, RelKind, Tree};

/// Finds the relations of each level that stand apart.
pub struct Ties<'t, 'a> {
    tree: &'t Tree<'a>,
    many: ManyRows,
    /// By relation: another of its group, itself where it leads the group. One store for all levels.
    next: Vec<RelId>,
}

impl<'t, 'a> Ties<'t, 'a> {
    /// Looks at every level of a statement.
    pub fn new(tree: &'t Tree<'a>) -> Self {
        let next = (0..).map(RelId).take(tree.rels.len()).collect();
        Ties { tree, many: ManyRows::new(tree), next }
    }

    /// The relations of a level that stand apart: the first reference of every group of policy tables that nothing ties to
    /// the groups before it.
    pub fn apart(&mut self, id: LevelId) -> Vec<RelId> {
        let tree = self.tree;
        let Some(level) = tree.level(id) else { return Vec::new() };
        let Body::Select { from, filter } = &level.body else { return Vec::new() };
        let (mut members, mut joins, mut counted) = (Vec::new(), Vec::new(), 0);
        let mut open: Vec<JoinId> = from.clone();
        while let Some(join) = open.pop() {
            match tree.joins.get(join.at()) {
                Some(Join::Leaf(rel)) => {
                    members.push(*rel);
                    counted += usize::from(self.many.counts(tree, *rel));
                }
                Some(Join::Node { left, right, on, using, .. }) => {
                    joins.push((on, using));
                    open.extend([*left, *right]);
                }
                None => {}
            }
        }
        if counted < 2 {
            return Vec::new();
        }
        let mut groups = Groups { tree, level: id, next: &mut self.next, unknown: false };
        groups.tie_laterals(&members);
        for (left, right) in joins.iter().flat_map(|(_, using)| *using) {
            let rels = [groups.merged_side(*left), groups.merged_side(*right)];
            groups.tie(&rels.into_iter().flatten().collect::<Vec<_>>());
        }
        let mut conditions: Vec<ExprId> = joins.iter().filter_map(|(on, _)| **on).chain(*filter).collect();
        while let Some(condition) = conditions.pop() {
            match tree.expr(condition).kind {
                ExprKind::And(list) => conditions.extend(tree.list(list)),
                _ => {
                    let rels = groups.named(condition);
                    groups.tie(&rels);
                }
            }
        }
        if groups.unknown {
            return Vec::new();
        }
        members.retain(|rel| self.many.counts(tree, *rel));
        groups.firsts(members)
    }
}

/// By level: whether what it gives is rows of tables, read row by row. What aggregates, is DISTINCT or gives at most one row
/// doesn't count, nor do functions and VALUES.
///
/// Each level is looked at once, after what it is computed from: CTEs can name each other in more ways than there are levels.
pub struct ManyRows(Vec<bool>);

impl ManyRows {
    /// Looks at every level of a statement.
    pub fn new(tree: &Tree<'_>) -> Self {
        let mut many = ManyRows(vec![false; tree.levels.len()]);
        for id in &tree.order {
            let found = tree.level(*id).is_some_and(|level| many.find(tree, level));
            if let Some(slot) = many.0.get_mut(id.at()) {
                *slot = found;
            }
        }
        many
    }

    /// Whether a FROM item counts: tables of the policy, and what reads them row by row.
    pub fn counts(&self, tree: &Tree<'_>, rel: RelId) -> bool {
        match tree.rel(rel).map(|rel| &rel.kind) {
            Some(RelKind::Table(_) | RelKind::SelfRef(_)) => true,
            Some(RelKind::Derived(_) | RelKind::Cte(_)) => tree.source_level(rel).is_some_and(|level| self.of(level)),
            Some(RelKind::Function { .. } | RelKind::Unknown) | None => false,
        }
    }

    fn of(&self, level: LevelId) -> bool {
        self.0.get(level.at()).copied().unwrap_or(false)
    }

    fn find(&self, tree: &Tree<'_>, level: &Level<'_>) -> bool {
        if level.aggregated || level.distinct != Distinct::No || at_most_one_row(tree, level) {
            return false;
        }
        match &level.body {
            Body::Values { .. } => false,
            Body::SetOp { arms, last_is_union_distinct } => {
                !last_is_union_distinct && arms.iter().any(|arm| self.of(*arm))
            }
            Body::Select { from, .. } => {
                let mut open = from.clone();
                while let Some(join) = open.pop() {
                    match tree.joins.get(join.at()) {
                        Some(Join::Leaf(rel)) if self.counts(tree, *rel) => return true,
                        Some(Join::Leaf(_)) | None => {}
                        Some(Join::Node { left, right, .. }) => open.extend([*left, *right]),
                    }
                }
                false
            }
        }
    }
}

/// A level that can give no second row: no FROM, an aggregate without GROUP BY, or LIMIT 1.
pub fn at_most_one_row(tree: &Tree<'_>, level: &Level<'_>) -> bool {
    let limited = level.limit.is_some_and(|limit| matches!(tree.expr(limit).kind, ExprKind::Integer(0 | 1)));
    let single = match &level.body {
        Body::Select { from, .. } => {
            level.has_aggregate && level.group.is_none() || from.is_empty() && !returns_set(tree, level)
        }
        Body::Values { rows } => rows.len() <= 1,
        Body::SetOp { .. } => false,
    };
    limited || single
}

/// A set-returning function in the select list makes rows.
fn returns_set(tree: &Tree<'_>, level: &Level<'_>) -> bool {
    let mut open: Vec<ExprId> = level.outputs.iter().filter_map(|output| output.expr).collect();
    while let Some(expr) = open.pop() {
        if let ExprKind::Call(call) = tree.expr(expr).kind {
            let set =
                tree.calls.get(call.at()).is_some_and(|call| call.function.is_none_or(|function| function.returns_set));
            if set {
                return true;
            }
        }
        tree.each_operand(expr, &mut |operand| open.push(operand));
    }
    false
}

/// Relations of one level, in groups.
struct Groups<'g, 't, 'a> {
    tree: &'t Tree<'a>,
    level: LevelId,
    next: &'g mut [RelId],
    /// A condition holds something that was refused: it could tie anything.
    unknown: bool,
}

impl Groups<'_, '_, '_> {
    /// The relation that leads a group. Halves the way there for the next who asks.
    fn leader(&mut self, rel: RelId) -> RelId {
        let mut at = rel;
        loop {
            let next = self.next_of(at);
            if next == at {
                return at;
            }
            let further = self.next_of(next);
            if let Some(slot) = self.next.get_mut(at.at()) {
                *slot = further;
            }
            at = further;
        }
    }

    fn next_of(&self, rel: RelId) -> RelId {
        self.next.get(rel.at()).copied().unwrap_or(rel)
    }

    fn tie(&mut self, rels: &[RelId]) {
        let Some((first, others)) = rels.split_first() else { return };
        for other in others {
            let (a, b) = (self.leader(*first), self.leader(*other));
            if let Some(slot) = self.next.get_mut(a.max(b).at()) {
                *slot = a.min(b);
            }
        }
    }

    /// A relation of one side of a merged column. One will do: what else is merged there, the join that merged it ties.
    fn merged_side(&mut self, mut side: ExprId) -> Option<RelId> {
        loop {
            match self.tree.expr(side).kind {
                ExprKind::Column(rel, _) => {
                    return self.tree.rel(rel).filter(|rel| rel.level == self.level).map(|_| rel);
                }
                ExprKind::Merged(_, left, _) => side = left,
                ExprKind::Unknown => {
                    self.unknown = true;
                    return None;
                }
                _ => return None,
            }
        }
    }

    /// The relations of this level that an expression names, subqueries included.
    fn named(&mut self, expr: ExprId) -> Vec<RelId> {
        let mut found = Vec::new();
        let mut open = vec![expr];
        while let Some(expr) = open.pop() {
            match self.tree.expr(expr).kind {
                ExprKind::Column(rel, _) | ExprKind::WholeRow(rel) => self.add(rel, &mut found),
                ExprKind::Unknown => self.unknown = true,
                ExprKind::Subquery(_, level) => {
                    for rel in self.tree.level(level).map_or(&[][..], |level| &level.outer_rels) {
                        self.add(*rel, &mut found);
                    }
                }
                _ => {}
            }
            self.tree.each_operand(expr, &mut |operand| open.push(operand));
        }
        found
    }

    fn add(&self, rel: RelId, found: &mut Vec<RelId>) {
        if self.tree.rel(rel).is_some_and(|found| found.level == self.level) && !found.contains(&rel) {
            found.push(rel);
        }
    }

    /// A LATERAL item is tied to what it refers to.
    fn tie_laterals(&mut self, members: &[RelId]) {
        for rel in members {
            let mut rels = vec![*rel];
            match self.tree.rel(*rel).map(|rel| &rel.kind) {
                Some(RelKind::Derived(level)) => {
                    for outer in self.tree.level(*level).map_or(&[][..], |level| &level.outer_rels) {
                        self.add(*outer, &mut rels);
                    }
                }
                Some(RelKind::Function { args, .. }) => {
                    for arg in self.tree.list(*args) {
                        rels.extend(self.named(*arg));
                    }
                }
                Some(RelKind::Table(_) | RelKind::Cte(_) | RelKind::SelfRef(_) | RelKind::Unknown) | None => {}
            }
            self.tie(&rels);
        }
    }

    /// The first of these in every group but the first group.
    fn firsts(&mut self, rels: Vec<RelId>) -> Vec<RelId> {
        let mut led: Vec<(RelId, RelId)> = rels.into_iter().map(|rel| (self.leader(rel), rel)).collect();
        led.sort_unstable();
        led.dedup_by_key(|(leader, _)| *leader);
        let mut firsts: Vec<RelId> = led.into_iter().map(|(_, rel)| rel).collect();
        firsts.sort_unstable();
        firsts.drain(..1.min(firsts.len()));
        firsts
    }
}
