//! What `Policy::lint` finds, where, and that its page has a row for each finding.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use haltsql::{Finding, Format, Policy, Severity};

const PAGE: &str = include_str!("../../docs/policy-lint.md");

/// Nothing of weight is wrong with it.
const SOUND: &str = "\
apiVersion: haltsql.dev/v1
kind: Policy
metadata: { name: sound }
spec:
  search_path: [app]
  tenancy:
    keys: [{ column: tenant_id, context: tenant_id }]
  tables:
    app.orders: { columns: [id, { name: tenant_id, type: text }], hidden: [email], complete: true }
  limits: { require_limit: true, max_limit: 100 }
  execution: { role: reader, seal: signed, pin_key: { kid: k1, env: HALTSQL_PIN_KEY } }
";

fn lint(text: &str) -> Vec<Finding> {
    Policy::lint(text.as_bytes(), Format::Yaml).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn ids(text: &str) -> Vec<&'static str> {
    lint(text).into_iter().map(|finding| finding.id).collect()
}

/// The sound policy with a part of it replaced.
fn with(part: &str, other: &str) -> String {
    assert!(SOUND.contains(part), "{part}");
    SOUND.replace(part, other)
}

const TABLE: &str = "app.orders: { columns: [id, { name: tenant_id, type: text }], hidden: [email], complete: true }";
const KEY: &str = "{ column: tenant_id, context: tenant_id }";
const LIMITS: &str = "limits: { require_limit: true, max_limit: 100 }";
const EXECUTION: &str = "execution: { role: reader, seal: signed, pin_key: { kid: k1, env: HALTSQL_PIN_KEY } }";

/// Each finding: what of the sound policy is replaced, by what, and where it then stands (line, column, path).
fn cases() -> Vec<(&'static str, String, (usize, usize, &'static str))> {
    let spec = |more: &str| with("spec:\n", &format!("spec:\n  {more}\n"));
    let table = |other: &str| with(TABLE, other);
    let write = |statements: &str, write: &str| {
        let table =
            format!("app.orders: {{ columns: [id, tenant_id], hidden: [email], complete: true, write: {write} }}");
        with(TABLE, &table).replace("spec:\n", &format!("spec:\n  statements: {statements}\n"))
    };
    let without_tenancy = || with("  tenancy:\n    keys: [{ column: tenant_id, context: tenant_id }]\n", "");
    let shared = "app.orders: { columns: [id, tenant_id], complete: true }\n    app.a: { columns: [id], shared: true }\n    app.b: { columns: [id], shared: true }";
    vec![
        ("mode.shadow", spec("mode: shadow"), (5, 3, "spec.mode")),
        ("statements.none", spec("statements: []"), (5, 3, "spec.statements")),
        ("statements.without_table", spec("statements: [select, delete]"), (5, 24, "spec.statements[1]")),
        ("tenancy.none", without_tenancy(), (4, 1, "spec")),
        ("tenancy.literal", with("    keys:", "    mode: literal\n    keys:"), (7, 5, "spec.tenancy.mode")),
        (
            "tenancy.unused_key",
            with(
                "[{ column: tenant_id, context: tenant_id }]",
                "[{ column: tenant_id, context: t }, { column: team, context: u }]",
            )
            .replace("complete: true }", "complete: true, tenant: { team: none } }"),
            (7, 49, "spec.tenancy.keys[1]"),
        ),
        ("tenancy.mostly_shared", table(shared), (8, 3, "spec.tables")),
        (
            "tenancy.shared_with_key",
            table(&format!("{TABLE}\n    app.events: {{ columns: [id, tenant_id], shared: true }}")),
            (10, 45, "spec.tables[\"app.events\"].shared"),
        ),
        (
            "tenancy.shared_with_key",
            table(&format!(
                "{TABLE}\n    app.\"Events\": {{ columns: [id, tenant_id], tenant: {{ tenant_id: none }} }}"
            )),
            (10, 47, "spec.tables[\"app.\\\"Events\\\"\"].tenant"),
        ),
        (
            "tenancy.key_type",
            with(KEY, "{ column: tenant_id, context: tenant_id, type: uuid }"),
            (9, 35, "spec.tables[\"app.orders\"].columns[1]"),
        ),
        ("tenancy.loose_type", with("type: text", "type: char(8)"), (9, 35, "spec.tables[\"app.orders\"].columns[1]")),
        ("search_path.public", with("[app]", "[app, public]"), (5, 22, "spec.search_path[1]")),
        ("search_path.several", with("[app]", "[app, audit]"), (5, 3, "spec.search_path")),
        ("search_path.first_without_table", with("[app]", "[audit]"), (5, 17, "spec.search_path[0]")),
        ("search_path.empty", with("[app]", "[]"), (5, 3, "spec.search_path")),
        ("tables.none", with(&format!("  tables:\n    {TABLE}\n"), ""), (4, 1, "spec")),
        ("tables.incomplete", with(", complete: true", ""), (9, 5, "spec.tables[\"app.orders\"]")),
        ("tables.nothing_hidden", with(", hidden: [email]", ""), (8, 3, "spec.tables")),
        (
            "tables.nothing_readable",
            table(&format!("{TABLE}\n    app.x: {{ hidden: [id], shared: true }}")),
            (10, 5, "spec.tables[\"app.x\"]"),
        ),
        ("tables.untyped", with("{ name: tenant_id, type: text }", "tenant_id"), (8, 3, "spec.tables")),
        ("columns.secret", with("[id,", "[id, '\"apiKey\"',"), (9, 33, "spec.tables[\"app.orders\"].columns[1]")),
        ("columns.personal", with("[id,", "[id, phone,"), (9, 33, "spec.tables[\"app.orders\"].columns[1]")),
        (
            "write.unscoped",
            table(&format!("{TABLE}\n    app.x: {{ columns: [id], shared: true, write: {{ update: [id] }} }}"))
                .replace("spec:\n", "spec:\n  statements: [update]\n"),
            (11, 43, "spec.tables[\"app.x\"].write"),
        ),
        ("write.unsealed", write("[delete]", "{ delete: true }").replace(EXECUTION, ""), (5, 3, "spec.statements")),
        ("write.delete", write("[delete]", "{ delete: true }"), (10, 87, "spec.tables[\"app.orders\"].write.delete")),
        (
            "write.tenant_column",
            write("[update]", "{ update: [tenant_id] }"),
            (10, 96, "spec.tables[\"app.orders\"].write.update[0]"),
        ),
        (
            "write.hidden",
            write("[insert]", "{ insert: [tenant_id, email] }"),
            (10, 107, "spec.tables[\"app.orders\"].write.insert[1]"),
        ),
        ("write.unique", write("[insert]", "{ insert: [tenant_id] }"), (5, 3, "spec.statements")),
        ("write.unopened", write("[select]", "{ update: [id] }"), (10, 87, "spec.tables[\"app.orders\"].write.update")),
        ("functions.random", spec("functions: { profiles: [core, random] }"), (5, 33, "spec.functions.profiles[1]")),
        (
            "functions.text_search",
            spec("functions: { profiles: [core, text-search] }"),
            (5, 33, "spec.functions.profiles[1]"),
        ),
        ("functions.extension", spec("functions: { profiles: [core, fuzzy] }"), (5, 33, "spec.functions.profiles[1]")),
        ("functions.without_core", spec("functions: { profiles: [] }"), (5, 16, "spec.functions.profiles")),
        ("functions.own", spec("functions: { allow: [app.\"F\"] }"), (5, 24, "spec.functions.allow[0]")),
        ("functions.namesake", spec("functions: { allow: [app.lower] }"), (5, 24, "spec.functions.allow[0]")),
        (
            "functions.system",
            spec("functions: { allow: [pg_catalog.pg_read_file] }"),
            (5, 24, "spec.functions.allow[0]"),
        ),
        ("functions.deny_idle", spec("functions: { deny: [md5, pg_sleep] }"), (5, 28, "spec.functions.deny[1]")),
        ("operators.own", spec("operators: { allow: [OPERATOR(app.===)] }"), (5, 24, "spec.operators.allow[0]")),
        ("types.own", spec("types: { allow: [app.state] }"), (5, 20, "spec.types.allow[0]")),
        ("types.system", spec("types: { allow: [regclass] }"), (5, 20, "spec.types.allow[0]")),
        ("types.collation", spec("types: { collations: ['\"de-x-icu\"'] }"), (5, 25, "spec.types.collations[0]")),
        (
            "limits.cartesian",
            with(LIMITS, "limits: { require_limit: true, cartesian: allow }"),
            (10, 34, "spec.limits.cartesian"),
        ),
        (
            "limits.recursive",
            with(LIMITS, "limits: { require_limit: true, recursive: allow }"),
            (10, 34, "spec.limits.recursive"),
        ),
        (
            "limits.raised",
            with(LIMITS, "limits: { require_limit: true, max_depth: 641 }"),
            (10, 34, "spec.limits.max_depth"),
        ),
        (
            "limits.lifted",
            with(LIMITS, "limits: { require_limit: true, max_depth: 65 }"),
            (10, 34, "spec.limits.max_depth"),
        ),
        ("limits.no_row_limit", with(LIMITS, "limits: { max_depth: 9 }"), (10, 3, "spec.limits")),
        ("limits.cap_without_demand", with(LIMITS, "limits: { max_limit: 9 }"), (10, 13, "spec.limits.max_limit")),
        ("execution.no_seal", with(EXECUTION, ""), (4, 1, "spec")),
        (
            "execution.seal_bare",
            with(EXECUTION, "execution: { role: reader, seal: bare }"),
            (11, 30, "spec.execution.seal"),
        ),
        ("execution.role_superuser", with("role: reader", "role: postgres"), (11, 16, "spec.execution.role")),
        (
            "execution.timeout_raised",
            with("role: reader", "statement_timeout_ms: 600000, role: reader"),
            (11, 16, "spec.execution.statement_timeout_ms"),
        ),
        (
            "execution.timeout_lifted",
            with("role: reader", "lock_timeout_ms: 5000, role: reader"),
            (11, 16, "spec.execution.lock_timeout_ms"),
        ),
        (
            "execution.result_raised",
            with("role: reader", "max_rows: 5000, role: reader"),
            (11, 16, "spec.execution.max_rows"),
        ),
        (
            "execution.server_setting",
            with("role: reader", "settings: { work_mem: 1GB }, role: reader"),
            (11, 28, "spec.execution.settings.work_mem"),
        ),
        (
            "execution.setting_outside_tenancy",
            with("role: reader", "settings: { app.user: '{context.user}' }, role: reader"),
            (11, 28, "spec.execution.settings[\"app.user\"]"),
        ),
    ]
}

#[test]
fn nothing_is_found_in_a_sound_policy() {
    assert_eq!(lint(SOUND), []);
}

#[test]
fn each_weakness_is_found_where_it_stands() {
    let mut wrong = Vec::new();
    for (id, text, place) in cases() {
        let found = lint(&text);
        let places: Vec<_> =
            found.iter().filter(|finding| finding.id == id).map(|f| (f.line, f.column, &*f.path)).collect();
        if places != [place] {
            let ids: Vec<_> = found.iter().map(|finding| finding.id).collect();
            wrong.push(format!("{id}: expected {place:?}, found {places:?} among {ids:?}\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_finding_of_the_page_has_a_case_and_the_other_way_round() {
    let rows = PAGE.lines().filter_map(|line| {
        let [id, severity, _] = line.strip_prefix("| `")?.strip_suffix(" |")?.split(" | ").collect::<Vec<_>>()[..]
        else {
            return None;
        };
        Some((id.trim_end_matches('`').to_owned(), severity.to_owned()))
    });
    let rows: BTreeSet<(String, String)> = rows.collect();
    let cases: BTreeSet<(String, String)> = cases()
        .into_iter()
        .map(|(id, text, _)| {
            let severity = lint(&text).into_iter().find(|finding| finding.id == id).expect(id).severity;
            (id.to_owned(), severity.as_str().to_owned())
        })
        .collect();
    assert_eq!(rows, cases);
    // A finding without a case would be in neither: the sources name each.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/policy/lint");
    let mut source = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        source.push_str(&fs::read_to_string(entry.unwrap().path()).unwrap());
    }
    let is_id = |text: &str| {
        text.split_once('.').is_some_and(|(head, tail)| {
            let word =
                |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            word(head) && word(tail)
        })
    };
    let code: String = source.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let named: BTreeSet<&str> = code.split('"').filter(|text| is_id(text)).collect();
    let listed: BTreeSet<&str> = rows.iter().map(|(id, _)| &**id).collect();
    assert_eq!(named, listed);
}

#[test]
fn findings_are_sorted_by_weight_then_place() {
    let text = with("[id,", "[id, phone, password,");
    let found = lint(&text);
    let weights: Vec<Severity> = found.iter().map(|finding| finding.severity).collect();
    assert!(weights.is_sorted(), "{found:#?}");
    assert_eq!(ids(&text), ["columns.secret", "columns.personal"]);
}

#[test]
fn json_documents_have_their_places_too() {
    let text = "{\n  \"apiVersion\": \"haltsql.dev/v1\", \"kind\": \"Policy\", \"metadata\": { \"name\": \"p\" },\n  \"spec\": { \"mode\": \"shadow\" } }";
    let found = Policy::lint(text.as_bytes(), Format::Json).unwrap();
    let shadow = found.iter().find(|finding| finding.id == "mode.shadow").unwrap();
    assert_eq!((shadow.line, shadow.column, &*shadow.path), (3, 13, "spec.mode"));
}

#[test]
fn an_invalid_policy_is_an_error() {
    assert!(Policy::lint(b"spec: 1", Format::Yaml).is_err());
}
