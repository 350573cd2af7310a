//! Runs one corpus through every language and compares bytes: prepares the inputs, is the runner of Rust and of the command,
//! and starts the runners of the other languages. conformance/RUNNERS.md has the contract.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use haltsql_conformance::cli::Cli;
use haltsql_conformance::{corpus, drive, generate, prepare, runner};

#[derive(Debug, Parser)]
#[command(about = "Run one corpus through every language and compare bytes", after_help = EXIT_CODES)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 no difference, 1 some rows differ, 2 it could not run.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Write the inputs of runners: corpus.tsv, generated.tsv and the policies
    Prepare {
        /// Where to
        folder: PathBuf,
        #[command(flatten)]
        wanted: Wanted,
    },
    /// Prepare, start every runner of conformance/runners, print the table
    Run {
        /// Where the inputs go
        #[arg(long, default_value = ".build/conformance")]
        folder: PathBuf,
        /// Only these runners
        names: Vec<String>,
        #[command(flatten)]
        wanted: Wanted,
    },
    /// Be the runner of the Rust library
    Rust {
        /// A prepared folder
        folder: PathBuf,
    },
    /// Be the runner of the command, a process for each row
    Cli {
        /// A prepared folder
        folder: PathBuf,
    },
    /// Be the runner of the command's `--batch`
    CliBatch {
        /// A prepared folder
        folder: PathBuf,
    },
}

#[derive(Debug, clap::Args)]
struct Wanted {
    /// Decides which inputs are generated
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many inputs are generated
    #[arg(long, default_value_t = generate::USUAL_COUNT)]
    count: usize,
}

fn main() -> ExitCode {
    match run(Args::parse().command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::from(2)
        }
    }
}

fn run(command: Command) -> Result<bool, String> {
    match command {
        Command::Prepare { folder, wanted } => write_inputs(&folder, &wanted).map(|()| true),
        Command::Run { folder, names, wanted } => {
            write_inputs(&folder, &wanted)?;
            let absolute = |folder: &Path| fs::canonicalize(folder).map_err(|problem| problem.to_string());
            let root = absolute(&haltsql_testkit::root())?;
            let changed = root.join(".build/conformance-changed");
            let mut set = corpus::load(&root.join("conformance"))?;
            prepare::change(&mut set, wanted.seed);
            prepare::write(&changed, &[set])?;
            drive::all(&drive::Places { root, inputs: absolute(&folder)?, changed }, &names)
        }
        Command::Rust { folder } => runner::run("rust", &folder, runner::rust),
        Command::Cli { folder } => {
            let cli = Cli::find()?;
            runner::run("cli", &folder, |folder, rows| cli.each(folder, rows))
        }
        Command::CliBatch { folder } => {
            let cli = Cli::find()?;
            runner::run("cli-batch", &folder, |folder, rows| cli.batch(folder, rows))
        }
    }
}

fn write_inputs(folder: &Path, wanted: &Wanted) -> Result<(), String> {
    prepare::write(folder, &prepare::sets(wanted.seed, wanted.count)?)
}
