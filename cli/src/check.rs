//! `haltsql check`: one text, or a stream of them, against a policy and a context.

use std::ffi::OsString;
use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgGroup, Args, value_parser};

use crate::failure::Failure;
use crate::{batch, fix, human, input, sarif};

/// What `haltsql check` takes.
#[derive(Debug, Args)]
#[command(
    long_about = "Check SQL against a policy, for the caller that the context names. Nothing is sent to a database.",
    after_long_help = EXAMPLES,
    group = ArgGroup::new("what").args(["sql", "file", "batch"]).required(true)
)]
pub struct CheckArgs {
    /// The policy: JSON where the name ends in .json, else YAML
    #[arg(long, value_name = "FILE")]
    policy: PathBuf,

    /// Who is asking: one value of the context. Repeat a key to give a set of values
    #[arg(long = "context", value_name = "KEY=VALUE", value_parser = input::context_pair)]
    context: Vec<(String, String)>,

    /// The whole context as a JSON object of strings and arrays of strings
    #[arg(long, value_name = "JSON", conflicts_with = "context")]
    context_json: Option<String>,

    /// Print the verdict as JSON instead of text for people
    #[arg(long)]
    json: bool,

    /// Print the verdict as SARIF 2.1.0, for code scanning and editors
    #[arg(long, conflicts_with_all = ["json", "batch", "fix"])]
    sarif: bool,

    /// Repair what a hint mends by an insertion alone, and print the text (a tenant predicate, a LIMIT, a schema, an alias)
    ///
    /// The repaired text is checked again, until it is allowed or nothing helps. Nothing that stands in the text is changed or
    /// removed. What was inserted and what remains goes to standard error. With --json: one line {"sql", "repairs", "verdict"}.
    #[arg(long, conflicts_with = "batch")]
    fix: bool,

    /// With --fix: write the repaired text back to the file of --file instead of printing it
    #[arg(long, requires = "fix", conflicts_with_all = ["sql", "batch"])]
    write: bool,

    /// End with 0 for a denial too; only for a check that did not happen with 2
    #[arg(long)]
    exit_zero: bool,

    /// Read the SQL from a file, byte for byte
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,

    /// Check many: JSON Lines {"id"?, "sql", "context"?} from a file or - (standard input)
    ///
    /// Writes one line {"id"?, "verdict"} for each, in the same order, always as JSON.
    ///
    /// A line's own "context" REPLACES the context of the command line, it is not added to it.
    ///
    /// A line that cannot be read gives {"id"?, "error"}, and the command ends with 2; the other lines are checked all the
    /// same. Blank lines are skipped. A line may be up to 1 MiB long.
    #[arg(long, value_name = "FILE|-")]
    batch: Option<PathBuf>,

    /// How many lines of a batch are checked at the same time [default: one for each processor]
    #[arg(long, value_name = "N", conflicts_with_all = ["sql", "file"], value_parser = value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,

    /// The SQL itself, or - for standard input
    #[arg(value_name = "SQL|-")]
    sql: Option<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  One query, for a person:
    haltsql check --policy policy.yaml --context tenant_id=acme \\
      'SELECT id FROM app.customers WHERE tenant_id = $1'

  A caller that stands for two tenants, the verdict as JSON:
    haltsql check --policy policy.yaml --json --file query.sql \\
      --context tenant_id=acme --context tenant_id=globex

  From a pipe:
    cat query.sql | haltsql check --policy policy.yaml --context tenant_id=acme -

  SQL that begins with a dash goes behind --:
    haltsql check --policy policy.yaml --context tenant_id=acme -- '-- all of them'

  Mend a file of SQL, and see what an insertion cannot mend:
    haltsql check --policy policy.yaml --context tenant_id=acme --fix --write --file query.sql

  For code scanning:
    haltsql check --policy policy.yaml --context tenant_id=acme --sarif --file query.sql > haltsql.sarif

  A log of queries, four at a time:
    haltsql check --policy policy.yaml --batch queries.jsonl --jobs 4 > verdicts.jsonl

Exit codes:
  0  allowed (with --exit-zero: checked)
  1  denied; for a batch: at least one line
  2  no check happened, or for a batch: not for every line. Treat it as denied.
     Causes: arguments, an unreadable file, an invalid policy or context";

/// Runs the command.
pub fn run(args: CheckArgs) -> ExitCode {
    check(args).unwrap_or_else(|failure| failure.report())
}

fn check(args: CheckArgs) -> Result<ExitCode, Failure> {
    let policy = input::policy(&args.policy)?;
    let context = input::context(args.context, args.context_json.as_deref())?;
    if let Some(source) = args.batch {
        return batch::run(policy, context, &source, args.jobs, args.exit_zero);
    }
    let file = args.file.clone();
    let sql = input::sql(args.sql, args.file)?;
    if args.fix {
        let output = fix::Output { json: args.json, write: file.as_deref().filter(|_| args.write) };
        let allowed = fix::run(&policy, &context, sql, &output)?;
        return Ok(code(allowed || args.exit_zero));
    }
    let verdict = policy.check(&sql.bytes, &context);
    if args.sarif {
        print(&sarif::render(&verdict, &policy.repairs(&sql.bytes, &context), &sql))?;
        return Ok(code(verdict.allowed || args.exit_zero));
    }
    let mut text =
        if args.json { verdict.to_json() } else { human::render(&verdict, &sql.bytes, &sql.origin, human::colour()) };
    if args.json {
        text.push('\n');
    }
    print(&text)?;
    Ok(code(verdict.allowed || args.exit_zero))
}

fn code(well: bool) -> ExitCode {
    if well { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

/// Writes to standard output. A reader that went away is no failure: the exit code still tells the verdict.
pub fn print(text: &str) -> Result<(), Failure> {
    print_bytes(text.as_bytes())
}

/// As [`print`], for bytes that need not be text.
pub fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(problem) if problem.kind() != std::io::ErrorKind::BrokenPipe => Err(unwritable(&problem)),
        _ => Ok(()),
    }
}

/// The failure of an output that cannot be written.
pub fn unwritable(problem: &std::io::Error) -> Failure {
    Failure::new(
        format!("cannot write to standard output: {problem}"),
        "free the place that the output goes to, and check again: what was not written counts as not checked",
    )
}

/// Whether a person watches standard error while the answers go elsewhere.
pub fn progress_is_seen() -> bool {
    std::io::stderr().is_terminal() && !std::io::stdout().is_terminal()
}
