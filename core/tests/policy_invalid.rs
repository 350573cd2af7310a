//! Every combination that makes a policy invalid, with the message that says why.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use haltsql::Policy;

const HEAD: &str = "apiVersion: haltsql.dev/v1\nkind: Policy\nmetadata: { name: p }\nspec:\n";
const TENANCY: &str = "  tenancy: { keys: [{ column: tenant_id, context: tenant_id }] }\n";

fn text(spec: &str) -> String {
    format!("{HEAD}{spec}\n")
}

/// Exactly these problems, each as (path, part of the message), in the order of the document.
#[track_caller]
fn invalid(spec: &str, expected: &[(&str, &str)]) {
    let error = Policy::from_yaml(&text(spec)).expect_err(spec);
    let seen: Vec<_> = error.problems().iter().map(|problem| (&*problem.path, &*problem.message)).collect();
    assert_eq!(seen.len(), expected.len(), "{spec}\n{error}");
    for ((path, message), (wanted_path, part)) in seen.iter().zip(expected) {
        assert_eq!(path, wanted_path, "{spec}\n{error}");
        assert!(message.contains(part), "{spec}\n{error}");
    }
}

#[track_caller]
fn valid(spec: &str) -> Policy {
    match Policy::from_yaml(&text(spec)) {
        Ok(policy) => policy,
        Err(error) => panic!("{spec}\n{error}"),
    }
}

/// With one table under tenancy by `tenant_id`.
#[track_caller]
fn invalid_table(table: &str, expected: &[(&str, &str)]) {
    invalid(&format!("{TENANCY}  tables: {{ app.t: {table} }}"), expected);
}

#[track_caller]
fn valid_table(table: &str) -> Policy {
    valid(&format!("{TENANCY}  tables: {{ app.t: {table} }}"))
}

#[test]
fn a_column_is_readable_or_hidden() {
    invalid_table(
        "{ columns: [id, tenant_id, ssn], hidden: [email, ssn] }",
        &[(r#"spec.tables["app.t"].hidden[1]"#, "`ssn` is both readable and hidden")],
    );
    invalid_table(
        r#"{ columns: [tenant_id, { name: ssn }], hidden: ['"ssn"'] }"#,
        &[(r#"spec.tables["app.t"].hidden[0]"#, "both readable and hidden")],
    );
}

#[test]
fn complete_needs_columns() {
    for table in ["{ complete: true }", "{ columns: [], complete: true }", "{ hidden: [a], complete: true }"] {
        let path = r#"spec.tables["app.t"].complete"#;
        invalid(&format!("  tables: {{ app.t: {table} }}"), &[(path, "complete, but lists no readable column")]);
    }
    valid("  tables: { app.t: { complete: false }, app.u: {} }");
}

#[test]
fn inserts_carry_the_tenant_columns() {
    let path = r#"spec.tables["app.t"].write.insert"#;
    invalid_table(
        "{ columns: [id, tenant_id], write: { insert: [id] } }",
        &[(path, "leaves out `tenant_id`, which carries the tenant key `tenant_id`")],
    );
    invalid_table(
        "{ columns: [id, owner], tenant: { tenant_id: owner }, write: { insert: [id] } }",
        &[(path, "leaves out `owner`, which carries the tenant key `tenant_id`")],
    );
    valid_table("{ columns: [id, tenant_id], write: { insert: [tenant_id, id] } }");
    valid_table("{ columns: [id, tenant_id], write: { update: [id], delete: true } }");
    valid_table("{ columns: [id, tenant_id], write: { insert: [] } }");
    valid_table("{ columns: [id], shared: true, write: { insert: [id] } }");
    valid("  tables: { app.t: { columns: [id], write: { insert: [id] } } }");
}

#[test]
fn write_lists_name_known_columns() {
    invalid_table(
        "{ columns: [tenant_id, name], hidden: [pin], write: { insert: [tenant_id, nmae], update: [pin, gone] } }",
        &[
            (r#"spec.tables["app.t"].write.insert"#, "`app.t` has no column `nmae`"),
            (r#"spec.tables["app.t"].write.update"#, "`app.t` has no column `gone`"),
        ],
    );
    valid_table("{ columns: [tenant_id], hidden: [pin], write: { insert: [tenant_id, pin], update: [pin] } }");
}

#[test]
fn a_function_is_allowed_or_denied() {
    let path = "spec.functions.deny";
    for (allow, deny, shown) in
        [("app.f", "app.f", "app.f"), ("md5", "md5", "md5"), ("pg_catalog.md5", "'\"md5\"'", "md5")]
    {
        invalid(
            &format!("  functions: {{ allow: [{allow}], deny: [lower, {deny}] }}"),
            &[(path, &format!("`{shown}` is both allowed and denied"))],
        );
    }
    valid("  functions: { allow: [app.md5], deny: [md5] }");
}

#[test]
fn tenant_entries_name_known_keys_and_columns() {
    invalid_table(
        "{ columns: [id, tenant_id], tenant: { tenant: id } }",
        &[(r#"spec.tables["app.t"].tenant.tenant"#, "unknown tenant key `tenant`")],
    );
    invalid_table(
        "{ columns: [id, owner], tenant: { tenant_id: ownr } }",
        &[(r#"spec.tables["app.t"].tenant"#, "`app.t` has no column `ownr` for the tenant key `tenant_id`")],
    );
    invalid(
        "  tables: { app.t: { columns: [id], tenant: { tenant_id: id } } }",
        &[(r#"spec.tables["app.t"].tenant.tenant_id"#, "the policy has no tenancy")],
    );
    // `none` is a word; a column of that name stands in double quotes.
    valid_table("{ columns: [id], tenant: { tenant_id: none } }");
    valid_table(r#"{ columns: [id, none], tenant: { tenant_id: '"none"' } }"#);
    invalid_table(
        r#"{ columns: [id], tenant: { tenant_id: '"none"' } }"#,
        &[(r#"spec.tables["app.t"].tenant"#, "has no column `none`")],
    );
}

#[test]
fn a_tenant_column_is_not_hidden() {
    invalid_table(
        "{ columns: [id], hidden: [tenant_id] }",
        &[(r#"spec.tables["app.t"]"#, "`tenant_id` of `app.t` carries a tenant key, so it cannot be hidden")],
    );
    invalid_table(
        "{ columns: [id], hidden: [owner], tenant: { tenant_id: owner } }",
        &[(r#"spec.tables["app.t"].tenant"#, "`owner` of `app.t` carries a tenant key, so it cannot be hidden")],
    );
    valid_table("{ columns: [id], hidden: [tenant_id], tenant: { tenant_id: none } }");
}

#[test]
fn silence_never_means_unscoped() {
    for table in ["{ columns: [id] }", "{}", "{ columns: [id], shared: false }"] {
        invalid_table(table, &[(r#"spec.tables["app.t"]"#, "`app.t` has no column `tenant_id` for the tenant key")]);
    }
    valid_table("{ columns: [id], shared: true }");
    // Two keys: each is answered for on its own.
    let keys =
        "  tenancy: { keys: [{ column: tenant_id, context: t }, { column: team_id, context: g, type: integer }] }\n";
    invalid(
        &format!("{keys}  tables: {{ app.t: {{ columns: [tenant_id] }} }}"),
        &[(r#"spec.tables["app.t"]"#, "`app.t` has no column `team_id` for the tenant key `team_id`")],
    );
    valid(&format!("{keys}  tables: {{ app.t: {{ columns: [tenant_id], tenant: {{ team_id: none }} }} }}"));
    valid(&format!("{keys}  tables: {{ app.t: {{ columns: [tenant_id, g], tenant: {{ team_id: g }} }} }}"));
    invalid(
        &format!("{keys}  tables: {{ app.t: {{ columns: [tenant_id], tenant: {{ team_id: tenant_id }} }} }}"),
        &[(r#"spec.tables["app.t"].tenant"#, "`tenant_id` of `app.t` cannot carry two tenant keys")],
    );
}

#[test]
fn shared_and_tenant_do_not_stand_together() {
    for entry in ["id", "none"] {
        invalid_table(
            &format!("{{ columns: [id], shared: true, tenant: {{ tenant_id: {entry} }} }}"),
            &[(r#"spec.tables["app.t"].tenant"#, "`shared: true` already says that the table carries no key")],
        );
    }
}

#[test]
fn a_refused_tenancy_is_one_problem() {
    invalid(
        "  tenancy: { keys: [{ column: tenant_id }] }\n  tables: { app.t: { columns: [id] } }",
        &[("spec.tenancy.keys[0]", "the key `context` is missing")],
    );
    invalid("  tenancy: { keys: [] }", &[("spec.tenancy.keys", "tenancy without a key scopes nothing")]);
    invalid("  tenancy: {}", &[("spec.tenancy", "the key `keys` is missing")]);
    invalid(
        "  tenancy: { keys: [{ column: a, context: b }, { column: '\"a\"', context: c }] }",
        &[("spec.tenancy.keys[1]", "two keys stand in the column `a`")],
    );
}

#[test]
fn search_path_holds_fixed_schemas_of_the_database() {
    for schema in ["pg_catalog", "pg_temp", "pg_temp_3", "pg_toast", "information_schema"] {
        let message = format!("`{schema}` may not stand in search_path");
        invalid(&format!("  search_path: [app, {schema}]"), &[("spec.search_path[1]", &message)]);
    }
    invalid(r#"  search_path: ['"$user"', app]"#, &[("spec.search_path[0]", "`$user` may not stand in search_path")]);
    invalid("  search_path: [$user]", &[("spec.search_path[0]", "`$user` may not stand in search_path")]);
    invalid("  search_path: [app, b, '\"app\"']", &[("spec.search_path[2]", "`app` stands twice")]);
    invalid("  search_path: [app.x]", &[("spec.search_path[0]", "several parts")]);
    invalid("  search_path: app", &[("spec.search_path", "text stands where a list belongs")]);
}

#[test]
fn system_schemas_cannot_be_opened() {
    for schema in ["pg_catalog", "pg_toast", "pg_temp", "pg_temp_1", "information_schema"] {
        let path = format!(r#"spec.tables["{schema}.t"]"#);
        let message = format!("`{schema}` is one of PostgreSQL's own schemas");
        invalid(&format!("  tables: {{ {schema}.t: {{ columns: [a] }} }}"), &[(&path, &message)]);
    }
}

#[test]
fn names_have_one_reading() {
    for (name, part) in [
        ("orders", "not a table's name with its schema"),
        ("a.b.c", "not a table's name with its schema"),
        ("App.orders", "`App` holds upper case"),
        ("app.Ärger", "`Ärger` holds upper case"),
        ("app.", "empty part"),
        (".orders", "empty part"),
        ("app..orders", "empty part"),
        ("app.\"\"", "empty part"),
        ("app.\"orders", "lacks a closing quote"),
        ("app.\"a\"b", "goes on after a closing quote"),
        ("app.my orders", "a character that a bare name cannot have"),
        ("app.a\"b", "a character that a bare name cannot have"),
    ] {
        let shown = name.replace('"', "\\\"");
        let path = if name == "orders" { "spec.tables.orders".to_owned() } else { format!("spec.tables[\"{shown}\"]") };
        invalid(&format!("  tables: {{ '{name}': {{}} }}"), &[(&path, part)]);
    }
    let long = "n".repeat(64);
    invalid(
        &format!("  tables: {{ app.t: {{ columns: [{long}] }} }}"),
        &[(r#"spec.tables["app.t"].columns[0]"#, "longer than the 63 bytes")],
    );
    valid(&format!("  tables: {{ app.t: {{ columns: [{}] }} }}", "n".repeat(63)));
    for operator in ["=>>x", "OPERATOR(a.b)", "operator(a.<->)", "OPERATOR(A.<->)", "OPERATOR(<->", "a.<->"] {
        assert!(Policy::from_yaml(&text(&format!("  operators: {{ allow: ['{operator}'] }}"))).is_err(), "{operator}");
    }
    invalid("  functions: { allow: [a.b.c] }", &[("spec.functions.allow[0]", "too many parts")]);
    invalid("  types: { allow: [\"timestamp with time zone\"] }", &[("spec.types.allow[0]", "bare name cannot have")]);
    invalid("  types: { collations: [C] }", &[("spec.types.collations[0]", "`C` holds upper case")]);
}

#[test]
fn a_column_is_told_once() {
    invalid_table(
        "{ columns: [tenant_id, id, { name: id, type: int }] }",
        &[(r#"spec.tables["app.t"].columns[2]"#, "`id` stands here twice, with different details")],
    );
    valid_table("{ columns: [tenant_id, id, id, { name: id }] }");
}

#[test]
fn a_profile_is_one_of_the_products() {
    invalid(
        "  functions: { profiles: [core, text_search] }",
        &[("spec.functions.profiles[1]", "unknown profile `text_search`")],
    );
}

#[test]
fn templates_are_whole() {
    for value in [
        "t_{context.tenant_id}",
        "{context.tenant_id} ",
        "{context.}",
        "{context. }",
        "{context.a}{context.b}",
        "{context}",
        "{ctx.a}",
        "{Context.a}",
        "${context.a}",
        "{{context.a}}",
        "{context.a",
        "a}",
        "{}",
    ] {
        let spec = format!("  execution: {{ settings: {{ app.owner: \"{value}\" }} }}");
        let error = Policy::from_yaml(&text(&spec)).expect_err(value);
        assert_eq!(error.problems()[0].path, r#"spec.execution.settings["app.owner"]"#, "{error}");
    }
    valid("  execution: { settings: { app.owner: \"{context.tenant_id}\", app.b: 'plain', app.c: '' } }");
}

#[test]
fn settings_that_the_guard_pins_are_refused() {
    for name in [
        "role",
        "session_authorization",
        "transaction_read_only",
        "transaction_isolation",
        "transaction_deferrable",
        "haltsql.pin",
        "haltsql.anything",
        "search_path",
        "standard_conforming_strings",
        "row_security",
        "statement_timeout",
        "lock_timeout",
        "idle_in_transaction_session_timeout",
        "timezone",
        "datestyle",
        "intervalstyle",
        "extra_float_digits",
        "bytea_output",
        "lc_monetary",
        "lc_numeric",
        "lc_time",
        "transform_null_equals",
        "default_text_search_config",
        "client_encoding",
    ] {
        let error =
            Policy::from_yaml(&text(&format!("  execution: {{ settings: {{ {name}: 'x' }} }}"))).expect_err(name);
        assert_eq!(error.problems()[0].message, format!("the guard itself pins `{name}`"));
        // PostgreSQL does not see case in the names of settings, so no case slips through.
        let upper = name.to_uppercase();
        assert!(Policy::from_yaml(&text(&format!("  execution: {{ settings: {{ {upper}: 'x' }} }}"))).is_err());
    }
    for name in ["a b", "app.", "\"app.\\\"x\\\"\"", "1a", "''", "app-x"] {
        let spec = format!("  execution: {{ settings: {{ {name}: 'x' }} }}");
        let error = Policy::from_yaml(&text(&spec)).expect_err(name);
        assert!(error.problems()[0].message.contains("is not the name of a setting"), "{error}");
    }
    invalid(
        "  execution: { settings: { app.x: 5 } }",
        &[(r#"spec.execution.settings["app.x"]"#, "a number stands where text belongs")],
    );
    valid("  execution: { settings: { work_mem: '4MB', app.role: x, haltsqlx.y: z } }");
}

#[test]
fn role_seal_and_pin_key_stand_together() {
    let pin = "pin_key: { kid: k1, env: HALTSQL_PIN_KEY }";
    let (role, seal, key) = ("spec.execution.role", "spec.execution.seal", "spec.execution.pin_key");
    invalid("  execution: { role: reader }", &[(role, "a role without a seal")]);
    invalid("  execution: { role: reader, seal: none }", &[(role, "a role without a seal")]);
    for word in ["bare", "login"] {
        invalid(&format!("  execution: {{ seal: {word} }}"), &[(seal, &format!("`seal: {word}` needs a `role`"))]);
    }
    invalid(&format!("  execution: {{ seal: signed, role: null, {pin} }}"), &[(seal, "needs a `role`")]);
    invalid("  execution: { seal: signed, role: reader }", &[(seal, "`seal: signed` needs a `pin_key`")]);
    invalid("  execution: { seal: signed, role: reader, pin_key: null }", &[(seal, "needs a `pin_key`")]);
    invalid(&format!("  execution: {{ seal: bare, role: r, {pin} }}"), &[(key, "`seal: bare` signs nothing")]);
    invalid(&format!("  execution: {{ {pin} }}"), &[(key, "`seal: none` signs nothing")]);
    for name in ["reader", "'{context.a}'x", "t_{context.a}{context.b}", "T_{context.a}", "{context.}", "t-{context.a}"]
    {
        let spec = format!("  execution: {{ seal: login, role: \"{name}\" }}");
        invalid(&spec, &[(role, "is not a role's name with one template in it")]);
    }
    for name in ["{context.a}", "t_{context.a}", "t_{context.a}_ro"] {
        valid(&format!("  execution: {{ seal: login, role: \"{name}\" }}"));
    }
    invalid("  execution: { seal: bare, role: 't_{context.a}' }", &[(role, "bare name cannot have")]);
    invalid("  execution: { seal: bare, role: '\"t_{context.a}\"' }", &[(role, "no template may stand here")]);
    valid(&format!("  execution: {{ seal: signed, role: reader, {pin} }}"));
    valid("  execution: { seal: signed, role: reader, pin_key: { kid: k1, file: /run/pin } }");
    valid("  execution: { seal: none, role: null, pin_key: null }");
    for (pin, path, part) in [
        ("{ kid: k1 }", "spec.execution.pin_key", "exactly one place"),
        ("{ kid: k1, env: A, file: /b }", "spec.execution.pin_key", "exactly one place"),
        ("{ env: A }", "spec.execution.pin_key", "the key `kid` is missing"),
        ("{ kid: k.1, env: A }", "spec.execution.pin_key.kid", "`k.1` is not the name of a key"),
        ("{ kid: k1, env: 'A B' }", "spec.execution.pin_key.env", "not the name of an environment variable"),
        ("{ kid: k1, env: c2VjcmV0Cg== }", "spec.execution.pin_key.env", "not the name of an environment variable"),
        ("{ kid: k1, key: abc, env: A }", "spec.execution.pin_key.key", "unknown key `key`"),
        ("secret", "spec.execution.pin_key", "text stands where a map belongs"),
    ] {
        invalid(&format!("  execution: {{ seal: signed, role: r, pin_key: {pin} }}"), &[(path, part)]);
    }
}

#[test]
fn no_limit_is_zero() {
    for key in ["max_sql_bytes", "max_relations", "max_depth", "max_limit", "max_generated", "max_grouping_sets"] {
        let path = format!("spec.limits.{key}");
        invalid(&format!("  limits: {{ {key}: 0 }}"), &[(&path, "0 is no limit")]);
        invalid(&format!("  limits: {{ {key}: -1 }}"), &[(&path, "`-1` is not between 1 and")]);
        invalid(&format!("  limits: {{ {key}: 9007199254740992 }}"), &[(&path, "not between 1 and 9007199254740991")]);
        invalid(&format!("  limits: {{ {key}: 99999999999999999999 }}"), &[(&path, "not a whole number")]);
        valid(&format!("  limits: {{ {key}: 9007199254740991 }}"));
        valid(&format!("  limits: {{ {key}: 1 }}"));
    }
    for key in ["statement_timeout_ms", "lock_timeout_ms", "idle_in_transaction_session_timeout_ms"] {
        let path = format!("spec.execution.{key}");
        invalid(&format!("  execution: {{ {key}: 0 }}"), &[(&path, "0 is no limit")]);
        invalid(&format!("  execution: {{ {key}: 2147483648 }}"), &[(&path, "not between 1 and 2147483647")]);
        valid(&format!("  execution: {{ {key}: 2147483647 }}"));
    }
    for key in ["max_rows", "max_result_bytes"] {
        let path = format!("spec.execution.{key}");
        invalid(&format!("  execution: {{ {key}: 0 }}"), &[(&path, "0 is no limit")]);
        valid(&format!("  execution: {{ {key}: 9007199254740991 }}"));
    }
}
