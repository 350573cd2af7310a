//! `haltsql policy diff`: what changed between two policies, and which way.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use haltsql::{Change, Effect};
use serde_json::json;

use crate::check::print;
use crate::failure::Failure;
use crate::{human, input};

/// What `haltsql policy diff` takes.
#[derive(Debug, Args)]
#[command(
    long_about = "Sort each change between two policies. A change relaxes where a text may be allowed, or run with more rights, that the old \
                  policy denies; it restricts where none can be; else it is neutral. What is in doubt relaxes, and says \"may allow\".",
    after_long_help = EXAMPLES
)]
pub struct DiffArgs {
    /// The policy before
    #[arg(value_name = "OLD")]
    old: PathBuf,

    /// The policy after
    #[arg(value_name = "NEW")]
    new: PathBuf,

    /// End with 1 where a change relaxes
    #[arg(long)]
    fail_on_relaxation: bool,

    /// Print one JSON object instead of text for people
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  haltsql policy diff old.yaml new.yaml

  In CI, against the main branch:
    git show main:policy.yaml > old.yaml
    haltsql policy diff --fail-on-relaxation old.yaml policy.yaml

Exit codes:
  0  compared; with --fail-on-relaxation: and no change relaxes
  1  with --fail-on-relaxation: a change relaxes
  2  a policy was not read, or is not valid: nothing was compared";

/// Runs the command.
pub fn run(args: &DiffArgs) -> Result<ExitCode, Failure> {
    let (old, new) = (input::policy(&args.old)?, input::policy(&args.new)?);
    let changes = old.changes_to(&new);
    let relaxes = changes.iter().any(|change| change.effect == Effect::Relaxes);
    let text = if args.json {
        let side = |policy: &haltsql::Policy| json!({ "name": policy.name(), "version": policy.version() });
        format!("{}\n", json!({ "old": side(&old), "new": side(&new), "relaxes": relaxes, "changes": changes }))
    } else {
        told(&changes)
    };
    print(&text)?;
    Ok(if relaxes && args.fail_on_relaxation { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn told(changes: &[Change]) -> String {
    if changes.is_empty() {
        return "the two policies say the same\n".to_owned();
    }
    let mut text = String::new();
    for change in changes {
        let colour = match change.effect {
            Effect::Relaxes => "1;31",
            Effect::Restricts => "1;32",
            Effect::Neutral => "36",
        };
        let head = human::styled(colour, &format!("{:<9}", change.effect.as_str()));
        let what = match (&change.from, &change.to) {
            (Some(from), Some(to)) => format!("{from} -> {to}"),
            (None, Some(to)) => format!("+ {to}"),
            (Some(from), None) => format!("- {from}"),
            (None, None) => String::new(),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{head}  {}: {}", human::visible(&change.path), human::visible(&what));
        let _ = writeln!(text, "           {}", change.why);
    }
    let count = |effect: Effect| changes.iter().filter(|change| change.effect == effect).count();
    let verb = |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    let _ = writeln!(
        text,
        "\n{}, {}, {} neutral",
        verb(count(Effect::Relaxes), "relaxes", "relax"),
        verb(count(Effect::Restricts), "restricts", "restrict"),
        count(Effect::Neutral)
    );
    text
}
