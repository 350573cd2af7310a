//! The checks: one for each assumption, each a pure function of the policy and the facts.
//!
//! Receives [`Given`], returns a [`State`]. Never asks the database, and where a fact is missing never says that all is well. An
//! identifier is for ever: programs match on it. docs/doctor.md has a section for each.

mod columns;
mod overloads;
mod roles;
mod seal;
mod search_path;
mod server;
mod tables;
mod tenant;
pub mod views;
mod writes;

use haltsql::{Assumptions, Policy};

pub use tenant::is_of as is_key_type;

use super::facts::{Extension, Facts, RoleChoice};

/// What the checks look at.
pub struct Given<'a> {
    /// The policy itself, for what only a verdict can tell.
    pub policy: &'a Policy,
    /// What it takes for granted.
    pub assumed: &'a Assumptions<'a>,
    /// What the database says.
    pub facts: &'a Facts,
    /// Whose rights were looked at.
    pub choice: &'a RoleChoice,
    /// What `policy harden --optional` closes counts.
    pub optional: bool,
}

/// One assumption.
pub struct Check {
    /// Stable.
    pub id: &'static str,
    /// What has to be true.
    pub title: &'static str,
    /// Finds out.
    pub run: fn(&Given<'_>) -> State,
}

/// What a check found out.
#[derive(Debug)]
pub enum State {
    /// It is as a verdict assumes.
    Holds,
    /// There is nothing that it could be about, and why.
    NotApplicable(&'static str),
    /// It is not.
    Broken(Vec<Finding>),
}

/// One thing that is not as a verdict assumes.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The object, as SQL writes it.
    pub object: String,
    /// What is wrong with it.
    pub found: String,
    /// SQL that mends it, in order. Empty where no SQL does.
    pub mend: Vec<String>,
    /// What else mends it, or what to think of before.
    pub advice: Option<String>,
}

/// All checks, in the order of the report.
pub const ALL: &[Check] = &[
    server::VERSION,
    server::ENCODING,
    server::STRINGS,
    search_path::SCHEMAS,
    search_path::USAGE,
    search_path::CREATE,
    search_path::RELATIONS,
    search_path::TYPES,
    search_path::FUNCTIONS,
    overloads::FUNCTIONS,
    overloads::OPERATORS,
    overloads::TYPES,
    overloads::CASTS,
    overloads::COLUMNS,
    overloads::SYNTAX,
    tables::EXIST,
    tables::KIND,
    tables::CHILDREN,
    tables::INVOKER,
    tables::DEFINITION,
    tables::APPROXIMATE,
    columns::EXIST,
    columns::TYPES,
    columns::COMPLETE,
    columns::GENERATED,
    tenant::NOT_NULL,
    tenant::TYPE,
    tenant::COLLATION,
    writes::KIND,
    writes::UNIQUE,
    writes::EXCLUSION,
    writes::FOREIGN_KEYS,
    writes::CASCADES,
    writes::TRIGGERS,
    writes::RULES,
    roles::EXISTS,
    roles::SUPERUSER,
    roles::BYPASSRLS,
    roles::OWNER,
    roles::RLS_ENABLED,
    roles::RLS_FORCED,
    seal::LOGIN,
    seal::ATTRIBUTES,
    seal::MEMBERSHIPS,
    seal::OWNER,
    seal::CREATE,
    seal::TEMPORARY,
    seal::RELATIONS,
    seal::COLUMNS,
    seal::SEQUENCES,
    seal::DEFINERS,
    seal::SETTERS,
    seal::AGGREGATES,
    seal::FUNCTIONS,
    seal::LANGUAGES,
    seal::EXTENSIONS,
    seal::CATALOG,
    seal::SET_CONFIG,
    seal::HOLD,
    seal::OPEN,
    seal::PERMISSIVE,
    seal::PIN_FUNCTION,
    seal::PIN_KEY,
    seal::GRANTS,
    seal::SERVER,
];

/// Where things go that must leave the path.
const ASIDE: &str = "off_path";

impl State {
    /// Broken, where there are findings.
    fn of(findings: Vec<Finding>) -> State {
        if findings.is_empty() { State::Holds } else { State::Broken(findings) }
    }
}

impl Finding {
    /// Something is wrong with an object.
    fn new(object: impl Into<String>, found: impl Into<String>) -> Finding {
        Finding { object: object.into(), found: found.into(), mend: Vec::new(), advice: None }
    }

    /// SQL that mends it.
    fn mend(mut self, sql: impl Into<String>) -> Finding {
        self.mend.push(sql.into());
        self
    }

    /// What else to do.
    fn advise(mut self, advice: impl Into<String>) -> Finding {
        let advice = advice.into();
        self.advice = Some(match self.advice {
            Some(before) => format!("{before}; {advice}"),
            None => advice,
        });
        self
    }

    /// SQL that takes an object out of the path: `alter` names it, such as `FUNCTION app.lower(integer)`.
    fn move_aside(self, alter: &str, extension: Option<&Extension>) -> Finding {
        let aside = self.mend(format!("CREATE SCHEMA IF NOT EXISTS {ASIDE}"));
        match extension {
            None => aside.mend(format!("ALTER {alter} SET SCHEMA {ASIDE}")),
            Some(extension) if extension.relocatable => {
                aside.mend(format!("ALTER EXTENSION {} SET SCHEMA {ASIDE}", haltsql::quote_ident(&extension.name)))
            }
            Some(extension) => Finding { mend: Vec::new(), ..aside }.advise(format!(
                "it belongs to the extension `{}`, which cannot be moved: create that in a schema outside search_path",
                extension.name
            )),
        }
    }
}

/// A list for a sentence: `a`, `b`.
fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// A list for SQL: a, "B".
fn sql_list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(|name| haltsql::quote_ident(name).into_owned()).collect::<Vec<_>>().join(", ")
}
