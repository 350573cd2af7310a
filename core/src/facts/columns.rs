//! Tenant columns: which resolved columns carry a tenant key, in tables, through derived tables and through USING.
//!
//! A column of a derived table, CTE or set operation is one only while every expression that feeds it, in every branch and
//! row, is one (or the caller's value, or NULL): a branch of another type or collation would change what `=` means.

use std::collections::BTreeMap;

use crate::resolve::tree::{Body, ExprId, ExprKind, JoinKind, LevelId, RelId, RelKind, Tree};

use super::caller::Caller;
use super::params::Carried;
use super::value::{self, Value};
use crate::weaken::{Switch, weak};

/// A tenant column, by its position in [`Columns::all`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ColumnId(pub u32);

impl ColumnId {
    /// The position.
    pub const fn at(self) -> usize {
        self.0 as usize
    }
}

/// A tenant column of one relation of one level.
#[derive(Clone, Copy, Debug)]
pub struct TenantColumn {
    /// The key, by its position in the policy.
    pub key: usize,
    /// Where it comes from.
    pub source: Source,
}

/// See [`TenantColumn`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The column of a relation: a table's own, or an output of a subquery or CTE.
    Relation(RelId, u32),
    /// What FULL JOIN … USING merged of two tenant columns.
    Merged(ColumnId, ColumnId),
}

/// What an output column is fed by.
#[derive(Clone, Copy, Debug)]
pub enum Feed {
    /// A tenant column.
    Column(ColumnId),
    /// A value in one of rule 3's forms.
    Value(Value),
    /// NULL.
    Null,
    /// Something else.
    Other,
}

/// The tenant columns of a statement, found as they are asked for.
pub struct Columns<'t, 'a> {
    /// The resolved statement.
    pub tree: &'t Tree<'a>,
    /// Who asks.
    pub caller: &'t Caller,
    /// What each `$n` carries, as far as comparisons with tables' own columns tell: only then is it a value in an output.
    carried: BTreeMap<u32, Carried>,
    /// The parameters that carry a key only by what they feed.
    pub linked: BTreeMap<u32, Carried>,
    /// Every tenant column found so far.
    pub all: Vec<TenantColumn>,
    /// By relation: (column, key, tenant column).
    by_rel: Vec<Vec<(u32, usize, ColumnId)>>,
    /// What FULL JOIN merged, by what it is merged of.
    by_parts: BTreeMap<(ColumnId, ColumnId), ColumnId>,
    /// By level and output: for which keys it is a tenant column (a bit each), once known.
    outputs: Vec<Vec<Option<u64>>>,
    /// How many outputs are known.
    pub asked: usize,
}

impl<'t, 'a> Columns<'t, 'a> {
    /// No columns yet. `carried`: what each `$n` is known to carry.
    pub fn new(tree: &'t Tree<'a>, caller: &'t Caller, carried: BTreeMap<u32, Carried>) -> Self {
        Columns {
            tree,
            caller,
            carried,
            linked: BTreeMap::new(),
            all: Vec::with_capacity(tree.rels.len()),
            by_rel: vec![Vec::new(); tree.rels.len()],
            outputs: vec![Vec::new(); tree.levels.len()],
            asked: 0,
            by_parts: BTreeMap::new(),
        }
    }

    /// The tenant column that an expression is, for a key. The flag: it stands under a text cast that the key's type does not
    /// make redundant.
    pub fn of_expr(&mut self, expr: ExprId, key: usize) -> Option<(ColumnId, bool)> {
        let ty = self.caller.keys.get(key)?.ty;
        match self.tree.expr(expr).kind {
            ExprKind::Column(rel, column) => Some((self.of_rel(rel, column, key)?, false)),
            ExprKind::Merged(kind, left, right) => {
                if weak(Switch::UsingOneSide) {
                    return self.of_expr(left, key).or_else(|| self.of_expr(right, key));
                }
                // The right side first: a chain of joins is deep on its left.
                let (right, right_cast) = self.of_expr(right, key)?;
                let (left, left_cast) = self.of_expr(left, key)?;
                if left_cast || right_cast {
                    return None;
                }
                match kind {
                    JoinKind::Inner | JoinKind::Left => Some((left, false)),
                    JoinKind::Right => Some((right, false)),
                    JoinKind::Full => Some((self.merged(left, right, key), false)),
                }
            }
            ExprKind::Call(call) if weak(Switch::HavingNonKey) || weak(Switch::DeferAggregate) => {
                let call = self.tree.calls.get(call.at()).filter(|call| matches!(call.name, "min" | "max"))?;
                self.of_expr(*self.tree.list(call.args).first()?, key)
            }
            ExprKind::Collate(inner) if weak(Switch::Collate) => self.of_expr(inner, key),
            ExprKind::Cast(inner, cast) if cast.is_builtin("bpchar") && weak(Switch::BpcharCasts) => {
                self.of_expr(inner, key)
            }
            ExprKind::Cast(inner, cast) if cast.is_text() => {
                let (column, under) = self.of_expr(inner, key)?;
                Some((column, under || ty != crate::policy::KeyType::Text))
            }
            _ => None,
        }
    }

    /// The tenant column that a relation's column is, for a key.
    pub fn of_rel(&mut self, rel: RelId, column: u32, key: usize) -> Option<ColumnId> {
        let known = self.by_rel.get(rel.at())?.iter().find(|(at, of, _)| *at == column && *of == key);
        if let Some((_, _, id)) = known {
            return Some(*id);
        }
        let is_tenant = match self.tree.rel(rel)?.kind {
            RelKind::Table(table) => {
                let table = self.tree.policy.tables.get(table as usize)?;
                table.tenant_columns.get(key).copied().flatten() == Some(column as usize)
            }
            RelKind::Derived(_) | RelKind::Cte(_) | RelKind::SelfRef(_) => {
                let level = self.tree.source_level(rel)?;
                self.keys_of_output(level, column as usize) & bit(key) != 0
            }
            RelKind::Function { .. } | RelKind::Unknown => false,
        };
        if !is_tenant {
            return None;
        }
        let id = self.add(TenantColumn { key, source: Source::Relation(rel, column) });
        self.by_rel.get_mut(rel.at())?.push((column, key, id));
        Some(id)
    }

    /// The column that FULL JOIN … USING makes of two.
    pub fn merged(&mut self, left: ColumnId, right: ColumnId, key: usize) -> ColumnId {
        if let Some(known) = self.by_parts.get(&(left, right)) {
            return *known;
        }
        let id = self.add(TenantColumn { key, source: Source::Merged(left, right) });
        self.by_parts.insert((left, right), id);
        id
    }

    fn add(&mut self, column: TenantColumn) -> ColumnId {
        let id = ColumnId(u32::try_from(self.all.len()).unwrap_or(u32::MAX));
        self.all.push(column);
        id
    }

    /// What an output's expression is, for a key.
    pub fn feed(&mut self, expr: ExprId, key: usize) -> Feed {
        let Some(ty) = self.caller.keys.get(key).map(|key| key.ty) else { return Feed::Other };
        if let Some((column, under_cast)) = self.of_expr(expr, key) {
            return if under_cast { Feed::Other } else { Feed::Column(column) };
        }
        if value::is_null(self.tree, expr, ty) {
            return Feed::Null;
        }
        match value::value(self.tree, self.caller, key, expr) {
            Some(found) => match found.param {
                // A bare `$n` in an output has no certain type; one that carries another key, or an array, is no value of this.
                Some((number, _)) => {
                    let declared = value::declared_param(self.tree, expr, ty, false).is_some();
                    let own = self.carried.get(&number) == Some(&Carried { key, array: false });
                    if declared && own { Feed::Value(found) } else { Feed::Other }
                }
                None => Feed::Value(found),
            },
            None => Feed::Other,
        }
    }

    /// For which keys an output of a level is a tenant column, as a bit each.
    ///
    /// Outputs are fed by outputs of other levels, in chains as long as the text has CTEs: an explicit stack follows them,
    /// so that no text can exhaust the thread's.
    pub fn keys_of_output(&mut self, level: LevelId, output: usize) -> u64 {
        if let Some(known) = self.known_keys(level, output) {
            return known;
        }
        // While it is being found out, a reference to itself (a recursive term) adds nothing against it.
        self.remember(level, output, u64::MAX);
        let mut open = vec![(level, output)];
        while let Some((level, output)) = open.last().copied() {
            match self.next_source(level, output) {
                Some((source, of)) => {
                    self.remember(source, of, u64::MAX);
                    open.push((source, of));
                }
                None => {
                    let found = self.find_keys(level, output);
                    self.remember(level, output, found);
                    open.pop();
                }
            }
        }
        self.known_keys(level, output).unwrap_or(0)
    }

    /// The outputs that have been asked for, with their keys: those of one level.
    pub fn tenant_outputs(&self, level: LevelId) -> impl Iterator<Item = (usize, u64)> + '_ {
        let outputs = self.outputs.get(level.at()).into_iter().flatten().enumerate();
        outputs.filter_map(|(output, keys)| Some((output, (*keys)?))).filter(|(_, keys)| *keys != 0)
    }

    fn known_keys(&self, level: LevelId, output: usize) -> Option<u64> {
        self.outputs.get(level.at())?.get(output).copied().flatten()
    }

    /// An output that feeds this one and that nothing is known of yet.
    fn next_source(&mut self, id: LevelId, output: usize) -> Option<(LevelId, usize)> {
        let tree = self.tree;
        match &tree.level(id)?.body {
            Body::Select { .. } => self.unknown_source(tree.level(id)?.outputs.get(output)?.expr?),
            Body::Values { rows } => {
                rows.iter().find_map(|row| self.unknown_source(tree.list(*row).get(output).copied()?))
            }
            Body::SetOp { arms, .. } => {
                let mut keys = u64::MAX;
                for arm in spoken_for(arms) {
                    // A recursive term refers to what the arms before it gave.
                    self.remember(id, output, keys);
                    match self.known_keys(*arm, output) {
                        None if keys != 0 => return Some((*arm, output)),
                        Some(_) | None => keys &= self.known_keys(*arm, output).unwrap_or(0),
                    }
                }
                None
            }
        }
    }

    fn unknown_source(&self, expr: ExprId) -> Option<(LevelId, usize)> {
        let mut open = vec![expr];
        while let Some(expr) = open.pop() {
            match self.tree.expr(expr).kind {
                ExprKind::Column(rel, column) => {
                    if let Some(level) = self.tree.source_level(rel)
                        && self.known_keys(level, column as usize).is_none()
                    {
                        return Some((level, column as usize));
                    }
                }
                ExprKind::Merged(_, left, right) => open.extend([right, left]),
                ExprKind::Cast(inner, _) => open.push(inner),
                _ => {}
            }
        }
        None
    }

    fn find_keys(&mut self, id: LevelId, output: usize) -> u64 {
        let tree = self.tree;
        let Some(level) = tree.level(id) else { return 0 };
        match &level.body {
            Body::Select { .. } => match level.outputs.get(output).and_then(|output| output.expr) {
                Some(expr) => self.keys_of_expr(expr),
                None => 0,
            },
            Body::Values { rows } => rows.iter().fold(u64::MAX, |keys, row| match tree.list(*row).get(output) {
                Some(cell) if keys != 0 => keys & self.keys_of_expr(*cell),
                Some(_) | None => 0,
            }),
            Body::SetOp { arms, .. } => {
                let keys = |arm: &LevelId| self.known_keys(*arm, output).unwrap_or(0);
                spoken_for(arms).iter().fold(u64::MAX, |all, arm| all & keys(arm))
            }
        }
    }

    fn keys_of_expr(&mut self, expr: ExprId) -> u64 {
        let keys = self.caller.keys.len();
        (0..keys).filter(|key| !matches!(self.feed(expr, *key), Feed::Other)).fold(0, |bits, key| bits | bit(key))
    }

    fn remember(&mut self, level: LevelId, output: usize, keys: u64) {
        let Some(outputs) = self.outputs.get_mut(level.at()) else { return };
        if outputs.len() <= output {
            outputs.resize(output + 1, None);
        }
        if let Some(slot) = outputs.get_mut(output) {
            self.asked += usize::from(slot.replace(keys).is_none());
        }
    }
}

/// A policy has at most 64 tenant keys; one beyond has no bit, and nothing is proven for it.
pub fn bit(key: usize) -> u64 {
    u32::try_from(key).ok().and_then(|key| 1u64.checked_shl(key)).unwrap_or(0)
}

/// The branches of a set operation that have to agree: all of them.
pub fn spoken_for(arms: &[LevelId]) -> &[LevelId] {
    if weak(Switch::SetOperationFacts) { arms.get(..1).unwrap_or(arms) } else { arms }
}
