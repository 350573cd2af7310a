//! The seal check: one statement that says what is open, and how its answer is read.
//!
//! Receives a policy, returns the statement. It takes things by oid, runs with any role's rights, and changes nothing.

use super::findings::{self, DONE, SealFinding};
use super::optional;
use super::pin::{BODY, CONFIG};
use super::plan::{KEYRING, Plan, PlanTable, SCHEMA, Sealed};
use super::script::{literal, pairs, texts};
use super::take::which;
use super::{HardenError, Weight, grants};
use crate::policy::{Policy, Seal};

/// How many findings [`SealCheck::broken`] names.
const NAMED: usize = 3;

/// The statement, for one policy.
#[derive(Clone, Debug)]
pub struct SealCheck {
    sql: String,
    seal: Seal,
}

impl SealCheck {
    /// The statement. Its one parameter, `$1` of type text, is the name of the role whose rights count: with `login` the tenant's, with
    /// `bare` the role that a transaction changes to. It gives rows of three texts.
    ///
    /// To be run with `search_path` pinned to `pg_catalog, pg_temp` ([`SealCheck::PIN`], in the same transaction): what its operators
    /// mean must not be for the database to say.
    #[must_use]
    pub fn sql(&self) -> &str {
        &self.sql
    }

    /// What pins the path, for the transaction that the statement runs in.
    pub const PIN: &'static str = "SET LOCAL search_path = pg_catalog, pg_temp";

    /// What the rows say; empty: the seal holds, and nothing is amiss.
    ///
    /// Where one is [`Weight::Broken`](super::Weight::Broken) nothing may run.
    #[must_use]
    pub fn read(&self, rows: &[[Option<String>; 3]]) -> Vec<SealFinding> {
        findings::read(self.seal, rows)
    }

    /// Why nothing may run, one line: the first findings that break the seal; `None`: it holds. `haltsql policy doctor` tells all of it.
    #[must_use]
    pub fn broken(&self, rows: &[[Option<String>; 3]]) -> Option<String> {
        let mut broken = self.read(rows);
        broken.retain(|finding| finding.weight == Weight::Broken);
        let named: Vec<String> =
            broken.iter().take(NAMED).map(|finding| format!("{}: {}", finding.check, finding.detail)).collect();
        let more = broken.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let sentence = format!("the database is not sealed as the policy says: {}{more}", named.join("; "));
        (!broken.is_empty()).then_some(sentence)
    }
}

/// The seal check of a policy; `None` where it has no seal.
///
/// # Errors
/// As for [`sql`](super::sql).
pub fn seal_check(policy: &Policy) -> Result<Option<SealCheck>, HardenError> {
    let Some(plan) = Plan::of(policy)? else { return Ok(None) };
    let mut parts = vec![path(), roles(&plan), places()];
    parts.extend([relations(), columns(), sequences(&plan), functions(&plan)]);
    parts.extend([policies(&plan), wanted(&plan), server()]);
    if plan.seal == Seal::Signed {
        parts.push(pin());
    }
    parts.push(format!("SELECT '{DONE}', '', ''"));
    let sql = format!("WITH {}\n{}", common(&plan), parts.join("\nUNION ALL\n"));
    Ok(Some(SealCheck { sql, seal: plan.seal }))
}

/// What the parts look at. `s` is the role, `g` the one that holds its rights: the same, but for `login`; a superuser is `s` in no part
/// but its own: everything is open to it.
fn common(plan: &Plan<'_>) -> String {
    let group = match &plan.role {
        Sealed::One(_) => "$1::text".to_owned(),
        Sealed::PerTenant { group, .. } => literal(group),
    };
    let tables: Vec<String> = plan.tables.iter().map(table_row).collect();
    let tables = if tables.is_empty() {
        "SELECT ''::text, ''::text, ''::text, '{}'::text[], '{}'::text[], '{}'::text[], false, false WHERE false"
            .to_owned()
    } else {
        format!("VALUES {}", tables.join(",\n    "))
    };
    let holds: Vec<String> = plan
        .tables
        .iter()
        .flat_map(|table| table.holds.iter().enumerate().map(move |(at, hold)| (table, at, hold)))
        .map(|(table, at, hold)| {
            let [display, column, printed] = [table.display, hold.column, &hold.printed].map(literal);
            format!("({display}, {at}, {column}, {printed})")
        })
        .collect();
    let holds = if holds.is_empty() {
        "SELECT ''::text, 0, ''::text, ''::text WHERE false".to_owned()
    } else {
        format!("VALUES {}", holds.join(",\n    "))
    };
    format!(
        "r AS MATERIALIZED (SELECT o.* FROM pg_catalog.pg_roles o WHERE o.rolname = $1::text::name),
s AS MATERIALIZED (SELECT r.* FROM r WHERE NOT r.rolsuper),
g AS MATERIALIZED (SELECT o.oid FROM pg_catalog.pg_roles o WHERE o.rolname = {group}::name),
path (name) AS (SELECT pg_catalog.unnest({})),
policy (display, schema, name, readable, ins, upd, del, keyed) AS (
    {tables}
),
hold (display, place, col, rhs) AS (
    {holds}
),
p AS MATERIALIZED (
    SELECT t.*, c.oid, c.relkind, c.relowner, c.reloptions, c.relrowsecurity, c.relforcerowsecurity
      FROM policy t JOIN pg_catalog.pg_namespace n ON n.nspname = t.schema::name
      JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = t.name::name
),
needed (oid) AS MATERIALIZED ({}),
f AS MATERIALIZED (
    SELECT p.*, {} AS extension
      FROM s, pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
     WHERE {} AND p.oid NOT IN (SELECT needed.oid FROM needed)
       AND pg_catalog.has_schema_privilege(s.oid, n.oid, 'USAGE') AND pg_catalog.has_function_privilege(s.oid, p.oid, 'EXECUTE')
)",
        texts(plan.search_path.iter().map(String::as_str)),
        plan.needed_functions(),
        which::EXTENSION_ROUTINE,
        which::ROUTINE,
    )
}

fn table_row(table: &PlanTable<'_>) -> String {
    let [display, schema, name] = [table.display, table.schema, table.name].map(literal);
    format!(
        "({display}, {schema}, {name}, {}, {}, {}, {}, {})",
        texts(table.readable.iter().copied()),
        texts(table.insert.iter().map(String::as_str)),
        texts(table.update.iter().map(String::as_str)),
        table.delete,
        !table.holds.is_empty(),
    )
}

/// The statement's own footing.
fn path() -> String {
    "SELECT 'seal.unread', 'search_path', 'the statement runs with another search_path than pg_catalog first'
 WHERE (pg_catalog.current_schemas(true))[1] IS DISTINCT FROM 'pg_catalog'::name"
        .to_owned()
}

fn roles(plan: &Plan<'_>) -> String {
    let own = match &plan.role {
        Sealed::One(_) => "",
        Sealed::PerTenant { .. } => " AND m.roleid <> ALL (ARRAY(SELECT g.oid FROM g))",
    };
    let login = if plan.seal == Seal::Bare {
        String::new()
    } else {
        "\nUNION ALL
SELECT 'seal.login', pg_catalog.quote_ident(s.rolname), 'it cannot log in' FROM s WHERE NOT s.rolcanlogin"
            .to_owned()
    };
    format!(
        "SELECT 'role.exists', $1::text, 'there is no such role' WHERE NOT EXISTS (SELECT 1 FROM r)
UNION ALL
SELECT 'role.superuser', pg_catalog.quote_ident(r.rolname), 'it is a superuser: nothing in the database holds it' FROM r WHERE r.rolsuper
UNION ALL
SELECT 'role.bypassrls', pg_catalog.quote_ident(s.rolname), 'it has BYPASSRLS' FROM s WHERE s.rolbypassrls
UNION ALL
SELECT 'seal.attributes', pg_catalog.quote_ident(s.rolname), 'it has ' || a.word
  FROM s, LATERAL (VALUES (s.rolcreaterole, 'CREATEROLE'), (s.rolcreatedb, 'CREATEDB'), (s.rolreplication, 'REPLICATION')) a (has, word)
 WHERE a.has{login}
UNION ALL
SELECT 'seal.memberships', pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(m.member)),
       'it is a member of ' || pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(m.roleid))
  FROM s, pg_catalog.pg_auth_members m WHERE m.member IN (SELECT s.oid UNION ALL SELECT g.oid FROM g){own}
UNION ALL
SELECT 'role.owner', p.display, 'the sealed role owns it' FROM s, p WHERE p.relowner = s.oid
UNION ALL
SELECT 'seal.owner', d.classid::pg_catalog.regclass::text || ' ' || d.objid, 'the sealed role owns it: '
       || coalesce((pg_catalog.pg_identify_object(d.classid, d.objid, 0)).identity, '?')
  FROM s, pg_catalog.pg_shdepend d
 WHERE d.refclassid = 'pg_catalog.pg_authid'::pg_catalog.regclass AND d.refobjid = s.oid AND d.deptype = 'o'
   AND d.dbid IN (0, (SELECT b.oid FROM pg_catalog.pg_database b WHERE b.datname = pg_catalog.current_database()))
   AND NOT (d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid IN (SELECT p.oid FROM p))
   AND NOT (d.classid = 'pg_catalog.pg_namespace'::pg_catalog.regclass
            AND d.objid IN (SELECT n.oid FROM pg_catalog.pg_namespace n JOIN path ON n.nspname = path.name::name))"
    )
}

fn places() -> String {
    format!(
        "SELECT w.id, 'database ' || pg_catalog.quote_ident(pg_catalog.current_database()), 'it has ' || w.word
  FROM s, (VALUES ('seal.temporary', 'TEMPORARY'), ('seal.create', 'CREATE')) w (id, word)
 WHERE pg_catalog.has_database_privilege(s.oid, pg_catalog.current_database(), w.word)
UNION ALL
SELECT CASE WHEN n.nspname IN (SELECT path.name::name FROM path) THEN 'search_path.create_privilege' ELSE 'seal.create' END,
       'schema ' || pg_catalog.quote_ident(n.nspname), 'it has CREATE'
  FROM s, pg_catalog.pg_namespace n
 WHERE n.nspname !~ '^pg_(toast|temp)' AND n.nspowner <> s.oid AND pg_catalog.has_schema_privilege(s.oid, n.oid, 'CREATE')
UNION ALL
SELECT 'seal.languages', pg_catalog.quote_ident(l.lanname), 'it may be used for DO'
  FROM s, pg_catalog.pg_language l WHERE {} AND pg_catalog.has_language_privilege(s.oid, l.oid, 'USAGE')",
        which::LANGUAGE
    )
}

fn relations() -> String {
    format!(
        "SELECT CASE WHEN {extension} THEN 'seal.extensions' ELSE 'seal.relations' END, pg_catalog.format('%I.%I', n.nspname, c.relname),
       CASE c.relkind WHEN 'm' THEN 'a materialised view that it has rights on: it shows what its owner saw'
                      WHEN 'v' THEN 'a view that it has rights on, outside the policy'
                      ELSE 'a table that it has rights on, outside the policy' END
  FROM s, pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE {relation} AND c.oid NOT IN (SELECT p.oid FROM p) AND c.relowner <> s.oid
   AND pg_catalog.has_schema_privilege(s.oid, n.oid, 'USAGE')
   AND (pg_catalog.has_any_column_privilege(s.oid, c.oid, 'SELECT, INSERT, UPDATE, REFERENCES')
        OR pg_catalog.has_table_privilege(s.oid, c.oid, 'DELETE, TRUNCATE, TRIGGER'))
UNION ALL
SELECT 'tables.kind', p.display, 'a materialised view or a foreign table: no row security reaches its rows'
  FROM p WHERE p.relkind IN ('m', 'f')
UNION ALL
SELECT 'tables.view_security_invoker', p.display, 'it reads with the rights of its owner'
  FROM p WHERE p.relkind = 'v' AND coalesce(p.reloptions::text, '') !~ 'security_invoker=(true|on|yes|1)'
UNION ALL
SELECT 'rls.enabled', p.display, 'row security is off' FROM p WHERE p.keyed AND p.relkind IN ('r', 'p') AND NOT p.relrowsecurity
UNION ALL
SELECT 'rls.forced', p.display, 'its owner is not held by row security'
  FROM p WHERE p.keyed AND p.relkind IN ('r', 'p') AND NOT p.relforcerowsecurity",
        extension = which::EXTENSION_RELATION,
        relation = which::RELATION,
    )
}

fn columns() -> String {
    "SELECT 'seal.columns', p.display || '.' || pg_catalog.quote_ident(a.attname), 'it has ' || w.word || ', which the policy does not open'
  FROM s, p JOIN pg_catalog.pg_attribute a ON a.attrelid = p.oid AND a.attnum > 0 AND NOT a.attisdropped,
       LATERAL (VALUES ('SELECT', p.readable), ('INSERT', p.ins), ('UPDATE', p.upd), ('REFERENCES', '{}'::text[])) w (word, open)
 WHERE p.relowner <> s.oid AND a.attname::text <> ALL (w.open) AND pg_catalog.has_column_privilege(s.oid, p.oid, a.attnum, w.word)
UNION ALL
SELECT 'seal.columns', p.display, 'it has ' || w.word || w.why
  FROM s, p, LATERAL (VALUES
       ('SELECT', false, ' on the whole table: on columns to come and the hidden ones of the server'),
       ('INSERT', false, ' on the whole table: on columns to come'), ('UPDATE', false, ' on the whole table: on columns to come'),
       ('DELETE', p.del, ', which the policy does not open'), ('TRUNCATE', false, ', which goes past row security'),
       ('TRIGGER', false, '')) w (word, open, why)
 WHERE p.relowner <> s.oid AND NOT w.open AND pg_catalog.has_table_privilege(s.oid, p.oid, w.word)"
        .to_owned()
}

fn insertable<'p>(plan: &Plan<'p>) -> Vec<(&'p str, &'p str)> {
    plan.tables.iter().filter(|table| !table.insert.is_empty()).map(|table| (table.schema, table.name)).collect()
}

fn sequences(plan: &Plan<'_>) -> String {
    format!(
        "SELECT 'seal.sequences', pg_catalog.format('%I.%I', n.nspname, c.relname), 'it has ' || w.word
  FROM s, pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace, (VALUES ('USAGE'), ('SELECT'), ('UPDATE')) w (word)
 WHERE c.relkind = 'S' AND c.relowner <> s.oid AND pg_catalog.has_sequence_privilege(s.oid, c.oid, w.word)
   AND NOT (w.word = 'USAGE' AND c.oid IN ({}))",
        grants::serials(&insertable(plan), "s.oid")
    )
}

fn functions(plan: &Plan<'_>) -> String {
    let call = |id: &str, detail: &str, condition: &str| {
        format!("SELECT '{id}', p.oid::pg_catalog.regprocedure::text, '{detail}' FROM f AS p WHERE {condition}")
    };
    let mut parts = vec![
        call("seal.definer_functions", "it runs with the rights of its owner", which::DEFINER),
        call("seal.set_functions", "it has a SET clause", &format!("{} AND NOT p.extension", which::SETS)),
        call(
            "seal.aggregates",
            "it calls its functions with the rights of its owner",
            &format!("{} AND NOT p.extension", which::AGGREGATE),
        ),
        call("seal.functions", "the policy does not list it", &format!("{} AND NOT p.extension", which::PLAIN)),
        call(
            "seal.extensions",
            "it comes with an extension, and does more than calculate",
            "p.extension AND p.provolatile = 'v' AND NOT p.prosecdef",
        ),
        format!(
            "SELECT 'seal.catalog_functions', p.oid::pg_catalog.regprocedure::text, 'it may be called'
  FROM s, pg_catalog.pg_proc p WHERE {} AND pg_catalog.has_function_privilege(s.oid, p.oid, 'EXECUTE')",
            optional::is_listed(plan)
        ),
    ];
    if plan.seal == Seal::Bare {
        parts.push(
            "SELECT 'seal.set_config', p.oid::pg_catalog.regprocedure::text, 'it may be called' FROM s, pg_catalog.pg_proc p
 WHERE p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace AND p.proname = 'set_config'
   AND pg_catalog.has_function_privilege(s.oid, p.oid, 'EXECUTE')
UNION ALL
SELECT 'seal.set_config', 'pg_catalog.pg_settings', 'it may be updated, which is set_config by a rule' FROM s, pg_catalog.pg_class c
 WHERE c.relnamespace = 'pg_catalog'::pg_catalog.regnamespace AND c.relname = 'pg_settings'
   AND pg_catalog.has_any_column_privilege(s.oid, c.oid, 'UPDATE')"
                .to_owned(),
        );
    }
    parts.join("\nUNION ALL\n")
}

/// A policy is known by what it does, not by its name.
fn policies(plan: &Plan<'_>) -> String {
    let open = literal(&plan.policy_name("open"));
    format!(
        "SELECT 'seal.hold', p.display, 'no restrictive policy for the sealed role is exactly: ' || w.wanted
  FROM p JOIN (
       SELECT h.display, CASE pg_catalog.count(*) WHEN 1 THEN pg_catalog.min(h.one)
                              ELSE '(' || pg_catalog.string_agg(h.one, ' AND ' ORDER BY h.place) || ')' END AS wanted
         FROM (SELECT hold.display, hold.place, '(' || CASE a.atttypid WHEN 'pg_catalog.varchar'::pg_catalog.regtype
                      THEN '(' || pg_catalog.quote_ident(hold.col) || ')::text' ELSE pg_catalog.quote_ident(hold.col) END
                      || ' = ' || hold.rhs || ')' AS one
                 FROM hold JOIN p ON p.display = hold.display
                 LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = p.oid AND a.attname = hold.col::name AND NOT a.attisdropped) h
        GROUP BY h.display) w ON w.display = p.display
 WHERE p.relkind IN ('r', 'p') AND NOT EXISTS (
       SELECT 1 FROM pg_catalog.pg_policy l JOIN g ON g.oid = ANY (l.polroles)
        WHERE l.polrelid = p.oid AND NOT l.polpermissive AND l.polcmd = '*' AND l.polwithcheck IS NULL
          AND pg_catalog.pg_get_expr(l.polqual, l.polrelid) = w.wanted)
UNION ALL
SELECT 'seal.open', p.display, 'no policy lets the sealed role in: it reads no rows'
  FROM p WHERE p.keyed AND p.relkind IN ('r', 'p') AND NOT EXISTS (
       SELECT 1 FROM pg_catalog.pg_policy l JOIN g ON g.oid = ANY (l.polroles)
        WHERE l.polrelid = p.oid AND l.polpermissive AND l.polcmd = '*' AND pg_catalog.pg_get_expr(l.polqual, l.polrelid) = 'true')
UNION ALL
SELECT 'seal.permissive_policies', pg_catalog.format('%I ON %s', l.polname, p.display),
       'it lets the sealed role at rows as well; what still holds is the restrictive policy alone'
  FROM s, p JOIN pg_catalog.pg_policy l ON l.polrelid = p.oid
 WHERE p.keyed AND l.polpermissive AND l.polname <> {open}
   AND (0 = ANY (l.polroles) OR s.oid = ANY (l.polroles) OR EXISTS (SELECT 1 FROM g WHERE g.oid = ANY (l.polroles)))"
    )
}

/// What the policy opens, and the database does not.
fn wanted(plan: &Plan<'_>) -> String {
    let listed: Vec<(&str, &str)> = plan.functions.listed.iter().map(|(schema, name)| (&**schema, &**name)).collect();
    let member = match &plan.role {
        Sealed::One(_) => String::new(),
        Sealed::PerTenant { group, .. } => format!(
            "\nUNION ALL
SELECT 'seal.grants', pg_catalog.quote_ident(s.rolname), {} FROM s
 WHERE NOT EXISTS (SELECT 1 FROM pg_catalog.pg_auth_members m JOIN g ON g.oid = m.roleid WHERE m.member = s.oid)",
            literal(&format!("it is no member of {group}"))
        ),
    };
    let pinned = if plan.seal == Seal::Signed {
        format!(
            "\nUNION ALL
SELECT 'seal.grants', '{SCHEMA}.pinned(text)', 'it may not be called' FROM s, pg_catalog.pg_proc x
  JOIN pg_catalog.pg_namespace n ON n.oid = x.pronamespace
 WHERE n.nspname = '{SCHEMA}' AND x.proname = 'pinned'
   AND NOT (pg_catalog.has_schema_privilege(s.oid, n.oid, 'USAGE') AND pg_catalog.has_function_privilege(s.oid, x.oid, 'EXECUTE'))"
        )
    } else {
        String::new()
    };
    format!(
        "SELECT 'seal.grants', p.display || '.' || pg_catalog.quote_ident(a.attname), 'it lacks ' || w.word || ', which the policy opens'
  FROM s, p JOIN pg_catalog.pg_attribute a ON a.attrelid = p.oid AND a.attnum > 0 AND NOT a.attisdropped,
       LATERAL (VALUES ('SELECT', p.readable), ('INSERT', p.ins), ('UPDATE', p.upd)) w (word, open)
 WHERE a.attname::text = ANY (w.open) AND NOT pg_catalog.has_column_privilege(s.oid, p.oid, a.attnum, w.word)
UNION ALL
SELECT 'seal.grants', p.display, 'it lacks DELETE, which the policy opens' FROM s, p
 WHERE p.del AND NOT pg_catalog.has_table_privilege(s.oid, p.oid, 'DELETE')
UNION ALL
SELECT 'seal.grants', 'database ' || pg_catalog.quote_ident(pg_catalog.current_database()), 'it lacks CONNECT' FROM s
 WHERE NOT pg_catalog.has_database_privilege(s.oid, pg_catalog.current_database(), 'CONNECT')
UNION ALL
SELECT CASE WHEN n.nspname IN (SELECT path.name::name FROM path) THEN 'search_path.usage' ELSE 'seal.grants' END,
       'schema ' || pg_catalog.quote_ident(n.nspname), 'it lacks USAGE' FROM s, pg_catalog.pg_namespace n
 WHERE n.nspname = ANY ({}) AND NOT pg_catalog.has_schema_privilege(s.oid, n.oid, 'USAGE')
UNION ALL
SELECT 'seal.grants', pg_catalog.format('%I.%I', q.nspname, q.relname), 'it lacks USAGE: a serial column takes its numbers from there'
  FROM s, ({}) q WHERE NOT pg_catalog.has_sequence_privilege(s.oid, q.oid, 'USAGE')
UNION ALL
SELECT 'seal.grants', x.oid::pg_catalog.regprocedure::text, 'the policy lists it, and it may not be called'
  FROM s, pg_catalog.pg_proc x JOIN pg_catalog.pg_namespace n ON n.oid = x.pronamespace
  JOIN {} ON n.nspname = l.schema::name AND x.proname = l.name::name
 WHERE NOT pg_catalog.has_function_privilege(s.oid, x.oid, 'EXECUTE'){member}{pinned}",
        texts(plan.schemas.iter().map(String::as_str)),
        grants::serials(&insertable(plan), "s.oid, m.nspname, s.relname"),
        pairs("l", ["schema", "name"], &listed),
    )
}

fn server() -> String {
    "SELECT 'seal.server_settings', w.name, 'it is ' || pg_catalog.current_setting(w.name) || ': ' || w.why
  FROM (VALUES ('lo_compat_privileges', 'off', 'rights on large objects are not looked at'),
               ('max_prepared_transactions', '0', 'a transaction can be left open for good')) w (name, good, why)
 WHERE pg_catalog.current_setting(w.name) <> w.good"
        .to_owned()
}

fn pin() -> String {
    format!(
        "SELECT 'seal.pin_function', '{SCHEMA}.pinned(text)', 'it is not there, or not as it was made' FROM s
 WHERE NOT EXISTS (
       SELECT 1 FROM pg_catalog.pg_proc x JOIN pg_catalog.pg_namespace n ON n.oid = x.pronamespace
         JOIN pg_catalog.pg_roles o ON o.oid = x.proowner JOIN pg_catalog.pg_language l ON l.oid = x.prolang
        WHERE n.nspname = '{SCHEMA}' AND x.proname = 'pinned' AND x.proargtypes::text = '25' AND x.prosecdef AND x.provolatile = 's'
          AND l.lanname = 'plpgsql' AND o.rolname = '{KEYRING}' AND x.prosrc = {body} AND x.proconfig = {config})
UNION ALL
SELECT 'seal.pin_function', '{KEYRING}', w.detail FROM s, pg_catalog.pg_roles o, pg_catalog.pg_namespace n, pg_catalog.pg_class c,
       LATERAL (VALUES
         (pg_catalog.has_schema_privilege(o.oid, n.oid, 'USAGE') AND pg_catalog.has_table_privilege(o.oid, c.oid, 'SELECT'),
          'it cannot read the keys, so that no pin is valid'),
         (NOT pg_catalog.has_schema_privilege(o.oid, n.oid, 'CREATE'), 'it has CREATE on the schema {SCHEMA}'),
         (NOT (o.rolsuper OR o.rolbypassrls OR o.rolcanlogin), 'it can log in, or has rights of its own')) w (good, detail)
 WHERE o.rolname = '{KEYRING}' AND n.nspname = '{SCHEMA}' AND c.relnamespace = n.oid AND c.relname = 'pin_key' AND NOT w.good
UNION ALL
SELECT 'seal.pin_key', '{SCHEMA}.pin_key', 'it has rights on the keys' FROM s, pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname = '{SCHEMA}' AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relowner <> s.oid
   AND (pg_catalog.has_any_column_privilege(s.oid, c.oid, 'SELECT, INSERT, UPDATE, REFERENCES')
        OR pg_catalog.has_table_privilege(s.oid, c.oid, 'DELETE, TRUNCATE, TRIGGER'))",
        body = literal(BODY),
        config = texts(CONFIG),
    )
}
