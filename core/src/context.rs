//! Who is asking: the values that tenancy compares with.

use std::collections::BTreeMap;

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
}

/// The caller's value or values for one key, well formed for its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Values {
    /// One.
    One(String),
    /// A set, sorted bytewise, unique.
    Many(Vec<String>),
}

impl Context {
    /// The caller's values for a key; `None` where the context lacks it.
    pub(crate) fn values_for(&self, key: &crate::policy::TenantKey) -> Option<Values> {
        match self.values.get(&key.context)? {
            ContextValue::One(v) => Some(Values::One(v.clone())),
            ContextValue::Many(v) => Some(Values::Many(v.clone())),
            ContextValue::Unusable => None,
        }
    }
}
