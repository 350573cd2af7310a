//! HaltSQL decides, before anything is sent to PostgreSQL, whether an exact SQL text may run under a policy for the
//! caller who is asking, and says why not in a form that an agent can repair.
//!
//! ```text
//! let policy = Policy::from_yaml(document)?;
//! let verdict = policy.check(sql, &Context::new().with("tenant_id", "acme"));
//! ```

#![forbid(unsafe_code)]
// What the core may not call, and why: clippy.toml.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros, clippy::iter_over_hash_type)]

pub mod boundary;
mod catalog;
mod check;
mod context;
mod facts;
mod fence;
pub mod harden;
mod mend;
mod parse;
mod policy;
mod quote;
mod reason;
pub mod receipt;
mod repair;
mod resolve;
mod rules;
pub mod session;
mod text;
mod verdict;
#[cfg(not(haltsql_weaken))]
mod weaken;
#[cfg(haltsql_weaken)]
pub mod weaken;

pub use catalog::{AllowedNames, PROFILE_EXTENSIONS, profile_sha256, profiles};
pub use context::{Context, ContextError, ContextValue};
pub use facts::{BindParam, BindValue};
pub use policy::{
    AssumedColumn, AssumedKey, AssumedTable, Assumptions, Change, Effect, Finding, Format, Mode, Policy, PolicyError,
    Problem, Seal, Sensitive, Severity,
};
pub use quote::quote_ident;
pub use reason::{Reason, ReasonCode, UnknownReasonCode};
pub use repair::{Insertion, Repair};
pub use verdict::{Description, PolicyRef, StatementKind, Verdict};
