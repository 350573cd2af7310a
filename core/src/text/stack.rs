//! Where a check runs: on the caller's stack, or on a large one made for the call.
//!
//! Receives work and whether its text is shallow; returns what the work returns. Keeps no thread: a pool would not
//! survive a fork. Must never panic by itself, and never let the verdict depend on the caller's stack.

/// Holds ten thousand messages of the parser's tree at 6 KiB each: decoding takes some 12 MiB of it at the bound, and
/// the verifier's own walks get the rest. Mapped lazily, so that a check pays for what it touches.
const LARGE_STACK: usize = 64 * 1024 * 1024;

/// Why work on the large stack came to nothing.
#[derive(Debug)]
pub(crate) enum StackError {
    /// The system gave no thread.
    NoThread,
    /// The work panicked. What it panicked with stays here: it may quote the SQL.
    Panicked,
}

/// Runs `work` here where `inline`, else on a thread of its own with a large stack. Everything that recurses over the
/// tree, its drop included, belongs into `work`. A panic of inline work unwinds to the caller.
///
/// # Errors
/// No thread to be had, or a panic on it.
pub(crate) fn run<R: Send>(inline: bool, work: impl FnOnce() -> R + Send) -> Result<R, StackError> {
    if inline {
        return Ok(work());
    }
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("haltsql".to_owned())
            .stack_size(LARGE_STACK)
            .spawn_scoped(scope, work)
            .map_err(|_| StackError::NoThread)?
            .join()
            .map_err(|_| StackError::Panicked)
    })
}
