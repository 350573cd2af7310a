//! What the verifier can model at all.

pub mod supported;
