//! What the seal check can find, and how bad each is.
//!
//! Receives the rows of its statement as texts, returns findings. Must never take the lack of an answer for a good one.

use crate::policy::Seal;

/// What a finding means for whoever is about to run a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// The seal does not hold: nothing may run.
    Broken,
    /// The seal holds; something is shut that the policy opens, or a second lock is open. The doctor is red.
    Weak,
    /// What only `policy harden --optional` closes.
    Optional,
}

/// One thing that is not as the seal wants it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealFinding {
    /// The check's identifier, stable: `seal.columns`. docs/doctor.md has a section for each.
    pub check: String,
    /// What should hold, one line.
    pub what: &'static str,
    /// The object, as SQL writes it.
    pub object: String,
    /// What is wrong with it, one line.
    pub detail: String,
    /// What to do about it.
    pub hint: &'static str,
    /// How bad it is.
    pub weight: Weight,
}

/// Every check that the statement makes, with what should hold; those without the prefix `seal.` are the doctor's own as well.
pub const CHECKS: &[(&str, &str)] = &[
    ("role.exists", "the executing role exists"),
    ("role.superuser", "the executing role is no superuser"),
    ("role.bypassrls", "the executing role does not bypass row security"),
    ("role.owner", "the executing role owns no table of the policy"),
    ("search_path.usage", "the executing role may use every schema of search_path"),
    ("search_path.create_privilege", "the executing role cannot create anything in a schema of search_path"),
    ("tables.kind", "tables of the policy have row security"),
    ("tables.view_security_invoker", "views of the policy read with the rights of the executing role"),
    ("rls.enabled", "row security is on for every tenant table"),
    ("rls.forced", "row security holds for the owners of tenant tables too"),
    ("seal.login", "the sealed role can log in"),
    ("seal.attributes", "the sealed role cannot make roles or databases, nor replicate"),
    ("seal.memberships", "the sealed role is a member of no other"),
    ("seal.owner", "the sealed role owns nothing"),
    ("seal.create", "the sealed role cannot create anything in the database"),
    ("seal.temporary", "the sealed role cannot make temporary tables"),
    ("seal.relations", "the sealed role has no rights on other tables and views"),
    ("seal.columns", "the sealed role has no more rights on the policy's tables than the policy opens"),
    ("seal.sequences", "the sealed role has no rights on sequences that it does not fill columns from"),
    ("seal.definer_functions", "the sealed role can call no function that runs with another's rights"),
    ("seal.set_functions", "the sealed role can call no function that changes settings"),
    ("seal.aggregates", "the sealed role can call no aggregate that the policy does not list"),
    ("seal.functions", "the sealed role can call no function that the policy does not list"),
    ("seal.languages", "the sealed role can use no language for DO"),
    ("seal.extensions", "the sealed role has no rights on what extensions brought along and nobody asked for"),
    (
        "seal.catalog_functions",
        "the sealed role can call no function of PostgreSQL's that disturbs others or outlives a rollback",
    ),
    ("seal.set_config", "the sealed role cannot change the setting that holds its tenant"),
    ("seal.hold", "a restrictive policy holds every tenant table's rows to the tenant"),
    ("seal.open", "a policy lets the sealed role read its own rows"),
    ("seal.permissive_policies", "no other policy lets the sealed role at rows"),
    (
        "seal.pin_function",
        "the function that verifies pins is the one that was made, and another's than the sealed role's",
    ),
    ("seal.pin_key", "the sealed role has no rights on the keys of pins"),
    ("seal.grants", "the sealed role has the rights that the policy opens"),
    ("seal.server_settings", "the server's settings leave no way around a rollback or the rights on large objects"),
];

/// The last row of the statement: without it the others are not all.
pub(super) const DONE: &str = "seal.done";

const RUN: &str = "run the SQL that `haltsql policy harden` prints for the policy, as the objects' owner";
const RUN_OPTIONAL: &str = "run the SQL that `haltsql policy harden --optional` prints for the policy, as a superuser";

/// The findings in rows of three texts each: check, object, detail.
pub(super) fn read(seal: Seal, rows: &[[Option<String>; 3]]) -> Vec<SealFinding> {
    let mut findings = Vec::new();
    let mut done = false;
    for [check, object, detail] in rows {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let check = text(check);
        if check == DONE {
            done = true;
            continue;
        }
        let known = CHECKS.iter().find(|(id, _)| *id == check);
        let what = known.map_or("the seal check's answer is understood", |(_, what)| what);
        let weight = weight(seal, &check);
        findings.push(SealFinding {
            hint: hint(&check, weight),
            check,
            what,
            object: text(object),
            detail: text(detail),
            weight,
        });
    }
    // FAIL-CLOSED: an answer that was cut short, or is none, says nothing about what it lacks.
    if !done {
        findings.push(SealFinding {
            check: "seal.unread".to_owned(),
            what: "the seal check's answer is whole",
            object: "seal check".to_owned(),
            detail: "its answer is not whole".to_owned(),
            hint: "run the statement again, on a connection of its own",
            weight: Weight::Broken,
        });
    }
    findings
}

/// How bad a finding of the check is under a seal. What is not known is the worst.
pub(super) fn weight(seal: Seal, check: &str) -> Weight {
    match check {
        "search_path.usage" | "seal.login" | "seal.open" | "seal.grants" | "seal.permissive_policies" => Weight::Weak,
        "seal.server_settings" => Weight::Optional,
        "seal.set_functions" | "seal.aggregates" | "seal.functions" if seal != Seal::Bare => Weight::Weak,
        "seal.languages" | "seal.extensions" | "seal.catalog_functions" if seal != Seal::Bare => Weight::Optional,
        _ => Weight::Broken,
    }
}

fn hint(check: &str, weight: Weight) -> &'static str {
    match check {
        "role.exists" => "run the SQL that `haltsql policy harden` prints for the policy; it makes the role",
        "role.superuser" => "name a role of its own in `execution.role`",
        "role.owner" | "seal.owner" => "let a role own it that runs no statements: ALTER … OWNER TO …",
        "tables.kind" => "list a table or a view in its place",
        "tables.view_security_invoker" => "ALTER VIEW … SET (security_invoker = true), from PostgreSQL 15 on",
        "seal.permissive_policies" => "name the roles that it is for: ALTER POLICY … ON … TO …",
        "seal.server_settings" => "set it back in postgresql.conf, or with ALTER SYSTEM or ALTER DATABASE",
        _ if weight == Weight::Optional => RUN_OPTIONAL,
        _ => RUN,
    }
}
