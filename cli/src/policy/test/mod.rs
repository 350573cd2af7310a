//! `haltsql policy test`: files of expected verdicts against a policy.
//!
//! Reads every file before it checks anything: a line that cannot be read, or states what no verdict can be, ends the command, so that no
//! expectation is passed over. A file without a case is an error too.

mod case;
mod compare;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use haltsql::{Context, Policy, Verdict};
use serde_json::{Value, json};

use crate::check::print;
use crate::failure::Failure;
use crate::lines::{self, Line};
use crate::{human, input};
use case::Case;

/// A longer line is an error.
const MAX_LINE_BYTES: usize = 1024 * 1024;
/// More bad lines are counted, not listed.
const MAX_LISTED: usize = 20;
/// Longer names are cut in the table, in characters.
const MAX_NAME: usize = 60;

/// What `haltsql policy test` takes.
#[derive(Debug, Args)]
#[command(
    long_about = "Hold a policy against files of expected verdicts: JSON Lines, one case a line, written like a case of the conformance \
                  corpus. Blank lines are skipped.",
    after_long_help = EXAMPLES
)]
pub struct TestArgs {
    /// The policy of the lines that name none
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,

    /// The context of the lines that have none: one value. Repeat a key to give a set of values
    #[arg(long = "context", value_name = "KEY=VALUE", value_parser = input::context_pair)]
    context: Vec<(String, String)>,

    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,

    /// Files of cases
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

const EXAMPLES: &str = r#"A line:
  {"why": "orders need the tenant", "context": {"tenant_id": "acme"},
   "sql": "SELECT id FROM app.orders",
   "expect": {"allowed": false, "reasons": [{"code": "E_TENANT_MISSING", "at": "app.orders"}]}}
  (on one line)

  "sql" or "sql_hex", and "expect" with "allowed", have to be there. Further in "expect": "reasons" and "shadow_reasons" (all of them, each
  "code" with "at", "nth", "at_end" or "loc", or with no place), "codes_include", "codes_any", "statement_kind", "tables",
  "columns", "bind_params". What is left out is not compared.
  "policy" is a path, from the file's own folder. "id", "why" and "source" name the case. "context" replaces that of the command line.

Example:
  haltsql policy test --policy policy.yaml --context tenant_id=acme expected.jsonl

Exit codes:
  0  every case came out as expected
  1  at least one did not
  2  nothing was tested: a line, a file or a policy that cannot be read, or a file without a case"#;

/// A case that was checked.
struct Outcome<'c> {
    case: &'c Case,
    verdict: Verdict,
    wrong: Vec<String>,
}

/// Runs the command.
pub fn run(args: TestArgs) -> Result<ExitCode, Failure> {
    let context = input::context(args.context, None)?;
    let mut cases = Vec::new();
    for file in &args.files {
        cases.extend(read(file)?);
    }
    let mut policies: BTreeMap<PathBuf, Policy> = BTreeMap::new();
    for case in &cases {
        let path = policy_path(case, args.policy.as_deref())?;
        if !policies.contains_key(&path) {
            policies.insert(path.clone(), input::policy(&path)?);
        }
    }
    let mut outcomes = Vec::with_capacity(cases.len());
    for case in &cases {
        let path = policy_path(case, args.policy.as_deref())?;
        let Some(policy) = policies.get(&path) else { continue };
        outcomes.push(outcome(case, policy, case.context.as_ref().unwrap_or(&context)));
    }
    let failed = outcomes.iter().filter(|outcome| !outcome.wrong.is_empty()).count();
    print(&if args.json { as_json(&outcomes, failed) } else { as_table(&outcomes, failed) })?;
    // A case without an outcome would be one that nobody tested.
    Ok(if failed == 0 && outcomes.len() == cases.len() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn outcome<'c>(case: &'c Case, policy: &Policy, context: &Context) -> Outcome<'c> {
    let verdict = policy.check(&case.sql, context);
    let wrong = compare::differences(&case.expect, &case.sql, &verdict);
    Outcome { case, verdict, wrong }
}

/// Every case of a file.
fn read(path: &Path) -> Result<Vec<Case>, Failure> {
    let shown = path.display().to_string();
    let unreadable = |problem: std::io::Error| {
        Failure::new(format!("cannot read the cases `{shown}`: {problem}"), "give a readable file of JSON Lines")
    };
    let mut source = BufReader::new(File::open(path).map_err(unreadable)?);
    let (mut cases, mut bad, mut number) = (Vec::new(), Vec::new(), 0);
    while let Some(line) = lines::next(&mut source, MAX_LINE_BYTES).map_err(unreadable)? {
        number += 1;
        let read = match &line {
            Line::TooLong => Err(format!("the line is longer than {MAX_LINE_BYTES} bytes")),
            Line::Whole(bytes) if bytes.trim_ascii().is_empty() => continue,
            Line::Whole(bytes) => Case::read(bytes, &shown, number),
        };
        match read {
            Ok(case) => cases.push(case),
            Err(problem) => bad.push(format!("{shown}:{number}: {}", human::visible(&problem))),
        }
    }
    if !bad.is_empty() {
        let more = bad.len().saturating_sub(MAX_LISTED);
        bad.truncate(MAX_LISTED);
        if more > 0 {
            bad.push(format!("and {more} more"));
        }
        return Err(Failure::new(
            format!("not every line is a case\n\n{}\n", bad.join("\n")),
            "mend these lines and test again; `haltsql policy test --help` shows one",
        ));
    }
    if cases.is_empty() {
        let message = format!("there is no case in `{shown}`");
        return Err(Failure::new(message, "write a case a line, or leave the file out: nothing was tested"));
    }
    Ok(cases)
}

fn policy_path(case: &Case, common: Option<&Path>) -> Result<PathBuf, Failure> {
    match (&case.policy, common) {
        (Some(own), _) => Ok(Path::new(&case.file).parent().unwrap_or(Path::new("")).join(own)),
        (None, Some(common)) => Ok(common.to_owned()),
        (None, None) => Err(Failure::new(
            format!("{}:{} names no policy", case.file, case.line),
            "give one for all lines with --policy, or write \"policy\" in the line",
        )),
    }
}

fn word(allowed: bool) -> &'static str {
    if allowed { "allowed" } else { "denied" }
}

fn as_table(outcomes: &[Outcome<'_>], failed: usize) -> String {
    let place = |case: &Case| format!("{}:{}", case.file, case.line);
    let name = |case: &Case| -> String { human::visible(&case.name).chars().take(MAX_NAME).collect() };
    let places = outcomes.iter().map(|outcome| place(outcome.case).chars().count()).max().unwrap_or_default();
    let names = outcomes.iter().map(|outcome| name(outcome.case).chars().count()).max().unwrap_or_default();
    let mut text = format!("      {:<places$}  {:<names$}  {:<8}  verdict\n", "case", "", "expected");
    for Outcome { case, verdict, wrong } in outcomes {
        let state = if wrong.is_empty() { human::styled("32", "ok  ") } else { human::styled("1;31", "FAIL") };
        let codes: Vec<&str> =
            verdict.reasons.iter().chain(&verdict.shadow_reasons).map(|reason| reason.code.as_str()).collect();
        let verdict = format!("{:<7}  {}", word(verdict.allowed), codes.join(" "));
        let row =
            format!("{:<places$}  {:<names$}  {:<8}  {verdict}", place(case), name(case), word(case.expect.allowed));
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{state}  {}", row.trim_end());
        for line in wrong {
            let _ = writeln!(text, "      - {}", human::visible(line));
        }
    }
    let _ = writeln!(text, "\n{} passed, {failed} failed", outcomes.len() - failed);
    text
}

fn as_json(outcomes: &[Outcome<'_>], failed: usize) -> String {
    let cases: Vec<Value> = outcomes
        .iter()
        .map(|Outcome { case, verdict, wrong }| {
            let verdict: Value = serde_json::from_str(&verdict.to_json()).unwrap_or_default();
            json!({ "file": case.file, "line": case.line, "name": case.name, "passed": wrong.is_empty(), "differences": wrong, "verdict": verdict })
        })
        .collect();
    format!("{}\n", json!({ "passed": outcomes.len() - failed, "failed": failed, "cases": cases }))
}
