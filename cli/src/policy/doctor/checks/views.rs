//! A view's query, judged as what it is to the planner: a derived table that leaves the proof to its user.
//!
//! Receives a definition and the policy, returns the reasons against it. A query over the view proves the view's tenant column;
//! so does the text that is judged here, and whatever is denied in it would be a hole in every query over the view.

use haltsql::{AssumedTable, Assumptions, Context, Policy, Reason, ReasonCode};

/// Why the view may not stand in the policy; empty: it may.
///
/// `definition`: the text of `pg_get_viewdef`, every name with its schema.
pub fn refusals(policy: &Policy, assumed: &Assumptions<'_>, table: &AssumedTable<'_>, definition: &str) -> Vec<Reason> {
    let query = definition.trim().trim_end_matches(';');
    let mut context = Context::new();
    let mut proofs = Vec::new();
    for (at, key) in assumed.keys.iter().enumerate() {
        // Any value will do: that the comparison is with the caller's is all that a proof asks.
        let value = match key.ty {
            "uuid" => "00000000-0000-0000-0000-000000000001",
            _ => "1",
        };
        context = context.with(key.context, value);
        let Some(Some(column)) = table.tenant.get(at) else { continue };
        let compared = if assumed.literal { format!("'{value}'") } else { format!("${}", proofs.len() + 1) };
        proofs.push(format!("haltsql_view.\"{}\" = {compared}", column.replace('"', "\"\"")));
    }
    let proof = if proofs.is_empty() { String::new() } else { format!(" WHERE {}", proofs.join(" AND ")) };
    let text = format!("SELECT 1 FROM (\n{query}\n) AS haltsql_view{proof} LIMIT 1");
    let verdict = policy.check(text.as_bytes(), &context);
    let reasons = verdict.reasons.into_iter().chain(verdict.shadow_reasons);
    reasons.filter(|reason| !is_courtesy(reason.code)).collect()
}

/// Bounds on what a caller may ask for, which whoever wrote the view has answered for. Those that end a check early are no
/// part of it: behind them nothing was judged.
fn is_courtesy(code: ReasonCode) -> bool {
    matches!(code, ReasonCode::Cartesian | ReasonCode::Recursive | ReasonCode::StatementKind)
}
