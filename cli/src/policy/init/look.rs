//! What there is in the database: relations with their columns, and what refers to what.

use postgres::types::Type;

use crate::policy::connect::Catalog;
use crate::policy::doctor::facts::{ForeignKey, Relation, by_name, foreign_keys};

/// What a policy could be about.
pub struct Found {
    /// The database's name.
    pub database: String,
    /// The schemas that exist, in the order asked for, else by how many tables they have.
    pub schemas: Vec<String>,
    /// Tables and views, by schema in that order and by name.
    pub relations: Vec<Listed>,
    /// Of the whole database.
    pub foreign_keys: Vec<ForeignKey>,
}

/// A relation with its name.
pub struct Listed {
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// What the catalogue says.
    pub relation: Relation,
}

/// Reads it. Partitions, and what belongs to an extension, are left out: they are no tables of the application's.
///
/// # Errors
/// The server's.
pub fn look(catalog: &mut Catalog<'_>, asked: &[String]) -> Result<Found, postgres::Error> {
    let row = catalog.row("SELECT pg_catalog.current_database()::text", &[])?;
    let database = row.try_get(0)?;
    let rows = catalog.rows(
        "SELECT n.nspname::text, c.relname::text
           FROM pg_catalog.pg_namespace n
           LEFT JOIN pg_catalog.pg_class c
             ON c.relnamespace = n.oid AND c.relkind IN ('r', 'p', 'f', 'v', 'm') AND NOT c.relispartition
            AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
                             WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = c.oid AND d.deptype = 'e')
          WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
            AND (n.nspname = ANY ($1) OR (pg_catalog.cardinality($1) = 0 AND c.oid IS NOT NULL))
          ORDER BY pg_catalog.array_position($1, n.nspname::text),
                   pg_catalog.count(c.oid) OVER (PARTITION BY n.oid) DESC, n.nspname COLLATE \"C\", c.relname COLLATE \"C\"",
        &[(&asked, Type::TEXT_ARRAY)],
    )?;
    let mut schemas: Vec<String> = Vec::new();
    let mut names: Vec<(String, String)> = Vec::new();
    for row in &rows {
        let schema: String = row.try_get(0)?;
        if !schemas.contains(&schema) {
            schemas.push(schema.clone());
        }
        if let Some(name) = row.try_get(1)? {
            names.push((schema, name));
        }
    }
    let mut found = by_name(catalog, names.iter().map(|(schema, name)| (&**schema, &**name)), &[])?;
    let relations = names.into_iter().filter_map(|name| {
        let relation = found.remove(&name)?;
        Some(Listed { schema: name.0, name: name.1, relation })
    });
    Ok(Found { database, schemas, relations: relations.collect(), foreign_keys: foreign_keys(catalog)? })
}
