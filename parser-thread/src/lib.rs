//! Sets a thread up for PostgreSQL's parser, so that the process does not lose a pthread key to it.
//!
//! Receives nothing and returns nothing: it makes what libpg_query keeps for a thread, once, and frees it when the thread
//! ends. Must never change what the parser answers. docs/adr/0009-parser-threads.md has the measurements and the alternatives.

// The library that the C file calls has to be linked behind it.
use pg_query as _;

/// Has to be called on a thread before the parser is. When called again it costs a look at a variable of the thread.
///
/// Without it the parser answers the same: the library then sets the thread up itself, with a key that is never given back.
#[inline]
pub fn prepare() {
    // No access means that the thread is ending; the library then helps itself.
    let _ending = PREPARED.try_with(|_| ());
}

std::thread_local! {
    /// Made at the first access, dropped when the thread ends. Rust's own way to that needs no key of ours.
    static PREPARED: Prepared = Prepared::new();
}

struct Prepared;

impl Prepared {
    fn new() -> Self {
        haltsql_parser_thread_prepare();
        Prepared
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        haltsql_parser_thread_release();
    }
}

// SAFETY: the signatures are those of src/thread.c. Any thread may call either in any state and any number of times: they
// touch variables of the calling thread alone, and free only what they made. The parser has returned by then, because it
// never calls back.
#[allow(unsafe_code, reason = "the one declaration of C functions")]
unsafe extern "C" {
    safe fn haltsql_parser_thread_prepare();
    safe fn haltsql_parser_thread_release();
}
