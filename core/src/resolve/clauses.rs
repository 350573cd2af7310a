//! GROUP BY, ORDER BY, DISTINCT, WINDOW, LIMIT: where an output name, an ordinal or an input column is meant.

use pg_query::protobuf as pg;

use crate::weaken::{Switch, weak};

use super::expr::expr_loc;
use super::scope::{Aggregate, Lookup};
use super::shape::{ClauseNode, ExprNode, clause_node, expr_node, string};
use super::tree::{Distinct, ExprId, ExprKind, Group, JoinKind, LevelId, List, Loc, Refused};
use super::{Resolver, loc};

/// Which names an ORDER BY may use.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sorting {
    /// Output names and ordinals first, then any expression (`findTargetlistEntrySQL92`).
    Outputs,
    /// Expressions over input columns only: windows, aggregates (`findTargetlistEntrySQL99`).
    Inputs,
}

impl<'a> Resolver<'a> {
    /// GROUP BY.
    pub(super) fn group_by(&mut self, id: LevelId, items: &'a [pg::Node], _distinct: bool) {
        if items.is_empty() {
            return;
        }
        let (mut keys, mut sets, mut plain) = (Vec::with_capacity(items.len()), 1u64, true);
        for item in items {
            let (count, is_plain) = self.group_item(item, &mut keys);
            sets = sets.saturating_mul(count);
            plain &= is_plain;
        }
        if sets > self.policy().limits.max_grouping_sets {
            let at = items.iter().find_map(|item| {
                let Some(ClauseNode::GroupingSet(set)) = clause_node(item) else { return None };
                loc(set.location)
            });
            self.refuse(at, Refused::GroupingSets);
        }
        if let Some(level) = self.level_mut(id) {
            level.group = Some(Group { keys, single_set: plain });
        }
    }

    /// One item of GROUP BY: how many grouping sets it makes, and whether it is a plain key.
    fn group_item(&mut self, node: &'a pg::Node, keys: &mut Vec<ExprId>) -> (u64, bool) {
        if let Some(ClauseNode::GroupingSet(pg::GroupingSet { kind, content, location })) = clause_node(node) {
            let inner: Vec<u64> = content.iter().map(|item| self.group_item(item, keys).0).collect();
            let members = u32::try_from(inner.len()).unwrap_or(u32::MAX);
            let count = match pg::GroupingSetKind::try_from(*kind) {
                Ok(pg::GroupingSetKind::GroupingSetEmpty | pg::GroupingSetKind::GroupingSetSimple) => 1,
                Ok(pg::GroupingSetKind::GroupingSetRollup) => u64::from(members) + 1,
                Ok(pg::GroupingSetKind::GroupingSetCube) => 2u64.checked_pow(members).unwrap_or(u64::MAX),
                Ok(pg::GroupingSetKind::GroupingSetSets) => {
                    inner.iter().fold(0u64, |sum, count| sum.saturating_add(*count))
                }
                Ok(pg::GroupingSetKind::Undefined) | Err(_) => {
                    self.refuse(loc(*location), Refused::Unsupported("a kind of grouping set"));
                    1
                }
            };
            return (count, false);
        }
        // `(a, b)` without ROW is a list of keys, not a row.
        if let Some(ExprNode::RowExpr(row)) = expr_node(node)
            && row.row_format == pg::CoercionForm::CoerceImplicitCast as i32
        {
            for item in &row.args {
                self.group_item(item, keys);
            }
            return (1, true);
        }
        let key = self.group_key(node);
        keys.push(key);
        (1, true)
    }

    /// A key: local input column, then output name or ordinal, then outer levels.
    fn group_key(&mut self, node: &'a pg::Node) -> ExprId {
        let Some((name, at)) = bare_name(node) else {
            return match ordinal(node) {
                Some((position, at)) => self.output_at(position, at),
                None => self.expr(node),
            };
        };
        let top = self.scopes.len().saturating_sub(1);
        match self.bare_at(top, name) {
            // What a function's row may hold is readable, and never a key of a table.
            Lookup::Missing | Lookup::MayCapture => self.output_named(name, at).unwrap_or_else(|| self.expr(node)),
            Lookup::MaybeMissing if self.has_output(name) => self.refuse_expr(at, Refused::Ambiguous(name, Vec::new())),
            Lookup::MaybeMissing
            | Lookup::Bound(_)
            | Lookup::Hidden(_)
            | Lookup::System
            | Lookup::Several(_)
            | Lookup::Silent => self.expr(node),
        }
    }

    /// The output of the current level at a 1-based position.
    fn output_at(&mut self, position: i32, at: Loc) -> ExprId {
        let level = self.level_id();
        let found = usize::try_from(position)
            .ok()
            .and_then(|position| self.tree.level(level)?.outputs.get(position.checked_sub(1)?).copied());
        match found {
            Some(output) => {
                let uncertain = self.tree.level(level).and_then(|level| level.uncertain);
                if let Some(star) = output.unordered.or(uncertain) {
                    self.refuse_position(star);
                }
                output.expr.unwrap_or_else(|| self.push(ExprKind::Other(List::default()), at))
            }
            // Past the last output: the server refuses it.
            None => self.push(ExprKind::Other(List::default()), at),
        }
    }

    fn has_output(&self, name: &str) -> bool {
        self.tree.level(self.level_id()).is_some_and(|level| level.outputs.iter().any(|output| output.name == name))
    }

    /// The output of the current level of that name.
    fn output_named(&mut self, name: &'a str, at: Loc) -> Option<ExprId> {
        let level = self.tree.level(self.level_id())?;
        let mut named = level.outputs.iter().filter(|output| output.name == name);
        let first = named.next()?;
        // Several outputs of one name are fine to the server while they are one expression, and an error else. Here only
        // plain references are told apart.
        let first_kind = first.expr.map(|expr| self.plain(expr));
        let one = named.all(|other| match (first_kind, other.expr.map(|expr| self.plain(expr))) {
            (Some(first), Some(other)) => may_be_same(first, other),
            (_, _) => true,
        });
        let expr = first.expr;
        if !one {
            return Some(self.refuse_expr(at, Refused::Ambiguous(name, Vec::new())));
        }
        Some(expr.unwrap_or_else(|| self.push(ExprKind::Other(List::default()), at)))
    }

    /// An expression, with the column in place of what USING merged by an inner or one-sided join.
    fn plain(&self, expr: ExprId) -> ExprKind<'a> {
        let mut kind = self.tree.expr(expr).kind;
        while let ExprKind::Merged(join, left, right) = kind {
            kind = match join {
                JoinKind::Inner | JoinKind::Left => self.tree.expr(left).kind,
                JoinKind::Right => self.tree.expr(right).kind,
                JoinKind::Full => return kind,
            };
        }
        kind
    }

    /// ORDER BY of a query. Over a set operation only names and ordinals of the first arm's outputs.
    pub(super) fn order_by(&mut self, id: LevelId, items: &'a [pg::Node], over_set: bool) -> List {
        if over_set {
            for item in items {
                let Some((node, at)) = self.sort_item(item) else { continue };
                let known = match (bare_name(node), ordinal(node)) {
                    (Some((name, _)), _)
                        if self.has_output(name) || self.tree.level(id).is_some_and(|level| level.open) =>
                    {
                        true
                    }
                    (Some((name, _)), _) => {
                        self.refuse(at, Refused::Column(name.to_owned(), None));
                        continue;
                    }
                    (None, Some((position, _))) => {
                        let count = self.tree.level(id).map_or(0, |level| level.outputs.len());
                        usize::try_from(position).is_ok_and(|position| (1..=count).contains(&position))
                    }
                    (None, None) => false,
                };
                if !known {
                    self.refuse(at, Refused::Unsupported("an expression in ORDER BY over a set operation"));
                }
            }
            return List::default();
        }
        self.sort_list(items, Sorting::Outputs)
    }

    /// A list of sort items.
    pub(super) fn sort_list(&mut self, items: &'a [pg::Node], sorting: Sorting) -> List {
        let mut list = Vec::with_capacity(items.len());
        for item in items {
            if let Some((node, _)) = self.sort_item(item) {
                let key = match sorting {
                    Sorting::Outputs => self.sort_key(node),
                    Sorting::Inputs => self.expr(node),
                };
                list.push(key);
            }
        }
        self.list(&list)
    }

    fn sort_item(&mut self, item: &'a pg::Node) -> Option<(&'a pg::Node, Loc)> {
        let Some(ClauseNode::SortBy(pg::SortBy { node, sortby_dir: _, sortby_nulls: _, use_op, location })) =
            clause_node(item)
        else {
            self.refuse(None, Refused::Unsupported("an item of ORDER BY"));
            return None;
        };
        let at = node.as_deref().and_then(expr_node).and_then(expr_loc).or(loc(*location));
        if !use_op.is_empty() {
            self.refuse(loc(*location).or(at), Refused::Unsupported("ORDER BY … USING"));
        }
        Some((node.as_deref()?, at))
    }

    /// A key of ORDER BY or DISTINCT ON: output name (a bare name only) or ordinal first, then input columns.
    fn sort_key(&mut self, node: &'a pg::Node) -> ExprId {
        if let Some((name, at)) = bare_name(node)
            && let Some(output) = self.output_named(name, at)
        {
            return output;
        }
        match ordinal(node) {
            Some((position, at)) => self.output_at(position, at),
            None => self.expr(node),
        }
    }

    /// DISTINCT and DISTINCT ON.
    pub(super) fn distinct(&mut self, id: LevelId, clause: &'a [pg::Node]) {
        let distinct = match clause {
            [] => Distinct::No,
            // The grammar spells plain DISTINCT as a list of one empty node.
            [pg::Node { node: None }] => Distinct::All,
            keys => {
                let inputs = weak(Switch::DistinctOnInputFirst);
                let keys: Vec<ExprId> =
                    keys.iter().map(|key| if inputs { self.expr(key) } else { self.sort_key(key) }).collect();
                Distinct::On(self.list(&keys))
            }
        };
        if let Some(level) = self.level_mut(id) {
            level.distinct = distinct;
        }
    }

    /// WINDOW: the definitions that OVER can name. They see input columns only.
    pub(super) fn window_clause(&mut self, definitions: &'a [pg::Node]) {
        for definition in definitions {
            let Some(ClauseNode::WindowDef(window)) = clause_node(definition) else {
                self.refuse(None, Refused::Unsupported("an item of WINDOW"));
                continue;
            };
            let (partition, _) = self.window(window);
            if let Some(scope) = self.scopes.last_mut() {
                scope.windows.push((&window.name, partition));
            }
        }
    }

    /// A window: its PARTITION BY, inherited where it names another, and everything else in it.
    pub(super) fn window(&mut self, window: &'a pg::WindowDef) -> (List, Vec<ExprId>) {
        let pg::WindowDef {
            name: _,
            refname,
            partition_clause,
            order_clause,
            frame_options: _,
            start_offset,
            end_offset,
            location: _,
        } = window;
        let own = self.expr_list(partition_clause);
        let partition = match self.named_window(refname) {
            Some(inherited) if partition_clause.is_empty() => inherited,
            Some(_) | None => own,
        };
        let order = self.sort_list(order_clause, Sorting::Inputs);
        let mut others: Vec<ExprId> = self.tree.list(partition).iter().chain(self.tree.list(order)).copied().collect();
        for offset in [start_offset, end_offset].into_iter().flatten() {
            let offset = self.expr(offset);
            others.push(offset);
        }
        (partition, others)
    }

    /// The PARTITION BY of the window of that name.
    pub(super) fn named_window(&self, name: &str) -> Option<List> {
        self.scopes.last()?.windows.iter().find(|(own, _)| *own == name).map(|(_, partition)| *partition)
    }

    /// LIMIT and FETCH; ALL and NULL are none.
    pub(super) fn limit(&mut self, node: Option<&'a pg::Node>) -> Option<ExprId> {
        let limit = self.row_count(node)?;
        (!matches!(self.tree.expr(limit).kind, ExprKind::Null)).then_some(limit)
    }

    /// The expression of LIMIT or OFFSET: no column of this level may stand in it (`checkExprIsVarFree`).
    pub(super) fn row_count(&mut self, node: Option<&'a pg::Node>) -> Option<ExprId> {
        let (node, own) = (node?, self.scopes.len());
        self.aggregates.push(Aggregate { scopes: own, nearest: None });
        let count = self.expr(node);
        let nearest = self.aggregates.pop().and_then(|found| found.nearest);
        if nearest.is_some_and(|nearest| nearest + 1 == own) {
            let at = self.tree.expr(count).loc;
            self.refuse(at, Refused::Unsupported("a column in LIMIT or OFFSET"));
        }
        Some(count)
    }
}

/// Not two references to different columns.
fn may_be_same(left: ExprKind<'_>, right: ExprKind<'_>) -> bool {
    match (left, right) {
        (ExprKind::Column(a, x), ExprKind::Column(b, y)) => a == b && x == y,
        (ExprKind::Merged(_, a, x), ExprKind::Merged(_, b, y)) => a == b && x == y,
        (ExprKind::Column(..), _) | (_, ExprKind::Column(..)) => false,
        (_, _) => true,
    }
}

/// A reference of one part, which may be an output name.
fn bare_name(node: &pg::Node) -> Option<(&str, Loc)> {
    let ExprNode::ColumnRef(pg::ColumnRef { fields, location }) = expr_node(node)? else { return None };
    let [only] = fields.as_slice() else { return None };
    Some((string(only)?, loc(*location)))
}

/// An integer constant, which is an ordinal here.
pub(super) fn ordinal(node: &pg::Node) -> Option<(i32, Loc)> {
    let ExprNode::AConst(pg::AConst { isnull: _, location, val }) = expr_node(node)? else { return None };
    let Some(pg::a_const::Val::Ival(pg::Integer { ival })) = val else { return None };
    Some((*ival, loc(*location)))
}
