//! A document tree becomes a policy.
//!
//! Receives the tree, returns a policy with nothing left to check, or the problems. Every key is read in one place; a stage whose
//! ground was refused stays silent, so that one mistake is one problem.

mod execution;
mod limits;
mod lists;
mod tables;
mod tenancy;

pub(super) use execution::spell_role;

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use super::document::Node;
use super::model::{Execution, Limits, Mode, Policy, Statements};
use super::normal;
use super::reader::{Fields, Path, Placed, Reader};
use crate::catalog::Catalog;

const API_VERSION: &str = "haltsql.dev/v1";
const KIND: &str = "Policy";

/// Reads the whole document. `None`: at least one problem was added.
pub(super) fn policy(root: &Node, reader: &mut Reader<'_>) -> Option<Policy> {
    let path = Path::ROOT;
    let fields = reader.map(root, &path, &["apiVersion", "kind", "metadata", "spec"])?;
    for (key, wanted) in [("apiVersion", API_VERSION), ("kind", KIND)] {
        if let Some(node) = reader.required(fields, &path, key) {
            reader.choice(node, &path.key(key), &[(wanted, ())]);
        }
    }
    let metadata =
        reader.required(fields, &path, "metadata").and_then(|node| metadata(node, &path.key("metadata"), reader));
    let spec = reader.required(fields, &path, "spec")?;
    let path = path.key("spec");
    let known = &[
        "mode",
        "search_path",
        "require_qualified",
        "statements",
        "tenancy",
        "tables",
        "functions",
        "operators",
        "types",
        "limits",
        "execution",
    ];
    let fields = reader.map(spec, &path, known)?;

    let mode = fields.get("mode").and_then(|node| {
        reader.choice(node, &path.key("mode"), &[("enforce", Mode::Enforce), ("shadow", Mode::Shadow)])
    });
    let search_path = match fields.get("search_path") {
        Some(node) => search_path(node, &path.key("search_path"), reader),
        None => Vec::new(),
    };
    let require_qualified =
        fields.get("require_qualified").and_then(|node| reader.boolean(node, &path.key("require_qualified")));
    let statements = fields.get("statements").map(|node| statements(node, &path.key("statements"), reader));
    // A broken tenancy is told apart from none: tables are not blamed for lacking what could not be read.
    let tenancy = match fields.get("tenancy") {
        Some(node) => tenancy::read(node, &path.key("tenancy"), reader).map(Some),
        None => Some(None),
    };
    let tables = match fields.get("tables") {
        Some(node) => tables::read(node, &path.key("tables"), tenancy.as_ref().map(Option::as_ref), reader),
        None => Vec::new(),
    };
    let lists = lists::read(fields, &path, search_path.clone(), reader);
    let limits = match fields.get("limits") {
        Some(node) => limits::read(node, &path.key("limits"), reader),
        None => Some(Limits::default()),
    };
    let execution = match fields.get("execution") {
        Some(node) => execution::read(node, &path.key("execution"), reader),
        None => Some(Execution::default()),
    };

    if !reader.is_clean() {
        return None;
    }
    let catalog = catalog(&lists, fields, &path, reader)?;
    let (name, description) = metadata?;
    let mut policy = Policy {
        name,
        description,
        version: String::new(),
        normal_form: String::new(),
        mode: mode.unwrap_or(Mode::Enforce),
        search_path,
        require_qualified: require_qualified.unwrap_or(false),
        statements: statements.unwrap_or_default(),
        tenancy: tenancy?,
        tables,
        catalog,
        lists,
        limits: limits?,
        execution: execution?,
    };
    match normal::form(&policy) {
        Ok(form) => policy.normal_form = form,
        Err(message) => {
            reader.refuse(root.span, &Path::ROOT, message, None);
            return None;
        }
    }
    policy.version = format!("sha256:{}", hex(&Sha256::digest(policy.normal_form.as_bytes())));
    Some(policy)
}

fn metadata(node: &Node, path: &Path<'_>, reader: &mut Reader<'_>) -> Option<(String, Option<String>)> {
    let fields = reader.map(node, path, &["name", "description"])?;
    let name = reader.required(fields, path, "name");
    let name = name.and_then(|node| reader.line(node, &path.key("name")));
    let description = fields.get("description").and_then(|node| reader.text(node, &path.key("description")));
    Some((name?.to_owned(), description.map(str::to_owned)))
}

fn search_path(node: &Node, path: &Path<'_>, reader: &mut Reader<'_>) -> Vec<String> {
    let mut schemas: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    for (at, Placed { value, span }) in reader.name_list(node, path).into_iter().enumerate() {
        let (message, help) = if is_system_schema(&value) {
            let help = "pg_catalog comes first and pg_temp last without being named; other system schemas hold nothing for queries";
            (format!("`{value}` may not stand in search_path"), Some(help))
        } else if value == "$user" {
            let help = "PostgreSQL puts the current role's name in its place, quoted or not";
            ("`$user` may not stand in search_path: it is no fixed schema".to_owned(), Some(help))
        } else if !seen.insert(value.clone()) {
            (format!("`{value}` stands twice in search_path"), Some("keep the first"))
        } else {
            schemas.push(value);
            continue;
        };
        reader.refuse(span, &path.index(at), message, help);
    }
    schemas
}

/// Schemas that belong to PostgreSQL: it keeps the prefix for itself.
fn is_system_schema(schema: &str) -> bool {
    schema.starts_with("pg_") || schema == "information_schema"
}

fn statements(node: &Node, path: &Path<'_>, reader: &mut Reader<'_>) -> Statements {
    let words = [("select", 0), ("insert", 1), ("update", 2), ("delete", 3)];
    let kinds: BTreeSet<u8> =
        reader.each(node, path, |reader, item, path| reader.choice(item, path, &words)).into_iter().collect();
    let [select, insert, update, delete] = [0, 1, 2, 3].map(|kind| kinds.contains(&kind));
    Statements { select, insert, update, delete }
}

/// Builds the look-ups; what they refuse stands at the key that it came from.
fn catalog(
    lists: &crate::catalog::Lists,
    spec: Fields<'_>,
    path: &Path<'_>,
    reader: &mut Reader<'_>,
) -> Option<Catalog> {
    match Catalog::new(lists) {
        Ok(catalog) => Some(catalog),
        Err(message) => {
            let entry = spec.entry("functions");
            let span = entry.map_or(spec.span(), |entry| entry.span);
            let functions = path.key("functions");
            reader.refuse(span, if entry.is_some() { &functions } else { path }, message, None);
            None
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        // Writing to a String cannot fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}
