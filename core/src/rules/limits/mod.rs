//! How much a statement may ask for.

mod amount;
pub mod cartesian;
pub mod complexity;
mod generated;
pub mod max_limit;
pub mod recursive;
pub mod require_limit;
mod series;
