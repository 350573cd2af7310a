//! The policy as the rest of the core reads it: validated, normalised, immutable.
//!
//! Receives nothing from a caller (`load` builds it). Holds no document positions, no defaults still to be applied, no
//! name that was not checked.

use crate::catalog::{Catalog, Lists};

/// A validated policy. Immutable; share it between threads behind an `Arc`.
#[derive(Debug)]
pub struct Policy {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    /// `sha256:<hex>` over the RFC 8785 form of the normalised policy.
    pub(crate) version: String,
    /// The normal form itself (RFC 8785 JSON), what `version` is computed over.
    pub(crate) normal_form: String,
    pub(crate) mode: Mode,
    /// Schemas for unqualified names, in order.
    pub(crate) search_path: Vec<String>,
    pub(crate) require_qualified: bool,
    pub(crate) statements: Statements,
    pub(crate) tenancy: Option<Tenancy>,
    /// Sorted by (schema, name), unique.
    pub(crate) tables: Vec<Table>,
    /// What the profiles and lists of the policy allow by name.
    pub(crate) catalog: Catalog,
    /// Those lists themselves, in their one spelling.
    pub(crate) lists: Lists,
    pub(crate) limits: Limits,
    pub(crate) execution: Execution,
}

/// Whether denials bind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A denial denies.
    Enforce,
    /// Everything is allowed, and what would have been denied is reported: a shadow verdict protects nothing.
    Shadow,
}

/// Kinds of statement that a policy opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statements {
    /// `SELECT`, `VALUES`, `TABLE`.
    pub select: bool,
    /// `INSERT`.
    pub insert: bool,
    /// `UPDATE`.
    pub update: bool,
    /// `DELETE`.
    pub delete: bool,
}

/// How rows are scoped to the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tenancy {
    /// Where the caller's value stands.
    pub mode: TenancyMode,
    /// At least one; unique by column.
    pub keys: Vec<TenantKey>,
}

/// Where the caller's value stands in the SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TenancyMode {
    /// `$n` in the SQL, the value in the verdict's `bind_params`.
    Bound,
    /// The value itself in the SQL.
    Literal,
}

/// One tenant key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TenantKey {
    /// The column that carries it in every table that does not say otherwise.
    pub column: String,
    /// The key of the check's context that holds the caller's value or values.
    pub context: String,
    /// Decides which spellings are the same value.
    pub ty: KeyType,
}

/// The type of a tenant key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyType {
    /// `text` or `varchar` columns; exact characters.
    Text,
    /// `uuid` columns.
    Uuid,
    /// `int2`, `int4`, `int8` columns.
    Integer,
}

impl KeyType {
    /// The spelling in policies and in `bind_params`: `text`, `uuid`, `integer`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            KeyType::Text => "text",
            KeyType::Uuid => "uuid",
            KeyType::Integer => "integer",
        }
    }
}

/// A relation that the policy lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub(crate) schema: String,
    pub(crate) name: String,
    /// `schema.name`, each part quoted as PostgreSQL's `quote_ident` would: as the verdict spells it.
    pub(crate) display: String,
    /// Readable and hidden columns, sorted by name bytewise, unique.
    pub(crate) columns: Vec<Column>,
    /// The columns above are all that the table has.
    pub(crate) complete: bool,
    /// Declared to carry no tenant key.
    pub(crate) shared: bool,
    /// For each tenant key, by its position in `Tenancy::keys`: the index into `columns` of the column that carries it,
    /// or `None` where the table is declared not to carry it. Empty where the policy has no tenancy.
    pub(crate) tenant_columns: Vec<Option<usize>>,
    pub(crate) write: Option<Write>,
}

/// A column of a listed table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub(crate) name: String,
    /// `schema.table.name`, quoted like [`Table::display`]: as the verdict spells it.
    pub(crate) display: String,
    /// False: hidden, known only so that names can be resolved.
    pub(crate) readable: bool,
    /// For `describe()` alone.
    pub(crate) ty: Option<String>,
    /// For `describe()` alone.
    pub(crate) description: Option<String>,
}

/// What may be written to a table. Column names as in `Table::columns`, sorted bytewise, unique.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    pub(crate) insert: Vec<String>,
    pub(crate) update: Vec<String>,
    pub(crate) delete: bool,
}

/// Bounds on what a statement may ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    pub(crate) max_sql_bytes: u64,
    pub(crate) max_relations: u64,
    pub(crate) max_depth: u64,
    pub(crate) require_limit: bool,
    pub(crate) max_limit: Option<u64>,
    /// True: `cartesian: deny`.
    pub(crate) cartesian_denied: bool,
    pub(crate) recursive: Recursive,
    pub(crate) max_generated: u64,
    pub(crate) max_grouping_sets: u64,
}

/// Which recursive queries a policy lets through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recursive {
    /// None.
    Deny,
    /// Those with a form that ends.
    Bounded,
    /// All.
    Allow,
}

/// What transaction-owning guards pin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    pub(crate) role: Option<String>,
    pub(crate) seal: Seal,
    pub(crate) pin_key: Option<PinKey>,
    /// Sorted by name.
    pub(crate) settings: Vec<(String, SettingValue)>,
    pub(crate) isolation: Isolation,
    pub(crate) timezone: String,
    pub(crate) statement_timeout_ms: u64,
    pub(crate) lock_timeout_ms: u64,
    pub(crate) idle_in_transaction_session_timeout_ms: u64,
    pub(crate) max_rows: u64,
    pub(crate) max_result_bytes: u64,
}

/// How the database itself holds a session to its tenant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seal {
    /// Not at all.
    None,
    /// A signed setting and row security.
    Signed,
    /// A login role per tenant.
    Login,
    /// A setting and `SET LOCAL ROLE`.
    Bare,
}

impl Seal {
    /// The spelling in policies.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Seal::None => "none",
            Seal::Signed => "signed",
            Seal::Login => "login",
            Seal::Bare => "bare",
        }
    }
}

/// Where the key of signed pins comes from. Never the key itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinKey {
    pub(crate) kid: String,
    pub(crate) source: PinKeySource,
}

/// The place of a pin key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PinKeySource {
    /// An environment variable.
    Env(String),
    /// A file.
    File(String),
}

/// The value of a setting that a guard pins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingValue {
    /// As it stands.
    Text(String),
    /// The context's value under this key: `{context.<key>}`.
    Context(String),
}

/// A transaction's isolation level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// `READ COMMITTED`.
    ReadCommitted,
    /// `REPEATABLE READ`.
    RepeatableRead,
    /// `SERIALIZABLE`.
    Serializable,
}

impl Policy {
    /// The policy's `metadata.name`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// `sha256:<hex>` over the normalised policy: the same for YAML and JSON, for any order of keys and of sets.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The normal form that `version` is computed over (RFC 8785 JSON).
    #[must_use]
    pub fn normal_form(&self) -> &str {
        &self.normal_form
    }

    /// Whether denials bind.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The schemas that unqualified names are resolved against.
    #[must_use]
    pub fn search_path(&self) -> &[String] {
        &self.search_path
    }

    /// The listed relation of that name, with its index.
    pub(crate) fn table(&self, schema: &str, name: &str) -> Option<(usize, &Table)> {
        let at = self.tables.binary_search_by(|table| (&*table.schema, &*table.name).cmp(&(schema, name))).ok()?;
        Some((at, self.tables.get(at)?))
    }
}

impl Column {
    /// A column of that name; it gets its `display` when its table is whole.
    pub(crate) fn new(name: String, readable: bool) -> Self {
        Column { name, display: String::new(), readable, ty: None, description: None }
    }
}

impl Table {
    /// The column of that name, readable or hidden, with its index.
    pub(crate) fn column(&self, name: &str) -> Option<(usize, &Column)> {
        let at = self.columns.binary_search_by(|column| (*column.name).cmp(name)).ok()?;
        Some((at, self.columns.get(at)?))
    }
}
