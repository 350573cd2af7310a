//! Texts for tests: shapes that nest, a writer of random queries, and mutations of texts.

/// The limits of a policy that says nothing, but for the size.
pub(crate) fn limits(max_sql_bytes: u64) -> crate::policy::Limits {
    crate::policy::Limits {
        max_sql_bytes,
        max_relations: 32,
        max_depth: 64,
        require_limit: false,
        max_limit: None,
        cartesian_denied: true,
        recursive: crate::policy::Recursive::Bounded,
        max_generated: 1_000_000,
        max_grouping_sets: 64,
    }
}

/// Runs on a thread with this much stack.
pub(crate) fn on_stack<R: Send>(kib: usize, work: impl FnOnce() -> R + Send) -> R {
    std::thread::scope(|scope| {
        std::thread::Builder::new().stack_size(kib * 1024).spawn_scoped(scope, work).unwrap().join().unwrap()
    })
}

/// A text that nests `n` times in one way.
pub(crate) type Shape = fn(usize) -> String;

fn around(before: &str, core: &str, after: &str, n: usize) -> String {
    format!("{}{core}{}", before.repeat(n), after.repeat(n))
}

fn chain(term: &str, between: &str, n: usize) -> String {
    vec![term; n].join(between)
}

/// Every way of nesting that the grammar of queries knows.
pub(crate) const SHAPES: &[(&str, Shape)] = &[
    ("plus", |n| format!("SELECT {}", chain("1", "+", n))),
    ("concat", |n| format!("SELECT {}", chain("a", "||", n))),
    ("power", |n| format!("SELECT {}", chain("a", " ^ ", n))),
    ("operator", |n| format!("SELECT {}", chain("a", " OPERATOR(pg_catalog.+) ", n))),
    ("and", |n| format!("SELECT {}", chain("a = 1", " AND ", n))),
    ("or", |n| format!("SELECT {}", chain("a = 1", " OR ", n))),
    ("and_or", |n| format!("SELECT {}", around("(a AND (a OR ", "a", "))", n))),
    ("in", |n| format!("SELECT a IN ({})", chain("1", ",", n))),
    ("union", |n| chain("SELECT 1", " UNION ", n)),
    ("union_in_brackets", |n| around("(", "SELECT 1", " UNION SELECT 1)", n)),
    ("join", |n| format!("SELECT 1 FROM t{}", " JOIN t ON true".repeat(n))),
    ("join_to_the_right", |n| format!("SELECT 1 FROM t{}{}", " JOIN t".repeat(n), " ON true".repeat(n))),
    ("join_in_brackets", |n| format!("SELECT 1 FROM {}", around("(", "t", " CROSS JOIN t)", n))),
    ("cast", |n| format!("SELECT 1{}", "::int".repeat(n))),
    ("cast_function", |n| format!("SELECT {}", around("CAST(", "1", " AS int)", n))),
    ("case_when", |n| format!("SELECT CASE {} END", "WHEN a = 1 THEN 1 ".repeat(n))),
    ("case_in_when", |n| format!("SELECT {}", around("CASE WHEN ", "a", " THEN 1 END", n))),
    ("case_in_else", |n| format!("SELECT {}", around("CASE WHEN a THEN 1 ELSE ", "1", " END", n))),
    ("brackets", |n| format!("SELECT {}", around("(", "1", ")", n))),
    ("brackets_and_plus", |n| format!("SELECT {}", around("(1+", "1", ")", n))),
    ("brackets_around_select", |n| around("(", "SELECT 1", ")", n)),
    ("subquery", |n| format!("SELECT {}", around("(SELECT ", "1", ")", n))),
    ("subquery_in_from", |n| around("SELECT * FROM (", "SELECT 1", ") a", n)),
    ("subquery_in_in", |n| format!("SELECT {}", around("a IN (SELECT ", "1", ")", n))),
    ("exists", |n| format!("SELECT 1 {}", around("WHERE EXISTS (SELECT 1 ", "", ")", n))),
    ("subquery_and_join", |n| format!("SELECT 1 FROM {}", around("(SELECT 1 FROM ", "t", ") a JOIN t ON true", n))),
    ("cte", |n| around("WITH a AS (", "SELECT 1", ") SELECT 1", n)),
    ("cte_after_cte", |n| {
        let ctes: Vec<_> = (0..n.max(1)).map(|i| format!("c{i} AS (SELECT 1)")).collect();
        format!("WITH {} SELECT 1", ctes.join(", "))
    }),
    ("delete_in_cte", |n| around("WITH a AS (DELETE FROM t WHERE a = (", "SELECT 1", ")) SELECT 1", n)),
    ("insert_cell", |n| format!("INSERT INTO t (a) VALUES ({})", around("(SELECT ", "1", ")", n))),
    ("insert_select", |n| format!("INSERT INTO t (a) SELECT {}", around("(SELECT ", "1", ")", n))),
    ("insert_union", |n| format!("INSERT INTO t (a) {}", chain("SELECT 1", " UNION ALL ", n + 1))),
    ("insert_subscript", |n| format!("INSERT INTO t (a[{}]) VALUES (1)", around("f(", "1", ")", n))),
    ("insert_conflict", |n| {
        format!("INSERT INTO t (a) VALUES (1) ON CONFLICT (({})) DO NOTHING", around("f(", "a", ")", n))
    }),
    ("insert_returning", |n| format!("INSERT INTO t (a) VALUES (1) RETURNING {}", around("f(", "a", ")", n))),
    ("update_set", |n| format!("UPDATE t SET a = {}", around("(SELECT ", "1", ")", n))),
    ("update_several", |n| format!("UPDATE t SET (a) = {}", around("(SELECT ", "1", ")", n + 1))),
    ("update_row", |n| format!("UPDATE t SET (a) = ROW({})", around("f(", "1", ")", n))),
    ("update_from", |n| format!("UPDATE t SET a = 1 FROM {}", around("(SELECT 1 FROM ", "t", ") a", n))),
    ("delete_using", |n| format!("DELETE FROM t USING {}", around("(SELECT 1 FROM ", "t", ") a", n))),
    ("update_in_cte", |n| around("WITH a AS (UPDATE t SET (a) = (", "SELECT 1", ")) SELECT 1", n)),
    ("call", |n| format!("SELECT {}", around("f(", "1", ")", n))),
    ("call_of_and_or", |n| format!("SELECT {}", around("f(a OR b AND ", "1", ")", n))),
    ("call_in_from", |n| format!("SELECT 1 FROM {}", around("f((SELECT 1 FROM ", "t", "))", n))),
    ("window", |n| format!("SELECT {}", around("sum(a) OVER (ORDER BY ", "1", ")", n))),
    ("filter", |n| format!("SELECT {}", around("sum(a) FILTER (WHERE ", "true", ")", n))),
    ("within_group", |n| format!("SELECT {}", around("mode() WITHIN GROUP (ORDER BY ", "1", ")", n))),
    ("array", |n| format!("SELECT ARRAY{}", around("[", "1", "]", n))),
    ("row", |n| format!("SELECT {}", around("ROW(", "1", ")", n))),
    ("subscript", |n| format!("SELECT {}", around("(", "a", ")[1]", n))),
    ("subscript_in_subscript", |n| format!("SELECT {}", around("a[", "1", "]", n))),
    ("not", |n| format!("SELECT {}a", "NOT ".repeat(n))),
    ("minus", |n| format!("SELECT {}a", "- ".repeat(n))),
    ("prefix_operator", |n| format!("SELECT {}a", "@ ".repeat(n))),
    ("is_null", |n| format!("SELECT a{}", " IS NULL".repeat(n))),
    ("isnull", |n| format!("SELECT a{}", " ISNULL".repeat(n))),
    ("is_json", |n| format!("SELECT a{}", " IS JSON".repeat(n))),
    ("collate", |n| format!("SELECT a{}", " COLLATE \"C\"".repeat(n))),
    ("time_zone", |n| format!("SELECT a{}", " AT TIME ZONE 'x'".repeat(n))),
    ("between", |n| format!("SELECT {}", around("a BETWEEN 1 AND (", "1", ")", n))),
    ("between_is_null", |n| format!("SELECT a{}", " BETWEEN 1 AND 2 IS NULL".repeat(n))),
    ("like", |n| format!("SELECT {}", around("a LIKE (", "a", ")", n))),
    ("like_escape", |n| format!("SELECT {}", around("a LIKE b ESCAPE (", "a", ")", n))),
    ("similar", |n| format!("SELECT {}", around("a SIMILAR TO (", "a", ")", n))),
    ("overlaps", |n| format!("SELECT {}", around("(a, b) OVERLAPS (a, ", "b", ")", n))),
    ("json_object", |n| format!("SELECT {}", around("JSON_OBJECT('a': ", "1", ")", n))),
    ("json_objectagg", |n| format!("SELECT {}", around("JSON_OBJECTAGG('a': ", "1", ")", n))),
    ("json_array_query", |n| format!("SELECT {}", around("JSON_ARRAY(SELECT ", "1", ")", n))),
    ("json_value", |n| format!("SELECT {}", around("JSON_VALUE(j, '$' DEFAULT ", "1", " ON EMPTY)", n))),
    ("json_passing", |n| format!("SELECT {}", around("JSON_QUERY(j, '$' PASSING ", "1", " AS x)", n))),
    ("json_table", |n| {
        format!("SELECT * FROM JSON_TABLE('1', '$' COLUMNS ({}))", around("NESTED PATH '$' COLUMNS (", "a int", ")", n))
    }),
    ("xmlconcat", |n| format!("SELECT {}", around("xmlconcat(", "a", ")", n))),
    ("grouping_sets", |n| format!("SELECT 1 GROUP BY {}", around("GROUPING SETS (", "()", ")", n))),
    ("values", |n| format!("VALUES {}", chain("(1)", ",", n.max(1)))),
    ("values_in_values", |n| format!("VALUES ({})", around("(VALUES (", "1", "))", n))),
    ("order_by", |n| format!("SELECT 1 ORDER BY {}", around("(SELECT 1 ORDER BY ", "1", ")", n))),
    ("limit", |n| format!("SELECT 1 LIMIT {}", around("(SELECT 1 LIMIT ", "1", ")", n))),
    ("named_argument", |n| format!("SELECT {}", around("f(a := ", "1", ")", n))),
    ("function_body", |n| around("CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; ", "SELECT 1; ", "END; ", n)),
];

/// Random numbers that are the same everywhere.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Dice(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// An expression that parses, with what makes a careless reader of brackets and keywords stumble.
    pub(crate) fn expression(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self
                .pick(&[
                    "1",
                    "a",
                    "t.case",
                    "t.end",
                    "t . union",
                    "'x'",
                    "', ('",
                    "E'\\', ('",
                    "$$ ) AND $$",
                    "\"a, (\"",
                    "$1",
                    "1.5e-3",
                    "x.\"and\"",
                    "1. /* ( */",
                    "b'01'",
                    "N'a'",
                    "U&'\\0041'",
                    "(1)[1]",
                    "t.\n-- (,\nor",
                    "null",
                ])
                .to_owned();
        }
        let mut one = || self.below(depth);
        let (left, right) = (one(), one());
        let (a, b) = (self.expression(left), self.expression(right));
        match self.below(22) {
            0 => format!("({a} + {b})"),
            1 => format!("{a}||{b}"),
            2 => format!("({a})::text::int"),
            3 => format!("({a}) AND ({b})"),
            4 => format!("NOT ({a}) OR {b}"),
            5 => format!("CASE WHEN {a} THEN {b} END"),
            6 => format!("CASE {a} WHEN 1 THEN 2 ELSE {b} END"),
            7 => format!("f({a}, {b})"),
            8 => format!("({a}) IN (1, ({b}))"),
            9 => format!("({a}) BETWEEN ({a}) AND ({b}) IS NULL"),
            10 => format!("({})", self.query(depth - 1)),
            11 => format!("EXISTS ({})", self.query(depth - 1)),
            12 => format!("ARRAY[{a}, {b}]"),
            13 => format!("({a}) AT TIME ZONE {b}"),
            14 => format!("sum({a}) OVER (ORDER BY {b})"),
            15 => format!("- {a}"),
            16 => format!("({a}) IS DISTINCT FROM ({b})"),
            17 => format!("JSON_OBJECT('k': {a})"),
            18 => format!("(a) LIKE ({a}) ESCAPE ({b})"),
            19 => format!("{a} AND {b}"),
            20 => format!("{a} - -{b}"),
            _ => format!("({a} OR {b} AND {a})"),
        }
    }

    /// A query that mostly parses.
    pub(crate) fn query(&mut self, depth: usize) -> String {
        let inner = depth.saturating_sub(1);
        let (a, b) = (self.expression(inner), self.expression(inner));
        if depth == 0 {
            return format!("SELECT {a}");
        }
        match self.below(9) {
            0 => format!("{} UNION ALL {}", self.query(inner), self.query(inner)),
            1 => format!("SELECT {a} FROM ({}) q JOIN t ON {b}", self.query(inner)),
            2 => format!("WITH w AS ({}) {}", self.query(inner), self.query(inner)),
            3 => format!("SELECT {a} AS union, {b} case FROM t"),
            4 => format!("SELECT {a} FROM t WHERE {b} GROUP BY {a} HAVING {b}"),
            5 => format!("VALUES ({a}), ({b})"),
            6 => format!("SELECT {a} FROM t LEFT JOIN u ON {b} JOIN v ON {a} WHERE {b}"),
            7 => format!("({}) INTERSECT ({})", self.query(inner), self.query(inner)),
            _ => format!("SELECT a.end, CASE WHEN a.case THEN {a} ELSE {b} END end FROM t ORDER BY {a} LIMIT 1"),
        }
    }

    /// The text with one to four small changes, most of which stop it from being SQL.
    pub(crate) fn mutated(&mut self, text: &str) -> String {
        const PARTS: &[&str] = &[
            "(",
            ")",
            "[",
            "]",
            ",",
            ";",
            ".",
            "'",
            "\"",
            "$$",
            "$1",
            "$1a",
            "/*",
            "*/",
            "--",
            "\n",
            " ",
            "SELECT",
            "FROM",
            " WHERE ",
            " AND ",
            " NOT ",
            " CASE ",
            " END ",
            " AS ",
            " UNION ",
            "1",
            "1a",
            "0x",
            "1e",
            "é",
            "\u{1f600}",
            "E'",
            "U&'",
            "\\",
            "::",
            ":",
            "{",
            "?",
            "%",
            "`",
            "-",
            "+",
            "*",
            "=",
            "<",
            "@",
            "\u{1}",
            "BETWEEN",
            " IN ",
            " UESCAPE ",
            "\u{a0}",
            "$a$",
            "..",
            ":=",
            "e",
            "_",
        ];
        let mut text = text.to_owned();
        for _ in 0..=self.below(4) {
            let places: Vec<usize> = (0..=text.len()).filter(|&at| text.is_char_boundary(at)).collect();
            let (first, second) = (self.pick(&places), self.pick(&places));
            let (from, to) = (first.min(second), first.max(second).min(first.min(second) + 12));
            let to = (to..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
            match self.below(5) {
                0 => text.replace_range(from..to, ""),
                1 => text.insert_str(from, self.pick(PARTS)),
                2 => text.replace_range(from..to, self.pick(PARTS)),
                3 => text.truncate(from),
                _ => {
                    let copy = text[from..to].to_owned();
                    text.insert_str(first, &copy);
                }
            }
        }
        text
    }
}

/// Queries as people and tools write them.
pub(crate) const ORDINARY: &[&str] = &[
    "SELECT id, name FROM app.customers WHERE tenant_id = $1",
    "SELECT c.name, p.category, sum(oi.quantity * oi.unit_price) AS revenue, count(DISTINCT o.id) AS orders \
     FROM app.orders o JOIN app.customers c ON c.id = o.customer_id AND c.tenant_id = o.tenant_id \
     JOIN app.order_items oi ON oi.order_id = o.id AND oi.tenant_id = o.tenant_id \
     JOIN app.products p ON p.id = oi.product_id \
     WHERE o.tenant_id = $1 AND o.created_at >= now() - interval '30 days' AND o.status IN ('paid', 'shipped') \
     GROUP BY c.name, p.category HAVING sum(oi.quantity * oi.unit_price) > 100 ORDER BY revenue DESC NULLS LAST LIMIT 20",
    "WITH monthly AS (SELECT date_trunc('month', o.created_at) AS month, o.customer_id, sum(o.total) AS total \
       FROM app.orders o WHERE o.tenant_id = $1 GROUP BY 1, 2), \
     ranked AS (SELECT month, customer_id, total, row_number() OVER (PARTITION BY month ORDER BY total DESC) AS r FROM monthly), \
     top AS (SELECT * FROM ranked WHERE r <= 5), \
     growth AS (SELECT t.month, t.customer_id, t.total, t.total - lag(t.total, 1, 0) OVER (PARTITION BY t.customer_id \
       ORDER BY t.month) AS change FROM top t), \
     named AS (SELECT g.*, c.name, CASE WHEN g.change > 0 THEN 'up' WHEN g.change < 0 THEN 'down' ELSE 'flat' END AS trend \
       FROM growth g JOIN app.customers c ON c.id = g.customer_id AND c.tenant_id = $1) \
     SELECT month, name, round(coalesce(total, 0)::numeric / nullif(sum(total) OVER (PARTITION BY month), 0) * 100, 2) AS share, \
       trend FROM named WHERE month >= '2026-01-01'::date ORDER BY month, share DESC",
    "SELECT d.day::date, count(o.id) FROM generate_series($2::date, $3::date, interval '1 day') AS d(day) \
     LEFT JOIN app.orders o ON o.created_at::date = d.day AND o.tenant_id = $1 GROUP BY 1 ORDER BY 1",
    "SELECT u.email, (SELECT max(l.at) FROM app.logins l WHERE l.user_id = u.id AND l.tenant_id = $1) AS last_login \
     FROM app.users u WHERE u.tenant_id = $1 AND EXISTS (SELECT 1 FROM app.orders o WHERE o.user_id = u.id AND \
     o.tenant_id = $1 AND (o.status = 'open' OR (o.status = 'paid' AND o.total BETWEEN 10 AND 100))) -- newest first\n\
     ORDER BY last_login DESC FETCH FIRST 10 ROWS ONLY",
    "SELECT data->'address'->>'city' AS city, jsonb_agg(jsonb_build_object('id', id, 'name', upper(trim(name)))) \
     FROM app.people WHERE tenant_id = 'acme' AND data @> '{\"active\": true}' /* only active */ GROUP BY 1",
];
