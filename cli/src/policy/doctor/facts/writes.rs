//! What a write meets in the database: keys, references, triggers, rules, children.

use haltsql::Assumptions;
use postgres::Row;

use crate::policy::connect::Catalog;

/// Of the whole database; empty where the policy opens no write, but for `edges`.
#[derive(Debug, Default)]
pub struct Writes {
    /// Who inherits from whom, partitions included.
    pub edges: Vec<Edge>,
    /// Unique indexes, with the constraint that an index stands for.
    pub uniques: Vec<Unique>,
    /// Exclusion constraints, keys WITHOUT OVERLAPS included.
    pub exclusions: Vec<Unique>,
    /// Foreign keys, those on partitions left out where their parent has them.
    pub foreign_keys: Vec<ForeignKey>,
    /// Triggers that fire in an ordinary session, the server's own left out.
    pub triggers: Vec<Trigger>,
    /// Rules that are in force, those that make a view left out.
    pub rules: Vec<Rule>,
}

/// A child of inheritance or a partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The parent's oid.
    pub parent: u32,
    /// The child's oid.
    pub child: u32,
    /// The child's schema.
    pub schema: String,
    /// The child's name.
    pub name: String,
    /// The child's `relkind`.
    pub kind: String,
    /// It is a partition.
    pub is_partition: bool,
}

/// A unique index or an exclusion constraint.
#[derive(Debug)]
pub struct Unique {
    /// The table's oid.
    pub table: u32,
    /// The table, as SQL writes it.
    pub table_text: String,
    /// The index, as SQL writes it.
    pub index_text: String,
    /// The constraint's name, where there is one.
    pub constraint: Option<String>,
    /// `pg_get_constraintdef`, where there is one.
    pub definition: Option<String>,
    /// The key's columns; expressions are left out.
    pub columns: Vec<String>,
    /// It has expressions or a predicate.
    pub is_odd: bool,
    /// The operator of each column, of an exclusion constraint.
    pub operators: Vec<String>,
}

/// A foreign key.
#[derive(Debug)]
pub struct ForeignKey {
    /// Its name.
    pub name: String,
    /// The table that refers.
    pub table: u32,
    /// As SQL writes it.
    pub table_text: String,
    /// Its columns.
    pub columns: Vec<String>,
    /// The table that is referred to.
    pub target: u32,
    /// As SQL writes it.
    pub target_text: String,
    /// The columns there, one for each.
    pub target_columns: Vec<String>,
    /// `confdeltype`: a no action, r restrict, c cascade, n set null, d set default.
    pub on_delete: String,
    /// `confupdtype`.
    pub on_update: String,
}

/// A trigger.
#[derive(Debug)]
pub struct Trigger {
    /// The table's oid.
    pub table: u32,
    /// The table, as SQL writes it.
    pub table_text: String,
    /// Its name.
    pub name: String,
    /// The function that it calls, as SQL writes it.
    pub function: String,
    /// It fires on INSERT, UPDATE, DELETE.
    pub events: [bool; 3],
}

/// A rule.
#[derive(Debug)]
pub struct Rule {
    /// The table's oid.
    pub table: u32,
    /// The table, as SQL writes it.
    pub table_text: String,
    /// Its name.
    pub name: String,
    /// INSERT, UPDATE or DELETE.
    pub event: &'static str,
}

impl Writes {
    /// The relation and everything below it: what a statement that names it may write.
    #[must_use]
    pub fn with_descendants(&self, top: u32) -> Vec<u32> {
        let mut found = vec![top];
        let mut next = 0;
        while let Some(&parent) = found.get(next) {
            for edge in self.edges.iter().filter(|edge| edge.parent == parent) {
                if !found.contains(&edge.child) {
                    found.push(edge.child);
                }
            }
            next += 1;
        }
        found
    }
}

/// Reads all of it.
pub(super) fn writes(
    catalog: &mut Catalog<'_>,
    assumed: &Assumptions<'_>,
    edges: Vec<Edge>,
) -> Result<Writes, postgres::Error> {
    if !assumed.tables.iter().any(haltsql::AssumedTable::is_writable) {
        return Ok(Writes { edges, ..Writes::default() });
    }
    let mut writes = Writes { edges, ..Writes::default() };
    for (unique, exclusion) in uniques(catalog)? {
        if exclusion { writes.exclusions.push(unique) } else { writes.uniques.push(unique) }
    }
    writes.foreign_keys = foreign_keys(catalog)?;
    writes.triggers = triggers(catalog)?;
    writes.rules = rules(catalog)?;
    Ok(writes)
}

/// An index on a partition that belongs to one of the parent is the parent's.
fn uniques(catalog: &mut Catalog<'_>) -> Result<Vec<(Unique, bool)>, postgres::Error> {
    let rows = catalog.rows(
        "SELECT t.oid, pg_catalog.format('%I.%I', n.nspname, t.relname), pg_catalog.format('%I.%I', n.nspname, x.relname),
                c.conname::text, pg_catalog.pg_get_constraintdef(c.oid),
                ARRAY(SELECT a.attname::text
                        FROM pg_catalog.unnest(i.indkey::pg_catalog.int2[]) WITH ORDINALITY AS key (attnum, place)
                        JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum = key.attnum
                       WHERE key.place <= i.indnkeyatts
                       ORDER BY key.place),
                i.indexprs IS NOT NULL OR i.indpred IS NOT NULL,
                ARRAY(SELECT o.oprname::text FROM pg_catalog.unnest(c.conexclop) WITH ORDINALITY AS op (oid, place)
                        JOIN pg_catalog.pg_operator o ON o.oid = op.oid ORDER BY op.place),
                i.indisexclusion
           FROM pg_catalog.pg_index i
           JOIN pg_catalog.pg_class t ON t.oid = i.indrelid AND t.relkind IN ('r', 'p')
           JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid
           JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
           LEFT JOIN pg_catalog.pg_constraint c ON c.conindid = i.indexrelid AND c.conrelid = t.oid AND c.contype IN ('p', 'u', 'x')
          WHERE (i.indisunique OR i.indisexclusion)
            AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
            AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits h WHERE h.inhrelid = i.indexrelid)
          ORDER BY n.nspname, t.relname, x.relname",
        &[],
    )?;
    let read = |row: &Row| {
        let unique = Unique {
            table: row.try_get(0)?,
            table_text: row.try_get(1)?,
            index_text: row.try_get(2)?,
            constraint: row.try_get(3)?,
            definition: row.try_get(4)?,
            columns: row.try_get(5)?,
            is_odd: row.try_get(6)?,
            operators: row.try_get(7)?,
        };
        Ok((unique, row.try_get(8)?))
    };
    rows.iter().map(read).collect()
}

/// The foreign keys of the database.
///
/// # Errors
/// The server's.
pub fn foreign_keys(catalog: &mut Catalog<'_>) -> Result<Vec<ForeignKey>, postgres::Error> {
    let rows = catalog.rows(
        "SELECT c.conname::text, t.oid, pg_catalog.format('%I.%I', n.nspname, t.relname),
                ARRAY(SELECT a.attname::text FROM pg_catalog.unnest(c.conkey) WITH ORDINALITY AS key (attnum, place)
                        JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum = key.attnum ORDER BY key.place),
                r.oid, pg_catalog.format('%I.%I', s.nspname, r.relname),
                ARRAY(SELECT a.attname::text FROM pg_catalog.unnest(c.confkey) WITH ORDINALITY AS key (attnum, place)
                        JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid AND a.attnum = key.attnum ORDER BY key.place),
                c.confdeltype::text, c.confupdtype::text
           FROM pg_catalog.pg_constraint c
           JOIN pg_catalog.pg_class t ON t.oid = c.conrelid
           JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
           JOIN pg_catalog.pg_class r ON r.oid = c.confrelid
           JOIN pg_catalog.pg_namespace s ON s.oid = r.relnamespace
          WHERE c.contype = 'f' AND c.conparentid = 0
          ORDER BY n.nspname, t.relname, c.conname",
        &[],
    )?;
    let read = |row: &Row| {
        Ok(ForeignKey {
            name: row.try_get(0)?,
            table: row.try_get(1)?,
            table_text: row.try_get(2)?,
            columns: row.try_get(3)?,
            target: row.try_get(4)?,
            target_text: row.try_get(5)?,
            target_columns: row.try_get(6)?,
            on_delete: row.try_get(7)?,
            on_update: row.try_get(8)?,
        })
    };
    rows.iter().map(read).collect()
}

/// `tgtype`'s bits: 4 INSERT, 8 DELETE, 16 UPDATE. `tgenabled`: D never, R only on replicas.
fn triggers(catalog: &mut Catalog<'_>) -> Result<Vec<Trigger>, postgres::Error> {
    let rows = catalog.rows(
        "SELECT t.oid, pg_catalog.format('%I.%I', n.nspname, t.relname), g.tgname::text, g.tgfoid::pg_catalog.regprocedure::text,
                g.tgtype & 4 <> 0, g.tgtype & 16 <> 0, g.tgtype & 8 <> 0
           FROM pg_catalog.pg_trigger g
           JOIN pg_catalog.pg_class t ON t.oid = g.tgrelid
           JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
          WHERE NOT g.tgisinternal AND g.tgparentid = 0 AND g.tgenabled NOT IN ('D', 'R')
          ORDER BY n.nspname, t.relname, g.tgname",
        &[],
    )?;
    let read = |row: &Row| {
        Ok(Trigger {
            table: row.try_get(0)?,
            table_text: row.try_get(1)?,
            name: row.try_get(2)?,
            function: row.try_get(3)?,
            events: [row.try_get(4)?, row.try_get(5)?, row.try_get(6)?],
        })
    };
    rows.iter().map(read).collect()
}

/// `ev_type`: 1 SELECT, 2 UPDATE, 3 INSERT, 4 DELETE.
fn rules(catalog: &mut Catalog<'_>) -> Result<Vec<Rule>, postgres::Error> {
    let rows = catalog.rows(
        "SELECT t.oid, pg_catalog.format('%I.%I', n.nspname, t.relname), w.rulename::text, w.ev_type::text
           FROM pg_catalog.pg_rewrite w
           JOIN pg_catalog.pg_class t ON t.oid = w.ev_class
           JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
          WHERE w.ev_type <> '1' AND w.ev_enabled NOT IN ('D', 'R')
            AND n.nspname NOT IN ('pg_catalog', 'information_schema')
          ORDER BY n.nspname, t.relname, w.rulename",
        &[],
    )?;
    let read = |row: &Row| {
        let event: String = row.try_get(3)?;
        Ok(Rule {
            table: row.try_get(0)?,
            table_text: row.try_get(1)?,
            name: row.try_get(2)?,
            event: match &*event {
                "2" => "UPDATE",
                "3" => "INSERT",
                _ => "DELETE",
            },
        })
    };
    rows.iter().map(read).collect()
}
