//! Changes of `spec.functions`, `spec.operators` and `spec.types`.
//!
//! One thing is subtle: `f(t)` is a column where it is no function, so that forgetting a function of one's own can allow a text.

use std::collections::BTreeSet;

use super::{Effect, Log};
use crate::catalog::{Catalog, Lists};

/// Profiles of `pg_catalog`'s own functions, whose names never mean a column.
const OWN: [&str; 3] = ["core", "random", "text-search"];

const ADDED: (Effect, &str) = (Effect::Relaxes, "texts that use it may be allowed");
const REMOVED: (Effect, &str) = (Effect::Restricts, "texts that use it are denied");
const MAY_BE_COLUMN: (Effect, &str) =
    (Effect::Relaxes, "calls are denied, but `f(x)` may now be allowed as the column `f` of x, where there is one");

pub(super) fn changes(old: &Lists, new: &Lists, catalog: &Catalog, log: &mut Log) {
    let Lists { search_path: _, profiles, functions_allow, functions_deny, operators_allow, types_allow, collations } =
        old;
    let call = |entry: &str| if catalog.stands_before_others(entry) { MAY_BE_COLUMN } else { REMOVED };
    each("spec.functions.profiles", profiles, &new.profiles, log, |name| {
        [ADDED, if OWN.contains(&name) { REMOVED } else { MAY_BE_COLUMN }]
    });
    each("spec.functions.allow", functions_allow, &new.functions_allow, log, |entry| [ADDED, call(entry)]);
    each("spec.functions.deny", functions_deny, &new.functions_deny, log, |entry| [call(entry), ADDED]);
    each("spec.operators.allow", operators_allow, &new.operators_allow, log, |_| [ADDED, REMOVED]);
    each("spec.types.allow", types_allow, &new.types_allow, log, |_| [ADDED, REMOVED]);
    each("spec.types.collations", collations, &new.collations, log, |_| [ADDED, REMOVED]);
}

/// `effects`: of an element that was added, of one that was taken away.
fn each<'e>(
    path: &str,
    old: &[String],
    new: &[String],
    log: &mut Log,
    effects: impl Fn(&str) -> [(Effect, &'e str); 2],
) {
    for element in old.iter().chain(new).collect::<BTreeSet<_>>() {
        log.member(path, element, old.contains(element), new.contains(element), effects(element));
    }
}
