//! The queries of `conformance/alarms/`: what BI tools, ORMs and agents write, each with the database in which it makes
//! sense.
//!
//! Receives the files, returns every query with its policy and its caller, once with `$1` bound and once with the value
//! in the text.

use std::fs;
use std::path::PathBuf;

use haltsql::{Context, Policy};

/// A database with its policy and the caller who asks.
pub struct World {
    pub name: &'static str,
    /// Loads the tables and a little data into an empty database.
    pub schema: String,
    /// The policy's text, in bound mode.
    policy: String,
    key: &'static str,
    value: &'static str,
    /// Another tenant of the data.
    neighbour: &'static str,
    /// The key's type, as the server calls it.
    key_type: &'static str,
    pub queries: Vec<Query>,
}

/// One query as it is written in its file, with `$1` for the caller's tenant.
pub struct Query {
    /// `world/family/name`.
    pub id: String,
    /// The file's name: who writes such queries.
    pub family: String,
    /// Why it is denied, and with which codes, where it is.
    pub refused: Option<Refused>,
    pub sql: String,
}

/// A denial that is known: it stays in the count of what is denied.
pub struct Refused {
    /// It is denied in bound mode alone, where `$1` brings reasons of its own.
    pub bound_only: bool,
    pub codes: Vec<String>,
    pub why: String,
}

/// How the caller's tenant reaches a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tenancy {
    Bound,
    Literal,
}

impl Tenancy {
    /// A policy's text in that mode.
    fn of(self, policy: &str) -> String {
        match self {
            Tenancy::Bound => policy.to_owned(),
            Tenancy::Literal => policy.replace("mode: bound", "mode: literal"),
        }
    }
}

const WORLDS: [(&str, &str, [&str; 2], &str); 3] = [
    ("saas", "tenant_id", ["acme", "globex"], "text"),
    ("tpch", "tenant_id", ["42", "43"], "bigint"),
    ("tpcds", "tenant_id", ["11111111-1111-1111-1111-111111111111", "22222222-2222-2222-2222-222222222222"], "uuid"),
];

/// Every database with its queries, in the order of the files' names.
pub fn worlds() -> Vec<World> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../conformance/alarms"));
    let read = |path: PathBuf| fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let world = |(name, key, values, key_type): (&'static str, &'static str, [&'static str; 2], &'static str)| {
        let [value, neighbour] = values;
        let folder = root.join(name);
        let mut files: Vec<PathBuf> =
            fs::read_dir(folder.join("queries")).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let queries = files
            .into_iter()
            .flat_map(|file| {
                let family = file.file_stem().unwrap().to_str().unwrap().to_owned();
                split(name, &family, &read(file))
            })
            .collect();
        let (schema, policy) = (read(folder.join("schema.sql")), read(folder.join("policy.yaml")));
        World { name, schema, policy, key, value, neighbour, key_type, queries }
    };
    WORLDS.into_iter().map(world).collect()
}

/// A file's queries: each begins with `-- name: …`, then `-- refused: CODE[, CODE]: why` (or `-- refused in bound mode:
/// …`) where it is denied.
fn split(world: &str, family: &str, text: &str) -> Vec<Query> {
    let mut blocks = text.split("-- name: ");
    let before = blocks.next().unwrap_or_default();
    assert!(
        before.lines().all(|line| line.is_empty() || line.starts_with("--")),
        "{world}/{family}: text before the first name"
    );
    blocks
        .map(|block| {
            let (name, mut sql) =
                block.split_once('\n').unwrap_or_else(|| panic!("{world}/{family}: {block}: no query"));
            let mut refused = None;
            if let Some(rest) = sql.strip_prefix("-- refused") {
                let (mode, rest) = rest.split_once(": ").unwrap();
                let (line, rest) = rest.split_once('\n').unwrap();
                assert!(["", " in bound mode"].contains(&mode), "{world}/{family}/{name}: refused{mode}");
                let (codes, why) =
                    line.split_once(": ").unwrap_or_else(|| panic!("{world}/{family}/{name}: no reason"));
                refused = Some(Refused {
                    bound_only: !mode.is_empty(),
                    codes: codes.split(", ").map(str::to_owned).collect(),
                    why: why.to_owned(),
                });
                sql = rest;
            }
            Query {
                id: format!("{world}/{family}/{}", name.trim()),
                family: family.to_owned(),
                refused,
                sql: sql.trim_end().to_owned(),
            }
        })
        .collect()
}

impl World {
    pub fn policy(&self, tenancy: Tenancy) -> Policy {
        Policy::from_yaml(&tenancy.of(&self.policy)).unwrap_or_else(|error| panic!("{}: {error:?}", self.name))
    }

    /// The same policy where no table is declared complete, as a first policy is written.
    pub fn incomplete(&self, tenancy: Tenancy) -> Policy {
        let lines: Vec<String> = self.policy.lines().map(|line| line.replace(", complete: true", "")).collect();
        let kept: Vec<String> = lines.into_iter().filter(|line| line.trim() != "complete: true").collect();
        assert!(!kept.iter().any(|line| line.contains("complete")), "{}", self.name);
        Policy::from_yaml(&tenancy.of(&kept.join("\n"))).unwrap_or_else(|error| panic!("{}: {error:?}", self.name))
    }

    /// Takes away what the caller may not see: the rows of every other tenant, and what stands in hidden columns.
    pub fn without_neighbours(&self) -> String {
        let (literal, key) = (self.literal(), self.key);
        format!(
            "DO $do$ DECLARE c record; BEGIN
               FOR c IN SELECT attrelid::regclass AS t, attname AS a FROM pg_attribute JOIN pg_class r ON r.oid = attrelid
                        WHERE r.relkind = 'r' AND relnamespace = 'public'::regnamespace AND (attname = '{key}' OR relname = 'tenants' AND attname = 'id')
               LOOP EXECUTE format('DELETE FROM %s WHERE %I <> {}', c.t, c.a); END LOOP;
               FOR c IN SELECT attrelid::regclass AS t, attname AS a FROM pg_attribute JOIN pg_class r ON r.oid = attrelid
                        WHERE r.relkind = 'r' AND relnamespace = 'public'::regnamespace AND attname IN ('password_hash', 'tax_number')
               LOOP EXECUTE format('UPDATE %s SET %I = %L', c.t, c.a, 'another'); END LOOP;
             END $do$; ANALYZE",
            literal.replace('\'', "''")
        )
    }

    pub fn context(&self) -> Context {
        Context::new().with(self.key, self.value)
    }

    /// A caller who may see both tenants.
    pub fn context_of_two(&self) -> Context {
        Context::new().with_set(self.key, [self.value, self.neighbour])
    }

    /// Type and value of `$1`, as the server spells them.
    pub fn parameter(&self, array: bool) -> (String, String) {
        if array {
            (format!("{}[]", self.key_type), format!("{{{}}}", self.value))
        } else {
            (self.key_type.to_owned(), self.value.to_owned())
        }
    }

    /// The caller's value as a literal of SQL.
    fn literal(&self) -> String {
        if self.key_type == "bigint" { self.value.to_owned() } else { format!("'{}'", self.value) }
    }
}

impl Query {
    /// The text to check in that mode. An array parameter becomes `ARRAY[…]`, as agents write it.
    pub fn text(&self, world: &World, tenancy: Tenancy) -> String {
        match tenancy {
            Tenancy::Bound => self.sql.clone(),
            Tenancy::Literal => {
                let literal = world.literal();
                self.sql
                    .replace("ANY($1", &format!("ANY(ARRAY[{literal}]"))
                    .replace("ANY ($1", &format!("ANY (ARRAY[{literal}]"))
                    .replace("$1", &literal)
            }
        }
    }

    /// What the file says about a denial in that mode.
    pub fn refused(&self, tenancy: Tenancy) -> Option<&Refused> {
        self.refused.as_ref().filter(|refused| tenancy == Tenancy::Bound || !refused.bound_only)
    }

    /// The text for a caller of several tenants; `None` where `$1` stands in another form than `= $1`.
    pub fn text_for_many(&self) -> Option<String> {
        let text = self.sql.replace("= $1", "= ANY($1)");
        let rest = text.replace("= ANY($1)", "");
        (!rest.contains("$1") && !text.contains("ANY($1)::")).then_some(text)
    }

    /// `$1` is an array.
    pub fn binds_array(&self) -> bool {
        self.sql.contains("ANY($1") || self.sql.contains("ANY ($1")
    }
}
