//! What a write puts into tenant columns: only the caller's value keeps its rows the caller's.
//!
//! Receives the resolved form, and the fixpoint where rows come from a query; returns each tenant column of the target that
//! gets, or may get, anything else.

use std::collections::BTreeSet;

use crate::resolve::tree::{
    Body, ExprId, ExprKind, LevelId, Loc, RelKind, SubqueryKind, Tree, Value, Write, WriteKind,
};
use crate::weaken::{Switch, weak};

use super::caller::Caller;
use super::columns::{ColumnId, Columns, Feed, Source, spoken_for};
use super::params::Carried;
use super::solve::Solver;
use super::value::{self, Quality};

/// A tenant column that may get another value than the caller's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ForeignWrite {
    /// The key, by its position in the policy.
    pub key: usize,
    /// What is wrong.
    pub lack: WriteLack,
}

/// See [`ForeignWrite`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WriteLack {
    /// INSERT leaves the column out.
    LeftOut,
    /// The column gets its default: where that is written.
    Default(Loc),
    /// Only a part of the column is written: where.
    Part(Loc),
    /// A constant in place of `$n`: where it stands.
    Constant(Loc),
    /// Another value, or one that nothing holds to the caller: where it stands.
    Value(Loc),
    /// A column that may be NULL: where it stands.
    MayBeNull(Loc),
}

impl WriteLack {
    /// The same at a place, where it has none: what `TABLE t` gives stands nowhere in the text.
    fn or_at(self, at: Loc) -> Self {
        match self {
            WriteLack::LeftOut => WriteLack::LeftOut,
            WriteLack::Default(loc) => WriteLack::Default(loc.or(at)),
            WriteLack::Part(loc) => WriteLack::Part(loc.or(at)),
            WriteLack::Constant(loc) => WriteLack::Constant(loc.or(at)),
            WriteLack::Value(loc) => WriteLack::Value(loc.or(at)),
            WriteLack::MayBeNull(loc) => WriteLack::MayBeNull(loc.or(at)),
        }
    }
}

/// The tenant columns of the target: key, position in INSERT's list or in SET.
fn positions<'t>(tree: &'t Tree<'_>, caller: &'t Caller) -> impl Iterator<Item = (usize, Vec<usize>)> + 't {
    let columns = move |write: &'t Write<'_>, column: usize| {
        let of = move |at: Option<u32>| at.is_some_and(|at| at as usize == column);
        let listed = write.columns.iter().map(|target| target.column);
        listed.chain(write.sets.iter().map(|set| set.target.column)).enumerate().filter(move |(_, at)| of(*at))
    };
    let write = tree.write.as_ref();
    let table = write.and_then(|write| match tree.rel(write.target)?.kind {
        RelKind::Table(table) => tree.policy.tables.get(table as usize),
        RelKind::Derived(_) | RelKind::Cte(_) | RelKind::SelfRef(_) | RelKind::Function { .. } | RelKind::Unknown => {
            None
        }
    });
    let keys = table.map_or(&[][..], |table| &table.tenant_columns).iter().enumerate();
    keys.filter_map(move |(key, column)| {
        caller.keys.get(key)?.values.as_ref()?;
        let found = columns(write?, (*column)?).map(|(at, _)| at).collect();
        Some((key, found))
    })
}

/// The outputs of a query that an INSERT puts into tenant columns: level, output, key.
pub fn fed_outputs(tree: &Tree<'_>, caller: &Caller) -> Vec<(LevelId, usize, usize)> {
    let Some(source) = tree.write.as_ref().and_then(|write| write.source) else { return Vec::new() };
    positions(tree, caller).flat_map(|(key, places)| places.into_iter().map(move |at| (source, at, key))).collect()
}

/// Asks for every fact that the rows of an INSERT may rest on, before the fixpoint runs; true if there are any.
pub fn ask(columns: &mut Columns<'_, '_>) -> bool {
    let before = columns.asked;
    for (source, at, key) in fed_outputs(columns.tree, columns.caller) {
        let mut cells = Vec::new();
        each_cell(columns.tree, source, at, &mut cells);
        for (_, cell) in cells {
            columns.feed(cell, key);
        }
    }
    columns.asked > before
}

/// The expressions that are values of tenant columns: a `$n` among them carries the key.
pub fn value_uses(columns: &Columns<'_, '_>) -> Vec<(ExprId, Carried)> {
    let (tree, caller) = (columns.tree, columns.caller);
    let Some(write) = &tree.write else { return Vec::new() };
    let mut found = Vec::new();
    for (key, places) in positions(tree, caller) {
        for at in places {
            let mut cells = Vec::new();
            match (write.source, write.sets.get(at)) {
                (Some(source), _) => each_cell(tree, source, at, &mut cells),
                (None, Some(set)) => cells.extend(match set.value {
                    Value::Expr(expr) => Some((tree.root, expr)),
                    Value::Output(_) => None,
                }),
                (None, None) => {}
            }
            let param = |(_, cell): (LevelId, ExprId)| value::value(tree, caller, key, cell)?.param;
            found.extend(cells.into_iter().filter_map(param).map(|(_, expr)| (expr, Carried { key, array: false })));
        }
    }
    found
}

/// The expressions at one position of a query's rows, with their level: of every row, of every arm of a set operation.
fn each_cell(tree: &Tree<'_>, source: LevelId, at: usize, out: &mut Vec<(LevelId, ExprId)>) {
    let mut open = vec![source];
    while let Some(id) = open.pop() {
        let Some(level) = tree.level(id) else { continue };
        match &level.body {
            Body::Select { .. } => {
                out.extend(level.outputs.get(at).and_then(|output| output.expr).map(|expr| (id, expr)));
            }
            Body::Values { rows } => {
                out.extend(rows.iter().filter_map(|row| tree.list(*row).get(at)).map(|cell| (id, *cell)));
            }
            Body::SetOp { arms, .. } => open.extend(spoken_for(arms).iter().rev()),
        }
    }
}

/// Every tenant column that may get another value than the caller's. `solver`: at the end of its fixpoint.
pub fn foreign_writes(solver: &mut Solver<'_, '_, '_>) -> Vec<ForeignWrite> {
    let (tree, caller) = (solver.columns.tree, solver.columns.caller);
    let Some(write) = &tree.write else { return Vec::new() };
    let mut never_null = None;
    let mut found = Vec::new();
    let places: Vec<(usize, Vec<usize>)> = positions(tree, caller).collect();
    for (key, places) in places {
        // Without a column list (`writes.shape`) nobody knows.
        if write.kind == WriteKind::Insert && places.is_empty() && !write.columns.is_empty() {
            found.push(ForeignWrite { key, lack: WriteLack::LeftOut });
        }
        for at in places {
            if write.sets.get(at).is_some_and(|set| set.several) && weak(Switch::SetSeveral) {
                continue;
            }
            let target = write.columns.get(at).or(write.sets.get(at).map(|set| &set.target));
            if let Some(target) = target.filter(|target| target.part) {
                found.push(ForeignWrite { key, lack: WriteLack::Part(target.loc) });
                continue;
            }
            let mut cells = Vec::new();
            match (write.source, write.sets.get(at).map(|set| set.value)) {
                (Some(source), _) => {
                    each_cell(tree, source, at, &mut cells);
                    let open = tree.level(source).is_none_or(|level| level.open);
                    if cells.is_empty() && !open {
                        found.push(ForeignWrite { key, lack: WriteLack::LeftOut });
                    }
                    if weak(Switch::InsertFirstRow) {
                        cells.truncate(1);
                    }
                }
                (None, Some(Value::Expr(expr))) => cells.push((tree.root, expr)),
                (None, Some(Value::Output(level))) => {
                    let loc = subquery_loc(tree, level).or(target.and_then(|target| target.loc));
                    found.push(ForeignWrite { key, lack: WriteLack::Value(loc) });
                }
                (None, None) => {}
            }
            for (level, cell) in cells {
                let lack = match value_lack(tree, caller, key, cell) {
                    Judged::Own | Judged::Silent => continue,
                    Judged::Lack(lack) => lack,
                    Judged::Other => {
                        let null = never_null.get_or_insert_with(|| NeverNull::new(solver));
                        match column_lack(solver, null, key, (level, cell), write.kind == WriteKind::Insert) {
                            Some(lack) => lack,
                            None => continue,
                        }
                    }
                };
                found.push(ForeignWrite { key, lack: lack.or_at(target.and_then(|target| target.loc)) });
            }
        }
    }
    found.retain(|write_found| {
        let lack = &write_found.lack;
        let left_out = matches!(lack, WriteLack::LeftOut | WriteLack::Default(_));
        match write.kind {
            WriteKind::Insert if left_out => !weak(Switch::InsertNoTenant),
            WriteKind::Insert => !weak(Switch::InsertAnyTenant),
            WriteKind::Update | WriteKind::Delete => !weak(Switch::SetAnyTenant),
        }
    });
    found.sort_unstable();
    found.dedup();
    found
}

fn subquery_loc(tree: &Tree<'_>, level: LevelId) -> Loc {
    tree.exprs.iter().find_map(|expr| match expr.kind {
        ExprKind::Subquery(SubqueryKind::Scalar, of) if of == level => expr.loc,
        _ => None,
    })
}

enum Judged {
    /// The caller's value.
    Own,
    /// It was refused already.
    Silent,
    /// Not the caller's value.
    Lack(WriteLack),
    /// No value: perhaps a column.
    Other,
}

fn value_lack(tree: &Tree<'_>, caller: &Caller, key: usize, cell: ExprId) -> Judged {
    match tree.expr(cell).kind {
        ExprKind::Unknown => return Judged::Silent,
        ExprKind::Default => return Judged::Lack(WriteLack::Default(tree.expr(cell).loc)),
        _ => {}
    }
    match value::value(tree, caller, key, cell) {
        Some(value) => match value.quality {
            Quality::Own => Judged::Own,
            Quality::Literal => Judged::Lack(WriteLack::Constant(value.loc)),
            Quality::Foreign => Judged::Lack(WriteLack::Value(value.loc)),
        },
        None => Judged::Other,
    }
}

/// What a cell that is no value lacks. INSERT may take a column that holds the caller's value and is never NULL; SET takes
/// the caller's value alone.
fn column_lack(
    solver: &mut Solver<'_, '_, '_>,
    never_null: &NeverNull,
    key: usize,
    (level, cell): (LevelId, ExprId),
    insert: bool,
) -> Option<WriteLack> {
    let loc = leftmost(solver.columns.tree, cell);
    let Feed::Column(column) = solver.columns.feed(cell, key) else { return Some(WriteLack::Value(loc)) };
    if !insert || solver.known(column).is_none() {
        return Some(WriteLack::Value(loc));
    }
    (!never_null.expr(solver, (level, cell), key)).then_some(WriteLack::MayBeNull(loc))
}

/// Where an expression begins.
fn leftmost(tree: &Tree<'_>, expr: ExprId) -> Loc {
    let (mut open, mut first) = (vec![expr], None);
    while let Some(expr) = open.pop() {
        first = match (first, tree.expr(expr).loc) {
            (Some(a), Some(b)) => Some(u32::min(a, b)),
            (a, b) => a.or(b),
        };
        tree.each_operand(expr, &mut |operand| open.push(operand));
    }
    first
}

/// Outputs of levels that are NULL in no row: level, output, key.
pub struct NeverNull(BTreeSet<(LevelId, usize, usize)>);

impl NeverNull {
    /// Looks at every output that is a tenant column, from the inside out.
    fn new(solver: &mut Solver<'_, '_, '_>) -> Self {
        let tree = solver.columns.tree;
        let mut found = NeverNull(BTreeSet::new());
        for id in &tree.order {
            let asked: Vec<(usize, u64)> = solver.columns.tenant_outputs(*id).collect();
            for (output, keys) in asked {
                for key in (0..solver.columns.caller.keys.len()).filter(|key| keys & super::columns::bit(*key) != 0) {
                    let Some(level) = tree.level(*id) else { continue };
                    let never = match &level.body {
                        Body::Select { .. } => level
                            .outputs
                            .get(output)
                            .and_then(|output| output.expr)
                            .is_some_and(|expr| found.expr(solver, (*id, expr), key)),
                        Body::Values { rows } => rows.iter().all(|row| {
                            tree.list(*row).get(output).is_some_and(|cell| found.expr(solver, (*id, *cell), key))
                        }),
                        Body::SetOp { arms, .. } => arms.iter().all(|arm| found.0.contains(&(*arm, output, key))),
                    };
                    if never {
                        found.0.insert((*id, output, key));
                    }
                }
            }
        }
        found
    }

    fn expr(&self, solver: &mut Solver<'_, '_, '_>, (level, expr): (LevelId, ExprId), key: usize) -> bool {
        // A grouping set without the column gives NULL for it.
        let group = solver.columns.tree.level(level).and_then(|level| level.group.as_ref());
        if group.is_some_and(|group| !group.single_set) {
            return false;
        }
        match solver.columns.feed(expr, key) {
            Feed::Value(_) => true,
            Feed::Column(column) => self.column(solver, column),
            Feed::Null | Feed::Other => false,
        }
    }

    /// Whether a column is NULL in no row that leaves its level.
    fn column(&self, solver: &mut Solver<'_, '_, '_>, column: ColumnId) -> bool {
        let Some(found) = solver.columns.all.get(column.at()).copied() else { return false };
        let Source::Relation(rel, output) = found.source else { return false };
        let tree = solver.columns.tree;
        if !solver.is_never_extended(rel) {
            return false;
        }
        // An equality holds it: that is no NULL.
        if solver.proven(column).is_some() {
            return true;
        }
        match tree.rel(rel).map(|rel| &rel.kind) {
            // By the assumptions, a table's tenant columns are NOT NULL.
            Some(RelKind::Table(_)) => true,
            Some(RelKind::Derived(_) | RelKind::Cte(_)) => {
                tree.source_level(rel).is_some_and(|level| self.0.contains(&(level, output as usize, found.key)))
            }
            // What the recursive term reads is what the arms gave before: NULL only if one of them gives NULL, and then the
            // whole does.
            Some(RelKind::SelfRef(_)) => true,
            Some(RelKind::Function { .. } | RelKind::Unknown) | None => false,
        }
    }
}
