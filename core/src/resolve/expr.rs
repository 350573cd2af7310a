//! Expressions.

use pg_query::protobuf as pg;

use super::clauses::ordinal;
use super::names::value_function;
use super::shape::{ClauseNode, ExprNode, clause_node, dotted, expr_node, qualified_name, select, string};
use super::star::ends_in_star;
use super::tree::{ExprId, ExprKind, List, Loc, Output, Refused, StarAt, SubqueryKind, TypeUse};
use super::{Resolver, loc};

impl<'a> Resolver<'a> {
    /// Resolves an expression one level of nesting down.
    pub(super) fn expr(&mut self, node: &'a pg::Node) -> ExprId {
        let Some(found) = expr_node(node) else {
            return self.refuse_expr(None, Refused::Unsupported("an expression of this kind"));
        };
        // Leaves are the most of any query, and nest nothing.
        if matches!(found, ExprNode::ColumnRef(_) | ExprNode::AConst(_) | ExprNode::ParamRef(_)) {
            return self.inner(found);
        }
        let id = self.nested(expr_loc(found), None, |this| Some(this.inner(found)));
        id.unwrap_or_else(|| self.push(ExprKind::Unknown, None))
    }

    /// An operand that the grammar always gives.
    pub(super) fn operand(&mut self, node: Option<&'a pg::Node>) -> ExprId {
        match node {
            Some(node) => self.expr(node),
            None => self.push(ExprKind::Unknown, None),
        }
    }

    /// A list of expressions.
    pub(super) fn expr_list(&mut self, nodes: &'a [pg::Node]) -> List {
        if nodes.is_empty() {
            return List::default();
        }
        let ids: Vec<ExprId> = nodes.iter().map(|node| self.expr(node)).collect();
        self.list(&ids)
    }

    /// The elements of ROW(…), an implicit row or a VALUES row: a star in it stands for its columns, in their order
    /// (`transformExpressionList`). Function arguments and arrays are no such lists: there it is the whole row.
    pub(super) fn row_list(&mut self, nodes: &'a [pg::Node]) -> List {
        let mut ids = Vec::with_capacity(nodes.len());
        for node in nodes {
            match expr_node(node) {
                Some(ExprNode::ColumnRef(column)) if ends_in_star(&column.fields) => {
                    self.star_elements(column, &mut ids)
                }
                Some(ExprNode::AIndirection(fields)) if ends_in_star(&fields.indirection) => {
                    let mut outputs = Vec::new();
                    self.expand_fields(fields, None, &mut outputs);
                    self.take_elements(outputs, &mut ids);
                }
                Some(_) | None => {
                    let id = self.expr(node);
                    ids.push(id);
                }
            }
        }
        self.list(&ids)
    }

    fn star_elements(&mut self, column: &'a pg::ColumnRef, into: &mut Vec<ExprId>) {
        let pg::ColumnRef { fields, location } = column;
        let (at, mut outputs) = (loc(*location), Vec::new());
        let (names, _) = self.field_names(fields);
        let Some(over) = self.star_over(&names, at) else {
            let unknown = self.push(ExprKind::Unknown, at);
            into.push(unknown);
            return;
        };
        if self.covers_table(&over) {
            // A table's row as a value, spelled with a star.
            let row = self.column_ref(column);
            into.push(row);
            return;
        }
        if self.covers_uncertain(&over) {
            self.refuse_position(StarAt(at));
        }
        self.expand_star(Some(over), at, &mut outputs);
        self.take_elements(outputs, into);
    }

    /// In a row the position of each column counts.
    fn take_elements(&mut self, outputs: Vec<Output<'a>>, into: &mut Vec<ExprId>) {
        for output in outputs {
            if let Some(star) = output.unordered {
                self.refuse_position(star);
            }
            into.extend(output.expr);
        }
    }

    /// A construct of which only the operands matter.
    fn other(&mut self, nodes: impl IntoIterator<Item = &'a pg::Node>, at: Loc) -> ExprId {
        let ids: Vec<ExprId> = nodes.into_iter().map(|node| self.expr(node)).collect();
        let list = self.list(&ids);
        self.push(ExprKind::Other(list), at)
    }

    fn inner(&mut self, node: ExprNode<'a>) -> ExprId {
        match node {
            ExprNode::ColumnRef(column) => self.column_ref(column),
            ExprNode::AConst(constant) => self.constant(constant),
            ExprNode::ParamRef(pg::ParamRef { number, location }) => {
                self.push(ExprKind::Param(u32::try_from(*number).unwrap_or(0)), loc(*location))
            }
            ExprNode::AExpr(expr) => self.operator_expr(expr),
            ExprNode::BoolExpr(pg::BoolExpr { xpr: _, boolop, args, location }) => {
                let at = loc(*location);
                let list = self.expr_list(args);
                match (pg::BoolExprType::try_from(*boolop), self.tree.list(list).first().copied()) {
                    (Ok(pg::BoolExprType::AndExpr), _) => self.push(ExprKind::And(list), at),
                    (Ok(pg::BoolExprType::OrExpr), _) => self.push(ExprKind::Or(list), at),
                    (Ok(pg::BoolExprType::NotExpr), Some(arg)) => self.push(ExprKind::Not(arg), at),
                    (Ok(pg::BoolExprType::NotExpr | pg::BoolExprType::Undefined) | Err(_), _) => {
                        self.refuse_expr(at, Refused::Unsupported("a boolean operator"))
                    }
                }
            }
            ExprNode::NullTest(pg::NullTest { xpr: _, arg, nulltesttype, argisrow: _, location }) => {
                let arg = self.operand(arg.as_deref());
                let not_null = *nulltesttype == pg::NullTestType::IsNotNull as i32;
                self.push(ExprKind::NullTest(not_null, arg), loc(*location))
            }
            ExprNode::BooleanTest(pg::BooleanTest { xpr: _, arg, booltesttype, location }) => {
                let arg = self.operand(arg.as_deref());
                let is_true = *booltesttype == pg::BoolTestType::IsTrue as i32;
                self.push(ExprKind::BoolTest(is_true, arg), loc(*location))
            }
            ExprNode::FuncCall(call) => self.func_call(call, false),
            ExprNode::TypeCast(cast) => self.type_cast(cast),
            ExprNode::CollateClause(clause) => {
                let arg = self.operand(clause.arg.as_deref());
                self.collation(clause);
                self.push(ExprKind::Collate(arg), loc(clause.location))
            }
            ExprNode::SubLink(link) => self.sublink(link),
            ExprNode::CaseExpr(case) => self.case(case),
            ExprNode::RowExpr(pg::RowExpr { xpr: _, args, row_typeid: _, row_format: _, colnames: _, location }) => {
                let list = self.row_list(args);
                self.push(ExprKind::Row(list), loc(*location))
            }
            ExprNode::AArrayExpr(pg::AArrayExpr { elements, list_start: _, list_end: _, location }) => {
                let list = self.expr_list(elements);
                self.push(ExprKind::Array(list), loc(*location))
            }
            ExprNode::AIndirection(indirection) => self.indirection(indirection),
            ExprNode::CoalesceExpr(pg::CoalesceExpr { xpr: _, coalescetype: _, coalescecollid: _, args, location }) => {
                self.other(args, loc(*location))
            }
            ExprNode::MinMaxExpr(minmax) => {
                let pg::MinMaxExpr { xpr: _, minmaxtype: _, minmaxcollid: _, inputcollid: _, op: _, args, location } =
                    minmax;
                self.other(args, loc(*location))
            }
            ExprNode::GroupingFunc(pg::GroupingFunc { xpr: _, args, refs: _, agglevelsup: _, location }) => {
                self.other(args, loc(*location))
            }
            ExprNode::SqlvalueFunction(function) => self.value_function(function),
            ExprNode::NamedArgExpr(pg::NamedArgExpr { xpr: _, arg, name: _, argnumber: _, location: _ }) => {
                self.operand(arg.as_deref())
            }
            ExprNode::JsonIsPredicate(_)
            | ExprNode::JsonParseExpr(_)
            | ExprNode::JsonScalarExpr(_)
            | ExprNode::JsonSerializeExpr(_)
            | ExprNode::JsonObjectConstructor(_)
            | ExprNode::JsonArrayConstructor(_)
            | ExprNode::JsonArrayQueryConstructor(_)
            | ExprNode::JsonObjectAgg(_)
            | ExprNode::JsonArrayAgg(_)
            | ExprNode::JsonFuncExpr(_) => self.json_expr(node),
            ExprNode::SetToDefault(default) => self.refuse_expr(loc(default.location), Refused::Unsupported("DEFAULT")),
            ExprNode::MultiAssignRef(_) => self.refuse_expr(None, Refused::Unsupported("a multi-column assignment")),
            ExprNode::CurrentOfExpr => self.refuse_expr(None, Refused::Unsupported("WHERE CURRENT OF")),
            ExprNode::Refused(name) => self.refuse_expr(None, Refused::Unsupported(name)),
        }
    }

    /// Judges the collation that a COLLATE names.
    pub(super) fn collation(&mut self, clause: &'a pg::CollateClause) {
        let pg::CollateClause { arg: _, collname, location } = clause;
        let parts: Vec<&str> = collname.iter().filter_map(string).collect();
        let allowed = match parts.as_slice() {
            [name] => self.policy().catalog.collation(None, name),
            [schema, name] => self.policy().catalog.collation(Some(schema), name),
            [..] => false,
        };
        if !allowed {
            let at = self.name_after(loc(*location), parts.first().copied().unwrap_or_default());
            self.refuse(at, Refused::Collation(parts.join(".")));
        }
    }

    fn constant(&mut self, node: &'a pg::AConst) -> ExprId {
        let pg::AConst { isnull, location, val } = node;
        let kind = match val {
            None if *isnull => ExprKind::Null,
            None => return self.refuse_expr(loc(*location), Refused::Unsupported("a constant of this kind")),
            Some(pg::a_const::Val::Ival(pg::Integer { ival })) => ExprKind::Integer(*ival),
            Some(pg::a_const::Val::Fval(pg::Float { fval })) => ExprKind::Numeric(fval),
            Some(pg::a_const::Val::Boolval(pg::Boolean { boolval: _ })) => ExprKind::Bool,
            Some(pg::a_const::Val::Sval(pg::String { sval })) => ExprKind::String(sval),
            Some(pg::a_const::Val::Bsval(pg::BitString { bsval: _ })) => ExprKind::Bits,
        };
        self.push(kind, loc(*location))
    }

    /// A cast. A chain of `::` is walked by a loop.
    fn type_cast(&mut self, top: &'a pg::TypeCast) -> ExprId {
        let mut spine = vec![top];
        let mut first = top.arg.as_deref();
        while let Some(ExprNode::TypeCast(inner)) = first.and_then(expr_node) {
            spine.push(inner);
            first = inner.arg.as_deref();
        }
        let mut value = self.operand(first);
        for pg::TypeCast { arg: _, type_name, location } in spine.into_iter().rev() {
            let at = loc(*location);
            value = match type_name.as_ref().and_then(|name| self.type_name(name)) {
                Some(ty) => {
                    self.note_cast(value, ty);
                    self.push(ExprKind::Cast(value, ty), at)
                }
                None => {
                    let list = self.list(&[value]);
                    self.push(ExprKind::Other(list), at)
                }
            };
        }
        value
    }

    /// A call may stand directly under a cast to text where it may stand nowhere else.
    fn note_cast(&mut self, value: ExprId, ty: TypeUse<'a>) {
        if let ExprKind::Call(call) = self.tree.expr(value).kind
            && ty.is_text()
            && let Some(call) = self.tree.calls.get_mut(call.at())
        {
            call.as_text = true;
        }
    }

    /// A type's name, judged; `None` where it is refused.
    pub(super) fn type_name(&mut self, node: &'a pg::TypeName) -> Option<TypeUse<'a>> {
        let pg::TypeName { names, type_oid: _, setof, pct_type, typmods, typemod: _, array_bounds, location } = node;
        let at = loc(*location);
        if *setof || *pct_type {
            self.refuse(at, Refused::Unsupported("SETOF or %TYPE"));
            return None;
        }
        let known = qualified_name(names).filter(|(schema, name)| self.policy().catalog.ty(*schema, name));
        let Some((schema, name)) = known else {
            self.refuse(at, Refused::Type(dotted(names)));
            return None;
        };
        let length = typmods.first().and_then(ordinal).map(|(length, _)| length);
        Some(TypeUse { schema, name, array: !array_bounds.is_empty(), modified: !typmods.is_empty(), length })
    }

    fn sublink(&mut self, node: &'a pg::SubLink) -> ExprId {
        use pg::SubLinkType as Kind;
        let pg::SubLink { xpr: _, sub_link_type, sub_link_id: _, testexpr, oper_name, subselect, location } = node;
        let at = loc(*location);
        let kind = Kind::try_from(*sub_link_type).unwrap_or(Kind::Undefined);
        let test = testexpr.as_deref().map(|test| self.expr(test));
        let Some(query) = subselect.as_deref().and_then(select) else {
            return self.refuse_expr(at, Refused::Unsupported("a subquery that is no SELECT"));
        };
        let level = self.select(query);
        let what = match (kind, test) {
            (Kind::ExistsSublink, None) => SubqueryKind::Exists,
            (Kind::ExprSublink, None) => SubqueryKind::Scalar,
            (Kind::ArraySublink, None) => SubqueryKind::Array,
            (Kind::AnySublink | Kind::AllSublink, Some(test)) => {
                self.need_positions(level, usize::MAX);
                let operator = if oper_name.is_empty() {
                    super::tree::Operator { schema: None, name: "=" }
                } else {
                    self.operator(oper_name, at)
                };
                if kind == Kind::AnySublink { SubqueryKind::Any(operator, test) } else { SubqueryKind::All(test) }
            }
            (
                Kind::ExistsSublink
                | Kind::ExprSublink
                | Kind::ArraySublink
                | Kind::AnySublink
                | Kind::AllSublink
                | Kind::RowcompareSublink
                | Kind::MultiexprSublink
                | Kind::CteSublink
                | Kind::Undefined,
                _,
            ) => return self.refuse_expr(at, Refused::Unsupported("a kind of subquery")),
        };
        self.push(ExprKind::Subquery(what, level), at)
    }

    /// CASE. `ELSE CASE …` is a chain: one level of nesting.
    fn case(&mut self, top: &'a pg::CaseExpr) -> ExprId {
        let at = loc(top.location);
        let (mut ids, mut next) = (Vec::new(), Some(top));
        while let Some(pg::CaseExpr { xpr: _, casetype: _, casecollid: _, arg, args, defresult, location: _ }) =
            next.take()
        {
            if let Some(arg) = arg {
                let arg = self.expr(arg);
                ids.push(arg);
            }
            for when in args {
                let Some(ClauseNode::CaseWhen(pg::CaseWhen { xpr: _, expr, result, location: _ })) = clause_node(when)
                else {
                    self.refuse(at, Refused::Unsupported("an arm of CASE"));
                    continue;
                };
                for part in [expr, result].into_iter().flatten() {
                    let part = self.expr(part);
                    ids.push(part);
                }
            }
            match defresult.as_deref().map(|default| (default, expr_node(default))) {
                Some((_, Some(ExprNode::CaseExpr(inner)))) => next = Some(inner),
                Some((default, _)) => {
                    let default = self.expr(default);
                    ids.push(default);
                }
                None => {}
            }
        }
        let list = self.list(&ids);
        self.push(ExprKind::Other(list), at)
    }

    fn value_function(&mut self, node: &'a pg::SqlValueFunction) -> ExprId {
        use pg::SqlValueFunctionOp as Op;
        let pg::SqlValueFunction { xpr: _, op, r#type: _, typmod: _, location } = node;
        let at = loc(*location);
        let op = Op::try_from(*op).unwrap_or(Op::SqlvalueFunctionOpUndefined);
        match op {
            Op::SvfopCurrentDate
            | Op::SvfopCurrentTime
            | Op::SvfopCurrentTimeN
            | Op::SvfopCurrentTimestamp
            | Op::SvfopCurrentTimestampN
            | Op::SvfopLocaltime
            | Op::SvfopLocaltimeN
            | Op::SvfopLocaltimestamp
            | Op::SvfopLocaltimestampN => self.push(ExprKind::Other(List::default()), at),
            Op::SvfopCurrentRole
            | Op::SvfopCurrentUser
            | Op::SvfopUser
            | Op::SvfopSessionUser
            | Op::SvfopCurrentCatalog
            | Op::SvfopCurrentSchema
            | Op::SqlvalueFunctionOpUndefined => {
                self.refuse_expr(at, Refused::Function(value_function(op).unwrap_or_default().to_owned()))
            }
        }
    }
}

/// Where a nesting expression stands, as far as its node tells.
pub(super) fn expr_loc(node: ExprNode<'_>) -> Loc {
    match node {
        ExprNode::AExpr(expr) => loc(expr.location),
        ExprNode::BoolExpr(expr) => loc(expr.location),
        ExprNode::FuncCall(call) => loc(call.location),
        ExprNode::SubLink(link) => loc(link.location),
        ExprNode::CaseExpr(case) => loc(case.location),
        ExprNode::RowExpr(row) => loc(row.location),
        ExprNode::AArrayExpr(array) => loc(array.location),
        ExprNode::CoalesceExpr(expr) => loc(expr.location),
        ExprNode::MinMaxExpr(expr) => loc(expr.location),
        ExprNode::TypeCast(cast) => loc(cast.location),
        ExprNode::NullTest(test) => loc(test.location),
        ExprNode::BooleanTest(test) => loc(test.location),
        ExprNode::ColumnRef(column) => loc(column.location),
        ExprNode::AConst(constant) => loc(constant.location),
        ExprNode::ParamRef(param) => loc(param.location),
        ExprNode::CollateClause(clause) => loc(clause.location),
        ExprNode::SqlvalueFunction(function) => loc(function.location),
        ExprNode::GroupingFunc(function) => loc(function.location),
        ExprNode::AIndirection(_)
        | ExprNode::JsonIsPredicate(_)
        | ExprNode::JsonParseExpr(_)
        | ExprNode::JsonScalarExpr(_)
        | ExprNode::JsonSerializeExpr(_)
        | ExprNode::JsonObjectConstructor(_)
        | ExprNode::JsonArrayConstructor(_)
        | ExprNode::JsonArrayQueryConstructor(_)
        | ExprNode::JsonObjectAgg(_)
        | ExprNode::JsonArrayAgg(_)
        | ExprNode::JsonFuncExpr(_)
        | ExprNode::NamedArgExpr(_)
        | ExprNode::SetToDefault(_)
        | ExprNode::MultiAssignRef(_)
        | ExprNode::CurrentOfExpr
        | ExprNode::Refused(_) => None,
    }
}
