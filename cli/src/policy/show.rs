//! `haltsql policy show`: a policy's normal form.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::Value;

use crate::check::print;
use crate::failure::Failure;
use crate::input;

/// What `haltsql policy show` takes.
#[derive(Debug, Args)]
#[command(
    long_about = "Print a policy's normal form, RFC 8785 JSON: defaults left out, sets sorted, every name in one spelling. Without \
                  its line end it is what the version is computed over, and it is a policy itself.",
    after_long_help = "Example, the version by hand:\n  haltsql policy show policy.yaml | tr -d '\\n' | sha256sum"
)]
pub struct ShowArgs {
    /// The policy
    #[arg(value_name = "POLICY")]
    policy: PathBuf,

    /// Print it indented, for reading; no longer what is hashed
    #[arg(long)]
    pretty: bool,
}

/// Runs the command.
pub fn run(args: &ShowArgs) -> Result<ExitCode, Failure> {
    let policy = input::policy(&args.policy)?;
    let form = policy.normal_form();
    let text = if args.pretty {
        let read: Result<Value, _> = serde_json::from_str(form);
        read.and_then(|form| serde_json::to_string_pretty(&form)).map_err(|problem| {
            Failure::new(
                format!("the normal form cannot be printed: {problem}"),
                "print it without --pretty, and report this bug",
            )
        })?
    } else {
        form.to_owned()
    };
    print(&format!("{text}\n"))?;
    Ok(ExitCode::SUCCESS)
}
