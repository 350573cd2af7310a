//! Who is asking: the values that tenancy compares with.
//!
//! Receives a JSON object or the caller's own keys and values, returns for a tenant key the values that may be compared with, or
//! none. It never repairs a value: a wrong shape is unusable, and the check is then a denial.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt;

use serde_json::Value;

use crate::policy::{KeyType, TenantKey, elements, members};

/// A check's context: key to value. Keys that the policy does not use are ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    pub(crate) values: BTreeMap<String, ContextValue>,
}

/// One value of a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContextValue {
    /// One value.
    One(String),
    /// A set of values, in any order.
    Many(Vec<String>),
    /// Something else (null, number, nested): never usable for tenancy.
    Unusable,
}

/// The caller's values for one tenant key, each of the key's type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Values {
    /// The context holds one value.
    One(String),
    /// The context holds a set, perhaps of one: sorted bytewise, unique, never empty.
    Many(Vec<String>),
}

/// A context that is no JSON object with unique keys. No check can be made with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextError {
    message: String,
}

impl ContextError {
    /// What is wrong.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    fn syntax(error: &serde_json::Error) -> Self {
        ContextError { message: format!("the context is not JSON: {}", error.to_string().to_lowercase()) }
    }
}

impl fmt::Display for ContextError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl Error for ContextError {}

impl Context {
    /// An empty context.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a key to one value.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.values.insert(key.into(), ContextValue::One(value.into()));
        self
    }

    /// Sets a key to a set of values.
    #[must_use]
    pub fn with_set(mut self, key: impl Into<String>, values: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.values.insert(key.into(), ContextValue::Many(values.into_iter().map(Into::into).collect()));
        self
    }

    /// Reads a context from a JSON object. Values that are neither a string nor an array of strings become
    /// [`ContextValue::Unusable`], whatever they hold.
    ///
    /// # Errors
    /// The text is not JSON, not an object, or has a key twice.
    pub fn from_json(text: &str) -> Result<Self, ContextError> {
        // The outline first: what follows then only meets escapes that are half a character.
        let whole: &serde_json::value::RawValue = parse(text)?;
        if !whole.get().starts_with('{') {
            return Err(ContextError { message: "the context is not a JSON object".to_owned() });
        }
        let mut values = BTreeMap::new();
        for (key, value) in members(whole.get()).map_err(|error| ContextError::syntax(&error))? {
            let key: String = parse(key.get())?;
            let value = value_of(value.get())?;
            if values.contains_key(&key) {
                let key: String = key.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
                return Err(ContextError { message: format!("the key `{key}` stands twice in the context") });
            }
            values.insert(key, value);
        }
        Ok(Context { values })
    }

    /// The RFC 8785 form of the context, sets in order and without repetitions: one context, one text.
    pub(crate) fn canonical(&self) -> String {
        let values = self.values.iter().map(|(key, value)| {
            let value = match value {
                ContextValue::One(value) => Value::String(value.clone()),
                ContextValue::Many(values) => values.iter().collect::<BTreeSet<_>>().into_iter().cloned().collect(),
                ContextValue::Unusable => Value::Null,
            };
            (key.clone(), value)
        });
        let canonical = serde_json_canonicalizer::to_string(&Value::Object(values.collect()));
        // Only a number can fail to have such a form, and there is none.
        canonical.unwrap_or_default()
    }

    /// The caller's values for a tenant key. `None`: missing, empty, or not of the key's type.
    pub(crate) fn values_for(&self, key: &TenantKey) -> Option<Values> {
        match self.values.get(&key.context)? {
            ContextValue::One(value) => is_of_type(value, key.ty).then(|| Values::One(value.clone())),
            ContextValue::Many(values) => {
                if values.is_empty() || !values.iter().all(|value| is_of_type(value, key.ty)) {
                    return None;
                }
                let mut values = values.clone();
                values.sort();
                values.dedup();
                Some(Values::Many(values))
            }
            ContextValue::Unusable => None,
        }
    }
}

fn parse<'t, T: serde::Deserialize<'t>>(text: &'t str) -> Result<T, ContextError> {
    serde_json::from_str(text).map_err(|error| ContextError::syntax(&error))
}

fn value_of(raw: &str) -> Result<ContextValue, ContextError> {
    if raw.starts_with('"') {
        return parse(raw).map(ContextValue::One);
    }
    if !raw.starts_with('[') {
        return Ok(ContextValue::Unusable);
    }
    let elements = elements(raw).map_err(|error| ContextError::syntax(&error))?;
    if !elements.iter().all(|element| element.get().starts_with('"')) {
        return Ok(ContextValue::Unusable);
    }
    elements.iter().map(|element| parse(element.get())).collect::<Result<_, _>>().map(ContextValue::Many)
}

/// Whether the value has the one spelling that the type accepts in contexts.
fn is_of_type(value: &str, ty: KeyType) -> bool {
    match ty {
        KeyType::Text => !value.is_empty() && !value.contains('\0'),
        KeyType::Uuid => is_uuid(value),
        KeyType::Integer => is_integer(value),
    }
}

fn is_uuid(value: &str) -> bool {
    value.len() == 36
        && value.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        })
}

fn is_integer(value: &str) -> bool {
    let digits = value.strip_prefix('-').unwrap_or(value);
    let canonical = value == "0" || digits.starts_with(|first: char| matches!(first, '1'..='9'));
    canonical && digits.bytes().all(|byte| byte.is_ascii_digit()) && value.parse::<i64>().is_ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn values(json: &str, ty: KeyType) -> Option<Values> {
        let key = TenantKey { column: "c".to_owned(), context: "k".to_owned(), ty };
        Context::from_json(json).unwrap().values_for(&key)
    }

    fn one(value: &str, ty: KeyType) -> bool {
        let built = Context::new().with("k", value);
        let key = TenantKey { column: "c".to_owned(), context: "k".to_owned(), ty };
        let found = built.values_for(&key);
        assert!(found.is_none() || found == Some(Values::One(value.to_owned())));
        found.is_some()
    }

    fn many(values: &[&str]) -> Option<Values> {
        Some(Values::Many(values.iter().map(|&value| value.to_owned()).collect()))
    }

    #[test]
    fn sets_are_sorted_bytewise_and_stay_sets() {
        assert_eq!(values(r#"{"k":["b","B","a","b","é"]}"#, KeyType::Text), many(&["B", "a", "b", "é"]));
        assert_eq!(values(r#"{"k":["a"]}"#, KeyType::Text), many(&["a"]));
        assert_eq!(values(r#"{"k":["10","9","-1"]}"#, KeyType::Integer), many(&["-1", "10", "9"]));
        assert_eq!(values(r#"{"k":"a"}"#, KeyType::Text), Some(Values::One("a".to_owned())));
    }

    #[test]
    fn what_is_no_value_is_none() {
        for json in [
            "{}",
            r#"{"K":"a"}"#,
            r#"{"k":""}"#,
            r#"{"k":[]}"#,
            r#"{"k":["a",""]}"#,
            r#"{"k":null}"#,
            r#"{"k":5}"#,
            r#"{"k":true}"#,
            r#"{"k":{"a":"b"}}"#,
            r#"{"k":["a",5]}"#,
            r#"{"k":["a",null]}"#,
            r#"{"k":[["a"]]}"#,
            r#"{"k":"a\u0000"}"#,
            r#"{"k":1e400}"#,
        ] {
            assert_eq!(values(json, KeyType::Text), None, "{json}");
        }
    }

    #[test]
    fn a_value_has_its_types_one_spelling() {
        for good in ["a", " a", "null", "0", "a\nb", "😀"] {
            assert!(one(good, KeyType::Text), "{good}");
        }
        assert!(one("0d1f7a52-9c1e-4f0a-8f53-0123456789ab", KeyType::Uuid));
        for bad in [
            "0D1F7A52-9C1E-4F0A-8F53-0123456789AB",
            "0d1f7a529c1e4f0a8f530123456789ab",
            "{0d1f7a52-9c1e-4f0a-8f53-0123456789ab}",
            "0d1f7a52-9c1e-4f0a-8f53-0123456789a",
            "0d1f7a52-9c1e-4f0a-8f53-0123456789abc",
            "0d1f7a52-9c1e-4f0a-8f530-123456789ab",
            "0d1f7a52-9c1e-4f0a-8f53-0123456789ag",
            "0d1f7a52-9c1e-4f0a-8f53-0123456789a\n",
            "",
        ] {
            assert!(!one(bad, KeyType::Uuid), "{bad}");
        }
        for good in ["0", "1", "-1", "10", "9223372036854775807", "-9223372036854775808"] {
            assert!(one(good, KeyType::Integer), "{good}");
        }
        for bad in [
            "",
            "-",
            "-0",
            "01",
            "+1",
            "1.0",
            " 1",
            "1 ",
            "1_0",
            "0x1",
            "9223372036854775808",
            "-9223372036854775809",
            "١",
        ] {
            assert!(!one(bad, KeyType::Integer), "{bad}");
        }
    }
}
