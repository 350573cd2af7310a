//! The names that a policy allows, listed: what must not be shadowed or overloaded in the database.
//!
//! Receives a catalogue, returns sorted names. Look-ups stand in the parent; this is for whoever asks a database about them.

#![allow(clippy::disallowed_methods, reason = "everything that leaves this file is sorted")]

use super::{Catalog, Names};

/// The extensions that profiles are about: `fuzzy`, `postgis`, `vector`.
pub const PROFILE_EXTENSIONS: [&str; 4] = ["fuzzystrmatch", "pg_trgm", "postgis", "vector"];

/// Allowed names of one kind, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedNames {
    /// Of `pg_catalog`, by the profiles and lists.
    pub system: Vec<String>,
    /// Of extensions, by their profiles: found in every schema of `search_path`, and there the extension's own.
    pub extensions: Vec<String>,
    /// Schema and name of those that the policy lists in other schemas.
    pub listed: Vec<(String, String)>,
}

impl Catalog {
    /// Functions.
    pub(crate) fn function_names(&self) -> AllowedNames {
        let listed = self
            .listed_functions
            .iter()
            .flat_map(|(schema, functions)| functions.keys().map(move |name| (schema, name)));
        let system = self.functions.keys().map(|name| (*name).to_owned());
        sorted(system, self.extension_functions.keys().map(|name| (*name).to_owned()), listed)
    }

    /// Operators.
    pub(crate) fn operator_names(&self) -> AllowedNames {
        self.operators.names()
    }

    /// Types, array types by the server's own names for them included.
    pub(crate) fn type_names(&self) -> AllowedNames {
        self.types.names()
    }
}

impl Names {
    fn names(&self) -> AllowedNames {
        let listed = self.listed.iter().flat_map(|(schema, names)| names.iter().map(move |name| (schema, name)));
        sorted(self.system.iter().cloned(), self.extensions.iter().cloned(), listed)
    }
}

/// What a policy lists of `pg_catalog` beyond the profiles counts as the system's.
fn sorted<'n>(
    system: impl Iterator<Item = String>,
    extensions: impl Iterator<Item = String>,
    listed: impl Iterator<Item = (&'n String, &'n String)>,
) -> AllowedNames {
    let mut names = AllowedNames { system: system.collect(), extensions: extensions.collect(), listed: Vec::new() };
    for (schema, name) in listed {
        if schema == super::SYSTEM {
            names.system.push(name.clone());
        } else {
            names.listed.push((schema.clone(), name.clone()));
        }
    }
    names.system.sort_unstable();
    names.extensions.sort_unstable();
    names.listed.sort_unstable();
    names
}
