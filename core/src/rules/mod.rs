//! Rules: each reads the resolved form and the facts, and adds reasons. One file per rule, named like its identifier:
//! `tenancy.predicate` is `tenancy/predicate.rs`.
//!
//! Receives what `resolve` and `facts` found, returns reasons in the verdict's order. Rules never see the syntax tree, and
//! never each other.

mod clauses;
mod columns;
mod functions;
mod limits;
mod operators;
mod params;
mod place;
mod repairs;
mod sql;
mod statement;
mod tables;
mod tenancy;
mod types;
mod words;
mod writes;

use crate::facts::Facts;
use crate::facts::caller::Caller;
use crate::reason::{Reason, ReasonCode};
use crate::repair::Repair;
use crate::resolve::tree::{Loc, Tree};

pub use statement::kind::{Statement, refused_kind};
pub use tenancy::context::missing_context;

/// What a rule looks at.
pub struct Case<'c, 'a> {
    /// The resolved statement.
    pub tree: &'c Tree<'a>,
    /// What is known of it.
    pub facts: &'c Facts,
    /// Who asks.
    pub caller: &'c Caller,
    /// The text's tokens, scanned when the first rule asks for a keyword's place.
    places: place::Places<'a>,
}

/// Every reason to deny a resolved statement, in the verdict's order.
pub fn judge(tree: &Tree<'_>, facts: &Facts, caller: &Caller) -> Vec<Reason> {
    let case = Case { tree, facts, caller, places: place::Places::new(tree.sql) };
    let mut reasons = Vec::new();
    for rule in RULES {
        rule(&case, &mut reasons);
    }
    sort(&mut reasons);
    reasons
}

/// What mends a resolved statement by insertions alone.
pub fn mend(tree: &Tree<'_>, facts: &Facts, caller: &Caller) -> Vec<Repair> {
    repairs::repairs(&Case { tree, facts, caller, places: place::Places::new(tree.sql) })
}

/// Puts reasons in the verdict's order, each once.
pub fn sort(reasons: &mut Vec<Reason>) {
    reasons.sort_by(|a, b| a.sort_key().cmp(&b.sort_key()));
    reasons.dedup();
}

type Rule = fn(&Case<'_, '_>, &mut Vec<Reason>);

const RULES: &[Rule] = &[
    sql::supported::check,
    statement::into::check,
    statement::locking::check,
    tables::allow::check,
    tables::catalog::check,
    tables::qualified::check,
    columns::allow::check,
    columns::resolve::check,
    columns::star::check,
    columns::whole_row::check,
    columns::system::check,
    columns::natural::check,
    columns::alias_list::check,
    functions::allow::check,
    operators::allow::check,
    types::allow::check,
    types::collation::check,
    tenancy::predicate::check,
    tenancy::value::check,
    tenancy::bound::check,
    tenancy::write::check,
    params::bound::check,
    params::conflict::check,
    limits::require_limit::check,
    limits::max_limit::check,
    limits::cartesian::check,
    limits::recursive::check,
    limits::complexity::check,
    writes::tables::check,
    writes::columns::check,
    writes::shape::check,
    writes::cte::check,
];

/// Builds a reason.
fn reason(code: ReasonCode, loc: Loc, message: impl Into<String>, hint: impl Into<Option<String>>) -> Reason {
    Reason { code, message: one_line(message.into()), loc, hint: hint.into() }
}

/// A message is one line, whatever the names of the text hold. (A hint gives them as they have to be written.)
fn one_line(message: String) -> String {
    if !message.contains(char::is_control) {
        return message;
    }
    let spelled = |char: char| if char.is_control() { char.escape_default().to_string() } else { char.to_string() };
    message.chars().map(spelled).collect()
}
