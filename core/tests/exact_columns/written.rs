//! What a write names of its target, from PostgreSQL's own parser.
//!
//! Receives a text that is allowed, and the policy's search_path. Names are spelled by the server.

use pg_query::NodeEnum;
use pg_query::protobuf::{Node, RangeVar};
use postgres::Client;

use crate::oracle::Written;

/// The target with the columns that the statement names of it.
pub fn written(client: &mut Client, sql: &str, search_path: &[String]) -> Written {
    let parsed = pg_query::parse(sql, pg_query::ParserOptions::DEFAULT).expect("an allowed text parses");
    let statement = parsed.protobuf.stmts.first().and_then(|raw| raw.stmt.as_ref()).and_then(|node| node.node.as_ref());
    let (right, relation, columns) = match statement.expect("an allowed text is a statement") {
        NodeEnum::InsertStmt(statement) => ("INSERT", &statement.relation, names(&statement.cols)),
        NodeEnum::UpdateStmt(statement) => ("UPDATE", &statement.relation, names(&statement.target_list)),
        NodeEnum::DeleteStmt(statement) => ("DELETE", &statement.relation, Vec::new()),
        other => panic!("not a write: {other:?}"),
    };
    let RangeVar { schemaname, relname, .. } = relation.as_ref().expect("a write has a target");
    let schema = if schemaname.is_empty() { search_path.first().expect("a path") } else { schemaname };
    let mut spell = |name: &str| -> String { client.query_one("SELECT quote_ident($1)", &[&name]).unwrap().get(0) };
    let table = format!("{}.{}", spell(schema), spell(relname));
    let mut columns: Vec<String> = columns.iter().map(|name| format!("{table}.{}", spell(name))).collect();
    columns.sort_unstable();
    columns.dedup();
    Written { right, table, columns }
}

fn names(list: &[Node]) -> Vec<String> {
    let name = |node: &Node| match &node.node {
        Some(NodeEnum::ResTarget(target)) => target.name.clone(),
        other => panic!("no target: {other:?}"),
    };
    list.iter().map(name).collect()
}
