//! The committed profiles are what `scripts/profiles/generate` makes of the committed decisions.

#![allow(clippy::expect_used, missing_docs)]

use std::path::Path;
use std::process::Command;

#[test]
fn the_profiles_are_fresh() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/profiles/generate");
    let output = Command::new("python3").arg(script).arg("--check").output().expect("python3 (3.11 or later)");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
