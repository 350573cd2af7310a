//! Writes that grow in one way.

use super::{Shape, repeated};

/// By name: rows, columns, assignments and what RETURNING reads, in any number.
pub const WRITES: &[Shape] = &[
    ("rows", |count| {
        format!("INSERT INTO orders (id, tenant_id) VALUES {}", repeated(count, ", ", |at| format!("({at}, $1)")))
    }),
    ("rows of constants", |count| {
        format!("INSERT INTO orders (id, tenant_id) VALUES {}", repeated(count, ", ", |at| format!("({at}, 'x')")))
    }),
    ("rows of defaults", |count| {
        format!(
            "INSERT INTO orders (id, tenant_id) VALUES {} RETURNING id",
            repeated(count, ", ", |_| "(DEFAULT, $1)".into())
        )
    }),
    ("columns", |count| {
        let columns = repeated(count, ", ", |_| "tenant_id".to_owned());
        format!("INSERT INTO orders ({columns}) VALUES ({})", repeated(count, ", ", |_| "$1".to_owned()))
    }),
    ("arms", |count| {
        format!(
            "INSERT INTO orders (id, tenant_id) {}",
            repeated(count, " UNION ALL ", |at| format!("SELECT {at}, $1"))
        )
    }),
    ("sources in a chain", |count| {
        let ctes = repeated(count, ", ", |at| format!("c{} AS (SELECT t FROM c{at})", at + 1));
        format!("WITH c0 AS (SELECT $1::text AS t), {ctes} INSERT INTO orders (tenant_id) SELECT t FROM c{count}")
    }),
    ("assignments", |count| {
        format!("UPDATE orders SET {} WHERE tenant_id = $1", repeated(count, ", ", |at| format!("total = {at}")))
    }),
    ("assignments of the key", |count| {
        format!("UPDATE orders SET {} WHERE tenant_id = $1", repeated(count, ", ", |_| "tenant_id = 'x'".to_owned()))
    }),
    ("columns of one assignment", |count| {
        let columns = repeated(count, ", ", |_| "total".to_owned());
        format!("UPDATE orders SET ({columns}) = (SELECT 1) WHERE tenant_id = $1")
    }),
    ("assignments of several columns", |count| {
        let several = repeated(count, ", ", |_| "(total, status) = (1, DEFAULT)".to_owned());
        format!("UPDATE orders SET {several} WHERE tenant_id = $1")
    }),
    ("assignments in assignments", |count| {
        let nested = "WITH c AS (UPDATE orders SET (total, status) = (".repeat(count);
        format!("{nested}SELECT 1, 2{}", ")) SELECT 1, 2".repeat(count))
    }),
    ("subscripts", |count| format!("UPDATE orders SET details{} = '1' WHERE tenant_id = $1", "['a']".repeat(count))),
    ("columns of ON CONFLICT", |count| {
        let columns = repeated(count, ", ", |_| "id".to_owned());
        format!("INSERT INTO orders (tenant_id) VALUES ($1) ON CONFLICT ({columns}) DO NOTHING")
    }),
    ("what RETURNING reads", |count| {
        let columns = repeated(count, ", ", |_| "old.id".to_owned());
        format!("INSERT INTO orders (tenant_id) VALUES ($1) RETURNING {columns}")
    }),
    ("stars of RETURNING", |count| {
        format!("INSERT INTO orders (tenant_id) VALUES ($1) RETURNING {}", repeated(count, ", ", |_| "*".to_owned()))
    }),
    ("tables of USING", |count| {
        let tables = repeated(count, ", ", |at| format!("items i{at}"));
        let ties = repeated(count, "", |at| format!(" AND i{at}.tenant_id = o.tenant_id"));
        format!("DELETE FROM orders o USING {tables} WHERE o.tenant_id = $1{ties}")
    }),
];
