//! Column names that look like what should not be read.
//!
//! Receives a name, guesses. A guess is where a person should look, never a rule: no verdict depends on it.

/// What a column's name looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sensitive {
    /// A credential: a password, a token, a key.
    Secret,
    /// Something about a person: an e-mail address, a birth date, a bank account.
    Personal,
}

/// Words, or words in a row, that a name consists of or contains.
const SECRET: &[&[&str]] = &[
    &["password"],
    &["passwd"],
    &["pwd"],
    &["passphrase"],
    &["passcode"],
    &["secret"],
    &["secrets"],
    &["token"],
    &["tokens"],
    &["credential"],
    &["credentials"],
    &["api", "key"],
    &["apikey"],
    &["private", "key"],
    &["access", "key"],
    &["secret", "key"],
    &["signing", "key"],
    &["encryption", "key"],
    &["otp"],
    &["totp"],
    &["mfa"],
    &["pin"],
    &["salt"],
    &["cvv"],
    &["cvc"],
    &["session", "id"],
    &["cookie"],
    &["recovery", "code"],
    &["recovery", "codes"],
    &["security", "answer"],
];
const PERSONAL: &[&[&str]] = &[
    &["email"],
    &["e", "mail"],
    &["mail"],
    &["phone"],
    &["telephone"],
    &["mobile"],
    &["fax"],
    &["ssn"],
    &["social", "security"],
    &["sin"],
    &["nin"],
    &["tax", "id"],
    &["tin"],
    &["vat", "id"],
    &["national", "id"],
    &["passport"],
    &["license", "number"],
    &["licence", "number"],
    &["iban"],
    &["bic"],
    &["swift"],
    &["account", "number"],
    &["routing", "number"],
    &["card", "number"],
    &["credit", "card"],
    &["pan"],
    &["birthday"],
    &["birthdate"],
    &["birth", "date"],
    &["date", "of", "birth"],
    &["dob"],
    &["birth"],
    &["gender"],
    &["sex"],
    &["ethnicity"],
    &["race"],
    &["religion"],
    &["nationality"],
    &["marital", "status"],
    &["salary"],
    &["wage"],
    &["income"],
    &["diagnosis"],
    &["medication"],
    &["blood", "type"],
    &["first", "name"],
    &["firstname"],
    &["last", "name"],
    &["lastname"],
    &["surname"],
    &["full", "name"],
    &["fullname"],
    &["middle", "name"],
    &["maiden", "name"],
    &["address"],
    &["street"],
    &["postcode"],
    &["postal", "code"],
    &["zip"],
    &["zipcode"],
    &["zip", "code"],
    &["latitude"],
    &["longitude"],
    &["ip"],
    &["ip", "address"],
    &["user", "agent"],
    &["fingerprint"],
    &["biometric"],
];

impl Sensitive {
    /// What the name of a column looks like; `None`: nothing to hide. Words are told apart by `_`, other signs, and upper case.
    #[must_use]
    pub fn of_name(column: &str) -> Option<Sensitive> {
        let words = words(column);
        let holds =
            |lists: &[&[&str]]| lists.iter().any(|wanted| words.windows(wanted.len()).any(|found| found == *wanted));
        // `token_count`, `email_verified`: about the thing, not the thing.
        const ABOUT: [&str; 9] =
            ["count", "verified", "confirmed", "enabled", "sent", "at", "expires", "type", "status"];
        if words.last().is_some_and(|last| ABOUT.contains(&&**last))
            && !words.ends_with(&["marital".to_owned(), "status".to_owned()])
        {
            return None;
        }
        if holds(SECRET) {
            Some(Sensitive::Secret)
        } else if holds(PERSONAL) {
            Some(Sensitive::Personal)
        } else {
            None
        }
    }
}

fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for sign in name.chars() {
        let begins = !sign.is_alphanumeric() || (sign.is_uppercase() && before.is_lowercase());
        if begins {
            words.push(String::new());
        }
        if let (true, Some(word)) = (sign.is_alphabetic(), words.last_mut()) {
            word.extend(sign.to_lowercase());
        }
        before = sign;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_word_by_word() {
        for name in ["password_hash", "apiKey", "user_api_key", "reset_token", "TOTP", "salt"] {
            assert_eq!(Sensitive::of_name(name), Some(Sensitive::Secret), "{name}");
        }
        for name in [
            "email",
            "email2",
            "homeAddress",
            "date_of_birth",
            "dob",
            "iban",
            "customer_ssn",
            "last_name",
            "marital_status",
        ] {
            assert_eq!(Sensitive::of_name(name), Some(Sensitive::Personal), "{name}");
        }
        for name in [
            "id",
            "name",
            "token_count",
            "email_verified",
            "shipping",
            "single",
            "keyboard",
            "company",
            "pinned",
            "status",
            "tips",
            "region",
        ] {
            assert_eq!(Sensitive::of_name(name), None, "{name}");
        }
    }
}
