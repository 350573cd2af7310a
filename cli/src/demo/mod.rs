//! `haltsql demo`: queries that agents write, judged, repaired and run on a PostgreSQL of its own.
//!
//! Receives the wishes of the command line; shows the story on standard output. Exit code 0: everything came out as the
//! story says; 1: a verdict or an answer didn't; 2: the demo could not run. It must never touch a server that it did not
//! start, and leaves no process and no folder behind, however it ends.

mod database;
mod locate;
mod show;
mod story;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use haltsql::{Context, Policy, ReasonCode, Verdict};
use haltsql_pgtemp::{Server, Stopper};
use postgres::types::Type;

use database::Databases;
use show::{Screen, Style};
use story::{STORY, Step, TENANT};

const POLICY: &str = include_str!("policy.yaml");

/// Options of `haltsql demo`.
#[derive(Debug, clap::Args)]
pub struct DemoArgs {
    /// The folder of PostgreSQL's `initdb` and `postgres` [default: HALTSQL_PG_BIN, else what this machine has]
    #[arg(long, value_name = "DIR")]
    pg_bin: Option<PathBuf>,
    /// Leave the server running at the end, until Enter or Ctrl-C, to try other queries on it
    #[arg(long)]
    keep: bool,
}

/// Why the demo ended early.
enum Failure {
    /// Nobody reads the output any more.
    Unread,
    /// In words for the person who started it.
    Said(String),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Unread,
            _ => Failure::Said(format!("writing the output: {error}")),
        }
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Failure::Said(message)
    }
}

/// What the demo counts.
#[derive(Default)]
struct Tally {
    asked: usize,
    denied: usize,
    repaired: usize,
    run: usize,
    foreign_rows: usize,
    unguarded_rows: usize,
    surprises: usize,
}

/// Runs the demo.
#[must_use]
pub fn run(args: DemoArgs) -> ExitCode {
    let stopper = Stopper::default();
    let interrupted = Arc::new(AtomicBool::new(false));
    let (at_interrupt, flag) = (stopper.clone(), Arc::clone(&interrupted));
    // Also for SIGTERM and SIGHUP. Without the handler nothing would be left behind either, but a moment after the prompt.
    let handler = ctrlc::set_handler(move || {
        flag.store(true, Ordering::SeqCst);
        // Nobody may be there to read it, where the terminal itself has gone.
        let _unread = writeln!(io::stderr(), "\ninterrupted: stopping the server and removing its folder");
        at_interrupt.stop();
        std::process::exit(130);
    });
    if let Err(error) = handler {
        return crate::failure::Failure::new(format!("signals: {error}"), "try again from a terminal").report();
    }
    let outcome = play(&args, &stopper, &mut Screen::new(io::stdout().lock(), crate::human::colour()));
    while interrupted.load(Ordering::SeqCst) {
        // What the story met then is the server's going away; the handler ends the process when that is done.
        std::thread::park();
    }
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) | Err(Failure::Unread) => ExitCode::FAILURE,
        Err(Failure::Said(message)) => {
            crate::failure::Failure::new(format!("the demo could not run: {message}"), locate::HELP).report()
        }
    }
}

fn play<W: Write>(args: &DemoArgs, stopper: &Stopper, screen: &mut Screen<W>) -> Result<bool, Failure> {
    let policy = Policy::from_yaml(POLICY).map_err(|error| format!("the demo's policy: {error}"))?;
    let bin = locate::programs(args.pg_bin.as_deref())?;

    screen.begin(&format!("Starting a PostgreSQL of the demo's own ({}) …", bin.display()))?;
    let started = Instant::now();
    let server = Server::start_stoppable(&bin, stopper).map_err(|error| error.to_string())?;
    let mut databases = Databases::create(&server)?;
    screen.line(&format!("ready in {:.1} s", started.elapsed().as_secs_f64()))?;
    screen.line(
        "It holds a shop that three companies use: acme, globex and initech. An agent answers questions for acme;",
    )?;
    screen
        .line("HaltSQL reads each query that it writes before PostgreSQL does. In them, $1 is the caller's tenant.")?;

    let mut tally = Tally::default();
    for (at, step) in STORY.iter().enumerate() {
        screen.line("")?;
        screen.styled(Style::Bold, &format!("{}/{}  {}", at + 1, STORY.len(), step.question))?;
        tell(step, &policy, &mut databases, &mut tally, screen)?;
    }
    summary(&tally, screen)?;

    if args.keep {
        screen.line("")?;
        screen.line("The server stays until Enter or Ctrl-C. To look around:")?;
        screen.indented(4, &format!("psql -h {} -U postgres shop", server.socket_folder().display()))?;
        io::stdin().read_line(&mut String::new())?;
    }
    Ok(tally.surprises == 0)
}

/// One question: what was written, the verdict, and where it was denied the repair and its verdict.
fn tell<W: Write>(
    step: &Step,
    policy: &Policy,
    databases: &mut Databases,
    tally: &mut Tally,
    screen: &mut Screen<W>,
) -> Result<(), Failure> {
    tally.asked += 1;
    screen.styled(Style::Dim, "  the agent writes")?;
    let verdict = judge(policy, step.written, screen)?;
    if !expect(&codes(&verdict), step.denied, tally, screen)? {
        return Ok(());
    }
    if verdict.allowed {
        return answer(policy, step.written, &verdict, databases, tally, screen);
    }
    tally.denied += 1;
    if step.unguarded {
        // On the demo's own data, to show what was at stake; a denied query is never run anywhere else.
        let (rows, foreign) = databases.run(policy, step.written, &values_for(step.written))?;
        tally.unguarded_rows += foreign;
        let total = rows.rows.len();
        screen.styled(
            Style::Dim,
            &format!("  had it run, {foreign} of its {total} rows would have shown what acme must not see"),
        )?;
    }
    let Some(repaired) = step.repaired else { return Ok(()) };
    screen.styled(Style::Dim, "  the agent reads the verdict and writes")?;
    let verdict = judge(policy, repaired, screen)?;
    if expect(&codes(&verdict), &[], tally, screen)? {
        tally.repaired += 1;
        answer(policy, repaired, &verdict, databases, tally, screen)?;
    }
    Ok(())
}

/// Asks for a verdict and shows it.
fn judge<W: Write>(policy: &Policy, sql: &str, screen: &mut Screen<W>) -> Result<Verdict, Failure> {
    let verdict = policy.check(sql.as_bytes(), &Context::new().with("tenant_id", TENANT));
    screen.indented(4, sql)?;
    screen.line("")?;
    let rendered = crate::human::render(&verdict, sql.as_bytes(), "query", screen.colour());
    screen.indented(4, &rendered)?;
    Ok(verdict)
}

/// Runs an allowed query and shows its rows.
fn answer<W: Write>(
    policy: &Policy,
    sql: &str,
    verdict: &Verdict,
    databases: &mut Databases,
    tally: &mut Tally,
    screen: &mut Screen<W>,
) -> Result<(), Failure> {
    let values = verdict.bind_params.iter().map(|bind| match &bind.value {
        haltsql::BindValue::One(value) if bind.ty == "text" => Ok((value.clone(), Type::TEXT)),
        _ => Err(format!("${} wants a {}, which the demo's policy has no key for", bind.param, bind.ty)),
    });
    let values: Vec<(String, Type)> = values.collect::<Result<_, String>>()?;
    let (answer, foreign) = databases.run(policy, sql, &values)?;
    tally.run += 1;
    tally.foreign_rows += foreign;
    screen.line("")?;
    screen.table(4, &answer)?;
    if foreign > 0 {
        tally.surprises += 1;
        screen.styled(Style::Bad, &format!("  UNEXPECTED: {foreign} of these rows show what acme must not see"))?;
    }
    Ok(())
}

/// What a program without a guard would bind: the caller's tenant, wherever there is a parameter.
fn values_for(sql: &str) -> Vec<(String, Type)> {
    if sql.contains("$1") { vec![(TENANT.to_owned(), Type::TEXT)] } else { Vec::new() }
}

/// The codes of a verdict, each once.
fn codes(verdict: &Verdict) -> Vec<ReasonCode> {
    let mut codes: Vec<ReasonCode> = verdict.reasons.iter().map(|reason| reason.code).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// Compares a verdict with the story, and says so when they differ. Further codes beside the story's make no difference.
fn expect<W: Write>(
    found: &[ReasonCode],
    wanted: &[ReasonCode],
    tally: &mut Tally,
    screen: &mut Screen<W>,
) -> io::Result<bool> {
    if found.is_empty() == wanted.is_empty() && wanted.iter().all(|code| found.contains(code)) {
        return Ok(true);
    }
    let list = |codes: &[ReasonCode]| match codes {
        [] => "allowed".to_owned(),
        codes => codes.iter().map(|code| code.as_str()).collect::<Vec<_>>().join(", "),
    };
    tally.surprises += 1;
    screen
        .styled(Style::Bad, &format!("  UNEXPECTED: the verdict is {}, and should be {}", list(found), list(wanted)))?;
    Ok(false)
}

fn summary<W: Write>(tally: &Tally, screen: &mut Screen<W>) -> io::Result<()> {
    screen.line("")?;
    screen.styled(Style::Bold, "Summary")?;
    screen.line(&format!("  asked      {:>3}", tally.asked))?;
    screen.line(&format!("  denied     {:>3}   before PostgreSQL saw them; unguarded they would have shown {} rows that acme must not see", tally.denied, tally.unguarded_rows))?;
    screen.line(&format!("  repaired   {:>3}   by following the hints", tally.repaired))?;
    screen.line(&format!("  run        {:>3}   read-only, search_path pinned, rolled back", tally.run))?;
    screen.line(&format!(
        "  rows of other tenants seen: {}   (every answer was the same on a twin database that lacks them)",
        tally.foreign_rows
    ))?;
    if tally.surprises == 0 {
        screen.styled(Style::Good, "  everything came out as it should")
    } else {
        screen.styled(Style::Bad, &format!("  {} came out otherwise than they should", tally.surprises))
    }
}
