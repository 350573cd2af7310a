//! A stream of checks: JSON Lines in, JSON Lines out, in the same order, in constant memory.
//!
//! One thread reads, several check, this one writes. Line `n` goes to checker `n` modulo their number, through queues of fixed
//! length, and answers are taken in the same turn: order needs no buffer, and a slow reader of the output holds the input up.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread::{self, JoinHandle};

use haltsql::{Context, Policy};
use indicatif::{ProgressBar, ProgressStyle};

use crate::answer::{Answer, Outcome, answer, too_long};
use crate::check::{progress_is_seen, unwritable};
use crate::failure::{Failure, NO_CHECK};
use crate::lines::{self, Line};

/// A longer line is an error of its own.
const MAX_LINE_BYTES: usize = 1024 * 1024;
/// Lines that may wait before and behind each checker.
const QUEUE: usize = 16;

/// What the lines came to.
#[derive(Default)]
struct Totals {
    answered: u64,
    denied: u64,
    bad: u64,
}

/// What every checker knows.
struct Shared {
    policy: Policy,
    context: Context,
}

/// Checks every line of `source` (`-`: standard input).
pub fn run(
    policy: Policy,
    context: Context,
    source: &Path,
    jobs: Option<u16>,
    exit_zero: bool,
) -> Result<ExitCode, Failure> {
    let reader: Box<dyn BufRead + Send> = if source.as_os_str() == "-" {
        Box::new(BufReader::new(io::stdin()))
    } else {
        Box::new(BufReader::new(File::open(source).map_err(|problem| unreadable(source, &problem))?))
    };
    let processors = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let jobs = jobs.map_or_else(processors, usize::from);
    let shared = Arc::new(Shared { policy, context });
    let mut requests = Vec::new();
    let mut answers = Vec::new();
    let mut checkers = Vec::new();
    for number in 0..jobs {
        let (request_in, request_out) = sync_channel(QUEUE);
        let (answer_in, answer_out) = sync_channel(QUEUE);
        requests.push(request_in);
        answers.push(answer_out);
        let shared = Arc::clone(&shared);
        checkers.push(spawn(format!("check-{number}"), move || answer_all(&shared, &request_out, &answer_in))?);
    }
    // The threads are left alone where this one returns early: the process ends, whatever the reader still waits for.
    let reading = spawn("read".to_owned(), move || hand_out(reader, &requests))?;
    let totals = match write_all(&answers, BufWriter::new(io::stdout().lock())) {
        Ok(totals) => totals,
        // Nobody reads on, so nobody is told; not every line was checked.
        Err(problem) if problem.kind() == ErrorKind::BrokenPipe => return Ok(ExitCode::from(NO_CHECK)),
        Err(problem) => return Err(unwritable(&problem)),
    };
    let read = finish(reading)?.map_err(|problem| unreadable(source, &problem))?;
    for checker in checkers {
        finish(checker)?;
    }
    if read != totals.answered {
        return Err(stopped());
    }
    Ok(match (totals.bad, totals.denied) {
        (0, 0) => ExitCode::SUCCESS,
        (0, _) if exit_zero => ExitCode::SUCCESS,
        (0, _) => ExitCode::from(1),
        (bad, _) => {
            let message = format!("{bad} of {} lines could not be checked", totals.answered);
            Failure::new(message, "look for \"error\" in the output: it says what each of them lacks").report()
        }
    })
}

/// Reads lines and hands them to the checkers in turn; returns how many.
fn hand_out(mut source: impl BufRead, requests: &[SyncSender<(u64, Line)>]) -> io::Result<u64> {
    let mut handed: u64 = 0;
    let mut number: u64 = 0;
    let mut turn = requests.iter().cycle();
    while let Some(line) = lines::next(&mut source, MAX_LINE_BYTES)? {
        number += 1;
        if matches!(&line, Line::Whole(bytes) if bytes.trim_ascii().is_empty()) {
            continue;
        }
        handed += 1;
        // A checker that is gone is found out by `run`, which misses its answer.
        if turn.next().is_none_or(|checker| checker.send((number, line)).is_err()) {
            break;
        }
    }
    Ok(handed)
}

fn answer_all(shared: &Shared, requests: &Receiver<(u64, Line)>, answers: &SyncSender<Answer>) {
    for (number, line) in requests {
        let answer = match &line {
            Line::Whole(bytes) => answer(&shared.policy, &shared.context, number, bytes),
            Line::TooLong => too_long(number, MAX_LINE_BYTES),
        };
        if answers.send(answer).is_err() {
            return;
        }
    }
}

/// Writes the answers in turn until the first checker whose turn it is has none left.
fn write_all(answers: &[Receiver<Answer>], mut out: impl Write) -> io::Result<Totals> {
    let progress = if progress_is_seen() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template("{spinner} {pos} lines checked, {per_sec}, {elapsed}") {
        progress.set_style(style);
    }
    let mut totals = Totals::default();
    for checker in answers.iter().cycle() {
        let answer = match checker.try_recv() {
            Ok(answer) => answer,
            Err(TryRecvError::Disconnected) => break,
            Err(TryRecvError::Empty) => {
                // Whoever sends one line and waits for its answer gets it.
                out.flush()?;
                match checker.recv() {
                    Ok(answer) => answer,
                    Err(_) => break,
                }
            }
        };
        out.write_all(answer.line.as_bytes())?;
        totals.answered += 1;
        totals.denied += u64::from(answer.outcome == Outcome::Denied);
        totals.bad += u64::from(answer.outcome == Outcome::Bad);
        progress.inc(1);
    }
    out.flush()?;
    progress.finish_and_clear();
    Ok(totals)
}

fn spawn<T: Send + 'static>(name: String, work: impl FnOnce() -> T + Send + 'static) -> Result<JoinHandle<T>, Failure> {
    thread::Builder::new()
        .name(name)
        .spawn(work)
        .map_err(|problem| Failure::new(format!("cannot start a thread: {problem}"), "give a smaller number of --jobs"))
}

fn finish<T>(thread: JoinHandle<T>) -> Result<T, Failure> {
    thread.join().map_err(|_| stopped())
}

fn stopped() -> Failure {
    Failure::new(
        "the check stopped inside haltsql before the last line",
        "treat every line without a verdict as denied, and report this together with the first such line",
    )
}

fn unreadable(source: &Path, problem: &io::Error) -> Failure {
    Failure::new(
        format!("cannot read the batch `{}`: {problem}", source.display()),
        "give a readable file of JSON Lines, or - for standard input",
    )
}
