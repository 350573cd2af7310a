//! `haltsql policy schema`: the published JSON Schema of policies.

use std::process::ExitCode;

use clap::Args;

use crate::check::print;
use crate::failure::Failure;

/// The published schema itself; a test of the core holds it against the loader.
const SCHEMA: &str = include_str!("../../../schema/policy.schema.json");

/// What `haltsql policy schema` takes.
#[derive(Debug, Args)]
#[command(
    long_about = "Print the JSON Schema of policies, so that an editor completes and checks them while they are written. What no \
                  schema can say (a column both readable and hidden, a key without its column) is said when the policy is loaded.",
    after_long_help = "Example, for editors with the YAML language server:\n  haltsql policy schema > policy.schema.json\n  # \
                       first line of the policy:\n  # yaml-language-server: $schema=./policy.schema.json"
)]
pub struct SchemaArgs {}

/// Runs the command.
pub fn run(_args: &SchemaArgs) -> Result<ExitCode, Failure> {
    print(SCHEMA)?;
    Ok(ExitCode::SUCCESS)
}
