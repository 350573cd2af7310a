//! What a write reads beside its rows: the columns of ON CONFLICT, and RETURNING.

use pg_query::protobuf as pg;

use super::item::Named;
use super::scope::Lookup;
use super::shape::{ClauseNode, clause_node};
use super::tree::{Assignment, BadShape, Body, ExprId, ExprKind, Loc, Output, Refused, RelId, Value, Write, WriteKind};
use super::{Resolver, loc};
use crate::weaken::{Switch, weak};

impl<'a> Resolver<'a> {
    /// ON CONFLICT: only DO NOTHING over plain columns, among them every tenant column. It reads these columns.
    pub(super) fn on_conflict(&mut self, clause: Option<&'a pg::OnConflictClause>, target: RelId) {
        let Some(pg::OnConflictClause { action, infer, target_list: _, where_clause: _, location }) = clause else {
            return;
        };
        let at = loc(*location);
        if *action != pg::OnConflictAction::OnconflictNothing as i32 {
            if !weak(Switch::ConflictUpdate) {
                self.refuse(at, Refused::Shape(BadShape::ConflictUpdate));
            }
            return;
        }
        let names = infer.as_deref().and_then(plain_columns);
        for name in names.iter().flatten() {
            self.conflict_column(target, name, at);
        }
        let missing = match &names {
            None => Some(BadShape::ConflictNotColumns),
            Some(names) => self.missing_key(target, names).map(BadShape::ConflictWithoutKey),
        };
        if let Some(missing) = missing
            && !weak(Switch::ConflictAnywhere)
        {
            self.refuse(at, Refused::Shape(missing));
        }
    }

    fn conflict_column(&mut self, target: RelId, name: &'a str, clause: Loc) {
        let at = self.name_after(clause, name);
        let scope = self.scopes.len().saturating_sub(1);
        match self.column_of(target, name) {
            Lookup::Bound(kind) => {
                self.use_column(kind, scope, at);
            }
            Lookup::Silent => {}
            Lookup::System => self.refuse(at, Refused::SystemColumn(name)),
            Lookup::Hidden(_) | Lookup::Several(_) | Lookup::Missing | Lookup::MaybeMissing | Lookup::MayCapture => {
                self.refuse(at, Refused::Column(name.to_owned(), Some(target)))
            }
        }
    }

    /// A tenant column of the target that is not among these.
    fn missing_key(&self, target: RelId, names: &[&str]) -> Option<&'a str> {
        let table = self.target_table(target)?;
        let keys = table.tenant_columns.iter().flatten().filter_map(|at| table.columns.get(*at));
        keys.map(|column| &*column.name).find(|key| !names.contains(key))
    }

    /// RETURNING sees the target, what is joined with it, and `old` and `new`.
    pub(super) fn returning(&mut self, clause: Option<&'a pg::ReturningClause>, target: RelId) -> Vec<Output<'a>> {
        let Some(pg::ReturningClause { options, exprs }) = clause else { return Vec::new() };
        let (mut old, mut new) = (None, None);
        for option in options {
            let Some(ClauseNode::ReturningOption(pg::ReturningOption { option, value, location })) =
                clause_node(option)
            else {
                self.refuse(None, Refused::Unsupported("an option of RETURNING"));
                continue;
            };
            match pg::ReturningOptionKind::try_from(*option) {
                Ok(pg::ReturningOptionKind::ReturningOptionOld) => old = Some(&**value),
                Ok(pg::ReturningOptionKind::ReturningOptionNew) => new = Some(&**value),
                Ok(pg::ReturningOptionKind::Undefined) | Err(_) => {
                    self.refuse(loc(*location), Refused::Unsupported("an option of RETURNING"));
                }
            }
        }
        for (given, default) in [(old, "old"), (new, "new")] {
            let is_taken = |name| self.scopes.last().is_some_and(|scope| scope.items.iter().any(|it| it.name == name));
            let name = match given {
                Some(name) => name,
                // A relation of that name comes first.
                None if is_taken(default) => continue,
                None => default,
            };
            let mut item = self.item_of(name, target);
            item.bare = false;
            self.show(vec![item]);
        }
        if weak(Switch::ReturningStarOfTarget) {
            self.hide_joined(target);
        }
        self.target_list(exprs)
    }

    fn hide_joined(&mut self, target: RelId) {
        for item in self.scopes.last_mut().into_iter().flat_map(|scope| &mut scope.items) {
            item.bare &= matches!(item.what, Named::Rel(rel) if rel == target);
        }
    }

    /// A default may be computed from what the caller must not see: a sequence counts everybody's rows. RETURNING may not
    /// read a column that got one.
    pub(super) fn defaults_returned(&mut self, write: &Write<'a>) {
        if weak(Switch::ReturningDefault) || write.kind == WriteKind::Delete {
            return;
        }
        let given = self.given(write);
        let mut found = Vec::new();
        for expr in self.tree.exprs.get(write.returning.at()..).unwrap_or_default() {
            if let ExprKind::Column(rel, column) = expr.kind
                && rel == write.target
                && !given.get(column as usize).copied().unwrap_or(true)
            {
                found.push((expr.loc, column));
            }
        }
        found.sort_unstable();
        found.dedup();
        let Some(table) = self.target_table(write.target) else { return };
        // A star reads several at one place.
        for places in found.chunk_by(|a, b| a.0 == b.0) {
            let columns = places.iter().filter_map(|(_, column)| table.columns.get(*column as usize));
            let names = columns.map(|column| &*column.name).collect();
            let at = places.first().and_then(|(at, _)| *at);
            self.refuse(at, Refused::Shape(BadShape::ReturningDefault(names)));
        }
    }

    /// By column of the target: whether no row that is written has its default there.
    fn given(&self, write: &Write<'a>) -> Vec<bool> {
        let Some(table) = self.target_table(write.target) else { return Vec::new() };
        let is_default = |cell: &ExprId| matches!(self.tree.expr(*cell).kind, ExprKind::Default);
        let mut given = vec![write.kind == WriteKind::Update; table.columns.len()];
        let mut tell = |column: Option<u32>, value: bool| {
            if let Some(slot) = column.and_then(|column| given.get_mut(column as usize)) {
                *slot = value;
            }
        };
        for Assignment { target, value, several: _ } in &write.sets {
            if matches!(value, Value::Expr(expr) if is_default(expr)) {
                tell(target.column, false);
            }
        }
        let body = write.source.and_then(|level| self.tree.level(level)).map(|level| &level.body);
        let mut defaulted = vec![false; write.columns.len()];
        if let Some(Body::Values { rows }) = body {
            for row in rows {
                for (slot, cell) in defaulted.iter_mut().zip(self.tree.list(*row)) {
                    *slot |= is_default(cell);
                }
            }
        }
        for (target, defaulted) in write.columns.iter().zip(defaulted) {
            tell(target.column, !defaulted);
        }
        given
    }
}

/// The columns of ON CONFLICT, if it names plain columns and nothing else.
fn plain_columns(clause: &pg::InferClause) -> Option<Vec<&str>> {
    let pg::InferClause { index_elems, where_clause, conname, location: _ } = clause;
    if index_elems.is_empty() || where_clause.is_some() || !conname.is_empty() {
        return None;
    }
    index_elems
        .iter()
        .map(|element| {
            let Some(ClauseNode::IndexElem(element)) = clause_node(element) else { return None };
            let pg::IndexElem { name, expr, indexcolname, collation, opclass, opclassopts, ordering, nulls_ordering } =
                element;
            let plain = !name.is_empty()
                && expr.is_none()
                && indexcolname.is_empty()
                && collation.is_empty()
                && opclass.is_empty()
                && opclassopts.is_empty()
                && matches!(pg::SortByDir::try_from(*ordering), Ok(pg::SortByDir::SortbyDefault))
                && matches!(pg::SortByNulls::try_from(*nulls_ordering), Ok(pg::SortByNulls::SortbyNullsDefault));
            plain.then_some(&**name)
        })
        .collect()
}
