//! The command `haltsql` as a runner: a process for each row, or one stream of lines for each policy.
//!
//! Receives rows, returns what the command answered. Its errors have no numbers: which kind it was is read from the message. What
//! an argument or a JSON string cannot hold is not carried.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use haltsql::Format;
use haltsql::boundary::ErrorCode;
use serde_json::value::RawValue;
use tempfile::TempDir;

use crate::rows::{Row, Task};
use crate::runner::{Answer, cut, format_of};

/// The command, and a folder for what it has to read from files.
pub struct Cli {
    program: PathBuf,
    scratch: TempDir,
    /// Rows that are run at the same time.
    threads: usize,
}

impl Cli {
    /// The command that was built beside this program, or `HALTSQL_BIN`.
    ///
    /// # Errors
    /// There is none.
    pub fn find() -> Result<Cli, String> {
        let own = std::env::current_exe().map_err(|problem| problem.to_string())?;
        let beside = own.with_file_name(format!("haltsql{}", std::env::consts::EXE_SUFFIX));
        let program = std::env::var_os("HALTSQL_BIN").map_or(beside, PathBuf::from);
        if !program.is_file() {
            return Err(format!("{} is missing: build the package haltsql-cli in the same profile", program.display()));
        }
        let scratch = tempfile::tempdir().map_err(|problem| problem.to_string())?;
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Ok(Cli { program, scratch, threads })
    }

    /// The answers of one process a row.
    ///
    /// # Errors
    /// The command cannot be started, or answers with neither a verdict nor an error.
    pub fn each(&self, folder: &Path, rows: &[Row]) -> Result<Vec<Answer>, String> {
        let next = AtomicUsize::new(0);
        let work = || {
            let mut done = Vec::new();
            while let at = next.fetch_add(1, Ordering::Relaxed)
                && let Some(row) = rows.get(at)
            {
                done.push((at, self.one(folder, row, at)?));
            }
            Ok::<_, String>(done)
        };
        let mut done = std::thread::scope(|scope| {
            let helpers: Vec<_> = (1..self.threads).map(|_| scope.spawn(work)).collect();
            let mut done = work()?;
            for helper in helpers {
                done.extend(helper.join().map_err(|_| "a thread failed".to_owned())??);
            }
            Ok::<_, String>(done)
        })?;
        done.sort_unstable_by_key(|(at, _)| *at);
        Ok(done.into_iter().map(|(_, answer)| answer).collect())
    }

    /// The answers of `--batch`, one process a policy; documents to load are given as by [`Cli::each`].
    ///
    /// # Errors
    /// As [`Cli::each`].
    pub fn batch(&self, folder: &Path, rows: &[Row]) -> Result<Vec<Answer>, String> {
        let mut answers: Vec<Answer> = vec![None; rows.len()];
        let mut streams: BTreeMap<&str, (Vec<usize>, Vec<u8>)> = BTreeMap::new();
        for (at, row) in rows.iter().enumerate() {
            match &row.task {
                Task::Check { policy, context, sql } => {
                    if let Some(line) = line(context, sql) {
                        let (numbers, lines) = streams.entry(policy).or_default();
                        numbers.push(at);
                        lines.extend(line);
                    }
                }
                Task::Load { .. } => {
                    if let Some(answer) = answers.get_mut(at) {
                        *answer = self.one(folder, row, at)?;
                    }
                }
            }
        }
        for (policy, (numbers, lines)) in streams {
            let mut command = Command::new(&self.program);
            command.arg("check").arg("--policy").arg(policy_file(folder, policy)).args(["--batch", "-"]);
            let output = run(command, lines)?;
            let text = String::from_utf8(output.stdout).map_err(|problem| format!("{policy}: {problem}"))?;
            if text.lines().count() != numbers.len() {
                return Err(format!("{policy}: {} lines, and {} answers", numbers.len(), text.lines().count()));
            }
            for (at, line) in numbers.into_iter().zip(text.lines()) {
                if let Some(answer) = answers.get_mut(at) {
                    *answer = Some(batch_answer(line)?);
                }
            }
        }
        Ok(answers)
    }

    fn one(&self, folder: &Path, row: &Row, at: usize) -> Result<Answer, String> {
        match &row.task {
            Task::Check { policy, context, sql } => {
                let Some(context) = argument(context) else { return Ok(None) };
                let mut command = Command::new(&self.program);
                command.arg("check").arg("--policy").arg(policy_file(folder, policy));
                command.args(["--json", "--context-json", context, "-"]);
                let output = run(command, sql.clone())?;
                let verdict = String::from_utf8_lossy(&output.stdout);
                answer(&row.id, &output, || cut(&verdict).to_owned()).map(Some)
            }
            Task::Load { format, name, document } => {
                let ending = match format_of(format)?.of(document, &String::from_utf8_lossy(name)) {
                    Format::Yaml => "yaml",
                    Format::Json => "json",
                };
                let file = self.scratch.path().join(format!("{at}.{ending}"));
                fs::write(&file, document).map_err(|problem| problem.to_string())?;
                let mut command = Command::new(&self.program);
                command.arg("check").arg("--policy").arg(&file).args(["--json", "SELECT 1"]);
                let output = run(command, Vec::new())?;
                fs::remove_file(&file).map_err(|problem| problem.to_string())?;
                let version = serde_json::from_slice::<serde_json::Value>(&output.stdout).ok();
                let version =
                    version.and_then(|verdict| verdict.pointer("/policy/version")?.as_str().map(str::to_owned));
                answer(&row.id, &output, || version.unwrap_or_default()).map(Some)
            }
        }
    }
}

fn policy_file(folder: &Path, policy: &str) -> PathBuf {
    folder.join("policies").join(format!("{policy}.yaml"))
}

/// What can be an argument of a program that reads it as text.
fn argument(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

/// A line of a batch, where one can say it. A context that is JSON is written on one line; what is none stays as it is, unless it
/// would end the line or another member.
fn line(context: &[u8], sql: &[u8]) -> Option<Vec<u8>> {
    let sql = serde_json::Value::from(std::str::from_utf8(sql).ok()?);
    let context = std::str::from_utf8(context).ok()?;
    let one_line = match serde_json::from_str::<&RawValue>(context) {
        Ok(_) => context.replace(['\r', '\n'], " "),
        Err(_) if context.contains(['\r', '\n']) || context.starts_with("{}") => return None,
        Err(_) => context.to_owned(),
    };
    let line = format!("{{\"sql\":{sql},\"context\":{one_line}}}\n").into_bytes();
    (line.len() <= 1024 * 1024).then_some(line)
}

fn batch_answer(line: &str) -> Result<String, String> {
    if let Some(verdict) = line.strip_prefix("{\"verdict\":") {
        return Ok(cut(verdict).to_owned());
    }
    // Only a context can be wrong in a line whose text is a JSON string.
    if line.starts_with("{\"error\":") {
        return Ok(format!("error {}", ErrorCode::Context.number()));
    }
    Err(format!("neither a verdict nor an error: {line}"))
}

fn run(mut command: Command, input: Vec<u8>) -> Result<Output, String> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|problem| format!("cannot start {command:?}: {problem}"))?;
    let stdin = child.stdin.take();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // A command that fails early closes its end; its exit code says so.
            if let Some(mut stdin) = stdin {
                let _ = stdin.write_all(&input);
            }
        });
        child.wait_with_output().map_err(|problem| problem.to_string())
    })
}

fn answer(id: &str, output: &Output, verdict: impl FnOnce() -> String) -> Result<String, String> {
    let message = String::from_utf8_lossy(&output.stderr);
    let kind = |code: ErrorCode| Ok(format!("error {}", code.number()));
    match output.status.code() {
        Some(0 | 1) => Ok(verdict()),
        Some(2) if message.contains("the policy `") => kind(ErrorCode::Policy),
        Some(2) if message.contains("context") => kind(ErrorCode::Context),
        _ => Err(format!("{id}: {}: {message}", output.status)),
    }
}
