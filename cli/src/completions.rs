//! `haltsql completions`: what a shell needs to complete the command line.

use std::process::ExitCode;

use clap::{Args, Command};
use clap_complete::Shell;

use crate::check;

/// What `haltsql completions` takes.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true, after_help = EXAMPLES)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

const EXAMPLES: &str = "\
Where shells look for it:
  haltsql completions bash > ~/.local/share/bash-completion/completions/haltsql
  haltsql completions zsh  > ~/.zfunc/_haltsql        (with ~/.zfunc in fpath)
  haltsql completions fish > ~/.config/fish/completions/haltsql.fish";

/// Prints the script.
pub fn run(args: CompletionsArgs, mut command: Command) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "haltsql", &mut script);
    check::print_bytes(&script).map_or_else(|failure| failure.report(), |()| ExitCode::SUCCESS)
}
