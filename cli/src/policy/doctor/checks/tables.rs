//! `tables.*`: a listed relation is what its name says, and its rows are all there is to it.

use haltsql::{Seal, quote_ident};

use super::{Check, Finding, Given, State, views};

pub const EXIST: Check = Check { id: "tables.exist", title: "every table of the policy exists", run: exist };
pub const KIND: Check = Check { id: "tables.kind", title: "every table of the policy is a table or a view", run: kind };
pub const CHILDREN: Check =
    Check { id: "tables.children", title: "no unlisted table inherits from a table of the policy", run: children };
pub const INVOKER: Check =
    Check { id: "tables.view_security_invoker", title: "a view reads with the rights of whoever asks", run: invoker };
pub const DEFINITION: Check = Check {
    id: "tables.view_definition",
    title: "a view reads readable columns, and hands its tenant column on",
    run: definition,
};

pub const APPROXIMATE: Check = Check {
    id: "tables.approximate_index",
    title: "no approximate index mixes the rows of several tenants",
    run: approximate,
};

const NO_TABLES: State = State::NotApplicable("the policy lists no tables");
const NO_VIEWS: State = State::NotApplicable("no table of the policy is a view");

fn exist(given: &Given<'_>) -> State {
    if given.assumed.tables.is_empty() {
        return NO_TABLES;
    }
    let tables = given.assumed.tables.iter().zip(&given.facts.tables);
    let missing = tables.filter(|(_, relation)| relation.is_none());
    State::of(
        missing
            .map(|(table, _)| {
                Finding::new(table.display, "there is no such relation, or it is not to be seen")
                    .advise("take it out of the policy, or write its name as the catalogue has it")
            })
            .collect(),
    )
}

fn kind(given: &Given<'_>) -> State {
    if given.assumed.tables.is_empty() {
        return NO_TABLES;
    }
    let sealed = given.assumed.seal != Seal::None;
    let mut findings = Vec::new();
    for (table, relation) in given.assumed.tables.iter().zip(&given.facts.tables) {
        let Some(relation) = relation else { continue };
        let found = match &*relation.kind {
            "r" | "p" | "v" => None,
            "f" if !sealed => None,
            "f" => Some("it is a foreign table, and no seal reaches the server that it stands on"),
            "m" => Some("it is a materialised view: a copy that shows all rows to everybody who may read it"),
            "S" => Some("it is a sequence"),
            _ => Some("it is no table"),
        };
        findings.extend(found.map(|found| {
            Finding::new(table.display, found).advise("take it out of the policy, and list the tables behind it")
        }));
        for part in relation.descendants.iter().filter(|part| sealed && part.kind == "f" && relation.kind != "f") {
            let text = format!("{}.{}", quote_ident(&part.schema), quote_ident(&part.name));
            let found = format!("it is a foreign table below `{}`, and no seal reaches its server", table.display);
            findings.push(Finding::new(text, found).advise("detach it, or copy its rows into a table"));
        }
    }
    State::of(findings)
}

fn children(given: &Given<'_>) -> State {
    if given.assumed.tables.is_empty() {
        return NO_TABLES;
    }
    let listed = |schema: &str, name: &str| {
        given.assumed.tables.iter().any(|table| table.schema == schema && table.name == name)
    };
    let mut findings: Vec<Finding> = Vec::new();
    for (table, relation) in given.assumed.tables.iter().zip(&given.facts.tables) {
        let Some(relation) = relation else { continue };
        for child in
            relation.descendants.iter().filter(|child| !child.is_partition && !listed(&child.schema, &child.name))
        {
            let text = format!("{}.{}", quote_ident(&child.schema), quote_ident(&child.name));
            let finding = Finding::new(&*text, format!("its rows come with those of `{}`", table.display));
            let finding = if child.parent == relation.oid {
                finding.mend(format!("ALTER TABLE {text} NO INHERIT {}", table.display))
            } else {
                finding
            };
            findings.push(finding.advise(format!("or list `{text}` in the policy, with the same tenant columns")));
        }
    }
    State::of(findings)
}

fn invoker(given: &Given<'_>) -> State {
    let mut any = false;
    let mut findings = Vec::new();
    for (table, relation) in given.assumed.tables.iter().zip(&given.facts.tables) {
        let Some(relation) = relation.as_ref().filter(|relation| relation.is_view()) else { continue };
        any = true;
        if relation.invoker {
            continue;
        }
        let found = format!("it reads with the rights of its owner `{}`", relation.owner.1);
        let finding = Finding::new(table.display, found);
        findings.push(if given.facts.server.major() < 15 {
            finding.advise("PostgreSQL 14 has no security_invoker: list the tables behind the view, or upgrade")
        } else {
            finding.mend(format!("ALTER VIEW {} SET (security_invoker = true)", table.display))
        });
    }
    if any { State::of(findings) } else { NO_VIEWS }
}

fn definition(given: &Given<'_>) -> State {
    let mut any = false;
    let mut findings = Vec::new();
    for (table, relation) in given.assumed.tables.iter().zip(&given.facts.tables) {
        let Some(relation) = relation.as_ref().filter(|relation| relation.is_view()) else { continue };
        any = true;
        let definition = relation.definition.as_deref().unwrap_or_default();
        for reason in views::refusals(given.policy, given.assumed, table, definition) {
            let finding = Finding::new(table.display, format!("{}: {}", reason.code.as_str(), reason.message));
            findings.push(finding.advise("change the view's query, or what the policy says of the tables behind it"));
        }
    }
    if any { State::of(findings) } else { NO_VIEWS }
}

fn approximate(given: &Given<'_>) -> State {
    let tables = given.assumed.tables.iter().zip(&given.facts.tables);
    let mut tenant = tables.filter(|(table, _)| table.tenant.iter().any(Option::is_some)).peekable();
    if tenant.peek().is_none() {
        return State::NotApplicable("no table of the policy carries a tenant key");
    }
    let mut findings = Vec::new();
    for (table, relation) in tenant {
        for index in relation.iter().flat_map(|relation| &relation.approximate) {
            // A partial index on `tenant_id = …`, or one on the partition of one tenant, has neighbours of that tenant alone.
            let of_one = table.tenant.iter().flatten().any(|column| {
                let equals = format!("({} = ", quote_ident(column));
                let partial = index.predicate.as_ref().is_some_and(|predicate| predicate.starts_with(&equals));
                partial || index.divided_by.iter().any(|divided| divided == column)
            });
            if !of_one {
                findings.push(
                    Finding::new(&*index.text, "which rows it finds for a caller depends on the rows of others")
                        .mend(format!("DROP INDEX {}", index.text))
                        .advise("make one for each tenant: partial, or on partitions by the tenant column"),
                );
            }
        }
    }
    State::of(findings)
}
