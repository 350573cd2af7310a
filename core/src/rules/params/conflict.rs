//! `params.conflict`: one `$n` that would need two values or types, or that stands where its type is not certain.

use crate::facts::params::ConflictKind;
use crate::policy::KeyType;
use crate::reason::{Reason, ReasonCode};
use crate::rules::{Case, reason};

/// Adds a reason for each use that does not go with the others.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    for conflict in &case.facts.params.conflicts {
        let number = conflict.number;
        let ty = case
            .facts
            .params
            .carried
            .get(&number)
            .and_then(|carried| case.caller.keys.get(carried.key))
            .map(|key| key.ty);
        let cast = match ty {
            Some(KeyType::Text) | None => "text",
            Some(KeyType::Uuid) => "uuid",
            Some(KeyType::Integer) => "bigint",
        };
        let (message, hint) = match conflict.kind {
            ConflictKind::TwoKeys => (
                format!("`${number}` is compared with two different tenant keys"),
                format!("use another `$n` than `${number}` for the second key"),
            ),
            ConflictKind::ValueAndArray => (
                format!("`${number}` is a value in one place and an array in another"),
                format!("use `${number}` in one form throughout: `= ANY(${number})`, or `= ${number}`"),
            ),
            ConflictKind::Elsewhere => (
                format!("`${number}` carries the tenant key and stands where its type is not certain"),
                format!("use `${number}` only in tenancy predicates, or as `${number}::{cast}` in a select list"),
            ),
        };
        out.push(reason(ReasonCode::ParamConflict, conflict.loc, message, hint));
    }
}
