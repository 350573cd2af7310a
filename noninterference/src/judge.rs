//! Who checks: the core that ships, or the same sources with one rule left out (`weakened/`).
//!
//! The one place that knows of switches; neither the generator nor the comparison does.

use haltsql::{BindParam, BindValue, Context, Policy, StatementKind};
use haltsql_weakened::weaken::{Switch, activate};

use crate::run::Subject;

/// What is needed of a verdict.
#[derive(Clone, Debug)]
pub struct Judged {
    /// It may run.
    pub allowed: bool,
    /// The codes of the reasons, in their order.
    pub codes: Vec<&'static str>,
    /// The first reason's message.
    pub message: String,
    /// What to bind.
    pub bind: Vec<BindParam>,
    /// The tables that it reads or writes.
    pub tables: Vec<String>,
    /// What it is, where it is one statement of a kind that can be allowed.
    pub kind: Option<StatementKind>,
}

/// One policy for one caller, in both builds of the core.
pub struct Judge {
    shipped: (Policy, Context),
    weakened: (haltsql_weakened::Policy, haltsql_weakened::Context),
}

impl Judge {
    /// Loads a policy and a context.
    ///
    /// # Errors
    /// One of them is invalid.
    pub fn new(policy: &str, context: &serde_json::Value) -> Result<Self, String> {
        let json = context.to_string();
        Ok(Judge {
            shipped: (
                Policy::from_yaml(policy).map_err(|error| error.to_string())?,
                Context::from_json(&json).map_err(|error| error.to_string())?,
            ),
            weakened: (
                haltsql_weakened::Policy::from_yaml(policy).map_err(|error| error.to_string())?,
                haltsql_weakened::Context::from_json(&json).map_err(|error| error.to_string())?,
            ),
        })
    }

    /// The value of search_path that the policy wants.
    #[must_use]
    pub fn search_path(&self) -> String {
        self.shipped.0.search_path_value()
    }

    /// The policy's normal form.
    #[must_use]
    pub fn normal_form(&self) -> &str {
        self.shipped.0.normal_form()
    }

    /// The verdict of what ships.
    #[must_use]
    pub fn check(&self, sql: &str) -> Judged {
        let verdict = self.shipped.0.check(sql.as_bytes(), &self.shipped.1);
        Judged {
            allowed: verdict.allowed,
            codes: verdict.reasons.iter().map(|reason| reason.code.as_str()).collect(),
            message: verdict.reasons.first().map_or_else(String::new, |reason| reason.message.clone()),
            bind: verdict.bind_params,
            tables: verdict.tables,
            kind: verdict.statement_kind,
        }
    }

    /// The verdict with the rule left out that [`weaken`] named.
    #[must_use]
    pub fn check_weakened(&self, sql: &str) -> Judged {
        let verdict = self.weakened.0.check(sql.as_bytes(), &self.weakened.1);
        let bind = verdict.bind_params.into_iter().map(|bind| BindParam {
            param: bind.param,
            value: match bind.value {
                haltsql_weakened::BindValue::One(value) => BindValue::One(value),
                haltsql_weakened::BindValue::Many(values) => BindValue::Many(values),
            },
            ty: bind.ty,
        });
        Judged {
            allowed: verdict.allowed,
            codes: verdict.reasons.iter().map(|reason| reason.code.as_str()).collect(),
            message: verdict.reasons.first().map_or_else(String::new, |reason| reason.message.clone()),
            bind: bind.collect(),
            tables: verdict.tables,
            kind: verdict.statement_kind.map(|kind| match kind {
                haltsql_weakened::StatementKind::Select => StatementKind::Select,
                haltsql_weakened::StatementKind::Insert => StatementKind::Insert,
                haltsql_weakened::StatementKind::Update => StatementKind::Update,
                haltsql_weakened::StatementKind::Delete => StatementKind::Delete,
            }),
        }
    }
}

/// Rules of writes: leaving them out shows in no query.
const OF_WRITES: &[&str] = &[
    "WriteAnyTable",
    "WriteAnyColumn",
    "WriteTarget",
    "TargetIsCte",
    "InsertAnyTenant",
    "InsertNoTenant",
    "InsertFirstRow",
    "InsertByPosition",
    "SetAnyTenant",
    "SetSeveral",
    "ConflictUpdate",
    "ConflictAnywhere",
    "ReturningDefault",
    "ReturningStarOfTarget",
    "Overriding",
    "WriteInWith",
];

/// The names of the rules that can be left out: those of names and proofs, or those of writes.
#[must_use]
pub fn switches(subject: Subject) -> Vec<&'static str> {
    let writes = subject == Subject::Writes;
    all().filter(|name| OF_WRITES.contains(name) == writes).collect()
}

fn all() -> impl Iterator<Item = &'static str> {
    Switch::ALL.iter().map(|switch| switch.name())
}

/// Leaves a rule out, for the whole process.
///
/// # Errors
/// There is none of that name.
pub fn weaken(name: &str) -> Result<(), String> {
    let found = Switch::ALL.iter().find(|switch| switch.name().eq_ignore_ascii_case(name));
    let switch = found
        .ok_or_else(|| format!("there is no switch `{name}`; there are {}", all().collect::<Vec<_>>().join(", ")))?;
    activate(Some(*switch));
    Ok(())
}
