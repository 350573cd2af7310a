//! The names of output columns, as the server chooses them (`FigureColname`, parse_target.c).

use pg_query::protobuf as pg;

use super::shape::{ClauseNode, ExprNode, clause_node, expr_node, select, string};
use super::star::ends_in_star;

/// What a column without a name is called.
pub(super) const UNNAMED: &str = "?column?";

/// The name of a select list item without an alias, as far as its syntax tells.
pub(super) fn figure_name(node: &pg::Node) -> Figured<'_> {
    match figure(node) {
        Some((STAR, _)) => Figured::OfSubquery,
        Some((name, _)) => Figured::Name(name),
        None => Figured::Name(UNNAMED),
    }
}

/// The name of a function in FROM, which is no subquery.
pub(super) fn column_name(node: &pg::Node) -> &str {
    figure(node).map_or(UNNAMED, |(name, _)| name)
}

/// See [`figure_name`].
pub(super) enum Figured<'a> {
    /// This.
    Name(&'a str),
    /// That of a scalar subquery's first output, which a star stands for.
    OfSubquery,
}

/// Stands for the name that only the expansion of a star tells; no name of SQL holds a NUL byte.
const STAR: &str = "\0";

/// How much a name is worth: a cast's type name gives way to anything better.
#[derive(PartialEq)]
enum Strength {
    Weak,
    Strong,
}

fn figure(node: &pg::Node) -> Option<(&str, Strength)> {
    let strong = |name| Some((name, Strength::Strong));
    match expr_node(node)? {
        ExprNode::ColumnRef(pg::ColumnRef { fields, location: _ }) => {
            fields.iter().rev().find_map(string).and_then(strong)
        }
        ExprNode::AIndirection(pg::AIndirection { arg, indirection }) => {
            match indirection.iter().rev().find_map(string) {
                Some(field) => strong(field),
                None => figure(arg.as_deref()?),
            }
        }
        ExprNode::FuncCall(call) => call.funcname.last().and_then(string).and_then(strong),
        ExprNode::AExpr(expr) => {
            (expr.kind == pg::AExprKind::AexprNullif as i32).then_some(("nullif", Strength::Strong))
        }
        ExprNode::TypeCast(pg::TypeCast { arg, type_name, location: _ }) => match arg.as_deref().and_then(figure) {
            Some((name, Strength::Strong)) => strong(name),
            Some((_, Strength::Weak)) | None => {
                Some((type_name.as_ref()?.names.last().and_then(string)?, Strength::Weak))
            }
        },
        ExprNode::CollateClause(clause) => figure(clause.arg.as_deref()?),
        ExprNode::SubLink(link) => sublink(link),
        ExprNode::CaseExpr(case) => match case.defresult.as_deref().and_then(figure) {
            Some((name, Strength::Strong)) => strong(name),
            Some((_, Strength::Weak)) | None => Some(("case", Strength::Weak)),
        },
        ExprNode::AArrayExpr(_) => strong("array"),
        ExprNode::RowExpr(_) => strong("row"),
        ExprNode::CoalesceExpr(_) => strong("coalesce"),
        ExprNode::MinMaxExpr(expr) => {
            strong(if expr.op == pg::MinMaxOp::IsLeast as i32 { "least" } else { "greatest" })
        }
        ExprNode::GroupingFunc(_) => strong("grouping"),
        ExprNode::SqlvalueFunction(function) => value_function(function.op()).and_then(strong),
        ExprNode::JsonParseExpr(_) => strong("json"),
        ExprNode::JsonScalarExpr(_) => strong("json_scalar"),
        ExprNode::JsonSerializeExpr(_) => strong("json_serialize"),
        ExprNode::JsonObjectConstructor(_) => strong("json_object"),
        ExprNode::JsonArrayConstructor(_) | ExprNode::JsonArrayQueryConstructor(_) => strong("json_array"),
        ExprNode::JsonObjectAgg(_) => strong("json_objectagg"),
        ExprNode::JsonArrayAgg(_) => strong("json_arrayagg"),
        ExprNode::JsonFuncExpr(function) => match function.op() {
            pg::JsonExprOp::JsonExistsOp => strong("json_exists"),
            pg::JsonExprOp::JsonQueryOp => strong("json_query"),
            pg::JsonExprOp::JsonValueOp => strong("json_value"),
            pg::JsonExprOp::JsonTableOp | pg::JsonExprOp::Undefined => None,
        },
        ExprNode::ParamRef(_)
        | ExprNode::AConst(_)
        | ExprNode::BoolExpr(_)
        | ExprNode::NullTest(_)
        | ExprNode::BooleanTest(_)
        | ExprNode::JsonIsPredicate(_)
        | ExprNode::NamedArgExpr(_)
        | ExprNode::SetToDefault(_)
        | ExprNode::MultiAssignRef(_)
        | ExprNode::CurrentOfExpr
        | ExprNode::Refused(_) => None,
    }
}

fn sublink(link: &pg::SubLink) -> Option<(&str, Strength)> {
    let name = match link.sub_link_type() {
        pg::SubLinkType::ExistsSublink => "exists",
        pg::SubLinkType::ArraySublink => "array",
        pg::SubLinkType::ExprSublink => return first_output(link.subselect.as_deref()?),
        pg::SubLinkType::AllSublink
        | pg::SubLinkType::AnySublink
        | pg::SubLinkType::RowcompareSublink
        | pg::SubLinkType::MultiexprSublink
        | pg::SubLinkType::CteSublink
        | pg::SubLinkType::Undefined => return None,
    };
    Some((name, Strength::Strong))
}

/// The name of a scalar subquery's column: that of the first output of its first arm.
fn first_output(query: &pg::Node) -> Option<(&str, Strength)> {
    let mut select = select(query)?;
    while let Some(left) = &select.larg {
        select = left;
    }
    if !select.values_lists.is_empty() {
        return Some(("column1", Strength::Strong));
    }
    let Some(ClauseNode::ResTarget(target)) = select.target_list.first().and_then(clause_node) else { return None };
    let value = target.val.as_deref()?;
    let is_star = match expr_node(value) {
        Some(ExprNode::ColumnRef(column)) => ends_in_star(&column.fields),
        Some(ExprNode::AIndirection(indirection)) => ends_in_star(&indirection.indirection),
        Some(_) | None => false,
    };
    let name = match (is_star, target.name.is_empty()) {
        (true, _) => STAR,
        (false, true) => column_name(value),
        (false, false) => &target.name,
    };
    Some((name, Strength::Strong))
}

/// The column name of CURRENT_DATE and its kin.
pub(super) fn value_function(op: pg::SqlValueFunctionOp) -> Option<&'static str> {
    use pg::SqlValueFunctionOp as Op;
    Some(match op {
        Op::SvfopCurrentDate => "current_date",
        Op::SvfopCurrentTime | Op::SvfopCurrentTimeN => "current_time",
        Op::SvfopCurrentTimestamp | Op::SvfopCurrentTimestampN => "current_timestamp",
        Op::SvfopLocaltime | Op::SvfopLocaltimeN => "localtime",
        Op::SvfopLocaltimestamp | Op::SvfopLocaltimestampN => "localtimestamp",
        Op::SvfopCurrentRole => "current_role",
        Op::SvfopCurrentUser => "current_user",
        Op::SvfopUser => "user",
        Op::SvfopSessionUser => "session_user",
        Op::SvfopCurrentCatalog => "current_catalog",
        Op::SvfopCurrentSchema => "current_schema",
        Op::SqlvalueFunctionOpUndefined => return None,
    })
}
