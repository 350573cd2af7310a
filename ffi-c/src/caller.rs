//! Callers: a policy with a context that is read once; and the verdict's rendering for an agent.

use haltsql::boundary::{self, Error};

use crate::fence::{answer, finish};
use crate::memory::{
    Output, borrow, free_handle, haltsql_buffer, haltsql_error, haltsql_text, haltsql_verdict, input, misuse,
};
use crate::policy::haltsql_policy;
use crate::status::haltsql_status;

/// A policy and one caller's context, read once for many checks. Immutable: any number of threads may use one at the same time.
pub struct haltsql_caller(boundary::Caller);

/// Reads a context for many checks. The caller keeps the policy alive by itself.
///
/// @param context, context_len  a JSON object of strings and arrays of strings
/// @param caller  receives the handle; free it with haltsql_caller_free
/// @param error  may be NULL; receives what went wrong
/// @return HALTSQL_OK, HALTSQL_ERROR_CONTEXT, HALTSQL_ERROR_ARGUMENT
///
/// # Safety
/// Pointers are valid for what they point at, and the policy is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_caller_new(
    policy: *const haltsql_policy,
    context: *const u8,
    context_len: usize,
    caller: *mut *mut haltsql_caller,
    error: *mut haltsql_error,
) -> haltsql_status {
    // SAFETY: input, handle and places are valid, as the function's contract says.
    unsafe {
        answer(caller, error, || {
            let policy = borrow(policy, "policy")?;
            let prepared = policy.0.for_context(input(context, context_len, "context")?)?;
            Ok(Box::into_raw(Box::new(haltsql_caller(prepared))))
        })
    }
}

/// Frees a caller and sets the pointer to NULL. NULL, and a pointer to NULL, are harmless, and so is a second call.
/// No other call may be using the caller.
///
/// # Safety
/// `caller` is NULL or points at a pointer that haltsql_caller_new wrote.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_caller_free(caller: *mut *mut haltsql_caller) {
    // SAFETY: as the function's contract says.
    unsafe { free_handle(caller) }
}

/// As haltsql_check, for the context that was read before.
///
/// @return HALTSQL_OK (denied texts included), HALTSQL_ERROR_ARGUMENT
///
/// # Safety
/// Pointers are valid for what they point at, and the caller is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_caller_check(
    caller: *const haltsql_caller,
    sql: *const u8,
    sql_len: usize,
    verdict: *mut haltsql_verdict,
    error: *mut haltsql_error,
) -> haltsql_status {
    // SAFETY: input, handle and places are valid, as the function's contract says.
    unsafe {
        answer(verdict, error, || {
            let caller = borrow(caller, "caller")?;
            caller.0.check(input(sql, sql_len, "SQL")?).map(haltsql_verdict::from)
        })
    }
}

/// Checks many texts, on several threads if wanted.
///
/// @param texts, count  the texts
/// @param threads  how many check at the same time, this one included; 0 and 1: this one alone. The verdicts are the same
/// @param verdicts  an array of `count` verdicts, filled in the order of the texts; free each of them. All stay empty on an error
/// @param error  may be NULL; receives what went wrong
/// @return HALTSQL_OK (denied texts included), HALTSQL_ERROR_ARGUMENT
///
/// # Safety
/// Pointers are valid for what they point at, and the caller is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_caller_check_many(
    caller: *const haltsql_caller,
    texts: *const haltsql_text,
    count: usize,
    threads: usize,
    verdicts: *mut haltsql_verdict,
    error: *mut haltsql_error,
) -> haltsql_status {
    let bytes = count.checked_mul(size_of::<haltsql_verdict>());
    let possible = bytes.is_some_and(|bytes| isize::try_from(bytes).is_ok());
    if possible && !verdicts.is_null() {
        for at in 0..count {
            // SAFETY: the caller's array has `count` places, valid for writing.
            unsafe { verdicts.add(at).write(haltsql_verdict::empty()) };
        }
    }
    // SAFETY: inputs, handle and places are valid, as the function's contract says.
    unsafe {
        finish(error, || {
            let caller = borrow(caller, "caller")?;
            if !possible {
                return Err(misuse("the count is more than any array can have"));
            }
            if count == 0 {
                return Ok(());
            }
            if texts.is_null() || verdicts.is_null() {
                return Err(misuse("the texts or the verdicts are NULL, and their count is not 0"));
            }
            let texts = std::slice::from_raw_parts(texts, count);
            let texts: Result<Vec<&[u8]>, Error> = texts.iter().map(|text| input(text.data, text.len, "SQL")).collect();
            for (at, json) in caller.0.check_many(&texts?, threads)?.into_iter().enumerate() {
                verdicts.add(at).write(haltsql_verdict::from(json));
            }
            Ok(())
        })
    }
}

/// A verdict as text for a language model: reasons, their repairs, and the SQL with the places marked.
///
/// @param verdict, verdict_len  the JSON of a verdict
/// @param sql, sql_len  the text that it was given for
/// @param text  receives the rendering; free it with haltsql_buffer_free
/// @param error  may be NULL; receives what went wrong
/// @return HALTSQL_OK, HALTSQL_ERROR_VERDICT, HALTSQL_ERROR_ARGUMENT
///
/// # Safety
/// Pointers are valid for what they point at.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_for_agent(
    verdict: *const u8,
    verdict_len: usize,
    sql: *const u8,
    sql_len: usize,
    text: *mut haltsql_buffer,
    error: *mut haltsql_error,
) -> haltsql_status {
    // SAFETY: inputs and places are valid, as the function's contract says.
    unsafe {
        answer(text, error, || {
            let verdict = input(verdict, verdict_len, "verdict")?;
            let sql = input(sql, sql_len, "SQL")?;
            boundary::for_agent(verdict, sql).map(haltsql_buffer::from)
        })
    }
}
