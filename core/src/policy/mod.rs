//! Documents become policies: strict loading, validation, normal form and hash.

mod model;

pub use model::*;
