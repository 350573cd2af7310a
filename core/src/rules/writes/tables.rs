//! `writes.tables`: a write that the policy does not open.

use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::Loc;
use crate::rules::reason;

/// The reason against any write: this version verifies reads only.
pub fn refused(first: Loc) -> Reason {
    // FAIL-CLOSED: a write of a kind that the policy lists, which no rule of this version judges.
    let hint = "read with SELECT".to_owned();
    reason(ReasonCode::WriteDenied, first, "writes are not verified by this version, and so not allowed", hint)
}
