//! `haltsql policy describe`: what may be asked under a policy, as text for a prompt or as JSON.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::check::print;
use crate::failure::Failure;
use crate::input;

/// What `haltsql policy describe` takes.
#[derive(Debug, Args)]
#[command(
    long_about = "Say what may be asked under a policy: tables, readable columns, how rows are held to the caller, functions and \
                  limits. Names no hidden column and nothing of `execution`: it is made to be shown to whoever writes the SQL."
)]
pub struct DescribeArgs {
    /// The policy
    #[arg(value_name = "POLICY")]
    policy: PathBuf,

    /// Print JSON for a program instead of text for a prompt
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &DescribeArgs) -> Result<ExitCode, Failure> {
    let description = input::policy(&args.policy)?.describe();
    let mut text = if args.json { description.to_json() } else { description.to_text() };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}
