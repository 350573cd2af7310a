//! Documents become policies: strict loading, validation, normal form and hash.
//!
//! Receives a document's bytes, returns an immutable [`Policy`] or everything that is wrong with the document. A document that
//! could be read two ways is refused. It reads no file, no environment and no database.
//!
//! The way through: `yaml` or `json` → `document` (one tree for both) → `load` (with `reader` and `names`) → `model`, and from
//! there `normal` → hash.

mod assumptions;
mod defaults;
mod diff;
mod document;
mod error;
mod json;
mod lint;
mod load;
mod model;
mod names;
mod normal;
mod plain;
mod reader;
mod sensitive;
#[cfg(test)]
mod tests;
mod yaml;

pub use assumptions::{AssumedColumn, AssumedKey, AssumedTable, Assumptions};
pub use diff::{Change, Effect};
pub use error::{PolicyError, Problem};
pub(crate) use json::{elements, members};
pub use lint::{Finding, Severity};
pub use model::*;
pub use sensitive::Sensitive;

use document::{MAX_BYTES, Span};
use error::Problems;

/// The language that a policy document is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// YAML, the part of it that every version and reader understands alike.
    Yaml,
    /// JSON.
    Json,
}

impl Policy {
    /// Loads a policy from a document's bytes. The document's language is said, never guessed.
    ///
    /// # Errors
    /// Everything that is wrong with the document, each with its place; of broken syntax, the first.
    pub fn parse(text: &[u8], format: Format) -> Result<Policy, PolicyError> {
        let decoded = match std::str::from_utf8(text) {
            Ok(decoded) => decoded,
            Err(error) => {
                let valid = String::from_utf8_lossy(text.get(..error.valid_up_to()).unwrap_or_default());
                return Err(refusal(&valid, error.valid_up_to(), "the document is not UTF-8"));
            }
        };
        if text.len() > MAX_BYTES {
            return Err(refusal("", 0, &format!("the document is larger than {MAX_BYTES} bytes")));
        }
        let mut problems = Problems::new(decoded);
        let root = match format {
            Format::Yaml => yaml::parse(decoded, &mut problems),
            Format::Json => json::parse(decoded, &mut problems),
        };
        let mut reader = reader::Reader::new(problems);
        let policy = root.and_then(|root| load::policy(&root, &mut reader));
        match (policy, reader.into_problems().into_error()) {
            (Some(policy), None) => Ok(policy),
            (_, Some(error)) => Err(error),
            // FAIL-CLOSED: no stage refuses without a problem; were one to, there would still be no policy.
            (None, None) => Err(refusal("", 0, "the policy could not be loaded")),
        }
    }

    /// Loads a policy from YAML.
    ///
    /// # Errors
    /// See [`Policy::parse`].
    pub fn from_yaml(text: &str) -> Result<Policy, PolicyError> {
        Policy::parse(text.as_bytes(), Format::Yaml)
    }

    /// Loads a policy from JSON.
    ///
    /// # Errors
    /// See [`Policy::parse`].
    pub fn from_json(text: &str) -> Result<Policy, PolicyError> {
        Policy::parse(text.as_bytes(), Format::Json)
    }
}

/// The error with one problem about the whole document.
fn refusal(text: &str, at: usize, message: &str) -> PolicyError {
    PolicyError::one(text, Span { start: at, end: at }, message)
}
