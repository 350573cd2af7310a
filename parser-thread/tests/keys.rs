//! How many pthread keys a process has left after threads have parsed, counted by making all that can be made.

#![allow(unsafe_code, clippy::unwrap_used, reason = "tests; pthread keys are counted by calling the system")]
#![cfg(unix)]

use std::ffi::{c_int, c_uint, c_void};
use std::thread;

#[cfg(target_os = "macos")]
type Key = std::ffi::c_ulong;
#[cfg(not(target_os = "macos"))]
type Key = c_uint;

// SAFETY: the signatures are those of <pthread.h>, where a key is an unsigned integer.
unsafe extern "C" {
    fn pthread_key_create(key: *mut Key, destructor: Option<extern "C" fn(*mut c_void)>) -> c_int;
    fn pthread_key_delete(key: Key) -> c_int;
}

fn keys_left() -> usize {
    let mut keys = Vec::new();
    loop {
        let mut key: Key = 0;
        // SAFETY: `key` outlives the call, and a key without a destructor calls nothing.
        if unsafe { pthread_key_create(&raw mut key, None) } != 0 {
            break;
        }
        keys.push(key);
    }
    for key in &keys {
        // SAFETY: made above, and nobody else knows it.
        assert_eq!(unsafe { pthread_key_delete(*key) }, 0);
    }
    keys.len()
}

fn parse() {
    let parsed = pg_query::parse("SELECT a FROM t WHERE b = 1", pg_query::ParserOptions::DEFAULT).unwrap();
    assert_eq!(parsed.protobuf.stmts.len(), 1);
}

/// Parses when the thread ends, before or after the library's memory is freed: the order of destructors is nobody's.
struct Late;

impl Drop for Late {
    fn drop(&mut self) {
        haltsql_parser_thread::prepare();
        parse();
    }
}

thread_local! {
    static FIRST: Late = const { Late };
    static LAST: Late = const { Late };
}

/// One test, because keys are counted for the whole process.
#[test]
fn threads_that_are_prepared_take_no_key() {
    // What the threads of the test itself take, Rust's library included, is taken now.
    thread::spawn(haltsql_parser_thread::prepare).join().unwrap();
    let before = keys_left();
    for round in 0..5_000 {
        thread::spawn(|| {
            haltsql_parser_thread::prepare();
            parse();
            haltsql_parser_thread::prepare();
            assert!(pg_query::parse("SELECT FROM WHERE", pg_query::ParserOptions::DEFAULT).is_err());
        })
        .join()
        .unwrap_or_else(|_| panic!("thread {round} failed"));
    }
    assert_eq!(keys_left(), before);

    // Sixteen at once, which race for what is made once.
    for _ in 0..50 {
        thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    haltsql_parser_thread::prepare();
                    parse();
                });
            }
        });
    }
    assert_eq!(keys_left(), before);

    // Destructors of the thread that parse, whichever comes first: the last of them meets a thread that has been freed, and
    // the library then takes a key for itself.
    thread::spawn(|| {
        FIRST.with(|_| ());
        haltsql_parser_thread::prepare();
        LAST.with(|_| ());
        parse();
    })
    .join()
    .unwrap();
    let before = keys_left();

    // What this crate is for. When the library makes one key for all threads, the crate has done its work and can go.
    for _ in 0..20 {
        thread::spawn(parse).join().unwrap();
    }
    assert_eq!(keys_left(), before - 20);
}
