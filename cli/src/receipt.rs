//! `haltsql receipt verify`: whether a receipt is whole, signed by whom it should be, and what a run of the same statement gives now.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use haltsql::receipt::{Check, ReceiptPublicKey, VerifiedReceipt, verify};
use haltsql_guard::{Error, Guard, Tls, TransactionOptions};
use serde_json::{Value, json};

use crate::check::print;
use crate::failure::Failure;
use crate::policy::connect::{DatabaseArgs, configuration};
use crate::{human, input};

/// What `haltsql receipt` takes.
#[derive(Debug, Args)]
#[command(
    long_about = "Work with receipts: what `haltsql run` and every guard return beside the rows.",
    arg_required_else_help = true
)]
pub struct ReceiptArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check a receipt: its digests, its signature, and with --dsn what the statement gives now
    Verify(VerifyArgs),
}

/// What `haltsql receipt verify` takes.
#[derive(Debug, Args)]
#[command(
    long_about = "Check a receipt: recompute every digest, compare what it says twice, and check its signature.\n\n\
        Without --public-key this finds what was changed in part, and says nothing of who made it. With --dsn the statement runs again, \
        verified and guarded as ever; data may have changed since, so a difference is no proof of a forgery.",
    after_long_help = EXAMPLES
)]
struct VerifyArgs {
    /// The receipt, or - for standard input
    #[arg(value_name = "FILE|-")]
    file: PathBuf,

    /// The key that the receipt must be signed with: PEM, or 64 hex digits in a file
    #[arg(long, value_name = "FILE")]
    public_key: Option<PathBuf>,

    /// Run the statement again on this database and compare the rows; in the form of `haltsql run --dsn`
    #[arg(long, value_name = "URL", requires = "policy")]
    dsn: Option<String>,

    /// A PEM file with the certificates to trust for TLS, instead of the system's
    #[arg(long, value_name = "FILE", requires = "dsn")]
    ssl_root_cert: Option<PathBuf>,

    /// With --dsn: the policy to run under
    #[arg(long, value_name = "FILE", requires = "dsn")]
    policy: Option<PathBuf>,

    /// With --dsn: who is asking. Repeat a key to give a set of values
    #[arg(long = "context", value_name = "KEY=VALUE", value_parser = input::context_pair, requires = "dsn")]
    context: Vec<(String, String)>,

    /// Print {"holds", "signed", "checks", "rerun"?} as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  haltsql receipt verify receipt.json --public-key receipt.pub.pem
  haltsql receipt verify receipt.json --dsn \"$DSN\" --policy policy.yaml --context tenant_id=acme

Exit codes:
  0  everything holds
  1  something does not: a digest, the signature, or the rows of the run
  2  it could not be checked";

/// Runs the command.
pub fn run(args: ReceiptArgs) -> ExitCode {
    let Command::Verify(args) = args.command;
    verified(args).unwrap_or_else(|failure| failure.report())
}

fn verified(args: VerifyArgs) -> Result<ExitCode, Failure> {
    let bytes = input::file_or_stdin(&args.file, "the receipt")?;
    let key = match &args.public_key {
        Some(path) => {
            let text = input::file_or_stdin(path, "the public key")?;
            let key = ReceiptPublicKey::parse(&text);
            Some(key.map_err(|problem| {
                Failure::new(problem.to_string(), "write it with `openssl pkey -in key.pem -pubout`")
            })?)
        }
        None => None,
    };
    let receipt = verify(&bytes, key.as_ref())
        .map_err(|problem| Failure::new(problem.to_string(), "give a receipt as `haltsql run --receipt` writes it"))?;
    let rerun = match (&args.dsn, &args.policy) {
        (Some(dsn), Some(policy)) => {
            let database = DatabaseArgs::new(dsn.clone(), args.ssl_root_cert.clone());
            Some(rerun(&args, policy, &database, &receipt)?)
        }
        _ => None,
    };
    let holds = receipt.holds() && rerun.as_ref().is_none_or(|rerun| rerun.problem.is_none());
    print(&if args.json {
        as_json(&receipt, rerun.as_ref(), holds)
    } else {
        as_text(&receipt, rerun.as_ref(), holds)
    })?;
    Ok(if holds { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Runs the receipt's statement again and compares.
fn rerun(
    args: &VerifyArgs,
    policy: &Path,
    database: &DatabaseArgs,
    receipt: &VerifiedReceipt,
) -> Result<Check, Failure> {
    let check = |problem: Option<&str>| Check { name: "rerun", problem: problem.map(str::to_owned) };
    let policy = input::policy(policy)?;
    if policy.version() != receipt.policy_version {
        return Ok(check(Some("the policy is of another version than the receipt's")));
    }
    if !receipt.reads {
        return Ok(check(Some("a write is not run again")));
    }
    let context = input::context(args.context.clone(), None)?;
    let (config, tls) = configuration(database, "haltsql receipt verify")?;
    let broken = |error: &Error| {
        Failure::new(
            format!("the statement did not run: {}", human::visible(&error.to_string())),
            "see `haltsql run --help`",
        )
    };
    let tls = tls.map_or(Tls::None, Tls::Rustls);
    let guard = Guard::builder(policy, config).tls(tls).connections(1).build().map_err(|error| broken(&error))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|problem| {
        Failure::new(format!("cannot start: {problem}"), "free memory or file handles, and run the command again")
    })?;
    let result = runtime.block_on(guard.run_with(context, TransactionOptions::default(), &receipt.sql));
    let result = match result {
        Ok(result) => result,
        Err(Error::Denied(_)) => return Ok(check(Some("the statement is denied for this context"))),
        Err(error) => return Err(broken(&error)),
    };
    if result.rows() == receipt.rows {
        return Ok(check(None));
    }
    let sorted = |rows: &[Vec<Option<String>>]| {
        let mut rows = rows.to_vec();
        rows.sort();
        rows
    };
    let same = sorted(result.rows()) == sorted(&receipt.rows);
    Ok(check(match (same, receipt.ordered) {
        (true, false) => None,
        (true, true) => Some("the rows are the same, in another order than ORDER BY gives"),
        (false, _) => Some("the rows are others now: the data changed, or the receipt is not of this database"),
    }))
}

fn as_json(receipt: &VerifiedReceipt, rerun: Option<&Check>, holds: bool) -> String {
    let one = |check: &Check| match &check.problem {
        Some(problem) => json!({ "name": check.name, "holds": false, "problem": problem }),
        None => json!({ "name": check.name, "holds": true }),
    };
    let mut answer = json!({
        "holds": holds,
        "signed": receipt.signed,
        "checks": receipt.checks.iter().map(one).collect::<Vec<Value>>(),
    });
    if let (Some(rerun), Some(answer)) = (rerun, answer.as_object_mut()) {
        answer.insert("rerun".to_owned(), one(rerun));
    }
    format!("{answer}\n")
}

fn as_text(receipt: &VerifiedReceipt, rerun: Option<&Check>, holds: bool) -> String {
    let mut out = String::new();
    for Check { name, problem } in receipt.checks.iter().chain(rerun) {
        match problem {
            None => out.push_str(&format!("ok      {name}\n")),
            Some(problem) => {
                out.push_str(&format!("{}  {name}: {}\n", human::styled("1;31", "BROKEN"), human::visible(problem)))
            }
        }
    }
    out.push_str(match (holds, receipt.signed) {
        (true, true) => "the receipt is whole, and signed by that key\n",
        (true, false) => "the receipt is whole; nobody's signature was checked: give --public-key\n",
        (false, _) => "the receipt does not hold\n",
    });
    out
}
