//! What a key means where a policy leaves it out. A default never changes within v1: normal forms leave it out, so a change would
//! give old hashes a new meaning.

use super::model::{Execution, Isolation, Limits, Recursive, Seal, Statements};

/// The profiles of a policy that names none.
pub(super) const PROFILES: &[&str] = &["core"];

impl Default for Statements {
    fn default() -> Self {
        Statements { select: true, insert: false, update: false, delete: false }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            max_sql_bytes: 65_536,
            max_relations: 32,
            max_depth: 64,
            require_limit: false,
            max_limit: None,
            cartesian_denied: true,
            recursive: Recursive::Bounded,
            max_generated: 1_000_000,
            max_grouping_sets: 64,
        }
    }
}

impl Default for Execution {
    fn default() -> Self {
        Execution {
            role: None,
            seal: Seal::None,
            pin_key: None,
            settings: Vec::new(),
            isolation: Isolation::ReadCommitted,
            timezone: "UTC".to_owned(),
            statement_timeout_ms: 5_000,
            lock_timeout_ms: 1_000,
            idle_in_transaction_session_timeout_ms: 10_000,
            max_rows: 1_000,
            max_result_bytes: 10_485_760,
        }
    }
}
