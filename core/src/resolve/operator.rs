//! Operator expressions: `a + b`, IN, LIKE, BETWEEN, ANY, IS DISTINCT FROM, row comparison.

use pg_query::protobuf as pg;

use super::shape::{ExprNode, dotted, expr_node, list, qualified_name};
use super::tree::{ExprId, ExprKind, List, Loc, Operator, Refused, SubqueryKind};
use super::{Resolver, loc};

impl<'a> Resolver<'a> {
    /// An operator expression. A left-deep chain (`a || b || …`) is walked by a loop: it is one level of nesting.
    pub(super) fn operator_expr(&mut self, top: &'a pg::AExpr) -> ExprId {
        let mut spine = vec![top];
        let mut first = top.lexpr.as_deref();
        while is_binary(spine.last().copied()) {
            let Some(ExprNode::AExpr(left)) = first.and_then(expr_node) else { break };
            if !is_binary(Some(left)) {
                break;
            }
            spine.push(left);
            first = left.lexpr.as_deref();
        }
        let mut left = first.map(|node| self.expr(node));
        for expr in spine.into_iter().rev() {
            left = Some(self.operator_one(expr, left));
        }
        left.unwrap_or_else(|| self.push(ExprKind::Unknown, None))
    }

    fn operator_one(&mut self, node: &'a pg::AExpr, left: Option<ExprId>) -> ExprId {
        use pg::AExprKind as Kind;
        let pg::AExpr { kind, name, lexpr: _, rexpr, rexpr_list_start: _, rexpr_list_end: _, location } = node;
        let at = loc(*location);
        let kind = pg::AExprKind::try_from(*kind).unwrap_or(Kind::Undefined);
        let operator = self.operator(name, at);
        let right = rexpr.as_deref();
        match kind {
            Kind::AexprOp => {
                let right = self.operand(right);
                match left {
                    Some(left) => {
                        self.positions_of_rows(left, right);
                        self.push(ExprKind::Binary(operator, left, right), at)
                    }
                    None => self.push(ExprKind::Prefix(operator, right), at),
                }
            }
            Kind::AexprOpAny | Kind::AexprOpAll => {
                let (left, right) = (self.some(left, at), self.operand(right));
                self.push(ExprKind::AnyArray(operator, kind == Kind::AexprOpAll, left, right), at)
            }
            Kind::AexprDistinct | Kind::AexprNotDistinct => {
                let (left, right) = (self.some(left, at), self.operand(right));
                self.positions_of_rows(left, right);
                self.push(ExprKind::NotDistinct(kind == Kind::AexprNotDistinct, left, right), at)
            }
            Kind::AexprNullif => {
                let (left, right) = (self.some(left, at), self.operand(right));
                let list = self.list(&[left, right]);
                self.push(ExprKind::Other(list), at)
            }
            Kind::AexprIn => {
                let left = self.some(left, at);
                let items = self.list_of(right, at);
                self.push(ExprKind::InList(operator.is_builtin("="), left, items), at)
            }
            Kind::AexprLike | Kind::AexprIlike | Kind::AexprSimilar => {
                let (left, right) = (self.some(left, at), self.operand(right));
                self.push(ExprKind::Like(operator, left, right), at)
            }
            Kind::AexprBetween | Kind::AexprNotBetween | Kind::AexprBetweenSym | Kind::AexprNotBetweenSym => {
                let left = self.some(left, at);
                let bounds = self.list_of(right, at);
                let all: Vec<ExprId> = std::iter::once(left).chain(self.tree.list(bounds).iter().copied()).collect();
                let list = self.list(&all);
                self.push(ExprKind::Between(list), at)
            }
            Kind::Undefined => self.refuse_expr(at, Refused::Unsupported("a kind of operator expression")),
        }
    }

    fn some(&mut self, operand: Option<ExprId>, at: Loc) -> ExprId {
        operand.unwrap_or_else(|| self.push(ExprKind::Unknown, at))
    }

    fn list_of(&mut self, node: Option<&'a pg::Node>, at: Loc) -> List {
        let Some(items) = node.and_then(list) else {
            self.refuse(at, Refused::Unsupported("a list of operands"));
            return List::default();
        };
        self.expr_list(items)
    }

    /// An operator's name, judged.
    pub(super) fn operator(&mut self, name: &'a [pg::Node], at: Loc) -> Operator<'a> {
        let operator = match qualified_name(name) {
            Some((schema, name)) => Operator { schema, name },
            // BETWEEN and its kin name no operator, or one of theirs.
            None => Operator { schema: Some(""), name: "" },
        };
        let keyword = operator.name.ends_with("BETWEEN") || operator.name.ends_with("SYMMETRIC");
        if !keyword && !self.policy().catalog.operator(operator.schema, operator.name) {
            self.refuse(at, Refused::Operator(dotted(name)));
        }
        operator
    }

    /// A row compared with a subquery's row: the subquery's outputs count by position.
    fn positions_of_rows(&mut self, left: ExprId, right: ExprId) {
        for side in [left, right] {
            let kind = self.tree.expr(side).kind;
            if let ExprKind::Subquery(SubqueryKind::Scalar, level) = kind {
                self.need_positions(level, usize::MAX);
            } else if let ExprKind::WholeRow(rel) = kind
                && let Some(level) = self.tree.source_level(rel)
            {
                self.need_positions(level, usize::MAX);
            }
        }
    }
}

/// A binary use of an operator, which a chain can go through.
fn is_binary(expr: Option<&pg::AExpr>) -> bool {
    expr.is_some_and(|expr| expr.kind == pg::AExprKind::AexprOp as i32 && expr.lexpr.is_some())
}
