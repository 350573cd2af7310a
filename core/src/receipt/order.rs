//! Whether a text's outermost ORDER BY decides the order of its rows: then a second run has to give the same order.
//!
//! Receives the text and its columns' types; returns true only where it is certain: every output column is a key of the ORDER BY, and no
//! two texts of its type are equal to it (`1.0` and `1.00` are equal as `numeric`). Everything else is compared as a multiset.

use pg_query::NodeEnum;
use pg_query::protobuf::a_const::Val;
use pg_query::protobuf::{Node, ResTarget, SelectStmt};

use crate::parse;
use crate::text::{self, Source};

/// Types in which equal values have one text. Sorted.
const EXACT: &[&str] =
    &["bool", "bytea", "date", "int2", "int4", "int8", "oid", "text", "timestamp", "uuid", "varchar"];

/// ORDER BY leaves nothing open.
pub(super) fn is_total(source: &Source<'_>, types: &[String]) -> bool {
    if !types.iter().all(|ty| EXACT.binary_search(&ty.as_str()).is_ok()) {
        return false;
    }
    let total = || {
        let statement = parse::single(source.sql())?;
        let Some(NodeEnum::SelectStmt(select)) = &statement.node else { return None };
        Some(select.target_list.len() == types.len() && covers(select))
    };
    text::run_with_stack(source, total).ok().flatten().unwrap_or_default()
}

fn covers(select: &SelectStmt) -> bool {
    let key = |sort: &'_ Node| if let Some(NodeEnum::SortBy(sort)) = &sort.node { sort.node.clone() } else { None };
    let keys: Vec<Box<Node>> = select.sort_clause.iter().filter_map(key).collect();
    let covered = |(at, target): (usize, &Node)| {
        if let Some(NodeEnum::ResTarget(target)) = &target.node {
            keys.iter().any(|key| is_key(key, at + 1, target))
        } else {
            false
        }
    };
    !keys.is_empty() && select.target_list.iter().enumerate().all(covered)
}

/// The key is this output: by its place, by its name, or by being the same column. What is anything else is not certain to be.
fn is_key(key: &Node, place: usize, target: &ResTarget) -> bool {
    if let Some(NodeEnum::AConst(constant)) = &key.node {
        return constant.val.as_ref().is_some_and(|value| {
            if let Val::Ival(number) = value { usize::try_from(number.ival) == Ok(place) } else { false }
        });
    }
    let Some(NodeEnum::ColumnRef(column)) = &key.node else { return false };
    if target.name.is_empty() {
        let Some(NodeEnum::ColumnRef(output)) = target.val.as_deref().and_then(|value| value.node.as_ref()) else {
            return false;
        };
        return output.fields == column.fields;
    }
    let [Node { node: Some(NodeEnum::String(name)) }] = column.fields.as_slice() else { return false };
    name.sval == target.name
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::is_total;
    use crate::policy::Limits;
    use crate::text::Source;

    #[test]
    fn is_total_only_where_nothing_is_left_open() {
        for (sql, types, total) in [
            ("SELECT a, b FROM t ORDER BY b, a", &["int4", "text"][..], true),
            ("SELECT a, t.b AS c FROM t ORDER BY 2 DESC, 1", &["int4", "text"], true),
            ("SELECT a + 1 AS n FROM t ORDER BY n", &["int8"], true),
            ("SELECT a, b FROM t ORDER BY a", &["int4", "text"], false),
            ("SELECT a FROM t ORDER BY a", &["numeric"], false),
            ("SELECT a FROM t", &["int4"], false),
            ("SELECT * FROM t ORDER BY 1, 2", &["int4", "int4"], false),
            ("SELECT a AS b FROM t ORDER BY a", &["int4"], false),
            ("SELECT a FROM t ORDER BY a + 0", &["int4"], false),
            ("SELECT a FROM (SELECT a FROM t ORDER BY a) AS s", &["int4"], false),
            ("VALUES (1)", &["int4"], false),
        ] {
            let source = Source::new(sql.as_bytes(), &Limits::default()).unwrap();
            let types: Vec<String> = types.iter().map(|&ty| ty.to_owned()).collect();
            assert_eq!(is_total(&source, &types), total, "{sql}");
        }
    }
}
