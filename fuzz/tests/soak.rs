//! The soak in small: memory stays flat, and verdicts are the same on every thread.

#![allow(clippy::unwrap_used, reason = "tests")]
#![cfg(target_os = "linux")]

use std::process::Command;

#[test]
fn memory_stays_flat_over_checks_and_threads() {
    // One store for all threads: glibc keeps up to eight for each processor, which fill one after another.
    let soak = Command::new(env!("CARGO_BIN_EXE_soak"))
        .env("MALLOC_ARENA_MAX", "1")
        .args(["memory", "16000", "1000"])
        .output();
    let soak = soak.unwrap();
    let said = String::from_utf8(soak.stdout).unwrap();
    assert!(soak.status.success(), "{said}{}", String::from_utf8_lossy(&soak.stderr));
    assert_eq!(said.matches("flat: ").count(), 4, "{said}");
}
