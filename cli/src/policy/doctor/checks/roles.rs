//! `role.*` and `rls.*`: the role that runs the statements is held by grants and row security.

use std::collections::BTreeMap;

use haltsql::{Seal, quote_ident};

use super::super::facts::{Relation, Role, RoleChoice};
use super::{Check, Finding, Given, State, listed};

pub const EXISTS: Check = Check { id: "role.exists", title: "the executing role exists", run: exists };
pub const SUPERUSER: Check =
    Check { id: "role.superuser", title: "the executing role is no superuser", run: superuser };
pub const BYPASSRLS: Check =
    Check { id: "role.bypassrls", title: "the executing role does not bypass row security", run: bypassrls };
pub const OWNER: Check =
    Check { id: "role.owner", title: "the executing role owns no table of the policy", run: owner };
pub const RLS_ENABLED: Check =
    Check { id: "rls.enabled", title: "row security is on for every tenant table", run: enabled };
pub const RLS_FORCED: Check =
    Check { id: "rls.forced", title: "row security holds for the owners of tenant tables too", run: forced };

const NO_ROLE: State = State::NotApplicable("there is no such role: see role.exists");
const NO_SEAL: State =
    State::NotApplicable("the policy names no role that relies on row security (execution.seal: none)");

fn exists(given: &Given<'_>) -> State {
    if !given.facts.roles.is_empty() {
        return State::Holds;
    }
    let finding = match given.choice {
        RoleChoice::Current => Finding::new("current_user", "it cannot be found"),
        RoleChoice::Named(name) if given.assumed.seal != Seal::None => Finding::new(&**name, "there is no such role")
            .advise(
                "`haltsql policy harden` prints the SQL that makes it; or write execution.role as the catalogue has it",
            ),
        RoleChoice::Named(name) => {
            let role = quote_ident(name);
            let finding = Finding::new(&**name, "there is no such role").mend(format!("CREATE ROLE {role} LOGIN"));
            let schemas = given.facts.schemas.iter().filter(|schema| schema.exists);
            schemas
                .fold(finding, |finding, schema| {
                    finding.mend(format!("GRANT USAGE ON SCHEMA {} TO {role}", quote_ident(&schema.name)))
                })
                .advise("or write execution.role as the catalogue has it")
        }
        RoleChoice::Like(start, end) => Finding::new(format!("{start}…{end}"), "there is no role of such a name")
            .advise("with `seal: login` every tenant has a role of its own"),
    };
    State::Broken(vec![finding])
}

fn superuser(given: &Given<'_>) -> State {
    if given.facts.roles.is_empty() {
        return NO_ROLE;
    }
    let supers = given.facts.roles.iter().filter(|role| role.superuser);
    State::of(
        supers
            .map(|role| {
                Finding::new(&*role.name, "it is a superuser: nothing in the database holds it")
                    .mend(format!("ALTER ROLE {} NOSUPERUSER", quote_ident(&role.name)))
                    .advise("or run the statements as another role, and name it with --role")
            })
            .collect(),
    )
}

fn bypassrls(given: &Given<'_>) -> State {
    if given.facts.roles.is_empty() {
        return NO_ROLE;
    }
    let bypassing = given.facts.roles.iter().filter(|role| role.bypassrls);
    State::of(
        bypassing
            .map(|role| {
                Finding::new(&*role.name, "it has BYPASSRLS")
                    .mend(format!("ALTER ROLE {} NOBYPASSRLS", quote_ident(&role.name)))
            })
            .collect(),
    )
}

fn owner(given: &Given<'_>) -> State {
    if given.facts.roles.is_empty() {
        return NO_ROLE;
    }
    let mut findings: Vec<Finding> = Vec::new();
    for role in &given.facts.roles {
        for (table, relation) in given.assumed.tables.iter().zip(&given.facts.tables) {
            if let Some(relation) = relation.as_ref().filter(|relation| role.oid == relation.owner.0) {
                findings.push(owned(given, role, table.display, relation));
            }
        }
        // One finding for each role that it is a member of: the same grants go.
        let mut owners: BTreeMap<&(u32, String), Vec<&str>> = BTreeMap::new();
        for (table, relation) in given.assumed.tables.iter().zip(&given.facts.tables) {
            let Some(relation) = relation else { continue };
            if role.oid != relation.owner.0 && role.reaches.contains(&relation.owner.0) {
                owners.entry(&relation.owner).or_default().push(table.display);
            }
        }
        for ((oid, owner), tables) in owners {
            let finding =
                Finding::new(&*role.name, format!("it is a member of `{owner}`, which owns {}", listed(tables)));
            let grants = role.memberships.iter().filter(|(_, group)| group == oid);
            let revoke = |finding: Finding, (member, _): &(String, u32)| {
                finding.mend(format!("REVOKE {} FROM {}", quote_ident(owner), quote_ident(member)))
            };
            let finding = grants.fold(finding, revoke);
            findings.push(if finding.mend.is_empty() {
                finding.advise("it owns the database: let a role own that which runs no statements")
            } else {
                finding
            });
        }
    }
    State::of(findings)
}

fn owned(given: &Given<'_>, role: &Role, table: &str, relation: &Relation) -> Finding {
    let finding = Finding::new(table, format!("the executing role `{}` owns it", role.name));
    let other = &given.facts.server.database_owner;
    if *other == role.name {
        return finding.advise("let a role own it that runs no statements: ALTER TABLE … OWNER TO …");
    }
    let kind = if relation.is_view() { "VIEW" } else { "TABLE" };
    finding.mend(format!("ALTER {kind} {table} OWNER TO {}", quote_ident(other)))
}

/// The tables with a tenant key that exist; a view has no row security of its own.
fn tenant_tables<'a>(given: &'a Given<'_>) -> impl Iterator<Item = (&'a str, &'a Relation)> {
    let tables = given.assumed.tables.iter().zip(&given.facts.tables);
    tables.filter_map(|(table, relation)| {
        let relation = relation.as_ref().filter(|relation| !relation.is_view())?;
        table.tenant.iter().any(Option::is_some).then_some((table.display, relation))
    })
}

fn enabled(given: &Given<'_>) -> State {
    if given.assumed.seal == Seal::None {
        return NO_SEAL;
    }
    let open = tenant_tables(given).filter(|(_, relation)| !relation.rls);
    State::of(
        open.map(|(table, _)| {
            Finding::new(table, "row security is off")
                .mend(format!("ALTER TABLE {table} ENABLE ROW LEVEL SECURITY"))
                .advise("without policies of its own it then shows no rows at all")
        })
        .collect(),
    )
}

fn forced(given: &Given<'_>) -> State {
    if given.assumed.seal == Seal::None {
        return NO_SEAL;
    }
    let open = tenant_tables(given).filter(|(_, relation)| !relation.rls_forced);
    State::of(
        open.map(|(table, _)| {
            Finding::new(table, "its owner is not held by row security")
                .mend(format!("ALTER TABLE {table} FORCE ROW LEVEL SECURITY"))
        })
        .collect(),
    )
}
