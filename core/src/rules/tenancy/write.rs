//! `tenancy.write`: a write that could create a row of another tenant, or move one there. (That the target of UPDATE and
//! DELETE is the caller's is for the rules of reads.)

use crate::facts::writes::WriteLack;
use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::WriteKind;
use crate::rules::{Case, reason, words};

/// Adds a reason for each tenant column and value.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    let Some(write) = &case.tree.write else { return };
    for foreign in &case.facts.foreign_writes {
        let Some(column) = words::target_column(case.tree, foreign.key) else { continue };
        let value = words::value(case, foreign.key);
        let insert = write.kind == WriteKind::Insert;
        let (loc, message) = match foreign.lack {
            WriteLack::LeftOut => (case.places.first(), format!("the INSERT leaves out the tenant column `{column}`")),
            WriteLack::Default(loc) => (loc, format!("the tenant column `{column}` would get its default")),
            WriteLack::Part(loc) => (loc, format!("only a part of the tenant column `{column}` would be written")),
            WriteLack::Constant(loc) => {
                (loc, format!("`{column}` would get a constant; this policy wants a parameter"))
            }
            WriteLack::Value(loc) => (loc, format!("`{column}` would get another value than the caller's")),
            WriteLack::MayBeNull(loc) => (loc, format!("`{column}` would get a value that may be NULL")),
        };
        let hint = match (&value, insert, foreign.lack) {
            (Some(value), true, WriteLack::LeftOut) => {
                format!("add `{column}` to the column list, with the value `{value}` in every row")
            }
            (Some(value), true, _) => format!("write `{value}` as the value of `{column}`"),
            (Some(value), false, _) => format!("leave `{column}` out of SET, or write `{column} = {value}`"),
            (None, true, _) => format!(
                "take `{column}` from a table that is held to the caller: INSERT … SELECT with `{column}` of that table"
            ),
            (None, false, _) => format!("leave `{column}` out of SET"),
        };
        out.push(reason(ReasonCode::TenantWrite, loc, message, hint));
    }
}
