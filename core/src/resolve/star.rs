//! Stars: what `*`, `t.*` and `(expr).*` expand to, and where the unknown order of a table's columns matters.

use pg_query::protobuf as pg;

use crate::weaken::{Switch, weak};

use super::Resolver;
use super::item::{Item, Named};
use super::shape::{ClauseNode, clause_node};
use super::tree::{ExprKind, LevelId, Loc, Output, Reach, Refused, RelId, RelKind, StarAt};

/// PostgreSQL's bound on the columns of a result (`MaxTupleAttributeNumber`).
pub(super) const MAX_OUTPUTS: usize = 1664;

/// How many columns the stars of one text may stand for in all: so many, and so many more for each byte of the text. A star
/// is a byte that stands for as many columns as a result can have, and another star can pass them on.
const STARRED_COLUMNS: usize = 8192;
const STARRED_COLUMNS_PER_BYTE: usize = 4;

/// A column that a star stands for.
pub(super) struct StarColumn<'a> {
    pub name: &'a str,
    /// `None`: hidden.
    pub kind: Option<ExprKind<'a>>,
    pub unordered: Option<StarAt>,
}

impl<'a> Resolver<'a> {
    /// The columns of an item that are visible without a qualifier, in the server's order.
    pub(super) fn columns_of_item(&self, item: &Item<'a>, at: Loc, out: &mut Vec<StarColumn<'a>>) {
        self.columns_without(item, &item.merged_away, at, out);
    }

    /// All columns of an item but those of these names. `t.*` is all of t, whatever USING merged.
    fn columns_without(&self, item: &Item<'a>, without: &[&str], at: Loc, out: &mut Vec<StarColumn<'a>>) {
        let mut own = Vec::new();
        match &item.what {
            Named::Rel(rel) => self.columns_of_rel(*rel, at, &mut own),
            Named::Join(items) => {
                for inner in items.iter().filter(|inner| inner.bare) {
                    self.columns_of_item(inner, at, &mut own);
                }
            }
            Named::Merged(columns) => {
                own.extend(columns.iter().map(|column| StarColumn {
                    name: column.name,
                    kind: Some(column.kind),
                    unordered: column.unordered.then_some(StarAt(at)),
                }));
            }
        }
        out.extend(own.into_iter().filter(|column| !without.contains(&column.name)));
    }

    fn columns_of_rel(&self, rel: RelId, at: Loc, out: &mut Vec<StarColumn<'a>>) {
        let Some(found) = self.tree.rel(rel) else { return };
        let table =
            if let RelKind::Table(table) = found.kind { self.policy().tables.get(table as usize) } else { None };
        for column in (0..).take((MAX_OUTPUTS + 1).min(self.tree.star_width(rel))) {
            let Some(name) = self.tree.column_name(rel, column) else { break };
            let hidden = table.and_then(|table| table.columns.get(column)).is_some_and(|column| !column.readable);
            let column = super::index(column);
            let unordered = match table {
                Some(table) => (table.columns.len() > 1).then_some(StarAt(at)),
                None => self.tree.column_output(rel, column).and_then(|output| output.unordered),
            };
            out.push(StarColumn { name, kind: (!hidden).then_some(ExprKind::Column(rel, column)), unordered });
        }
    }

    /// Expands `*`, or `qualifier.*`, into outputs of the current level.
    pub(super) fn expand_star(&mut self, qualifier: Option<(usize, StarOver)>, at: Loc, outputs: &mut Vec<Output<'a>>) {
        let top = self.scopes.len().saturating_sub(1);
        let scope = qualifier.as_ref().map_or(top, |(scope, _)| *scope);
        if !self.count_starred(0, at) {
            return;
        }
        let Some(found) = self.scopes.get(scope) else { return };
        let (mut columns, mut rels) = (Vec::new(), Vec::new());
        for (position, item) in found.items.iter().enumerate() {
            let covered = match &qualifier {
                None => item.bare,
                Some((_, StarOver::Item(at))) => *at == position,
            };
            if covered && columns.len() <= MAX_OUTPUTS {
                item.rels(&mut rels);
                let without = if qualifier.is_some() { &[] } else { &*item.merged_away };
                self.columns_without(item, without, at, &mut columns);
            }
        }
        for rel in rels {
            self.judge_star(rel, at);
        }
        if !self.count_starred(columns.len(), at) {
            return;
        }
        for column in columns {
            let Some(kind) = column.kind else { continue };
            let expr = self.use_column(kind, scope, at);
            outputs.push(Output { name: column.name, expr: Some(expr), unordered: column.unordered });
        }
        self.bound_outputs(outputs, at);
    }

    /// Counts what a star stands for; where that is too much in all, the level's outputs are not known.
    fn count_starred(&mut self, columns: usize, at: Loc) -> bool {
        let most = STARRED_COLUMNS + STARRED_COLUMNS_PER_BYTE * self.tree.sql.len();
        let told = self.starred > most;
        self.starred = self.starred.saturating_add(columns);
        if self.starred <= most {
            return true;
        }
        if !told {
            self.refuse(at, Refused::StarredColumns(most));
        }
        self.mark(true, None);
        false
    }

    /// Refuses a star over a table whose columns are not all known, or not all readable.
    fn judge_star(&mut self, rel: RelId, at: Loc) {
        let what = match self.tree.rel(rel).map(|rel| &rel.kind) {
            Some(RelKind::Table(table)) => match self.policy().tables.get(*table as usize) {
                Some(table) if !table.complete => Refused::StarIncomplete(rel),
                Some(table) if table.columns.iter().any(|column| !column.readable) => Refused::StarHidden(rel),
                Some(_) | None => return,
            },
            Some(RelKind::Function { reach: Reach::Open, .. }) => Refused::StarIncomplete(rel),
            Some(RelKind::Function { reach: Reach::MayCapture, .. }) => return self.mark(false, Some(StarAt(at))),
            Some(RelKind::Unknown) | None => return self.mark(true, None),
            Some(RelKind::Derived(_) | RelKind::Cte(_) | RelKind::SelfRef(_) | RelKind::Function { .. }) => {
                let source = self.tree.source_level(rel).and_then(|level| self.tree.level(level));
                let (open, uncertain) = source.map_or((false, None), |level| (level.open, level.uncertain));
                return self.mark(open, uncertain.map(|_| StarAt(at)));
            }
        };
        self.mark(true, None);
        self.refuse(at, what);
    }

    /// The current level has outputs that are not known, or may have.
    fn mark(&mut self, open: bool, uncertain: Option<StarAt>) {
        let level = self.level_id();
        if let Some(level) = self.level_mut(level) {
            level.open |= open;
            level.uncertain = level.uncertain.or(uncertain);
        }
    }

    /// Refuses more outputs than the server can return: nested stars multiply.
    pub(super) fn bound_outputs(&mut self, outputs: &mut Vec<Output<'a>>, at: Loc) {
        if outputs.len() > MAX_OUTPUTS {
            outputs.truncate(MAX_OUTPUTS);
            self.refuse(at, Refused::Unsupported("more than 1,664 output columns"));
        }
    }

    /// Refuses a use by position of the first `count` outputs of a level where a star left their order unknown.
    pub(super) fn need_positions(&mut self, level: LevelId, count: usize) {
        let star = self.tree.level(level).and_then(|level| {
            level.uncertain.or_else(|| level.outputs.iter().take(count).find_map(|output| output.unordered))
        });
        if let Some(star) = star {
            self.refuse_position(star);
        }
    }

    /// Refuses a star for what its position is used for, once.
    pub(super) fn refuse_position(&mut self, StarAt(at): StarAt) {
        if weak(Switch::StarByPosition) {
            return;
        }
        let told =
            self.tree.refusals.iter().any(|refusal| refusal.loc == at && matches!(refusal.what, Refused::StarPosition));
        if !told {
            self.refuse(at, Refused::StarPosition);
        }
    }

    /// The item that `qualifier.*` covers.
    pub(super) fn star_over(&mut self, names: &[&'a str], at: Loc) -> Option<(usize, StarOver)> {
        let matches = |item: &Item<'a>| match names {
            [name] => item.name == *name,
            [schema, table] => self.is_table(item, schema, table),
            [..] => false,
        };
        let found = self.scopes.iter().enumerate().rev().find_map(|(scope, found)| {
            let position =
                found.items.iter().position(|item| (found.lateral || !item.lateral_only) && matches(item))?;
            Some((scope, StarOver::Item(position)))
        });
        if found.is_none() {
            self.refuse(at, Refused::Column(format!("{}.*", names.join(".")), None));
        }
        found
    }

    /// Whether a qualified star covers a table of the policy.
    pub(super) fn covers_table(&self, (scope, StarOver::Item(at)): &(usize, StarOver)) -> bool {
        let mut rels = Vec::new();
        if let Some(item) = self.scopes.get(*scope).and_then(|scope| scope.items.get(*at)) {
            item.rels(&mut rels);
        }
        rels.iter().any(|rel| matches!(self.tree.rel(*rel).map(|rel| &rel.kind), Some(RelKind::Table(_))))
    }

    /// Whether a qualified star covers what may have more columns than are known.
    pub(super) fn covers_uncertain(&self, (scope, StarOver::Item(at)): &(usize, StarOver)) -> bool {
        let mut rels = Vec::new();
        if let Some(item) = self.scopes.get(*scope).and_then(|scope| scope.items.get(*at)) {
            item.rels(&mut rels);
        }
        rels.iter().any(|rel| self.tree.is_open(*rel))
    }

    /// `(expr).*` in a select list: the fields of a composite whose fields are known.
    pub(super) fn expand_fields(&mut self, node: &'a pg::AIndirection, at: Loc, outputs: &mut Vec<Output<'a>>) {
        let pg::AIndirection { arg, indirection: _ } = node;
        let value = self.operand(arg.as_deref());
        if !self.count_starred(0, at) {
            return;
        }
        let fields: Vec<&'a str> = match self.tree.expr(value).kind {
            ExprKind::Unknown => Vec::new(),
            ExprKind::WholeRow(rel) if !self.tree.is_open(rel) => (0..MAX_OUTPUTS.min(self.tree.star_width(rel)))
                .map_while(|column| self.tree.column_name(rel, column))
                .collect(),
            ExprKind::Call(call) => match self.tree.calls.get(call.at()).and_then(|call| call.function) {
                Some(function) if function.out_columns.len() > 1 => {
                    function.out_columns.iter().map(|name| &**name).collect()
                }
                Some(_) | None => Vec::new(),
            },
            // FAIL-CLOSED: of no other value the fields are known.
            _other => Vec::new(),
        };
        if fields.is_empty() && !matches!(self.tree.expr(value).kind, ExprKind::Unknown) {
            self.refuse(at, Refused::Unsupported("a star over an expression whose fields are not known"));
        }
        if !self.count_starred(fields.len(), at) {
            return;
        }
        for (column, name) in (0u32..).zip(fields) {
            let (kind, unordered) = match self.tree.expr(value).kind {
                ExprKind::WholeRow(rel) => (
                    ExprKind::Column(rel, column),
                    self.tree.column_output(rel, column).and_then(|output| output.unordered),
                ),
                kind => (kind, None),
            };
            let expr = self.push(kind, at);
            outputs.push(Output { name, expr: Some(expr), unordered });
        }
        self.bound_outputs(outputs, at);
    }
}

/// What a qualified star covers.
pub(super) enum StarOver {
    /// The item at that position of the scope.
    Item(usize),
}

/// Whether a reference or an indirection ends in a star.
pub(super) fn ends_in_star(fields: &[pg::Node]) -> bool {
    fields.last().is_some_and(|last| matches!(clause_node(last), Some(ClauseNode::AStar)))
}
