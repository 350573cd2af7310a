//! What the core's seal check says about each executing role: the statement that guards run too.

use haltsql::Policy;
use haltsql::harden::{HardenError, SealFinding, seal_check};
use postgres::types::Type;

use super::Role;
use crate::policy::connect::Catalog;

/// The seal, as it was found.
#[derive(Debug)]
pub enum Sealed {
    /// The policy has none.
    Not,
    /// The policy asks for one that cannot hold what it promises.
    Never(HardenError),
    /// What is amiss, and for which role.
    Found(Vec<(String, SealFinding)>),
}

/// Asks for each role. The path is pinned already: `connect::look`.
pub(super) fn seal(catalog: &mut Catalog<'_>, policy: &Policy, roles: &[Role]) -> Result<Sealed, postgres::Error> {
    let check = match seal_check(policy) {
        Ok(Some(check)) => check,
        Ok(None) => return Ok(Sealed::Not),
        Err(problem) => return Ok(Sealed::Never(problem)),
    };
    let mut found = Vec::new();
    for role in roles {
        let rows = catalog.rows(check.sql(), &[(&role.name, Type::TEXT)])?;
        let rows = rows.iter().map(|row| Ok([row.try_get(0)?, row.try_get(1)?, row.try_get(2)?]));
        let rows: Vec<[Option<String>; 3]> = rows.collect::<Result<_, postgres::Error>>()?;
        found.extend(check.read(&rows).into_iter().map(|finding| (role.name.clone(), finding)));
    }
    Ok(Sealed::Found(found))
}
