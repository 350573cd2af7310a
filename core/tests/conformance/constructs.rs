//! Every construct that a statement can hold stands in some allowed case: what is modelled is shown to be allowed.
//!
//! A construct is recognised in the parser's own tree, spelled out: the words that have to be in it, all in one case.

use std::collections::BTreeSet;

use crate::corpus;

/// A construct, and what the tree of a statement that holds it says.
const CONSTRUCTS: &[(&str, &[&str])] = &[
    ("WITH", &["CommonTableExpr {"]),
    (
        "WITH in a subquery",
        &["RangeSubselect { lateral: false, subquery: Some(Node { node: Some(SelectStmt(", "WithClause {"],
    ),
    ("WITH RECURSIVE", &["recursive: true"]),
    ("SEARCH", &["CteSearchClause {"]),
    ("CYCLE", &["CteCycleClause {"]),
    ("MATERIALIZED", &["ctematerialized: Always"]),
    ("NOT MATERIALIZED", &["ctematerialized: Never"]),
    ("UNION", &["op: SetopUnion, all: false"]),
    ("UNION ALL", &["op: SetopUnion, all: true"]),
    ("INTERSECT", &["op: SetopIntersect"]),
    ("EXCEPT", &["op: SetopExcept"]),
    ("CROSS JOIN, INNER JOIN", &["jointype: JoinInner, is_natural: false"]),
    ("LEFT JOIN", &["jointype: JoinLeft"]),
    ("RIGHT JOIN", &["jointype: JoinRight"]),
    ("FULL JOIN", &["jointype: JoinFull"]),
    ("NATURAL JOIN", &["is_natural: true"]),
    ("USING", &["using_clause: [Node"]),
    ("USING … AS", &["join_using_alias: Some(Alias"]),
    ("a join with an alias", &["JoinExpr {", "alias: Some(Alias { aliasname: \"j\""]),
    ("LATERAL", &["RangeSubselect { lateral: true"]),
    ("VALUES", &["values_lists: [Node"]),
    ("a derived table with a column list", &["RangeSubselect {", "colnames: [Node"]),
    ("ONLY", &["inh: false"]),
    ("a function in FROM", &["RangeFunction { lateral: false, ordinality: false, is_rowsfrom: false"]),
    ("a definition list", &["coldeflist: [Node"]),
    ("ROWS FROM", &["is_rowsfrom: true"]),
    ("WITH ORDINALITY", &["ordinality: true"]),
    ("JSON_TABLE", &["JsonTable {"]),
    ("JSON_VALUE", &["op: JsonValueOp"]),
    ("JSON_QUERY", &["op: JsonQueryOp"]),
    ("JSON_EXISTS", &["op: JsonExistsOp"]),
    ("JSON_OBJECT", &["JsonObjectConstructor {"]),
    ("JSON_ARRAY", &["JsonArrayConstructor {"]),
    ("JSON_ARRAY of a query", &["JsonArrayQueryConstructor {"]),
    ("JSON_OBJECTAGG", &["JsonObjectAgg {"]),
    ("JSON_ARRAYAGG", &["JsonArrayAgg {"]),
    ("IS JSON", &["JsonIsPredicate {"]),
    ("DISTINCT", &["distinct_clause: [Node { node: None }]"]),
    ("DISTINCT ON", &["distinct_clause: [Node { node: Some("]),
    ("GROUP BY", &["group_clause: [Node"]),
    ("GROUPING SETS", &["kind: GroupingSetSets"]),
    ("CUBE", &["kind: GroupingSetCube"]),
    ("ROLLUP", &["kind: GroupingSetRollup"]),
    ("GROUP BY DISTINCT", &["group_distinct: true"]),
    ("GROUPING", &["GroupingFunc {"]),
    ("HAVING", &["having_clause: Some("]),
    ("a window", &["over: Some(WindowDef"]),
    ("a named window", &["window_clause: [Node"]),
    ("an inherited window", &["refname: \"w"]),
    ("a frame", &["start_offset: Some("]),
    ("FILTER", &["agg_filter: Some("]),
    ("WITHIN GROUP", &["agg_within_group: true"]),
    ("DISTINCT in an aggregate", &["agg_distinct: true"]),
    ("ORDER BY in an aggregate", &["agg_order: [Node"]),
    ("VARIADIC", &["func_variadic: true"]),
    ("a named argument", &["NamedArgExpr {"]),
    ("ORDER BY … DESC", &["sortby_dir: SortbyDesc"]),
    ("NULLS FIRST", &["sortby_nulls: SortbyNullsFirst"]),
    ("NULLS LAST", &["sortby_nulls: SortbyNullsLast"]),
    ("LIMIT", &["limit_count: Some("]),
    ("OFFSET", &["limit_offset: Some("]),
    ("WITH TIES", &["limit_option: WithTies"]),
    ("a scalar subquery", &["sub_link_type: ExprSublink"]),
    ("EXISTS", &["sub_link_type: ExistsSublink"]),
    ("IN, ANY over a subquery", &["sub_link_type: AnySublink"]),
    ("ALL over a subquery", &["sub_link_type: AllSublink"]),
    ("ARRAY of a subquery", &["sub_link_type: ArraySublink"]),
    ("a row", &["RowExpr {"]),
    ("an array", &["AArrayExpr {"]),
    ("a subscript", &["AIndices { is_slice: false"]),
    ("a slice", &["AIndices { is_slice: true"]),
    ("CASE of a value", &["CaseExpr {", "arg: Some("]),
    ("CASE", &["CaseWhen {"]),
    ("COALESCE", &["CoalesceExpr {"]),
    ("NULLIF", &["kind: AexprNullif"]),
    ("GREATEST", &["op: IsGreatest"]),
    ("LEAST", &["op: IsLeast"]),
    ("a cast", &["TypeCast {"]),
    ("an interval", &["sval: \"interval\""]),
    ("AT TIME ZONE", &["sval: \"timezone\""]),
    ("EXTRACT", &["sval: \"extract\""]),
    ("OVERLAY", &["sval: \"overlay\""]),
    ("POSITION", &["sval: \"position\""]),
    ("SUBSTRING", &["sval: \"substring\""]),
    ("TRIM", &["sval: \"btrim\""]),
    ("current_date", &["op: SvfopCurrentDate"]),
    ("current_timestamp", &["op: SvfopCurrentTimestamp"]),
    ("localtime", &["op: SvfopLocaltime"]),
    ("COLLATE", &["CollateClause {"]),
    ("a bit string", &["Bsval"]),
    ("a numeric constant", &["Fval"]),
    ("NULL", &["isnull: true"]),
    ("a parameter", &["ParamRef {"]),
    ("LIKE", &["kind: AexprLike"]),
    ("ILIKE", &["kind: AexprIlike"]),
    ("SIMILAR TO", &["kind: AexprSimilar"]),
    ("a regular expression", &["sval: \"~\""]),
    ("BETWEEN", &["kind: AexprBetween,"]),
    ("NOT BETWEEN", &["kind: AexprNotBetween,"]),
    ("BETWEEN SYMMETRIC", &["kind: AexprBetweenSym"]),
    ("IS DISTINCT FROM", &["kind: AexprDistinct"]),
    ("IS NOT DISTINCT FROM", &["kind: AexprNotDistinct"]),
    ("IN a list", &["kind: AexprIn,"]),
    ("ANY of an array", &["kind: AexprOpAny"]),
    ("ALL of an array", &["kind: AexprOpAll"]),
    ("OPERATOR()", &["sval: \"pg_catalog\"", "kind: AexprOp,"]),
    ("IS NULL", &["nulltesttype: IsNull"]),
    ("IS TRUE", &["booltesttype: IsTrue"]),
    ("IS UNKNOWN", &["booltesttype: IsUnknown"]),
    ("AND, OR, NOT", &["boolop: AndExpr", "boolop: OrExpr", "boolop: NotExpr"]),
    ("a star", &["AStar("]),
    ("composite access", &["AIndirection {"]),
    ("INSERT of VALUES", &["InsertStmt {", "values_lists: [Node"]),
    ("INSERT … SELECT", &["InsertStmt {", "SelectStmt { distinct_clause: [], into_clause: None, target_list: [Node"]),
    ("DEFAULT", &["SetToDefault {"]),
    ("ON CONFLICT DO NOTHING", &["action: OnconflictNothing"]),
    ("RETURNING", &["returning_clause: Some("]),
    ("RETURNING WITH", &["ReturningOption {"]),
    ("UPDATE … FROM", &["UpdateStmt {", "from_clause: [Node"]),
    ("a multi-column SET", &["MultiAssignRef {"]),
    ("a multi-column SET of a subquery", &["MultiAssignRef { source: Some(Node { node: Some(SubLink("]),
    ("SET of a field", &["UpdateStmt {", "name: \"box\", indirection: [Node"]),
    ("DELETE … USING", &["DeleteStmt {", "using_clause: [Node"]),
    ("a WITH of UPDATE", &["UpdateStmt {", "with_clause: Some("]),
    ("a WITH of DELETE", &["DeleteStmt {", "with_clause: Some("]),
];

#[test]
fn every_construct_is_allowed_somewhere() {
    let trees: Vec<String> = corpus::load()
        .iter()
        .filter(|case| case.body.expect.allowed && case.body.expect.shadow_reasons.is_none())
        .map(|case| {
            let sql = String::from_utf8(case.sql()).unwrap();
            format!(
                "{:?}",
                pg_query::parse(&sql, pg_query::ParserOptions::default())
                    .unwrap_or_else(|error| panic!("{}: {error}", case.id))
                    .protobuf
            )
        })
        .collect();
    assert!(!trees.is_empty(), "no allowed case");
    let nowhere: Vec<&str> = CONSTRUCTS
        .iter()
        .filter(|(_, words)| !trees.iter().any(|tree| words.iter().all(|word| tree.contains(word))))
        .map(|(construct, _)| *construct)
        .collect();
    assert!(nowhere.is_empty(), "no allowed case holds {nowhere:?}");
}

#[test]
fn no_construct_stands_twice() {
    let names: BTreeSet<&str> = CONSTRUCTS.iter().map(|(construct, _)| *construct).collect();
    assert_eq!(names.len(), CONSTRUCTS.len());
}
