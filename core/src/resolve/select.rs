//! SELECT, VALUES and set operations become levels.

use std::sync::OnceLock;

use pg_query::protobuf as pg;

use super::names::{Figured, figure_name};
use super::scope::Scope;
use super::shape::{ClauseNode, ExprNode, clause_node, expr_node, list};
use super::star::{MAX_OUTPUTS, ends_in_star};
use super::tree::{Body, CteId, Distinct, ExprKind, Level, LevelId, Loc, Output, Refused, SubqueryKind};
use super::{Resolver, loc};

/// A recursive CTE whose query is being resolved, and its place in the WITH lists in force.
type Recursion = (CteId, (usize, usize));

impl<'a> Resolver<'a> {
    /// Resolves a query one level of nesting down.
    pub(super) fn select(&mut self, select: &'a pg::SelectStmt) -> LevelId {
        self.select_in(select, None)
    }

    /// As [`Self::select`]; the query may be that of a recursive CTE.
    pub(super) fn select_in(&mut self, select: &'a pg::SelectStmt, recursion: Option<Recursion>) -> LevelId {
        let id = LevelId(super::index(self.tree.levels.len()));
        self.tree.levels.push(Level::new());
        let at = first_loc(select);
        let resolved = self.nested(at, false, |this| {
            this.scopes.push(Scope::new(id));
            this.select_body(id, select, recursion);
            this.scopes.pop();
            true
        });
        if let Some(level) = self.level_mut(id).filter(|_| !resolved) {
            level.open = true;
        }
        self.tree.order.push(id);
        id
    }

    fn select_body(&mut self, id: LevelId, select: &'a pg::SelectStmt, recursion: Option<Recursion>) {
        let pg::SelectStmt {
            distinct_clause,
            into_clause,
            target_list,
            from_clause,
            where_clause,
            group_clause,
            group_distinct,
            having_clause,
            window_clause,
            values_lists,
            sort_clause,
            limit_offset,
            limit_count,
            limit_option: _,
            locking_clause,
            with_clause,
            op,
            all: _,
            larg: _,
            rarg: _,
        } = select;
        self.enter_with(with_clause.as_ref());
        if let Some(into) = into_clause {
            self.refuse(into.rel.as_ref().and_then(|rel| loc(rel.location)), Refused::SelectInto);
        }
        if *op != pg::SetOperation::SetopNone as i32 {
            self.set_operation(id, select, recursion);
        } else if !values_lists.is_empty() {
            self.values(id, values_lists);
        } else {
            let from = self.resolve_from(from_clause);
            self.window_clause(window_clause);
            let outputs = self.target_list(target_list);
            let filter = where_clause.as_deref().map(|filter| self.expr(filter));
            let having = having_clause.as_deref().map(|having| self.expr(having));
            if let Some(level) = self.level_mut(id) {
                level.body = Body::Select { from, filter };
                level.outputs = outputs;
                level.having = having;
            }
            self.group_by(id, group_clause, *group_distinct);
            self.distinct(id, distinct_clause);
        }
        let order_by = self.order_by(id, sort_clause, *op != pg::SetOperation::SetopNone as i32);
        let limit = self.limit(limit_count.as_deref());
        let offset = self.row_count(limit_offset.as_deref());
        if let Some(level) = self.level_mut(id) {
            level.order_by = order_by;
            level.limit = limit;
            level.unlimited = limit.is_none() && limit_count.is_some();
            level.offset = offset;
            level.aggregated = level.has_aggregate || level.group.is_some() || level.having.is_some();
        }
        for clause in locking_clause {
            let Some(ClauseNode::LockingClause(pg::LockingClause { locked_rels: _, strength: _, wait_policy: _ })) =
                clause_node(clause)
            else {
                self.refuse(None, Refused::Unsupported("a locking clause of this kind"));
                continue;
            };
            self.refuse(None, Refused::Locking(self.locking));
            self.locking += 1;
        }
        self.leave_with();
    }

    /// UNION, INTERSECT, EXCEPT. A left-deep chain, as the grammar makes of `a UNION b UNION c`, is one level.
    fn set_operation(&mut self, id: LevelId, select: &'a pg::SelectStmt, recursion: Option<Recursion>) {
        let (mut first, mut rest) = (select, Vec::new());
        let last_is_union_distinct = select.op == pg::SetOperation::SetopUnion as i32 && !select.all;
        let last_is_union = select.op == pg::SetOperation::SetopUnion as i32;
        while let (Some(left), Some(right)) = (&first.larg, &first.rarg) {
            let plain = rest.is_empty() || is_plain(first);
            if !plain {
                break;
            }
            rest.push(&**right);
            first = left;
        }
        rest.reverse();
        let head = self.select(first);
        let mut arms = vec![head];
        let outputs: Vec<Output<'a>> = self.tree.level(head).map_or_else(Vec::new, |level| level.outputs.clone());
        let open = self.tree.level(head).is_some_and(|level| level.open);
        if let Some(level) = self.level_mut(id) {
            level.outputs = outputs.into_iter().map(|output| Output { expr: None, ..output }).collect();
            level.open = open;
            level.body = Body::SetOp { arms: vec![head], last_is_union_distinct };
        }
        let count = rest.len();
        for (at, arm) in rest.into_iter().enumerate() {
            let recursing = recursion.filter(|_| at + 1 == count && last_is_union);
            if let Some((cte, place)) = recursing {
                self.begin_recursion(cte, place, id);
            }
            let arm = self.select(arm);
            arms.push(arm);
            if let Some((_, place)) = recursing {
                self.end_recursion(place);
            }
        }
        for arm in &arms {
            self.need_positions(*arm, usize::MAX);
            if self.tree.level(*arm).is_some_and(|arm| arm.open)
                && let Some(level) = self.level_mut(id)
            {
                level.open = true;
            }
        }
        if let Some(level) = self.level_mut(id) {
            level.body = Body::SetOp { arms, last_is_union_distinct };
            for output in &mut level.outputs {
                output.unordered = None;
            }
        }
    }

    fn values(&mut self, id: LevelId, lists: &'a [pg::Node]) {
        let mut rows = Vec::with_capacity(lists.len());
        let mut width = 0;
        for row in lists {
            let Some(items) = list(row) else {
                self.refuse(None, Refused::Unsupported("a VALUES row"));
                continue;
            };
            let row = self.row_list(items);
            width = width.max(row.len as usize);
            rows.push(row);
        }
        if width > MAX_OUTPUTS {
            self.refuse(None, Refused::Unsupported("more than 1,664 output columns"));
        }
        let names = values_columns().iter().take(width);
        let outputs = names.map(|name| Output { name, expr: None, unordered: None }).collect();
        if let Some(level) = self.level_mut(id) {
            level.body = Body::Values { rows };
            level.outputs = outputs;
        }
    }

    /// The name that the server gives an output without an alias.
    fn output_name(&mut self, node: &'a pg::Node, at: Loc) -> &'a str {
        match figure_name(node) {
            Figured::Name(name) => name,
            // The first output of a scalar subquery, after its stars are expanded.
            Figured::OfSubquery => match self.subquery_name(node) {
                Some(name) => name,
                None => {
                    self.refuse(at, Refused::Unsupported("an output whose name is that of a star's first column"));
                    ""
                }
            },
        }
    }

    /// Goes down where the name came up from (see `figure` in `names`), to the subquery: it has been resolved just now.
    fn subquery_name(&self, node: &pg::Node) -> Option<&'a str> {
        let mut node = node;
        let at = loop {
            node = match expr_node(node)? {
                ExprNode::TypeCast(cast) => cast.arg.as_deref()?,
                ExprNode::CollateClause(clause) => clause.arg.as_deref()?,
                ExprNode::CaseExpr(case) => case.defresult.as_deref()?,
                ExprNode::AIndirection(indirection) => indirection.arg.as_deref()?,
                ExprNode::SubLink(link) => break loc(link.location)?,
                // FAIL-CLOSED: names come up through nothing else.
                _other => return None,
            };
        };
        let level = self.tree.exprs.iter().rev().find_map(|expr| match expr.kind {
            ExprKind::Subquery(SubqueryKind::Scalar, level) if expr.loc == Some(at) => Some(level),
            _other => None,
        });
        let level = self.tree.level(level?).filter(|level| !level.open && level.uncertain.is_none())?;
        Some(level.outputs.first()?.name)
    }

    pub(super) fn target_list(&mut self, targets: &'a [pg::Node]) -> Vec<Output<'a>> {
        let mut outputs = Vec::with_capacity(targets.len());
        for target in targets {
            let Some(ClauseNode::ResTarget(pg::ResTarget { name, indirection: _, val, location })) =
                clause_node(target)
            else {
                self.refuse(None, Refused::Unsupported("a select list item"));
                continue;
            };
            let Some(value) = val.as_deref() else { continue };
            let at = loc(*location);
            match expr_node(value) {
                Some(ExprNode::ColumnRef(column)) if ends_in_star(&column.fields) => {
                    let at = loc(column.location).or(at);
                    let (names, _) = self.field_names(&column.fields);
                    if names.is_empty() {
                        self.expand_star(None, at, &mut outputs);
                    } else if let Some(over) = self.star_over(&names, at) {
                        self.expand_star(Some(over), at, &mut outputs);
                    } else if let Some(level) = self.scopes.last().map(|scope| scope.level)
                        && let Some(level) = self.level_mut(level)
                    {
                        level.open = true;
                    }
                }
                Some(ExprNode::AIndirection(indirection)) if ends_in_star(&indirection.indirection) => {
                    self.expand_fields(indirection, at, &mut outputs);
                }
                Some(_) | None => {
                    let expr = self.expr(value);
                    let name = if name.is_empty() { self.output_name(value, at) } else { name };
                    outputs.push(Output { name, expr: Some(expr), unordered: None });
                }
            }
        }
        outputs
    }
}

/// A set operation that a chain may go through: nothing of its own hangs on it.
fn is_plain(select: &pg::SelectStmt) -> bool {
    select.with_clause.is_none()
        && select.sort_clause.is_empty()
        && select.limit_count.is_none()
        && select.limit_offset.is_none()
        && select.locking_clause.is_empty()
}

/// The names of VALUES columns: `column1` and so on, as many as a result can have.
fn values_columns() -> &'static [String] {
    static NAMES: OnceLock<Vec<String>> = OnceLock::new();
    NAMES.get_or_init(|| (1..=MAX_OUTPUTS).map(|at| format!("column{at}")).collect())
}

/// Some place inside a query: where its first output or first arm stands.
fn first_loc(select: &pg::SelectStmt) -> Loc {
    let mut select = select;
    while let Some(left) = &select.larg {
        select = left;
    }
    let Some(ClauseNode::ResTarget(target)) = select.target_list.first().and_then(clause_node) else { return None };
    loc(target.location)
}

impl Level<'_> {
    pub(super) fn new() -> Self {
        Level {
            body: Body::Values { rows: Vec::new() },
            outputs: Vec::new(),
            open: false,
            uncertain: None,
            distinct: Distinct::No,
            aggregated: false,
            has_aggregate: false,
            may_aggregate: false,
            group: None,
            having: None,
            windows: Vec::new(),
            order_by: super::tree::List::default(),
            limit: None,
            unlimited: false,
            offset: None,
            outer_rels: Vec::new(),
            loc: None,
        }
    }
}
