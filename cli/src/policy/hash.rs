//! `haltsql policy hash`: the version that a policy's verdicts carry.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::check::print;
use crate::failure::Failure;
use crate::input;

/// What `haltsql policy hash` takes.
#[derive(Debug, Args)]
#[command(
    long_about = "Print a policy's version, `sha256:` and the digest of its normal form: what `policy.version` of its verdicts \
                  says. Two documents that mean the same have the same."
)]
pub struct HashArgs {
    /// The policy
    #[arg(value_name = "POLICY")]
    policy: PathBuf,

    /// Print {"name", "version"} instead of the version alone
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &HashArgs) -> Result<ExitCode, Failure> {
    let policy = input::policy(&args.policy)?;
    let text = if args.json {
        json!({ "name": policy.name(), "version": policy.version() }).to_string()
    } else {
        policy.version().to_owned()
    };
    print(&format!("{text}\n"))?;
    Ok(ExitCode::SUCCESS)
}
