//! `haltsql man`: the manual pages, made from the same words as `--help`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Command};

use crate::check;
use crate::failure::Failure;

/// What `haltsql man` takes.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  haltsql man | man -l -\n  haltsql man --dir ~/.local/share/man/man1 && man haltsql-check"
)]
pub struct ManArgs {
    /// Write haltsql.1 and a page for each subcommand into this folder, instead of printing the first
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

/// Prints or writes the pages.
pub fn run(args: ManArgs, command: Command) -> ExitCode {
    // `haltsql help` says what the pages say, and needs none.
    let command = command.disable_help_subcommand(true);
    match args.dir {
        Some(dir) => write(command, dir),
        None => print(command),
    }
    .map_or_else(|failure| failure.report(), |()| ExitCode::SUCCESS)
}

fn print(command: Command) -> Result<(), Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command)
        .render(&mut page)
        .map_err(|problem| Failure::new(format!("cannot make the page: {problem}"), "report this as a bug"))?;
    check::print_bytes(&page)
}

fn write(command: Command, dir: PathBuf) -> Result<(), Failure> {
    let made = std::fs::create_dir_all(&dir).and_then(|()| clap_mangen::generate_to(command, &dir));
    made.map_err(|problem| {
        Failure::new(
            format!("cannot write the pages into `{}`: {problem}", dir.display()),
            "give a folder that can be written to after --dir",
        )
    })
}
