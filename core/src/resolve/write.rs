//! INSERT, UPDATE, DELETE become a level and a [`Write`].
//!
//! The level of UPDATE and DELETE joins the target with what FROM and USING name, so that facts and rules see a SELECT over
//! them; its outputs are RETURNING. The level of INSERT has no FROM: its rows come from a level of their own.
//! Follows `transformInsertStmt`, `transformUpdateStmt`, `transformDeleteStmt` (analyze.c).

use pg_query::protobuf as pg;

use super::item::Item;
use super::scope::Scope;
use super::shape::{ClauseNode, ExprNode, clause_node, expr_node, list, select};
use super::star::ends_in_star;
use super::tree::{
    Assignment, BadShape, Body, ExprId, ExprKind, JoinId, Level, LevelId, List, Loc, Refused, RelId, RelKind,
    SubqueryKind, Target, Value, Write, WriteKind,
};
use super::{Resolver, loc};
use crate::policy::Table;
use crate::weaken::{Switch, weak};

/// What `SET (a, b) = …` gives.
#[derive(Clone, Copy)]
enum Several {
    Row(List),
    Query(LevelId),
    Refused,
}

impl<'a> Resolver<'a> {
    /// INSERT.
    pub(super) fn insert(&mut self, statement: &'a pg::InsertStmt) -> LevelId {
        let pg::InsertStmt {
            relation,
            cols,
            select_stmt,
            on_conflict_clause,
            returning_clause,
            with_clause,
            r#override,
        } = statement;
        self.level(|this, id| {
            this.enter_with(with_clause.as_ref());
            let (target, _, items) = this.target(relation.as_ref());
            // Neither the rows nor a subscript in the column list see the target.
            let columns: Vec<Target<'a>> =
                cols.iter().filter_map(|column| Some(this.target_column(target, column)?.0)).collect();
            let source = select_stmt.as_deref().and_then(|node| this.insert_source(node, columns.len()));
            let near = columns.last().map(|column| column.loc).or(relation.as_ref().map(|it| loc(it.location)));
            let near = near.flatten();
            if select_stmt.is_none() {
                this.refuse(near, Refused::Shape(BadShape::DefaultValues));
            } else if columns.is_empty() && !weak(Switch::InsertByPosition) {
                this.refuse(None, Refused::Shape(BadShape::NoColumns));
            }
            let overrides = matches!(
                pg::OverridingKind::try_from(*r#override),
                Ok(pg::OverridingKind::OverridingUserValue | pg::OverridingKind::OverridingSystemValue)
            );
            if overrides && !weak(Switch::Overriding) {
                this.refuse(near, Refused::Shape(BadShape::Overriding));
            }
            this.show(items);
            this.on_conflict(on_conflict_clause.as_deref(), target);
            let write = Write {
                kind: WriteKind::Insert,
                target,
                columns,
                source,
                sets: Vec::new(),
                returning: this.next_expr(),
            };
            this.finish(id, write, returning_clause.as_ref(), Vec::new(), None);
        })
    }

    /// UPDATE.
    pub(super) fn update(&mut self, statement: &'a pg::UpdateStmt) -> LevelId {
        let pg::UpdateStmt { relation, target_list, where_clause, from_clause, returning_clause, with_clause } =
            statement;
        self.level(|this, id| {
            this.enter_with(with_clause.as_ref());
            let (target, from) = this.joined_target(relation.as_ref(), from_clause);
            let sets = this.assignments(target, target_list);
            let filter = this.write_filter(where_clause.as_deref());
            let returning = this.next_expr();
            let write = Write { kind: WriteKind::Update, target, columns: Vec::new(), source: None, sets, returning };
            this.finish(id, write, returning_clause.as_ref(), from, filter);
        })
    }

    /// DELETE.
    pub(super) fn delete(&mut self, statement: &'a pg::DeleteStmt) -> LevelId {
        let pg::DeleteStmt { relation, using_clause, where_clause, returning_clause, with_clause } = statement;
        self.level(|this, id| {
            this.enter_with(with_clause.as_ref());
            let (target, from) = this.joined_target(relation.as_ref(), using_clause);
            let filter = this.write_filter(where_clause.as_deref());
            let (sets, returning) = (Vec::new(), this.next_expr());
            let write = Write { kind: WriteKind::Delete, target, columns: Vec::new(), source: None, sets, returning };
            this.finish(id, write, returning_clause.as_ref(), from, filter);
        })
    }

    /// A level whose clauses `inside` resolves.
    fn level(&mut self, inside: impl FnOnce(&mut Self, LevelId)) -> LevelId {
        let id = LevelId(super::index(self.tree.levels.len()));
        self.tree.levels.push(Level::new());
        let resolved = self.nested(None, false, |this| {
            this.scopes.push(Scope::new(id));
            inside(this, id);
            this.scopes.pop();
            true
        });
        if let Some(level) = self.level_mut(id).filter(|_| !resolved) {
            level.open = true;
        }
        self.tree.order.push(id);
        id
    }

    /// RETURNING, and what the level is made of.
    fn finish(
        &mut self,
        id: LevelId,
        write: Write<'a>,
        returning: Option<&'a pg::ReturningClause>,
        from: Vec<JoinId>,
        filter: Option<ExprId>,
    ) {
        let outputs = self.returning(returning, write.target);
        if let Some(level) = self.level_mut(id) {
            level.body = Body::Select { from, filter };
            level.outputs = outputs;
            level.aggregated = level.has_aggregate;
        }
        self.defaults_returned(&write);
        self.tree.write = Some(write);
        self.leave_with();
    }

    fn next_expr(&self) -> ExprId {
        ExprId(super::index(self.tree.exprs.len()))
    }

    /// Adds names to the namespace of the statement.
    pub(super) fn show(&mut self, items: Vec<Item<'a>>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.items.extend(items);
        }
    }

    /// The relation that is written to.
    fn target(&mut self, node: Option<&'a pg::RangeVar>) -> (RelId, JoinId, Vec<Item<'a>>) {
        let rel = RelId(super::index(self.tree.rels.len()));
        let (join, items) = match node {
            Some(var) => {
                let kind = self.target_relation(var);
                self.leaf(kind, var.alias.as_ref(), &var.relname, loc(var.location))
            }
            None => {
                self.refuse(None, Refused::Unsupported("a write without a table"));
                self.leaf(RelKind::Unknown, None, "", None)
            }
        };
        (rel, join, items)
    }

    /// The target of UPDATE or DELETE and what is joined with it. Nothing in FROM and USING sees the target, LATERAL neither.
    fn joined_target(&mut self, node: Option<&'a pg::RangeVar>, from: &'a [pg::Node]) -> (RelId, Vec<JoinId>) {
        let (target, join, mut items) = self.target(node);
        for item in &mut items {
            (item.lateral_only, item.lateral_ok) = (true, false);
        }
        self.show(items);
        let mut joins = vec![join];
        joins.extend(self.resolve_from(from));
        (target, joins)
    }

    pub(super) fn target_table(&self, target: RelId) -> Option<&'a Table> {
        let RelKind::Table(table) = self.tree.rel(target)?.kind else { return None };
        self.policy().tables.get(table as usize)
    }

    /// A column of INSERT's list or of SET, and what SET gives it.
    fn target_column(&mut self, target: RelId, node: &'a pg::Node) -> Option<(Target<'a>, Option<&'a pg::Node>)> {
        let Some(ClauseNode::ResTarget(pg::ResTarget { name, indirection, val, location })) = clause_node(node) else {
            self.refuse(None, Refused::Unsupported("a column to be written of this kind"));
            return None;
        };
        let at = loc(*location);
        for step in indirection {
            match clause_node(step) {
                Some(ClauseNode::AIndices(pg::AIndices { is_slice: _, lidx, uidx })) => {
                    for bound in [lidx, uidx].into_iter().flatten() {
                        self.expr(bound);
                    }
                }
                Some(ClauseNode::String(_)) => {}
                Some(_) | None => self.refuse(at, Refused::Shape(BadShape::Other("a star as a column to be written"))),
            }
        }
        let column = self.target_table(target).and_then(|table| table.column(name)).map(|(at, _)| super::index(at));
        Some((Target { name, column, part: !indirection.is_empty(), loc: at }, val.as_deref()))
    }

    /// The rows of INSERT. A list of VALUES without anything else is coerced cell by cell to the columns' types, and may hold
    /// DEFAULT; everything else is a query.
    fn insert_source(&mut self, node: &'a pg::Node, columns: usize) -> Option<LevelId> {
        let Some(query) = select(node) else {
            self.refuse(None, Refused::Unsupported("rows of this kind"));
            return None;
        };
        let is_list = !query.values_lists.is_empty()
            && query.sort_clause.is_empty()
            && query.limit_offset.is_none()
            && query.limit_count.is_none()
            && query.locking_clause.is_empty()
            && query.with_clause.is_none();
        let level = if is_list { self.insert_rows(&query.values_lists) } else { self.select(query) };
        self.need_positions(level, if columns == 0 { usize::MAX } else { columns });
        Some(level)
    }

    fn insert_rows(&mut self, lists: &'a [pg::Node]) -> LevelId {
        self.level(|this, id| {
            let mut rows = Vec::with_capacity(lists.len());
            for row in lists {
                match list(row) {
                    Some(cells) => {
                        let row = this.given_list(cells);
                        rows.push(row);
                    }
                    None => this.refuse(None, Refused::Unsupported("a VALUES row")),
                }
            }
            if let Some(level) = this.level_mut(id) {
                level.body = Body::Values { rows };
            }
        })
    }

    /// The cells of a row that is written: expressions and DEFAULT.
    fn given_list(&mut self, nodes: &'a [pg::Node]) -> List {
        let mut ids = Vec::with_capacity(nodes.len());
        for node in nodes {
            match expr_node(node) {
                Some(ExprNode::SetToDefault(default)) => {
                    let default = self.push(ExprKind::Default, loc(default.location));
                    ids.push(default);
                }
                Some(ExprNode::ColumnRef(pg::ColumnRef { fields: steps, location: _ }))
                | Some(ExprNode::AIndirection(pg::AIndirection { arg: _, indirection: steps }))
                    if ends_in_star(steps) =>
                {
                    let cells = self.row_list(std::slice::from_ref(node));
                    ids.extend_from_slice(self.tree.list(cells));
                }
                Some(_) | None => {
                    let id = self.expr(node);
                    ids.push(id);
                }
            }
        }
        self.list(&ids)
    }

    /// SET. Of `(a, b) = source` the parser gives each column the whole source: it is resolved once, for the first.
    fn assignments(&mut self, target: RelId, nodes: &'a [pg::Node]) -> Vec<Assignment<'a>> {
        let mut sets = Vec::with_capacity(nodes.len());
        let mut several = Several::Refused;
        for node in nodes {
            let Some((target, value)) = self.target_column(target, node) else { continue };
            let node = value.and_then(expr_node);
            let is_several = matches!(node, Some(ExprNode::MultiAssignRef(_)));
            let value = match node {
                Some(ExprNode::MultiAssignRef(pg::MultiAssignRef { source, colno, ncolumns })) => {
                    if *colno == 1 {
                        several = self.several(source.as_deref(), usize::try_from(*ncolumns).unwrap_or(0), target.loc);
                    }
                    let position = usize::try_from(*colno).unwrap_or(0).saturating_sub(1);
                    self.one_of(several, position, target.loc)
                }
                Some(ExprNode::SetToDefault(default)) => {
                    Value::Expr(self.push(ExprKind::Default, loc(default.location)))
                }
                Some(_) | None => Value::Expr(self.operand(value)),
            };
            sets.push(Assignment { target, value, several: is_several });
        }
        sets
    }

    /// The source of a multi-column SET: a row or a subquery, of so many values.
    fn several(&mut self, source: Option<&'a pg::Node>, width: usize, at: Loc) -> Several {
        let found = match source.and_then(expr_node) {
            Some(ExprNode::RowExpr(row)) => {
                let list = self.given_list(&row.args);
                (list.len as usize == width).then_some(Several::Row(list))
            }
            Some(ExprNode::SubLink(link)) if link.sub_link_type == pg::SubLinkType::ExprSublink as i32 => {
                link.subselect.as_deref().and_then(select).and_then(|query| {
                    let level = self.select(query);
                    self.need_positions(level, width);
                    self.push(ExprKind::Subquery(SubqueryKind::Scalar, level), loc(link.location));
                    let known = self.tree.level(level).filter(|level| !level.open && level.uncertain.is_none());
                    known.is_none_or(|level| level.outputs.len() == width).then_some(Several::Query(level))
                })
            }
            Some(_) | None => None,
        };
        found.unwrap_or_else(|| {
            self.refuse(at, Refused::Shape(BadShape::MultipleSet));
            Several::Refused
        })
    }

    fn one_of(&mut self, several: Several, position: usize, at: Loc) -> Value {
        let cell = match several {
            Several::Query(level) => return Value::Output(level),
            Several::Row(list) => self.tree.list(list).get(position).copied(),
            Several::Refused => None,
        };
        Value::Expr(cell.unwrap_or_else(|| self.push(ExprKind::Unknown, at)))
    }

    fn write_filter(&mut self, node: Option<&'a pg::Node>) -> Option<ExprId> {
        let node = node?;
        if matches!(expr_node(node), Some(ExprNode::CurrentOfExpr)) {
            self.refuse(None, Refused::Shape(BadShape::CurrentOf));
            return None;
        }
        Some(self.expr(node))
    }
}
