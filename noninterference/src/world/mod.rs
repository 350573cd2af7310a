//! The schemas that queries are written for: their tables as the generator sees them, their policies, their callers.
//!
//! A world is loaded twice. The twins agree on what its callers may see, and on nothing else ([`fill`]).

pub mod fill;
mod keys;
mod text;
mod writes;

use haltsql::{Context, Policy};

pub use writes::Writable;

/// The type of a column, as far as the generator tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    /// int4.
    Int,
    /// int8.
    Big,
    /// text or varchar.
    Text,
    /// text under the case-insensitive collation.
    Ci,
    /// numeric.
    Num,
    /// real.
    Real,
    /// uuid.
    Uuid,
    /// boolean.
    Bool,
    /// date.
    Date,
    /// jsonb.
    Json,
    /// `text[]`.
    Tags,
    /// `app.state`.
    State,
    /// `app.dims`.
    Dims,
}

/// Whether the policy makes a column readable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// It does.
    Readable,
    /// It knows the column and hides it.
    Hidden,
    /// It does not know the column.
    Unlisted,
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub ty: Ty,
    /// Whether it may be read.
    pub seen: Seen,
}

/// Whose a table's rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Each row has a tenant.
    Tenant,
    /// Everybody's.
    Shared,
    /// In no policy.
    Forbidden,
}

/// A table.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// Schema.
    pub schema: &'static str,
    /// Name.
    pub name: &'static str,
    /// Columns in the table's order.
    pub columns: &'static [Column],
    /// Whose rows it holds.
    pub sharing: Sharing,
    /// The column of each of the world's keys.
    pub keys: &'static [Option<&'static str>],
    /// What identifies a row.
    pub identity: &'static [&'static str],
    /// Whether the policy knows all columns.
    pub complete: bool,
}

/// The type of a tenant key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyType {
    /// text.
    Text,
    /// uuid.
    Uuid,
    /// integer.
    Integer,
}

/// A tenant key.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name in the context.
    pub context: &'static str,
    /// Its type.
    pub ty: KeyType,
    /// Other values, most of which have rows in one of the twins.
    pub neighbours: &'static [&'static str],
}

/// Who asks: for each key the values, and whether they are given as a set.
#[derive(Clone, Copy, Debug)]
pub struct Caller {
    /// By key.
    pub values: &'static [&'static [&'static str]],
    /// Given as an array, also where it is one value.
    pub set: bool,
}

/// A schema with its policies and callers.
#[derive(Clone, Copy, Debug)]
pub struct World {
    /// Its name.
    pub name: &'static str,
    /// The DDL.
    pub ddl: &'static str,
    /// What a schema looks like that the doctor warns of: run after filling, with the visible values for `{visible}`.
    pub careless: &'static str,
    /// Sequences that defaults draw from.
    pub sequences: &'static [&'static str],
    /// The policy in bound and in literal mode.
    pub policies: [&'static str; 2],
    /// The keys in the policy's order.
    pub keys: &'static [Key],
    /// The tables.
    pub tables: &'static [Table],
    /// The callers; every value of every caller is equal in both twins.
    pub callers: &'static [Caller],
}

/// All worlds.
pub const WORLDS: [&World; 2] = [&text::WORLD, &keys::WORLD];

impl World {
    /// The policy of a mode.
    ///
    /// # Errors
    /// The policy is invalid.
    pub fn policy(&self, bound: bool) -> Result<Policy, String> {
        let document = self.policies[usize::from(!bound)];
        Policy::from_yaml(document).map_err(|error| format!("{}: {error}", self.name))
    }

    /// A caller's context.
    #[must_use]
    pub fn context(&self, caller: &Caller) -> Context {
        let mut context = Context::new();
        for (key, values) in self.keys.iter().zip(caller.values) {
            context = if caller.set {
                context.with_set(key.context, values.iter().copied())
            } else {
                context.with(key.context, values[0])
            };
        }
        context
    }

    /// The same as JSON.
    #[must_use]
    pub fn context_json(&self, caller: &Caller) -> serde_json::Value {
        let values = self.keys.iter().zip(caller.values).map(|(key, values)| {
            let value = if caller.set { serde_json::json!(values) } else { serde_json::json!(values[0]) };
            (key.context.to_owned(), value)
        });
        serde_json::Value::Object(values.collect())
    }

    /// Whether some caller may see rows with this value of a key.
    #[must_use]
    pub fn is_visible(&self, key: usize, value: &str) -> bool {
        self.callers.iter().any(|caller| caller.values[key].contains(&value))
    }
}

const fn column(name: &'static str, ty: Ty) -> Column {
    Column { name, ty, seen: Seen::Readable }
}

const fn hidden(name: &'static str, ty: Ty) -> Column {
    Column { name, ty, seen: Seen::Hidden }
}

const fn unlisted(name: &'static str, ty: Ty) -> Column {
    Column { name, ty, seen: Seen::Unlisted }
}
