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
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::check::{progress_is_seen, unwritable};
use crate::failure::{Failure, NO_CHECK};
use crate::lines::{self, Line};

/// A longer line is an error of its own.
const MAX_LINE_BYTES: usize = 1024 * 1024;
/// Lines that may wait before and behind each checker.
const QUEUE: usize = 16;

/// One line of the input.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request<'a> {
    #[serde(borrow, default, deserialize_with = "even_null")]
    id: Option<&'a RawValue>,
    sql: String,
    #[serde(borrow, default, deserialize_with = "even_null")]
    context: Option<&'a RawValue>,
}

/// What a bad line may still say about itself.
#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow, default, deserialize_with = "even_null")]
    id: Option<&'a RawValue>,
}

/// A field that is there, `null` included: a context of `null` is a mistake, not the context of the command line.
fn even_null<'de: 'a, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// One line of the output.
struct Answer {
    line: String,
    outcome: Outcome,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Allowed,
    Denied,
    Bad,
}

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
            Line::Whole(bytes) => answer(shared, number, bytes),
            Line::TooLong => {
                bad(None, number, &format!("longer than {MAX_LINE_BYTES} bytes; check it by itself with --file"))
            }
        };
        if answers.send(answer).is_err() {
            return;
        }
    }
}

fn answer(shared: &Shared, number: u64, bytes: &[u8]) -> Answer {
    // serde would take an array for the fields in their order.
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return bad(None, number, "not a JSON object with the key `sql`");
    }
    let request: Request<'_> = match serde_json::from_slice(bytes) {
        Ok(request) => request,
        Err(problem) => {
            let id = serde_json::from_slice::<Named<'_>>(bytes).ok().and_then(|named| named.id);
            return bad(id, number, &position_in_line(&problem));
        }
    };
    let own = match request.context.map(|context| Context::from_json(context.get())).transpose() {
        Ok(own) => own,
        Err(problem) => return bad(request.id, number, &problem.to_string()),
    };
    let verdict = shared.policy.check(request.sql.as_bytes(), own.as_ref().unwrap_or(&shared.context));
    Answer {
        line: format!("{{{}\"verdict\":{}}}\n", id_member(request.id), verdict.to_json()),
        outcome: if verdict.allowed { Outcome::Allowed } else { Outcome::Denied },
    }
}

fn bad(id: Option<&RawValue>, number: u64, problem: &str) -> Answer {
    let message = serde_json::Value::from(format!("line {number}: {problem}"));
    Answer { line: format!("{{{}\"error\":{message}}}\n", id_member(id)), outcome: Outcome::Bad }
}

/// The caller's id, byte for byte; nothing where the line had none.
fn id_member(id: Option<&RawValue>) -> String {
    id.map(|id| format!("\"id\":{},", id.get())).unwrap_or_default()
}

/// serde_json counts lines within the text that it was given, which is always line 1.
fn position_in_line(problem: &serde_json::Error) -> String {
    let text = problem.to_string();
    let place = format!(" at line {} column {}", problem.line(), problem.column());
    match text.strip_suffix(&*place) {
        Some(message) => format!("{message}, column {}", problem.column()),
        None => text,
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
