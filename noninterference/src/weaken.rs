//! Weakened rules: does the oracle bite?
//!
//! The one place where a switch is thrown, before the first check of a process. The generator never learns of it.

/// Throws a switch of the core.
///
/// # Errors
/// This build of the core has no switches.
pub fn throw(switch: &str) -> Result<(), String> {
    Err(format!("`{switch}`: this build has no weakened rules"))
}
