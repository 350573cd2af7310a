//! What was built.

use std::ffi::{CStr, c_char};

use crate::fence::answer;
use crate::memory::{haltsql_buffer, haltsql_error};
use crate::status::{HALTSQL_ABI_VERSION, haltsql_status};

const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => c"",
};
/// What the core says, spelt out for C; a test compares the two.
const POSTGRES_VERSION: &CStr = c"18.6";

/// The version of HaltSQL. The text is static.
#[unsafe(no_mangle)]
pub extern "C" fn haltsql_version() -> *const c_char {
    VERSION.as_ptr()
}

/// The version of the ABI that this library has. See HALTSQL_ABI_VERSION.
#[unsafe(no_mangle)]
pub extern "C" fn haltsql_abi_version() -> u32 {
    HALTSQL_ABI_VERSION
}

/// The version of the PostgreSQL whose parser reads the SQL. The text is static.
#[unsafe(no_mangle)]
pub extern "C" fn haltsql_postgres_version() -> *const c_char {
    POSTGRES_VERSION.as_ptr()
}

/// Every reason code with its rule, as JSON: `[{"code":"E_PARSE","rule":"sql.parse"},...]`.
///
/// @param codes  receives the JSON; free it with haltsql_buffer_free
/// @param error  may be NULL; receives what went wrong
///
/// # Safety
/// The pointers are valid for writing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_reason_codes(codes: *mut haltsql_buffer, error: *mut haltsql_error) -> haltsql_status {
    // SAFETY: both places are the caller's, as the function's contract says.
    unsafe { answer(codes, error, || Ok(haltsql_buffer::from(haltsql::boundary::reason_codes()))) }
}
