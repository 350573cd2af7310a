//! The `search_path` that a session must have for a verdict to hold.
//!
//! Receives a policy, returns the value for `pg_catalog.set_config('search_path', …, true)`, to be handed over as a parameter.
//! Never names `pg_catalog`, which stays implicit and first.

use crate::policy::Policy;
use crate::quote::quote_always;

impl Policy {
    /// The value to hand to `pg_catalog.set_config('search_path', …, true)` in the transaction that runs verified statements.
    ///
    /// Each schema stands in double quotes, so that no name is folded or split. `pg_temp` is named and last: where it is not
    /// named the server searches it first, and a temporary table would shadow the policy's.
    #[must_use]
    pub fn search_path_value(&self) -> String {
        let mut value = String::new();
        for schema in &self.search_path {
            value.push_str(&quote_always(schema));
            value.push_str(", ");
        }
        value.push_str("pg_temp");
        value
    }
}
