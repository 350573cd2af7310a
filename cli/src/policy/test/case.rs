//! One line of a file of expected verdicts. An unknown key is an error: a misspelt expectation would expect nothing.

use haltsql::{Context, ReasonCode};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A case, ready to be checked.
pub struct Case {
    pub file: String,
    /// From 1.
    pub line: usize,
    /// What people call it.
    pub name: String,
    /// The path of its policy, as it is written.
    pub policy: Option<String>,
    pub context: Option<Context>,
    pub sql: Vec<u8>,
    pub expect: Expect,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    id: Option<String>,
    why: Option<String>,
    source: Option<String>,
    policy: Option<String>,
    context: Option<Box<serde_json::value::RawValue>>,
    sql: Option<String>,
    sql_hex: Option<String>,
    expect: Box<serde_json::value::RawValue>,
    /// A record of what a server did; no expectation.
    #[serde(rename = "postgres")]
    _postgres: Option<Value>,
}

/// What the verdict has to be; what is absent is not compared.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    pub allowed: bool,
    pub reasons: Option<Vec<ExpectedReason>>,
    pub shadow_reasons: Option<Vec<ExpectedReason>>,
    pub codes_include: Option<Vec<String>>,
    pub codes_any: Option<Vec<String>>,
    #[serde(default, deserialize_with = "stated")]
    pub statement_kind: Option<Option<String>>,
    pub tables: Option<Vec<String>>,
    pub columns: Option<Vec<String>>,
    pub bind_params: Option<Vec<ExpectedParam>>,
}

/// A reason by its code and, where one is stated, its place.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedReason {
    pub code: String,
    at: Option<String>,
    nth: Option<usize>,
    #[serde(default)]
    at_end: bool,
    #[serde(default, deserialize_with = "stated")]
    loc: Option<Option<u32>>,
}

/// What is to be bound to a parameter.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedParam {
    pub param: u32,
    pub value: ExpectedValue,
    #[serde(rename = "type")]
    pub ty: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub enum ExpectedValue {
    One(String),
    Many(Vec<String>),
}

/// A place in the text, as far as a case states it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    NotStated,
    Exactly(Option<u32>),
}

/// Tells `null` (there is none) from absence (not stated).
fn stated<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<T>>, D::Error> {
    Option::<T>::deserialize(deserializer).map(Some)
}

impl Case {
    /// Reads a line.
    pub fn read(line: &[u8], file: &str, number: usize) -> Result<Case, String> {
        // An array would be read by position.
        let opens = |text: &[u8]| text.trim_ascii_start().first() == Some(&b'{');
        if !opens(line) {
            return Err("the line is no JSON object".to_owned());
        }
        let body: Body = serde_json::from_slice(line).map_err(|problem| told(&problem))?;
        if !opens(body.expect.get().as_bytes()) {
            return Err("`expect` is no JSON object".to_owned());
        }
        let expect: Expect =
            serde_json::from_str(body.expect.get()).map_err(|problem| format!("in `expect`: {}", told(&problem)))?;
        let sql = match (body.sql, body.sql_hex) {
            (Some(text), None) => text.into_bytes(),
            (None, Some(hex)) => unhex(&hex).ok_or("`sql_hex` is not pairs of hexadecimal digits")?,
            (Some(_), Some(_)) | (None, None) => return Err("either `sql` or `sql_hex` belongs in a case".to_owned()),
        };
        let context = match body.context {
            Some(context) => Some(Context::from_json(context.get()).map_err(|problem| problem.to_string())?),
            None => None,
        };
        expect.check(&sql)?;
        let name = body.id.or(body.why).or(body.source).unwrap_or_else(|| String::from_utf8_lossy(&sql).into_owned());
        Ok(Case { file: file.to_owned(), line: number, name, policy: body.policy, context, sql, expect })
    }
}

/// What the parser says, without its line: that is always the first.
fn told(problem: &serde_json::Error) -> String {
    let column = problem.column();
    let message = problem.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    format!("{message}, at column {column}")
}

fn unhex(hex: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = hex.chars().map(|sign| sign.to_digit(16)).collect::<Option<_>>()?;
    let pairs = digits.chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    pairs.map(|pair| u8::try_from(pair.first()? * 16 + pair.last()?).ok()).collect()
}

impl Expect {
    /// Refuses what no verdict can be, and places that are not there.
    fn check(&self, sql: &[u8]) -> Result<(), String> {
        let reasons = self.reasons.iter().chain(&self.shadow_reasons).flatten();
        for reason in reasons.clone() {
            reason.place(sql)?;
        }
        let codes = self.codes_include.iter().chain(&self.codes_any).flatten();
        for code in reasons.map(|reason| &reason.code).chain(codes) {
            if code.parse::<ReasonCode>().is_err() {
                return Err(format!("there is no reason code `{code}`; `haltsql explain --list` lists them"));
            }
        }
        let states_reasons = self.reasons.as_ref().is_some_and(|reasons| !reasons.is_empty());
        if self.allowed && (states_reasons || self.codes_include.is_some() || self.codes_any.is_some()) {
            return Err("`allowed` is true, and there are reasons why not".to_owned());
        }
        if !self.allowed && self.reasons.as_ref().is_some_and(Vec::is_empty) {
            return Err("`allowed` is false, and `reasons` is empty".to_owned());
        }
        Ok(())
    }
}

impl ExpectedReason {
    /// The byte offset that the reason has to have.
    pub fn place(&self, sql: &[u8]) -> Result<Place, String> {
        match (&self.at, self.at_end, self.loc) {
            (None, false, None) => Ok(Place::NotStated),
            (None, false, Some(loc)) => Ok(Place::Exactly(loc)),
            (None, true, None) => Ok(Place::Exactly(u32::try_from(sql.len()).ok())),
            (Some(at), false, None) => self.occurrence(at, sql),
            (_, _, _) => Err(format!("{}: more than one of `at`, `at_end` and `loc`", self.code)),
        }
    }

    fn occurrence(&self, at: &str, sql: &[u8]) -> Result<Place, String> {
        let starts = |start: &usize| sql.get(*start..).is_some_and(|rest| rest.starts_with(at.as_bytes()));
        let found: Vec<usize> = (0..sql.len()).filter(starts).collect();
        let times = || format!("{}: `{at}` occurs {} times in the SQL", self.code, found.len());
        let wanted = match self.nth {
            _ if at.is_empty() => return Err(format!("{}: `at` is empty", self.code)),
            None if found.len() == 1 => 0,
            None => return Err(format!("{}; say which with `nth`", times())),
            Some(nth) => nth.checked_sub(1).ok_or_else(|| format!("{}: `nth` counts from 1", self.code))?,
        };
        let start = found.get(wanted).ok_or_else(times)?;
        Ok(Place::Exactly(u32::try_from(*start).ok()))
    }
}
