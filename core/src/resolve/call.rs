//! Function calls, in expressions and in FROM; which level an aggregate belongs to.

use pg_query::protobuf as pg;

use crate::catalog::{Function, FunctionKind};
use crate::text::Tokens;

use super::clauses::Sorting;
use super::item::Item;
use super::names::column_name;
use super::scope::{Aggregate, Lookup};
use super::shape::{ClauseNode, ExprNode, clause_node, dotted, expr_node, list, qualified_name, string};
use super::tree::{Call, CallId, ExprId, ExprKind, JoinId, Loc, Reach, Refused, RelKind};
use super::{Resolver, loc};

/// Functions of PostgreSQL itself that give arrays of scalars, whatever they are given.
const GIVES_SCALARS: [&str; 8] = [
    "string_to_array",
    "regexp_split_to_array",
    "regexp_match",
    "regexp_matches",
    "array_positions",
    "tsvector_to_array",
    "jsonb_path_query_array",
    "pg_typeof",
];

/// Text search functions whose first argument may be a configuration (PostgreSQL manual, 9.13).
const TAKES_CONFIGURATION: [&str; 6] =
    ["to_tsvector", "to_tsquery", "plainto_tsquery", "phraseto_tsquery", "websearch_to_tsquery", "ts_headline"];

impl<'a> Resolver<'a> {
    /// A function call; `in_from`: it stands there as a relation.
    pub(super) fn func_call(&mut self, node: &'a pg::FuncCall, in_from: bool) -> ExprId {
        let pg::FuncCall {
            funcname,
            args,
            agg_order,
            agg_filter,
            over,
            agg_within_group,
            agg_star: _,
            agg_distinct: _,
            func_variadic: _,
            funcformat: _,
            location,
        } = node;
        let at = loc(*location);
        let Some((schema, name)) = qualified_name(funcname) else {
            return self.refuse_expr(at, Refused::Function(dotted(funcname)));
        };
        let several_arrays = in_from && name == "unnest" && args.len() > 1;
        let count = match (several_arrays, agg_within_group) {
            // In FROM, unnest(a, b) is one function per array.
            (true, _) => 1,
            (false, true) => args.len() + agg_order.len(),
            (false, false) => args.len(),
        };
        let policy = self.policy();
        let function = policy.catalog.function(schema, name, count);
        if let Some(column) = self.column_as_call(schema, name, args, function, at) {
            return column;
        }
        if function.is_none() {
            self.refuse(at, Refused::Function(dotted(funcname)));
        }

        self.aggregates.push(Aggregate { scopes: self.scopes.len(), nearest: None });
        let mut operands: Vec<ExprId> = Vec::with_capacity(args.len());
        for (at, arg) in args.iter().enumerate() {
            let configuration = at == 0 && function.is_some() && TAKES_CONFIGURATION.contains(&name);
            let operand = if configuration { self.configuration(arg) } else { self.expr(arg) };
            operands.push(operand);
        }
        // The direct arguments of an ordered-set aggregate do not decide which level it belongs to (check_agg_arguments).
        if *agg_within_group && let Some(own) = self.aggregates.last_mut() {
            own.nearest = None;
        }
        let order = self.sort_list(agg_order, Sorting::Inputs);
        let order: Vec<ExprId> = self.tree.list(order).to_vec();
        let mut others = Vec::new();
        if *agg_within_group {
            operands.extend(order);
        } else {
            others.extend(order);
        }
        if let Some(filter) = agg_filter.as_deref() {
            let filter = self.expr(filter);
            others.push(filter);
        }
        let nearest = self.aggregates.pop().and_then(|aggregate| aggregate.nearest);

        if let Some(window) = over.as_deref() {
            let expressions = self.windowed(window);
            others.extend(expressions);
        } else {
            self.note_aggregate(function, *agg_within_group, nearest);
        }
        let here = self.level_id();
        let named = args.iter().any(|arg| matches!(expr_node(arg), Some(ExprNode::NamedArgExpr(_))));
        let args = self.list(&operands);
        let others = self.list(&others);
        let id = CallId(super::index(self.tree.calls.len()));
        self.tree.calls.push(Call { name, args, others, function, level: here, as_text: false, named, loc: at });
        self.push(ExprKind::Call(id), at)
    }

    /// The first argument of a text search function. `'english'::regconfig`, which ORMs write, is there what `'english'` is;
    /// anywhere else the type needs naming, because its values read the catalogue.
    fn configuration(&mut self, node: &'a pg::Node) -> ExprId {
        if let Some(ExprNode::TypeCast(pg::TypeCast { arg, type_name, location: _ })) = expr_node(node)
            && let Some(ExprNode::AConst(pg::AConst { isnull: _, location, val })) = arg.as_deref().and_then(expr_node)
            && let Some(pg::a_const::Val::Sval(pg::String { sval })) = val
            && let Some(name) = type_name.as_ref().filter(|name| is_regconfig(name))
            && sval.parse::<u32>().is_err()
        {
            let at = loc(*location).or(loc(name.location));
            return self.push(ExprKind::String(sval), at);
        }
        self.expr(node)
    }

    /// A function of the current level is computed over a window.
    pub(super) fn windowed(&mut self, window: &'a pg::WindowDef) -> Vec<ExprId> {
        let (partition, expressions) = self.over(window);
        let level = self.level_id();
        if let Some(level) = self.level_mut(level) {
            level.windows.push(partition);
        }
        expressions
    }

    /// OVER: the window that is named, or the one that is written.
    fn over(&mut self, window: &'a pg::WindowDef) -> (super::tree::List, Vec<ExprId>) {
        if window.name.is_empty() {
            return self.window(window);
        }
        // FAIL-CLOSED: an unknown name has no PARTITION BY (and the server refuses it).
        (self.named_window(&window.name).unwrap_or_default(), Vec::new())
    }

    /// An aggregate makes the level aggregated whose columns it takes; one without columns, the level where it stands.
    fn note_aggregate(&mut self, function: Option<&Function>, within_group: bool, nearest: Option<usize>) {
        let certain = within_group || function.is_some_and(|function| function.kind == FunctionKind::Aggregate);
        // A function of the policy's own could be an aggregate; so could one that is refused.
        let possible = function.is_none_or(|function| function.kind == FunctionKind::Unknown);
        if !certain && !possible {
            return;
        }
        if let Some(level) = self.aggregate_level(nearest) {
            level.has_aggregate |= certain;
            level.may_aggregate |= possible;
        }
    }

    /// As [`Self::note_aggregate`], for an aggregate that the grammar spells.
    pub(super) fn note_aggregate_at(&mut self, nearest: Option<usize>) {
        if let Some(level) = self.aggregate_level(nearest) {
            level.has_aggregate = true;
        }
    }

    fn aggregate_level(&mut self, nearest: Option<usize>) -> Option<&mut super::tree::Level<'a>> {
        let scope = nearest.unwrap_or(self.scopes.len().saturating_sub(1));
        let level = self.scopes.get(scope)?.level;
        self.level_mut(level)
    }

    /// `f(t)` where `t` is a relation with a column `f` and no function of that name is allowed: that column.
    fn column_as_call(
        &mut self,
        schema: Option<&str>,
        name: &'a str,
        args: &'a [pg::Node],
        function: Option<&Function>,
        at: Loc,
    ) -> Option<ExprId> {
        // A function comes first, allowed or not (ParseFuncOrColumn).
        if schema.is_some() || function.is_some() || self.policy().catalog.is_taken(name) {
            return None;
        }
        let [only] = args else { return None };
        let Some(ExprNode::ColumnRef(column)) = expr_node(only) else { return None };
        let row = self.row_name(column)?;
        let (scope, found) =
            self.qualified(|item| item.name == row).map(|(scope, item)| (scope, self.column_in(item, name)))?;
        if self.row_may_be_field(scope, row) {
            return Some(self.refuse_expr(at, Refused::Ambiguous(row, Vec::new())));
        }
        match found {
            Lookup::Bound(kind) => Some(self.use_column(kind, scope, at)),
            Lookup::Hidden(rel) => Some(self.refuse_expr(at, Refused::Column(format!("{row}.{name}"), Some(rel)))),
            Lookup::System
            | Lookup::Several(_)
            | Lookup::Missing
            | Lookup::MayCapture
            | Lookup::MaybeMissing
            | Lookup::Silent => None,
        }
    }

    /// Functions in FROM: one call, `unnest` of several arrays, ROWS FROM, with ordinality and definition lists.
    pub(super) fn range_function(&mut self, node: &'a pg::RangeFunction) -> (JoinId, Vec<Item<'a>>) {
        let pg::RangeFunction { lateral: _, ordinality, is_rowsfrom: _, functions, alias, coldeflist } = node;
        let single = functions.len() == 1;
        let (mut columns, mut args, mut reach, mut at) = (Vec::new(), Vec::new(), Reach::Exact, None);
        for function in functions {
            let Some(items) = list(function) else {
                self.refuse(None, Refused::Unsupported("a function in FROM"));
                continue;
            };
            let Some(call) = items.first() else { continue };
            // Functions in FROM see the items to their left, LATERAL or not.
            let value = self.with_lateral(true, |this| match expr_node(call) {
                Some(ExprNode::FuncCall(call)) => this.func_call(call, true),
                Some(_) | None => this.expr(call),
            });
            at = at.or(self.tree.expr(value).loc);
            args.push(value);
            let own: &[pg::Node] = items.get(1).and_then(list).unwrap_or_default();
            let definitions: &'a [pg::Node] = if own.is_empty() { coldeflist } else { own };
            let own = self.function_columns(call, value, definitions, alias.as_ref().filter(|_| single), &mut columns);
            reach = match (reach, own) {
                (Reach::Open, _) | (_, Reach::Open) => Reach::Open,
                (Reach::MayCapture, _) | (_, Reach::MayCapture) => Reach::MayCapture,
                (Reach::Exact, Reach::Exact) => Reach::Exact,
            };
        }
        if *ordinality {
            columns.push("ordinality");
        }
        let denied = args.iter().any(|value| self.is_denied(*value));
        let args = self.list(&args);
        let name = functions.first().and_then(list).and_then(|items| items.first()).map_or("", column_name);
        // What a refused function returns is nobody's business: names in it are judged no further.
        let kind = if denied { RelKind::Unknown } else { RelKind::Function { columns, reach, args } };
        self.leaf(kind, alias.as_ref(), name, at)
    }

    /// Whether a function in FROM was refused.
    fn is_denied(&self, value: ExprId) -> bool {
        let kind = self.tree.expr(value).kind;
        let ExprKind::Call(call) = kind else { return matches!(kind, ExprKind::Unknown) };
        self.tree.calls.get(call.at()).is_none_or(|call| call.function.is_none())
    }

    /// The columns that one function in FROM gives, and how far they are known.
    fn function_columns(
        &mut self,
        call: &'a pg::Node,
        value: ExprId,
        definitions: &'a [pg::Node],
        alias: Option<&'a pg::Alias>,
        columns: &mut Vec<&'a str>,
    ) -> Reach {
        if !definitions.is_empty() {
            self.definition_list(definitions, columns);
            return Reach::Exact;
        }
        let name = column_name(call);
        let scalar = alias.map_or(name, |alias| &*alias.aliasname);
        let ExprKind::Call(id) = self.tree.expr(value).kind else {
            // COALESCE, CAST and their kin stand in FROM too, and give what their arguments are.
            columns.push(scalar);
            return if self.is_no_composite(value) { Reach::Exact } else { Reach::MayCapture };
        };
        let Some(call) = self.tree.calls.get(id.at()) else { return Reach::Open };
        let args = self.tree.list(call.args);
        match call.function {
            None => Reach::Open,
            Some(function) if function.kind == FunctionKind::Unknown || function.returns_record => Reach::Open,
            Some(_) if call.name == "unnest" => {
                let elements = args.iter().all(|array| self.is_no_composite(*array));
                // unnest(a, b) is one function per array.
                let one = args.len() == 1;
                columns.extend(args.iter().map(|_| if one { scalar } else { "unnest" }));
                if elements { Reach::Exact } else { Reach::MayCapture }
            }
            // The bound of a range has its element's type; all others that stand here give scalars.
            Some(_)
                if matches!(call.name, "lower" | "upper") && !args.iter().all(|range| self.is_no_composite(*range)) =>
            {
                columns.push(scalar);
                Reach::MayCapture
            }
            Some(function) if function.out_columns.is_empty() => {
                columns.push(scalar);
                Reach::Exact
            }
            Some(function) => {
                columns.extend(function.out_columns.iter().map(|name| &**name));
                Reach::Exact
            }
        }
    }

    /// A value that is certainly neither composite nor an array of composites.
    fn is_no_composite(&self, expr: ExprId) -> bool {
        match self.tree.expr(expr).kind {
            ExprKind::Bool
            | ExprKind::Integer(_)
            | ExprKind::Numeric(_)
            | ExprKind::String(_)
            | ExprKind::Bits
            | ExprKind::Null
            | ExprKind::Unknown => true,
            ExprKind::Cast(_, ty) => {
                ty.schema.is_none_or(|schema| schema == "pg_catalog")
                    && self.policy().catalog.is_builtin_scalar(ty.name)
            }
            ExprKind::Array(list) => self.tree.list(list).iter().all(|element| self.is_no_composite(*element)),
            // CURRENT_DATE and its kin have no operands; of what has some, the type may be another's.
            ExprKind::Other(list) => list.len == 0,
            ExprKind::Column(rel, column) => match self.tree.rel(rel).map(|rel| &rel.kind) {
                Some(RelKind::Table(table)) => {
                    let table = self.policy().tables.get(*table as usize);
                    let column = table.and_then(|table| table.columns.get(column as usize));
                    column.and_then(|column| column.ty.as_deref()).is_some_and(|ty| self.policy().catalog.is_scalar(ty))
                }
                Some(_) | None => false,
            },
            ExprKind::Call(call) => self.tree.calls.get(call.at()).is_some_and(|call| {
                let known = call.function.is_some_and(|function| function.kind != FunctionKind::Unknown);
                known && GIVES_SCALARS.contains(&call.name)
            }),
            _other => false,
        }
    }

    /// `AS (a int, b text)`.
    fn definition_list(&mut self, definitions: &'a [pg::Node], columns: &mut Vec<&'a str>) {
        for definition in definitions {
            let Some(ClauseNode::ColumnDef(definition)) = clause_node(definition) else {
                self.refuse(None, Refused::Unsupported("a column definition"));
                continue;
            };
            let pg::ColumnDef {
                colname,
                type_name,
                compression,
                inhcount: _,
                is_local: _,
                is_not_null,
                is_from_type: _,
                storage: _,
                storage_name,
                raw_default,
                cooked_default,
                identity,
                identity_sequence,
                generated,
                coll_clause,
                coll_oid: _,
                constraints,
                fdwoptions,
                location,
            } = definition;
            let words = [compression, storage_name, identity, generated].iter().all(|word| word.is_empty());
            let parts = raw_default.is_none() && cooked_default.is_none() && identity_sequence.is_none();
            if *is_not_null || !words || !parts || !constraints.is_empty() || !fdwoptions.is_empty() {
                self.refuse(
                    loc(*location),
                    Refused::Unsupported("a column definition with more than name, type and collation"),
                );
            }
            if let Some(name) = type_name {
                self.type_name(name);
            }
            if let Some(clause) = coll_clause {
                self.collation(clause);
            }
            columns.push(colname);
        }
    }

    /// Adds JSON_TABLE or the like as a relation of known columns.
    pub(super) fn known_columns(
        &mut self,
        columns: Vec<&'a str>,
        operands: &[ExprId],
        alias: Option<&'a pg::Alias>,
        name: &'a str,
        at: Loc,
    ) -> (JoinId, Vec<Item<'a>>) {
        let args = self.list(operands);
        self.leaf(RelKind::Function { columns, reach: Reach::Exact, args }, alias, name, at)
    }

    /// The place of a name that the parser gives no place for: its first occurrence behind `from`.
    pub(super) fn name_after(&self, from: Loc, name: &str) -> Loc {
        let tokens = self.tokens.get_or_init(|| Tokens::scan(self.tree.sql));
        let found = tokens.find_name_after(from? as usize, name);
        found.and_then(|at| u32::try_from(at).ok()).or(from)
    }
}

/// The type `regconfig` itself.
fn is_regconfig(name: &pg::TypeName) -> bool {
    let plain = !name.setof && !name.pct_type && name.array_bounds.is_empty() && name.typmods.is_empty();
    let mut parts = name.names.iter().filter_map(string);
    plain
        && match (parts.next(), parts.next(), parts.next()) {
            (Some("regconfig"), None, None) => true,
            (Some("pg_catalog"), Some("regconfig"), None) => true,
            (_, _, _) => false,
        }
}
