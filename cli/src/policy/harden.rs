//! `haltsql policy harden`: the SQL that makes a database the second wall behind a policy's verdicts.
//!
//! Prints; never applies. Must not show the pin key: what is printed of it are the two pads that the database needs, and only where a
//! key file was named.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use haltsql::harden::{self, Options};
use haltsql::session::PinKey;
use haltsql::{Assumptions, quote_ident};
use postgres::types::Type;

use super::connect::{self, Catalog, MaybeDatabaseArgs};
use crate::check::print;
use crate::failure::Failure;
use crate::input;

/// What `haltsql policy harden` takes.
#[derive(Debug, Args)]
#[command(
    long_about = "Print the SQL that makes the database hold a policy's role to the policy: roles, column grants, row-level security, \
                  and for `seal: signed` the function that verifies pins. It is idempotent, commented, one transaction, and for \
                  PostgreSQL 14 to 18. Nothing is applied: read it, run it, and look at the result with haltsql policy doctor.\n\nThe \
                  sealed role belongs to the agent alone: whatever it holds beyond the policy is taken from it. What everybody (PUBLIC) \
                  loses, every other role keeps through the group haltsql_unsealed.",
    after_help = "Examples:\n  haltsql policy harden policy.yaml > harden.sql\n  haltsql policy harden policy.yaml --dsn \
                  postgresql://owner@db.example/shop | psql -X -v ON_ERROR_STOP=1 postgresql://owner@db.example/shop\n  \
                  openssl rand -hex 32 > pin.key && haltsql policy harden policy.yaml --key-file pin.key\n\nExit codes: 0 printed, 2 \
                  not. docs/hardening.md explains each part, and what needs a superuser."
)]
pub struct HardenArgs {
    /// The policy
    #[arg(value_name = "POLICY")]
    policy: PathBuf,

    #[command(flatten)]
    database: MaybeDatabaseArgs,

    /// Also what needs a superuser and closes no way to rows: functions that disturb others, DO, extensions
    ///
    /// Under `seal: bare` it is part of the seal, and always there.
    #[arg(long)]
    optional: bool,

    /// With seal: signed, a file with the pin key (64 hexadecimal digits): the row that the database needs is printed too
    ///
    /// The row is as secret as the key. Without this option a comment says how to get it in.
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &HardenArgs) -> Result<ExitCode, Failure> {
    let policy = input::policy(&args.policy)?;
    let pin_key = args.key_file.as_deref().map(key).transpose()?;
    let assumed = policy.assumptions();
    let notes = match args.database.named() {
        None => Vec::new(),
        Some(database) => {
            let found = connect::look(&database, "haltsql policy harden", |catalog| Found::read(catalog, &assumed))?;
            found.notes(&assumed, args.optional)?
        }
    };
    let options = Options { optional: args.optional, pin_key: pin_key.as_ref(), notes: &notes };
    let sql = harden::sql(&policy, &options).map_err(|problem| Failure::new(problem.message, problem.help))?;
    print(&sql)?;
    Ok(ExitCode::SUCCESS)
}

fn key(path: &Path) -> Result<PinKey, Failure> {
    let help = "a key file holds 64 hexadecimal digits; openssl rand -hex 32 makes one";
    let unreadable =
        |problem: String| Failure::new(format!("cannot read the key file `{}`: {problem}", path.display()), help);
    let text = input::read_file(path, 1024 * 1024).map_err(unreadable)?;
    PinKey::parse(&text).map_err(|problem| Failure::new(format!("`{}`: {problem}", path.display()), help))
}

/// What the server says about things that the SQL will meet.
struct Found {
    /// `server_version_num`.
    version: i32,
    database: String,
    user: String,
    superuser: bool,
    tables: Vec<Table>,
    /// Permissive policies for PUBLIC: on which table, and their names.
    policies: Vec<(String, String)>,
}

/// By the position in [`Assumptions::tables`].
struct Table {
    /// `None`: there is none.
    kind: Option<String>,
    owner: String,
    /// Whoever runs this may act as its owner.
    reachable: bool,
}

impl Found {
    fn read(catalog: &mut Catalog<'_>, assumed: &Assumptions<'_>) -> Result<Found, postgres::Error> {
        let server = catalog.row(
            "SELECT pg_catalog.current_setting('server_version_num'), pg_catalog.current_database()::text, CURRENT_USER::text,
                    (SELECT r.rolsuper FROM pg_catalog.pg_roles r WHERE r.rolname = CURRENT_USER)",
            &[],
        )?;
        let schemas: Vec<&str> = assumed.tables.iter().map(|table| table.schema).collect();
        let names: Vec<&str> = assumed.tables.iter().map(|table| table.name).collect();
        let params = [(&schemas as _, Type::TEXT_ARRAY), (&names as _, Type::TEXT_ARRAY)];
        let tables = catalog.rows(
            "SELECT c.relkind::text, coalesce(pg_catalog.pg_get_userbyid(c.relowner)::text, ''),
                    coalesce(pg_catalog.pg_has_role(c.relowner, 'USAGE'), false)
               FROM unnest($1, $2) WITH ORDINALITY AS want (schema, name, place)
               LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = want.schema
               LEFT JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = want.name
              ORDER BY want.place",
            &params,
        )?;
        let policies = catalog.rows(
            "SELECT pg_catalog.format('%I.%I', n.nspname, c.relname), pg_catalog.quote_ident(p.polname)
               FROM unnest($1, $2) AS want (schema, name)
               JOIN pg_catalog.pg_namespace n ON n.nspname = want.schema
               JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = want.name
               JOIN pg_catalog.pg_policy p ON p.polrelid = c.oid AND p.polpermissive AND 0 = ANY (p.polroles)
              ORDER BY 1, 2",
            &params,
        )?;
        Ok(Found {
            // A number by the server's own word.
            version: server.try_get::<_, String>(0)?.parse().unwrap_or_default(),
            database: server.try_get(1)?,
            user: server.try_get(2)?,
            superuser: server.try_get(3)?,
            tables: tables
                .iter()
                .map(|row| Ok(Table { kind: row.try_get(0)?, owner: row.try_get(1)?, reachable: row.try_get(2)? }))
                .collect::<Result<_, postgres::Error>>()?,
            policies: policies
                .iter()
                .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)))
                .collect::<Result<_, postgres::Error>>()?,
        })
    }

    /// What a person should know before running the SQL there.
    fn notes(&self, assumed: &Assumptions<'_>, optional: bool) -> Result<Vec<String>, Failure> {
        let major = self.version / 10_000;
        if !(14..=18).contains(&major) {
            return Err(Failure::new(
                format!("the server is PostgreSQL {major}"),
                "the SQL is for PostgreSQL 14 to 18: use such a server",
            ));
        }
        let rights = if self.superuser { "a superuser" } else { "no superuser" };
        let mut notes =
            vec![format!("Looked at: database {}, PostgreSQL {major}, as {} ({rights}).", self.database, self.user)];
        for (table, found) in assumed.tables.iter().zip(&self.tables) {
            let name = table.display;
            match found.kind.as_deref() {
                None => {
                    notes.push(format!("{name}: there is no such table, and the SQL will fail. Mend the policy first."))
                }
                Some("r" | "p" | "v") if found.reachable => {}
                Some("r" | "p" | "v") => notes.push(format!(
                    "{name}: it belongs to {}. Run the SQL as that role, as a member of it, or as a superuser.",
                    quote_ident(&found.owner)
                )),
                Some(_) => notes.push(format!(
                    "{name}: a materialised view or a foreign table, which nothing can seal. List a table instead."
                )),
            }
            if assumed.role.is_some_and(|role| role == found.owner) {
                notes.push(format!(
                    "{name}: the sealed role owns it, and no SQL here takes that away: ALTER TABLE … OWNER TO …"
                ));
            }
        }
        for (table, policy) in &self.policies {
            notes.push(format!(
                "{table}: the policy {policy} is for everybody, the sealed role included. Name its roles: ALTER POLICY {policy} ON {table} TO …"
            ));
        }
        if optional && !self.superuser {
            notes.push(format!("The optional part needs a superuser, and {} is none.", self.user));
        }
        Ok(notes)
    }
}
