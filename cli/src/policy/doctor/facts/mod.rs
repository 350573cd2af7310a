//! What the catalogue says about the things that a policy names.
//!
//! Receives a [`Catalog`] and a policy's assumptions, returns plain data. Decides nothing: whether a fact is good is said in
//! `checks`. Every query names `pg_catalog`, and works on PostgreSQL 14 to 18.

mod names;
mod relations;
mod roles;
mod seal;
mod writes;

use haltsql::{Assumptions, Policy};
use postgres::types::Type;

pub use names::{Cast, Extension, Function, Named, Names, SYNTAX};
pub use relations::{Column, Relation, by_name};
pub use roles::{Role, RoleChoice, Schema, StringsOff};
pub use seal::Sealed;
pub use writes::{Edge, ForeignKey, Unique, Writes, foreign_keys};

use crate::policy::connect::Catalog;

/// Everything that the checks look at.
#[derive(Debug)]
pub struct Facts {
    /// The server.
    pub server: Server,
    /// The roles that run the statements: one, but for `seal: login`.
    pub roles: Vec<Role>,
    /// The schemas of the policy's search path, in its order.
    pub schemas: Vec<Schema>,
    /// By the position in [`Assumptions::tables`]; `None`: there is no such relation.
    pub tables: Vec<Option<Relation>>,
    /// What a write may touch.
    pub writes: Writes,
    /// Things in the path whose names the policy uses.
    pub names: Names,
    /// What the seal check says.
    pub seal: Sealed,
}

/// The server and the database.
#[derive(Debug)]
pub struct Server {
    /// `server_version_num`: 180004 is 18.4.
    pub version: i32,
    /// The database's name.
    pub database: String,
    /// The database's encoding.
    pub encoding: String,
    /// `standard_conforming_strings` of this session.
    pub standard_strings: bool,
    /// Who owns the database.
    pub database_owner: String,
}

impl Server {
    /// 18 of 18.4.
    #[must_use]
    pub const fn major(&self) -> i32 {
        self.version / 10_000
    }
}

/// Reads all of it.
///
/// # Errors
/// The server's.
pub fn read(
    catalog: &mut Catalog<'_>,
    policy: &Policy,
    assumed: &Assumptions<'_>,
    choice: &RoleChoice,
) -> Result<Facts, postgres::Error> {
    let server = server(catalog)?;
    let roles = roles::roles(catalog, choice)?;
    let schemas = roles::schemas(catalog, assumed, &roles)?;
    let edges = relations::edges(catalog)?;
    let tables = relations::relations(catalog, assumed, &edges)?;
    let writes = writes::writes(catalog, assumed, edges)?;
    let names = names::names(catalog, assumed)?;
    let seal = seal::seal(catalog, policy, &roles)?;
    Ok(Facts { server, roles, schemas, tables, writes, names, seal })
}

fn server(catalog: &mut Catalog<'_>) -> Result<Server, postgres::Error> {
    let row = catalog.row(
        "SELECT pg_catalog.current_setting('server_version_num'),
                pg_catalog.current_database()::text,
                pg_catalog.getdatabaseencoding()::text,
                pg_catalog.current_setting('standard_conforming_strings')::bool,
                pg_catalog.pg_get_userbyid(d.datdba)::text
           FROM pg_catalog.pg_database d
          WHERE d.datname = pg_catalog.current_database()",
        &[],
    )?;
    Ok(Server {
        // A number by the server's own word.
        version: row.try_get::<_, String>(0)?.parse().unwrap_or_default(),
        database: row.try_get(1)?,
        encoding: row.try_get(2)?,
        standard_strings: row.try_get(3)?,
        database_owner: row.try_get(4)?,
    })
}

/// Two lists of the same length, to be joined with by `unnest($n, $m)`.
fn pairs<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> (Vec<&'a str>, Vec<&'a str>) {
    pairs.unzip()
}

/// The type of a parameter that is a list of texts.
const TEXTS: Type = Type::TEXT_ARRAY;
