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
