//! Things in the schemas of the path whose names the policy uses: relations, types, functions, operators; and casts.

use std::collections::BTreeSet;

use haltsql::Assumptions;
use postgres::types::Type;
use postgres::{Error, Row};

use super::TEXTS;
use crate::policy::connect::Catalog;

/// Objects with a lower oid came with the server.
const FIRST_NORMAL_OID: u32 = 16_384;

/// Grammar of PostgreSQL's newest version that older servers read as calls of a function of that name, with the first version
/// that has the grammar.
pub const SYNTAX: [(&str, i32); 12] = [
    ("json_array", 16),
    ("json_arrayagg", 16),
    ("json_object", 16),
    ("json_objectagg", 16),
    ("json", 17),
    ("json_exists", 17),
    ("json_query", 17),
    ("json_scalar", 17),
    ("json_serialize", 17),
    ("json_table", 17),
    ("json_value", 17),
    ("merge_action", 17),
];

/// All of them, in the path's schemas and in `pg_catalog`, where only what did not come with the server counts.
#[derive(Debug)]
pub struct Names {
    /// Relations named like one of the policy's; `pg_catalog`'s own too.
    pub relations: Vec<Named>,
    /// Types named like one that the policy lists; `pg_catalog`'s own too.
    pub types: Vec<Named>,
    /// Functions named like one that may be called, like a column of the policy, or like newer syntax.
    pub functions: Vec<Function>,
    /// Operators named like one that may be used.
    pub operators: Vec<Operator>,
    /// Casts that did not come with the server, of the whole database.
    pub casts: Vec<Cast>,
}

/// The extension that an object belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension {
    /// Its name.
    pub name: String,
    /// It can be moved to another schema.
    pub relocatable: bool,
}

impl Extension {
    /// A profile is about it, so that what belongs to it is known by its name.
    #[must_use]
    pub fn has_profile(&self) -> bool {
        haltsql::PROFILE_EXTENSIONS.contains(&&*self.name)
    }
}

/// A relation or a type.
#[derive(Debug)]
pub struct Named {
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// As ALTER wants it: `TABLE`, `VIEW`, `TYPE` …
    pub kind: String,
    /// Its extension.
    pub extension: Option<Extension>,
}

/// A function, aggregates and window functions included, or a type without columns: `lower('x')` is a cast where `lower` is a type
/// and no function takes exactly an untyped literal (`func_get_detail` of PostgreSQL's parser).
#[derive(Debug)]
pub struct Function {
    /// As ALTER wants it: `ROUTINE` or `TYPE`.
    pub kind: &'static str,
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// With its arguments, as SQL writes it.
    pub text: String,
    /// It can be called with one argument.
    pub takes_one: bool,
    /// The relation whose row its first argument is.
    pub row_of: Option<u32>,
    /// Its first argument may be any row.
    pub any_row: bool,
    /// Its extension.
    pub extension: Option<Extension>,
}

/// An operator.
#[derive(Debug)]
pub struct Operator {
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// With its operands, as SQL writes it.
    pub text: String,
    /// Both operands are of types of `pg_catalog`.
    pub over_system_types: bool,
    /// Its extension.
    pub extension: Option<Extension>,
}

/// A cast.
#[derive(Debug)]
pub struct Cast {
    /// The types, as SQL writes them.
    pub source: String,
    /// See `source`.
    pub target: String,
    /// The source's schema, and its name in `pg_type`.
    pub source_name: (String, String),
    /// The target's.
    pub target_name: (String, String),
    /// Schema and name of the function that it calls.
    pub function: Option<(String, String)>,
    /// Its extension.
    pub extension: Option<Extension>,
}

/// Reads all of it.
pub(super) fn names(catalog: &mut Catalog<'_>, assumed: &Assumptions<'_>) -> Result<Names, Error> {
    let tables: Vec<&str> = assumed.tables.iter().map(|table| table.name).collect();
    let mut types: Vec<&str> = assumed.types.listed.iter().map(|(_, name)| &**name).collect();
    types.extend(assumed.types.extensions.iter().map(|name| &**name));
    let mut functions: BTreeSet<&str> = assumed.functions.system.iter().map(|name| &**name).collect();
    functions.extend(assumed.functions.extensions.iter().map(|name| &**name));
    functions.extend(assumed.functions.listed.iter().map(|(_, name)| &**name));
    functions.extend(assumed.tables.iter().flat_map(|table| table.columns.iter().map(|column| column.name)));
    functions.extend(SYNTAX.map(|(name, _)| name));
    let mut operators: BTreeSet<&str> = assumed.operators.system.iter().map(|name| &**name).collect();
    operators.extend(assumed.operators.extensions.iter().map(|name| &**name));
    operators.extend(assumed.operators.listed.iter().map(|(_, name)| &**name));
    Ok(Names {
        relations: relations(catalog, assumed.search_path, &tables)?,
        types: self::types(catalog, assumed.search_path, &types)?,
        functions: self::functions(catalog, assumed.search_path, &functions.into_iter().collect::<Vec<_>>())?,
        operators: self::operators(catalog, assumed.search_path, &operators.into_iter().collect::<Vec<_>>())?,
        casts: casts(catalog)?,
    })
}

fn relations(catalog: &mut Catalog<'_>, path: &[String], names: &[&str]) -> Result<Vec<Named>, Error> {
    let rows = catalog.rows(
        "SELECT e.extname::text, e.extrelocatable, n.nspname::text, c.relname::text,
                CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE'
                               WHEN 'f' THEN 'FOREIGN TABLE' WHEN 'c' THEN 'TYPE' WHEN 'i' THEN 'INDEX'
                               WHEN 'I' THEN 'INDEX' ELSE 'TABLE' END
           FROM pg_catalog.pg_class c
           JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
           LEFT JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = c.oid
                                           AND d.deptype = 'e'
           LEFT JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
          WHERE (n.nspname = ANY ($1) OR n.nspname = 'pg_catalog') AND c.relname = ANY ($2)
          ORDER BY n.nspname, c.relname",
        &[(&path, TEXTS), (&names, TEXTS)],
    )?;
    rows.iter().map(named).collect()
}

fn types(catalog: &mut Catalog<'_>, path: &[String], names: &[&str]) -> Result<Vec<Named>, Error> {
    let rows = catalog.rows(
        "SELECT e.extname::text, e.extrelocatable, n.nspname::text, t.typname::text,
                CASE WHEN t.typtype = 'd' THEN 'DOMAIN' WHEN c.relkind IN ('r', 'p') THEN 'TABLE' WHEN c.relkind = 'v' THEN 'VIEW'
                     ELSE 'TYPE' END
           FROM pg_catalog.pg_type t
           JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
           LEFT JOIN pg_catalog.pg_class c ON c.oid = t.typrelid
           LEFT JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_type'::pg_catalog.regclass AND d.objid = t.oid
                                           AND d.deptype = 'e'
           LEFT JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
          WHERE (n.nspname = ANY ($1) OR n.nspname = 'pg_catalog') AND t.typname = ANY ($2)
          ORDER BY n.nspname, t.typname",
        &[(&path, TEXTS), (&names, TEXTS)],
    )?;
    rows.iter().map(named).collect()
}

fn functions(catalog: &mut Catalog<'_>, path: &[String], names: &[&str]) -> Result<Vec<Function>, Error> {
    // Procedures are no part of an expression, and a type with columns is no cast by its name.
    let rows = catalog.rows(
        "SELECT e.extname::text, e.extrelocatable, n.nspname::text, p.proname::text, p.oid::pg_catalog.regprocedure::text,
                p.pronargs >= 1 AND (p.pronargs - p.pronargdefaults <= 1 OR p.provariadic <> 0),
                CASE WHEN t.typtype = 'c' THEN t.typrelid END,
                COALESCE(t.oid IN ('pg_catalog.record'::pg_catalog.regtype, 'pg_catalog.anyelement'::pg_catalog.regtype,
                                   'pg_catalog.anynonarray'::pg_catalog.regtype, 'pg_catalog.\"any\"'::pg_catalog.regtype,
                                   'pg_catalog.anycompatible'::pg_catalog.regtype,
                                   'pg_catalog.anycompatiblenonarray'::pg_catalog.regtype), false),
                false
           FROM pg_catalog.pg_proc p
           JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
           LEFT JOIN pg_catalog.pg_type t ON t.oid = p.proargtypes[0]
           LEFT JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid
                                           AND d.deptype = 'e'
           LEFT JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
          WHERE p.proname = ANY ($2) AND p.prokind <> 'p'
            AND (n.nspname = ANY ($1) OR (n.nspname = 'pg_catalog' AND p.oid >= $3))
          UNION ALL
         SELECT e.extname::text, e.extrelocatable, n.nspname::text, t.typname::text, pg_catalog.format_type(t.oid, NULL), true,
                b.typrelid, false, true
           FROM pg_catalog.pg_type t
           JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
           LEFT JOIN pg_catalog.pg_type b ON b.oid = t.typbasetype AND b.typtype = 'c'
           LEFT JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_type'::pg_catalog.regclass AND d.objid = t.oid
                                           AND d.deptype = 'e'
           LEFT JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
          WHERE t.typname = ANY ($2) AND t.typrelid = 0
            AND (n.nspname = ANY ($1) OR (n.nspname = 'pg_catalog' AND t.oid >= $3))
          ORDER BY 3, 4, 5",
        &[(&path, TEXTS), (&names, TEXTS), (&FIRST_NORMAL_OID, Type::OID)],
    )?;
    let read = |row: &Row| {
        Ok(Function {
            extension: extension(row)?,
            schema: row.try_get(2)?,
            name: row.try_get(3)?,
            text: row.try_get(4)?,
            takes_one: row.try_get(5)?,
            row_of: row.try_get(6)?,
            any_row: row.try_get(7)?,
            kind: if row.try_get(8)? { "TYPE" } else { "ROUTINE" },
        })
    };
    rows.iter().map(read).collect()
}

fn operators(catalog: &mut Catalog<'_>, path: &[String], names: &[&str]) -> Result<Vec<Operator>, Error> {
    let rows = catalog.rows(
        "SELECT e.extname::text, e.extrelocatable, n.nspname::text, o.oprname::text,
                pg_catalog.format('%I.%s (%s, %s)', n.nspname, o.oprname,
                                  CASE o.oprleft WHEN 0 THEN 'NONE' ELSE pg_catalog.format_type(o.oprleft, NULL) END,
                                  pg_catalog.format_type(o.oprright, NULL)),
                COALESCE(l.typnamespace = n2.oid, true) AND r.typnamespace = n2.oid
           FROM pg_catalog.pg_operator o
           JOIN pg_catalog.pg_namespace n ON n.oid = o.oprnamespace
           JOIN pg_catalog.pg_namespace n2 ON n2.nspname = 'pg_catalog'
           JOIN pg_catalog.pg_type r ON r.oid = o.oprright
           LEFT JOIN pg_catalog.pg_type l ON l.oid = o.oprleft
           LEFT JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_operator'::pg_catalog.regclass AND d.objid = o.oid
                                           AND d.deptype = 'e'
           LEFT JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
          WHERE o.oprname = ANY ($2)
            AND (n.nspname = ANY ($1) OR (n.nspname = 'pg_catalog' AND o.oid >= $3))
          ORDER BY n.nspname, o.oprname, 5",
        &[(&path, TEXTS), (&names, TEXTS), (&FIRST_NORMAL_OID, Type::OID)],
    )?;
    let read = |row: &Row| {
        Ok(Operator {
            extension: extension(row)?,
            schema: row.try_get(2)?,
            name: row.try_get(3)?,
            text: row.try_get(4)?,
            over_system_types: row.try_get(5)?,
        })
    };
    rows.iter().map(read).collect()
}

fn casts(catalog: &mut Catalog<'_>) -> Result<Vec<Cast>, Error> {
    let rows = catalog.rows(
        "SELECT e.extname::text, e.extrelocatable,
                pg_catalog.format_type(s.oid, NULL), pg_catalog.format_type(t.oid, NULL),
                sn.nspname::text, s.typname::text, tn.nspname::text, t.typname::text, fn.nspname::text, f.proname::text
           FROM pg_catalog.pg_cast c
           JOIN pg_catalog.pg_type s ON s.oid = c.castsource
           JOIN pg_catalog.pg_namespace sn ON sn.oid = s.typnamespace
           JOIN pg_catalog.pg_type t ON t.oid = c.casttarget
           JOIN pg_catalog.pg_namespace tn ON tn.oid = t.typnamespace
           LEFT JOIN pg_catalog.pg_proc f ON f.oid = c.castfunc
           LEFT JOIN pg_catalog.pg_namespace fn ON fn.oid = f.pronamespace
           LEFT JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_cast'::pg_catalog.regclass AND d.objid = c.oid
                                           AND d.deptype = 'e'
           LEFT JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
          WHERE c.oid >= $1
          ORDER BY 3, 4",
        &[(&FIRST_NORMAL_OID, Type::OID)],
    )?;
    let read = |row: &Row| {
        let function: (Option<String>, Option<String>) = (row.try_get(8)?, row.try_get(9)?);
        Ok(Cast {
            extension: extension(row)?,
            source: row.try_get(2)?,
            target: row.try_get(3)?,
            source_name: (row.try_get(4)?, row.try_get(5)?),
            target_name: (row.try_get(6)?, row.try_get(7)?),
            function: function.0.zip(function.1),
        })
    };
    rows.iter().map(read).collect()
}

fn named(row: &Row) -> Result<Named, Error> {
    Ok(Named { extension: extension(row)?, schema: row.try_get(2)?, name: row.try_get(3)?, kind: row.try_get(4)? })
}

fn extension(row: &Row) -> Result<Option<Extension>, Error> {
    let name: Option<String> = row.try_get(0)?;
    let relocatable: Option<bool> = row.try_get(1)?;
    Ok(name.map(|name| Extension { name, relocatable: relocatable.unwrap_or_default() }))
}
