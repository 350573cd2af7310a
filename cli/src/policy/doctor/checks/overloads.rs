//! `overloads.*`: PostgreSQL picks functions, operators and casts by the types of their arguments, over the whole path. Nothing there
//! answers to a name by which a verdict means something else.

use haltsql::{AllowedNames, Assumptions, quote_ident};

use super::super::facts::{Cast, Edge, Extension, Function, SYNTAX as NEWER};
use super::{Check, Finding, Given, State};

pub const FUNCTIONS: Check = Check {
    id: "overloads.function",
    title: "no function of the path is named like one that may be called",
    run: functions,
};
pub const OPERATORS: Check = Check {
    id: "overloads.operator",
    title: "no operator of the path is named like one that may be used",
    run: operators,
};
pub const TYPES: Check = Check {
    id: "overloads.type",
    title: "a type of the path that is named like an extension's belongs to the extension",
    run: types,
};
pub const CASTS: Check = Check {
    id: "overloads.cast",
    title: "no cast between types that may stand in a query was added beside the server's own",
    run: casts,
};
pub const COLUMNS: Check = Check {
    id: "overloads.column",
    title: "no function of the path takes a table's row and is named like a column of it",
    run: columns,
};
pub const SYNTAX: Check = Check {
    id: "overloads.syntax",
    title: "no function of the path is named like syntax that this server does not know yet",
    run: syntax,
};

fn functions(given: &Given<'_>) -> State {
    let allowed = &given.assumed.functions;
    let unlisted = given.facts.names.functions.iter().filter(|function| {
        let system = is_profiles(allowed, &function.name);
        let beside = is_beside(given.assumed, allowed, &function.schema, &function.name);
        // A type is never the function that a policy lists.
        let listed = function.kind != "TYPE" && is_listed(allowed, &function.schema, &function.name);
        (system || beside) && !listed && !is_extensions(allowed, &function.name, function.extension.as_ref())
    });
    State::of(
        unlisted
            .map(|function| {
                let found = format!("a call of `{}` may mean it, by the types of the arguments", function.name);
                let finding = aside(function, found);
                if function.kind == "TYPE" {
                    return finding;
                }
                let name = format!("{}.{}", quote_ident(&function.schema), quote_ident(&function.name));
                finding.advise(format!(
                    "or read it, and list `{name}` in the policy's functions.allow if every caller may run it"
                ))
            })
            .collect(),
    )
}

fn aside(function: &Function, found: String) -> Finding {
    let alter = format!("{} {}", function.kind, function.text);
    Finding::new(&*function.text, found).move_aside(&alter, function.extension.as_ref())
}

/// A policy's own function of that name stands in an earlier schema of the path. (What stands before the policy's
/// is another check's: `search_path.shadowed_function`.)
fn is_beside(assumed: &Assumptions<'_>, allowed: &AllowedNames, schema: &str, name: &str) -> bool {
    let place = |schema: &str| assumed.search_path.iter().position(|other| other == schema);
    let own = place(schema);
    allowed.listed.iter().any(|(other, named)| named == name && place(other).is_some_and(|at| Some(at) < own))
}

/// A profile of the policy allows that name, of PostgreSQL's own or of an extension.
fn is_profiles(allowed: &AllowedNames, name: &str) -> bool {
    [&allowed.system, &allowed.extensions]
        .iter()
        .any(|names| names.binary_search_by(|known| (**known).cmp(name)).is_ok())
}

/// It is what the profile of an extension means by that name.
fn is_extensions(allowed: &AllowedNames, name: &str, extension: Option<&Extension>) -> bool {
    let known = allowed.extensions.binary_search_by(|known| (**known).cmp(name)).is_ok();
    known && extension.is_some_and(Extension::has_profile)
}

fn is_listed(allowed: &AllowedNames, schema: &str, name: &str) -> bool {
    allowed.listed.iter().any(|(other, named)| other == schema && named == name)
}

fn operators(given: &Given<'_>) -> State {
    let allowed = &given.assumed.operators;
    let findings = given.facts.names.operators.iter().filter_map(|operator| {
        // What tells one tenant from another is PostgreSQL's own equality, whatever a policy lists.
        let decides = operator.name == "=" && operator.over_system_types;
        let listed = is_listed(allowed, &operator.schema, &operator.name);
        let extensions = is_extensions(allowed, &operator.name, operator.extension.as_ref());
        if !decides && (listed || extensions) {
            return None;
        }
        let found = format!("an expression with `{}` may mean it, by the types of the operands", operator.name);
        let alter = format!("OPERATOR {}", operator.text);
        let finding = Finding::new(&*operator.text, found).move_aside(&alter, operator.extension.as_ref());
        let entry = format!("OPERATOR({}.{})", quote_ident(&operator.schema), operator.name);
        Some(if decides {
            finding
        } else {
            finding.advise(format!("or list `{entry}` in the policy's operators.allow if every caller may use it"))
        })
    });
    State::of(findings.collect())
}

fn types(given: &Given<'_>) -> State {
    let allowed = &given.assumed.types;
    if allowed.extensions.is_empty() {
        return State::NotApplicable("the policy lists no profile of an extension with types");
    }
    // What stands in PostgreSQL's own schema is found before all others.
    let others = given.facts.names.types.iter().filter(|found| {
        let known = allowed.extensions.binary_search(&found.name).is_ok();
        let theirs = is_extensions(allowed, &found.name, found.extension.as_ref()) || found.name.starts_with('_');
        known && !theirs && !is_listed(allowed, &found.schema, &found.name)
    });
    State::of(
        others
            .map(|found| {
                let text = format!("{}.{}", quote_ident(&found.schema), quote_ident(&found.name));
                let finding = Finding::new(&*text, format!("`{}` may mean it, and not the extension's", found.name));
                finding.move_aside(&format!("{} {text}", found.kind), found.extension.as_ref())
            })
            .collect(),
    )
}

fn casts(given: &Given<'_>) -> State {
    let findings = given.facts.names.casts.iter().filter_map(|cast| {
        let found = changed(given, cast)?;
        let text = format!("{} AS {}", cast.source, cast.target);
        let finding = Finding::new(&*text, found);
        Some(match (&cast.extension, &cast.function) {
            (Some(extension), Some((schema, name))) => finding.advise(format!(
                "it belongs to the extension `{}`: list `{}.{}` in the policy's functions.allow if every caller may run it",
                extension.name,
                quote_ident(schema),
                quote_ident(name)
            )),
            (Some(extension), None) => finding.advise(format!("it belongs to the extension `{}`", extension.name)),
            (None, _) => finding.mend(format!("DROP CAST ({text})")),
        })
    });
    State::of(findings.collect())
}

/// How a cast changes what a query means.
fn changed(given: &Given<'_>, cast: &Cast) -> Option<String> {
    const SYSTEM: &str = "pg_catalog";
    let types = &given.assumed.types;
    if cast.extension.as_ref().is_some_and(Extension::has_profile) && !types.extensions.is_empty() {
        return None;
    }
    let own = |(schema, name): &(String, String)| is_listed(types, schema, name) || types.extensions.contains(name);
    if cast.source_name.0 == SYSTEM && cast.target_name.0 == SYSTEM {
        return Some("it is a cast between two of PostgreSQL's own types that PostgreSQL does not have".to_owned());
    }
    let (schema, name) = cast.function.as_ref()?;
    let readable = || {
        let columns = given.assumed.tables.iter().zip(&given.facts.tables).flat_map(|(table, relation)| {
            let readable = table.columns.iter().filter(|column| column.readable);
            readable.filter_map(|column| relation.as_ref()?.column(column.name))
        });
        columns.into_iter().any(|column| {
            let element = column.type_bare.strip_suffix("[]").unwrap_or(&column.type_bare);
            element == cast.source || column.base_type.as_ref() == Some(&cast.source)
        })
    };
    let source = cast.source_name.0 == SYSTEM || own(&cast.source_name) || readable();
    let target = own(&cast.target_name)
        || (cast.target_name.0 == SYSTEM && given.assumed.types.system.contains(&cast.target_name.1));
    let allowed = is_listed(&given.assumed.functions, schema, name);
    (source && target && !allowed).then(|| {
        let function = format!("{}.{}", quote_ident(schema), quote_ident(name));
        format!("a cast calls `{function}`, which the policy does not list")
    })
}

fn columns(given: &Given<'_>) -> State {
    let first = given.assumed.search_path.first();
    let mut findings = Vec::new();
    for function in &given.facts.names.functions {
        // A call of a function that the policy lists is taken for one.
        let listed =
            Some(&function.schema) == first && is_listed(&given.assumed.functions, &function.schema, &function.name);
        if !function.takes_one || listed {
            continue;
        }
        let tables = given.assumed.tables.iter().zip(&given.facts.tables);
        for (table, relation) in tables {
            let named = table.columns.iter().any(|column| column.name == function.name);
            let oid = relation.as_ref().map(|relation| relation.oid);
            if named && (function.any_row || takes_row(function, oid, &given.facts.writes.edges)) {
                let found = format!(
                    "`{0}(t)` calls it with a row of `{1}`, and is not the column `{0}`",
                    function.name, table.display
                );
                findings.push(aside(function, found));
                break;
            }
        }
    }
    State::of(findings)
}

/// Whether the function takes a row of the relation, or of one that it inherits from.
fn takes_row(function: &Function, relation: Option<u32>, edges: &[Edge]) -> bool {
    let mut open: Vec<u32> = relation.into_iter().collect();
    let mut next = 0;
    while let Some(&relation) = open.get(next) {
        if function.row_of == Some(relation) {
            return true;
        }
        for edge in edges.iter().filter(|edge| edge.child == relation) {
            if !open.contains(&edge.parent) {
                open.push(edge.parent);
            }
        }
        next += 1;
    }
    false
}

fn syntax(given: &Given<'_>) -> State {
    let major = given.facts.server.major();
    let newer: Vec<&str> = NEWER.iter().filter(|(_, since)| major < *since).map(|(name, _)| *name).collect();
    if newer.is_empty() {
        return State::NotApplicable("this server knows all of it");
    }
    // Where the policy allows a call of that name, `overloads.function` looks at it.
    let unknown = |function: &&Function| {
        let allowed = given.assumed.functions.system.binary_search(&function.name).is_ok();
        newer.contains(&&*function.name) && !allowed
    };
    let named = given.facts.names.functions.iter().filter(unknown);
    State::of(
        named
            .map(|function| {
                let name = &function.name;
                aside(
                    function,
                    format!("to PostgreSQL {major} `{name}(…)` is a call of it; a verdict reads newer syntax there"),
                )
            })
            .collect(),
    )
}
