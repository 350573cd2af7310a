//! One level's join tree, cut into scopes: the regions in which a condition constrains the relations that it names.
//!
//! WHERE and the ONs of inner joins make one scope; the nullable side of each outer join that cannot be reduced is a scope
//! of its own, in which that join's ON holds; both sides of a FULL join are scopes in which nothing of it holds. Outer
//! joins are reduced first: a relation that must be present turns the join that could null-extend it into a stricter one
//! (as `reduce_outer_joins` does in PostgreSQL's planner).

use crate::resolve::tree::{Join, JoinId, JoinKind, RelId, Tree};

use super::atoms::Atom;
use crate::weaken::{Switch, weak};

/// A region, by its position in [`Scopes::all`].
pub type ScopeId = u32;

/// The regions of one level.
#[derive(Default)]
pub struct Scopes {
    /// The joins whose ON holds in each region; the first region has WHERE too.
    pub all: Vec<Vec<JoinId>>,
    /// Of each FULL join that stayed one or became another: the region that it stands in.
    pub fulls: Vec<(JoinId, ScopeId)>,
}

/// Cuts a level's FROM into regions.
///
/// `strong`: by relation, which must be present in every row that passes WHERE; what the reduction finds is added.
/// `home`: by relation, receives its region.
pub fn cut(tree: &Tree<'_>, from: &[JoinId], ons: &[Vec<Atom>], strong: &mut [bool], home: &mut [ScopeId]) -> Scopes {
    let mut cutter = Cutter { tree, ons, strong, home, scopes: Scopes { all: vec![Vec::new()], fulls: Vec::new() } };
    let mut open: Vec<(JoinId, ScopeId)> = from.iter().rev().map(|join| (*join, 0)).collect();
    while let Some((join, scope)) = open.pop() {
        cutter.node(join, scope, &mut open);
    }
    cutter.scopes
}

struct Cutter<'c, 't, 'a> {
    tree: &'t Tree<'a>,
    ons: &'c [Vec<Atom>],
    strong: &'c mut [bool],
    home: &'c mut [ScopeId],
    scopes: Scopes,
}

impl Cutter<'_, '_, '_> {
    fn node(&mut self, id: JoinId, scope: ScopeId, open: &mut Vec<(JoinId, ScopeId)>) {
        match self.tree.joins.get(id.at()) {
            Some(Join::Leaf(rel)) => {
                if let Some(home) = self.home.get_mut(rel.at()) {
                    *home = scope;
                }
            }
            Some(Join::Node { kind, left, right, .. }) => {
                if *kind == JoinKind::Full {
                    self.scopes.fulls.push((id, scope));
                }
                let reduced = self.reduced(*kind, *left, *right);
                let everywhere = match reduced {
                    JoinKind::Inner => false,
                    JoinKind::Left | JoinKind::Right => weak(Switch::OnBothSides),
                    JoinKind::Full => weak(Switch::FullOn),
                };
                if everywhere {
                    self.holds(id, scope);
                    open.push((*right, scope));
                    open.push((*left, scope));
                    return;
                }
                let (left_scope, right_scope) = match reduced {
                    JoinKind::Inner => {
                        self.holds(id, scope);
                        self.assume(id, None);
                        (scope, scope)
                    }
                    JoinKind::Left => (scope, self.nullable(id, *right)),
                    JoinKind::Right => (self.nullable(id, *left), scope),
                    JoinKind::Full => (self.fresh(), self.fresh()),
                };
                open.push((*right, right_scope));
                open.push((*left, left_scope));
            }
            None => {}
        }
    }

    /// The kind of join that is left when no null-extended row of a strong side can survive.
    fn reduced(&self, kind: JoinKind, left: JoinId, right: JoinId) -> JoinKind {
        match kind {
            JoinKind::Inner => JoinKind::Inner,
            JoinKind::Left if self.is_strong(right) => JoinKind::Inner,
            JoinKind::Left => JoinKind::Left,
            JoinKind::Right if self.is_strong(left) => JoinKind::Inner,
            JoinKind::Right => JoinKind::Right,
            JoinKind::Full => match (self.is_strong(left), self.is_strong(right)) {
                (true, true) => JoinKind::Inner,
                (true, false) => JoinKind::Left,
                (false, true) => JoinKind::Right,
                (false, false) => JoinKind::Full,
            },
        }
    }

    /// The region of a nullable side: the join's ON holds in it, and may make relations of that side strong, no others.
    fn nullable(&mut self, join: JoinId, side: JoinId) -> ScopeId {
        let scope = self.fresh();
        self.holds(join, scope);
        let mut members = Vec::new();
        each_rel(self.tree, side, &mut |rel| members.push(rel));
        self.assume(join, Some(&members));
        scope
    }

    fn fresh(&mut self) -> ScopeId {
        self.scopes.all.push(Vec::new());
        ScopeId::try_from(self.scopes.all.len() - 1).unwrap_or(ScopeId::MAX)
    }

    fn holds(&mut self, join: JoinId, scope: ScopeId) {
        if let Some(joins) = self.scopes.all.get_mut(scope as usize) {
            joins.push(join);
        }
    }

    /// Marks the relations that a join's ON makes strong, of these members only.
    fn assume(&mut self, join: JoinId, members: Option<&[RelId]>) {
        let mut rels = Vec::new();
        for atom in self.ons.get(join.at()).into_iter().flatten() {
            presence(atom, &mut rels);
        }
        for rel in rels {
            if members.is_none_or(|members| members.contains(&rel))
                && let Some(strong) = self.strong.get_mut(rel.at())
            {
                *strong = true;
            }
        }
    }

    fn is_strong(&self, join: JoinId) -> bool {
        let mut any = false;
        each_rel(self.tree, join, &mut |rel| any |= self.strong.get(rel.at()).copied().unwrap_or(false));
        any
    }
}

/// The relations of a join tree.
fn each_rel(tree: &Tree<'_>, join: JoinId, then: &mut impl FnMut(RelId)) {
    let mut open = vec![join];
    while let Some(join) = open.pop() {
        match tree.joins.get(join.at()) {
            Some(Join::Leaf(rel)) => then(*rel),
            Some(Join::Node { left, right, .. }) => open.extend([*left, *right]),
            None => {}
        }
    }
}

/// The relations that an atom shows to be present. (One about a tenant column has its [`Atom::Present`] beside it.)
pub fn presence(atom: &Atom, out: &mut Vec<RelId>) {
    match atom {
        Atom::Present(rel) => out.push(*rel),
        Atom::Pin(..) | Atom::Equal(..) | Atom::InQuery(..) => {}
        Atom::Either(branches) => out.extend(common(branches)),
    }
}

/// The relations that every branch shows to be present.
fn common(branches: &[Vec<Atom>]) -> Vec<RelId> {
    let mut branches = branches.iter().map(|branch| {
        let mut rels = Vec::new();
        branch.iter().for_each(|atom| presence(atom, &mut rels));
        rels
    });
    let mut all = branches.next().unwrap_or_default();
    for branch in branches {
        all.retain(|rel| branch.contains(rel));
    }
    all
}
