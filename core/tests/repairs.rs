//! Repairs keep what hints say: done to the text, they take their reason away and bring none.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use haltsql::{Context, Policy, ReasonCode, Verdict};
use serde_json::Value;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance")
}

/// Name, policy, context and text of every case whose text is UTF-8.
fn cases() -> Vec<(String, Policy, Context, String)> {
    let root = corpus().join("cases");
    let mut open = vec![root.clone()];
    let mut cases = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let case: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            let Some(sql) = case["sql"].as_str() else { continue };
            let policy = corpus().join(format!("policies/{}.yaml", case["policy"].as_str().unwrap()));
            cases.push((
                path.strip_prefix(&root).unwrap().display().to_string(),
                Policy::from_yaml(&fs::read_to_string(policy).unwrap()).unwrap(),
                Context::from_json(&case["context"].to_string()).unwrap(),
                sql.to_owned(),
            ));
        }
    }
    cases.sort_by(|left, right| left.0.cmp(&right.0));
    cases
}

/// How often each code is among the reasons, in either mode.
fn codes(verdict: &Verdict) -> BTreeMap<ReasonCode, usize> {
    let mut codes = BTreeMap::new();
    for reason in verdict.reasons.iter().chain(&verdict.shadow_reasons) {
        *codes.entry(reason.code).or_default() += 1;
    }
    codes
}

/// A name that can be resolved at last shows what is read or written.
const REVEALING: &[&str] = &["attack-aggregates/alias-of-unnest-denied.json", "E_UNQUALIFIED/write-later-schema.json"];

#[test]
fn each_repair_of_the_corpus_takes_its_reason_away_and_brings_none() {
    let (mut tried, mut allowed) = (BTreeMap::<ReasonCode, usize>::new(), 0);
    let mut wrong = Vec::new();
    for (name, policy, context, sql) in cases() {
        let before = policy.check(sql.as_bytes(), &context);
        let repairs = policy.repairs(sql.as_bytes(), &context);
        if codes(&before).is_empty() {
            assert_eq!(repairs, [], "{name}: repairs of an allowed text");
        }
        for repair in repairs {
            let reason = before.reasons.iter().chain(&before.shadow_reasons);
            let reason = reason.clone().find(|reason| (reason.code, reason.loc) == (repair.code, repair.loc));
            let hint = reason.and_then(|reason| reason.hint.clone());
            let hint = hint.unwrap_or_else(|| panic!("{name}: a repair of no reason with a hint: {repair:?}"));
            let repaired = repair.apply(&sql).unwrap();
            let after = policy.check(repaired.as_bytes(), &context);
            let (had, has) = (codes(&before), codes(&after));
            let brought = has.iter().any(|(code, count)| had.get(code).unwrap_or(&0) < count);
            if (brought && !REVEALING.contains(&&*name)) || had[&repair.code] <= *has.get(&repair.code).unwrap_or(&0) {
                wrong.push(format!("{name}: {hint}\n  {sql}\n  {repaired}\n  {had:?} -> {has:?}"));
            }
            *tried.entry(repair.code).or_default() += 1;
            allowed += usize::from(has.is_empty());
        }
    }
    assert!(wrong.is_empty(), "{} repairs don't hold:\n{}", wrong.len(), wrong.join("\n"));
    println!("repairs by code: {tried:?}; {allowed} of the texts are allowed then");
    for code in
        [ReasonCode::TenantMissing, ReasonCode::LimitMissing, ReasonCode::Unqualified, ReasonCode::ColumnAmbiguous]
    {
        assert!(tried.get(&code).is_some_and(|count| *count >= 2), "{code}: hardly a repair was tried: {tried:?}");
    }
}

const POLICY: &str = "
apiVersion: haltsql.dev/v1
kind: Policy
metadata: { name: repairs }
spec:
  tenancy: { mode: bound, keys: [{ column: tenant_id, context: tenant_id }] }
  search_path: [app]
  statements: [select, insert, update, delete]
  limits: { require_limit: true }
  tables:
    app.orders: { columns: [id, tenant_id, customer_id, total], write: { update: [total], delete: true } }
    app.regions: { columns: [id], complete: true, shared: true }
    app.customers: { columns: [id, tenant_id, name] }
";

/// What a text becomes when its repairs are made one after another.
fn mended(sql: &str) -> String {
    let policy = Policy::from_yaml(POLICY).unwrap();
    let context = Context::new().with("tenant_id", "acme");
    let mut text = sql.to_owned();
    while let Some(repair) = policy.repairs(text.as_bytes(), &context).first() {
        text = repair.apply(&text).unwrap();
    }
    let verdict = policy.check(text.as_bytes(), &context);
    assert!(verdict.allowed, "{text}: {:?}", verdict.reasons);
    text
}

#[test]
fn words_stand_where_the_hint_says_and_nothing_else_changes() {
    for (sql, expected) in [
        ("TABLE regions", "TABLE regions LIMIT 100"),
        (
            "SELECT (SELECT max(total) FROM app.orders WHERE orders.customer_id = c.id) FROM customers AS c WHERE tenant_id = $1",
            "SELECT (SELECT max(total) FROM app.orders WHERE orders.customer_id = c.id AND orders.tenant_id = $1) \
             FROM customers AS c WHERE tenant_id = $1 LIMIT 100",
        ),
        ("SELECT id FROM orders", "SELECT id FROM orders WHERE orders.tenant_id = $1 LIMIT 100"),
        (
            "SELECT id FROM orders o -- all of them\n;",
            "SELECT id FROM orders o WHERE o.tenant_id = $1 LIMIT 100 -- all of them\n;",
        ),
        (
            "SELECT o.id FROM orders o WHERE o.total > 5 ORDER BY 1 LIMIT 3",
            "SELECT o.id FROM orders o WHERE o.total > 5 AND o.tenant_id = $1 ORDER BY 1 LIMIT 3",
        ),
        (
            "SELECT o.id FROM orders o WHERE o.total > 5 OR o.id = 1 /* or */ LIMIT 3",
            "SELECT o.id FROM orders o WHERE (o.total > 5 OR o.id = 1) AND o.tenant_id = $1 /* or */ LIMIT 3",
        ),
        (
            "SELECT c.name FROM customers c LEFT JOIN orders o ON o.customer_id = c.id OR o.id = 1 \
             LEFT JOIN orders p ON p.id = o.id WHERE c.tenant_id = $1 LIMIT 3",
            "SELECT c.name FROM customers c LEFT JOIN orders o ON (o.customer_id = c.id OR o.id = 1) AND o.tenant_id = $1 \
             LEFT JOIN orders p ON p.id = o.id AND p.tenant_id = $1 WHERE c.tenant_id = $1 LIMIT 3",
        ),
        (
            "SELECT c.name FROM customers c WHERE c.tenant_id = $1 AND c.id IN (SELECT o.customer_id FROM orders o) LIMIT 3",
            "SELECT c.name FROM customers c WHERE c.tenant_id = $1 AND c.id IN \
             (SELECT o.customer_id FROM orders o WHERE o.tenant_id = $1) LIMIT 3",
        ),
        (
            "SELECT x.n FROM (SELECT count(*) AS n FROM (orders o JOIN customers c ON o.customer_id = c.id) \
             GROUP BY c.id HAVING count(*) > 1) x LIMIT 3",
            "SELECT x.n FROM (SELECT count(*) AS n FROM (orders o JOIN customers c ON o.customer_id = c.id) \
             WHERE o.tenant_id = $1 AND c.tenant_id = $1 GROUP BY c.id HAVING count(*) > 1) x LIMIT 3",
        ),
        (
            "SELECT c.name FROM (customers c LEFT JOIN orders o ON o.customer_id = c.id) WHERE left(c.name, 1) = 'a' LIMIT 3",
            "SELECT c.name FROM (customers c LEFT JOIN orders o ON o.customer_id = c.id AND o.tenant_id = $1) \
             WHERE left(c.name, 1) = 'a' AND c.tenant_id = $1 LIMIT 3",
        ),
        (
            "UPDATE orders o SET total = 1 FROM customers c WHERE c.id = o.customer_id OR c.id = 1 RETURNING o.id",
            "UPDATE orders o SET total = 1 FROM customers c WHERE (c.id = o.customer_id OR c.id = 1) AND o.tenant_id = $1 \
             AND c.tenant_id = $1 RETURNING o.id",
        ),
        ("DELETE FROM orders", "DELETE FROM orders WHERE orders.tenant_id = $1"),
        ("UPDATE orders SET total = 2", "UPDATE orders SET total = 2 WHERE orders.tenant_id = $1"),
        (
            "SELECT o.id FROM orders o WHERE o.id IS DISTINCT FROM 4 UNION ALL SELECT p.id FROM orders p LIMIT 3",
            "SELECT o.id FROM orders o WHERE o.id IS DISTINCT FROM 4 AND o.tenant_id = $1 \
             UNION ALL SELECT p.id FROM orders p WHERE p.tenant_id = $1 LIMIT 3",
        ),
    ] {
        assert_eq!(mended(sql), expected);
    }
}

#[test]
fn what_no_insertion_mends_has_no_repair() {
    let policy = Policy::from_yaml(POLICY).unwrap();
    let context = Context::new().with("tenant_id", "acme");
    for sql in [
        "SELECT FROM WHERE",
        "",
        "DROP TABLE orders",
        "SELECT id FROM orders WHERE tenant_id = 'other' LIMIT 1",
        "SELECT id FROM nothing LIMIT 1",
        "SELECT o.id FROM orders o FULL JOIN customers c ON o.customer_id = c.id LIMIT 1",
        "SELECT o.id FROM orders o LEFT JOIN customers c USING (id) WHERE o.tenant_id = $1 LIMIT 1",
    ] {
        assert_eq!(policy.repairs(sql.as_bytes(), &context), [], "{sql}");
    }
}
