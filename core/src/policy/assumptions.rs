//! What a policy takes for granted about the database that its verdicts are about.
//!
//! Receives a policy, returns its assumptions as plain data. Asks no database: whoever has one compares (`haltsql policy doctor`,
//! docs/doctor.md). Hidden names stand in it, so it is for the operator and never for whoever writes the SQL.

use super::model::{Policy, Seal, TenancyMode};
use crate::catalog::AllowedNames;

/// What has to be true of the database for a verdict to hold. See [`Policy::assumptions`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumptions<'p> {
    /// The schemas of the pinned path, in order.
    pub search_path: &'p [String],
    /// Queries hold the caller's value itself (`tenancy.mode: literal`), and not `$n`.
    pub literal: bool,
    /// Empty: the policy has no tenancy.
    pub keys: Vec<AssumedKey<'p>>,
    /// Sorted by schema and name.
    pub tables: Vec<AssumedTable<'p>>,
    /// Functions that may be called.
    pub functions: AllowedNames,
    /// Operators that may be used.
    pub operators: AllowedNames,
    /// Types that may be named.
    pub types: AllowedNames,
    /// `execution.seal`.
    pub seal: Seal,
    /// `execution.role` as a template: around `{context.<key>}`, if it stands there, literal text. Only `seal: login` has one.
    pub role: Option<&'p str>,
}

/// A tenant key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AssumedKey<'p> {
    /// The column that carries it by default, and its name.
    pub column: &'p str,
    /// The key of the check's context that holds the caller's value.
    pub context: &'p str,
    /// `text`, `uuid` or `integer`.
    pub ty: &'static str,
}

/// A listed relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssumedTable<'p> {
    /// Catalogue name of the schema.
    pub schema: &'p str,
    /// Catalogue name of the relation.
    pub name: &'p str,
    /// Both as SQL writes them.
    pub display: &'p str,
    /// Sorted by name.
    pub columns: Vec<AssumedColumn<'p>>,
    /// `columns` are all that the relation has.
    pub complete: bool,
    /// By the position of the key in [`Assumptions::keys`]: the column that carries it, if one does.
    pub tenant: Vec<Option<&'p str>>,
    /// Columns that an INSERT may fill; empty where none is open.
    pub insert: &'p [String],
    /// Columns that an UPDATE may set; empty where none is open.
    pub update: &'p [String],
    /// Rows may be deleted.
    pub delete: bool,
}

/// A column that the policy names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AssumedColumn<'p> {
    /// Catalogue name.
    pub name: &'p str,
    /// False: hidden.
    pub readable: bool,
    /// The type, where the policy tells it, as the policy spells it.
    pub ty: Option<&'p str>,
}

impl AssumedTable<'_> {
    /// Whether any statement that the policy opens may change its rows.
    #[must_use]
    pub fn is_writable(&self) -> bool {
        self.delete || !self.insert.is_empty() || !self.update.is_empty()
    }
}

impl Policy {
    /// What the policy takes for granted about the database.
    #[must_use]
    pub fn assumptions(&self) -> Assumptions<'_> {
        let keys = self.tenancy.iter().flat_map(|tenancy| &tenancy.keys);
        let tables = self.tables.iter().map(|table| {
            let write = table.write.as_ref();
            let column = |at: &Option<usize>| table.columns.get((*at)?).map(|column| &*column.name);
            AssumedTable {
                schema: &table.schema,
                name: &table.name,
                display: &table.display,
                columns: table
                    .columns
                    .iter()
                    .map(|column| AssumedColumn {
                        name: &column.name,
                        readable: column.readable,
                        ty: column.ty.as_deref(),
                    })
                    .collect(),
                complete: table.complete,
                tenant: table.tenant_columns.iter().map(column).collect(),
                insert: write.filter(|_| self.statements.insert).map_or(&[], |write| &write.insert),
                update: write.filter(|_| self.statements.update).map_or(&[], |write| &write.update),
                delete: self.statements.delete && write.is_some_and(|write| write.delete),
            }
        });
        Assumptions {
            search_path: &self.search_path,
            literal: self.tenancy.as_ref().is_some_and(|tenancy| tenancy.mode == TenancyMode::Literal),
            keys: keys
                .map(|key| AssumedKey { column: &key.column, context: &key.context, ty: key.ty.as_str() })
                .collect(),
            tables: tables.collect(),
            functions: self.catalog.function_names(),
            operators: self.catalog.operator_names(),
            types: self.catalog.type_names(),
            seal: self.execution.seal,
            role: self.execution.role.as_deref(),
        }
    }
}
