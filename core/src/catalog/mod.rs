//! Which functions, operators, types and collations a policy allows, by name.
//!
//! Receives the profiles' data files and a policy's lists, returns look-ups for `resolve`. Never asks a database.

mod name;
mod names;
mod profile;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::fmt;

pub use names::{AllowedNames, PROFILE_EXTENSIONS};
pub use profile::{profile_sha256, profiles, why_excluded};

use name::Name;
use profile::{Home, Known, Way};

/// The schema of PostgreSQL's own objects, which the server always searches first.
const SYSTEM: &str = "pg_catalog";

/// Everything that one policy allows by name.
#[derive(Default)]
pub struct Catalog {
    /// `pg_catalog`'s, from the profiles.
    functions: HashMap<&'static str, &'static [Way]>,
    /// The extensions', from their profiles: found unqualified, and in every schema of `search_path`, because only the
    /// database knows which of them an extension lies in (docs/adr/0008-profiles-of-extensions.md).
    extension_functions: HashMap<&'static str, &'static [Way]>,
    /// By schema and name: those that the policy lists beyond the profiles, about which nothing else is known.
    listed_functions: HashMap<String, HashMap<String, Function>>,
    operators: Names,
    types: Names,
    collations: Names,
    /// Its first is the only schema besides `pg_catalog` where an unqualified name of the policy's own is known to be found.
    search_path: Vec<String>,
    known: Option<&'static Known>,
}

impl fmt::Debug for Catalog {
    /// How much is allowed, not what: that is thousands of names.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Catalog").field("functions", &self.functions.len()).finish_non_exhaustive()
    }
}

/// What a policy lists, as it spells it. Sets, but for `search_path`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lists {
    /// Schemas, bare catalogue names.
    pub search_path: Vec<String>,
    /// Names of profiles.
    pub profiles: Vec<String>,
    /// `name` (of `pg_catalog`) or `schema.name`, in SQL quoting.
    pub functions_allow: Vec<String>,
    /// Likewise; wins over everything else.
    pub functions_deny: Vec<String>,
    /// `<->` or `OPERATOR(schema.<->)`.
    pub operators_allow: Vec<String>,
    /// `name` (of `pg_catalog`) or `schema.name`, in SQL quoting.
    pub types_allow: Vec<String>,
    /// `name` (of `pg_catalog`) or `schema.name`, in SQL quoting.
    pub collations: Vec<String>,
}

/// An allowed function, as much as the rules need to know of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// How it is called.
    pub kind: FunctionKind,
    /// An ordered-set or hypothetical-set aggregate, which needs WITHIN GROUP (`percentile_cont`, `mode`, `rank`): its
    /// arguments are counted with those of WITHIN GROUP. False: WITHIN GROUP does not go with it.
    pub within_group: bool,
    /// It returns a set of rows.
    pub returns_set: bool,
    /// Names of its OUT columns where it has several or a named one (`jsonb_each`: key, value), in the server's order.
    pub out_columns: Vec<String>,
    /// Names of its OUT columns under an overload that only the argument's type tells (`unnest(tsvector)`: lexeme, positions,
    /// weights). Empty nearly always.
    pub other_out_columns: Vec<String>,
    /// Its result has no known columns: it needs a column definition list in FROM (`jsonb_to_recordset`).
    pub returns_record: bool,
    /// Its result is of a type whose literals read the catalogue (`pg_typeof`: `regtype`). Beside such a value the server
    /// reads an untyped literal as that type (`coalesce(pg_typeof(1), '16403')` names the table with that number), so a
    /// call may stand only directly under a cast to text.
    pub only_as_text: bool,
    /// One of its arguments may only be a small whole number, written out; else the call is denied.
    pub small: Option<Small>,
    /// A small argument can make it produce much: the rule `limits.complexity` looks at its arguments.
    pub held: Option<Held>,
}

/// An argument that may only be a whole number: it says how much comes back, or as text it would mean something else
/// (`ST_Transform(geom, '+init=file:…')` reads a file of the server).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Small {
    /// Which argument, from 0.
    pub argument: usize,
    /// The greatest number allowed.
    pub most: i32,
}

/// How a function is called (`pg_proc.prokind` and `aggkind`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// An ordinary function.
    Plain,
    /// An aggregate, ordered-set and hypothetical-set ones included.
    Aggregate,
    /// A pure window function (`rank`, `lag`): only with OVER.
    Window,
    /// A function that the policy lists by itself, or an extension's that is plain or an aggregate by its argument's type
    /// (`ST_Union`): it may be any of these.
    Unknown,
}

/// Functions whose output is not bounded by the size of their input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// `repeat(text, n)`.
    Repeat,
    /// `lpad(text, n, …)`, `rpad(text, n, …)`.
    Pad,
    /// `generate_series(…)`.
    Series,
    /// `array_fill(value, ARRAY[dimensions], …)`.
    ArrayFill,
    /// `factorial(n)`.
    Factorial,
    /// `power(a, b)`, `pow(a, b)`; the operator `^` is held alike.
    Power,
    /// `format(text, …)`: a width in the format.
    Format,
    /// A regular expression as the second argument: `regexp_*`, `substring(text, pattern)`.
    Regex,
}

impl Catalog {
    /// Everything that the lists allow.
    ///
    /// # Errors
    /// A profile that is unknown, an entry that is no name.
    pub fn new(lists: &Lists) -> Result<Catalog, String> {
        let tables = profile::tables()?;
        let mut catalog =
            Catalog { search_path: lists.search_path.clone(), known: Some(&tables.known), ..Catalog::default() };
        for name in &lists.profiles {
            let profile = tables.profile(name)?;
            let functions = profile.functions.iter().map(|(name, ways)| (*name, &**ways));
            catalog.functions_of(profile.home).extend(functions);
            catalog.operators.of(profile.home).extend(profile.operators.iter().map(|name| (*name).to_owned()));
            catalog.types.of(profile.home).extend(profile.types.iter().map(|name| (*name).to_owned()));
            catalog.collations.of(profile.home).extend(profile.collations.iter().map(|name| (*name).to_owned()));
        }
        for entry in &lists.functions_allow {
            let (schema, name) = system_unless(name::parse(entry)?);
            // A name that some profile knows keeps that profile's argument counts: what they shut out is never opened.
            match tables.ways(&name).filter(|_| schema == SYSTEM) {
                Some((home, name, ways)) => {
                    catalog.functions_of(home).insert(name, ways);
                }
                None => {
                    catalog.listed_functions.entry(schema).or_default().insert(name, Function::unknown());
                }
            }
        }
        for entry in &lists.functions_deny {
            let (schema, name) = system_unless(name::parse(entry)?);
            if schema == SYSTEM {
                catalog.functions.remove(&*name);
            }
            // FAIL-CLOSED: `deny: [public.similarity]` takes the extension's away wherever it lies.
            catalog.extension_functions.remove(&*name);
            if let Some(functions) = catalog.listed_functions.get_mut(&schema) {
                functions.remove(&name);
            }
        }
        for entry in &lists.operators_allow {
            catalog.operators.add(name::parse_operator(entry)?);
        }
        for entry in &lists.types_allow {
            let (schema, name) = name::parse(entry)?;
            if schema.as_deref().is_none_or(|schema| schema == SYSTEM) {
                // The server's own name for its array type.
                catalog.types.add((None, format!("_{name}")));
            }
            catalog.types.add((schema, name));
        }
        for entry in &lists.collations {
            catalog.collations.add(name::parse(entry)?);
        }
        Ok(catalog)
    }

    /// The allowed function of that name, called with `arguments` arguments (an aggregate's with those of WITHIN GROUP; a
    /// VARIADIC array is one). Names that are both window function and aggregate (`rank`) are told apart by the number.
    ///
    /// `schema` as written (`None`: unqualified, which finds `pg_catalog` first and then a policy's own function in the
    /// first schema of `search_path`, or an extension's in any, where the policy allows it). `None`: not allowed.
    #[must_use]
    pub fn function(&self, schema: Option<&str>, name: &str, arguments: usize) -> Option<&Function> {
        if schema.is_none_or(|schema| schema == SYSTEM)
            && let Some(ways) = self.functions.get(name)
        {
            return ways.iter().find(|way| way.takes(arguments)).map(|way| &way.function);
        }
        let listed = |schema: &str| self.listed_functions.get(schema)?.get(name);
        let extensions = || {
            let ways = self.extension_functions.get(name)?;
            ways.iter().find(|way| way.takes(arguments)).map(|way| &way.function)
        };
        match schema {
            Some(schema) => listed(schema).or_else(|| if self.is_searched(schema) { extensions() } else { None }),
            None => listed(SYSTEM).or_else(|| {
                // FAIL-CLOSED: the server would find its own function of that name, allowed or not, or a cast to its type.
                if self.is_taken(name) { None } else { listed(self.search_path.first()?).or_else(extensions) }
            }),
        }
    }

    /// Whether one of these profiles holds the function, by its spelling in a policy. An extension's may be spelled with any schema.
    #[must_use]
    pub fn is_in_profiles(&self, entry: &str, profiles: &[String]) -> bool {
        let (Ok((schema, name)), Ok(tables)) = (name::parse(entry), profile::tables()) else { return false };
        let own = schema.is_none_or(|schema| schema == SYSTEM);
        let mut listed = profiles.iter().filter_map(|profile| tables.profile(profile).ok());
        listed.any(|profile| (own || profile.home == Home::Extension) && profile.holds(&name))
    }

    fn is_searched(&self, schema: &str) -> bool {
        self.search_path.iter().any(|searched| searched == schema)
    }

    fn functions_of(&mut self, home: Home) -> &mut HashMap<&'static str, &'static [Way]> {
        match home {
            Home::System => &mut self.functions,
            Home::Extension => &mut self.extension_functions,
        }
    }

    /// Whether `pg_catalog` has a function or type of that name, allowed or not: the server finds it before anything else.
    #[must_use]
    pub fn is_taken(&self, name: &str) -> bool {
        self.known.is_none_or(|known| known.is_function(name) || known.is_type(name))
    }

    /// Whether a text may mean something else where this function, by its spelling in the policy, is not allowed: a column of its name
    /// (`f(t)`), because a text reaches it without a schema, or an extension's function of its name.
    #[must_use]
    pub fn stands_before_others(&self, entry: &str) -> bool {
        // FAIL-CLOSED: what is no name was refused when the policy was loaded.
        let Ok((schema, name)) = name::parse(entry) else { return true };
        let reached = schema
            .is_none_or(|schema| schema == SYSTEM || self.search_path.first().is_some_and(|first| *first == schema));
        (reached && !self.is_taken(&name)) || is_of_extension(&name)
    }

    /// Whether a text reaches a function without its schema that is not PostgreSQL's own.
    #[must_use]
    pub fn reaches_own_functions(&self) -> bool {
        !self.listed_functions.is_empty() || !self.extension_functions.is_empty()
    }

    /// Whether the operator may be used. `schema`: that of `OPERATOR(schema.name)`, where one is written. An extension's is
    /// found unqualified and in every schema of `search_path`.
    #[must_use]
    pub fn operator(&self, schema: Option<&str>, name: &str) -> bool {
        self.operators
            .holds(schema, name, &self.search_path, || self.known.is_none_or(|known| known.operators.contains(name)))
    }

    /// Whether the type may be named. The grammar's own spellings (`int`, `timestamp with time zone`) arrive as
    /// `pg_catalog.int4` and the like; an unqualified name finds `pg_catalog` first, then a policy's type in the first schema
    /// of `search_path`, or an extension's in any.
    #[must_use]
    pub fn ty(&self, schema: Option<&str>, name: &str) -> bool {
        self.types.holds(schema, name, &self.search_path, || self.known.is_none_or(|known| known.is_type(name)))
    }

    /// Whether a type, as a policy spells a column's, is one of PostgreSQL's own scalar types or an array of one: a value of it
    /// has no fields that could answer to a name.
    #[must_use]
    pub fn is_scalar(&self, ty: &str) -> bool {
        const SPELLED: [&str; 9] = [
            "int",
            "integer",
            "bigint",
            "smallint",
            "real",
            "double precision",
            "decimal",
            "boolean",
            "character varying",
        ];
        let name = ty.split(['(', '[']).next().unwrap_or_default().trim().to_ascii_lowercase();
        SPELLED.contains(&&*name) || self.is_builtin_scalar(&name)
    }

    /// An allowed type of PostgreSQL's own without fields. `unnest` of a tsvector has three columns.
    #[must_use]
    pub fn is_builtin_scalar(&self, name: &str) -> bool {
        self.ty(Some(SYSTEM), name) && !matches!(name, "record" | "tsvector")
    }

    /// Whether the collation may be named in COLLATE.
    #[must_use]
    pub fn collation(&self, schema: Option<&str>, name: &str) -> bool {
        self.collations.holds(schema, name, &self.search_path, || false)
    }
}

/// Allowed names of one kind.
#[derive(Debug, Default)]
struct Names {
    /// In `pg_catalog`.
    system: HashSet<String>,
    /// Of extensions, wherever in `search_path` they lie.
    extensions: HashSet<String>,
    /// By schema.
    listed: HashMap<String, HashSet<String>>,
}

impl Names {
    fn of(&mut self, home: Home) -> &mut HashSet<String> {
        match home {
            Home::System => &mut self.system,
            Home::Extension => &mut self.extensions,
        }
    }

    fn add(&mut self, name: Name) {
        match system_unless(name) {
            (schema, name) if schema == SYSTEM => self.system.insert(name),
            (schema, name) => self.listed.entry(schema).or_default().insert(name),
        };
    }

    /// `taken`: `pg_catalog` has the name, so that an unqualified one is that, allowed or not.
    fn holds(&self, schema: Option<&str>, name: &str, path: &[String], taken: impl Fn() -> bool) -> bool {
        let listed = |schema: &str| self.listed.get(schema).is_some_and(|names| names.contains(name));
        let extensions = self.extensions.contains(name);
        match schema {
            Some(SYSTEM) => self.system.contains(name),
            Some(schema) => listed(schema) || (extensions && path.iter().any(|searched| searched == schema)),
            None => {
                self.system.contains(name)
                    || (!taken() && path.first().is_some_and(|first| extensions || listed(first)))
            }
        }
    }
}

impl Known {
    /// `pg_catalog` has a function of that name, or may have on another version than the profiles were made from.
    fn is_function(&self, name: &str) -> bool {
        name.starts_with("pg_") || self.functions.contains(name)
    }

    /// `pg_catalog` has a type of that name, or an array type by the server's own name for it.
    fn is_type(&self, name: &str) -> bool {
        self.types.contains(name) || name.strip_prefix('_').is_some_and(|element| self.types.contains(element))
    }
}

impl Function {
    /// A function about which the policy says no more than its name.
    const fn unknown() -> Function {
        Function {
            kind: FunctionKind::Unknown,
            within_group: false,
            returns_set: false,
            out_columns: Vec::new(),
            other_out_columns: Vec::new(),
            returns_record: false,
            only_as_text: false,
            small: None,
            held: None,
        }
    }
}

/// Whether a profile of an extension holds the function.
fn is_of_extension(name: &str) -> bool {
    profile::tables().is_ok_and(|tables| tables.ways(name).is_some_and(|(home, _, _)| home == Home::Extension))
}

fn system_unless((schema, name): Name) -> (String, String) {
    (schema.unwrap_or_else(|| SYSTEM.to_owned()), name)
}
