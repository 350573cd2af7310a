//! The key of signed pins: what the guard signs with, and the two pads of it that the database holds.
//!
//! Receives the text of a key file or variable. Must never show the key: not in an error, not in `Debug`, not by `Display`.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// The block of SHA-256, in bytes (RFC 2104, FIPS 180-4).
const BLOCK: usize = 64;
const LEAST_BYTES: usize = 32;
const MOST_BYTES: usize = 512;

/// A key of 32 bytes or more.
#[derive(Clone, PartialEq, Eq)]
pub struct PinKey(Vec<u8>);

/// Why a text is no key. Shows nothing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PinKeyError {
    /// It holds something else than hexadecimal digits, or an odd number of them.
    NotHex,
    /// Below 64 digits.
    Short,
    /// Above 1,024 digits.
    Long,
}

impl PinKey {
    /// Reads a key: 64 to 1,024 hexadecimal digits, white space around them left out. `openssl rand -hex 32` makes one.
    ///
    /// # Errors
    /// It is something else.
    pub fn parse(text: &[u8]) -> Result<PinKey, PinKeyError> {
        let digits = text.trim_ascii();
        if digits.len() > 2 * MOST_BYTES {
            return Err(PinKeyError::Long);
        }
        let digit = |byte: u8| (byte as char).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let bytes = digits.chunks(2).map(|pair| match pair {
            [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
            _ => None,
        });
        let bytes: Vec<u8> = bytes.collect::<Option<_>>().ok_or(PinKeyError::NotHex)?;
        if bytes.len() < LEAST_BYTES {
            return Err(PinKeyError::Short);
        }
        Ok(PinKey(bytes))
    }

    /// The key's bytes, for signing.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The inner and the outer pad of HMAC-SHA256 (RFC 2104, section 2): enough to verify and to sign, and so as secret as the key.
    pub(super) fn pads(&self) -> [[u8; BLOCK]; 2] {
        let hashed = Sha256::digest(&self.0);
        let key: &[u8] = if self.0.len() > BLOCK { &hashed } else { &self.0 };
        [0x36, 0x5c].map(|pad| {
            let mut block = [pad; BLOCK];
            for (byte, key) in block.iter_mut().zip(key) {
                *byte ^= key;
            }
            block
        })
    }
}

impl fmt::Debug for PinKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PinKey(…)")
    }
}

impl fmt::Display for PinKeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PinKeyError::NotHex => "a pin key is an even number of hexadecimal digits",
            PinKeyError::Short => "a pin key has 64 hexadecimal digits or more",
            PinKeyError::Long => "a pin key has 1,024 hexadecimal digits or fewer",
        })
    }
}

impl std::error::Error for PinKeyError {}
