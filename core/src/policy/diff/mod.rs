//! What changed between two policies, and which way.
//!
//! Receives two loaded policies, returns each change with its effect. Must never call a change neutral or restricting by which a
//! text may be allowed that was denied: what is in doubt relaxes, and says "may allow". A test holds this against the checks
//! themselves (`tests/policy_diff_sound`). Every struct of the model is taken apart field by field, so that a new key of policies does not
//! compile until its changes are judged.

mod execution;
mod limits;
mod lists;
mod tables;
mod tenancy;

use serde::Serialize;

use super::model::{Mode, Policy, Statements};
use super::names::spell;

/// Which way a change goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// A text may be allowed, or run with more rights, that was denied.
    Relaxes,
    /// No text is allowed that was denied; some may be denied that were allowed.
    Restricts,
    /// No verdict changes but for the policy's name and version.
    Neutral,
}

/// One change between two policies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// Which way it goes.
    pub effect: Effect,
    /// The key: `spec.tables["app.orders"].hidden`.
    pub path: String,
    /// What stood there; `None`: nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What stands there now; `None`: nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Why it goes that way: one line.
    pub why: String,
}

impl Policy {
    /// Every change from this policy to `new`: those that relax first, then those that restrict, then the neutral ones, each
    /// group in the order of the document's keys. Empty exactly where the two documents say the same.
    #[must_use]
    pub fn changes_to(&self, new: &Policy) -> Vec<Change> {
        let mut log = Log::default();
        let Policy {
            name,
            description,
            version,
            normal_form: _,
            mode,
            search_path,
            require_qualified,
            statements,
            tenancy,
            tables: _,
            catalog: _,
            lists,
            limits,
            execution,
        } = self;
        log.neutral("metadata.name", Some(name), Some(&new.name), "verdicts carry the name");
        log.neutral("metadata.description", description.as_ref(), new.description.as_ref(), "for people");
        if *mode != new.mode {
            let (effect, why) = match new.mode {
                Mode::Shadow => (Effect::Relaxes, "a shadow policy allows every text"),
                Mode::Enforce => (Effect::Restricts, "denials bind"),
            };
            log.add(effect, "spec.mode", Some(mode_word(*mode)), Some(mode_word(new.mode)), why);
        }
        self.search_path_change(search_path, &new.search_path, &mut log);
        log.flag(
            "spec.require_qualified",
            *require_qualified,
            new.require_qualified,
            Effect::Restricts,
            ["relation names without their schema are denied", "relation names without their schema may be allowed"],
        );
        statement_changes(*statements, new.statements, &mut log);
        tenancy::changes(tenancy.as_ref(), new.tenancy.as_ref(), &mut log);
        tables::changes(self, new, &mut log);
        lists::changes(lists, &new.lists, &self.catalog, &mut log);
        limits::changes(limits, &new.limits, &mut log);
        execution::changes(execution, &new.execution, &mut log);
        if log.0.is_empty() && *version != new.version {
            // FAIL-CLOSED: what is hashed and not compared above would be a bug; it is no neutral change.
            log.add(
                Effect::Relaxes,
                "spec",
                Some(version),
                Some(&new.version),
                "may allow more: the change is not known",
            );
        }
        log.0.sort_by_key(|change| change.effect);
        log.0
    }

    fn search_path_change(&self, old: &[String], new: &[String], log: &mut Log) {
        if old == new {
            return;
        }
        let (effect, why) = match (old.split_first(), new.split_first()) {
            (_, None) if self.catalog.reaches_own_functions() => (
                Effect::Relaxes,
                "a call of the policy's own function without its schema may be allowed as a column of that name",
            ),
            (_, None) => (Effect::Restricts, "no name without its schema is found"),
            (Some((first, later)), Some((new_first, new_later))) if first == new_first => {
                if is_part_of(new_later, later) {
                    (Effect::Restricts, "the same names are found, in fewer schemas")
                } else {
                    (
                        Effect::Relaxes,
                        "functions and operators of a schema that was added or moved forward may answer to names in a session",
                    )
                }
            }
            (_, Some(_)) => {
                (Effect::Relaxes, "names without a schema may be allowed: they are looked up in another schema")
            }
        };
        log.add(effect, "spec.search_path", Some(listed(old)), Some(listed(new)), why);
    }
}

fn mode_word(mode: Mode) -> &'static str {
    match mode {
        Mode::Enforce => "enforce",
        Mode::Shadow => "shadow",
    }
}

fn statement_changes(old: Statements, new: Statements, log: &mut Log) {
    let Statements { select, insert, update, delete } = old;
    for (word, old, new) in [
        ("select", select, new.select),
        ("insert", insert, new.insert),
        ("update", update, new.update),
        ("delete", delete, new.delete),
    ] {
        log.member(
            "spec.statements",
            word,
            old,
            new,
            [(Effect::Relaxes, "such statements may be allowed"), (Effect::Restricts, "such statements are denied")],
        );
    }
}

/// Whether `part` is `whole` with elements left out.
fn is_part_of(part: &[String], whole: &[String]) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|schema| rest.any(|other| other == schema))
}

fn listed(schemas: &[String]) -> String {
    format!("[{}]", schemas.iter().map(|schema| spell(schema)).collect::<Vec<_>>().join(", "))
}

/// The changes found so far.
#[derive(Default)]
struct Log(Vec<Change>);

impl Log {
    fn add<T: ToString>(&mut self, effect: Effect, path: &str, from: Option<T>, to: Option<T>, why: &str) {
        let text = |value: Option<T>| value.map(|value| value.to_string());
        let (from, to) = (text(from), text(to));
        self.0.push(Change { effect, path: path.to_owned(), from, to, why: why.to_owned() });
    }

    /// A value that no verdict and no session depends on.
    fn neutral<T: ToString + PartialEq>(&mut self, path: &str, old: Option<T>, new: Option<T>, why: &str) {
        if old != new {
            self.add(Effect::Neutral, path, old, new, why);
        }
    }

    /// A switch. `on`: the effect of switching it on, the other way round it is the opposite; `why`: of on, of off.
    fn flag(&mut self, path: &str, old: bool, new: bool, on: Effect, why: [&str; 2]) {
        let [why_on, why_off] = why;
        match (old, new) {
            (false, true) => self.add(on, path, Some(old), Some(new), why_on),
            (true, false) => self.add(on.opposite(), path, Some(old), Some(new), why_off),
            (true, true) | (false, false) => {}
        }
    }

    /// An element of a set. `effects`: of being added, of being taken away.
    fn member(&mut self, path: &str, element: &str, old: bool, new: bool, effects: [(Effect, &str); 2]) {
        let [(added, why_added), (removed, why_removed)] = effects;
        match (old, new) {
            (false, true) => self.add(added, path, None, Some(element), why_added),
            (true, false) => self.add(removed, path, Some(element), None, why_removed),
            (true, true) | (false, false) => {}
        }
    }

    /// A bound: more of it relaxes.
    fn bound(&mut self, path: &str, old: u64, new: u64, what: &str) {
        match new.cmp(&old) {
            std::cmp::Ordering::Greater => {
                self.add(Effect::Relaxes, path, Some(old), Some(new), &format!("a wider bound: more {what}"));
            }
            std::cmp::Ordering::Less => {
                self.add(Effect::Restricts, path, Some(old), Some(new), &format!("a tighter bound: less {what}"));
            }
            std::cmp::Ordering::Equal => {}
        }
    }
}

impl Effect {
    /// The spelling in JSON and in texts: `relaxes`, `restricts`, `neutral`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Effect::Relaxes => "relaxes",
            Effect::Restricts => "restricts",
            Effect::Neutral => "neutral",
        }
    }

    const fn opposite(self) -> Effect {
        match self {
            Effect::Relaxes => Effect::Restricts,
            Effect::Restricts => Effect::Relaxes,
            Effect::Neutral => Effect::Neutral,
        }
    }
}
