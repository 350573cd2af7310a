//! The key of signed pins, and what it signs.
//!
//! Receives a key's text and the values of one transaction; returns the setting `haltsql.pin`, which a function in the database checks
//! (`haltsql policy harden` prints it). The key is in no message, no `Debug` output, and is wiped when it is dropped.

use std::fmt;

use hmac::{Hmac, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

use super::SessionError;
use crate::text::{hex, unhex};

/// How long a pin is valid, in seconds. Only until the transaction has begun: its `now()` is what the pin's end is compared with.
const VALID_SECONDS: u64 = 60;

/// The length of a key.
const KEY_BYTES: usize = 32;

/// The secret that signs pins. The database holds what its signatures are checked with.
#[derive(Clone)]
pub struct PinKey(Zeroizing<[u8; KEY_BYTES]>);

impl PinKey {
    /// Reads a key as a file or an environment variable holds it: 64 hex digits, blanks around them ignored. `openssl rand -hex 32`
    /// makes one.
    ///
    /// # Errors
    /// [`SessionErrorKind::Argument`](super::SessionErrorKind): it is anything else. The message does not quote it.
    pub fn parse(text: &[u8]) -> Result<Self, SessionError> {
        let digits = std::str::from_utf8(text.trim_ascii()).ok().and_then(unhex).map(Zeroizing::new);
        let bytes = digits.as_deref().and_then(|bytes| <[u8; KEY_BYTES]>::try_from(bytes.as_slice()).ok());
        bytes.map(|bytes| PinKey(Zeroizing::new(bytes))).ok_or_else(|| {
            SessionError::argument(
                "a pin key is 64 hex digits, as `openssl rand -hex 32` prints them; this is something else",
            )
        })
    }

    /// The two blocks of HMAC (RFC 2104) that the database checks signatures with: the key xored with 0x36 and with 0x5c.
    #[must_use]
    pub fn pads(&self) -> [Zeroizing<Vec<u8>>; 2] {
        [0x36, 0x5c].map(|pad| {
            let mut block = Zeroizing::new(vec![pad; 64]);
            block.iter_mut().zip(self.0.iter()).for_each(|(byte, key)| *byte ^= key);
            block
        })
    }

    /// The pin: `h1.<kid>.<not after>.<hex of the context>.<hex of the MAC>`. `now`: seconds since 1970.
    pub(super) fn sign(&self, subject: &Subject<'_>, now: u64) -> String {
        let Subject { database, session_user, kid, context } = subject;
        let not_after = now.saturating_add(VALID_SECONDS);
        let signed = format!("{kid}.{not_after}.{}", hex(context.as_bytes()));
        let message = format!("haltsql-pin-1.{}.{}.{signed}", hex(database.as_bytes()), hex(session_user.as_bytes()));
        format!("h1.{signed}.{}", hex(&self.mac(message.as_bytes())))
    }

    pub(crate) fn mac(&self, message: &[u8]) -> [u8; 32] {
        // A key of any length makes an HMAC; FAIL-CLOSED: if it ever did not, a signature of zeros is one that no database accepts.
        let Ok(mac) = Hmac::<Sha256>::new_from_slice(&*self.0) else { return [0; 32] };
        mac.chain_update(message).finalize().into_bytes().into()
    }
}

impl fmt::Debug for PinKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("PinKey(…)")
    }
}

/// What a pin is bound to.
pub(super) struct Subject<'a> {
    pub(super) database: &'a str,
    pub(super) session_user: &'a str,
    pub(super) kid: &'a str,
    /// JSON: each tenancy key with its values, an array of strings.
    pub(super) context: &'a str,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{PinKey, Subject};

    const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

    #[test]
    fn takes_64_hex_digits_alone_and_never_shows_them() {
        let key = PinKey::parse(format!(" {KEY}\n").as_bytes()).unwrap();
        assert_eq!(format!("{key:?}"), "PinKey(…)");
        for bad in ["", "00", &KEY[1..], &format!("{KEY}00"), &KEY.replace('0', "g"), "é"] {
            let error = PinKey::parse(bad.as_bytes()).unwrap_err().to_string();
            assert!(bad.is_empty() || !error.contains(bad) || bad == "00", "{error}");
        }
    }

    #[test]
    fn signs_as_rfc_2104_says() {
        // RFC 4231, test case 1, needs a key of 20 bytes; this vector is Python's hmac.new(bytes(range(32)), b"haltsql", "sha256").
        let key = PinKey::parse(KEY.as_bytes()).unwrap();
        assert_eq!(crate::text::hex(&key.mac(b"haltsql")), VECTOR);
        let subject = Subject { database: "d", session_user: "u", kid: "k1", context: "{\"t\":[\"a\"]}" };
        let pin = key.sign(&subject, 1_000);
        let (signed, mac) = pin.rsplit_once('.').unwrap();
        assert_eq!(signed, "h1.k1.1060.7b2274223a5b2261225d7d");
        let message = format!("haltsql-pin-1.64.75.{}", signed.strip_prefix("h1.").unwrap());
        assert_eq!(mac, crate::text::hex(&key.mac(message.as_bytes())));
    }

    const VECTOR: &str = "20d8d5daafcaff4e5ff168b212ce0f52c0ed257d3501d5118c1c50df43d4e849";
}
