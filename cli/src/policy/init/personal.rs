//! Which columns look personal or secret, by their names and types.
//!
//! What `policy lint` points at is hidden, so that a draft has none of its findings, and some more: what is hidden and should not be is
//! one line to move, and shows the first time that somebody asks for it.

use haltsql::Sensitive;

/// Whether a column looks as if callers should not read it. `type_name`: as in `pg_type`.
pub fn looks_personal(name: &str, type_name: &str) -> bool {
    let grown = |word: &String| PARTS.iter().any(|part| word.len() > part.len() && word.contains(part));
    Sensitive::of_name(name).is_some()
        || matches!(type_name, "inet" | "cidr" | "macaddr" | "macaddr8")
        || words(name).iter().any(grown)
}

/// Grown together with others to one word: `passwordhash`, `emailaddress`, `phones`.
const PARTS: [&str; 24] = [
    "address",
    "apikey",
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
    "longitude",
    "nationality",
    "passport",
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
