//! The executing roles, and what they may do in the schemas of the path.

use haltsql::Assumptions;
use postgres::types::Type;

use super::TEXTS;
use crate::policy::connect::Catalog;

/// Whose rights count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoleChoice {
    /// The role that the connection string names.
    Current,
    /// This one.
    Named(String),
    /// Every role whose name has this beginning and this end (`seal: login`).
    Like(String, String),
}

/// A role that runs statements.
#[derive(Debug)]
pub struct Role {
    /// Its oid.
    pub oid: u32,
    /// Its name.
    pub name: String,
    /// It has SUPERUSER.
    pub superuser: bool,
    /// It has BYPASSRLS.
    pub bypassrls: bool,
    /// Itself and every role that it is a member of, at whatever remove, with the ownership of the database.
    pub reaches: Vec<u32>,
    /// The grants of membership between them: who, and the role that it is a member of.
    pub memberships: Vec<(String, u32)>,
    /// A setting of `standard_conforming_strings` that it logs in with, `off`: for this database, or everywhere.
    pub strings_off: Vec<StringsOff>,
}

/// Where `standard_conforming_strings` is off for a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StringsOff {
    /// `ALTER ROLE … SET`.
    Everywhere,
    /// `ALTER ROLE … IN DATABASE … SET`.
    InDatabase,
}

/// A schema of the path.
#[derive(Debug)]
pub struct Schema {
    /// Its name.
    pub name: String,
    /// False: there is none of that name.
    pub exists: bool,
    /// The names of the executing roles that may not use it: to them the server leaves it out of the path without a word.
    pub not_usable_by: Vec<String>,
    /// Who holds CREATE on it, of `PUBLIC` and the roles that an executing role is or is a member of.
    pub creators: Vec<String>,
    /// Its owner, where an executing role is or is a member of it.
    pub owned_by: Option<String>,
}

/// The chosen roles.
pub(super) fn roles(catalog: &mut Catalog<'_>, choice: &RoleChoice) -> Result<Vec<Role>, postgres::Error> {
    let (name, start, end) = match choice {
        RoleChoice::Current => (None, None, None),
        RoleChoice::Named(name) => (Some(name), None, None),
        RoleChoice::Like(start, end) => (None, Some(start), Some(end)),
    };
    let rows = catalog.rows(
        "WITH RECURSIVE chosen AS (
             SELECT r.oid, r.rolname, r.rolsuper, r.rolbypassrls
               FROM pg_catalog.pg_roles r
              WHERE CASE WHEN $1 IS NOT NULL THEN r.rolname = $1
                         WHEN $2 IS NOT NULL THEN pg_catalog.starts_with(r.rolname, $2)
                                              AND pg_catalog.right(r.rolname, pg_catalog.length($3)) = $3
                                              AND pg_catalog.length(r.rolname) > pg_catalog.length($2 || $3)
                         ELSE r.rolname = CURRENT_USER END
         ), reach (root, oid) AS (
             SELECT oid, oid FROM chosen
              UNION
             SELECT r.root, m.roleid
               FROM reach r
               JOIN (SELECT a.member, a.roleid FROM pg_catalog.pg_auth_members a
                      UNION ALL
                     SELECT d.datdba, o.oid FROM pg_catalog.pg_database d, pg_catalog.pg_roles o
                      WHERE d.datname = pg_catalog.current_database() AND o.rolname = 'pg_database_owner') m
                 ON m.member = r.oid
         )
         SELECT c.oid, c.rolname::text, c.rolsuper, c.rolbypassrls,
                ARRAY(SELECT r.oid FROM reach r WHERE r.root = c.oid ORDER BY r.oid),
                ARRAY(SELECT s.setdatabase <> 0
                        FROM pg_catalog.pg_db_role_setting s, pg_catalog.unnest(s.setconfig) AS one (setting)
                       WHERE s.setrole = c.oid
                         AND (s.setdatabase = 0 OR s.setdatabase = (SELECT d.oid FROM pg_catalog.pg_database d
                                                                     WHERE d.datname = pg_catalog.current_database()))
                         AND pg_catalog.lower(one.setting) IN ('standard_conforming_strings=off', 'standard_conforming_strings=false',
                                                               'standard_conforming_strings=no', 'standard_conforming_strings=0')
                       ORDER BY 1),
                ARRAY(SELECT pg_catalog.pg_get_userbyid(a.member)::text
                        FROM pg_catalog.pg_auth_members a JOIN reach r ON r.root = c.oid AND r.oid = a.member
                       ORDER BY a.member, a.roleid),
                ARRAY(SELECT a.roleid
                        FROM pg_catalog.pg_auth_members a JOIN reach r ON r.root = c.oid AND r.oid = a.member
                       ORDER BY a.member, a.roleid)
           FROM chosen c
          ORDER BY c.rolname",
        &[(&name, Type::TEXT), (&start, Type::TEXT), (&end, Type::TEXT)],
    )?;
    rows.iter()
        .map(|row| {
            let off: Vec<bool> = row.try_get(5)?;
            let (members, groups): (Vec<String>, Vec<u32>) = (row.try_get(6)?, row.try_get(7)?);
            Ok(Role {
                oid: row.try_get(0)?,
                name: row.try_get(1)?,
                superuser: row.try_get(2)?,
                bypassrls: row.try_get(3)?,
                reaches: row.try_get(4)?,
                memberships: members.into_iter().zip(groups).collect(),
                strings_off: off
                    .into_iter()
                    .map(|here| if here { StringsOff::InDatabase } else { StringsOff::Everywhere })
                    .collect(),
            })
        })
        .collect()
}

/// The schemas of the path, in its order.
pub(super) fn schemas(
    catalog: &mut Catalog<'_>,
    assumed: &Assumptions<'_>,
    roles: &[Role],
) -> Result<Vec<Schema>, postgres::Error> {
    let oids: Vec<u32> = roles.iter().map(|role| role.oid).collect();
    let mut reaches: Vec<u32> = roles.iter().flat_map(|role| role.reaches.iter().copied()).collect();
    reaches.sort_unstable();
    reaches.dedup();
    // A superuser may do everything anywhere: `role.superuser` says so, and here only grants count.
    let rows = catalog.rows(
        "SELECT path.name, n.oid IS NOT NULL,
                ARRAY(SELECT r.rolname::text FROM pg_catalog.pg_roles r
                       WHERE r.oid = ANY ($2) AND NOT pg_catalog.has_schema_privilege(r.oid, n.oid, 'USAGE')
                       ORDER BY r.rolname),
                ARRAY(SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_catalog.pg_get_userbyid(a.grantee)::text END
                        FROM pg_catalog.aclexplode(n.nspacl) a
                       WHERE a.privilege_type = 'CREATE' AND a.grantee <> n.nspowner
                         AND (a.grantee = 0 OR a.grantee = ANY ($3))
                       ORDER BY 1),
                CASE WHEN n.nspowner = ANY ($3) THEN pg_catalog.pg_get_userbyid(n.nspowner)::text END
           FROM pg_catalog.unnest($1) WITH ORDINALITY AS path (name, place)
           LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = path.name
          ORDER BY path.place",
        &[(&assumed.search_path, TEXTS), (&oids, Type::OID_ARRAY), (&reaches, Type::OID_ARRAY)],
    )?;
    rows.iter()
        .map(|row| {
            let exists: bool = row.try_get(1)?;
            Ok(Schema {
                name: row.try_get(0)?,
                exists,
                not_usable_by: if exists { row.try_get(2)? } else { Vec::new() },
                creators: row.try_get(3)?,
                owned_by: row.try_get(4)?,
            })
        })
        .collect()
}
