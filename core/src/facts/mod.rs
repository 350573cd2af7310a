//! Facts: what is known of a resolved statement beyond its form. What each tenant column is proven to equal, what each `$n`
//! is, which relations conditions tie together.
//!
//! Receives the resolved form and who is asking; returns findings. Never sees the syntax tree, never words a reason.

mod atoms;
pub mod caller;
mod columns;
mod defer;
mod forms;
mod linked;
mod local;
mod lossy;
pub mod params;
mod scopes;
mod solve;
pub mod ties;
mod value;
pub mod writes;

use std::collections::BTreeMap;

use crate::resolve::tree::{Loc, Rel, RelId, RelKind, Tree};
use crate::weaken::{Switch, weak};

use atoms::Atoms;
use caller::Caller;
use columns::Columns;
use params::ParamFacts;
pub use params::{BindParam, BindValue};
use solve::Solver;
use value::Quality;
use writes::ForeignWrite;

/// What is known of a statement.
#[derive(Debug, Default)]
pub struct Facts {
    /// References to tenant tables whose scope does not prove them the caller's.
    pub unproven: Vec<Unproven>,
    /// Tenant columns that a write may give another value than the caller's.
    pub foreign_writes: Vec<ForeignWrite>,
    /// What each `$n` is.
    pub params: ParamFacts,
}

/// A reference to a tenant table that is not proven for a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unproven {
    /// The reference.
    pub rel: RelId,
    /// The key, by its position in the policy.
    pub key: usize,
    /// What is missing.
    pub lack: Lack,
}

/// What a proof lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// A predicate.
    Predicate,
    /// `$n` in place of a constant: where that stands.
    Param(Loc),
    /// The caller's value in place of another: where that stands, and the relation's column that is compared with it.
    Value(Loc, Option<(RelId, u32)>),
}

impl Facts {
    /// Finds out everything that rules ask about a statement.
    pub fn new(tree: &Tree<'_>, caller: &Caller) -> Self {
        let mut columns = Columns::new(tree, caller, BTreeMap::new());
        // What a `$n` carries says which columns it feeds, and these are compared with others in turn.
        if params::any_in_output(&columns) {
            let mut carried = params::params(&mut columns).carried;
            let linked = linked::linked(tree, caller, &carried);
            carried.extend(&linked);
            columns = Columns::new(tree, caller, carried);
            columns.linked = linked;
        }
        let obligations = obligations(&mut columns);
        let (mut unproven, mut foreign_writes) = (Vec::new(), Vec::new());
        if !obligations.is_empty() || tree.write.is_some() {
            (unproven, foreign_writes) = prove(&mut columns, obligations);
        }
        Facts { unproven, foreign_writes, params: params::params(&mut columns) }
    }
}

/// A tenant table's reference, a key that it carries, and the column that carries it.
type Obligation = (RelId, usize, columns::ColumnId);

/// Every reference to a tenant table, for every key that it carries and that the context has a value for.
fn obligations(columns: &mut Columns<'_, '_>) -> Vec<Obligation> {
    let tree = columns.tree;
    let mut found = Vec::new();
    for (at, rel) in (0..).zip(&tree.rels) {
        let RelKind::Table(table) = rel.kind else { continue };
        let beside_itself = |other: &Rel<'_>| other.level == rel.level && matches!(other.kind, RelKind::SelfRef(_));
        if weak(Switch::RecursiveTerm) && tree.rels.iter().any(beside_itself) {
            continue;
        }
        // The rows of INSERT are new; what they hold is for `foreign_writes` to find out.
        if tree.is_inserted(RelId(at)) || tree.is_target(RelId(at)) && weak(Switch::WriteTarget) {
            continue;
        }
        let Some(table) = tree.policy.tables.get(table as usize) else { continue };
        for (key, column) in table.tenant_columns.iter().enumerate() {
            let has_value = columns.caller.keys.get(key).is_some_and(|key| key.values.is_some());
            let column = column.and_then(|column| u32::try_from(column).ok());
            if let (Some(column), true) = (column, has_value)
                && let Some(id) = columns.of_rel(RelId(at), column, key)
            {
                found.push((RelId(at), key, id));
            }
        }
    }
    found
}

/// What of the obligations the statement does not prove, and what it lacks; what it writes into tenant columns.
fn prove(columns: &mut Columns<'_, '_>, mut open: Vec<Obligation>) -> (Vec<Unproven>, Vec<ForeignWrite>) {
    let atoms = Atoms::new(columns);
    let mut members = vec![Vec::new(); columns.tree.levels.len()];
    for (at, rel) in (0..).zip(&columns.tree.rels) {
        if let Some(members) = members.get_mut(rel.level.at()) {
            members.push(RelId(at));
        }
    }
    let all = open.clone();
    let (mut unproven, mut foreign_writes) = (Vec::new(), Vec::new());
    // The rows of INSERT may rest on facts that no obligation needs: the fixpoint has to go to its end.
    let fed = writes::ask(columns);
    for tolerance in [Quality::Own, Quality::Literal, Quality::Foreign] {
        // What no value of that quality could help need not be tried.
        if tolerance > Quality::Own
            && (tolerance > atoms.worst || (tolerance == Quality::Literal && !columns.caller.bound))
        {
            continue;
        }
        let mut solver = Solver::new(columns, &atoms, &members, tolerance);
        let early = !fed || tolerance > Quality::Own;
        solver.run(|solver| early && all.iter().all(|(_, _, column)| solver.proven(*column).is_some()));
        if tolerance == Quality::Own {
            foreign_writes = writes::foreign_writes(&mut solver);
        }
        let mut left = Vec::new();
        for (rel, key, column) in open {
            match solver.proven(column) {
                None => left.push((rel, key, column)),
                Some(cause) => match tolerance {
                    Quality::Own => {}
                    Quality::Literal => {
                        let loc = cause.foreign.and_then(|value| value.loc);
                        unproven.push(Unproven { rel, key, lack: Lack::Param(loc) });
                    }
                    Quality::Foreign => {
                        let loc = cause.foreign.and_then(|value| value.loc);
                        let compared = cause.foreign.and_then(|value| solver.columns.source_of(value.column?));
                        unproven.push(Unproven { rel, key, lack: Lack::Value(loc, compared) });
                    }
                },
            }
        }
        open = left;
        if open.is_empty() {
            break;
        }
    }
    unproven.extend(open.into_iter().map(|(rel, key, _)| Unproven { rel, key, lack: Lack::Predicate }));
    (unproven, foreign_writes)
}
