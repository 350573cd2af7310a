//! The bytes of a Python text, as they are.

use haltsql::boundary::{Error, ErrorCode};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// The UTF-8 of a `str`, or `bytes` themselves: without a copy of ours, alive as long as the object is. `what` is the subject
/// of the error's message.
///
/// # Errors
/// [`ErrorCode::Encoding`]: the `str` holds half of a surrogate pair, so that no bytes are exactly its text.
/// [`ErrorCode::Argument`]: it is something else. `bytearray` and `memoryview` can change while they are checked.
pub(crate) fn bytes_of<'a>(what: &str, value: &'a Bound<'_, PyAny>) -> Result<&'a [u8], Error> {
    if let Ok(text) = value.cast::<PyString>() {
        return text.to_str().map(str::as_bytes).map_err(|_| {
            let message = format!("{what} holds half of a surrogate pair, so that no bytes are exactly its text");
            Error::new(ErrorCode::Encoding, message)
        });
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(bytes.as_bytes());
    }
    let name = value.get_type().qualname().map_or_else(|_| "something else".to_owned(), |name| format!("`{name}`"));
    Err(Error::new(ErrorCode::Argument, format!("{what} is {name}: give a str or bytes")))
}
