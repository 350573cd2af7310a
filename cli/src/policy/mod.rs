//! `haltsql policy`: what is done with a policy before it judges anything. One subcommand, one file.

pub mod connect;
mod describe;
mod diff;
mod doctor;
mod harden;
mod hash;
mod init;
mod lint;
mod schema;
mod show;
mod test;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::failure::Failure;

/// What `haltsql policy` takes.
#[derive(Debug, Args)]
#[command(
    long_about = "Write, read and compare policies. Nothing is checked against one here: that is `haltsql check`.",
    arg_required_else_help = true,
    after_help = EXAMPLES
)]
pub struct PolicyArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Say what may be asked under a policy: the text that an agent's prompt needs
    Describe(describe::DescribeArgs),
    /// Sort what changed between two policies: relaxes, restricts, neutral
    Diff(diff::DiffArgs),
    /// Check on a live database everything that a verdict takes for granted
    Doctor(doctor::DoctorArgs),
    /// Print the SQL that seals a database for a policy: roles, grants, row-level security
    Harden(harden::HardenArgs),
    /// Print a policy's version: what `policy.version` of its verdicts says
    Hash(hash::HashArgs),
    /// Write a first policy from a live database
    Init(init::InitArgs),
    /// Explain what is weak in a policy
    Lint(lint::LintArgs),
    /// Print the JSON Schema of policies, for editors
    Schema(schema::SchemaArgs),
    /// Print a policy's normal form: what is hashed
    Show(show::ShowArgs),
    /// Hold a policy against files of expected verdicts
    Test(test::TestArgs),
}

const EXAMPLES: &str = "\
Examples:
  haltsql policy lint policy.yaml
  haltsql policy diff --fail-on-relaxation main/policy.yaml policy.yaml
  haltsql policy test --policy policy.yaml expected.jsonl
  haltsql policy describe policy.yaml
  haltsql policy harden policy.yaml > harden.sql
  haltsql policy schema > policy.schema.json

A policy is JSON where its file's name ends in .json, else YAML.";

/// Runs the subcommand.
pub fn run(args: PolicyArgs) -> ExitCode {
    let done = match args.command {
        Command::Describe(args) => describe::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Harden(args) => harden::run(&args),
        Command::Hash(args) => hash::run(&args),
        Command::Init(args) => init::run(&args),
        Command::Lint(args) => lint::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Show(args) => show::run(&args),
        Command::Test(args) => test::run(args),
    };
    done.unwrap_or_else(|failure: Failure| failure.report())
}
