//! Where a bad Unicode escape stands in a string or quoted name.
//!
//! Receives the pieces of a text that PostgreSQL refuses for such an escape; returns the byte that PostgreSQL points at.
//! Judges nothing by itself: where it finds no bad escape, the caller names the token.

use crate::text::{Kind, Piece};

/// The place of the bad escape in the string or quoted name that ends at or shortly before a piece.
pub(super) fn offset(sql: &str, pieces: &[Piece], found: usize) -> Option<usize> {
    let text = |at: usize| pieces.get(at).and_then(|piece| sql.get(piece.start..piece.end));
    // With UESCAPE, PostgreSQL reads the escapes once it has the two pieces behind the string.
    (found.saturating_sub(2)..=found).rev().find_map(|at| {
        let start = pieces.get(at)?.start;
        let string = text(at)?.as_bytes();
        let bad = match *string {
            [b'e' | b'E', b'\'', ..] => first_bad(string, 2, &Spelling::BACKSLASH)?,
            [b'u' | b'U', b'&', ..] => {
                let named = text(at + 1).is_some_and(|word| word.eq_ignore_ascii_case("uescape"));
                let escape = match *text(at + 2).unwrap_or_default().as_bytes() {
                    [b'\'', escape, b'\'']
                        if named && pieces.get(at + 2).is_some_and(|piece| piece.kind == Kind::String) =>
                    {
                        escape
                    }
                    _ => b'\\',
                };
                first_bad(string, 3, &Spelling { escape, short: None, long: b'+', digits: 6 })?
            }
            _ => return None,
        };
        Some(start + bad)
    })
}

/// How escapes are written: `\uXXXX` and `\UXXXXXXXX`, or `\XXXX` and `\+XXXXXX`.
struct Spelling {
    escape: u8,
    /// The letter before four digits.
    short: Option<u8>,
    /// The letter before the long form's digits.
    long: u8,
    digits: usize,
}

impl Spelling {
    const BACKSLASH: Spelling = Spelling { escape: b'\\', short: Some(b'u'), long: b'U', digits: 8 };

    /// Bytes before the digits and how many digits, of the escape that this byte after the escape character begins;
    /// `None` for one that names no code point.
    fn form(&self, next: u8) -> Option<(usize, usize)> {
        if next == self.long {
            return Some((2, self.digits));
        }
        match self.short {
            Some(letter) => (next == letter).then_some((2, 4)),
            None => (next != self.escape).then_some((1, 4)),
        }
    }
}

/// The first escape that is malformed, names no character, or breaks a surrogate pair: in a string with backslash
/// escapes and in `U&` alike, what stands where the second half should.
fn first_bad(text: &[u8], from: usize, spelling: &Spelling) -> Option<usize> {
    let (mut at, mut high) = (from, false);
    while let Some(&byte) = text.get(at) {
        let next = text.get(at + 1).copied().unwrap_or(0);
        let form = (byte == spelling.escape).then(|| spelling.form(next)).flatten();
        let Some((prefix, digits)) = form else {
            if high {
                return Some(at);
            }
            at += if byte == spelling.escape { 2 } else { 1 };
            continue;
        };
        let hex = text.get(at + prefix..at + prefix + digits).filter(|hex| hex.iter().all(u8::is_ascii_hexdigit));
        let code = hex.and_then(|hex| std::str::from_utf8(hex).ok()).and_then(|hex| u32::from_str_radix(hex, 16).ok());
        let Some(code) = code else { return Some(at) };
        let low = (0xdc00..0xe000).contains(&code);
        if code == 0 || code > 0x10_ffff || low != high {
            return Some(at);
        }
        high = (0xd800..0xdc00).contains(&code);
        at += prefix + digits;
    }
    None
}
