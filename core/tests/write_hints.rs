//! What a hint of a write says, done to the statement, makes it allowed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::path::Path;

use haltsql::{Context, Policy};

/// A denied statement, the hint, and the statement after doing what it says.
struct Hint {
    policy: &'static str,
    denied: &'static str,
    code: &'static str,
    says: &'static str,
    mended: &'static str,
}

const fn hint(
    policy: &'static str,
    denied: &'static str,
    code: &'static str,
    says: &'static str,
    mended: &'static str,
) -> Hint {
    Hint { policy, denied, code, says, mended }
}

const HINTS: &[Hint] = &[
    hint(
        "write-bound",
        "INSERT INTO notes (id, order_id) VALUES (90, 1)",
        "E_TENANT_WRITE",
        "add `tenant_id` to the column list, with the value `$1` in every row",
        "INSERT INTO notes (id, order_id, tenant_id) VALUES (90, 1, $1)",
    ),
    hint(
        "write-bound",
        "INSERT INTO notes (id, tenant_id, order_id) VALUES (90, 'globex', 1)",
        "E_TENANT_WRITE",
        "write `$1` as the value of `tenant_id`",
        "INSERT INTO notes (id, tenant_id, order_id) VALUES (90, $1, 1)",
    ),
    hint(
        "write-literal",
        "INSERT INTO notes (id, tenant_id, order_id) SELECT 90, o.status, o.id FROM orders o WHERE o.tenant_id = 'acme'",
        "E_TENANT_WRITE",
        "write `'acme'` as the value of `tenant_id`",
        "INSERT INTO notes (id, tenant_id, order_id) SELECT 90, 'acme', o.id FROM orders o WHERE o.tenant_id = 'acme'",
    ),
    hint(
        "write-literal",
        "INSERT INTO notes (id, tenant_id, order_id) SELECT 90, o.tenant_id, p.id FROM products p LEFT JOIN orders o ON o.tenant_id = 'acme' AND o.id = p.id",
        "E_TENANT_WRITE",
        "write `'acme'` as the value of `tenant_id`",
        "INSERT INTO notes (id, tenant_id, order_id) SELECT 90, 'acme', p.id FROM products p LEFT JOIN orders o ON o.tenant_id = 'acme' AND o.id = p.id",
    ),
    hint(
        "write-two-keys",
        "INSERT INTO tasks (id, tenant_id, title, done) VALUES (90, $1, 'x', false)",
        "E_TENANT_WRITE",
        "add `team_id` to the column list, with the value `$2` in every row",
        "INSERT INTO tasks (id, tenant_id, title, done, team_id) VALUES (90, $1, 'x', false, $2)",
    ),
    hint(
        "write-bound",
        "UPDATE orders SET tenant_id = 'globex', status = 'x' WHERE tenant_id = $1",
        "E_TENANT_WRITE",
        "leave `tenant_id` out of SET, or write `tenant_id = $1`",
        "UPDATE orders SET tenant_id = $1, status = 'x' WHERE tenant_id = $1",
    ),
    hint(
        "write-literal",
        "UPDATE orders SET tenant_id = DEFAULT, status = 'x' WHERE tenant_id = 'acme'",
        "E_TENANT_WRITE",
        "leave `tenant_id` out of SET, or write `tenant_id = 'acme'`",
        "UPDATE orders SET status = 'x' WHERE tenant_id = 'acme'",
    ),
    hint(
        "write-integer-literal",
        "INSERT INTO meters (id, account_id, label, val) VALUES (90, 43, 'x', 1)",
        "E_TENANT_WRITE",
        "write `42` as the value of `account_id`",
        "INSERT INTO meters (id, account_id, label, val) VALUES (90, 42, 'x', 1)",
    ),
    hint(
        "write-bound",
        "UPDATE orders o SET status = 'x' WHERE o.id = 1",
        "E_TENANT_MISSING",
        "add `o.tenant_id = $1` with AND to the WHERE clause",
        "UPDATE orders o SET status = 'x' WHERE o.id = 1 AND o.tenant_id = $1",
    ),
    hint(
        "write-literal",
        "DELETE FROM orders USING customers c WHERE c.tenant_id = 'acme' AND c.id = orders.customer_id",
        "E_TENANT_MISSING",
        "add `orders.tenant_id = 'acme'` with AND to the WHERE clause",
        "DELETE FROM orders USING customers c WHERE c.tenant_id = 'acme' AND c.id = orders.customer_id AND orders.tenant_id = 'acme'",
    ),
    hint(
        "write-bound",
        "INSERT INTO notes (id, tenant_id, order_id) SELECT o.id, $1, o.id FROM orders o",
        "E_TENANT_MISSING",
        "add `o.tenant_id = $1` with AND to the WHERE clause of the SELECT",
        "INSERT INTO notes (id, tenant_id, order_id) SELECT o.id, $1, o.id FROM orders o WHERE o.tenant_id = $1",
    ),
    hint(
        "write-literal",
        "UPDATE customers SET name = 'x', ssn = 'y' WHERE tenant_id = 'acme'",
        "E_WRITE_COLUMN_DENIED",
        "UPDATE may set only these columns of `customers`: `manager_id`, `name`, `region`",
        "UPDATE customers SET name = 'x' WHERE tenant_id = 'acme'",
    ),
    hint(
        "write-literal",
        "UPDATE orders o SET o.status = 'x' WHERE o.tenant_id = 'acme'",
        "E_WRITE_COLUMN_DENIED",
        "write the columns of SET without the table's name",
        "UPDATE orders o SET status = 'x' WHERE o.tenant_id = 'acme'",
    ),
    hint(
        "write-literal",
        "INSERT INTO regions VALUES ('AF', 'Africa')",
        "E_WRITE_SHAPE",
        "name the columns: `INSERT INTO app.regions (…)`",
        "INSERT INTO app.regions (code, title) VALUES ('AF', 'Africa')",
    ),
    hint(
        "write-literal",
        "INSERT INTO regions DEFAULT VALUES",
        "E_WRITE_SHAPE",
        "name columns and their values: `INSERT INTO app.regions (…) VALUES (…)`",
        "INSERT INTO app.regions (code) VALUES ('AF')",
    ),
    hint(
        "write-literal",
        "INSERT INTO regions (code, title) OVERRIDING USER VALUE VALUES ('AF', 'Africa')",
        "E_WRITE_SHAPE",
        "remove the OVERRIDING clause",
        "INSERT INTO regions (code, title) VALUES ('AF', 'Africa')",
    ),
    hint(
        "write-literal",
        "INSERT INTO regions (code, title) VALUES ('AF', 'x') ON CONFLICT (code) DO UPDATE SET title = 'x'",
        "E_WRITE_SHAPE",
        "remove the ON CONFLICT clause",
        "INSERT INTO regions (code, title) VALUES ('AF', 'x')",
    ),
    hint(
        "write-literal",
        "INSERT INTO notes (id, tenant_id, order_id) VALUES (90, 'acme', 1) ON CONFLICT DO NOTHING",
        "E_WRITE_SHAPE",
        "remove the ON CONFLICT clause, or name the columns of one key of the table plainly, `tenant_id` among them",
        "INSERT INTO notes (id, tenant_id, order_id) VALUES (90, 'acme', 1) ON CONFLICT (tenant_id, id) DO NOTHING",
    ),
    hint(
        "write-literal",
        "INSERT INTO notes (id, tenant_id, order_id) VALUES (90, 'acme', 1) ON CONFLICT (id) DO NOTHING",
        "E_WRITE_SHAPE",
        "remove the ON CONFLICT clause, or name a key of the table that holds `tenant_id`",
        "INSERT INTO notes (id, tenant_id, order_id) VALUES (90, 'acme', 1) ON CONFLICT (id, tenant_id) DO NOTHING",
    ),
    hint(
        "write-literal",
        "INSERT INTO regions (code, title) VALUES ('AF', 'x') ON CONFLICT DO NOTHING",
        "E_WRITE_SHAPE",
        "remove the ON CONFLICT clause, or name the columns of one key of the table plainly",
        "INSERT INTO regions (code, title) VALUES ('AF', 'x') ON CONFLICT (code) DO NOTHING",
    ),
    hint(
        "write-literal",
        "INSERT INTO notes (tenant_id, order_id) VALUES ('acme', 1) RETURNING id, order_id",
        "E_WRITE_SHAPE",
        "give `id` a value in every row, or leave it out of RETURNING",
        "INSERT INTO notes (tenant_id, order_id) VALUES ('acme', 1) RETURNING order_id",
    ),
    hint(
        "write-literal",
        "UPDATE orders SET (status, total) = status WHERE tenant_id = 'acme'",
        "E_WRITE_SHAPE",
        "set each column by itself",
        "UPDATE orders SET status = status, total = total WHERE tenant_id = 'acme'",
    ),
    hint(
        "write-literal",
        "DELETE FROM regions WHERE CURRENT OF c",
        "E_WRITE_SHAPE",
        "write a condition on the table's columns in place of the cursor",
        "DELETE FROM regions WHERE code = 'AF'",
    ),
    hint(
        "write-literal",
        "WITH d AS (DELETE FROM regions) DELETE FROM orders WHERE tenant_id = 'acme'",
        "E_WRITE_IN_READ",
        "write the INSERT, UPDATE or DELETE as a statement of its own",
        "DELETE FROM regions",
    ),
    hint(
        "write-literal",
        "DELETE FROM products",
        "E_WRITE_DENIED",
        "DELETE is open for these tables only: `app.customers`, `app.notes`, `app.orders`, `app.regions`",
        "DELETE FROM app.regions",
    ),
    hint(
        "write-limits",
        "DELETE FROM regions",
        "E_STATEMENT_KIND",
        "write one INSERT or UPDATE statement",
        "UPDATE orders SET status = 'x' WHERE tenant_id = 'acme'",
    ),
    hint(
        "write-bound",
        "INSERT INTO notes (id, tenant_id, order_id, body) VALUES (90, $1, 1, $2)",
        "E_PARAM_UNBOUND",
        "write the value itself in place of `$2`",
        "INSERT INTO notes (id, tenant_id, order_id, body) VALUES (90, $1, 1, 'x')",
    ),
];

fn policy(name: &str) -> Policy {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../conformance/policies/{name}.yaml"));
    Policy::from_yaml(&fs::read_to_string(file).unwrap()).unwrap()
}

#[test]
fn what_a_hint_says_makes_the_statement_allowed() {
    let context = Context::new().with("tenant_id", "acme").with("team_id", "red").with("account_id", "42");
    let mut wrong = Vec::new();
    for Hint { policy: name, denied, code, says, mended } in HINTS {
        let policy = policy(name);
        let verdict = policy.check(denied.as_bytes(), &context);
        let said = verdict.reasons.iter().any(|reason| {
            reason.code.as_str() == *code && reason.hint.as_deref().is_some_and(|hint| hint.starts_with(says))
        });
        if !said {
            wrong.push(format!("{denied}\n  does not say: {says}\n  {:?}", verdict.reasons));
        }
        let after = policy.check(mended.as_bytes(), &context);
        if !after.allowed {
            wrong.push(format!("{mended}\n  {:?}", after.reasons));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn with_a_set_and_parameters_the_key_comes_from_a_table() {
    let context = Context::new().with_set("tenant_id", ["acme", "initech"]);
    let policy = policy("write-bound");
    let verdict = policy.check(b"INSERT INTO notes (id, tenant_id, order_id) VALUES (90, $1, 1)", &context);
    let hint = verdict.reasons[0].hint.as_deref().unwrap();
    assert!(hint.starts_with("take `tenant_id` from a table that is held to the caller: INSERT … SELECT"), "{hint}");
    let mended = "INSERT INTO notes (id, tenant_id, order_id) SELECT 90, o.tenant_id, o.id FROM orders o WHERE o.tenant_id = ANY($1)";
    assert!(policy.check(mended.as_bytes(), &context).allowed);
}
