//! The `haltsql` command: reads arguments, runs one subcommand, ends with its exit code.
//!
//! Exit codes: 0 allowed, 1 denied, 2 no check happened. A command is a file of its own.

mod answer;
mod batch;
mod check;
mod completions;
mod demo;
mod explain;
mod failure;
mod fix;
mod human;
mod input;
mod lines;
mod man;
mod place;
mod policy;
mod receipt;
mod run;
mod sarif;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

/// Decides whether a SQL text may run on PostgreSQL, before anything is sent
///
/// HaltSQL reads the text with PostgreSQL's own parser and holds it against a policy (which tables, columns and functions may
/// be read) and a context (who is asking). It answers with a verdict: allowed, or denied with every reason, its place in the
/// text and a repair.
#[derive(Debug, Parser)]
#[command(name = "haltsql", version, arg_required_else_help = true, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check SQL against a policy
    Check(check::CheckArgs),
    /// See it work: agent queries judged, repaired and run on a PostgreSQL of its own
    Demo(demo::DemoArgs),
    /// Run SQL that a policy allows, in a transaction of its own, and show the rows with their receipt
    Run(run::RunArgs),
    /// Explain a reason code: what it means, why it exists, how to repair a query
    Explain(explain::ExplainArgs),
    /// Check receipts: their digests, signatures, and what a run gives now
    Receipt(receipt::ReceiptArgs),
    /// Lint, compare, test and describe policies
    Policy(policy::PolicyArgs),
    /// Print the completions of a shell
    Completions(completions::CompletionsArgs),
    /// Print the manual page, or write all of them
    Man(man::ManArgs),
}

const EXAMPLES: &str = "\
Examples:
  haltsql check --policy policy.yaml --context tenant_id=acme 'SELECT id FROM app.customers'
  haltsql explain E_TENANT_MISSING
  haltsql policy describe policy.yaml

Exit codes: 0 allowed, 1 denied, 2 no check happened (treat it as denied).";

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Check(args) => check::run(args),
        Command::Demo(args) => demo::run(args),
        Command::Run(args) => run::run(args),
        Command::Receipt(args) => receipt::run(args),
        Command::Explain(args) => explain::run(args),
        Command::Policy(args) => policy::run(args),
        Command::Completions(args) => completions::run(args, Cli::command()),
        Command::Man(args) => man::run(args, Cli::command()),
    }
}
