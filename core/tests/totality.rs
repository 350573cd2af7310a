//! No input panics: arbitrary bytes, arbitrary tokens, every case of the corpus mutated, every limit and one past it.
//!
//! A panic inside the verifier is a denial with E_INTERNAL, so that is what these look for.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../benches/shapes/mod.rs"]
mod shapes;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use haltsql::{Context, Policy, Verdict};
use proptest::prelude::*;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance")
}

fn policies() -> BTreeMap<String, Policy> {
    let files = fs::read_dir(corpus().join("policies")).unwrap();
    files
        .map(|file| {
            let path = file.unwrap().path();
            let policy = Policy::from_yaml(&fs::read_to_string(&path).unwrap()).unwrap();
            (path.file_stem().unwrap().to_str().unwrap().to_owned(), policy)
        })
        .collect()
}

/// Policy, context and text of every case.
fn cases() -> Vec<(String, Context, Vec<u8>)> {
    let mut open = vec![corpus().join("cases")];
    let mut files = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { open.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    let read = |path: PathBuf| {
        let case: serde_json::Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let text = |key: &str| case.get(key).and_then(serde_json::Value::as_str);
        let sql = match (text("sql"), text("sql_hex")) {
            (Some(sql), _) => sql.as_bytes().to_vec(),
            (None, Some(hex)) => {
                let digits: Vec<u8> =
                    hex.chars().map(|digit| u8::try_from(digit.to_digit(16).unwrap()).unwrap()).collect();
                digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect()
            }
            (None, None) => Vec::new(),
        };
        let context = Context::from_json(&case.get("context").unwrap().to_string()).unwrap();
        (text("policy").unwrap().to_owned(), context, sql)
    };
    files.into_iter().map(read).collect()
}

/// Looks at a verdict: it is one, whatever the text was.
fn whole(policy: &Policy, context: &Context, sql: &[u8]) -> Verdict {
    let verdict = policy.check(sql, context);
    let shown = || format!("{:?}\n{}", verdict.reasons, String::from_utf8_lossy(sql));
    let reasons = verdict.reasons.iter().chain(&verdict.shadow_reasons);
    assert!(reasons.clone().all(|reason| reason.code.as_str() != "E_INTERNAL"), "{}", shown());
    assert!(verdict.allowed == verdict.reasons.is_empty(), "{}", shown());
    for reason in reasons {
        assert!(reason.loc.is_none_or(|loc| loc as usize <= sql.len()), "a place outside the text: {}", shown());
    }
    let json: serde_json::Value = serde_json::from_str(&verdict.to_json()).unwrap();
    assert!(json.get("elapsed_us").is_some());
    if let Ok(sql) = std::str::from_utf8(sql) {
        assert!(!verdict.for_agent(sql).is_empty());
    }
    verdict
}

/// A sequence that is the same on every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most.max(1)
    }
}

/// The words, signs and strings of a text, roughly: enough to take apart and put together again.
fn tokens(sql: &[u8]) -> Vec<&[u8]> {
    let class = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'$' | 0x80.. => 0,
        b' ' | b'\n' | b'\t' => 1,
        _ => 2,
    };
    sql.chunk_by(|left, right| class(*left) == class(*right) && class(*left) < 2).collect()
}

const FOREIGN: [&[u8]; 24] = [
    b"(",
    b")",
    b",",
    b".",
    b"*",
    b"$1",
    b"NULL",
    b" UNION ",
    b" AND ",
    b" OR ",
    b" NOT ",
    b" LATERAL ",
    b"::text",
    b" (SELECT 1) ",
    b" tenant_id ",
    b" IN ",
    b" = ",
    b" FULL JOIN orders USING (tenant_id) ",
    b" WITH RECURSIVE ",
    b" EXISTS ",
    b" ORDER BY 1 ",
    b" GROUP BY ",
    b"'",
    b"\"",
];

fn mutated(dice: &mut Dice, sql: &[u8], others: &[(String, Context, Vec<u8>)]) -> Vec<u8> {
    if dice.below(4) == 0 {
        let mut bytes = sql.to_vec();
        for _ in 0..=dice.below(3) {
            let at = dice.below(bytes.len() + 1);
            match dice.below(3) {
                0 if at < bytes.len() => drop(bytes.remove(at)),
                1 if at < bytes.len() => bytes.swap(at, 0),
                _ => bytes.insert(at, u8::try_from(dice.below(256)).unwrap()),
            }
        }
        return bytes;
    }
    let mut pieces = tokens(sql);
    let is_word = |piece: &[u8]| piece.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    for _ in 0..=dice.below(4) / 2 {
        let words: Vec<usize> = (0..pieces.len()).filter(|at| is_word(pieces[*at])).collect();
        let at = dice.below(pieces.len() + 1);
        let word = words.get(dice.below(words.len())).copied();
        match (dice.below(12), word) {
            // A word for a word, of this text or another: most of these parse.
            (0..4, Some(word)) => pieces[word] = pieces[words[dice.below(words.len())]],
            (4..7, Some(word)) => {
                let donor = tokens(&others[dice.below(others.len())].2);
                let donor: Vec<&[u8]> = donor.into_iter().filter(|piece| is_word(piece)).collect();
                pieces[word] = donor.get(dice.below(donor.len())).copied().unwrap_or(b"x");
            }
            (7, _) if at < pieces.len() => drop(pieces.remove(at)),
            (8, _) => {
                // A stretch of another case.
                let donor = tokens(&others[dice.below(others.len())].2);
                let from = dice.below(donor.len());
                let to = (from + 1 + dice.below(12)).min(donor.len());
                pieces.splice(at..at, donor[from..to].iter().copied());
            }
            (9, _) if at < pieces.len() => {
                let to = (at + 1 + dice.below(8)).min(pieces.len());
                let again = pieces[at..to].to_vec();
                pieces.splice(at..at, again);
            }
            (10, _) => {
                // A whole query of another case where a bracket could be.
                pieces.splice(at..at, [&b" ("[..], &others[dice.below(others.len())].2, &b") "[..]]);
            }
            _ => pieces.insert(at, FOREIGN[dice.below(FOREIGN.len())]),
        }
    }
    pieces.concat()
}

#[test]
fn every_case_mutated_has_a_verdict() {
    let (policies, cases) = (policies(), cases());
    assert!(cases.len() > 1000);
    let rounds = std::env::var("HALTSQL_MUTATIONS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(12);
    let seed = std::env::var("HALTSQL_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut dice = Dice(seed);
    let (mut parsed, mut judged) = (0, 0);
    for (policy, context, sql) in &cases {
        let policy = &policies[policy];
        for _ in 0..rounds {
            let verdict = whole(policy, context, &mutated(&mut dice, sql, &cases));
            judged += 1;
            parsed += usize::from(verdict.fingerprint.is_some());
        }
    }
    // Most of what is tried has to come past the parser, or nothing is tried.
    assert!(parsed * 8 > judged, "{parsed} of {judged} parsed");
}

#[test]
fn sixteen_threads_agree() {
    let (policies, cases) = (policies(), cases());
    let judge = || {
        let verdict = |(policy, context, sql): &(String, Context, Vec<u8>)| {
            let json = policies[policy].check(sql, context).to_json();
            json.split_once(",\"elapsed_us\":").unwrap().0.to_owned()
        };
        cases.iter().map(verdict).collect::<Vec<_>>()
    };
    let one = judge();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..16).map(|_| scope.spawn(judge)).collect();
        for thread in threads {
            assert!(thread.join().unwrap() == one);
        }
    });
}

fn words() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        prop::sample::select(vec![
            "SELECT",
            "FROM",
            "WHERE",
            "GROUP BY",
            "ORDER BY",
            "HAVING",
            "JOIN",
            "LEFT JOIN",
            "FULL JOIN",
            "USING (tenant_id)",
            "ON",
            "AND",
            "OR",
            "NOT",
            "IN",
            "EXISTS",
            "UNION",
            "UNION ALL",
            "EXCEPT",
            "WITH",
            "RECURSIVE",
            "AS",
            "(",
            ")",
            ",",
            "(",
            ")",
            "*",
            ".",
            "=",
            "$1",
            "$2",
            "1",
            "'acme'",
            "NULL",
            "orders",
            "customers",
            "o",
            "c",
            "tenant_id",
            "id",
            "name",
            "LATERAL",
            "VALUES",
            "CASE",
            "WHEN",
            "THEN",
            "END",
            "LIMIT",
            "OFFSET",
            "OVER",
            "PARTITION BY",
            "WINDOW",
            "DISTINCT",
            "count",
            "sum",
            "generate_series",
            "unnest",
            "::",
            "text",
            "ARRAY[",
            "]",
            "ROW",
            "ANY",
            "IS",
            "FETCH",
        ])
        .prop_map(str::to_owned),
        "[a-z]{1,3}",
        "\\PC{1,2}",
    ];
    prop::collection::vec(word, 1..40).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_have_a_verdict(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        whole(&shapes::policy(), &shapes::context(), &bytes);
    }

    #[test]
    fn any_words_have_a_verdict(words in words()) {
        whole(&shapes::policy(), &shapes::context(), words.as_bytes());
        whole(&shapes::policy(), &shapes::context(), format!("SELECT {words}").as_bytes());
    }
}

/// A policy with one limit set.
fn limited(limit: &str) -> Policy {
    let document = format!(
        "apiVersion: haltsql.dev/v1\nkind: Policy\nmetadata: {{ name: limited }}\nspec:\n  search_path: [app]\n  tables:\n    \
         app.t: {{ columns: [id, a, b, c], complete: true, shared: true }}\n  limits: {{ cartesian: allow, {limit} }}\n"
    );
    Policy::from_yaml(&document).unwrap()
}

#[test]
fn each_limit_lets_its_bound_through_and_nothing_past_it() {
    let list = |count: usize| shapes::repeated(count, ",", |at| format!("t t{at}"));
    let nested = |count: usize| format!("{}SELECT 1{}", "SELECT (".repeat(count), ")".repeat(count));
    let calls = |count: usize| format!("SELECT {}1{}", "abs(".repeat(count), ")".repeat(count));
    let limits: [(&str, &str, String, String); 9] = [
        ("max_sql_bytes: 8", "E_TOO_LARGE", "SELECT 1".into(), "SELECT 12".into()),
        (
            "max_relations: 5",
            "E_TOO_COMPLEX",
            format!("SELECT 1 FROM {}", list(5)),
            format!("SELECT 1 FROM {}", list(6)),
        ),
        // The outermost query is one level, and each call one more.
        ("max_depth: 9", "E_TOO_COMPLEX", calls(8), calls(9)),
        // A subquery is two levels: as an expression, and as a query.
        ("max_depth: 9", "E_TOO_COMPLEX", nested(4), nested(5)),
        ("max_grouping_sets: 8", "E_TOO_COMPLEX", grouped("CUBE (a, b, c)"), grouped("CUBE (a, b, c), ROLLUP (id)")),
        ("max_generated: 10", "E_TOO_COMPLEX", series(10), series(11)),
        ("max_limit: 10", "E_LIMIT_EXCEEDED", "SELECT id FROM t LIMIT 10".into(), "SELECT id FROM t LIMIT 11".into()),
        ("require_limit: true", "E_LIMIT_MISSING", "SELECT id FROM t LIMIT 1".into(), "SELECT id FROM t".into()),
        ("max_sql_bytes: 65536", "E_TOO_LARGE", padded(65_536), padded(65_537)),
    ];
    for (limit, code, fine, past) in limits {
        let policy = limited(limit);
        let verdict = whole(&policy, &Context::new(), fine.as_bytes());
        assert!(verdict.allowed, "{limit}: {fine}: {:?}", verdict.reasons);
        let verdict = whole(&policy, &Context::new(), past.as_bytes());
        let codes: Vec<&str> = verdict.reasons.iter().map(|reason| reason.code.as_str()).collect();
        assert_eq!(codes, [code], "{limit}: {past}");
    }
}

fn grouped(by: &str) -> String {
    format!("SELECT count(*) FROM t GROUP BY {by}")
}

fn series(most: usize) -> String {
    format!("SELECT * FROM generate_series(1, {most})")
}

fn padded(bytes: usize) -> String {
    format!("SELECT 1{}", " ".repeat(bytes - 8))
}

#[test]
fn limits_as_high_as_they_go_are_no_danger() {
    let policy = limited(
        "max_sql_bytes: 16777216, max_relations: 10000, max_depth: 100000, max_grouping_sets: 1000000000, \
         max_generated: 1000000000000, recursive: allow",
    );
    for (_, shape) in shapes::HOSTILE.iter().chain(shapes::WRITES) {
        for count in [1, 2, 7, 30, 200] {
            let sql = shape(count);
            if sql.len() < 40_000 {
                whole(&policy, &Context::new(), sql.as_bytes());
            }
        }
    }
}
