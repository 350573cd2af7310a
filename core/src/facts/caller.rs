//! Who is asking, as the calculus needs it: per tenant key, the caller's value or values.

use crate::context::{Context, Values};
use crate::policy::{KeyType, Policy, TenancyMode};

/// The caller's values, one entry per tenant key of the policy.
#[derive(Debug, Default)]
pub struct Caller {
    /// By the key's position in `Tenancy::keys`.
    pub keys: Vec<CallerKey>,
    /// Bound: `$n` in the SQL. Literal: the value itself.
    pub bound: bool,
}

/// One tenant key and the caller's value for it.
#[derive(Debug)]
pub struct CallerKey {
    /// Its type.
    pub ty: KeyType,
    /// The caller's values; `None`: the context lacks the key, and nothing can be proven.
    pub values: Option<Values>,
}

impl Caller {
    /// Reads the context for a policy's keys.
    pub fn new(policy: &Policy, context: &Context) -> Self {
        let Some(tenancy) = &policy.tenancy else { return Caller::default() };
        Caller {
            keys: tenancy.keys.iter().map(|key| CallerKey { ty: key.ty, values: context.values_for(key) }).collect(),
            bound: tenancy.mode == TenancyMode::Bound,
        }
    }
}

impl CallerKey {
    /// Whether this spelling, already normalised for the key's type, is one of the caller's values.
    pub fn holds(&self, value: &str) -> bool {
        match &self.values {
            Some(Values::One(own)) => own == value,
            Some(Values::Many(own)) => own.iter().any(|own| own == value),
            None => false,
        }
    }

    /// More than one value: a single `= $n` cannot carry them.
    pub fn is_plural(&self) -> bool {
        matches!(&self.values, Some(Values::Many(values)) if values.len() > 1)
    }
}
