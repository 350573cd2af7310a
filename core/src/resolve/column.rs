//! Column references, whole rows, functional notation.

use pg_query::protobuf as pg;

use super::item::{Item, Named};
use super::scope::{Lookup, is_system_column};
use super::shape::{ClauseNode, ExprNode, clause_node, expr_node, string};
use super::tree::{ExprId, ExprKind, Loc, Refused, RelId, RelKind};
use super::{Resolver, loc};
use crate::weaken::{Switch, weak};

/// What a name without a qualifier means, looked for on every level.
pub(super) enum Bare<'a> {
    /// A column of the scope at that position.
    Column(ExprKind<'a>, usize),
    /// Refused, and reported.
    Refused,
    /// No column.
    None,
}

impl<'a> Resolver<'a> {
    /// A column reference where an expression stands.
    pub(super) fn column_ref(&mut self, node: &'a pg::ColumnRef) -> ExprId {
        let pg::ColumnRef { fields, location } = node;
        let at = loc(*location);
        // Most of all references, and no list for them.
        match fields.as_slice() {
            [one] if let Some(name) = string(one) => return self.bare_or_row(name, at),
            [first, second] if let (Some(qualifier), Some(name)) = (string(first), string(second)) => {
                return self.qualified_column(qualifier, name, at);
            }
            _ => {}
        }
        let (names, star) = self.field_names(fields);
        match (names.as_slice(), star) {
            ([name], false) => self.bare_or_row(name, at),
            ([qualifier, name], false) => self.qualified_column(qualifier, name, at),
            ([schema, table, name], false) => self.schema_column(schema, table, name, at),
            // `f(t.*)` and `ROW(t.*)` hand the row over.
            ([qualifier], true) => self.row_of_qualifier(qualifier, at),
            ([schema, table], true) => {
                let (schema, table) = (*schema, *table);
                let found =
                    self.qualified(|item| self.is_table(item, schema, table)).map(|(scope, item)| (scope, item.rel()));
                match found {
                    Some((scope, Some(rel))) => self.row_of_rel(rel, scope, table, at),
                    Some((_, None)) | None => {
                        self.refuse_expr(at, Refused::Column(format!("{schema}.{table}.*"), None))
                    }
                }
            }
            (_, _) => self.refuse_expr(at, Refused::Unsupported("a column name of more than three parts")),
        }
    }

    /// The names of a reference's fields, and whether a star ends it.
    pub(super) fn field_names(&mut self, fields: &'a [pg::Node]) -> (Vec<&'a str>, bool) {
        let star = fields.last().is_some_and(|last| matches!(clause_node(last), Some(ClauseNode::AStar)));
        (fields.iter().filter_map(string).collect(), star)
    }

    fn bare_or_row(&mut self, name: &'a str, at: Loc) -> ExprId {
        match self.bare_column(name, at) {
            Bare::Column(kind, scope) => self.use_column(kind, scope, at),
            Bare::Refused => self.push(ExprKind::Unknown, at),
            Bare::None => match self.qualified(|item| item.name == name).map(|(scope, _)| scope) {
                Some(scope) if self.row_may_be_field(scope, name) => self.row_or_field(name, scope, at),
                Some(_) => self.row_of_qualifier(name, at),
                None => self.refuse_expr(at, Refused::Column(name.to_owned(), None)),
            },
        }
    }

    /// Whether a function at the scope of the row of that name, or further in, may have a composite result with such a field:
    /// a column comes before a row.
    pub(super) fn row_may_be_field(&self, scope: usize, name: &str) -> bool {
        (scope..self.scopes.len()).any(|scope| matches!(self.bare_at(scope, name), Lookup::MayCapture))
    }

    /// Such a row: one of two readable values, so that nothing may be proven by it. In an aggregate's argument it would
    /// decide which level the aggregate belongs to.
    fn row_or_field(&mut self, name: &'a str, scope: usize, at: Loc) -> ExprId {
        if !self.aggregates.is_empty() && self.row_may_be_field(scope + 1, name) {
            return self.refuse_expr(at, Refused::Ambiguous(name, Vec::new()));
        }
        let row = self.row_of_qualifier(name, at);
        let list = self.list(&[row]);
        self.push(ExprKind::Other(list), at)
    }

    /// Looks an unqualified name up from the innermost scope outwards.
    pub(super) fn bare_column(&mut self, name: &'a str, at: Loc) -> Bare<'a> {
        let mut captured = None;
        for scope in (0..self.scopes.len()).rev() {
            match self.bare_at(scope, name) {
                Lookup::Missing => {}
                // A field of a composite result would come before a column of an outer level.
                Lookup::MayCapture => captured = Some(captured.unwrap_or(scope)),
                Lookup::MaybeMissing => {
                    let further = self.known_outside(scope, name);
                    let what = match further {
                        Some(qualifiers) => Refused::Ambiguous(name, qualifiers),
                        None => Refused::Column(name.to_owned(), self.only_rel(scope)),
                    };
                    self.refuse(at, what);
                    return Bare::Refused;
                }
                Lookup::Bound(ExprKind::Column(rel, _)) if self.may_be_row(rel, scope, name) => {
                    let qualifiers = self.column_outside(scope, name).unwrap_or_default();
                    self.refuse(at, Refused::Ambiguous(name, qualifiers));
                    return Bare::Refused;
                }
                found => {
                    let found = self.judge(found, scope, name, || name.to_owned(), at);
                    return match (found, captured) {
                        (Bare::Column(kind, scope), Some(inner)) => self.captured(kind, scope, inner, name, at),
                        (found, _) => found,
                    };
                }
            }
        }
        Bare::None
    }

    /// The alias of a function whose result may be composite names its row then, and a column of an outer level comes first;
    /// a row of an outer level too, where the alias of a join hides the function's own.
    fn may_be_row(&self, rel: RelId, scope: usize, name: &str) -> bool {
        let renamed = self.tree.rel(rel).is_some_and(|rel| !rel.names.is_empty());
        let row_outside = || self.qualified(|item| item.name == name).is_some_and(|(outer, _)| outer < scope);
        self.tree.may_capture(rel) && !renamed && (self.column_outside(scope, name).is_some() || row_outside())
    }

    /// A column found past a function whose result may be composite: one of two readable values, so that nothing may be
    /// proven by it. In an aggregate's argument it would decide which level the aggregate belongs to.
    fn captured(&mut self, kind: ExprKind<'a>, scope: usize, inner: usize, name: &'a str, at: Loc) -> Bare<'a> {
        if scope == inner {
            return Bare::Column(kind, scope);
        }
        if !self.aggregates.is_empty() {
            let qualifiers = self.column_outside(inner, name).unwrap_or_default();
            self.refuse(at, Refused::Ambiguous(name, qualifiers));
            return Bare::Refused;
        }
        let column = self.use_column(kind, scope, at);
        let list = self.list(&[column]);
        Bare::Column(ExprKind::Other(list), scope)
    }

    /// What becomes of a look-up that found something.
    /// `written`: how the text names the column, for the reason.
    fn judge(
        &mut self,
        found: Lookup<'a>,
        scope: usize,
        name: &'a str,
        written: impl Fn() -> String,
        at: Loc,
    ) -> Bare<'a> {
        let what = match found {
            Lookup::Bound(kind) => return Bare::Column(kind, scope),
            Lookup::Silent => return Bare::Refused,
            Lookup::Hidden(rel) => Refused::Column(written(), Some(rel)),
            Lookup::System => Refused::SystemColumn(name),
            Lookup::Several(qualifiers) => Refused::Ambiguous(name, qualifiers),
            Lookup::Missing | Lookup::MayCapture | Lookup::MaybeMissing => Refused::Column(written(), None),
        };
        self.refuse(at, what);
        Bare::Refused
    }

    /// Qualifiers under which a name is known outside the scope at that position, as a column or as a row.
    fn known_outside(&self, scope: usize, name: &str) -> Option<Vec<&'a str>> {
        let row = || self.qualified(|item| item.name == name).map(|_| Vec::new());
        self.column_outside(scope, name).or_else(row)
    }

    /// Qualifiers under which a name is known as a column outside the scope at that position.
    fn column_outside(&self, scope: usize, name: &str) -> Option<Vec<&'a str>> {
        for outer in (0..scope).rev() {
            let Some(items) = self.scopes.get(outer) else { continue };
            let knows: Vec<&'a str> = items
                .items
                .iter()
                .filter(|item| {
                    !matches!(self.column_in(item, name), Lookup::Missing | Lookup::MayCapture | Lookup::MaybeMissing)
                })
                .map(|item| item.name)
                .collect();
            if !knows.is_empty() {
                return Some(knows);
            }
        }
        None
    }

    /// The only relation of a scope, for hints.
    fn only_rel(&self, scope: usize) -> Option<RelId> {
        let mut items = self.scopes.get(scope)?.items.iter().filter(|item| item.bare);
        let item = items.next()?;
        items.next().is_none().then(|| item.rel())?
    }

    /// Uses a column that was found in the scope at that position.
    pub(super) fn use_column(&mut self, kind: ExprKind<'a>, scope: usize, at: Loc) -> ExprId {
        self.note_kind(kind, scope);
        self.push(kind, at)
    }

    fn note_kind(&mut self, kind: ExprKind<'a>, scope: usize) {
        if let ExprKind::Column(rel, column) = kind {
            if let Some(RelKind::Table(table)) = self.tree.rel(rel).map(|rel| &rel.kind) {
                let read = (*table, column);
                self.tree.reads.push(read);
            }
            self.note_reference(scope, rel);
        } else if let ExprKind::Merged(_, left, right) = kind {
            self.note_merged(left, right, scope);
        }
    }

    /// What a column is merged of was read where USING named it. A chain of joins merges a chain of columns: it is gone
    /// through once for each level that refers to it from within, and not at all where the joins stand.
    fn note_merged(&mut self, left: ExprId, right: ExprId, scope: usize) {
        self.note_aggregates(scope);
        let within = self.level_id();
        if scope + 1 >= self.scopes.len() || !self.noted.insert((within, left, right)) {
            return;
        }
        let mut open = vec![left, right];
        while let Some(part) = open.pop() {
            match self.tree.expr(part).kind {
                ExprKind::Column(rel, _) => self.note_reference(scope, rel),
                ExprKind::Merged(_, left, right) => open.extend([left, right]),
                _ => {}
            }
        }
    }

    fn qualified_column(&mut self, qualifier: &'a str, name: &'a str, at: Loc) -> ExprId {
        let found = self
            .qualified(|item| item.name == qualifier)
            .map(|(scope, item)| (scope, item.rel(), self.column_in(item, name)));
        self.qualified_result(found, name, || format!("{qualifier}.{name}"), at)
    }

    fn schema_column(&mut self, schema: &'a str, table: &'a str, name: &'a str, at: Loc) -> ExprId {
        let found = self
            .qualified(|item| self.is_table(item, schema, table))
            .map(|(scope, item)| (scope, item.rel(), self.column_in(item, name)));
        self.qualified_result(found, name, || format!("{schema}.{table}.{name}"), at)
    }

    fn qualified_result(
        &mut self,
        found: Option<(usize, Option<RelId>, Lookup<'a>)>,
        name: &'a str,
        written: impl Fn() -> String,
        at: Loc,
    ) -> ExprId {
        let Some((scope, rel, found)) = found else {
            return self.refuse_expr(at, Refused::Column(written(), None));
        };
        if let Some(rel) = rel {
            self.check_lateral(scope, rel, at);
        }
        if matches!(found, Lookup::Missing | Lookup::MayCapture | Lookup::MaybeMissing) {
            // `t.f` without a column f is the call f(t).
            // A type's name is a function too (`name(x)` is a cast), and far more often meant as a column.
            let catalog = &self.policy().catalog;
            let is_call = catalog.function(None, name, 1).is_some() && !catalog.ty(None, name);
            let of_table =
                rel.is_some_and(|rel| matches!(self.tree.rel(rel).map(|rel| &rel.kind), Some(RelKind::Table(_))));
            let what = match (is_call, of_table) {
                (true, true) => Refused::WholeRow(rel.and_then(|rel| self.tree.rel(rel)).map_or(name, |rel| rel.alias)),
                (true, false) => Refused::Function(name.to_owned()),
                (false, _) => Refused::Column(written(), rel),
            };
            return self.refuse_expr(at, what);
        }
        match self.judge(found, scope, name, written, at) {
            Bare::Column(kind, scope) => self.use_column(kind, scope, at),
            Bare::Refused | Bare::None => self.push(ExprKind::Unknown, at),
        }
    }

    /// An item that `schema.table` names: a table without an alias.
    pub(super) fn is_table(&self, item: &Item<'a>, schema: &str, name: &str) -> bool {
        item.rel().and_then(|rel| self.tree.rel(rel)).is_some_and(|rel| match rel.kind {
            RelKind::Table(table) => {
                !rel.has_alias
                    && self
                        .policy()
                        .tables
                        .get(table as usize)
                        .is_some_and(|table| table.schema == schema && table.name == name)
            }
            RelKind::Derived(_)
            | RelKind::Cte(_)
            | RelKind::SelfRef(_)
            | RelKind::Function { .. }
            | RelKind::Unknown => false,
        })
    }

    /// The row that a qualifier names, as a value.
    pub(super) fn row_of_qualifier(&mut self, name: &'a str, at: Loc) -> ExprId {
        let Some((scope, rels, merged)) = self.qualified(|item| item.name == name).map(|(scope, item)| {
            let (mut rels, mut merged) = (Vec::new(), Vec::new());
            item.parts(&mut rels, &mut merged);
            (scope, rels, merged)
        }) else {
            return self.refuse_expr(at, Refused::Column(name.to_owned(), None));
        };
        let mut parts = Vec::with_capacity(rels.len());
        for rel in rels {
            let part = self.row_of_rel(rel, scope, name, at);
            parts.push(part);
        }
        for kind in merged {
            let part = self.use_column(kind, scope, at);
            parts.push(part);
        }
        match parts.as_slice() {
            // The row of one relation; a row that is made of one column is still a row.
            [one] if matches!(self.tree.expr(*one).kind, ExprKind::WholeRow(_) | ExprKind::Unknown) => *one,
            several => {
                let list = self.list(several);
                self.push(ExprKind::Other(list), at)
            }
        }
    }

    fn row_of_rel(&mut self, rel: RelId, scope: usize, name: &'a str, at: Loc) -> ExprId {
        match self.tree.rel(rel).map(|rel| &rel.kind) {
            Some(RelKind::Table(_)) if !weak(Switch::WholeRow) => self.refuse_expr(at, Refused::WholeRow(name)),
            Some(RelKind::Unknown) | None => self.push(ExprKind::Unknown, at),
            Some(
                RelKind::Derived(_)
                | RelKind::Cte(_)
                | RelKind::SelfRef(_)
                | RelKind::Function { .. }
                | RelKind::Table(_),
            ) => {
                self.note_reference(scope, rel);
                self.push(ExprKind::WholeRow(rel), at)
            }
        }
    }

    /// `(expr).field`, `(expr)[i]`, and mixtures.
    pub(super) fn indirection(&mut self, node: &'a pg::AIndirection) -> ExprId {
        let pg::AIndirection { arg, indirection } = node;
        let (mut rest, mut value) = (indirection.as_slice(), None);
        // `(t).column`: the row's field, if `t` names no column on any level.
        if let Some(ExprNode::ColumnRef(column)) = arg.as_deref().and_then(expr_node)
            && let (Some(field), Some(row)) = (rest.first().and_then(string), self.row_name(column))
        {
            value = Some(self.field_of_row(row, field, loc(column.location)));
            rest = rest.get(1..).unwrap_or_default();
        }
        let mut value = match value {
            Some(value) => value,
            None => self.operand(arg.as_deref()),
        };
        for step in rest {
            value = self.step(value, step);
        }
        value
    }

    fn step(&mut self, value: ExprId, step: &'a pg::Node) -> ExprId {
        let at = self.tree.expr(value).loc;
        if let Some(field) = string(step) {
            return self.field_of(value, field, at);
        }
        if let Some(ClauseNode::AIndices(pg::AIndices { is_slice: _, lidx, uidx })) = clause_node(step) {
            let mut parts = vec![value];
            for bound in [lidx, uidx].into_iter().flatten() {
                let bound = self.expr(bound);
                parts.push(bound);
            }
            let list = self.list(&parts);
            return self.push(ExprKind::Other(list), at);
        }
        self.refuse_expr(at, Refused::Unsupported("a star over an expression here"))
    }

    /// The relation that a one-part reference names, if it names no column.
    pub(super) fn row_name(&self, node: &'a pg::ColumnRef) -> Option<&'a str> {
        let pg::ColumnRef { fields, location: _ } = node;
        let [only] = fields.as_slice() else { return None };
        let name = string(only)?;
        let is_column = (0..self.scopes.len())
            .rev()
            .any(|scope| !matches!(self.bare_at(scope, name), Lookup::Missing | Lookup::MayCapture));
        if is_column {
            return None;
        }
        self.qualified(|item| item.name == name).map(|_| name)
    }

    /// `(row).field`: the column, or the call `field(row)`.
    fn field_of_row(&mut self, row: &'a str, field: &'a str, at: Loc) -> ExprId {
        let Some((scope, rel, found)) = self
            .qualified(|item| item.name == row)
            .map(|(scope, item)| (scope, item.rel(), self.column_in(item, field)))
        else {
            return self.push(ExprKind::Unknown, at);
        };
        if self.row_may_be_field(scope, row) {
            return self.refuse_expr(at, Refused::Ambiguous(row, Vec::new()));
        }
        let of_table =
            rel.is_some_and(|rel| matches!(self.tree.rel(rel).map(|rel| &rel.kind), Some(RelKind::Table(_))));
        match found {
            Lookup::Missing | Lookup::MayCapture | Lookup::MaybeMissing if of_table && !is_system_column(field) => {
                self.refuse_expr(at, Refused::WholeRow(row))
            }
            Lookup::Missing | Lookup::MayCapture | Lookup::MaybeMissing => {
                let at = self.name_after(at, field);
                self.refuse_expr(at, Refused::Function(field.to_owned()))
            }
            found => match self.judge(found, scope, field, || format!("({row}).{field}"), at) {
                Bare::Column(kind, scope) => self.use_column(kind, scope, at),
                Bare::Refused | Bare::None => self.push(ExprKind::Unknown, at),
            },
        }
    }

    /// `(expr).field`: allowed only on a composite whose fields are known.
    fn field_of(&mut self, value: ExprId, field: &'a str, at: Loc) -> ExprId {
        match self.tree.expr(value).kind {
            ExprKind::Unknown => value,
            ExprKind::WholeRow(rel) => {
                if let Lookup::Bound(kind) = self.column_of(rel, field) {
                    self.push(kind, at)
                } else {
                    self.refuse_field(field, at)
                }
            }
            ExprKind::Row(list) => {
                let position = field.strip_prefix('f').and_then(|digits| digits.parse::<usize>().ok());
                match position.and_then(|position| self.tree.list(list).get(position.checked_sub(1)?).copied()) {
                    Some(element) => element,
                    None => self.refuse_field(field, at),
                }
            }
            ExprKind::Call(call) => {
                let columns =
                    self.tree.calls.get(call.at()).and_then(|call| call.function).map(|function| &function.out_columns);
                if columns.is_some_and(|columns| columns.len() > 1 && columns.iter().any(|column| column == field)) {
                    let list = self.list(&[value]);
                    return self.push(ExprKind::Other(list), at);
                }
                self.refuse_field(field, at)
            }
            // FAIL-CLOSED: of no other value the fields are known.
            _other => self.refuse_field(field, at),
        }
    }

    fn refuse_field(&mut self, field: &str, at: Loc) -> ExprId {
        let at = self.name_after(at, field);
        self.refuse_expr(at, Refused::Function(field.to_owned()))
    }
}

impl<'a> Item<'a> {
    /// The one relation that it is.
    pub(super) fn rel(&self) -> Option<RelId> {
        match &self.what {
            Named::Rel(rel) => Some(*rel),
            Named::Join(_) | Named::Merged(_) => None,
        }
    }

    /// The relations and merged columns that it is made of.
    fn parts(&self, rels: &mut Vec<RelId>, merged: &mut Vec<ExprKind<'a>>) {
        match &self.what {
            Named::Rel(rel) => rels.push(*rel),
            Named::Join(items) => items.iter().for_each(|item| item.parts(rels, merged)),
            Named::Merged(columns) => merged.extend(columns.iter().map(|column| column.kind)),
        }
    }
}
