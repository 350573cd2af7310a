//! `haltsql policy init`: a first policy from a live database.
//!
//! The way through: `look` reads the catalogue → `tenancy` finds whose rows they are → `draft` decides about tables and columns → `write`
//! spells it as YAML. What nobody has decided stays shut: a table whose rows belong to nobody known is written as a comment.

mod draft;
mod look;
mod personal;
mod tenancy;
mod write;

use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use haltsql::Policy;

use super::connect::{self, DatabaseArgs};
use crate::check::print;
use crate::failure::Failure;

/// What `haltsql policy init` takes.
#[derive(Debug, Args)]
#[command(
    long_about = "Write a first policy from a live database: every table whose rows carry the tenant column, every column with its type \
                  and comment, those that look personal hidden. It is a draft to be read, not a decision.\n\nThe tenant column is \
                  found by its name (tenant_id, org_id, workspace_id …) and by how many tables have it. A table without it is \
                  written as a comment: silence never means that everybody may read it. Views are taken in where `haltsql policy \
                  doctor` would accept them.",
    after_help = "Examples:\n  haltsql policy init --dsn postgresql://admin@db.example/shop > policy.yaml\n  haltsql policy init --dsn \
                  'host=/run/postgresql dbname=shop' --schema app --tenant-column org_id --output policy.yaml"
)]
pub struct InitArgs {
    #[command(flatten)]
    database: DatabaseArgs,

    /// A schema to take tables from, the first one for unqualified names; may be repeated [default: all that have tables]
    #[arg(long, value_name = "SCHEMA")]
    schema: Vec<String>,

    /// The column that says whose a row is [default: found by name]
    #[arg(long, value_name = "COLUMN", conflicts_with = "no_tenancy")]
    tenant_column: Option<String>,

    /// Rows belong to nobody: whoever may ask sees all rows of every table
    #[arg(long)]
    no_tenancy: bool,

    /// The policy's name [default: the database's]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// Write to this file, which must not exist, instead of standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &InitArgs) -> Result<ExitCode, Failure> {
    let found = connect::look(&args.database, "haltsql policy init", |catalog| look::look(catalog, &args.schema))?;
    if let Some(missing) = args.schema.iter().find(|schema| !found.schemas.contains(schema)) {
        return Err(Failure::new(
            format!("the database has no schema `{}`", missing.escape_debug()),
            "give a schema's name as the catalogue has it after --schema",
        ));
    }
    let key = if args.no_tenancy {
        None
    } else {
        let key = tenancy::key(&found, args.tenant_column.as_deref());
        Some(key.ok_or_else(|| no_key(args.tenant_column.as_deref()))?)
    };
    let draft = draft::draft(found, key, args.name.clone());
    let text = write::yaml(&draft);
    // What was written is read back: a policy that does not load helps nobody.
    if let Err(problem) = Policy::from_yaml(&text) {
        return Err(Failure::new(
            format!("the policy that was drafted is not valid\n\n{problem}\n"),
            "report this bug, with the definition of the table",
        ));
    }
    match &args.output {
        None => print(&text)?,
        Some(path) => {
            let written = File::create_new(path).and_then(|mut file| file.write_all(text.as_bytes()));
            written.map_err(|problem| {
                Failure::new(
                    format!("cannot write `{}`: {problem}", path.display()),
                    "name a file that does not exist yet after --output",
                )
            })?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn no_key(asked: Option<&str>) -> Failure {
    let message = match asked {
        Some(column) => {
            format!("no table has a column `{}` of type text, varchar, uuid or an integer", column.escape_debug())
        }
        None => "no column was found that says whose a row is".to_owned(),
    };
    Failure::new(message, "name it with --tenant-column, or say with --no-tenancy that every caller may see all rows")
}
