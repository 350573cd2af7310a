//! Namespaces: which names are visible where, and what a policy cannot know about them.
//!
//! The hidden-capture trap: a table that is not declared complete may own a column of any name. A name that such a scope
//! does not know must not be looked up further out, because the server would bind it inside.

use std::collections::BTreeMap;

use super::Resolver;
use super::item::{Item, Named, Sought};
use super::tree::{CteId, ExprKind, LevelId, List, Loc, RelId, RelKind};
use pg_query::protobuf as pg;

use crate::weaken::{Switch, weak};

/// The namespace of one level, as far as its FROM is resolved.
pub(super) struct Scope<'a> {
    pub level: LevelId,
    pub items: Vec<Item<'a>>,
    /// Items to the left in the same FROM are visible (inside LATERAL and function arguments).
    pub lateral: bool,
    /// The windows that WINDOW defines, with their PARTITION BY.
    pub windows: Vec<(&'a str, List)>,
}

impl<'a> Scope<'a> {
    /// An empty namespace.
    pub fn new(level: LevelId) -> Self {
        Scope { level, items: Vec::new(), lateral: false, windows: Vec::new() }
    }
}

/// A WITH list in force.
pub(super) struct CteFrame<'a> {
    pub entries: Vec<CteEntry<'a>>,
    pub recursive: bool,
    /// How many scopes enclose the WITH list: a body resolved on demand sees just these.
    pub scopes: usize,
    /// How many aggregates' arguments it stands in: references in its bodies count for these and no others.
    pub aggregates: usize,
}

pub(super) struct CteEntry<'a> {
    pub id: CteId,
    pub name: &'a str,
    pub node: &'a pg::CommonTableExpr,
    pub state: CteState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CteState {
    /// Not resolved yet. Visible already only under RECURSIVE.
    Pending,
    /// Its query is being resolved; a reference is an error.
    InProgress,
    /// Its recursive term is being resolved; a reference is the recursion.
    Recursing,
    Done,
}

/// An aggregate call whose arguments are being resolved.
pub(super) struct Aggregate {
    /// How many scopes there are where it stands.
    pub scopes: usize,
    /// The innermost scope that an argument referred to.
    pub nearest: Option<usize>,
}

/// Relations with more columns than this have an index of their names: a text can name thousands of a thousand.
const FEW_COLUMNS: usize = 24;

/// More holders of a name than these are not looked for: with two it is ambiguous already.
const MANY_HOLDERS: usize = 16;

/// Where each name of a relation stands: its first two positions.
pub(super) type Index<'a> = BTreeMap<&'a str, (usize, Option<usize>)>;

/// What a name means in one relation or scope.
#[derive(Clone)]
pub(super) enum Lookup<'a> {
    /// This column.
    Bound(ExprKind<'a>),
    /// A column that the policy hides.
    Hidden(RelId),
    /// A system column of a table.
    System,
    /// Several columns of that name; the qualifiers that tell them apart, or the first of many.
    Several(Vec<&'a str>),
    /// None.
    Missing,
    /// None that is known, but this relation may have more columns than the policy lists.
    MaybeMissing,
    /// None that is known, but a function's result may be composite and have it.
    MayCapture,
    /// The relation was refused: say no more.
    Silent,
}

/// System columns of every table (PostgreSQL manual, 5.6).
pub(super) fn is_system_column(name: &str) -> bool {
    matches!(name, "ctid" | "xmin" | "xmax" | "cmin" | "cmax" | "tableoid")
}

impl<'a> Resolver<'a> {
    /// Looks a name up in one relation.
    pub(super) fn column_of(&self, rel: RelId, name: &str) -> Lookup<'a> {
        let Some(found) = self.tree.rels.get(rel.at()) else { return Lookup::Silent };
        let bound = |column: usize| Lookup::Bound(ExprKind::Column(rel, super::index(column)));
        match &found.kind {
            RelKind::Unknown => Lookup::Silent,
            RelKind::Table(table) => {
                let Some(table) = self.policy().tables.get(*table as usize) else { return Lookup::Silent };
                match table.column(name) {
                    Some((at, column)) if column.readable || weak(Switch::Hidden) => bound(at),
                    Some(_) => Lookup::Hidden(rel),
                    None if is_system_column(name) && weak(Switch::SystemColumns) => {
                        Lookup::Bound(ExprKind::Other(List::default()))
                    }
                    None if is_system_column(name) => Lookup::System,
                    None if table.complete || weak(Switch::PastIncomplete) => Lookup::Missing,
                    None => Lookup::MaybeMissing,
                }
            }
            RelKind::Derived(_) | RelKind::Cte(_) | RelKind::SelfRef(_) | RelKind::Function { .. } => {
                match self.positions(rel, name) {
                    (Some(at), None) => bound(at),
                    (Some(_), Some(_)) => Lookup::Several(Vec::new()),
                    (None, _) if self.refused_star(rel) => Lookup::Silent,
                    (None, _) if self.tree.may_capture(rel) => Lookup::MayCapture,
                    (None, _) if self.tree.is_open(rel) => Lookup::MaybeMissing,
                    (None, _) => Lookup::Missing,
                }
            }
        }
    }

    /// The first two columns of that name of a relation that is no table.
    fn positions(&self, rel: RelId, name: &str) -> (Option<usize>, Option<usize>) {
        let columns = || (0..).map_while(|at| self.tree.column_name(rel, at));
        if self.tree.column_name(rel, FEW_COLUMNS).is_none() {
            let mut of_that_name = columns().enumerate().filter(|(_, column)| *column == name).map(|(at, _)| at);
            return (of_that_name.next(), of_that_name.next());
        }
        let mut wide = self.wide.borrow_mut();
        let index = wide.entry(rel).or_insert_with(|| {
            let mut index = Index::new();
            for (at, column) in columns().enumerate() {
                index.entry(column).and_modify(|(_, second)| *second = second.or(Some(at))).or_insert((at, None));
            }
            index
        });
        index.get(name).map_or((None, None), |(first, second)| (Some(*first), *second))
    }

    /// A star inside the relation covers something that was refused: its outputs are not all known.
    pub(super) fn refused_star(&self, rel: RelId) -> bool {
        self.tree.source_level(rel).and_then(|level| self.tree.level(level)).is_some_and(|level| level.open)
    }

    /// Looks a name up in what one item stands for.
    pub(super) fn column_in(&self, item: &Item<'a>, name: &str) -> Lookup<'a> {
        match &item.what {
            Named::Rel(rel) => self.column_of(*rel, name),
            Named::Join(items) => self.bare_in(items.iter(), name),
            Named::Merged(columns) => {
                let mut of_that_name = columns.iter().filter(|column| column.name == name);
                match (of_that_name.next(), of_that_name.next()) {
                    (Some(column), None) => Lookup::Bound(column.kind),
                    (Some(_), Some(_)) => Lookup::Several(Vec::new()),
                    (None, _) => Lookup::Missing,
                }
            }
        }
    }

    /// Looks an unqualified name up among items: bound only where exactly one of them is known to have it.
    pub(super) fn bare_in<'i>(&self, items: impl Iterator<Item = &'i Item<'a>>, name: &str) -> Lookup<'a>
    where
        'a: 'i,
    {
        let mut result = Lookup::Missing;
        let mut owner = "";
        let sought = Sought::new(name);
        let mut holders = 0;
        for item in items {
            if !item.may_show(sought) {
                continue;
            }
            let found = self.column_in(item, name);
            result = match (result, found) {
                (before, Lookup::Missing) => before,
                (
                    Lookup::Missing | Lookup::MayCapture | Lookup::MaybeMissing | Lookup::Silent,
                    found @ (Lookup::Bound(_) | Lookup::Hidden(_) | Lookup::System | Lookup::Several(_)),
                ) => {
                    owner = item.name;
                    found
                }
                (Lookup::Missing, found) => found,
                (Lookup::MayCapture, found @ (Lookup::MayCapture | Lookup::MaybeMissing | Lookup::Silent)) => found,
                // A refused relation may own the name: stay silent unless another is known to.
                (Lookup::MaybeMissing, Lookup::Silent) => Lookup::Silent,
                (before, Lookup::MayCapture | Lookup::MaybeMissing | Lookup::Silent) => before,
                (
                    Lookup::Several(mut qualifiers),
                    Lookup::Bound(_) | Lookup::Hidden(_) | Lookup::System | Lookup::Several(_),
                ) => {
                    qualifiers.push(item.name);
                    holders += 1;
                    if holders == MANY_HOLDERS {
                        return Lookup::Several(qualifiers);
                    }
                    Lookup::Several(qualifiers)
                }
                (
                    Lookup::Bound(_) | Lookup::Hidden(_) | Lookup::System,
                    Lookup::Bound(_) | Lookup::Hidden(_) | Lookup::System | Lookup::Several(_),
                ) => Lookup::Several(vec![owner, item.name]),
            };
        }
        result
    }

    /// Looks an unqualified name up in the scope at that position.
    pub(super) fn bare_at(&self, scope: usize, name: &str) -> Lookup<'a> {
        let Some(scope) = self.scopes.get(scope) else { return Lookup::Missing };
        self.bare_in(scope.items.iter().filter(|item| scope.lateral || !item.lateral_only), name)
    }

    /// The item that a qualifier names: the nearest of that name, and the position of its scope.
    pub(super) fn qualified(&self, matches: impl Fn(&Item<'a>) -> bool) -> Option<(usize, &Item<'a>)> {
        self.scopes.iter().enumerate().rev().find_map(|(at, scope)| {
            let item = scope.items.iter().find(|item| (scope.lateral || !item.lateral_only) && matches(item))?;
            Some((at, item))
        })
    }

    /// Notes that something in the current level refers to a relation of the scope at that position.
    pub(super) fn note_reference(&mut self, scope: usize, rel: RelId) {
        self.note_aggregates(scope);
        for inner in self.scopes.iter().skip(scope + 1) {
            if let Some(level) = self.tree.levels.get_mut(inner.level.at())
                && !level.outer_rels.contains(&rel)
            {
                level.outer_rels.push(rel);
            }
        }
    }

    /// Notes that the arguments of the aggregates around refer to the scope at that position.
    pub(super) fn note_aggregates(&mut self, scope: usize) {
        for aggregate in &mut self.aggregates {
            if scope < aggregate.scopes {
                aggregate.nearest = Some(aggregate.nearest.map_or(scope, |nearest| nearest.max(scope)));
            }
        }
    }

    /// A reference from the right side of a RIGHT or FULL join to its left side: the server refuses it.
    pub(super) fn check_lateral(&mut self, scope: usize, rel: RelId, loc: Loc) {
        let illegal = self.scopes.get(scope).is_some_and(|scope| {
            scope.items.iter().any(|item| item.lateral_only && !item.lateral_ok && item.holds(rel))
        });
        if illegal {
            self.refuse(loc, super::tree::Refused::Unsupported("a LATERAL reference across a RIGHT or FULL join"));
        }
    }
}
