//! `seal.*`: the database holds the executing role, whatever a statement does.
//!
//! Everything here is found by one statement of the core, which guards run too (`haltsql::harden::seal_check`). What it finds about the
//! checks `role.*`, `rls.*`, `tables.*` and `search_path.*` is theirs to tell.

use haltsql::Seal;
use haltsql::harden::{CHECKS, Weight};

use super::super::facts::Sealed;
use super::{Check, Finding, Given, State};

macro_rules! seal {
    ($name:ident, $id:literal, $title:literal) => {
        #[doc = $title]
        pub const $name: Check = Check { id: $id, title: $title, run: |given| state(given, $id) };
    };
}

seal!(LOGIN, "seal.login", "the sealed role can log in");
seal!(ATTRIBUTES, "seal.attributes", "the sealed role cannot make roles or databases, nor replicate");
seal!(MEMBERSHIPS, "seal.memberships", "the sealed role is a member of no other");
seal!(OWNER, "seal.owner", "the sealed role owns nothing");
seal!(CREATE, "seal.create", "the sealed role cannot create anything in the database");
seal!(TEMPORARY, "seal.temporary", "the sealed role cannot make temporary tables");
seal!(RELATIONS, "seal.relations", "the sealed role has no rights on other tables and views");
seal!(COLUMNS, "seal.columns", "the sealed role has no more rights on the policy's tables than the policy opens");
seal!(SEQUENCES, "seal.sequences", "the sealed role has no rights on sequences that it does not fill columns from");
seal!(DEFINERS, "seal.definer_functions", "the sealed role can call no function that runs with another's rights");
seal!(SETTERS, "seal.set_functions", "the sealed role can call no function that changes settings");
seal!(AGGREGATES, "seal.aggregates", "the sealed role can call no aggregate that the policy does not list");
seal!(FUNCTIONS, "seal.functions", "the sealed role can call no function that the policy does not list");
seal!(LANGUAGES, "seal.languages", "the sealed role can use no language for DO");
seal!(
    EXTENSIONS,
    "seal.extensions",
    "the sealed role has no rights on what extensions brought along and nobody asked for"
);
seal!(
    CATALOG,
    "seal.catalog_functions",
    "the sealed role can call no function of PostgreSQL's that disturbs others or outlives a rollback"
);
seal!(SET_CONFIG, "seal.set_config", "the sealed role cannot change the setting that holds its tenant");
seal!(HOLD, "seal.hold", "a restrictive policy holds every tenant table's rows to the tenant");
seal!(OPEN, "seal.open", "a policy lets the sealed role read its own rows");
seal!(PERMISSIVE, "seal.permissive_policies", "no other policy lets the sealed role at rows");
seal!(
    PIN_FUNCTION,
    "seal.pin_function",
    "the function that verifies pins is the one that was made, and another's than the sealed role's"
);
seal!(PIN_KEY, "seal.pin_key", "the sealed role has no rights on the keys of pins");
seal!(GRANTS, "seal.grants", "the sealed role has the rights that the policy opens");
seal!(
    SERVER,
    "seal.server_settings",
    "the server's settings leave no way around a rollback or the rights on large objects"
);

/// What the statement says that no check of the doctor's knows is told here: nothing may be lost.
const REST: &str = "seal.hold";

const NO_SEAL: State =
    State::NotApplicable("the policy has no seal (execution.seal: none): the verdict is the only wall");
const NO_ROLE: State = State::NotApplicable("there is no such role: see role.exists");
const NEVER: State = State::NotApplicable("the policy's seal cannot hold: see seal.hold");
const OPTIONAL: State = State::NotApplicable(
    "not all of it, which under this seal is no way to rows: `harden --optional` closes it, and --optional counts it",
);

fn state(given: &Given<'_>, id: &str) -> State {
    let found = match &given.facts.seal {
        Sealed::Not => return NO_SEAL,
        Sealed::Never(problem) if id == REST => {
            let finding = Finding::new("execution.seal", &*problem.message).advise(&*problem.help);
            return State::Broken(vec![finding]);
        }
        Sealed::Never(_) => return NEVER,
        Sealed::Found(_) if given.facts.roles.is_empty() => return NO_ROLE,
        Sealed::Found(found) => found,
    };
    match (id, given.assumed.seal) {
        ("seal.set_config", Seal::Signed | Seal::Login) => {
            return State::NotApplicable("only `seal: bare` rests on a setting that anybody could set");
        }
        ("seal.pin_function" | "seal.pin_key", Seal::Bare | Seal::Login) => {
            return State::NotApplicable("only `seal: signed` has pins");
        }
        ("seal.login", Seal::Bare) => {
            return State::NotApplicable("with `seal: bare` another role logs in, and changes to this one");
        }
        _ => {}
    }
    let mine = found.iter().filter(|(_, finding)| {
        finding.check == id || (id == REST && !CHECKS.iter().any(|(known, _)| *known == finding.check))
    });
    let (optional, told): (Vec<_>, Vec<_>) = mine.partition(|(_, finding)| finding.weight == Weight::Optional);
    if told.is_empty() && !optional.is_empty() && !given.optional {
        return OPTIONAL;
    }
    let counted = told.into_iter().chain(optional.into_iter().filter(|_| given.optional));
    State::of(
        counted
            .map(|(role, finding)| {
                let object = if finding.object == haltsql::quote_ident(role) {
                    finding.object.clone()
                } else {
                    format!("{} (as {})", finding.object, haltsql::quote_ident(role))
                };
                Finding::new(object, &*finding.detail).advise(finding.hint)
            })
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::super::ALL;
    use super::*;

    #[test]
    fn the_doctor_knows_every_check_of_the_statement_by_its_title() {
        for (id, title) in CHECKS {
            let check = ALL.iter().find(|check| check.id == *id).unwrap();
            assert!(!id.starts_with("seal.") || check.title == *title, "{id}");
        }
        let own = ALL.iter().filter(|check| check.id.starts_with("seal."));
        assert_eq!(own.filter(|check| CHECKS.iter().any(|(id, _)| *id == check.id)).count(), 24);
    }
}
