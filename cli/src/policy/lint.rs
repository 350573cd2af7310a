//! `haltsql policy lint`: what is weak in a policy, why it matters, how to mend it.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use haltsql::{Finding, Policy, Severity};
use serde_json::json;

use crate::check::print;
use crate::failure::Failure;
use crate::{human, input};

/// The page with a row for each finding; a test holds it against the code.
const PAGE: &str = include_str!("../../../docs/policy-lint.md");

/// What `haltsql policy lint` takes.
#[derive(Debug, Args)]
#[command(
    long_about = "Explain every weakness of a policy: where it stands, what follows from it, how to mend it. No database is asked: what \
                  only a database can tell is for `haltsql policy doctor`.",
    after_long_help = EXAMPLES
)]
pub struct LintArgs {
    /// The policy
    #[arg(value_name = "POLICY")]
    policy: PathBuf,

    /// A finding that is on purpose: it is listed, and counts for nothing. Repeat it for several
    #[arg(long, value_name = "ID")]
    accept: Vec<String>,

    /// Print one JSON object instead of text for people
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  haltsql policy lint policy.yaml
  haltsql policy lint --accept tenancy.none --accept write.delete policy.yaml

Exit codes:
  0  nothing, or only notes and what was accepted
  1  a danger or a warning
  2  the policy was not read, or is not valid";

/// Runs the command.
pub fn run(args: &LintArgs) -> Result<ExitCode, Failure> {
    for id in &args.accept {
        known(id)?;
    }
    let document = input::document(&args.policy)?;
    let findings = document.load(Policy::lint)?;
    let accepted = |finding: &Finding| args.accept.iter().any(|id| id == finding.id);
    let weighs = |finding: &&Finding| finding.severity != Severity::Note && !accepted(finding);
    let failed = findings.iter().any(|finding| weighs(&finding));
    let text = if args.json {
        let findings: Vec<_> = findings
            .iter()
            .map(|finding| {
                let mut value = json!(finding);
                if let Some(map) = value.as_object_mut() {
                    map.insert("accepted".to_owned(), json!(accepted(finding)));
                }
                value
            })
            .collect();
        format!("{}\n", json!({ "policy": document.origin, "ok": !failed, "findings": findings }))
    } else {
        let mut text = String::new();
        for finding in &findings {
            push(&mut text, finding, &document.origin, accepted(finding));
        }
        push_sum(&mut text, &findings, &accepted);
        text
    };
    print(&text)?;
    Ok(if failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// The ids that the page lists.
fn ids() -> impl Iterator<Item = &'static str> {
    PAGE.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`')).map(|(id, _)| id)
}

/// A misspelt id would accept nothing, and nobody would notice.
fn known(id: &str) -> Result<(), Failure> {
    if ids().any(|known| known == id) {
        return Ok(());
    }
    let near = ids().max_by(|left, right| strsim::jaro_winkler(left, id).total_cmp(&strsim::jaro_winkler(right, id)));
    Err(Failure::new(
        format!("there is no finding `{}`", id.escape_debug()),
        format!("did you mean `{}`?", near.unwrap_or_default()),
    ))
}

fn push(text: &mut String, finding: &Finding, origin: &str, accepted: bool) {
    let Finding { id, severity, path, line, column, what, why, mend, .. } = finding;
    let word = if accepted { "accepted" } else { severity.as_str() };
    let colour = match (accepted, severity) {
        (true, _) | (false, Severity::Note) => "36",
        (false, Severity::Danger) => "1;31",
        (false, Severity::Warning) => "1;33",
    };
    let head = human::styled(colour, &format!("{word}[{id}]"));
    let path = if path.is_empty() { String::new() } else { format!(", {}", human::visible(path)) };
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{head}: {}\n --> {origin}:{line}:{column}{path}", human::visible(what));
    let _ = writeln!(text, "  why: {why}\n mend: {}\n", human::visible(mend));
}

fn push_sum(text: &mut String, findings: &[Finding], accepted: &impl Fn(&Finding) -> bool) {
    let count = |severity: Severity, one: &str, many: &str| {
        let found = findings.iter().filter(|finding| finding.severity == severity && !accepted(finding)).count();
        format!("{found} {}", if found == 1 { one } else { many })
    };
    let parts = [
        count(Severity::Danger, "danger", "dangers"),
        count(Severity::Warning, "warning", "warnings"),
        count(Severity::Note, "note", "notes"),
    ];
    text.push_str(&parts.join(", "));
    match findings.iter().filter(|finding| accepted(finding)).count() {
        0 => text.push('\n'),
        some => {
            let _ = writeln!(text, ", {some} accepted");
        }
    }
}
