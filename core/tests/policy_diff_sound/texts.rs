//! Texts to hold two policies against: the corpus, each of its cases bent a little, and some that aim at what is subtle.

use std::fs;
use std::path::Path;

use haltsql::Context;
use serde_json::Value;

use crate::random::Random;

/// A text and who asks.
pub struct Text {
    pub sql: Vec<u8>,
    pub context: Context,
    /// The policy of the case that it comes from; none: it aims at all of them.
    pub policy: Option<String>,
}

/// What a change of resolution can do to a text that is odd: see `core/src/policy/diff`.
const AIMED: &[&str] = &[
    // A column that is called like a function; over a table, over a subquery, in FROM.
    "SELECT name(c) FROM app.customers c WHERE c.tenant_id = 'acme'",
    "SELECT region(c) FROM app.customers c WHERE c.tenant_id = 'acme'",
    "SELECT fiscal_quarter(d) FROM (SELECT code AS fiscal_quarter FROM app.regions) d",
    "SELECT * FROM (SELECT code AS fiscal_quarter FROM app.regions) d, fiscal_quarter(d)",
    "SELECT meaning(c) FROM pub.codes c",
    "SELECT similarity(d) FROM (SELECT code AS similarity FROM app.regions) d",
    "SELECT d.similarity FROM (SELECT similarity('a', 'b')) d",
    "SELECT * FROM (SELECT code FROM app.regions) d, pub.similarity(d.code, 'x') s",
    "SELECT * FROM (SELECT code FROM app.regions) d, similarity(d.code, 'x') s",
    // A name that two relations answer to.
    "SELECT region FROM app.customers c JOIN (SELECT code AS region FROM app.regions) r ON r.region = c.name WHERE c.tenant_id = 'acme'",
    "SELECT body FROM app.notes n JOIN (SELECT code AS body FROM app.regions) r ON r.body = n.id::text WHERE n.tenant_id = 'acme'",
    "SELECT email FROM app.customers c JOIN (SELECT code AS email FROM app.regions) r ON r.email = c.name WHERE c.tenant_id = 'acme'",
    "SELECT label FROM app.products p JOIN (SELECT code AS label FROM app.regions) r ON r.label = p.name",
    "SELECT title FROM app.regions r, (SELECT 'x' AS title) d",
    // A name that an inner relation may capture.
    "SELECT p.id FROM app.products p WHERE EXISTS (SELECT 1 FROM app.regions r WHERE code = category)",
    "SELECT r.code FROM app.regions r WHERE EXISTS (SELECT 1 FROM pub.rates t WHERE t.currency = title)",
    "SELECT day, max(rate) AS meaning FROM pub.rates GROUP BY day, meaning",
    "SELECT upper(currency) AS label FROM pub.rates GROUP BY label",
    "SELECT * FROM app.regions NATURAL JOIN pub.codes",
    "SELECT count(*) FROM app.regions NATURAL JOIN pub.codes",
    "SELECT title FROM app.regions JOIN pub.codes USING (code)",
    // What a column's type tells.
    "SELECT (SELECT max(price) FROM unnest(p.tags)) FROM app.products p",
    "SELECT (SELECT max(id) FROM unnest(p.tags) AS t) FROM app.products p",
    // Proofs through a table that may or may not carry the key.
    "SELECT c.name FROM app.customers c JOIN app.regions r ON r.code = c.tenant_id WHERE r.code = 'acme'",
    "SELECT c.name FROM app.customers c JOIN app.tenants t ON t.name = c.tenant_id WHERE t.name = 'acme'",
    "SELECT c.name FROM app.customers c WHERE c.name = 'acme'",
    "SELECT c.name FROM app.customers c WHERE c.name = $1",
    "SELECT r.title FROM app.regions r WHERE r.code = $1",
    "SELECT r.title FROM app.regions r WHERE r.code = 'acme'",
    "SELECT id FROM app.orders WHERE tenant_id = $1 AND status = $2",
    "SELECT id FROM app.tasks WHERE tenant_id = 'acme'",
    "SELECT id FROM app.tasks WHERE tenant_id = $1",
    "SELECT zip FROM app.regions",
    "SELECT zip FROM app.products",
    "SELECT zip FROM pub.rates",
    // Names without their schema.
    "SELECT meaning FROM codes",
    "SELECT title FROM regions",
    "SELECT name FROM zoo",
    "SELECT name FROM pub.zoo",
    "SELECT id FROM secret",
    "SELECT name FROM public.customers",
    "SELECT name FROM customers WHERE tenant_id = 'acme'",
    // Lists and limits.
    "SELECT random()",
    "SELECT to_tsvector('english', 'a')",
    "SELECT md5('a')",
    "SELECT lower('A'), sum(1)",
    "SELECT 'app.orders'::regclass",
    "SELECT 'open'::app.order_state",
    "SELECT 'a' COLLATE \"de-x-icu\"",
    "SELECT 'a' COLLATE \"en-x-icu\"",
    "SELECT 1 OPERATOR(app.===) 2",
    "SELECT 1 OPERATOR(pub.<->) 2",
    "SELECT app.fiscal_quarter(now())",
    "SELECT fiscal_quarter(1)",
    "SELECT app.name(1)",
    "SELECT pub.meaning(1)",
    "SELECT code FROM app.regions LIMIT 5",
    "SELECT code FROM app.regions LIMIT 5000",
    "SELECT r.code FROM app.regions r, pub.codes c",
    "SELECT count(*) FROM generate_series(1, 5000)",
    "SELECT count(*) FROM generate_series(1, 50000000)",
    "SELECT code, title FROM app.regions GROUP BY CUBE (code, title)",
    "SELECT 1 AS a GROUP BY CUBE (1, 1, 1, 1, 1, 1, 1)",
    "SELECT ((((((((((1 + (2 * (3 + (4 * (5 + (6 * 7))))))))))))))))",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
];

/// All texts, in an order that never changes.
pub fn load(random: &mut Random) -> Vec<Text> {
    let mut files = Vec::new();
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance/cases")];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { open.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    let mut texts = Vec::new();
    for file in files {
        let case: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        let Some(sql) = case["sql"].as_str() else { continue };
        let context = Context::from_json(&case["context"].to_string()).unwrap();
        let policy = Some(case["policy"].as_str().unwrap().to_owned());
        let mut add =
            |sql: String| texts.push(Text { sql: sql.into_bytes(), context: context.clone(), policy: policy.clone() });
        add(sql.to_owned());
        add(bent(sql, random));
    }
    for sql in AIMED {
        for tenant in ["acme", "globex"] {
            let context = Context::new()
                .with("tenant_id", tenant)
                .with("user", "acme")
                .with("org", "acme")
                .with("team_id", "red");
            texts.push(Text { sql: (*sql).as_bytes().to_vec(), context, policy: None });
        }
    }
    texts
}

/// A text with one word left out, told twice, or swapped for another of its own.
fn bent(sql: &str, random: &mut Random) -> String {
    let mut words: Vec<&str> = sql.split(' ').collect();
    let (at, other) = (random.below(words.len()), random.below(words.len()));
    match random.below(5) {
        0 => drop(words.remove(at)),
        1 => words.insert(at, words[other]),
        2 => words.swap(at, other),
        // Names without their qualifier.
        3 => {
            return sql
                .split(' ')
                .map(|word| word.split_once('.').map_or(word, |(_, name)| name))
                .collect::<Vec<_>>()
                .join(" ");
        }
        _ => return if sql.contains("$1") { sql.replace("$1", "'acme'") } else { sql.replace("'acme'", "$1") },
    }
    words.join(" ")
}

/// Words that the texts use as names.
pub fn names(texts: &[Text]) -> Vec<String> {
    let mut names: Vec<String> = texts
        .iter()
        .flat_map(|text| {
            let sql = String::from_utf8_lossy(&text.sql).into_owned();
            let words = sql.split(|sign: char| !sign.is_ascii_lowercase() && sign != '_').map(str::to_owned);
            words.filter(|word| word.len() > 1).collect::<Vec<_>>()
        })
        .collect();
    names.sort();
    let mut counted: Vec<(usize, String)> =
        names.chunk_by(|a, b| a == b).map(|same| (same.len(), same[0].clone())).collect();
    // The most used ones: they meet the most texts.
    counted.sort_by(|a, b| b.cmp(a));
    counted.into_iter().take(120).map(|(_, name)| name).collect()
}
