//! The normal form and its hash: one for every spelling of a policy, another for every change that matters.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeMap;

use haltsql::Policy;
use proptest::prelude::*;

const FULL: &str = r#"
apiVersion: haltsql.dev/v1
kind: Policy
metadata: { name: everything, description: for people }
spec:
  mode: shadow
  search_path: [app, '"Odd.Schema"']
  require_qualified: true
  statements: [update, select, select]
  tenancy:
    mode: literal
    keys:
      - { column: tenant_id, context: tenant, type: uuid }
      - { column: team_id, context: team, type: integer }
  tables:
    app.b:
      columns: [tenant_id, { name: id, type: bigint, description: the key }, '"Upper"', team]
      hidden: [z, a]
      complete: true
      tenant: { team_id: team, tenant_id: tenant_id }
      write: { insert: [tenant_id, team, id], update: [id, id], delete: true }
    '"Odd.Schema"."A""b"': { columns: [x], shared: true }
    app.a: { columns: [x], tenant: { team_id: none, tenant_id: none } }
  functions: { profiles: [text-search, core], allow: [app.f, pg_catalog.version], deny: [md5] }
  operators: { allow: ["OPERATOR(vec.<->)", "OPERATOR(pg_catalog.<<)", "%%"] }
  types: { allow: [app.order_status], collations: ['"de-x-icu"'] }
  limits: { max_sql_bytes: 1, max_relations: 2, max_depth: 3, require_limit: true, max_limit: 4, cartesian: allow,
    recursive: deny, max_generated: 5, max_grouping_sets: 6 }
  execution:
    role: reader
    seal: signed
    pin_key: { kid: k1, env: HALTSQL_PIN_KEY }
    settings: { app.owner: "{context.tenant}", work_mem: 4MB }
    isolation: serializable
    timezone: Europe/Berlin
    statement_timeout_ms: 7
    lock_timeout_ms: 8
    idle_in_transaction_session_timeout_ms: 9
    max_rows: 10
    max_result_bytes: 11
"#;

/// Written by hand from docs/policy.md, keys in RFC 8785's order.
const FULL_NORMAL: &str = concat!(
    r#"{"apiVersion":"haltsql.dev/v1","kind":"Policy","metadata":{"name":"everything"},"spec":{"#,
    r#""execution":{"idle_in_transaction_session_timeout_ms":9,"isolation":"serializable","lock_timeout_ms":8,"#,
    r#""max_result_bytes":11,"max_rows":10,"pin_key":{"env":"HALTSQL_PIN_KEY","kid":"k1"},"role":"reader","#,
    r#""seal":"signed","settings":{"app.owner":"{context.tenant}","work_mem":"4MB"},"statement_timeout_ms":7,"#,
    r#""timezone":"Europe/Berlin"},"#,
    r#""functions":{"allow":["app.f","version"],"deny":["md5"],"profiles":["core","text-search"]},"#,
    r#""limits":{"cartesian":"allow","max_depth":3,"max_generated":5,"max_grouping_sets":6,"max_limit":4,"#,
    r#""max_relations":2,"max_sql_bytes":1,"recursive":"deny","require_limit":true},"#,
    r#""mode":"shadow","operators":{"allow":["%%","<<","OPERATOR(vec.<->)"]},"require_qualified":true,"#,
    r#""search_path":["app","\"Odd.Schema\""],"statements":["select","update"],"tables":{"#,
    r#""\"Odd.Schema\".\"A\"\"b\"":{"columns":["x"],"shared":true},"#,
    r#""app.a":{"columns":["x"],"shared":true},"#,
    r#""app.b":{"columns":["\"Upper\"","id","team","tenant_id"],"complete":true,"hidden":["a","z"],"#,
    r#""tenant":{"team_id":"team"},"#,
    r#""write":{"delete":true,"insert":["id","team","tenant_id"],"update":["id"]}}},"#,
    r#""tenancy":{"keys":[{"column":"tenant_id","context":"tenant","type":"uuid"},"#,
    r#"{"column":"team_id","context":"team","type":"integer"}],"mode":"literal"},"#,
    r#""types":{"allow":["app.order_status"],"collations":["\"de-x-icu\""]}}}"#,
);

#[test]
fn the_normal_form_is_the_one_that_the_reference_page_describes() {
    let policy = Policy::from_yaml(FULL).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(policy.normal_form(), FULL_NORMAL);
    let smallest = r#"{"apiVersion":"haltsql.dev/v1","kind":"Policy","metadata":{"name":"p"},"spec":{}}"#;
    let policy = Policy::from_json(smallest).unwrap();
    assert_eq!(policy.normal_form(), smallest);
    // printf '%s' '{"apiVersion":…,"spec":{}}' | sha256sum
    assert_eq!(policy.version(), "sha256:2ebcea8386cde6f4c558040a7324ed21893aefeb1de516e8048966004cc22063");
}

#[test]
fn a_normal_form_is_a_policy_with_the_same_normal_form() {
    let policy = Policy::from_json(FULL_NORMAL).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(policy.normal_form(), FULL_NORMAL);
    assert_eq!(Policy::from_yaml(FULL_NORMAL).unwrap().version(), policy.version());
}

/// Changes to `FULL` that a session or a verdict could notice: each has a hash of its own.
#[test]
fn every_change_that_matters_changes_the_hash() {
    let changes = [
        ("name: everything", "name: other"),
        ("mode: shadow", "mode: enforce"),
        ("[app, '\"Odd.Schema\"']", "['\"Odd.Schema\"', app]"),
        ("require_qualified: true", "require_qualified: false"),
        ("[update, select, select]", "[select]"),
        ("mode: literal", "mode: bound"),
        ("type: uuid }", "type: text }"),
        ("context: tenant,", "context: tenant2,"),
        ("hidden: [z, a]", "hidden: [z]"),
        ("hidden: [z, a]", "hidden: [z, '\"A\"']"),
        ("complete: true", "complete: false"),
        ("tenant: { team_id: team, tenant_id: tenant_id }", "tenant: { team_id: none }"),
        ("tenant: { team_id: none, tenant_id: none }", "tenant: { team_id: x, tenant_id: none }"),
        ("insert: [tenant_id, team, id]", "insert: [tenant_id, team]"),
        ("update: [id, id]", "update: []"),
        ("delete: true", "delete: false"),
        ("{ columns: [x], shared: true }", "{ columns: [x, z], shared: true }"),
        ("'\"Odd.Schema\".\"A\"\"b\"'", "'\"Odd.Schema\".\"A\"'"),
        ("profiles: [text-search, core]", "profiles: [core]"),
        ("profiles: [text-search, core]", "profiles: []"),
        ("allow: [app.f, pg_catalog.version]", "allow: [app.f]"),
        ("deny: [md5]", "deny: []"),
        ("\"OPERATOR(vec.<->)\"", "\"<->\""),
        ("[app.order_status]", "[]"),
        ("collations: ['\"de-x-icu\"']", "collations: []"),
        ("max_sql_bytes: 1", "max_sql_bytes: 20"),
        ("max_relations: 2", "max_relations: 20"),
        ("max_depth: 3", "max_depth: 20"),
        ("require_limit: true", "require_limit: false"),
        ("max_limit: 4", "max_limit: null"),
        ("cartesian: allow", "cartesian: deny"),
        ("recursive: deny", "recursive: allow"),
        ("recursive: deny", "recursive: bounded"),
        ("max_generated: 5", "max_generated: 20"),
        ("max_grouping_sets: 6", "max_grouping_sets: 20"),
        ("role: reader", "role: reader2"),
        ("env: HALTSQL_PIN_KEY", "file: HALTSQL_PIN_KEY"),
        ("kid: k1", "kid: k2"),
        ("\"{context.tenant}\"", "\"{context.team}\""),
        ("work_mem: 4MB", "work_mem: 5MB"),
        ("isolation: serializable", "isolation: repeatable read"),
        ("timezone: Europe/Berlin", "timezone: UTC"),
        ("statement_timeout_ms: 7", "statement_timeout_ms: 20"),
        ("lock_timeout_ms: 8", "lock_timeout_ms: 20"),
        ("idle_in_transaction_session_timeout_ms: 9", "idle_in_transaction_session_timeout_ms: 20"),
        ("max_rows: 10", "max_rows: 20"),
        ("max_result_bytes: 11", "max_result_bytes: 20"),
    ];
    let mut seen = BTreeMap::new();
    seen.insert(Policy::from_yaml(FULL).unwrap().version().to_owned(), "unchanged");
    for (from, to) in changes {
        assert_eq!(FULL.matches(from).count(), 1, "{from}");
        let policy = Policy::from_yaml(&FULL.replace(from, to)).unwrap_or_else(|error| panic!("{to}\n{error}"));
        assert_eq!(seen.insert(policy.version().to_owned(), to), None, "{to}");
    }
}

#[test]
fn what_only_people_read_is_not_hashed() {
    let version = Policy::from_yaml(FULL).unwrap().version().to_owned();
    for (from, to) in [
        (", description: for people", ""),
        ("{ name: id, type: bigint, description: the key }", "id"),
        ("type: bigint, description: the key", "type: int"),
        ("spec:", "# a comment\nspec:"),
        ("tenant: { team_id: none, tenant_id: none }", "shared: true"),
    ] {
        let policy = Policy::from_yaml(&FULL.replace(from, to)).unwrap_or_else(|error| panic!("{to}\n{error}"));
        assert_eq!(policy.version(), version, "{to}");
    }
}

/// A document with the freedom that the hash must not see: order of maps and sets, repetition in sets, spelling of names.
#[derive(Clone, Debug)]
enum Doc {
    Raw(String),
    Text(String),
    Name(String),
    List(Vec<Doc>),
    Set(Vec<Doc>),
    Map(Vec<(Doc, Doc)>),
}

/// Draws from bytes that proptest shrinks.
struct Dice<'d>(std::iter::Cycle<std::slice::Iter<'d, u8>>);

impl Dice<'_> {
    fn roll(&mut self, sides: usize) -> usize {
        usize::from(*self.0.next().unwrap()) % sides
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            let other = self.roll(at + 1);
            items.swap(at, other);
        }
    }
}

impl Doc {
    /// One of the document's spellings.
    fn respell(&self, dice: &mut Dice<'_>) -> Doc {
        match self {
            Doc::Raw(_) | Doc::Text(_) => self.clone(),
            Doc::Name(name) => match dice.roll(2) {
                0 => Doc::Text(name.clone()),
                _ => Doc::Text(name.split('.').map(|part| format!("\"{part}\"")).collect::<Vec<_>>().join(".")),
            },
            Doc::List(items) => Doc::List(items.iter().map(|item| item.respell(dice)).collect()),
            Doc::Set(items) => {
                let mut items: Vec<Doc> = items.iter().map(|item| item.respell(dice)).collect();
                if let (Some(first), 0) = (items.first(), dice.roll(2)) {
                    items.push(first.clone());
                }
                dice.shuffle(&mut items);
                Doc::List(items)
            }
            Doc::Map(entries) => {
                let mut entries: Vec<_> = entries.iter().map(|(k, v)| (k.respell(dice), v.respell(dice))).collect();
                dice.shuffle(&mut entries);
                Doc::Map(entries)
            }
        }
    }

    fn json(&self) -> String {
        match self {
            Doc::Raw(raw) => raw.clone(),
            Doc::Text(text) | Doc::Name(text) => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
            Doc::List(items) | Doc::Set(items) => {
                format!("[{}]", items.iter().map(Doc::json).collect::<Vec<_>>().join(", "))
            }
            Doc::Map(entries) => {
                let entries: Vec<_> = entries.iter().map(|(k, v)| format!("{}: {}", k.json(), v.json())).collect();
                format!("{{{}}}", entries.join(", "))
            }
        }
    }

    /// Block style, one value a line.
    fn yaml(&self, indent: usize, out: &mut String) {
        let pad = " ".repeat(indent);
        match self {
            Doc::Map(entries) if !entries.is_empty() => {
                for (key, value) in entries {
                    out.push_str(&format!("\n{pad}{}:", key.yaml_scalar()));
                    value.yaml(indent + 2, out);
                }
            }
            Doc::List(items) | Doc::Set(items) if !items.is_empty() => {
                for item in items {
                    out.push_str(&format!("\n{pad}-"));
                    item.yaml(indent + 2, out);
                }
            }
            other => out.push_str(&format!(" {}", other.yaml_scalar())),
        }
    }

    fn yaml_scalar(&self) -> String {
        match self {
            // Longer than every word that YAML could take for something else.
            Doc::Text(text) if text.len() > 5 && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_') => {
                text.clone()
            }
            Doc::Text(text) | Doc::Name(text) => format!("'{}'", text.replace('\'', "''")),
            other => other.json(),
        }
    }
}

fn text(text: &str) -> Doc {
    Doc::Text(text.to_owned())
}

fn map(entries: Vec<(&str, Doc)>) -> Doc {
    Doc::Map(entries.into_iter().map(|(key, value)| (text(key), value)).collect())
}

/// A name that is written bare or in quotes, and never means a keyword of the policy.
fn name() -> impl Strategy<Value = String> {
    "[a-z_][a-z0-9_]{0,6}".prop_filter("`none` is a word", |name| name != "none")
}

fn names(size: std::ops::Range<usize>) -> impl Strategy<Value = Doc> {
    prop::collection::btree_set(name(), size).prop_map(|names| Doc::Set(names.into_iter().map(Doc::Name).collect()))
}

fn words(words: &'static [&'static str]) -> impl Strategy<Value = Doc> {
    prop::sample::subsequence(words, 0..=words.len()).prop_map(|words| Doc::Set(words.into_iter().map(text).collect()))
}

fn table() -> impl Strategy<Value = Doc> {
    (prop::collection::btree_set(name(), 1..5), names(0..3), any::<bool>(), any::<bool>()).prop_map(
        |(columns, extra, complete, delete)| {
            let columns: Vec<Doc> = columns.into_iter().map(Doc::Name).collect();
            let hidden = match extra {
                Doc::Set(names) => {
                    names.into_iter().filter(|n| !columns.iter().any(|c| c.json() == n.json())).collect()
                }
                _ => Vec::new(),
            };
            map(vec![
                ("columns", Doc::Set(columns.clone())),
                ("hidden", Doc::Set(hidden)),
                ("complete", Doc::Raw(complete.to_string())),
                (
                    "write",
                    map(vec![
                        ("insert", Doc::Set(columns.clone())),
                        ("update", Doc::Set(columns)),
                        ("delete", Doc::Raw(delete.to_string())),
                    ]),
                ),
            ])
        },
    )
}

fn policy() -> impl Strategy<Value = Doc> {
    let tables = prop::collection::btree_map((name(), name()), table(), 0..4).prop_map(|tables| {
        // The prefix keeps schemas clear of PostgreSQL's own.
        Doc::Map(tables.into_iter().map(|((s, t), table)| (Doc::Name(format!("s{s}.{t}")), table)).collect())
    });
    let numbers = (1u64..9_007_199_254_740_991, 1u64..2_147_483_647);
    (
        tables,
        names(0..4),
        words(&["select", "insert", "update", "delete"]),
        words(&["core", "text-search", "random"]),
        names(0..4),
        numbers,
        any::<bool>(),
    )
        .prop_map(|(tables, functions, statements, profiles, types, (big, small), flag)| {
            let spec = map(vec![
                ("tables", tables),
                ("statements", statements),
                ("require_qualified", Doc::Raw(flag.to_string())),
                ("search_path", Doc::List(vec![Doc::Name("zebra".to_owned()), Doc::Name("app".to_owned())])),
                ("functions", map(vec![("profiles", profiles), ("allow", functions)])),
                ("types", map(vec![("allow", types)])),
                ("limits", map(vec![("max_depth", Doc::Raw(big.to_string()))])),
                ("execution", map(vec![("lock_timeout_ms", Doc::Raw(small.to_string()))])),
            ]);
            map(vec![
                ("apiVersion", text("haltsql.dev/v1")),
                ("kind", text("Policy")),
                ("metadata", map(vec![("name", text("generated: 'x' \"y\" # z"))])),
                ("spec", spec),
            ])
        })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn every_spelling_of_a_policy_has_one_hash(doc in policy(), dice in prop::collection::vec(any::<u8>(), 61)) {
        let mut dice = Dice(dice.iter().cycle());
        let first = Policy::from_json(&doc.json()).map_err(|error| TestCaseError::fail(error.to_string()))?;
        for _ in 0..3 {
            let spelling = doc.respell(&mut dice);
            let mut block = String::new();
            spelling.yaml(0, &mut block);
            for loaded in [
                Policy::from_json(&spelling.json()),
                Policy::from_yaml(&spelling.json()),
                Policy::from_yaml(&block),
            ] {
                let loaded = loaded.map_err(|error| TestCaseError::fail(error.to_string()))?;
                prop_assert_eq!(loaded.normal_form(), first.normal_form());
                prop_assert_eq!(loaded.version(), first.version());
            }
        }
    }

    #[test]
    fn no_bytes_make_the_loader_fail_in_another_way(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Policy::parse(&bytes, haltsql::Format::Yaml);
        let _ = Policy::parse(&bytes, haltsql::Format::Json);
    }

    #[test]
    fn no_cut_or_changed_policy_makes_the_loader_panic(at in 0usize..2_000, insert in "[\\[\\]{}:,'\"&*!|>#%@ \n\t-]{0,3}") {
        let mut document = FULL.to_owned();
        let at = document.floor_char_boundary(at.min(document.len()));
        document.insert_str(at, &insert);
        if let Err(error) = Policy::from_yaml(&document) {
            prop_assert!(!error.problems().is_empty());
            prop_assert!(!error.to_string().is_empty());
        }
    }
}
