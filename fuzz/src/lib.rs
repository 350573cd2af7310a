//! What has to hold for any bytes at all, as functions of the bytes, and the corpus as a beginning for them.
//!
//! Each target panics where something doesn't hold. `tests/targets.rs` runs them as tests, `fuzz_targets/` under libFuzzer.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test harness: a panic is its result"
)]

pub mod seeds;
pub mod targets;

// The command's own code for one line of a batch and for cutting lines, which is no library.
#[path = "../../cli/src/answer.rs"]
mod answer;
#[allow(dead_code, reason = "brings its own tests along")]
#[path = "../../cli/src/lines.rs"]
mod lines;
