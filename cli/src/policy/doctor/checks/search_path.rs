//! `search_path.*`: an unqualified name finds what the policy means by it, and goes on to.

use haltsql::quote_ident;

use super::super::facts::Named;
use super::{Check, Finding, Given, State};

pub const SCHEMAS: Check =
    Check { id: "search_path.schemas_exist", title: "every schema of search_path exists", run: schemas };
pub const USAGE: Check =
    Check { id: "search_path.usage", title: "the executing role may use every schema of search_path", run: usage };
pub const CREATE: Check = Check {
    id: "search_path.create_privilege",
    title: "the executing role cannot create anything in a schema of search_path",
    run: create,
};
pub const RELATIONS: Check = Check {
    id: "search_path.shadowed_relation",
    title: "no earlier schema has a relation named like one of the policy's",
    run: relations,
};
pub const TYPES: Check = Check {
    id: "search_path.shadowed_type",
    title: "no earlier schema has a type named like one that the policy lists",
    run: types,
};
pub const FUNCTIONS: Check = Check {
    id: "search_path.shadowed_function",
    title: "no earlier schema has a function named like one that the policy lists",
    run: functions,
};

const EMPTY: State = State::NotApplicable("search_path is empty: every name is written with its schema");

fn schemas(given: &Given<'_>) -> State {
    if given.facts.schemas.is_empty() {
        return EMPTY;
    }
    let missing = given.facts.schemas.iter().filter(|schema| !schema.exists);
    State::of(
        missing
            .map(|schema| {
                let name = quote_ident(&schema.name);
                let found = "there is no such schema, and whoever creates it decides what names mean";
                let finding = Finding::new(&*schema.name, found).mend(format!("CREATE SCHEMA {name}"));
                let roles = given.facts.roles.iter();
                roles
                    .fold(finding, |finding, role| {
                        finding.mend(format!("GRANT USAGE ON SCHEMA {name} TO {}", quote_ident(&role.name)))
                    })
                    .advise("or take it out of the policy's search_path")
            })
            .collect(),
    )
}

fn usage(given: &Given<'_>) -> State {
    if given.facts.schemas.is_empty() {
        return EMPTY;
    }
    let findings = given.facts.schemas.iter().flat_map(|schema| {
        schema.not_usable_by.iter().map(|role| {
            Finding::new(
                &*schema.name,
                format!("the role `{role}` has no USAGE, so that the server passes the schema over"),
            )
            .mend(format!("GRANT USAGE ON SCHEMA {} TO {}", quote_ident(&schema.name), quote_ident(role)))
        })
    });
    State::of(findings.collect())
}

fn create(given: &Given<'_>) -> State {
    if given.facts.schemas.is_empty() {
        return EMPTY;
    }
    let mut findings = Vec::new();
    for schema in &given.facts.schemas {
        let name = quote_ident(&schema.name);
        if let Some(owner) = &schema.owned_by {
            findings.push(
                Finding::new(&*schema.name, format!("the executing role is, or is a member of, its owner `{owner}`"))
                    .advise("let a role own the schema that runs no statements: ALTER SCHEMA … OWNER TO …"),
            );
        }
        for creator in &schema.creators {
            // PUBLIC is no role's name.
            let grantee = if creator == "PUBLIC" { creator.into() } else { quote_ident(creator) };
            findings.push(
                Finding::new(&*schema.name, format!("the executing role has CREATE on it by `{creator}`"))
                    .mend(format!("REVOKE CREATE ON SCHEMA {name} FROM {grantee}")),
            );
        }
    }
    State::of(findings)
}

fn relations(given: &Given<'_>) -> State {
    let policy = given.assumed.tables.iter().map(|table| (table.schema, table.name));
    let shadows = shadows(given, &given.facts.names.relations, policy.clone().collect());
    if policy.count() == 0 { State::NotApplicable("the policy lists no tables") } else { shadows }
}

fn types(given: &Given<'_>) -> State {
    let listed = &given.assumed.types.listed;
    let names = listed.iter().map(|(schema, name)| (&**schema, &**name));
    let shadows = shadows(given, &given.facts.names.types, names.collect());
    if listed.is_empty() { State::NotApplicable("the policy lists no types of its own") } else { shadows }
}

/// What stands in an earlier schema of the path than the policy's thing of the same name, and is none of the policy's.
fn shadows(given: &Given<'_>, found: &[Named], policy: Vec<(&str, &str)>) -> State {
    let findings = found.iter().filter_map(|shadow| {
        if policy.contains(&(&*shadow.schema, &*shadow.name)) {
            return None;
        }
        let hidden = shadowed(given, &shadow.schema, &shadow.name, &policy)?;
        let text = format!("{}.{}", quote_ident(&shadow.schema), quote_ident(&shadow.name));
        let finding = Finding::new(&*text, format!("unqualified, it is found before `{hidden}`"));
        Some(if shadow.schema == SYSTEM {
            finding.advise("it is PostgreSQL's own: rename the policy's")
        } else {
            finding.move_aside(&format!("{} {text}", shadow.kind), shadow.extension.as_ref())
        })
    });
    State::of(findings.collect())
}

const SYSTEM: &str = "pg_catalog";

/// The policy's thing of that name in a later schema of the path than this one, as SQL writes it.
fn shadowed(given: &Given<'_>, schema: &str, name: &str, policy: &[(&str, &str)]) -> Option<String> {
    let place = |schema: &str| given.assumed.search_path.iter().position(|other| other == schema);
    let own = if schema == SYSTEM { None } else { Some(place(schema)?) };
    let later = policy.iter().find(|(other, named)| *named == name && place(other).is_some_and(|at| Some(at) > own))?;
    Some(format!("{}.{}", quote_ident(later.0), quote_ident(later.1)))
}

fn functions(given: &Given<'_>) -> State {
    let listed = &given.assumed.functions.listed;
    if listed.is_empty() {
        return State::NotApplicable("the policy lists no functions of its own");
    }
    let policy: Vec<(&str, &str)> = listed.iter().map(|(schema, name)| (&**schema, &**name)).collect();
    let findings = given.facts.names.functions.iter().filter_map(|function| {
        if policy.contains(&(&*function.schema, &*function.name)) {
            return None;
        }
        let hidden = shadowed(given, &function.schema, &function.name, &policy)?;
        let finding = Finding::new(&*function.text, format!("unqualified, it is found before or beside `{hidden}`"));
        Some(finding.move_aside(&format!("{} {}", function.kind, function.text), function.extension.as_ref()))
    });
    State::of(findings.collect())
}
