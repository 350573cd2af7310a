//! How much a statement may ask for.

mod amount;
pub mod cartesian;
pub mod complexity;
mod generated;
mod interval;
mod known;
pub mod max_limit;
mod numbers;
pub mod recursive;
pub mod require_limit;
mod series;
mod steps;

/// The LIMIT that a hint suggests where the policy has no `max_limit`.
pub const SUGGESTED: u64 = 100;
