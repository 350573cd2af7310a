//! The bytes of a text of JavaScript, as they are.

use haltsql::boundary::{Error, ErrorCode};
use napi::Either;
use napi::bindgen_prelude::{Uint8ArraySlice, Utf16String};

use crate::ours::{Result, thrown};

/// A string, or bytes that are taken as they are.
pub(crate) type Text<'a> = Either<Utf16String, Uint8ArraySlice<'a>>;

/// The UTF-8 of a string, or a copy of the bytes: JavaScript can change its arrays at any time. `what` is the subject of the
/// error's message.
///
/// # Errors
/// [`ErrorCode::Encoding`]: the string holds half of a surrogate pair, so that no bytes are exactly its text. Node-API's own
/// conversion to UTF-8 would replace it with U+FFFD.
pub(crate) fn bytes_of(what: &str, text: Text) -> Result<Vec<u8>> {
    match text {
        Either::A(units) => String::from_utf16(&units).map(String::into_bytes).map_err(|_| {
            let message = format!("{what} holds half of a surrogate pair, so that no bytes are exactly its text");
            thrown(Error::new(ErrorCode::Encoding, message))
        }),
        Either::B(bytes) => Ok(bytes.to_vec()),
    }
}
