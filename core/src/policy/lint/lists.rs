//! What a policy allows beyond PostgreSQL's own harmless functions: profiles and lists.

use super::super::model::Policy;
use super::Severity::{Danger, Note, Warning};
use super::{Kind, Report};
use crate::catalog::why_excluded;

const RANDOM: Kind = (
    "functions.random",
    Note,
    "the same text gives other rows each time: a number cannot be computed again from its receipt",
);
const TEXT_SEARCH: Kind = (
    "functions.text_search",
    Note,
    "dictionaries and configurations of the database decide the result, and long documents cost time",
);
const EXTENSION: Kind = (
    "functions.extension",
    Note,
    "the functions are an extension's: its version and schema on the server are not this product's to know",
);
const NO_CORE: Kind =
    ("functions.without_core", Note, "nearly every text uses a function, operator or type of `core`, and is denied");
const OWN: Kind = (
    "functions.own",
    Warning,
    "nobody has looked into its body: it may read other rows, run as its owner, write, or take for ever, and the verdict's promise ends there",
);
const SYSTEM: Kind = ("functions.system", Danger, "it stands in no profile for a reason");
const NAMESAKE: Kind = (
    "functions.namesake",
    Note,
    "without its schema PostgreSQL's own function of that name answers: it can only be called by its whole name",
);
const DENY_IDLE: Kind = (
    "functions.deny_idle",
    Note,
    "no profile of this policy holds it: the entry has no effect, and may be a misspelling",
);
const OPERATOR: Kind = (
    "operators.own",
    Warning,
    "an operator is a function whose body nobody has looked into, and it can take part in comparisons of other types",
);
const TYPE: Kind = (
    "types.own",
    Warning,
    "its input function runs on any text that is cast to it, and its casts take part in overload resolution",
);
const SYSTEM_TYPE: Kind = ("types.system", Danger, "it stands in no profile for a reason");
const COLLATION: Kind = (
    "types.collation",
    Note,
    "the library's version decides the order, and a nondeterministic one makes different texts equal",
);

pub(super) fn findings(policy: &Policy, report: &mut Report<'_>) {
    let lists = &policy.lists;
    for profile in &lists.profiles {
        let (kind, what) = match &**profile {
            "random" => (RANDOM, "functions that give something else at each call are allowed"),
            "text-search" => (TEXT_SEARCH, "full text search is allowed"),
            "fuzzy" | "postgis" | "vector" => (EXTENSION, "functions of an extension are allowed"),
            _ => continue,
        };
        report.add(
            kind,
            &["functions", "profiles", profile],
            what.to_owned(),
            "take the profile out where no text needs it",
        );
    }
    if !lists.profiles.iter().any(|profile| profile == "core") {
        report.add(NO_CORE, &["functions", "profiles"], "`core` is not among the profiles".to_owned(), "add `core`");
    }
    for entry in &lists.functions_allow {
        function(policy, entry, report);
    }
    for entry in lists.functions_deny.iter().filter(|entry| !policy.catalog.is_in_profiles(entry, &lists.profiles)) {
        let what = format!("`{entry}` is denied, and was not allowed");
        report.add(DENY_IDLE, &["functions", "deny", entry], what, "take it out, or correct its name");
    }
    for entry in &lists.operators_allow {
        let what = format!("the operator `{entry}` is allowed");
        report.add(
            OPERATOR,
            &["operators", "allow", entry],
            what,
            "look at the function behind it, then accept this finding",
        );
    }
    for entry in &lists.types_allow {
        let steps = ["types", "allow", entry];
        match why_excluded("type", entry) {
            Some(why) => {
                let what = format!("PostgreSQL's type `{entry}` is allowed: {why}");
                report.add(SYSTEM_TYPE, &steps, what, "take it out");
            }
            None if entry.contains('.') => {
                let what = format!("the type `{entry}` is allowed");
                report.add(TYPE, &steps, what, "an enum or a plain domain is harmless: look, then accept this finding");
            }
            None => {}
        }
    }
    for entry in &lists.collations {
        let what = format!("the collation `{entry}` may be named");
        report.add(COLLATION, &["types", "collations", entry], what, "see that it is deterministic");
    }
}

fn function(policy: &Policy, entry: &str, report: &mut Report<'_>) {
    let steps = ["functions", "allow", entry];
    if let Some(why) = why_excluded("function", entry) {
        let what = format!("PostgreSQL's function `{entry}` is allowed: {why}");
        return report.add(
            SYSTEM,
            &steps,
            what,
            "take it out; where it is needed, wrap what is harmless of it in a function of your own",
        );
    }
    let Some((_, name)) = entry.split_once('.') else { return };
    let what = format!("the function `{entry}` is allowed");
    let mend = "see that it is no SECURITY DEFINER and reads no table (IMMUTABLE is a promise, not a proof), then accept this finding";
    report.add(OWN, &steps, what, mend);
    if policy.catalog.is_taken(name) {
        let what = format!("`{entry}` is called like one of PostgreSQL's own functions or types");
        report.add(NAMESAKE, &steps, what, "give it a name of its own");
    }
}
