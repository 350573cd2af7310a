//! `tenancy.context`: the context lacks a key that the policy's tenancy needs, whatever the query touches.

use crate::facts::caller::Caller;
use crate::policy::Policy;
use crate::reason::{Reason, ReasonCode};
use crate::rules::reason;

/// A reason for each key that the context has no usable value for.
pub fn missing_context(policy: &Policy, caller: &Caller) -> Vec<Reason> {
    let keys = policy.tenancy.iter().flat_map(|tenancy| &tenancy.keys);
    keys.zip(&caller.keys)
        .filter(|(_, found)| found.values.is_none())
        .map(|(key, _)| {
            let message = format!("the context has no usable value for `{}`", key.context);
            let hint = format!(
                "this is for the calling program to mend: pass `{}` as a {} or an array of them",
                key.context,
                key.ty.as_str()
            );
            reason(ReasonCode::ContextMissing, None, message, hint)
        })
        .collect()
}
