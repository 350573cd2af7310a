//! `haltsql explain`: the page of a reason code, from the project's own documentation.

use std::process::ExitCode;

use clap::Args;
use haltsql::ReasonCode;

use crate::check;
use crate::failure::Failure;

/// The documentation, one section `## E_CODE` for each code; a test holds it against the codes.
const PAGES: &str = include_str!("../../docs/reason-codes.md");

/// What `haltsql explain` takes.
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "Examples:\n  haltsql explain E_TENANT_MISSING\n  haltsql explain --list"
)]
pub struct ExplainArgs {
    /// The code, as a verdict spells it
    #[arg(value_name = "CODE", required_unless_present = "list")]
    code: Option<String>,

    /// List every code with what it means
    #[arg(long, conflicts_with = "code")]
    list: bool,
}

/// Runs the command.
pub fn run(args: ExplainArgs) -> ExitCode {
    let text = match args.code {
        Some(code) => page(&code),
        None => Ok(list()),
    };
    match text.and_then(|text| check::print(&text)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn page(asked: &str) -> Result<String, Failure> {
    let mut wanted = asked.trim().to_ascii_uppercase();
    if !wanted.starts_with("E_") {
        wanted.insert_str(0, "E_");
    }
    let known = ReasonCode::ALL.iter().map(|code| code.as_str());
    match known.clone().find(|code| *code == wanted).and_then(section) {
        Some(text) => Ok(format!("{wanted}\n\n{text}\n")),
        None => {
            let near = known.max_by(|left, right| {
                strsim::jaro_winkler(left, &wanted).total_cmp(&strsim::jaro_winkler(right, &wanted))
            });
            Err(Failure::new(
                format!("there is no reason code `{}`", asked.escape_debug()),
                format!("did you mean `{}`? `haltsql explain --list` lists every code", near.unwrap_or_default()),
            ))
        }
    }
}

fn list() -> String {
    let width = ReasonCode::ALL.iter().map(|code| code.as_str().len()).max().unwrap_or_default();
    ReasonCode::ALL.iter().fold(String::new(), |mut text, code| {
        let summary = section(code.as_str()).and_then(|section| section.lines().next()).unwrap_or_default();
        text.push_str(&format!("{:<width$}  {summary}\n", code.as_str()));
        text
    })
}

/// The text under a code's heading.
pub fn section(code: &str) -> Option<&'static str> {
    let sections = PAGES.split("\n## ").skip(1);
    let (_, text) = sections.filter_map(|section| section.split_once('\n')).find(|(heading, _)| *heading == code)?;
    Some(text.trim())
}
