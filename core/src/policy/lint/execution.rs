//! Bounds on what a statement costs, and what the database is told before it runs.

use super::super::model::{Execution, Limits, Policy, Recursive, Seal, SettingValue};
use super::Severity::{Danger, Note, Warning};
use super::{Kind, Report};

const CARTESIAN: Kind = (
    "limits.cartesian",
    Warning,
    "two large tables that nothing ties give their product: the server works until the timeout",
);
const RECURSIVE: Kind = ("limits.recursive", Warning, "a recursion that never ends is stopped only by the timeout");
const RAISED: Kind =
    ("limits.raised", Warning, "far above the default: a hostile text costs the verifier or the server that much more");
const LIFTED: Kind =
    ("limits.lifted", Note, "above the default: a hostile text costs the verifier or the server that much more");
const NO_ROW_LIMIT: Kind = (
    "limits.no_row_limit",
    Note,
    "a text may ask for every row; only a guard that owns the transaction stops at `execution.max_rows`",
);
const CAP_WITHOUT_DEMAND: Kind = ("limits.cap_without_demand", Note, "a text without any LIMIT passes the cap by");
const NO_SEAL: Kind =
    ("execution.no_seal", Note, "the verdict is the only wall: the database itself holds nobody to their rows");
const BARE: Kind = (
    "execution.seal_bare",
    Warning,
    "the role that runs the text can set the setting, and drop the role, itself: the seal holds only as long as the verdict does",
);
const SUPERUSER: Kind =
    ("execution.role_superuser", Danger, "a superuser passes by row security and grants: nothing of the seal holds it");
const TIMEOUT: Kind = (
    "execution.timeout_raised",
    Warning,
    "the timeout is what stops a text that costs too much, and what holds locks back",
);
const ROWS: Kind = ("execution.result_raised", Note, "a result of that size is held in memory by whoever reads it");
const SERVER_SETTING: Kind = (
    "execution.server_setting",
    Note,
    "it is a setting of PostgreSQL itself, and changes how every statement is planned or run",
);
const LOOSE_SETTING: Kind = (
    "execution.setting_outside_tenancy",
    Note,
    "the value comes from a key of the context that tenancy doesn't check: without it, or with a set, nothing runs",
);

pub(super) fn findings(policy: &Policy, report: &mut Report<'_>) {
    limits(&policy.limits, report);
    execution(policy, report);
}

fn limits(limits: &Limits, report: &mut Report<'_>) {
    let default = Limits::default();
    if !limits.cartesian_denied {
        report.add(
            CARTESIAN,
            &["limits", "cartesian"],
            "products of tables are allowed".to_owned(),
            "set `cartesian: deny`",
        );
    }
    if limits.recursive == Recursive::Allow {
        let what = "recursions without a form that ends are allowed".to_owned();
        report.add(RECURSIVE, &["limits", "recursive"], what, "set `recursive: bounded`");
    }
    for (key, value, default) in [
        ("max_sql_bytes", limits.max_sql_bytes, default.max_sql_bytes),
        ("max_relations", limits.max_relations, default.max_relations),
        ("max_depth", limits.max_depth, default.max_depth),
        ("max_generated", limits.max_generated, default.max_generated),
        ("max_grouping_sets", limits.max_grouping_sets, default.max_grouping_sets),
    ] {
        raised(&["limits", key], value, default, [RAISED, LIFTED], report);
    }
    match (limits.require_limit, limits.max_limit) {
        (false, None) => {
            let mend =
                "set `require_limit: true` and `max_limit`, or run texts through a guard that owns the transaction";
            report.add(NO_ROW_LIMIT, &["limits", "require_limit"], "no LIMIT is asked for".to_owned(), mend);
        }
        (false, Some(most)) => {
            let what = format!("a LIMIT above {most} is denied, none at all is not");
            report.add(CAP_WITHOUT_DEMAND, &["limits", "max_limit"], what, "set `require_limit: true`");
        }
        (true, _) => {}
    }
}

/// More than the default, or more than ten times that.
fn raised(steps: &[&str], value: u64, default: u64, [far, more]: [Kind; 2], report: &mut Report<'_>) {
    if value > default {
        let kind = if value > default.saturating_mul(10) { far } else { more };
        let key = steps.last().copied().unwrap_or_default();
        let what = format!("`{key}` is {value}, the default is {default}");
        report.add(kind, steps, what, "lower it to what your own texts need");
    }
}

fn execution(policy: &Policy, report: &mut Report<'_>) {
    let execution = &policy.execution;
    let default = Execution::default();
    match execution.seal {
        // With writes it is `write.unsealed`.
        Seal::None if policy.tenancy.is_some() => {
            let mend =
                "give `execution` a `role` and `seal: signed`, and run the SQL that `haltsql policy harden` prints";
            report.add(NO_SEAL, &["execution", "seal"], "no seal stands behind the verdict".to_owned(), mend);
        }
        Seal::Bare => report.add(BARE, &["execution", "seal"], "the seal is `bare`".to_owned(), "use `seal: signed`"),
        Seal::None | Seal::Signed | Seal::Login => {}
    }
    if let Some(role) = &execution.role
        && matches!(
            &**role,
            "postgres" | "rdsadmin" | "rds_superuser" | "cloudsqladmin" | "cloudsqlsuperuser" | "azure_pg_admin"
        )
    {
        let what = format!("statements run as `{role}`");
        report.add(SUPERUSER, &["execution", "role"], what, "make a role that may read these columns and nothing else");
    }
    for (key, value, default) in [
        ("statement_timeout_ms", execution.statement_timeout_ms, default.statement_timeout_ms),
        ("lock_timeout_ms", execution.lock_timeout_ms, default.lock_timeout_ms),
        (
            "idle_in_transaction_session_timeout_ms",
            execution.idle_in_transaction_session_timeout_ms,
            default.idle_in_transaction_session_timeout_ms,
        ),
    ] {
        let lifted = ("execution.timeout_lifted", Note, TIMEOUT.2);
        raised(&["execution", key], value, default, [TIMEOUT, lifted], report);
    }
    for (key, value, default) in [
        ("max_rows", execution.max_rows, default.max_rows),
        ("max_result_bytes", execution.max_result_bytes, default.max_result_bytes),
    ] {
        raised(&["execution", key], value, default, [ROWS, ROWS], report);
    }
    for (name, value) in &execution.settings {
        if !name.contains('.') {
            let what = format!("the setting `{name}` is pinned");
            report.add(
                SERVER_SETTING,
                &["execution", "settings", name],
                what,
                "see what it does to other statements of the role, or leave it to the role",
            );
        }
        let known =
            |key: &String| policy.tenancy.iter().flat_map(|tenancy| &tenancy.keys).any(|own| own.context == *key);
        if let SettingValue::Context(key) = value
            && !known(key)
        {
            let what = format!("the setting `{name}` takes the context's `{key}`, which is no tenant key");
            report.add(
                LOOSE_SETTING,
                &["execution", "settings", name],
                what,
                "see that every caller's context holds it",
            );
        }
    }
}
