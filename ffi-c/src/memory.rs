//! What goes over the border and who owns it. One rule for each C type:
//!
//! - inputs (pointer and length) are lent for the call and never kept;
//! - `haltsql_buffer`, `haltsql_verdict`, `haltsql_error` lie in the caller's memory and own what they point at, until their free
//!   function empties them;
//! - a handle is a pointer to a value of ours, until its free function takes it and sets the caller's pointer to NULL.

use std::ptr;

use haltsql::boundary::{Error, ErrorCode};

use crate::fence::quietly;

/// Bytes that the library made. `data[len]` is always a zero byte, so that text may be printed as a C string; text of this library
/// holds no other zero byte. Empty: all three are zero.
#[repr(C)]
pub struct haltsql_buffer {
    /// The bytes, or NULL where the buffer is empty.
    pub data: *mut u8,
    /// How many, without the zero byte.
    pub len: usize,
    /// The library's own; leave it alone.
    pub capacity: usize,
}

/// What was decided about a text.
#[repr(C)]
pub struct haltsql_verdict {
    /// The caller may run exactly this text. False in an empty verdict, and after any error.
    pub allowed: bool,
    /// The whole verdict as JSON (docs/verdict.md), the same bytes in every language.
    pub json: haltsql_buffer,
}

/// What went wrong. Empty after a success.
#[repr(C)]
pub struct haltsql_error {
    /// For a person. One line; for a policy, every problem with its place and a snippet.
    pub message: haltsql_buffer,
    /// For a program: `{"code":3,"name":"policy","message":"...","problems":[...],"unlisted":0}` (docs/ffi.md).
    pub json: haltsql_buffer,
}

/// One text of many.
#[repr(C)]
pub struct haltsql_text {
    /// The bytes. May be NULL where `len` is 0.
    pub data: *const u8,
    /// How many.
    pub len: usize,
}

/// A type whose places can be emptied: what an output holds unless the call succeeds.
pub(crate) trait Output {
    /// Nothing, owning nothing.
    fn empty() -> Self;
}

impl Output for haltsql_buffer {
    fn empty() -> Self {
        haltsql_buffer { data: ptr::null_mut(), len: 0, capacity: 0 }
    }
}

impl Output for haltsql_verdict {
    fn empty() -> Self {
        haltsql_verdict { allowed: false, json: haltsql_buffer::empty() }
    }
}

impl Output for haltsql_error {
    fn empty() -> Self {
        haltsql_error { message: haltsql_buffer::empty(), json: haltsql_buffer::empty() }
    }
}

impl<T> Output for *mut T {
    fn empty() -> Self {
        ptr::null_mut()
    }
}

impl From<String> for haltsql_buffer {
    fn from(text: String) -> Self {
        let mut bytes = text.into_bytes();
        let len = bytes.len();
        bytes.push(0);
        // From here on `take` alone may free it.
        let mut bytes = std::mem::ManuallyDrop::new(bytes);
        haltsql_buffer { data: bytes.as_mut_ptr(), len, capacity: bytes.capacity() }
    }
}

impl haltsql_buffer {
    /// Takes the bytes back, and leaves the buffer empty.
    fn take(&mut self) {
        let haltsql_buffer { data, len, capacity } = std::mem::replace(self, haltsql_buffer::empty());
        if !data.is_null() {
            // SAFETY: `data` and `capacity` are those of a Vec<u8> that `from` made and gave away; its length was `len` and the
            // zero byte. The caller's struct is emptied above, so that nobody takes them again.
            drop(unsafe { Vec::from_raw_parts(data, len + 1, capacity) });
        }
    }
}

impl From<String> for haltsql_verdict {
    fn from(json: String) -> Self {
        haltsql_verdict { allowed: haltsql::boundary::is_allowed(&json), json: json.into() }
    }
}

impl From<&Error> for haltsql_error {
    fn from(error: &Error) -> Self {
        haltsql_error { message: error.message().to_owned().into(), json: error.to_json().into() }
    }
}

/// The error of a call that the documentation rules out.
pub(crate) fn misuse(message: &str) -> Error {
    Error::new(ErrorCode::Argument, message)
}

/// Bytes that are lent for the call.
///
/// # Safety
/// Unless it is NULL, `data` is valid for reading `len` bytes while `'a` lasts.
pub(crate) unsafe fn input<'a>(data: *const u8, len: usize, what: &str) -> Result<&'a [u8], Error> {
    if len == 0 {
        return Ok(&[]);
    }
    if data.is_null() {
        return Err(misuse(&format!("the {what} is NULL, and its length is not 0")));
    }
    if isize::try_from(len).is_err() {
        return Err(misuse(&format!("the length of the {what} is more than any object can have")));
    }
    // SAFETY: neither NULL nor longer than an object can be; valid for reading as the caller promises.
    Ok(unsafe { std::slice::from_raw_parts(data, len) })
}

/// The value behind a handle.
///
/// # Safety
/// Unless it is NULL, `handle` was returned by this library, is not freed, and stays so while `'a` lasts.
pub(crate) unsafe fn borrow<'a, T>(handle: *const T, what: &str) -> Result<&'a T, Error> {
    // SAFETY: NULL, or a pointer of ours that lives, as the caller promises.
    unsafe { handle.as_ref() }.ok_or_else(|| misuse(&format!("the {what} is NULL")))
}

/// Frees the value behind the caller's pointer and sets that to NULL.
///
/// # Safety
/// Unless it is NULL, `handle` is valid for reading and writing, and holds NULL or what this library returned and nobody freed.
pub(crate) unsafe fn free_handle<T>(handle: *mut *mut T) {
    // SAFETY: NULL or valid, as the caller promises.
    let Some(place) = (unsafe { handle.as_mut() }) else { return };
    let pointer = std::mem::replace(place, ptr::null_mut());
    if !pointer.is_null() {
        // SAFETY: it came from `Box::into_raw`, and the caller's pointer to it is gone.
        quietly(|| drop(unsafe { Box::from_raw(pointer) }));
    }
}

/// Frees what a buffer holds and empties it. NULL and an empty buffer are harmless, and so is a second call.
///
/// # Safety
/// `buffer` is NULL or points at a struct that this library filled or that is all zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_buffer_free(buffer: *mut haltsql_buffer) {
    // SAFETY: NULL or valid, as the function's contract says.
    if let Some(buffer) = unsafe { buffer.as_mut() } {
        quietly(|| buffer.take());
    }
}

/// Frees what a verdict holds and empties it. NULL and an empty verdict are harmless, and so is a second call.
///
/// # Safety
/// `verdict` is NULL or points at a struct that this library filled or that is all zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_verdict_free(verdict: *mut haltsql_verdict) {
    // SAFETY: NULL or valid, as the function's contract says.
    if let Some(verdict) = unsafe { verdict.as_mut() } {
        verdict.allowed = false;
        quietly(|| verdict.json.take());
    }
}

/// Frees what an error holds and empties it. NULL and an empty error are harmless, and so is a second call.
///
/// # Safety
/// `error` is NULL or points at a struct that this library filled or that is all zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_error_free(error: *mut haltsql_error) {
    // SAFETY: NULL or valid, as the function's contract says.
    if let Some(error) = unsafe { error.as_mut() } {
        quietly(|| {
            error.message.take();
            error.json.take();
        });
    }
}
