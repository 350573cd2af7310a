//! What a text must be before anything reads it.

use super::sample::limits;
use crate::reason::{Reason, ReasonCode};
use crate::text::{Source, sha256_hex};

fn refused(bytes: &[u8], max: u64) -> Reason {
    Source::new(bytes, &limits(max)).unwrap_err()
}

#[test]
fn the_limit_on_bytes_is_inclusive_and_comes_first() {
    assert!(Source::new(b"SELECT 1", &limits(8)).is_ok());
    for bytes in [&b"SELECT 12"[..], b"\xff\xff\xff\xff\xff\xff\xff\xff\xff", "é".repeat(5).as_bytes()] {
        let reason = refused(bytes, 8);
        assert_eq!((reason.code, reason.loc), (ReasonCode::TooLarge, None));
    }
}

#[test]
fn the_first_bad_byte_is_named() {
    for (bytes, loc) in [
        (&b"SELECT \xff"[..], 7),
        (b"\xc3", 0),
        (b"SELECT '\xc3\xa9\xc3'", 10),
        (b"SELECT '\xed\xa0\x80'", 8),
        (b"SELECT 1\0", 8),
        (b"\0", 0),
        (b"a\0\xff", 1),
        (b"a\xff\0", 1),
        (b"SELECT '\xf0\x9f\x98", 8),
    ] {
        let reason = refused(bytes, 100);
        assert_eq!((reason.code, reason.loc), (ReasonCode::Parse, Some(loc)), "{bytes:?}");
    }
}

#[test]
fn the_digest_is_of_the_exact_bytes() {
    // FIPS 180-2, appendix B.
    assert_eq!(sha256_hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_eq!(sha256_hex(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_ne!(sha256_hex(b"abc "), sha256_hex(b"abc"));
}
