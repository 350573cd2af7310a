//! The bytes of a text of JavaScript, as they are.

use std::ops::Deref;

use haltsql::boundary::{Error, ErrorCode};
use napi::bindgen_prelude::{Latin1String, Uint8ArraySlice};
use napi::{Either, JsString, JsStringUtf8};

use crate::ours::{Result, thrown};

/// A string, or bytes that are taken as they are.
pub(crate) type Text<'a> = Either<JsString<'a>, Uint8ArraySlice<'a>>;

/// The bytes of a text, for one call.
pub(crate) enum Bytes<'a> {
    /// Where Node-API put them.
    Lent(JsStringUtf8<'a>),
    /// A copy.
    Own(Vec<u8>),
}

impl Deref for Bytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Lent(string) => string.as_slice(),
            Bytes::Own(bytes) => bytes,
        }
    }
}

/// The UTF-8 of a string, or a copy of the bytes: JavaScript can change its arrays at any time. `what` is the subject of the
/// error's message.
///
/// # Errors
/// [`ErrorCode::Encoding`]: the string holds half of a surrogate pair, so that no bytes are exactly its text.
pub(crate) fn bytes_of<'a>(what: &str, text: Text<'a>) -> Result<Bytes<'a>> {
    let string = match text {
        Either::A(string) => string,
        Either::B(bytes) => return Ok(Bytes::Own(bytes.to_vec())),
    };
    let utf8 = string.into_utf8()?;
    // Node-API writes U+FFFD for half of a pair. Where there is one, or anything that is no UTF-8, the exact way decides. It costs a
    // copy of twice the size, and large allocations are slow just after a check, whose many small ones then have to be tidied up.
    if utf8.as_str().is_ok_and(|text| !text.contains('\u{fffd}')) {
        return Ok(Bytes::Lent(utf8));
    }
    let exact = string.into_utf16()?.as_str();
    exact.map(|text| Bytes::Own(text.into_bytes())).map_err(|_| {
        let message = format!("{what} holds half of a surrogate pair, so that no bytes are exactly its text");
        thrown(Error::new(ErrorCode::Encoding, message))
    })
}

/// A string for JavaScript.
pub(crate) type Answer = Either<Latin1String, String>;

/// The string. What is ASCII needs no decoding, and JavaScript keeps a byte for each letter of it.
pub(crate) fn answer(text: String) -> Answer {
    if text.is_ascii() { Either::A(Latin1String::from(text)) } else { Either::B(text) }
}
