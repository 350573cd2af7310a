//! What a write leaves: the state of the database as one caller sees it, and of all else, in one query.
//!
//! Receives a policy's normal form, a context and the server's catalogue; returns a query that gives a row per table: its name,
//! a checksum of what the caller may see of it, one of the rows that the caller may not see, and one of what of the caller's own
//! rows the policy does not open for the statement. Checksums don't depend on the order of rows. Identical texts, identical sums;
//! different rows have different sums but for one in 2^64.

use std::fmt::Write as _;

use haltsql::StatementKind;
use serde_json::Value;

/// A table of the database: its name and its columns, spelled as in SQL, and of each column what its default draws from.
#[derive(Clone, Debug)]
pub struct Relation {
    /// `schema.name`.
    pub name: String,
    /// Its columns.
    pub columns: Vec<Column>,
}

/// A column of the catalogue.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name, as the policy has it.
    pub name: String,
    /// The same, spelled as in SQL.
    pub spelled: String,
    /// Its default is the next value of a sequence, alone or in a text: it counts everybody's rows, and is promised to nobody.
    pub counts: bool,
    /// It is a text.
    pub text: bool,
    /// It has a default, or is generated.
    pub filled: bool,
}

/// What may be written where the policy opens it. By position: see [`KINDS`].
#[must_use]
pub fn position(kind: Option<StatementKind>) -> usize {
    match kind {
        Some(StatementKind::Insert) => 0,
        Some(StatementKind::Update) => 1,
        Some(StatementKind::Delete) => 2,
        Some(StatementKind::Select) | None => 3,
    }
}

/// The keys under `write` that open something; a query opens nothing.
pub const KINDS: [&str; 4] = ["insert", "update", "delete", ""];

/// Reads the tables and their columns: one row per column, in order.
pub const CATALOG: &str = "
    SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname), a.attname::text, quote_ident(a.attname),
           a.attidentity <> '' OR coalesce(pg_get_expr(d.adbin, d.adrelid) LIKE '%nextval(%', false), a.atttypid = 'text'::regtype,
           a.atthasdef OR a.attidentity <> '' OR a.attgenerated <> ''
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE c.relkind IN ('r', 'p') AND n.nspname !~ '^pg_|^information_schema$'
      AND NOT EXISTS (SELECT FROM pg_inherits i WHERE i.inhrelid = c.oid)
    ORDER BY 1, a.attnum";

/// The query for one policy, caller and kind of statement.
#[must_use]
pub fn query(normal_form: &str, context: &Value, catalog: &[Relation], kind: &str) -> String {
    let document: Value = serde_json::from_str(normal_form).unwrap_or_default();
    let spec = &document["spec"];
    let parts: Vec<String> = catalog.iter().map(|relation| part(relation, spec, context, kind)).collect();
    parts.join(" UNION ALL ")
}

fn part(relation: &Relation, spec: &Value, context: &Value, kind: &str) -> String {
    let table = &spec["tables"][&relation.name];
    // A policy may spell a name with quotes that it does not need, or without some that SQL needs.
    let listed = |list: &Value, column: &Column| {
        list.as_array().into_iter().flatten().any(|own| *own == column.name || *own == column.spelled)
    };
    let readable = |column: &&Column| listed(&table["columns"], column);
    let opened = &table["write"][kind];
    // What a default gives may differ from row to row, and what is generated follows the rest.
    let closed = |column: &&Column| *opened != true && !listed(opened, column) && !column.filled;
    let seen: Vec<String> = relation.columns.iter().filter(readable).map(shown).collect();
    let closed: Vec<&str> = relation.columns.iter().filter(closed).map(|column| column.spelled.as_str()).collect();
    let mine = if table.is_null() { "false".to_owned() } else { mine(table, spec, context) };
    let some = closed.iter().map(|name| format!("{name} IS NOT NULL")).collect::<Vec<_>>().join(" OR ");
    let some = if some.is_empty() { "false" } else { &some };
    let sum = |of: &str, filter: &str| {
        format!(
            "count(*) FILTER (WHERE {filter}) || ':' || coalesce(sum(hashtextextended({of}, 0)) FILTER (WHERE {filter}), 0)"
        )
    };
    format!(
        "SELECT '{}' AS relation, {}, {}, {} FROM (SELECT {mine} AS mine, {some} AS filled, ROW({})::text AS seen, whole::text AS whole, ROW({})::text AS closed FROM {} whole) every",
        relation.name.replace('\'', "''"),
        sum("seen", "mine"),
        sum("whole", "NOT mine"),
        sum("closed", "mine AND filled"),
        seen.join(", "),
        closed.join(", "),
        relation.name
    )
}

/// A column as it is compared: what a sequence gave is taken out.
fn shown(column: &Column) -> String {
    let name = &column.spelled;
    match (column.counts, column.text) {
        (true, true) => format!("CASE WHEN {name} LIKE 'default %' THEN 'default' ELSE {name} END"),
        (true, false) => format!("CASE WHEN {name} < 1000000 THEN {name} END"),
        (false, _) => name.clone(),
    }
}

/// Whether a row is the caller's: its keys hold the context's values.
fn mine(table: &Value, spec: &Value, context: &Value) -> String {
    let mut conditions = String::from("true");
    if table["shared"] == true {
        return conditions;
    }
    for key in spec["tenancy"]["keys"].as_array().into_iter().flatten() {
        let (Some(column), Some(name)) = (key["column"].as_str(), key["context"].as_str()) else { continue };
        let column = match table["tenant"].get(column).and_then(Value::as_str) {
            Some("none") => continue,
            Some(own) => own,
            None => column,
        };
        let values: Vec<&str> = match &context[name] {
            Value::Array(values) => values.iter().filter_map(Value::as_str).collect(),
            value => value.as_str().into_iter().collect(),
        };
        let quoted: Vec<String> = values.iter().map(|value| format!("'{}'", value.replace('\'', "''"))).collect();
        let _infallible = write!(conditions, " AND {column}::text = ANY (ARRAY[{}]::text[])", quoted.join(", "));
    }
    conditions
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Column, Relation, query};

    #[test]
    fn a_table_that_no_policy_lists_is_nobodys() {
        let column = |name: &str| Column {
            name: name.to_owned(),
            spelled: name.to_owned(),
            counts: false,
            text: true,
            filled: false,
        };
        let relation = |name: &str| Relation { name: name.to_owned(), columns: vec![column("id"), column("k")] };
        let normal = json!({ "spec": {
            "tenancy": { "keys": [{ "column": "k", "context": "k" }] },
            "tables": { "app.t": { "columns": ["k"] } }
        } });
        let catalog = [relation("app.t"), relation("app.u")];
        let sql = query(&normal.to_string(), &json!({ "k": "a'b" }), &catalog, "update");
        assert!(
            sql.contains(
                "k::text = ANY (ARRAY['a''b']::text[]) AS mine, id IS NOT NULL OR k IS NOT NULL AS filled, ROW(k)::text AS seen"
            ),
            "{sql}"
        );
        assert!(
            sql.contains("SELECT false AS mine, id IS NOT NULL OR k IS NOT NULL AS filled, ROW()::text AS seen"),
            "{sql}"
        );
    }
}
