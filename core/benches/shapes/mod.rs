//! The policy that is measured, and texts of every size that try what a verdict costs: shared by the benches and the
//! tests of totality. Each shape is a function of a count, so that it can be grown to any size.
#![allow(dead_code, unused_imports, clippy::expect_used)] // each user takes a part of it

use std::fmt::Write as _;

use haltsql::{Context, Policy};
use pg_query::{FingerprintOptions, ParserOptions};

mod hostile;
mod writes;

#[allow(unused_imports)] // each bench and test takes its part
pub use hostile::HOSTILE;
pub use writes::WRITES;

/// A text of any size: its name, and the text for a count.
pub type Shape = (&'static str, fn(usize) -> String);

/// Bound mode, one key, the limits as they are by default.
pub fn policy() -> Policy {
    parse("bound", "")
}

/// As [`policy`], with limits that no text of these shapes meets.
pub fn wide_policy() -> Policy {
    parse(
        "bound",
        "  limits: { max_sql_bytes: 16777216, max_relations: 10000, max_depth: 100000, cartesian: allow, recursive: allow }\n",
    )
}

/// As [`policy`], in literal mode.
pub fn literal_policy() -> Policy {
    parse("literal", "")
}

fn parse(mode: &str, limits: &str) -> Policy {
    let wide: Vec<String> = (0..200).map(|at| format!("c{at}")).collect();
    let wide = wide.join(", ");
    let document = format!(
        "apiVersion: haltsql.dev/v1
kind: Policy
metadata:
  name: analytics-agent
spec:
  statements: [select, insert, update, delete]
  search_path: [app]
  tenancy:
    mode: {mode}
    keys:
      - {{ column: tenant_id, context: tenant_id, type: text }}
  tables:
    app.customers:
      columns: [id, tenant_id, name, region, manager_id, created_at]
      hidden: [email, ssn]
      complete: true
    app.orders:
      columns: [id, tenant_id, customer_id, status, total, placed_at, details]
      complete: true
      write:
        insert: [id, tenant_id, customer_id, status, total, placed_at, details]
        update: [tenant_id, status, total, details]
        delete: true
    app.items:
      columns: [id, tenant_id, order_id, product_id, qty, price]
      complete: true
    app.notes:
      columns: [id, tenant_id, order_id, body]
    app.wide:
      columns: [tenant_id, {wide}]
      complete: true
    app.products:
      columns: [id, sku, name, category, price]
      complete: true
      shared: true
{limits}"
    );
    Policy::from_yaml(&document).expect("the policy is valid")
}

/// The caller.
pub fn context() -> Context {
    Context::new().with("tenant_id", "acme")
}

/// The three queries whose cost is promised: what agents and BI tools write every day.
pub const EVERYDAY: [(&str, &str); 3] = [
    (
        "one table",
        "SELECT id, status, total, placed_at FROM orders \
         WHERE tenant_id = $1 AND status = 'open' AND placed_at >= '2026-01-01' ORDER BY placed_at DESC LIMIT 50",
    ),
    (
        "three joins",
        "SELECT c.name, p.category, count(*) AS orders, sum(i.qty * i.price) AS revenue \
         FROM orders o \
         JOIN customers c ON c.id = o.customer_id AND c.tenant_id = o.tenant_id \
         JOIN items i ON i.order_id = o.id AND i.tenant_id = o.tenant_id \
         JOIN products p ON p.id = i.product_id \
         WHERE o.tenant_id = $1 AND o.status IN ('paid', 'shipped') AND o.placed_at >= date '2026-01-01' \
         GROUP BY c.name, p.category HAVING sum(i.qty * i.price) > 1000 ORDER BY revenue DESC LIMIT 100",
    ),
    (
        "five CTEs",
        "WITH recent AS ( \
           SELECT id, tenant_id, customer_id, total, placed_at FROM orders WHERE tenant_id = $1 AND placed_at >= date '2026-01-01' \
         ), by_customer AS ( \
           SELECT customer_id, tenant_id, count(*) AS orders, sum(total) AS revenue FROM recent GROUP BY customer_id, tenant_id \
         ), lines AS ( \
           SELECT i.order_id, i.tenant_id, sum(i.qty) AS units FROM items i WHERE i.tenant_id = $1 GROUP BY i.order_id, i.tenant_id \
         ), units AS ( \
           SELECT r.customer_id, r.tenant_id, sum(l.units) AS units \
           FROM recent r JOIN lines l ON l.order_id = r.id AND l.tenant_id = r.tenant_id GROUP BY r.customer_id, r.tenant_id \
         ), ranked AS ( \
           SELECT b.customer_id, b.tenant_id, b.revenue, u.units, rank() OVER (ORDER BY b.revenue DESC) AS place \
           FROM by_customer b LEFT JOIN units u ON u.customer_id = b.customer_id AND u.tenant_id = b.tenant_id \
         ) \
         SELECT c.name, c.region, r.revenue, r.units, r.place FROM ranked r \
         JOIN customers c ON c.id = r.customer_id AND c.tenant_id = r.tenant_id WHERE r.place <= 20 ORDER BY r.place",
    ),
];

/// What any verifier on PostgreSQL's parser pays: the tree and the fingerprint.
pub fn floor(sql: &str) -> (pg_query::Result<pg_query::ParseResult>, pg_query::Result<pg_query::Fingerprint>) {
    let options = FingerprintOptions::RANGEVAR_PG17_COMPAT | FingerprintOptions::FULL_RELNAME;
    (pg_query::parse(sql, ParserOptions::DEFAULT), pg_query::fingerprint(sql, ParserOptions::DEFAULT, options))
}

/// As [`floor`], for texts that nest.
pub fn floor_on_large_stack(sql: &str) -> bool {
    std::thread::scope(|scope| {
        let work = || {
            let (tree, fingerprint) = floor(sql);
            tree.is_ok() && fingerprint.is_ok()
        };
        let thread = std::thread::Builder::new().stack_size(64 * 1024 * 1024).spawn_scoped(scope, work);
        thread.expect("a thread").join().expect("the parser does not panic")
    })
}

/// What must grow in proportion: the shape, its smallest and its largest count.
pub const LINEAR: [(Shape, usize, usize); 5] = [
    (("IN list", in_list), 10, 10_000),
    (("AND chain", and_chain), 10, 10_000),
    (("joins", joins), 1, 100),
    (("CTE chain", cte_chain), 1, 100),
    (("UNION", union), 1, 500),
];

fn in_list(count: usize) -> String {
    format!("SELECT id FROM orders WHERE tenant_id = $1 AND id IN ({})", repeated(count, ", ", |at| at.to_string()))
}

fn and_chain(count: usize) -> String {
    format!(
        "SELECT id FROM orders WHERE tenant_id = $1 AND {}",
        repeated(count, " AND ", |at| format!("total <> {at}"))
    )
}

fn joins(count: usize) -> String {
    let joins = repeated(count, " ", |at| {
        let (own, before) = (at + 1, at);
        format!("JOIN orders o{own} ON o{own}.id = o{before}.id AND o{own}.tenant_id = o{before}.tenant_id")
    });
    format!("SELECT o0.id FROM orders o0 {joins} WHERE o0.tenant_id = $1")
}

fn cte_chain(count: usize) -> String {
    let rest = repeated(count, "", |at| {
        format!(", q{} AS (SELECT id, tenant_id, total FROM q{at} WHERE total > {at})", at + 1)
    });
    format!(
        "WITH q0 AS (SELECT id, tenant_id, total FROM orders WHERE tenant_id = $1){rest} SELECT id, total FROM q{count}"
    )
}

fn union(count: usize) -> String {
    repeated(count + 1, " UNION ALL ", |at| format!("SELECT id, total FROM orders WHERE tenant_id = $1 AND id = {at}"))
}

/// `count` pieces with something between them.
pub fn repeated(count: usize, between: &str, piece: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for at in 0..count {
        // Writing to a String cannot fail.
        let _ = write!(text, "{}{}", if at == 0 { "" } else { between }, piece(at));
    }
    text
}

/// The largest text of a shape that has at most that many bytes.
pub fn of_bytes(shape: fn(usize) -> String, bytes: usize) -> String {
    let fits = |count: usize| shape(count).len() <= bytes;
    let (mut low, mut high) = (1, 2);
    while fits(high) && high < bytes {
        (low, high) = (high, high * 2);
    }
    while high - low > low / 64 + 1 {
        let middle = low + (high - low) / 2;
        if fits(middle) { low = middle } else { high = middle }
    }
    shape(low)
}
