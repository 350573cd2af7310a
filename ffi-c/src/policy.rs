//! Policies: loaded once, shared by any number of threads.

use haltsql::boundary::{self, DocumentFormat, Error};

use crate::fence::answer;
use crate::memory::{borrow, free_handle, haltsql_buffer, haltsql_error, haltsql_verdict, input, misuse};
use crate::status::haltsql_status;

/// A loaded policy. Immutable: any number of threads may use one at the same time.
pub struct haltsql_policy(pub(crate) boundary::Policy);

/// Loads a policy from a document.
///
/// @param document, document_len  the document's bytes
/// @param format  HALTSQL_FORMAT_AUTO, HALTSQL_FORMAT_YAML or HALTSQL_FORMAT_JSON
/// @param name, name_len  the document's name for messages, such as its path; may be empty. No file is read
/// @param policy  receives the handle; free it with haltsql_policy_free
/// @param error  may be NULL; receives what went wrong. Free it with haltsql_error_free
/// @return HALTSQL_OK, HALTSQL_ERROR_POLICY, HALTSQL_ERROR_ARGUMENT
///
/// # Safety
/// Pointers are valid for what they point at.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_policy_load(
    document: *const u8,
    document_len: usize,
    format: u32,
    name: *const u8,
    name_len: usize,
    policy: *mut *mut haltsql_policy,
    error: *mut haltsql_error,
) -> haltsql_status {
    // SAFETY: inputs and places are valid, as the function's contract says.
    unsafe {
        answer(policy, error, || {
            let document = input(document, document_len, "document")?;
            let name = String::from_utf8_lossy(input(name, name_len, "name")?);
            let format = DocumentFormat::from_number(format);
            let format = format.ok_or_else(|| misuse("the format is none of HALTSQL_FORMAT_*"))?;
            let loaded = boundary::Policy::load(document, format, &name)?;
            Ok(Box::into_raw(Box::new(haltsql_policy(loaded))))
        })
    }
}

/// Frees a policy and sets the pointer to NULL. NULL, and a pointer to NULL, are harmless, and so is a second call.
/// No other call may be using the policy. Callers made from it live on.
///
/// # Safety
/// `policy` is NULL or points at a pointer that haltsql_policy_load wrote.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_policy_free(policy: *mut *mut haltsql_policy) {
    // SAFETY: as the function's contract says.
    unsafe { free_handle(policy) }
}

/// Decides whether exactly this SQL text may run under the policy, for the caller that the context describes. Whatever the SQL
/// holds, it causes a verdict and no error.
///
/// @param sql, sql_len  the exact bytes that will be run
/// @param context, context_len  a JSON object of strings and arrays of strings
/// @param verdict  receives the verdict; free it with haltsql_verdict_free. Run the SQL only if `allowed` is true
/// @param error  may be NULL; receives what went wrong
/// @return HALTSQL_OK (denied texts included), HALTSQL_ERROR_CONTEXT, HALTSQL_ERROR_ARGUMENT
///
/// # Safety
/// Pointers are valid for what they point at, and the policy is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_check(
    policy: *const haltsql_policy,
    sql: *const u8,
    sql_len: usize,
    context: *const u8,
    context_len: usize,
    verdict: *mut haltsql_verdict,
    error: *mut haltsql_error,
) -> haltsql_status {
    // SAFETY: inputs, handle and places are valid, as the function's contract says.
    unsafe {
        answer(verdict, error, || {
            let policy = borrow(policy, "policy")?;
            let sql = input(sql, sql_len, "SQL")?;
            let context = input(context, context_len, "context")?;
            policy.0.check(sql, context).map(haltsql_verdict::from)
        })
    }
}

/// The policy's name.
///
/// # Safety
/// Pointers are valid for what they point at, and the policy is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_policy_name(
    policy: *const haltsql_policy,
    name: *mut haltsql_buffer,
    error: *mut haltsql_error,
) -> haltsql_status {
    // SAFETY: as the function's contract says.
    unsafe { text(policy, name, error, |policy| Ok(policy.name().to_owned())) }
}

/// The policy's version, `sha256:` and a digest, as verdicts carry it.
///
/// # Safety
/// Pointers are valid for what they point at, and the policy is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_policy_version(
    policy: *const haltsql_policy,
    version: *mut haltsql_buffer,
    error: *mut haltsql_error,
) -> haltsql_status {
    // SAFETY: as the function's contract says.
    unsafe { text(policy, version, error, |policy| Ok(policy.version().to_owned())) }
}

/// The policy's mode, `enforce` or `shadow`. A shadow verdict protects nothing.
///
/// # Safety
/// Pointers are valid for what they point at, and the policy is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_policy_mode(
    policy: *const haltsql_policy,
    mode: *mut haltsql_buffer,
    error: *mut haltsql_error,
) -> haltsql_status {
    // SAFETY: as the function's contract says.
    unsafe { text(policy, mode, error, |policy| Ok(policy.mode().to_owned())) }
}

/// What may be asked under the policy, as text for a prompt.
///
/// # Safety
/// Pointers are valid for what they point at, and the policy is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_describe_text(
    policy: *const haltsql_policy,
    description: *mut haltsql_buffer,
    error: *mut haltsql_error,
) -> haltsql_status {
    // SAFETY: as the function's contract says.
    unsafe { text(policy, description, error, boundary::Policy::describe_text) }
}

/// What may be asked under the policy, as JSON.
///
/// # Safety
/// Pointers are valid for what they point at, and the policy is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_describe_json(
    policy: *const haltsql_policy,
    description: *mut haltsql_buffer,
    error: *mut haltsql_error,
) -> haltsql_status {
    // SAFETY: as the function's contract says.
    unsafe { text(policy, description, error, boundary::Policy::describe_json) }
}

/// The value to hand to `pg_catalog.set_config('search_path', $1, true)` in the transaction that runs what was checked.
///
/// # Safety
/// Pointers are valid for what they point at, and the policy is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_search_path_value(
    policy: *const haltsql_policy,
    value: *mut haltsql_buffer,
    error: *mut haltsql_error,
) -> haltsql_status {
    // SAFETY: as the function's contract says.
    unsafe { text(policy, value, error, boundary::Policy::search_path_value) }
}

/// Where the key of signed pins is, as JSON: `{"env": NAME}`, `{"file": PATH}`, or `null`. The host reads it for haltsql_guard_new.
///
/// # Safety
/// Pointers are valid for what they point at, and the policy is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_policy_pin_key_place(
    policy: *const haltsql_policy,
    place: *mut haltsql_buffer,
    error: *mut haltsql_error,
) -> haltsql_status {
    // SAFETY: as the function's contract says.
    unsafe { text(policy, place, error, boundary::Policy::pin_key_place) }
}

/// One text about a policy.
///
/// # Safety
/// As the exports that call it.
unsafe fn text(
    policy: *const haltsql_policy,
    out: *mut haltsql_buffer,
    error: *mut haltsql_error,
    of: impl FnOnce(&boundary::Policy) -> Result<String, Error>,
) -> haltsql_status {
    // SAFETY: handle and places are valid, as the caller promises.
    unsafe { answer(out, error, || of(&borrow(policy, "policy")?.0).map(haltsql_buffer::from)) }
}
