//! Texts that make a verifier work: each grows something that could cost more than its share.

use super::{Shape, repeated};

/// Every hostile shape.
pub const HOSTILE: &[Shape] = &[
    ("brackets", |count| format!("SELECT {}1{}", "(".repeat(count), ")".repeat(count))),
    ("plus chain", |count| format!("SELECT {}", repeated(count, "+", |_| "1".to_owned()))),
    ("concatenation of calls", |count| format!("SELECT {}", repeated(count, "||", |at| format!("lower('{at}')")))),
    ("NOT chain", |count| format!("SELECT {}true", "NOT ".repeat(count))),
    ("minus chain", |count| format!("SELECT {}1", "- ".repeat(count))),
    ("casts", |count| format!("SELECT '1'{}", "::text".repeat(count))),
    ("nested CASE", |count| format!("SELECT {}1{}", "CASE WHEN ".repeat(count), " = 1 THEN 1 END".repeat(count))),
    ("CASE in ELSE", |count| {
        format!("SELECT {}1{}", "CASE WHEN true THEN 1 ELSE ".repeat(count), " END".repeat(count))
    }),
    ("many WHENs", |count| {
        format!(
            "SELECT CASE {} END FROM orders WHERE tenant_id = $1",
            repeated(count, " ", |at| format!("WHEN id = {at} THEN {at}"))
        )
    }),
    ("nested calls", |count| format!("SELECT {}'x'{}", "lower(".repeat(count), ")".repeat(count))),
    ("nested arrays", |count| format!("SELECT {}1{}", "ARRAY[".repeat(count), "]".repeat(count))),
    ("nested rows", |count| format!("SELECT {}1{}", "ROW(".repeat(count), ")".repeat(count))),
    ("parameters", |count| format!("SELECT {}", repeated(count, ",", |at| format!("${}", at + 1)))),
    ("one parameter often", |count| {
        format!(
            "SELECT id FROM orders WHERE tenant_id = $1 AND ({})",
            repeated(count, " OR ", |_| "tenant_id = $1".to_owned())
        )
    }),
    ("parameters and unproven tables", |count| {
        format!(
            "SELECT {} FROM {}",
            repeated(count, ",", |at| format!("${}", at + 1)),
            repeated(count, ",", |at| format!("orders a{at}"))
        )
    }),
    ("OR of predicates", |count| {
        let arms =
            repeated(count, " OR ", |at| format!("(o.tenant_id = $1 AND c.tenant_id = o.tenant_id AND o.id = {at})"));
        format!("SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer_id WHERE {arms}")
    }),
    ("OR of literals", |count| {
        format!("SELECT id FROM orders WHERE {}", repeated(count, " OR ", |at| format!("tenant_id = 'x{at}'")))
    }),
    ("AND and OR nested", |count| {
        format!(
            "SELECT id FROM orders WHERE {}tenant_id = $1{}",
            "(tenant_id = $1 AND (tenant_id = $1 OR ".repeat(count),
            "))".repeat(count)
        )
    }),
    ("OR and AND over joins", |count| {
        let inner = "(a.tenant_id = $1 AND (b.tenant_id = a.tenant_id OR ";
        format!(
            "SELECT a.id FROM orders a, orders b WHERE {}b.tenant_id = $1{}",
            inner.repeat(count),
            "))".repeat(count)
        )
    }),
    ("ORs nested, a table each", |count| {
        let tables = repeated(count + 1, ",", |at| format!("orders o{at}"));
        let close = repeated(count, "", |at| format!(" OR id = {at}) AND o{}.tenant_id = $1)", count - at));
        format!("SELECT 1 FROM {tables} WHERE {}o0.tenant_id = $1{close}", "((".repeat(count))
    }),
    ("ORs nested, a table in each arm", |count| {
        let tables = repeated(count + 1, ",", |at| format!("orders o{at}"));
        let close = repeated(count, "", |at| format!(" OR o0.tenant_id = $1) AND o{}.tenant_id = $1)", count - at));
        format!("SELECT 1 FROM {tables} WHERE {}o0.tenant_id = $1{close}", "((".repeat(count))
    }),
    ("ORs beside each other", |count| {
        let ors =
            repeated(count, " AND ", |at| format!("(a.tenant_id = $1 OR a.id = {at} AND a.tenant_id = b.tenant_id)"));
        format!("SELECT a.id FROM orders a, orders b WHERE {ors}")
    }),
    ("EXISTS nested", |count| {
        let one = "EXISTS (SELECT 1 FROM orders WHERE tenant_id = $1 AND ";
        format!("SELECT id FROM orders WHERE tenant_id = $1 AND {}true{}", one.repeat(count), ")".repeat(count))
    }),
    ("EXISTS correlated", |count| {
        let nest = repeated(count, "", |at| {
            format!("EXISTS (SELECT 1 FROM orders o{} WHERE o{}.tenant_id = o{at}.tenant_id AND ", at + 1, at + 1)
        });
        format!("SELECT o0.id FROM orders o0 WHERE o0.tenant_id = $1 AND {nest}true{}", ")".repeat(count))
    }),
    ("EXISTS beside each other", |count| {
        let all =
            repeated(count, " AND ", |_| "EXISTS (SELECT 1 FROM items i WHERE i.tenant_id = o.tenant_id)".to_owned());
        format!("SELECT id FROM orders o WHERE tenant_id = $1 AND {all}")
    }),
    ("IN (SELECT) nested", |count| {
        let nest = "tenant_id IN (SELECT tenant_id FROM orders WHERE ".repeat(count);
        format!("SELECT id FROM orders WHERE {nest}tenant_id = $1{}", ")".repeat(count))
    }),
    ("scalar subqueries nested", |count| format!("SELECT {}1{}", "(SELECT ".repeat(count), ")".repeat(count))),
    ("derived tables nested", |count| {
        let open = "SELECT * FROM (".repeat(count);
        format!("{open}SELECT id, tenant_id FROM orders{} WHERE tenant_id = $1", ") d".repeat(count))
    }),
    ("derived tables of unions nested", |count| {
        let close = " UNION ALL SELECT id, tenant_id FROM orders) d".repeat(count);
        format!("{}SELECT id, tenant_id FROM orders{close} WHERE tenant_id = $1", "SELECT * FROM (".repeat(count))
    }),
    ("CTE chain", |count| cte_chain(count, false)),
    ("CTE chain, materialized", |count| cte_chain(count, true)),
    ("CTE chain, unproven", |count| {
        let rest = repeated(count, "", |at| format!(", q{} AS (SELECT tenant_id FROM q{at})", at + 1));
        format!("WITH q0 AS (SELECT tenant_id FROM orders){rest} SELECT tenant_id FROM q{count}")
    }),
    ("CTEs used twice", |count| {
        let rest = repeated(count, "", |at| {
            format!(
                ", q{} AS (SELECT a.id, a.tenant_id FROM q{at} a JOIN q{at} b ON a.id = b.id AND a.tenant_id = b.tenant_id)",
                at + 1
            )
        });
        format!("WITH q0 AS (SELECT id, tenant_id FROM orders WHERE tenant_id = $1){rest} SELECT id FROM q{count}")
    }),
    ("CTEs used twice, constant", |count| {
        let rest = repeated(count, "", |at| format!(", q{} AS (SELECT 1 AS x FROM q{at} a, q{at} b)", at + 1));
        format!("WITH q0 AS (VALUES (1), (2)){rest} SELECT x FROM q{count}")
    }),
    ("CTEs used twice in unions", |count| {
        let rest = repeated(count, "", |at| {
            format!(", q{} AS (SELECT tenant_id FROM q{at} UNION ALL SELECT tenant_id FROM q{at})", at + 1)
        });
        format!("WITH q0 AS (SELECT tenant_id FROM orders){rest} SELECT tenant_id FROM q{count} WHERE tenant_id = $1")
    }),
    ("CTEs in forward order", |count| {
        let all = repeated(count, ", ", |at| format!("q{at} AS (SELECT id, tenant_id FROM q{})", at + 1));
        format!(
            "WITH RECURSIVE {all}, q{count} AS (SELECT id, tenant_id FROM orders WHERE tenant_id = $1) SELECT id FROM q0"
        )
    }),
    ("WITH in WITH", |count| {
        format!(
            "{}SELECT id FROM orders WHERE tenant_id = $1{}",
            "WITH q AS (".repeat(count),
            ") SELECT id FROM q".repeat(count)
        )
    }),
    ("recursive CTEs", |count| {
        let all = repeated(count, ", ", |at| {
            let source = if at == 0 { "orders WHERE tenant_id = $1".to_owned() } else { format!("q{}", at - 1) };
            format!("q{at} AS (SELECT tenant_id FROM {source} UNION SELECT tenant_id FROM q{at})")
        });
        format!("WITH RECURSIVE {all} SELECT tenant_id FROM q{}", count - 1)
    }),
    ("recursive CTEs withdrawn", |count| {
        // Each assumption falls only once the one before it has.
        let all = repeated(count, ", ", |at| {
            let feed = if at == 0 {
                "SELECT tenant_id FROM orders".to_owned()
            } else {
                format!("SELECT b.tenant_id FROM q{} b", at - 1)
            };
            format!(
                "q{at} AS (SELECT tenant_id FROM orders WHERE tenant_id = $1 UNION ({feed} UNION SELECT tenant_id FROM q{at}))"
            )
        });
        format!("WITH RECURSIVE {all} SELECT tenant_id FROM q{}", count - 1)
    }),
    ("joins", |count| {
        let joins =
            repeated(count, " ", |at| format!("JOIN orders o{} ON o{}.tenant_id = o{at}.tenant_id", at + 1, at + 1));
        format!("SELECT o0.id FROM orders o0 {joins} WHERE o0.tenant_id = $1")
    }),
    ("LEFT JOINs", |count| {
        let joins = repeated(count, " ", |at| {
            format!("LEFT JOIN orders o{} ON o{}.tenant_id = o{at}.tenant_id", at + 1, at + 1)
        });
        format!("SELECT o0.id FROM orders o0 {joins} WHERE o0.tenant_id = $1")
    }),
    ("FULL JOINs by USING", |count| {
        let joins = repeated(count, " ", |at| format!("FULL JOIN orders o{at} USING (tenant_id)"));
        format!("SELECT tenant_id FROM orders {joins} WHERE tenant_id = $1")
    }),
    ("joins by USING", |count| {
        let joins = repeated(count, " ", |at| format!("JOIN orders o{at} USING (tenant_id)"));
        format!("SELECT tenant_id FROM orders {joins} WHERE tenant_id = $1")
    }),
    ("NATURAL joins", |count| {
        let joins = repeated(count, " ", |at| format!("NATURAL JOIN orders o{at}"));
        format!("SELECT tenant_id FROM orders {joins} WHERE tenant_id = $1")
    }),
    ("joins nested on the right", |count| {
        let (open, close) = ("orders JOIN (".repeat(count), ") ON true".repeat(count));
        format!("SELECT 1 FROM {open}orders JOIN orders ON true{close}")
    }),
    ("equalities against their order", |count| {
        let tables = repeated(count, ", ", |at| format!("orders o{at}"));
        let chain = repeated(count.saturating_sub(1), " AND ", |at| {
            let at = count - 1 - at;
            format!("o{at}.tenant_id = o{}.tenant_id", at - 1)
        });
        format!("SELECT 1 FROM {tables} WHERE {chain} AND o0.tenant_id = $1")
    }),
    ("comma list", |count| format!("SELECT 1 FROM {}", repeated(count, ", ", |at| format!("orders o{at}")))),
    ("LATERAL chain", |count| {
        let all = repeated(count, "", |at| {
            format!(", LATERAL (SELECT o{at}.tenant_id FROM orders x WHERE x.tenant_id = o{at}.tenant_id) o{}", at + 1)
        });
        format!("SELECT 1 FROM orders o0{all} WHERE o0.tenant_id = $1")
    }),
    ("UNION", |count| repeated(count, " UNION ", |_| "SELECT id FROM orders WHERE tenant_id = $1".to_owned())),
    ("UNION nested on the right", |count| format!("{}SELECT 1{}", "SELECT 1 UNION (".repeat(count), ")".repeat(count))),
    ("INTERSECT and UNION", |count| {
        repeated(count, " ", |at| format!("SELECT {at} {}", if at % 2 == 0 { "INTERSECT" } else { "UNION" }))
            + " SELECT 0"
    }),
    ("stars", |count| format!("SELECT {} FROM orders WHERE tenant_id = $1", repeated(count, ",", |_| "*".to_owned()))),
    ("wide stars through CTEs", |count| {
        let rest = repeated(count, "", |at| format!(", q{} AS (TABLE q{at})", at + 1));
        format!("WITH q0 AS (SELECT *,*,*,*,*,*,*,* FROM wide WHERE tenant_id = $1){rest} SELECT 1 FROM q{count}")
    }),
    ("wide stars through LATERAL", |count| {
        let rest = repeated(count, "", |at| format!(",LATERAL (SELECT q{at}.*) q{}", at + 1));
        format!("SELECT 1 FROM (SELECT *,*,*,*,*,*,*,* FROM wide WHERE tenant_id = $1) q0{rest}")
    }),
    ("wide rows through LATERAL", |count| {
        let rest = repeated(count, "", |at| format!(",LATERAL (SELECT (q{at}).*) q{}", at + 1));
        format!("SELECT 1 FROM (SELECT *,*,*,*,*,*,*,* FROM wide WHERE tenant_id = $1) q0{rest}")
    }),
    ("wide stars in subqueries", |count| {
        let all = repeated(count, ",", |_| "EXISTS(SELECT q.*)".to_owned());
        format!("SELECT {all} FROM (SELECT *,*,*,*,*,*,*,* FROM wide WHERE tenant_id = $1) q")
    }),
    ("wide stars through unions", |count| {
        let all = repeated(count, " UNION ", |_| "SELECT q.*".to_owned());
        format!("SELECT 1 FROM (SELECT *,*,*,*,*,*,*,* FROM wide WHERE tenant_id = $1) q, LATERAL ({all}) r")
    }),
    ("stars doubled", |count| {
        format!(
            "{}SELECT * FROM orders WHERE tenant_id = $1{}",
            "SELECT *, * FROM (".repeat(count),
            ") d".repeat(count)
        )
    }),
    ("grouping sets", |count| {
        format!(
            "SELECT 1 FROM orders WHERE tenant_id = $1 GROUP BY GROUPING SETS ({})",
            repeated(count, ",", |_| "(id, status)".to_owned())
        )
    }),
    ("CUBEs", |count| {
        format!(
            "SELECT 1 FROM orders WHERE tenant_id = $1 GROUP BY {}",
            repeated(count, ",", |_| "CUBE (id, status, total)".to_owned())
        )
    }),
    ("GROUP BY many", |count| {
        let list = repeated(count, ",", |at| format!("id+{at}"));
        format!("SELECT {list} FROM orders WHERE tenant_id = $1 GROUP BY {list}")
    }),
    ("GROUP BY ordinals", |count| {
        let ordinals = repeated(count, ",", |at| (at + 1).to_string());
        format!(
            "SELECT {} FROM orders WHERE tenant_id = $1 GROUP BY {ordinals}",
            repeated(count, ",", |_| "id".to_owned())
        )
    }),
    ("GROUP BY aliases", |count| {
        let aliases = repeated(count, ",", |at| format!("id AS a{at}"));
        let keys = repeated(count, ",", |at| format!("a{at}"));
        format!("SELECT {aliases} FROM orders WHERE tenant_id = $1 GROUP BY {keys}")
    }),
    ("ORDER BY aliases", |count| {
        let aliases = repeated(count, ",", |at| format!("id AS a{at}"));
        let keys = repeated(count, ",", |at| format!("a{at}"));
        format!("SELECT {aliases} FROM orders WHERE tenant_id = $1 ORDER BY {keys}")
    }),
    ("wide VALUES", |count| {
        format!("VALUES ({})", repeated(count, "),(", |_| repeated(1000, ",", |_| "1".to_owned())))
    }),
    ("long VALUES", |count| format!("VALUES {}", repeated(count, ",", |at| format!("({at})")))),
    ("wide derived table", |count| {
        let columns = repeated(count, ",", |at| format!("{at} AS c{at}"));
        let references = repeated(count, ",", |at| format!("c{at}"));
        format!("SELECT {references} FROM (SELECT {columns}) d")
    }),
    ("wide table joined with itself", |count| {
        let references = repeated(count, "+", |at| format!("w{}.c199", at % 20));
        format!("SELECT {references} FROM {} WHERE w0.tenant_id = $1", repeated(20, ",", |at| format!("wide w{at}")))
    }),
    ("wide derived tables, bare names", |count| {
        let tables =
            repeated(20, ",", |at| format!("(SELECT {} FROM wide) w{at}", repeated(10, ",", |_| "*".to_owned())));
        format!("SELECT {} FROM {tables}", repeated(count, ",", |at| format!("z{at}")))
    }),
    ("unknown columns", |count| {
        format!("SELECT {} FROM orders WHERE tenant_id = $1", repeated(count, ",", |at| format!("x{at}")))
    }),
    ("ambiguous columns", |count| {
        let tables = repeated(30, ",", |at| format!("orders o{at}"));
        format!("SELECT {} FROM {tables}", repeated(count, ",", |_| "id".to_owned()))
    }),
    ("as many bare names as tables", |count| {
        let tables = repeated(count, ",", |_| "orders".to_owned());
        format!("SELECT {} FROM {tables}", repeated(count * 2, ",", |_| "id".to_owned()))
    }),
    ("as many bare names as derived tables", |count| {
        let tables = repeated(count, ",", |_| "(SELECT)".to_owned());
        format!("SELECT {} FROM {tables}", repeated(count * 2, ",", |_| "id".to_owned()))
    }),
    ("as many bare names as derived tables around", |count| {
        let tables = repeated(count, ",", |_| "(SELECT)".to_owned());
        format!("SELECT (SELECT {}) FROM {tables}", repeated(count * 2, ",", |_| "id".to_owned()))
    }),
    ("as many qualified names as tables", |count| {
        let tables = repeated(count, ",", |at| format!("orders t{at}"));
        format!("SELECT {} FROM {tables}", repeated(count, ",", |at| format!("t{at}.id")))
    }),
    ("hidden columns", |count| {
        format!("SELECT {} FROM customers WHERE tenant_id = $1", repeated(count, ",", |_| "ssn".to_owned()))
    }),
    ("stars refused", |count| {
        format!("SELECT {} FROM customers WHERE tenant_id = $1", repeated(count, ",", |_| "*".to_owned()))
    }),
    ("unknown functions", |count| format!("SELECT {}", repeated(count, ",", |at| format!("f{at}(1)")))),
    ("unknown tables", |count| format!("SELECT 1 FROM {}", repeated(count, ",", |at| format!("t{at}")))),
    ("unknown collations", |count| format!("SELECT {}", repeated(count, ",", |at| format!("'x' COLLATE \"c{at}\"")))),
    ("unknown types", |count| format!("SELECT {}", repeated(count, ",", |at| format!("'x'::t{at}")))),
    ("unknown fields", |count| format!("SELECT {}", repeated(count, ",", |at| format!("(1).f{at}")))),
    ("locking clauses", |count| format!("SELECT 1{}", " FOR UPDATE".repeat(count))),
    ("unproven tables", |count| repeated(count, " UNION ALL ", |_| "SELECT id FROM orders".to_owned())),
    ("IN list of rows", |count| {
        format!(
            "SELECT id FROM orders WHERE tenant_id = $1 AND (id, status) IN ({})",
            repeated(count, ",", |at| format!("({at},'a')"))
        )
    }),
    ("IN list of tenants", |count| {
        format!("SELECT id FROM orders WHERE tenant_id IN ({})", repeated(count, ",", |_| "$1".to_owned()))
    }),
    ("row equality", |count| {
        let columns = repeated(count, ",", |_| "tenant_id".to_owned());
        format!("SELECT id FROM orders WHERE ({columns}) = ({})", repeated(count, ",", |_| "$1".to_owned()))
    }),
    ("windows", |count| {
        let calls = repeated(count, ",", |at| format!("sum(id) OVER (PARTITION BY tenant_id, {at})"));
        format!("SELECT {calls} FROM orders WHERE tenant_id = $1")
    }),
    ("named windows", |count| {
        let calls = repeated(count, ",", |at| format!("sum(id) OVER w{at}"));
        let windows = repeated(count, ",", |at| format!("w{at} AS (PARTITION BY tenant_id)"));
        format!("SELECT {calls} FROM orders WHERE tenant_id = $1 WINDOW {windows}")
    }),
    ("windows that inherit", |count| {
        let keys = repeated(count, ",", |_| "tenant_id".to_owned());
        let windows = repeated(count, ",", |at| format!("w{} AS (w{at})", at + 1));
        format!(
            "SELECT count(*) OVER w{count} FROM orders WHERE tenant_id = $1 WINDOW w0 AS (PARTITION BY {keys}),{windows}"
        )
    }),
    ("windows over a deferred table", |count| {
        let calls = repeated(count, ",", |_| "sum(id) OVER (PARTITION BY id,id,id,id,tenant_id)".to_owned());
        format!("SELECT * FROM (SELECT tenant_id, {calls} FROM orders) d WHERE tenant_id = $1")
    }),
    ("aggregates nested in subqueries", |count| {
        let nest = "(SELECT max(".repeat(count);
        format!("SELECT {nest}o.id{} FROM orders o WHERE tenant_id = $1", "))".repeat(count))
    }),
    ("functions in FROM", |count| {
        format!("SELECT 1 FROM {}", repeated(count, ",", |at| format!("generate_series(1, 2) g{at}")))
    }),
    ("series nested", |count| format!("SELECT {}1{}", "generate_series(1, ".repeat(count), ")".repeat(count))),
    ("JSON", |count| format!("SELECT json_object({})", repeated(count, ",", |at| format!("'k{at}': {at}")))),
    ("JSON paths", |count| format!("SELECT details{} FROM orders WHERE tenant_id = $1", "->'a'".repeat(count))),
    ("subscripts", |count| format!("SELECT (ARRAY[1]){}", "[1]".repeat(count))),
    ("LIKE patterns", |count| {
        format!(
            "SELECT id FROM orders WHERE tenant_id = $1 AND ({})",
            repeated(count, " OR ", |at| format!("status LIKE '%{at}'"))
        )
    }),
    ("regular expressions", |count| format!("SELECT {}", repeated(count, ",", |_| r"'a' ~ '(a)\1'".to_owned()))),
    ("one long string", |count| format!("SELECT '{}'", "x".repeat(count))),
    ("one long name", |count| format!("SELECT {}", "x".repeat(count))),
    ("comments", |count| format!("SELECT 1 {}", "/* x */".repeat(count))),
    ("nested comments", |count| format!("SELECT 1 {}{}", "/*".repeat(count), "*/".repeat(count))),
    ("operator characters", |count| format!("SELECT 1 {} 1", "+".repeat(count))),
    ("statements", |count| "SELECT 1;".repeat(count)),
    ("open brackets", |count| format!("SELECT {}", "(".repeat(count))),
    ("broken at the end", |count| format!("SELECT {} FROM", repeated(count, ",", |at| at.to_string()))),
    ("quotes", |count| format!("SELECT {}", repeated(count, ",", |at| format!("\"a\"\"{at}\"")))),
];

fn cte_chain(count: usize, materialized: bool) -> String {
    let word = if materialized { "MATERIALIZED " } else { "" };
    let rest = repeated(count, "", |at| format!(", q{} AS {word}(SELECT id, tenant_id FROM q{at})", at + 1));
    format!("WITH q0 AS (SELECT id, tenant_id FROM orders){rest} SELECT id FROM q{count} WHERE tenant_id = $1")
}
