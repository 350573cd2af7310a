//! The relations that a policy lists, with their columns and what inherits from them.

use std::collections::{BTreeMap, BTreeSet};

use haltsql::Assumptions;
use postgres::types::Type;

use super::{Edge, TEXTS, pairs};
use crate::policy::connect::Catalog;

/// A relation of the database.
#[derive(Clone, Debug)]
pub struct Relation {
    /// Its oid.
    pub oid: u32,
    /// `relkind`: r table, p partitioned, f foreign, v view, m materialised view …
    pub kind: String,
    /// The owner's oid and name.
    pub owner: (u32, String),
    /// Row security is on.
    pub rls: bool,
    /// It is on for the owner too.
    pub rls_forced: bool,
    /// The option `security_invoker` of a view.
    pub invoker: bool,
    /// A view's query, every name with its schema.
    pub definition: Option<String>,
    /// Its comment.
    pub comment: Option<String>,
    /// Relations whose rows come with it.
    pub descendants: Vec<Edge>,
    /// Indexes that give some of the nearest rows, on it and on what is below it.
    pub approximate: Vec<Approximate>,
    /// In the order of the table.
    pub columns: Vec<Column>,
}

/// An index of pgvector's that is approximate: `hnsw`, `ivfflat`.
#[derive(Clone, Debug)]
pub struct Approximate {
    /// As SQL writes it.
    pub text: String,
    /// The predicate of a partial index.
    pub predicate: Option<String>,
    /// The columns by which the parent of its partition is divided into lists.
    pub divided_by: Vec<String>,
}

/// A column of a relation.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The type with its length, as the server spells it: `character varying(20)`.
    pub type_text: String,
    /// The type without: `character varying`.
    pub type_bare: String,
    /// Its name in `pg_type`: `varchar`.
    pub type_name: String,
    /// The type is `pg_catalog`'s.
    pub type_is_system: bool,
    /// Other spellings of the same type by the SQL standard and the server: `decimal` …
    pub base_type: Option<String>,
    /// NOT NULL.
    pub not_null: bool,
    /// The NOT NULL constraint that was never validated, since PostgreSQL 18.
    pub not_validated: Option<String>,
    /// The collation, where the type has one.
    pub collation: Option<String>,
    /// Equal means identical under it; true without a collation.
    pub deterministic: bool,
    /// A generated column's own columns.
    pub generated_from: Vec<String>,
    /// Its comment.
    pub comment: Option<String>,
}

impl Relation {
    /// The column of that name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// It is a view.
    #[must_use]
    pub fn is_view(&self) -> bool {
        self.kind == "v"
    }
}

/// Who inherits from whom, in the whole database.
pub(super) fn edges(catalog: &mut Catalog<'_>) -> Result<Vec<Edge>, postgres::Error> {
    let rows = catalog.rows(
        "SELECT i.inhparent, c.oid, n.nspname::text, c.relname::text, c.relkind::text, c.relispartition
           FROM pg_catalog.pg_inherits i
           JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid AND c.relkind IN ('r', 'p', 'f')
           JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
          ORDER BY n.nspname, c.relname, i.inhparent",
        &[],
    )?;
    rows.iter()
        .map(|row| {
            Ok(Edge {
                parent: row.try_get(0)?,
                child: row.try_get(1)?,
                schema: row.try_get(2)?,
                name: row.try_get(3)?,
                kind: row.try_get(4)?,
                is_partition: row.try_get(5)?,
            })
        })
        .collect()
}

/// The policy's relations, by the position in the policy.
pub(super) fn relations(
    catalog: &mut Catalog<'_>,
    assumed: &Assumptions<'_>,
    edges: &[Edge],
) -> Result<Vec<Option<Relation>>, postgres::Error> {
    let listed = assumed.tables.iter().map(|table| (table.schema, table.name));
    let mut found = by_name(catalog, listed.clone(), edges)?;
    Ok(listed.map(|(schema, name)| found.remove(&(schema.to_owned(), name.to_owned()))).collect())
}

/// The relations of these names, as far as there are any.
pub fn by_name<'a>(
    catalog: &mut Catalog<'_>,
    names: impl Iterator<Item = (&'a str, &'a str)>,
    edges: &[Edge],
) -> Result<BTreeMap<(String, String), Relation>, postgres::Error> {
    let (schemas, relations) = pairs(names);
    let rows = catalog.rows(
        "SELECT n.nspname::text, c.relname::text, c.oid, c.relkind::text, c.relowner,
                pg_catalog.pg_get_userbyid(c.relowner)::text, c.relrowsecurity, c.relforcerowsecurity,
                COALESCE((SELECT o.option_value::bool FROM pg_catalog.pg_options_to_table(c.reloptions) o
                           WHERE o.option_name = 'security_invoker'), false),
                CASE WHEN c.relkind = 'v' THEN pg_catalog.pg_get_viewdef(c.oid) END,
                pg_catalog.obj_description(c.oid, 'pg_class')
           FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2)) AS listed (schema, name)
           JOIN pg_catalog.pg_namespace n ON n.nspname = listed.schema
           JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = listed.name",
        &[(&schemas, TEXTS), (&relations, TEXTS)],
    )?;
    let mut found = BTreeMap::new();
    let mut oids = Vec::new();
    for row in &rows {
        let oid: u32 = row.try_get(2)?;
        oids.push(oid);
        let relation = Relation {
            oid,
            kind: row.try_get(3)?,
            owner: (row.try_get(4)?, row.try_get(5)?),
            rls: row.try_get(6)?,
            rls_forced: row.try_get(7)?,
            invoker: row.try_get(8)?,
            definition: row.try_get(9)?,
            comment: row.try_get(10)?,
            descendants: below(oid, edges),
            approximate: Vec::new(),
            columns: Vec::new(),
        };
        found.insert((row.try_get(0)?, row.try_get(1)?), relation);
    }
    let mut columns = columns(catalog, &oids)?;
    let indexes = approximate(catalog)?;
    for relation in found.values_mut() {
        relation.columns = columns.remove(&relation.oid).unwrap_or_default();
        let below = |oid: u32| oid == relation.oid || relation.descendants.iter().any(|edge| edge.child == oid);
        let own = indexes.iter().filter(|(table, _)| below(*table)).map(|(_, index)| index.clone());
        relation.approximate = own.collect();
    }
    Ok(found)
}

/// Everything below a relation, each once.
fn below(top: u32, edges: &[Edge]) -> Vec<Edge> {
    let mut seen = BTreeSet::from([top]);
    let mut found = Vec::new();
    let mut open = vec![top];
    while let Some(parent) = open.pop() {
        for edge in edges.iter().filter(|edge| edge.parent == parent) {
            if seen.insert(edge.child) {
                found.push(edge.clone());
                open.push(edge.child);
            }
        }
    }
    found
}

fn approximate(catalog: &mut Catalog<'_>) -> Result<Vec<(u32, Approximate)>, postgres::Error> {
    let rows = catalog.rows(
        "SELECT i.indrelid, pg_catalog.format('%I.%I', n.nspname, x.relname), pg_catalog.pg_get_expr(i.indpred, i.indrelid),
                ARRAY(SELECT a.attname::text
                        FROM pg_catalog.pg_inherits h
                        JOIN pg_catalog.pg_partitioned_table p ON p.partrelid = h.inhparent AND p.partstrat = 'l'
                        JOIN pg_catalog.pg_attribute a ON a.attrelid = h.inhparent AND a.attnum = ANY (p.partattrs)
                       WHERE h.inhrelid = i.indrelid
                       ORDER BY a.attnum)
           FROM pg_catalog.pg_index i
           JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid AND x.relkind = 'i'
           JOIN pg_catalog.pg_namespace n ON n.oid = x.relnamespace
           JOIN pg_catalog.pg_am m ON m.oid = x.relam AND m.amname IN ('hnsw', 'ivfflat')
          ORDER BY 2",
        &[],
    )?;
    let read = |row: &postgres::Row| {
        let index = Approximate { text: row.try_get(1)?, predicate: row.try_get(2)?, divided_by: row.try_get(3)? };
        Ok((row.try_get(0)?, index))
    };
    rows.iter().map(read).collect()
}

fn columns(catalog: &mut Catalog<'_>, oids: &[u32]) -> Result<BTreeMap<u32, Vec<Column>>, postgres::Error> {
    // What a generated column reads is recorded at its expression, or, on older servers, at the column itself.
    let rows = catalog.rows(
        "SELECT a.attrelid, a.attname::text,
                pg_catalog.format_type(a.atttypid, a.atttypmod), pg_catalog.format_type(a.atttypid, NULL),
                t.typname::text, t.typnamespace = 'pg_catalog'::pg_catalog.regnamespace,
                CASE WHEN t.typtype = 'd' THEN pg_catalog.format_type(t.typbasetype, NULL) END,
                a.attnotnull,
                (SELECT c.conname::text FROM pg_catalog.pg_constraint c
                  WHERE c.conrelid = a.attrelid AND c.contype = 'n' AND NOT c.convalidated AND c.conkey = ARRAY[a.attnum]),
                CASE WHEN o.oid IS NOT NULL THEN pg_catalog.format('%I.%I', s.nspname, o.collname) END,
                COALESCE(o.collisdeterministic, true),
                ARRAY(SELECT DISTINCT source.attname::text
                        FROM pg_catalog.pg_depend d
                        JOIN pg_catalog.pg_attribute source ON source.attrelid = d.refobjid AND source.attnum = d.refobjsubid
                       WHERE a.attgenerated <> '' AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
                         AND d.refobjid = a.attrelid AND d.refobjsubid > 0 AND d.refobjsubid <> a.attnum
                         AND ((d.classid = 'pg_catalog.pg_attrdef'::pg_catalog.regclass AND d.objid = f.oid)
                           OR (d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = a.attrelid
                               AND d.objsubid = a.attnum))
                       ORDER BY 1),
                pg_catalog.col_description(a.attrelid, a.attnum)
           FROM pg_catalog.pg_attribute a
           JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
           LEFT JOIN pg_catalog.pg_attrdef f ON f.adrelid = a.attrelid AND f.adnum = a.attnum
           LEFT JOIN pg_catalog.pg_collation o ON o.oid = a.attcollation
           LEFT JOIN pg_catalog.pg_namespace s ON s.oid = o.collnamespace
          WHERE a.attrelid = ANY ($1) AND a.attnum > 0 AND NOT a.attisdropped
          ORDER BY a.attrelid, a.attnum",
        &[(&oids, Type::OID_ARRAY)],
    )?;
    let mut columns: BTreeMap<u32, Vec<Column>> = BTreeMap::new();
    for row in &rows {
        columns.entry(row.try_get(0)?).or_default().push(Column {
            name: row.try_get(1)?,
            type_text: row.try_get(2)?,
            type_bare: row.try_get(3)?,
            type_name: row.try_get(4)?,
            type_is_system: row.try_get(5)?,
            base_type: row.try_get(6)?,
            not_null: row.try_get(7)?,
            not_validated: row.try_get(8)?,
            collation: row.try_get(9)?,
            deterministic: row.try_get(10)?,
            generated_from: row.try_get(11)?,
            comment: row.try_get(12)?,
        });
    }
    Ok(columns)
}
