//! SQL/JSON: constructors, queries, aggregates, IS JSON, JSON_TABLE.

use pg_query::protobuf as pg;

use super::clauses::Sorting;
use super::item::Item;
use super::scope::Aggregate;
use super::shape::{ClauseNode, ExprNode, clause_node, select};
use super::tree::{ExprId, ExprKind, JoinId, Refused, SubqueryKind};
use super::{Resolver, loc};

impl<'a> Resolver<'a> {
    /// A SQL/JSON expression: of what it holds, only the operands matter.
    pub(super) fn json_expr(&mut self, node: ExprNode<'a>) -> ExprId {
        let mut into = Vec::new();
        let location = match node {
            ExprNode::JsonIsPredicate(pg::JsonIsPredicate {
                expr,
                format: _,
                item_type: _,
                unique_keys: _,
                location,
            }) => {
                let operand = self.operand(expr.as_deref());
                into.push(operand);
                location
            }
            ExprNode::JsonParseExpr(pg::JsonParseExpr { expr, output, unique_keys: _, location }) => {
                self.json_value(expr.as_deref(), &mut into);
                self.json_output(output.as_ref());
                location
            }
            ExprNode::JsonScalarExpr(pg::JsonScalarExpr { expr, output, location }) => {
                let operand = self.operand(expr.as_deref());
                into.push(operand);
                self.json_output(output.as_ref());
                location
            }
            ExprNode::JsonSerializeExpr(pg::JsonSerializeExpr { expr, output, location }) => {
                self.json_value(expr.as_deref(), &mut into);
                self.json_output(output.as_ref());
                location
            }
            ExprNode::JsonObjectConstructor(pg::JsonObjectConstructor {
                exprs,
                output,
                absent_on_null: _,
                unique: _,
                location,
            })
            | ExprNode::JsonArrayConstructor(pg::JsonArrayConstructor { exprs, output, absent_on_null: _, location }) =>
            {
                self.json_items(exprs, &mut into);
                self.json_output(output.as_ref());
                location
            }
            ExprNode::JsonArrayQueryConstructor(constructor) => return self.json_array_query(constructor),
            ExprNode::JsonObjectAgg(pg::JsonObjectAgg { constructor, arg, absent_on_null: _, unique: _ }) => {
                self.begin_json_aggregate();
                if let Some(pair) = arg.as_deref() {
                    self.json_pair(pair, &mut into);
                }
                return self.json_aggregate(constructor.as_deref(), into);
            }
            ExprNode::JsonArrayAgg(pg::JsonArrayAgg { constructor, arg, absent_on_null: _ }) => {
                self.begin_json_aggregate();
                self.json_value(arg.as_deref(), &mut into);
                return self.json_aggregate(constructor.as_deref(), into);
            }
            ExprNode::JsonFuncExpr(function) => {
                let pg::JsonFuncExpr {
                    op: _,
                    column_name: _,
                    context_item,
                    pathspec,
                    passing,
                    output,
                    on_empty,
                    on_error,
                    wrapper: _,
                    quotes: _,
                    location,
                } = function;
                self.json_value(context_item.as_deref(), &mut into);
                if let Some(path) = pathspec.as_deref() {
                    let path = self.expr(path);
                    into.push(path);
                }
                self.json_items(passing, &mut into);
                self.json_output(output.as_ref());
                self.json_behaviors([on_empty.as_deref(), on_error.as_deref()], &mut into);
                location
            }
            // FAIL-CLOSED: the caller hands over SQL/JSON alone.
            _other => return self.refuse_expr(None, Refused::Unsupported("a SQL/JSON expression")),
        };
        let list = self.list(&into);
        self.push(ExprKind::Other(list), loc(*location))
    }

    fn json_array_query(&mut self, node: &'a pg::JsonArrayQueryConstructor) -> ExprId {
        let pg::JsonArrayQueryConstructor { query, output, format: _, absent_on_null: _, location } = node;
        let at = loc(*location);
        self.json_output(output.as_ref());
        let Some(query) = query.as_deref().and_then(select) else {
            return self.refuse_expr(at, Refused::Unsupported("JSON_ARRAY over something that is no SELECT"));
        };
        let level = self.select(query);
        self.push(ExprKind::Subquery(SubqueryKind::Array, level), at)
    }

    fn begin_json_aggregate(&mut self) {
        self.aggregates.push(Aggregate { scopes: self.scopes.len(), nearest: None });
    }

    fn json_aggregate(&mut self, constructor: Option<&'a pg::JsonAggConstructor>, mut operands: Vec<ExprId>) -> ExprId {
        let (mut at, mut window) = (None, None);
        if let Some(pg::JsonAggConstructor { output, agg_filter, agg_order, over, location }) = constructor {
            at = loc(*location);
            self.json_output(output.as_ref());
            let order = self.sort_list(agg_order, Sorting::Inputs);
            let order = self.tree.list(order).to_vec();
            operands.extend(order);
            if let Some(filter) = agg_filter.as_deref() {
                let filter = self.expr(filter);
                operands.push(filter);
            }
            window = over.as_deref();
        }
        let nearest = self.aggregates.pop().and_then(|aggregate| aggregate.nearest);
        match window {
            Some(window) => {
                let expressions = self.windowed(window);
                operands.extend(expressions);
            }
            None => self.note_aggregate_at(nearest),
        }
        let list = self.list(&operands);
        self.push(ExprKind::Other(list), at)
    }

    fn json_value(&mut self, value: Option<&'a pg::JsonValueExpr>, into: &mut Vec<ExprId>) {
        let Some(pg::JsonValueExpr { raw_expr, formatted_expr: _, format: _ }) = value else { return };
        let operand = self.operand(raw_expr.as_deref());
        into.push(operand);
    }

    fn json_pair(&mut self, pair: &'a pg::JsonKeyValue, into: &mut Vec<ExprId>) {
        let pg::JsonKeyValue { key, value } = pair;
        let key = self.operand(key.as_deref());
        into.push(key);
        self.json_value(value.as_deref(), into);
    }

    /// The members of a constructor, or the arguments of PASSING.
    fn json_items(&mut self, items: &'a [pg::Node], into: &mut Vec<ExprId>) {
        for item in items {
            match clause_node(item) {
                Some(ClauseNode::JsonKeyValue(pair)) => self.json_pair(pair, into),
                Some(ClauseNode::JsonValueExpr(value)) => self.json_value(Some(value), into),
                Some(ClauseNode::JsonArgument(pg::JsonArgument { val, name: _ })) => {
                    self.json_value(val.as_deref(), into)
                }
                Some(_) | None => {
                    let refused = self.refuse_expr(None, Refused::Unsupported("a SQL/JSON member"));
                    into.push(refused);
                }
            }
        }
    }

    /// RETURNING.
    fn json_output(&mut self, output: Option<&'a pg::JsonOutput>) {
        let Some(pg::JsonOutput { type_name, returning: _ }) = output else { return };
        if let Some(name) = type_name {
            self.type_name(name);
        }
    }

    /// ON EMPTY, ON ERROR.
    fn json_behaviors(&mut self, behaviors: [Option<&'a pg::JsonBehavior>; 2], into: &mut Vec<ExprId>) {
        for pg::JsonBehavior { btype: _, expr, coerce: _, location: _ } in behaviors.into_iter().flatten() {
            if let Some(default) = expr.as_deref() {
                let default = self.expr(default);
                into.push(default);
            }
        }
    }

    /// JSON_TABLE.
    pub(super) fn json_table(&mut self, node: &'a pg::JsonTable) -> (JoinId, Vec<Item<'a>>) {
        let pg::JsonTable { context_item, pathspec: _, passing, columns, on_error, alias, lateral: _, location } = node;
        let (mut operands, mut names) = (Vec::new(), Vec::new());
        self.with_lateral(true, |this| {
            this.json_value(context_item.as_deref(), &mut operands);
            this.json_items(passing, &mut operands);
            this.json_columns(columns, &mut names, &mut operands);
            this.json_behaviors([None, on_error.as_deref()], &mut operands);
        });
        self.known_columns(names, &operands, alias.as_ref(), "json_table", loc(*location))
    }

    /// The columns of one path: its own first, then those of each NESTED PATH (`transformJsonTableColumns`).
    fn json_columns(&mut self, columns: &'a [pg::Node], names: &mut Vec<&'a str>, operands: &mut Vec<ExprId>) {
        let mut nested = Vec::new();
        for column in columns {
            let Some(ClauseNode::JsonTableColumn(column)) = clause_node(column) else {
                self.refuse(None, Refused::Unsupported("a column of JSON_TABLE"));
                continue;
            };
            let pg::JsonTableColumn {
                coltype,
                name,
                type_name,
                pathspec: _,
                format: _,
                wrapper: _,
                quotes: _,
                columns,
                on_empty,
                on_error,
                location,
            } = column;
            if let Some(name) = type_name {
                self.type_name(name);
            }
            self.json_behaviors([on_empty.as_deref(), on_error.as_deref()], operands);
            if *coltype == pg::JsonTableColumnType::JtcNested as i32 {
                nested.push((columns, loc(*location)));
            } else {
                names.push(name);
            }
        }
        for (columns, at) in nested {
            self.nested(at, (), |this| this.json_columns(columns, names, operands));
        }
    }
}
