//! Which functions, operators, types and collations a policy allows, by name.
//!
//! Receives the profiles' data files and a policy's lists, returns look-ups for `resolve`. Never asks a database.

/// Everything that one policy allows by name.
#[derive(Debug, Default)]
pub struct Catalog {}

/// The lists of a policy, each entry in its one spelling, sorted bytewise, unique (`search_path`: in its order).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lists {
    /// Schemas for unqualified names.
    pub search_path: Vec<String>,
    /// Names of profiles.
    pub profiles: Vec<String>,
    /// `name` for one of PostgreSQL's own, else `schema.name`.
    pub functions_allow: Vec<String>,
    /// As `functions_allow`.
    pub functions_deny: Vec<String>,
    /// `<->`, or `OPERATOR(schema.<->)`.
    pub operators_allow: Vec<String>,
    /// As `functions_allow`.
    pub types_allow: Vec<String>,
    /// As `functions_allow`.
    pub collations: Vec<String>,
}

/// An allowed function, as much as the rules need to know of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// How it is called.
    pub kind: FunctionKind,
    /// It returns a set of rows.
    pub returns_set: bool,
    /// Names of its OUT columns where it has several or a named one (`jsonb_each`: key, value), in the server's order.
    pub out_columns: Vec<String>,
    /// Its result has no known columns: it needs a column definition list in FROM (`jsonb_to_recordset`).
    pub returns_record: bool,
    /// A small argument can make it produce much: the rule `limits.complexity` looks at its arguments.
    pub held: Option<Held>,
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
    /// A function that the policy lists by itself: nothing is known of it.
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
    /// Builds the look-ups for one policy.
    ///
    /// # Errors
    /// A profile that is not built yet.
    pub fn new(lists: &Lists) -> Result<Catalog, String> {
        let _ = lists;
        Ok(Catalog::default())
    }

    /// The allowed function of that name, called with `arguments` arguments.
    ///
    /// `schema` as written (`None`: unqualified, which finds `pg_catalog` first and then a policy's own function in the
    /// first schema of `search_path`, where the policy allows it). `None`: not allowed.
    #[must_use]
    pub fn function(&self, schema: Option<&str>, name: &str, arguments: usize) -> Option<&Function> {
        let _ = (schema, name, arguments);
        None
    }

    /// Whether the operator may be used. `schema`: that of `OPERATOR(schema.name)`, where one is written.
    #[must_use]
    pub fn operator(&self, schema: Option<&str>, name: &str) -> bool {
        let _ = (schema, name);
        false
    }

    /// Whether the type may be named. The grammar's own spellings (`int`, `timestamp with time zone`) arrive as
    /// `pg_catalog.int4` and the like; an unqualified name finds `pg_catalog` first, then a policy's type in the first schema
    /// of `search_path`.
    #[must_use]
    pub fn ty(&self, schema: Option<&str>, name: &str) -> bool {
        let _ = (schema, name);
        false
    }

    /// Whether the collation may be named in COLLATE.
    #[must_use]
    pub fn collation(&self, schema: Option<&str>, name: &str) -> bool {
        let _ = (schema, name);
        false
    }
}
