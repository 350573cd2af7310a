//! A host that has used up every pthread key before the first check.

#![allow(unsafe_code, clippy::unwrap_used, reason = "tests; pthread keys are made and looked at by calling the system")]
#![cfg(target_os = "linux")]

use std::ffi::{c_int, c_uint, c_void};
use std::thread;

type Key = c_uint;

// SAFETY: the signatures are those of <pthread.h>, where a key is an unsigned integer.
unsafe extern "C" {
    fn pthread_key_create(key: *mut Key, destructor: Option<extern "C" fn(*mut c_void)>) -> c_int;
    fn pthread_getspecific(key: Key) -> *mut c_void;
}

/// The keys under which the calling thread has a value, among the first 1,024, which is all that glibc and musl have.
fn keys_with_values() -> Vec<Key> {
    // SAFETY: a key that was never made has no value, which glibc and musl answer with NULL.
    (0..1_024).filter(|key| !unsafe { pthread_getspecific(*key) }.is_null()).collect()
}

/// The library alone would store its memory under key 0, which then belongs to somebody else, whose destructor gets it.
#[test]
fn a_thread_without_a_key_parses_and_touches_nobody_elses() {
    let mut key: Key = 0;
    let mut made = 0;
    // SAFETY: `key` outlives the call, and a key without a destructor calls nothing.
    while unsafe { pthread_key_create(&raw mut key, None) } == 0 {
        made += 1;
    }
    assert!(made > 20, "only {made} keys were left");
    for _ in 0..100 {
        thread::spawn(|| {
            let before = keys_with_values();
            haltsql_parser_thread::prepare();
            let parsed = pg_query::parse("SELECT a FROM t WHERE b = 1", pg_query::ParserOptions::DEFAULT).unwrap();
            assert_eq!(parsed.protobuf.stmts.len(), 1);
            assert_eq!(keys_with_values(), before);
        })
        .join()
        .unwrap();
    }
    // Shows that the comparison can fail: without the preparation the library takes a key that is not its own.
    let touched = thread::spawn(|| {
        let before = keys_with_values();
        pg_query::parse("SELECT 1", pg_query::ParserOptions::DEFAULT).unwrap();
        let after = keys_with_values();
        after.into_iter().filter(|key| !before.contains(key)).collect::<Vec<_>>()
    })
    .join()
    .unwrap();
    assert_eq!(touched, [0]);
}
