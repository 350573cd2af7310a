//! Which columns look personal or secret, by their names and types.
//!
//! Errs towards yes: what is hidden and should not be is one line to move, and shows the first time that somebody asks for it.

/// Whether a column looks as if callers should not read it. `type_name`: as in `pg_type`.
pub fn looks_personal(name: &str, type_name: &str) -> bool {
    let words = words(name);
    let joined = words.concat();
    matches!(type_name, "inet" | "cidr" | "macaddr" | "macaddr8")
        || words.iter().any(|word| WORDS.contains(&&**word))
        || words.windows(2).any(|pair| PAIRS.iter().any(|(first, second)| pair[..] == [*first, *second]))
        || PARTS.iter().any(|part| joined.contains(part))
}

/// By themselves.
const WORDS: [&str; 33] = [
    "age",
    "bic",
    "cookie",
    "cookies",
    "csc",
    "cvc",
    "cvv",
    "dob",
    "fax",
    "fingerprint",
    "iban",
    "ip",
    "ipv4",
    "ipv6",
    "lat",
    "lng",
    "lon",
    "mobile",
    "otp",
    "pan",
    "passwd",
    "pin",
    "pwd",
    "salt",
    "sex",
    "ssn",
    "street",
    "swift",
    "tel",
    "tin",
    "totp",
    "vat",
    "zip",
];

/// Side by side.
const PAIRS: [(&str, &str); 18] = [
    ("access", "key"),
    ("account", "number"),
    ("api", "key"),
    ("bank", "account"),
    ("card", "number"),
    ("credit", "card"),
    ("family", "name"),
    ("given", "name"),
    ("id", "number"),
    ("maiden", "name"),
    ("middle", "name"),
    ("national", "id"),
    ("postal", "code"),
    ("private", "key"),
    ("session", "id"),
    ("tax", "id"),
    ("tax", "number"),
    ("user", "agent"),
];

/// Anywhere, also grown together: `passwordhash`, `EMailAddress`.
const PARTS: [&str; 26] = [
    "address",
    "biometric",
    "birth",
    "credential",
    "diagnos",
    "email",
    "ethnic",
    "firstname",
    "fullname",
    "gender",
    "lastname",
    "latitude",
    "licence",
    "license",
    "longitude",
    "nationality",
    "passport",
    "passphrase",
    "passw",
    "phone",
    "postcode",
    "religio",
    "salary",
    "secret",
    "surname",
    "token",
];

/// The words of a name, in lower case: at `_`, `-`, blanks, and where upper case begins.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut grows = false;
    let mut after_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() {
            grows = false;
        } else {
            if !grows || (c.is_uppercase() && after_lower) {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(c.to_lowercase());
            }
            grows = true;
        }
        after_lower = c.is_lowercase() || c.is_numeric();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn personal_names_are_seen_through_their_spelling() {
        for name in [
            "email",
            "e_mail_address",
            "workEmail",
            "PhoneNumber",
            "phone2",
            "ssn",
            "password_hash",
            "passwordhash",
            "api_key",
            "apiKey",
            "refresh_token",
            "client_secret",
            "date_of_birth",
            "birthday",
            "billing_address",
            "ip",
            "last_ip",
            "firstName",
            "first_name",
            "ZIP",
            "iban",
            "credit_card",
            "card_number",
        ] {
            assert!(looks_personal(name, "text"), "{name}");
        }
        for name in [
            "id",
            "name",
            "description",
            "shipping_date",
            "zipped_at",
            "pinned",
            "page",
            "region",
            "created_at",
            "amount",
            "key",
        ] {
            assert!(!looks_personal(name, "text"), "{name}");
        }
        assert!(looks_personal("seen_from", "inet"));
    }
}
