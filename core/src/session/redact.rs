//! What of a database error may leave the guard.
//!
//! Receives an error's fields; returns what is left of them. A message can quote a value that the caller may not read (`invalid input
//! syntax for type integer: "…"`), and hints suggest the names of hidden columns. SQLSTATE always stays.

use super::SessionErrorKind;

/// A database error's fields, as `libpq` names them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatabaseError {
    /// SQLSTATE, five characters; empty where the driver has none (a broken connection).
    pub sqlstate: String,
    /// The primary message.
    pub message: String,
    /// DETAIL.
    pub detail: Option<String>,
    /// HINT.
    pub hint: Option<String>,
}

/// What a guard says when the connection is not the one that the policy describes.
pub const SEAL_BROKEN: &str = "the session is not the one that the policy describes: nothing was run in it";

impl DatabaseError {
    /// What the assertion of a pin says, whatever its SQLSTATE: then the session is not the one that the policy describes, and nothing
    /// ran in it.
    #[must_use]
    pub fn breaks_seal(&self) -> bool {
        // The quotes around it are those of the server's language.
        let said = self
            .message
            .split_once("haltsql: ")
            .map(|(_, rest)| rest.trim_start_matches(|c: char| c.is_ascii_digit()).len() < rest.len());
        said.unwrap_or_default()
    }

    /// The kind of error that this is for the guard's caller, where it is not the database's own.
    #[must_use]
    pub fn kind(&self) -> Option<SessionErrorKind> {
        self.breaks_seal().then_some(SessionErrorKind::Seal)
    }

    /// The error without what could quote rows or name what the policy hides: nothing but SQLSTATE of the classes 22 (data), 23
    /// (constraints) and P0 (PL/pgSQL), no detail and hint of class 42 (names and rights). `None` stands for what was dropped.
    #[must_use]
    pub fn redacted(&self) -> DatabaseError {
        let class = self.sqlstate.get(..2).unwrap_or_default();
        match class {
            "22" | "23" | "P0" => DatabaseError {
                sqlstate: self.sqlstate.clone(),
                message: "the database's message is withheld: it can quote values".to_owned(),
                detail: None,
                hint: None,
            },
            "42" => DatabaseError { detail: None, hint: None, ..self.clone() },
            _ => self.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::DatabaseError;

    fn error(sqlstate: &str, message: &str) -> DatabaseError {
        let text = |text: &str| Some(text.to_owned());
        DatabaseError { sqlstate: sqlstate.to_owned(), message: message.to_owned(), detail: text("d"), hint: text("h") }
    }

    #[test]
    fn a_failed_assertion_is_told_by_its_message_alone() {
        for (message, breaks) in [
            ("invalid input syntax for type integer: \"haltsql: 4711\"", true),
            ("ungültige Eingabesyntax für Typ integer: »haltsql: 1«", true),
            ("syntaxe en entrée invalide pour le type integer : « haltsql: 12 »", true),
            ("invalid input syntax for type integer: \"haltsql: \"", false),
            ("invalid input syntax for type integer: \"haltsql: x\"", false),
            ("invalid input syntax for type integer: \"12\"", false),
            ("", false),
        ] {
            assert_eq!(error("22P02", message).breaks_seal(), breaks, "{message}");
            assert_eq!(error("", message).breaks_seal(), breaks, "{message}");
        }
    }

    #[test]
    fn classes_that_quote_values_keep_nothing_but_their_code() {
        for code in ["22012", "22P02", "23505", "23514", "P0001"] {
            let left = error(code, "Key (ssn)=(1-2-3) already exists").redacted();
            assert_eq!((left.sqlstate.as_str(), &left.detail, &left.hint), (code, &None, &None));
            assert!(!left.message.contains("ssn"));
        }
        let left = error("42703", "column \"x\" does not exist").redacted();
        assert_eq!((left.message.as_str(), left.detail, left.hint), ("column \"x\" does not exist", None, None));
        for code in ["57014", "40001", "53300", "", "é", "4"] {
            assert_eq!(error(code, "m").redacted(), error(code, "m"));
        }
    }
}
