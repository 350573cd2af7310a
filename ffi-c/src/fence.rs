//! The way in and out of every export: outputs emptied, work fenced, status returned.

use std::panic::{AssertUnwindSafe, catch_unwind};

use haltsql::boundary::{Error, ErrorCode};

use crate::memory::{Output, haltsql_error, misuse};
use crate::status::{HALTSQL_OK, haltsql_status};

/// Empties `out` and `error`, runs the work, and writes its result into `out`, or what went wrong into `error`.
///
/// # Safety
/// `out` and `error` are NULL or valid for writing; what they hold may be uninitialised.
pub(crate) unsafe fn answer<T: Output>(
    out: *mut T,
    error: *mut haltsql_error,
    work: impl FnOnce() -> Result<T, Error>,
) -> haltsql_status {
    // SAFETY: not NULL, so valid for writing as the caller promises. What was there is not dropped: it may be anything.
    let empty_out = || unsafe { out.write(T::empty()) };
    if !out.is_null() {
        empty_out();
    }
    // SAFETY: as above.
    unsafe {
        finish(error, || {
            if out.is_null() {
                return Err(misuse("there is no place for the result: it is NULL"));
            }
            let result = work()?;
            out.write(result);
            Ok(())
        })
    }
}

/// Empties `error`, runs the work behind the fence, and tells what it came to.
///
/// # Safety
/// `error` is NULL or valid for writing; what it holds may be uninitialised.
pub(crate) unsafe fn finish(error: *mut haltsql_error, work: impl FnOnce() -> Result<(), Error>) -> haltsql_status {
    if !error.is_null() {
        // SAFETY: not NULL, so valid for writing as the caller promises.
        unsafe { error.write(haltsql_error::empty()) };
    }
    let result = catch_unwind(AssertUnwindSafe(work));
    let problem = match result {
        Ok(Ok(())) => return HALTSQL_OK,
        Ok(Err(problem)) => problem,
        Err(_) => Error::new(ErrorCode::Internal, "no check happened: this is a bug of HaltSQL"),
    };
    let status = problem.code().number();
    if !error.is_null() {
        quietly(|| {
            let spelt = haltsql_error::from(&problem);
            // SAFETY: as above; what is there is empty and owns nothing.
            unsafe { error.write(spelt) };
        });
    }
    status
}

/// Runs work that has nobody to tell that it failed.
pub(crate) fn quietly(work: impl FnOnce()) {
    // A panic here would be a bug of the allocator's kind; what is left is to keep it from the host.
    let _ = catch_unwind(AssertUnwindSafe(work));
}
