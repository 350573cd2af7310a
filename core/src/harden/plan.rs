//! What a policy wants of a database, in the terms of both the script and the check.
//!
//! Receives a policy, returns names and predicates. Decides here, once, what a role may do and what holds a row to its tenant.

use std::collections::BTreeSet;

use sha2::{Digest as _, Sha256};

use super::HardenError;
use super::script::{literal, pairs};
use crate::catalog::AllowedNames;
use crate::policy::{KeyType, Policy, Seal, SettingValue, Table, Tenancy, TenantKey};
use crate::quote::quote_ident;

/// Keeps what everybody loses, for everybody else.
pub(super) const UNSEALED: &str = "haltsql_unsealed";
/// Owns the pin's function, and alone reads the keys.
pub(super) const KEYRING: &str = "haltsql_keyring";
/// Holds the pin's function and the keys.
pub(super) const SCHEMA: &str = "haltsql";
/// How the comment on a sealed role begins: other policies' scripts know it by that.
pub(super) const MARK: &str = "sealed by HaltSQL";

const LONGEST_NAME: usize = 63;

/// What is wanted.
pub(super) struct Plan<'p> {
    pub seal: Seal,
    pub role: Sealed<'p>,
    pub search_path: &'p [String],
    /// Every schema that a statement may name, sorted.
    pub schemas: BTreeSet<String>,
    pub tables: Vec<PlanTable<'p>>,
    pub functions: AllowedNames,
    pub operators: AllowedNames,
    /// The key that the policy's pins are signed with.
    pub kid: Option<&'p str>,
}

/// Who is sealed.
pub(super) enum Sealed<'p> {
    /// One role.
    One(&'p str),
    /// A login role for each tenant, named around the tenant's value, and the group that holds their rights.
    PerTenant { before: &'p str, after: &'p str, group: String },
}

pub(super) struct PlanTable<'p> {
    pub schema: &'p str,
    pub name: &'p str,
    pub display: &'p str,
    pub readable: Vec<&'p str>,
    pub insert: &'p [String],
    pub update: &'p [String],
    pub delete: bool,
    /// One for each tenant key that it carries.
    pub holds: Vec<Hold<'p>>,
}

/// What holds a row to its tenant.
pub(super) struct Hold<'p> {
    pub column: &'p str,
    /// The right side of `column =`, as it is written.
    pub written: String,
    /// And as the server prints it: `pg_get_expr`, the same from 14 to 18.
    pub printed: String,
}

impl<'p> Plan<'p> {
    /// `None`: the policy has no seal.
    pub fn of(policy: &'p Policy) -> Result<Option<Plan<'p>>, HardenError> {
        let execution = &policy.execution;
        let Some(role) = execution.role.as_deref().filter(|_| execution.seal != Seal::None) else { return Ok(None) };
        let role = Sealed::of(role, execution.seal);
        if [UNSEALED, KEYRING, "public", "none"].contains(&role.grantee()) {
            return Err(HardenError::new(
                format!("`{}` cannot be the role of a policy", role.grantee()),
                "name a role of its own in `execution.role`",
            ));
        }
        let rhs = right_sides(policy, &role)?;
        let tables: Vec<PlanTable<'p>> = policy.tables.iter().map(|table| planned(policy, table, &rhs)).collect();
        let (functions, operators) = (policy.catalog.function_names(), policy.catalog.operator_names());
        let mut schemas: BTreeSet<String> = policy.search_path.iter().cloned().collect();
        schemas.extend(tables.iter().map(|table| table.schema.to_owned()));
        for names in [&functions, &operators, &policy.catalog.type_names()] {
            schemas.extend(names.listed.iter().map(|(schema, _)| schema.clone()));
        }
        Ok(Some(Plan {
            seal: execution.seal,
            role,
            search_path: &policy.search_path,
            schemas,
            tables,
            functions,
            operators,
            kid: execution.pin_key.as_ref().map(|key| &*key.kid),
        }))
    }

    /// The role, as the policy writes it.
    pub fn role_word(&self) -> String {
        match &self.role {
            Sealed::One(role) => (*role).to_owned(),
            Sealed::PerTenant { before, after, .. } => format!("{before}…{after}, rights through {}", self.grantee()),
        }
    }

    /// The role that holds the rights.
    pub fn grantee(&self) -> &str {
        self.role.grantee()
    }

    /// The same as SQL writes it.
    pub fn grantee_sql(&self) -> String {
        quote_ident(self.grantee()).into_owned()
    }

    /// A condition on a row of pg_roles, by its alias: it is sealed.
    pub fn is_sealed(&self, row: &str) -> String {
        match &self.role {
            Sealed::One(role) => format!("{row}.rolname = {}", literal(role)),
            Sealed::PerTenant { before, after, group } => {
                format!("({row}.rolname = {} OR {})", literal(group), fits(row, before, after))
            }
        }
    }

    /// The name of one of the policy's own row security policies: one for each role, so that policies can share a table.
    pub fn policy_name(&self, what: &str) -> String {
        let name = format!("haltsql_{what}_{}", self.grantee());
        if name.len() <= LONGEST_NAME { name } else { format!("haltsql_{what}_{}", digest(self.grantee())) }
    }

    /// The policy's tables as a table of `schema` and `name`.
    pub fn table_names(&self, alias: &str) -> String {
        let tables: Vec<(&str, &str)> = self.tables.iter().map(|table| (table.schema, table.name)).collect();
        pairs(alias, ["schema", "name"], &tables)
    }

    /// A query for the oids of functions that the role needs: those that the policy lists, those behind listed operators, and those
    /// that defaults, checks, indexes and row security of its tables call with the rights of whoever writes.
    pub fn needed_functions(&self) -> String {
        let listed = |names: &AllowedNames| {
            let names: Vec<(&str, &str)> = names.listed.iter().map(|(schema, name)| (&**schema, &**name)).collect();
            pairs("f", ["schema", "name"], &names)
        };
        format!(
            "SELECT p.oid FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
               JOIN {} ON n.nspname = f.schema AND p.proname = f.name
             UNION ALL
             SELECT o.oprcode::oid FROM pg_catalog.pg_operator o JOIN pg_catalog.pg_namespace n ON n.oid = o.oprnamespace
               JOIN {} ON n.nspname = f.schema AND o.oprname = f.name
             UNION ALL
             SELECT d.refobjid FROM pg_catalog.pg_depend d
               JOIN (SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                       JOIN {} ON n.nspname = f.schema AND c.relname = f.name) t
                 ON d.classid = 'pg_catalog.pg_attrdef'::pg_catalog.regclass
                    AND d.objid IN (SELECT y.oid FROM pg_catalog.pg_attrdef y WHERE y.adrelid = t.oid)
                 OR d.classid = 'pg_catalog.pg_constraint'::pg_catalog.regclass
                    AND d.objid IN (SELECT y.oid FROM pg_catalog.pg_constraint y WHERE y.conrelid = t.oid)
                 OR d.classid = 'pg_catalog.pg_policy'::pg_catalog.regclass
                    AND d.objid IN (SELECT y.oid FROM pg_catalog.pg_policy y WHERE y.polrelid = t.oid)
                 OR d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass
                    AND d.objid IN (SELECT y.indexrelid FROM pg_catalog.pg_index y WHERE y.indrelid = t.oid)
              WHERE d.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass",
            listed(&self.functions),
            listed(&self.operators),
            self.table_names("f"),
        )
    }
}

impl<'p> Sealed<'p> {
    fn of(role: &'p str, seal: Seal) -> Self {
        let parts = role.split_once("{context.").and_then(|(before, rest)| Some((before, rest.split_once('}')?.1)));
        match parts.filter(|_| seal == Seal::Login) {
            None => Sealed::One(role),
            Some((before, after)) => {
                let group = format!("haltsql_{before}tenants{after}");
                let group = if group.len() <= LONGEST_NAME { group } else { format!("haltsql_{}", digest(role)) };
                Sealed::PerTenant { before, after, group }
            }
        }
    }

    fn grantee(&self) -> &str {
        match self {
            Sealed::One(role) => role,
            Sealed::PerTenant { group, .. } => group,
        }
    }
}

/// A condition on a row of pg_roles, by its alias: its name is the template, filled.
pub(super) fn fits(row: &str, before: &str, after: &str) -> String {
    // A template's letters are ASCII: bytes and characters are one.
    format!(
        "(pg_catalog.starts_with({row}.rolname::text, {}) AND pg_catalog.right({row}.rolname::text, {}) = {} AND pg_catalog.length({row}.rolname::text) > {})",
        literal(before),
        after.len(),
        literal(after),
        before.len() + after.len(),
    )
}

fn digest(text: &str) -> String {
    Sha256::digest(text).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn planned<'p>(policy: &'p Policy, table: &'p Table, rhs: &[(String, String)]) -> PlanTable<'p> {
    let write = table.write.as_ref();
    let holds = table.tenant_columns.iter().zip(rhs).filter_map(|(column, (written, printed))| {
        let column = &table.columns.get((*column)?)?.name;
        Some(Hold { column, written: written.clone(), printed: printed.clone() })
    });
    PlanTable {
        schema: &table.schema,
        name: &table.name,
        display: &table.display,
        readable: table.columns.iter().filter(|column| column.readable).map(|column| &*column.name).collect(),
        insert: write.filter(|_| policy.statements.insert).map_or(&[], |write| &write.insert),
        update: write.filter(|_| policy.statements.update).map_or(&[], |write| &write.update),
        delete: policy.statements.delete && write.is_some_and(|write| write.delete),
        holds: holds.collect(),
    }
}

/// For each tenant key the right side of the comparison, as it is written and as the server prints it.
fn right_sides(policy: &Policy, role: &Sealed<'_>) -> Result<Vec<(String, String)>, HardenError> {
    let Some(Tenancy { keys, .. }) = &policy.tenancy else { return Ok(Vec::new()) };
    if let (Sealed::PerTenant { .. }, Some(template), true) = (role, &policy.execution.role, keys.len() > 1) {
        return Err(HardenError::new(
            format!("a role's name, `{template}`, holds one tenant key, and the policy has {}", keys.len()),
            "use `seal: signed`, which holds all of them",
        ));
    }
    keys.iter().map(|key| right_side(policy, role, key)).collect()
}

fn right_side(policy: &Policy, role: &Sealed<'_>, key: &TenantKey) -> Result<(String, String), HardenError> {
    let (one, many) = match key.ty {
        KeyType::Text => ("text", "text[]"),
        KeyType::Uuid => ("uuid", "uuid[]"),
        // Compares with every integer type, in the same index.
        KeyType::Integer => ("bigint", "bigint[]"),
    };
    // A cast from what a sub-select gives is printed with another pair of brackets than none.
    let cast = |inner: &str, ty: &str| {
        if ty == "text" { inner.to_owned() } else { format!("({inner})::{ty}") }
    };
    let written = |inner: &str| if one == "text" { format!("({inner})") } else { format!("({inner})::{one}") };
    match role {
        Sealed::One(_) if policy.execution.seal == Seal::Signed => {
            let context = literal(&key.context);
            let printed = format!("( SELECT haltsql.pinned({}::text) AS pinned)", printed_literal(&key.context));
            let printed =
                if one == "text" { format!("ANY ({printed}::{many})") } else { format!("ANY (({printed})::{many})") };
            Ok((format!("ANY ((SELECT haltsql.pinned({context}))::{many})"), printed))
        }
        Sealed::One(_) => {
            let holds =
                |value: &SettingValue| matches!(value, SettingValue::Context(context) if *context == key.context);
            let setting = policy.execution.settings.iter().find(|(_, value)| holds(value));
            let Some((setting, _)) = setting.filter(|(name, _)| name.contains('.')) else {
                return Err(HardenError::new(
                    format!("`seal: bare` needs a setting that holds the context's `{}`", key.context),
                    format!(
                        "write `settings: {{ app.{}: \"{{context.{}}}\" }}` under `execution`",
                        key.column, key.context
                    ),
                ));
            };
            let inner = format!("SELECT nullif(pg_catalog.current_setting({}, true), '')", literal(setting));
            let printed = format!("( SELECT NULLIF(current_setting('{setting}'::text, true), ''::text) AS \"nullif\")");
            Ok((written(&inner), cast(&printed, one)))
        }
        Sealed::PerTenant { before, after, .. } => {
            let template = policy.execution.role.as_deref().unwrap_or_default();
            if !template.contains(&format!("{{context.{}}}", key.context)) {
                return Err(HardenError::new(
                    format!("the role's name, `{template}`, does not hold the tenant key's `{}`", key.context),
                    format!("write `role: t_{{context.{}}}`", key.context),
                ));
            }
            let (from, around) = (before.len() + 1, before.len() + after.len());
            let inner = format!(
                "SELECT pg_catalog.substr(session_user::text, {from}, pg_catalog.length(session_user::text) - {around})"
            );
            let printed = format!(
                "( SELECT substr((SESSION_USER)::text, {from}, (length((SESSION_USER)::text) - {around})) AS substr)"
            );
            Ok((written(&inner), cast(&printed, one)))
        }
    }
}

/// As the server prints a constant: it never writes `E''`.
fn printed_literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
