//! A case as it stands in its file. Unknown keys are errors: a misspelt expectation would expect nothing.

use serde::Deserialize;

/// One case with its place in the corpus.
#[derive(Debug)]
pub struct Case {
    /// `folder/name`, without the extension.
    pub id: String,
    pub body: Body,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// What the case shows, in one sentence.
    pub why: String,
    /// Where its truth comes from.
    pub source: String,
    /// A file of `conformance/policies/`, without the extension.
    pub policy: String,
    pub context: serde_json::Value,
    #[serde(default)]
    pub sql: Option<String>,
    /// For texts that no JSON string can hold.
    #[serde(default)]
    pub sql_hex: Option<String>,
    pub expect: Expect,
    /// What a server did with the statement; a record, not an expectation.
    #[serde(default, rename = "postgres")]
    pub _postgres: Option<serde_json::Value>,
}

/// What the verdict has to be. What is absent is not stated.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    pub allowed: bool,
    /// All reasons; their order is the verdict's own promise.
    #[serde(default)]
    pub reasons: Option<Vec<ExpectedReason>>,
    #[serde(default)]
    pub shadow_reasons: Option<Vec<ExpectedReason>>,
    /// Codes that have to be among the reasons, where the design leaves the exact set open.
    #[serde(default)]
    pub codes_include: Option<Vec<String>>,
    /// One of these has to be among the reasons.
    #[serde(default)]
    pub codes_any: Option<Vec<String>>,
    #[serde(default, deserialize_with = "stated")]
    pub statement_kind: Option<Option<String>>,
    #[serde(default)]
    pub tables: Option<Vec<String>>,
    #[serde(default)]
    pub columns: Option<Vec<String>>,
    #[serde(default)]
    pub bind_params: Option<Vec<ExpectedParam>>,
}

/// Tells `null` (stated: there is none) from absence (not stated).
fn stated<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::<String>::deserialize(deserializer).map(Some)
}

/// A reason with its place. Without `at`, `at_end` and `loc` the place is not stated.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedReason {
    pub code: String,
    /// The text that begins at the place; it has to occur once, or `nth` says which occurrence (from 1).
    #[serde(default)]
    pub at: Option<String>,
    #[serde(default)]
    pub nth: Option<usize>,
    /// The place is the end of the text.
    #[serde(default)]
    pub at_end: bool,
    /// A byte offset, or null: the reason has no place.
    #[serde(default, deserialize_with = "stated_loc")]
    pub loc: Option<Option<u32>>,
}

fn stated_loc<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Option<u32>>, D::Error> {
    Option::<u32>::deserialize(deserializer).map(Some)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedParam {
    pub param: u32,
    pub value: ExpectedValue,
    #[serde(rename = "type")]
    pub ty: String,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum ExpectedValue {
    One(String),
    Many(Vec<String>),
}

impl Case {
    /// The exact bytes to check.
    pub fn sql(&self) -> Vec<u8> {
        match (&self.body.sql, &self.body.sql_hex) {
            (Some(text), None) => text.clone().into_bytes(),
            (None, Some(hex)) => unhex(hex).unwrap_or_else(|| panic!("{}: sql_hex is not hexadecimal", self.id)),
            _ => panic!("{}: exactly one of sql and sql_hex", self.id),
        }
    }
}

fn unhex(hex: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = hex.chars().map(|c| c.to_digit(16)).collect::<Option<_>>()?;
    digits.chunks(2).map(|pair| u8::try_from(pair.first()? * 16 + pair.get(1)?).ok()).collect()
}

impl Expect {
    /// Every code that the case names as expected for certain.
    pub fn codes(&self) -> impl Iterator<Item = &str> {
        let exact = self.reasons.iter().chain(&self.shadow_reasons).flatten().map(|reason| reason.code.as_str());
        exact.chain(self.codes_include.iter().flatten().map(String::as_str))
    }

    /// What is wrong with the expectation itself, whatever the verdict is.
    pub fn check(&self, sql: &[u8]) -> Result<(), String> {
        for reason in self.reasons.iter().chain(&self.shadow_reasons).flatten() {
            reason.place(sql)?;
        }
        if self.allowed {
            let clean = self.shadow_reasons.as_ref().is_none_or(Vec::is_empty);
            if clean && (self.tables.is_none() || self.columns.is_none() || self.bind_params.is_none()) {
                return Err("an allowed case states its tables, columns and bind_params".into());
            }
            if !self.reasons.as_ref().is_some_and(Vec::is_empty) {
                return Err("an allowed case states that it has no reasons".into());
            }
        } else if self.reasons.as_ref().is_some_and(Vec::is_empty) {
            return Err("a denied case without reasons".into());
        }
        for list in self.tables.iter().chain(&self.columns) {
            if !list.is_sorted_by(|a, b| a < b) {
                return Err(format!("not sorted bytewise, or not unique: {list:?}"));
            }
        }
        Ok(())
    }
}

/// A place in the text, as far as a case states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    NotStated,
    Exactly(Option<u32>),
}

impl ExpectedReason {
    /// The byte offset that the reason has to have.
    pub fn place(&self, sql: &[u8]) -> Result<Place, String> {
        match (&self.at, self.at_end, self.loc) {
            (None, false, None) => Ok(Place::NotStated),
            (None, false, Some(loc)) => Ok(Place::Exactly(loc)),
            (None, true, None) => Ok(Place::Exactly(u32::try_from(sql.len()).ok())),
            (Some(at), false, None) => self.nth_occurrence(at.as_bytes(), sql).map(|loc| Place::Exactly(Some(loc))),
            _ => Err(format!("{}: more than one of at, at_end, loc", self.code)),
        }
    }

    fn nth_occurrence(&self, at: &[u8], sql: &[u8]) -> Result<u32, String> {
        if at.is_empty() {
            return Err(format!("{}: an empty `at`", self.code));
        }
        let found: Vec<usize> = (0..sql.len()).filter(|&start| sql[start..].starts_with(at)).collect();
        let at = String::from_utf8_lossy(at);
        let index = match self.nth {
            None if found.len() == 1 => 0,
            None => return Err(format!("{}: `{at}` occurs {} times", self.code, found.len())),
            Some(nth) => nth.wrapping_sub(1),
        };
        let start = found.get(index).ok_or_else(|| format!("{}: `{at}` occurs {} times", self.code, found.len()))?;
        u32::try_from(*start).map_err(|e| e.to_string())
    }
}
