//! `haltsql run`: one statement, verified, run in a transaction of the guard's, shown with its receipt.

mod csv;
mod table;

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{ArgGroup, Args};
use haltsql::{Context, Policy};
use haltsql_guard::{Denied, Error, Guard, ReceiptKey, ResultSet, Tls, TransactionOptions};
use indicatif::{ProgressBar, ProgressStyle};

use crate::check::print;
use crate::failure::Failure;
use crate::policy::connect::{DatabaseArgs, advice, configuration};
use crate::{human, input};

/// The environment variable that a receipt is signed with.
const RECEIPT_KEY: &str = "HALTSQL_RECEIPT_KEY";

/// What `haltsql run` takes.
#[derive(Debug, Args)]
#[command(
    long_about = "Run one statement that the policy allows, for the caller that the context names.\n\n\
        The text is checked first; a denied one is not sent. It then runs in a transaction that HaltSQL owns: READ ONLY, with the \
        policy's search_path, timeouts, settings and role, capped at the policy's max_rows, and rolled back. $n in the text get \
        the caller's values. The rows come with a receipt, made by the same execution.",
    after_long_help = EXAMPLES,
    group = ArgGroup::new("what").args(["sql", "file"]).required(true),
    group = ArgGroup::new("form").args(["json", "csv"])
)]
pub struct RunArgs {
    /// The policy: JSON where the name ends in .json, else YAML
    #[arg(long, value_name = "FILE")]
    policy: PathBuf,

    #[command(flatten)]
    database: DatabaseArgs,

    /// Who is asking: one value of the context. Repeat a key to give a set of values
    #[arg(long = "context", value_name = "KEY=VALUE", value_parser = input::context_pair)]
    context: Vec<(String, String)>,

    /// The whole context as a JSON object of strings and arrays of strings
    #[arg(long, value_name = "JSON", conflicts_with = "context")]
    context_json: Option<String>,

    /// Let the transaction write, where the policy opens writes; it is committed when the statement succeeds
    #[arg(long)]
    writable: bool,

    /// Print {"verdict", "columns", "rows", "row_count", "truncated", "receipt"} as JSON; for a denial {"verdict"}
    #[arg(long)]
    json: bool,

    /// Print the rows as CSV, the columns' names first; NULL is nothing, the empty text is ""
    #[arg(long)]
    csv: bool,

    /// Write the receipt to a file
    #[arg(long, value_name = "FILE")]
    receipt: Option<PathBuf>,

    /// Sign the receipt with this Ed25519 key in PEM; without it, with the key in HALTSQL_RECEIPT_KEY, where one is set
    #[arg(long, value_name = "FILE")]
    sign_key: Option<PathBuf>,

    /// Run under a policy in shadow mode too, which protects nothing
    #[arg(long)]
    allow_shadow: bool,

    /// Show the database's errors whole: they can quote values and name hidden columns
    #[arg(long)]
    show_errors: bool,

    /// Read the SQL from a file, byte for byte
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,

    /// The SQL itself, or - for standard input
    #[arg(value_name = "SQL|-")]
    sql: Option<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  A table for a person:
    haltsql run --policy policy.yaml --dsn postgresql://reader@localhost/shop --context tenant_id=acme \\
      'SELECT id, total FROM app.orders WHERE tenant_id = $1'

  Rows and receipt for a program, the SQL from a pipe:
    cat query.sql | haltsql run --policy policy.yaml --dsn \"$DSN\" --context tenant_id=acme --json -

  CSV, and a signed receipt beside it:
    haltsql run --policy policy.yaml --dsn \"$DSN\" --context tenant_id=acme --file report.sql \\
      --csv --sign-key receipt.pem --receipt report.json > report.csv

Exit codes:
  0  it ran
  1  denied: nothing was sent
  2  it did not run, or its result is not to be had: arguments, policy, context, connection, an error of the
     database, a session that is not the policy's, Ctrl-C (which cancels on the server)";

/// Runs the command.
pub fn run(args: RunArgs) -> ExitCode {
    guarded(args).unwrap_or_else(|failure| failure.report())
}

fn guarded(args: RunArgs) -> Result<ExitCode, Failure> {
    let policy = input::policy(&args.policy)?;
    let context = input::context(args.context, args.context_json.as_deref())?;
    let sql = input::sql(args.sql, args.file)?;
    let (config, tls) = configuration(&args.database, "haltsql run")?;
    let shown = Shown { json: args.json, csv: args.csv, origin: sql.origin };
    // A text that is not UTF-8 is denied, and denied texts are not sent.
    let Ok(text) = String::from_utf8(sql.bytes) else {
        return Err(Failure::new("the SQL is not UTF-8", "`haltsql check` says where; save the text as UTF-8"));
    };
    let mut builder = Guard::builder(policy, config)
        .tls(tls.map_or(Tls::None, Tls::Rustls))
        .connections(1)
        .allow_shadow(args.allow_shadow)
        .show_errors(args.show_errors);
    if let Some(key) = receipt_key(args.sign_key.as_deref())? {
        builder = builder.receipt_key(key);
    }
    let guard = builder.build().map_err(|error| failure(&error))?;
    let options = TransactionOptions { writable: args.writable };
    match with_runtime(&guard, context, options, &text)? {
        Ok(result) => {
            if let Some(path) = &args.receipt {
                std::fs::write(path, format!("{}\n", result.receipt().to_json())).map_err(|problem| {
                    let message =
                        format!("it ran, but the receipt cannot be written to `{}`: {problem}", path.display());
                    Failure::new(message, "name a file that can be written; a write was committed")
                })?;
            }
            print(&shown.result(&result))?;
            Ok(ExitCode::SUCCESS)
        }
        Err(Error::Denied(denied)) => {
            print(&shown.denial(&denied, guard.policy(), &text))?;
            Ok(ExitCode::from(1))
        }
        Err(error) => Err(failure(&error)),
    }
}

/// Runs the statement on a runtime made for it, with a sign of life for who watches, until it ends or Ctrl-C is pressed.
fn with_runtime(
    guard: &Guard,
    context: Context,
    options: TransactionOptions,
    sql: &str,
) -> Result<Result<ResultSet, Error>, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|problem| {
        Failure::new(format!("cannot start: {problem}"), "free memory or file handles, and run the command again")
    })?;
    let progress = progress();
    let ended = runtime.block_on(async {
        tokio::select! {
            ended = guard.run_with(context, options, sql) => Some(ended),
            _ = tokio::signal::ctrl_c() => None,
        }
    });
    if let Some(progress) = progress {
        progress.finish_and_clear();
    }
    match ended {
        Some(ended) => Ok(ended),
        None => {
            runtime.block_on(guard.cancelled());
            Err(Failure::new("cancelled: nothing of it is left on the server", "run the command again for the rows"))
        }
    }
}

/// A spinner behind which a long query can be waited for; a short one never shows it.
fn progress() -> Option<ProgressBar> {
    if !std::io::stderr().is_terminal() {
        return None;
    }
    let style = ProgressStyle::with_template("{spinner} running for {elapsed}; Ctrl-C cancels").ok()?;
    let bar = ProgressBar::new_spinner().with_style(style);
    bar.enable_steady_tick(Duration::from_millis(500));
    Some(bar)
}

/// The key that receipts are signed with, where one is given.
fn receipt_key(path: Option<&std::path::Path>) -> Result<Option<ReceiptKey>, Failure> {
    let text = match path {
        Some(path) => Some(std::fs::read(path).map_err(|problem| {
            let message = format!("cannot read the key `{}`: {problem}", path.display());
            Failure::new(message, "give the path of an Ed25519 key in PEM after --sign-key")
        })?),
        None => std::env::var(RECEIPT_KEY).ok().filter(|text| !text.is_empty()).map(String::into_bytes),
    };
    let Some(text) = text else { return Ok(None) };
    ReceiptKey::parse(&text).map(Some).map_err(|problem| {
        Failure::new(problem.to_string(), "make one with `openssl genpkey -algorithm ed25519 -out receipt.pem`")
    })
}

/// What to do about an error that is no denial.
fn failure(error: &Error) -> Failure {
    let next = match error {
        Error::Context(_) => "give the missing value with --context KEY=VALUE".to_owned(),
        Error::Argument(_) => "see `haltsql run --help`".to_owned(),
        Error::SealBroken(_) => {
            "`haltsql policy doctor` names what is open, and `haltsql policy harden` prints SQL that closes it"
                .to_owned()
        }
        Error::Connection(message) => advice(message),
        Error::Database(problem) if problem.sqlstate.starts_with("28") => advice("password"),
        _ => "mend the statement; --show-errors shows the database's whole message to an operator".to_owned(),
    };
    Failure::new(human::visible(&error.to_string()), next)
}

/// How results are shown.
struct Shown {
    json: bool,
    csv: bool,
    origin: String,
}

impl Shown {
    fn result(&self, result: &ResultSet) -> String {
        if self.json {
            // The receipt holds columns and rows in the same form.
            let receipt = result.receipt().to_json();
            let columns: Vec<_> = result.columns().iter().map(|column| &column.name).collect();
            let part = |value: serde_json::Value| value.to_string();
            return format!(
                "{{\"verdict\":{},\"columns\":{},\"rows\":{},\"row_count\":{},\"truncated\":{},\"receipt\":{receipt}}}\n",
                result.verdict().to_json(),
                part(serde_json::json!(columns)),
                part(serde_json::json!(result.rows())),
                result.row_count(),
                result.truncated(),
            );
        }
        if self.csv { csv::render(result) } else { table::render(result, human::colour()) }
    }

    fn denial(&self, denied: &Denied, policy: &Policy, sql: &str) -> String {
        if self.json {
            return format!("{{\"verdict\":{}}}\n", denied.verdict().to_json());
        }
        let mut text = human::render(denied.verdict(), sql.as_bytes(), &self.origin, human::colour());
        if denied.verdict().allowed {
            text.push_str(&format!(
                "not run: under the shadow policy `{}` this cannot be bound or capped\n",
                policy.name()
            ));
        }
        text
    }
}
