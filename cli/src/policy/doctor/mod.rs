//! `haltsql policy doctor`: whether a live database is what a policy's verdicts take it for.
//!
//! The way through: `facts` reads the catalogue → `checks` hold it against the policy's assumptions → `report`. Nothing is
//! changed; what mends is printed, for a person to run.

pub mod checks;
pub mod facts;
mod report;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use haltsql::{Assumptions, Seal};

use super::connect::{DatabaseArgs, look};
use crate::failure::Failure;
use crate::{check, human, input};
use checks::{ALL, Check, Finding, Given, State};
use facts::RoleChoice;

/// What `haltsql policy doctor` takes.
#[derive(Debug, Args)]
#[command(
    long_about = "Check on a live database everything that a verdict takes for granted: that names mean what the policy means by \
                  them, that tables and columns are as declared, that tenant columns tell tenants apart, that writes cannot reach \
                  other tenants' rows, that the executing role is held by grants, row \
                  security and its seal.\n\nThe catalogue is read in one read-only \
                  transaction; nothing is changed. For everything that is red, the SQL that mends it is printed.",
    after_help = "Examples:\n  haltsql policy doctor policy.yaml --dsn postgresql://agent@db.example/shop\n  haltsql policy doctor policy.yaml \
                  --dsn 'host=/run/postgresql dbname=shop' --role agent --json\n\nExit codes: 0 all is well, 1 a check is red, 2 \
                  nothing was checked. docs/doctor.md explains each check."
)]
pub struct DoctorArgs {
    /// The policy
    #[arg(value_name = "POLICY")]
    policy: PathBuf,

    #[command(flatten)]
    database: DatabaseArgs,

    /// The role that runs the statements [default: the policy's execution.role, else the role that connects]
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,

    /// A trigger or rule that was read and found harmless, as the report names it; may be repeated
    #[arg(long, value_name = "CHECK=OBJECT", value_parser = acceptance)]
    accept: Vec<(String, String)>,

    /// Count also what only `policy harden --optional` closes, and what under signed and login is no way to rows
    #[arg(long)]
    optional: bool,

    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// A check and what it found out.
pub struct Outcome {
    /// The check.
    pub check: &'static Check,
    /// What it found, but for what was accepted.
    pub state: State,
    /// Findings that the caller has accepted.
    pub accepted: Vec<Finding>,
}

impl Outcome {
    /// Something is not as a verdict assumes.
    pub const fn is_red(&self) -> bool {
        matches!(self.state, State::Broken(_))
    }
}

/// Findings that may be accepted: what a trigger or a rule does can be read, and only by a person.
const MAY_BE_ACCEPTED: [&str; 2] = ["writes.triggers", "writes.rules"];

fn acceptance(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((check, object)) if MAY_BE_ACCEPTED.contains(&check) && !object.is_empty() => {
            Ok((check.to_owned(), object.to_owned()))
        }
        Some((check, _)) if ALL.iter().any(|known| known.id == check) => Err(format!(
            "what `{check}` finds has to be mended; accepted can be findings of {}",
            MAY_BE_ACCEPTED.join(" and ")
        )),
        _ => Err(format!(
            "write CHECK=OBJECT as the report names them, such as '{}=audit ON app.orders'",
            MAY_BE_ACCEPTED[0]
        )),
    }
}

/// Runs the command.
pub fn run(args: &DoctorArgs) -> Result<ExitCode, Failure> {
    let policy = input::policy(&args.policy)?;
    let assumed = policy.assumptions();
    let choice = choice(args.role.as_deref(), &assumed);
    let facts =
        look(&args.database, "haltsql policy doctor", |catalog| facts::read(catalog, &policy, &assumed, &choice))?;
    let given = Given { policy: &policy, assumed: &assumed, facts: &facts, choice: &choice, optional: args.optional };
    let outcomes: Vec<Outcome> = ALL.iter().map(|check| outcome(check, &given, &args.accept)).collect();
    let header = report::Header {
        policy: (policy.name(), policy.version()),
        database: &facts.server.database,
        server_version: facts.server.version,
        roles: facts.roles.iter().map(|role| &*role.name).collect(),
    };
    let text =
        if args.json { report::json(&header, &outcomes) } else { report::text(&header, &outcomes, human::colour()) };
    check::print(&text)?;
    Ok(ExitCode::from(u8::from(outcomes.iter().any(Outcome::is_red))))
}

/// Whose rights count.
fn choice(role: Option<&str>, assumed: &Assumptions<'_>) -> RoleChoice {
    let template = assumed.role.filter(|_| assumed.seal == Seal::Login).and_then(|role| {
        let (start, rest) = role.split_once("{context.")?;
        let (_, end) = rest.split_once('}')?;
        Some(RoleChoice::Like(start.to_owned(), end.to_owned()))
    });
    match (role, template, assumed.role) {
        (Some(role), _, _) => RoleChoice::Named(role.to_owned()),
        (None, Some(template), _) => template,
        (None, None, Some(role)) => RoleChoice::Named(role.to_owned()),
        (None, None, None) => RoleChoice::Current,
    }
}

fn outcome(check: &'static Check, given: &Given<'_>, accept: &[(String, String)]) -> Outcome {
    let findings = match (check.run)(given) {
        State::Broken(findings) => findings,
        state @ (State::Holds | State::NotApplicable(_)) => return Outcome { check, state, accepted: Vec::new() },
    };
    let is_accepted = |finding: &Finding| accept.iter().any(|(id, object)| id == check.id && *object == finding.object);
    let (accepted, findings): (Vec<_>, Vec<_>) = findings.into_iter().partition(is_accepted);
    let state = if findings.is_empty() { State::Holds } else { State::Broken(findings) };
    Outcome { check, state, accepted }
}
