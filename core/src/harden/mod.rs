//! What makes the database the second wall: SQL that seals it for a policy, and the statement that says whether it is sealed.
//!
//! Receives a policy, returns text. Pure: it asks no database, reads no file and applies nothing. [`sql`] is for a person to read and to
//! run, [`seal_check`] for whoever holds a connection; both are made from one [`plan`], so that what one closes the other looks at.
//! docs/hardening.md explains each part, docs/adr/0015-hardening.md the choices.

mod findings;
mod grants;
mod optional;
mod pin;
mod plan;
mod rls;
mod roles;
mod script;
mod seal_check;
mod take;
#[cfg(test)]
mod tests;

pub use findings::{CHECKS, SealFinding, Weight};
pub use script::{Effect, Line, Script};
pub use seal_check::{SealCheck, seal_check};

use std::fmt;

use crate::policy::{Policy, Seal};
use crate::session::PinKey;
use plan::Plan;

/// What [`script`] may put into its text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Also what takes a superuser and closes no way to rows under `signed` and `login`. Under `bare` it is always there.
    pub optional: bool,
    /// For `signed`: the key whose pads the table of keys shall hold. Without it a comment says how to get them in.
    pub pin_key: Option<&'a PinKey>,
    /// Sentences for the head of the text, such as what was found on the server that it is for.
    pub notes: &'a [String],
}

/// Why there is no SQL for a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HardenError {
    /// What is wrong, one line.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

impl HardenError {
    fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        HardenError { message: message.into(), help: help.into() }
    }
}

impl fmt::Display for HardenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for HardenError {}

/// The SQL that seals a database for the policy: idempotent, commented, for PostgreSQL 14 to 18.
///
/// # Errors
/// The policy's seal cannot hold what the policy promises, such as `bare` without a setting for a tenant key.
pub fn sql(policy: &Policy, options: &Options<'_>) -> Result<String, HardenError> {
    script(policy, options).map(|script| script.to_sql())
}

/// The same, line by line, each with the check that its absence would turn red.
///
/// # Errors
/// As for [`sql`].
pub fn script(policy: &Policy, options: &Options<'_>) -> Result<Script, HardenError> {
    let mut script = Script::default();
    let Some(plan) = Plan::of(policy)? else {
        if options.pin_key.is_some() {
            return Err(no_use_for_key(Seal::None));
        }
        script.comment(&[
            &format!("haltsql policy harden: nothing to do for policy {}", policy.name()),
            "execution.seal is none: the verdict is the only wall, and the database holds nobody to their rows.",
            "Give the policy a seal, and run the SQL that this command prints then:",
            "    execution: { role: agent, seal: signed, pin_key: { kid: k1, env: HALTSQL_PIN_KEY } }",
        ]);
        return Ok(script);
    };
    if options.pin_key.is_some() && plan.seal != Seal::Signed {
        return Err(no_use_for_key(plan.seal));
    }
    head(&plan, policy, options, &mut script);
    roles::write(&plan, &mut script);
    grants::write(&plan, &mut script);
    if plan.seal == Seal::Signed {
        pin::write(&plan, options.pin_key, &mut script);
    }
    rls::write(&plan, &mut script);
    if options.optional || plan.seal == Seal::Bare {
        optional::write(&plan, &mut script);
    }
    script.comment(&["Done. Look at it with: haltsql policy doctor POLICY --dsn URL"]);
    script.frame("COMMIT;");
    Ok(script)
}

fn no_use_for_key(seal: Seal) -> HardenError {
    HardenError::new(
        format!("`seal: {}` signs nothing, so a pin key would protect nothing", seal.as_str()),
        "leave the key out, or use `seal: signed`",
    )
}

fn head(plan: &Plan<'_>, policy: &Policy, options: &Options<'_>, script: &mut Script) {
    script.comment(&[
        &format!("haltsql policy harden: policy {}, {}", policy.name(), policy.version()),
        &format!("execution.seal: {}, execution.role: {}", plan.seal.as_str(), plan.role_word()),
        "",
        "Run it as the owner of the tables, who may also create roles; as a superuser where it says so. Run it again after every",
        "migration: it changes what has drifted and nothing else. All of it is one transaction: an error leaves nothing behind.",
        "    psql -X -v ON_ERROR_STOP=1 -f harden.sql",
        "",
        "The sealed role belongs to the agent alone: whatever it holds beyond the policy is taken from it. What everybody (PUBLIC) loses",
        "here, every other role that exists keeps through the group haltsql_unsealed. For a role that is made later:",
        "    GRANT haltsql_unsealed TO the_role;",
        "",
        "Behind each statement stands the check that is red without it (docs/doctor.md).",
    ]);
    if !options.notes.is_empty() {
        let notes: Vec<&str> = options.notes.iter().map(String::as_str).collect();
        script.comment(&notes);
    }
    script.frame("BEGIN;");
    script.frame("SET LOCAL client_min_messages = warning;");
    script.frame("SET LOCAL standard_conforming_strings = on;");
    script.comment(&["Names below mean what they say, whatever the session's search_path was."]);
    script.frame("SET LOCAL search_path = pg_catalog, pg_temp;");
    script.aid(script::block(
        "",
        "  IF pg_catalog.current_setting('server_version_num')::int / 10000 NOT BETWEEN 14 AND 18 THEN\n    \
           RAISE EXCEPTION 'this SQL is for PostgreSQL 14 to 18';\n  END IF;",
    ));
}
