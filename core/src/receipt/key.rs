//! The keys that receipts are signed and checked with: Ed25519 (RFC 8032).
//!
//! Receives keys as files hold them; returns signatures over the RFC 8785 form of a receipt. The secret is in no message and no `Debug`
//! output, and is wiped when it is dropped.

use std::fmt;

use ed25519_dalek::pkcs8::{DecodePrivateKey, DecodePublicKey};
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use hmac::{Hmac, Mac};
use serde_json::Value;
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::session::SessionError;
use crate::text::{hex, unhex};

/// The secret key of a signer.
#[derive(Clone)]
pub struct ReceiptKey(SigningKey);

impl ReceiptKey {
    /// Reads a key: PKCS #8 in PEM, as `openssl genpkey -algorithm ed25519` writes it, or the 64 hex digits of its seed.
    ///
    /// # Errors
    /// [`SessionErrorKind::Argument`](crate::session::SessionErrorKind): it is anything else. The message does not quote it.
    pub fn parse(text: &[u8]) -> Result<Self, SessionError> {
        let text = std::str::from_utf8(text).map(str::trim).unwrap_or_default();
        let key = if text.starts_with("-----BEGIN") {
            SigningKey::from_pkcs8_pem(text).ok()
        } else {
            let seed = unhex(text).map(Zeroizing::new);
            seed.as_deref().and_then(|seed| <&[u8; 32]>::try_from(seed.as_slice()).ok()).map(SigningKey::from_bytes)
        };
        key.map(ReceiptKey).ok_or_else(|| {
            let message = "a receipt key is an Ed25519 key in PEM, as `openssl genpkey -algorithm ed25519` writes it; this is something else";
            SessionError::argument(message)
        })
    }

    /// The public half: what others check with.
    #[must_use]
    pub fn public(&self) -> ReceiptPublicKey {
        ReceiptPublicKey(self.0.verifying_key())
    }

    /// The receipt with its signature as last field.
    pub(super) fn sign(&self, receipt: &str) -> Result<String, SessionError> {
        let signed = self.0.sign(&canonical(receipt)?);
        let unsigned = receipt.strip_suffix('}').unwrap_or(receipt);
        let (public, value) = (hex(self.0.verifying_key().as_bytes()), hex(&signed.to_bytes()));
        Ok(format!(
            "{unsigned},\"signature\":{{\"algorithm\":\"ed25519\",\"public_key\":\"{public}\",\"value\":\"{value}\"}}}}"
        ))
    }

    /// HMAC-SHA256 under a key derived from the secret.
    pub(super) fn mac(&self, message: &[u8]) -> [u8; 32] {
        let seed = Zeroizing::new(self.0.to_bytes());
        // A key of any length makes an HMAC; FAIL-CLOSED: zeros tell nothing of the context.
        let Ok(mac) = Hmac::<Sha256>::new_from_slice(&*seed) else { return [0; 32] };
        mac.chain_update(b"haltsql-context-1.").chain_update(message).finalize().into_bytes().into()
    }
}

impl fmt::Debug for ReceiptKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ReceiptKey(…)")
    }
}

/// The public key of a signer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiptPublicKey(VerifyingKey);

impl ReceiptPublicKey {
    /// Reads a key: PEM as `openssl pkey -pubout` writes it, or 64 hex digits.
    ///
    /// # Errors
    /// [`SessionErrorKind::Argument`](crate::session::SessionErrorKind): it is anything else.
    pub fn parse(text: &[u8]) -> Result<Self, SessionError> {
        let text = std::str::from_utf8(text).map(str::trim).unwrap_or_default();
        let key = if text.starts_with("-----BEGIN") {
            VerifyingKey::from_public_key_pem(text).ok()
        } else {
            let bytes = unhex(text).unwrap_or_default();
            <&[u8; 32]>::try_from(bytes.as_slice()).ok().and_then(|bytes| VerifyingKey::from_bytes(bytes).ok())
        };
        key.map(ReceiptPublicKey).ok_or_else(|| {
            SessionError::argument(
                "a public key is Ed25519 in PEM, as `openssl pkey -pubout` writes it, or 64 hex digits",
            )
        })
    }

    /// 64 hex digits.
    #[must_use]
    pub fn to_hex(&self) -> String {
        hex(self.0.as_bytes())
    }

    /// The signature, 128 hex digits, is this key's over the receipt's canonical form.
    pub(super) fn signed(&self, canonical: &[u8], signature: &str) -> bool {
        let bytes = unhex(signature).unwrap_or_default();
        let signature = Signature::from_slice(&bytes);
        signature.is_ok_and(|signature| self.0.verify_strict(canonical, &signature).is_ok())
    }
}

/// The RFC 8785 form.
fn canonical(json: &str) -> Result<Vec<u8>, SessionError> {
    let broken = |_| SessionError::argument("the receipt cannot be written in its canonical form");
    let value: Value = serde_json::from_str(json).map_err(broken)?;
    super::verify::canonical(&value)
}
