//! Conditions taken apart: what each conjunct of WHERE, ON and HAVING says about tenant columns and about which relations
//! are present in a row that passes it.

use crate::resolve::tree::{Body, ExprId, ExprKind, Join, JoinId, JoinKind, LevelId, Loc, RelId, SubqueryKind, Tree};

use super::columns::{ColumnId, Columns, Source};
use super::forms::Form;
use super::value::Quality;
use crate::weaken::{Switch, weak};

/// Something that holds for every row that passes a condition.
#[derive(Debug)]
pub enum Atom {
    /// The column is one of the values written there.
    Pin(ColumnId, Quality, Loc),
    /// The two columns are equal, and neither is NULL.
    Equal(ColumnId, ColumnId),
    /// The column is one of a subquery's outputs.
    InQuery(ColumnId, LevelId, usize),
    /// The relation is present: not null-extended by an outer join.
    Present(RelId),
    /// One of these lists holds.
    Either(Vec<Vec<Atom>>),
}

/// The atoms of a whole statement.
pub struct Atoms {
    /// Of WHERE, by level.
    pub filters: Vec<Vec<Atom>>,
    /// Of HAVING, by level: only those on keys of a single grouping set, where it filters as WHERE does.
    pub havings: Vec<Vec<Atom>>,
    /// Of ON and USING, by join.
    pub ons: Vec<Vec<Atom>>,
    /// The qualities that occur.
    pub worst: Quality,
}

impl Atoms {
    /// Takes every condition of a statement apart.
    pub fn new(columns: &mut Columns<'_, '_>) -> Self {
        let tree = columns.tree;
        let mut atoms = Atoms {
            filters: Vec::with_capacity(tree.levels.len()),
            havings: Vec::with_capacity(tree.levels.len()),
            ons: Vec::with_capacity(tree.joins.len()),
            worst: Quality::Own,
        };
        for join in &tree.joins {
            let on = columns.atoms_of_join(join);
            atoms.ons.push(on);
        }
        for level in &tree.levels {
            let (mut filter_atoms, mut having_atoms) = (Vec::new(), Vec::new());
            if let Body::Select { filter: Some(filter), .. } = &level.body {
                columns.conjunct(*filter, &mut filter_atoms);
            }
            if let (Some(having), Some(group)) = (level.having, &level.group)
                && (group.single_set || weak(Switch::HavingNonKey))
            {
                columns.conjunct(having, &mut having_atoms);
                let keys: Vec<ColumnId> = group.keys.iter().flat_map(|key| columns.columns_of(*key)).collect();
                having_atoms.retain(|atom| weak(Switch::HavingNonKey) || on_keys(atom, &keys));
            }
            atoms.filters.push(filter_atoms);
            atoms.havings.push(having_atoms);
        }
        let all = atoms.filters.iter().chain(&atoms.havings).chain(&atoms.ons);
        atoms.worst = all.flatten().map(worst).max().unwrap_or(Quality::Own);
        atoms
    }
}

/// HAVING speaks of groups: only what it says of grouping keys holds for the rows in them.
fn on_keys(atom: &Atom, keys: &[ColumnId]) -> bool {
    match atom {
        Atom::Pin(column, _, _) | Atom::InQuery(column, _, _) => keys.contains(column),
        Atom::Equal(left, right) => keys.contains(left) && keys.contains(right),
        // A bare column in HAVING is one value for the whole group: where it is NULL, the group goes.
        Atom::Present(_) => true,
        Atom::Either(branches) => branches.iter().flatten().all(|atom| on_keys(atom, keys)),
    }
}

fn worst(atom: &Atom) -> Quality {
    match atom {
        Atom::Pin(_, quality, _) => *quality,
        Atom::Equal(_, _) | Atom::Present(_) => Quality::Own,
        // What feeds the subquery may be anything.
        Atom::InQuery(_, _, _) => Quality::Foreign,
        Atom::Either(branches) => branches.iter().flatten().map(worst).max().unwrap_or(Quality::Own),
    }
}

impl Columns<'_, '_> {
    /// The relation that a tenant column belongs to; `None` for one that FULL JOIN merged.
    pub fn rel_of(&self, column: ColumnId) -> Option<RelId> {
        self.source_of(column).map(|(rel, _)| rel)
    }

    /// The relation and its column that a tenant column is; `None` for one that FULL JOIN merged.
    pub fn source_of(&self, column: ColumnId) -> Option<(RelId, u32)> {
        match self.all.get(column.at())?.source {
            Source::Relation(rel, column) => Some((rel, column)),
            Source::Merged(_, _) => None,
        }
    }

    /// The tenant columns that an expression is, one for each key.
    pub fn columns_of(&mut self, expr: ExprId) -> Vec<ColumnId> {
        (0..self.caller.keys.len())
            .filter_map(|key| match self.of_expr(expr, key) {
                Some((column, false)) => Some(column),
                Some((_, true)) | None => None,
            })
            .collect()
    }

    fn atoms_of_join(&mut self, join: &Join) -> Vec<Atom> {
        let mut atoms = Vec::new();
        let Join::Node { on, using, .. } = join else { return atoms };
        for (left, right) in using {
            for key in 0..self.caller.keys.len() {
                if let (Some((left, false)), Some((right, false))) =
                    (self.of_expr(*left, key), self.of_expr(*right, key))
                {
                    atoms.push(Atom::Equal(left, right));
                }
            }
            present(self.tree, *left, &mut atoms);
            present(self.tree, *right, &mut atoms);
        }
        if let Some(on) = on {
            self.conjunct(*on, &mut atoms);
        }
        atoms
    }

    /// Takes one condition apart.
    pub fn conjunct(&mut self, expr: ExprId, out: &mut Vec<Atom>) {
        let tree = self.tree;
        match tree.expr(expr).kind {
            ExprKind::And(list) => {
                for part in tree.list(list) {
                    self.conjunct(*part, out);
                }
            }
            ExprKind::Or(list) => {
                let mut branches = Vec::with_capacity(list.len as usize);
                for part in tree.list(list) {
                    let mut branch = Vec::new();
                    self.conjunct(*part, &mut branch);
                    if branch.is_empty() {
                        return;
                    }
                    branches.push(branch);
                }
                out.push(Atom::Either(branches));
            }
            ExprKind::BoolTest(true, inner) => self.conjunct(inner, out),
            ExprKind::Not(inner) if weak(Switch::NotAsProof) => self.conjunct(inner, out),
            ExprKind::Subquery(SubqueryKind::Exists, level) => self.exported(level, out),
            _ => {
                let mut forms = Vec::new();
                self.forms(expr, &mut forms);
                for form in forms {
                    let (atom, named) = match form {
                        Form::Pin { column, quality, loc, params: _ } => {
                            (Atom::Pin(column, quality, loc), [Some(column), None])
                        }
                        Form::Equal(left, right) => (Atom::Equal(left, right), [Some(left), Some(right)]),
                        Form::InQuery(column, level, output) => {
                            (Atom::InQuery(column, level, output), [Some(column), None])
                        }
                    };
                    out.push(atom);
                    // Each of them is strict in the columns that it names.
                    out.extend(named.into_iter().flatten().filter_map(|column| self.rel_of(column)).map(Atom::Present));
                }
                strict_operands(tree, expr, out);
            }
        }
    }

    /// What a positive EXISTS says: the conjuncts of its WHERE, and of its inner ONs that stand below no nullable side.
    fn exported(&mut self, id: LevelId, out: &mut Vec<Atom>) {
        let tree = self.tree;
        let Some(level) = tree.level(id) else { return };
        let aggregated = (level.aggregated || level.may_aggregate) && !weak(Switch::ExistsAggregate);
        let plain = !aggregated && level.offset.is_none();
        if let Body::SetOp { arms, .. } = &level.body
            && weak(Switch::ExistsUnion)
            && let Some(first) = arms.first()
        {
            self.exported(*first, out);
        }
        let Body::Select { from, filter } = &level.body else { return };
        if !plain {
            return;
        }
        if let Some(filter) = filter {
            self.conjunct(*filter, out);
        }
        let mut open: Vec<JoinId> = from.clone();
        while let Some(join) = open.pop() {
            let Some(Join::Node { kind, left, right, .. }) = tree.joins.get(join.at()) else { continue };
            match kind {
                JoinKind::Inner => {
                    if let Some(node) = tree.joins.get(join.at()) {
                        let on = self.atoms_of_join(node);
                        out.extend(on);
                    }
                    open.extend([*left, *right]);
                }
                JoinKind::Left => open.push(*left),
                JoinKind::Right => open.push(*right),
                JoinKind::Full => {}
            }
        }
    }
}

/// Relations that must be present for a condition to be true, because it is NULL or false where a bare column of theirs is.
fn strict_operands(tree: &Tree<'_>, expr: ExprId, out: &mut Vec<Atom>) {
    match tree.expr(expr).kind {
        ExprKind::Column(_, _) => present(tree, expr, out),
        ExprKind::Binary(operator, left, right) | ExprKind::Like(operator, left, right)
            if is_strict(operator.schema, operator.name) =>
        {
            present(tree, left, out);
            present(tree, right, out);
        }
        ExprKind::NullTest(true, inner) | ExprKind::InList(_, inner, _) => present(tree, inner, out),
        ExprKind::AnyArray(operator, false, inner, _) if is_strict(operator.schema, operator.name) => {
            present(tree, inner, out)
        }
        ExprKind::Between(list) => {
            if let Some(first) = tree.list(list).first() {
                present(tree, *first, out);
            }
        }
        ExprKind::Subquery(SubqueryKind::Any(operator, test), _) if is_strict(operator.schema, operator.name) => {
            present(tree, test, out);
        }
        _ => {}
    }
}

fn present(tree: &Tree<'_>, expr: ExprId, out: &mut Vec<Atom>) {
    if let ExprKind::Column(rel, _) = tree.expr(expr).kind {
        out.push(Atom::Present(rel));
    }
}

/// PostgreSQL's comparison operators, each of which is strict for every type of `pg_catalog` (`pg_proc.proisstrict`).
fn is_strict(schema: Option<&str>, name: &str) -> bool {
    matches!(schema, None | Some("pg_catalog"))
        && matches!(
            name,
            "=" | "<>" | "<" | ">" | "<=" | ">=" | "~~" | "!~~" | "~~*" | "!~~*" | "~" | "!~" | "~*" | "!~*"
        )
}
