//! The tenancy calculus: a least fixpoint over what is known of each tenant column (soundness.md, "Tenancy").
//!
//! Starts from the caller's value alone and assumes nothing, with one exception: a column of a recursive CTE counts as a
//! fact inside its recursive term until the recursive term fails to feed it again; then the assumption is withdrawn with
//! every proof that used it. Every step is sound by itself: it follows from what was known before it.

use crate::resolve::tree::{Body, Join, JoinId, LevelId, RelId, RelKind, Tree};

use super::atoms::{Atom, Atoms};
use super::columns::{ColumnId, Columns, Feed, Source, bit, spoken_for};
use super::local::{Cause, FACT, Foreign, Known, Region, STRICT, View};
use super::scopes::{self, ScopeId, Scopes};
use super::value::Quality;
use crate::weaken::{Switch, weak};

/// One run of the fixpoint, with values up to a quality taken for the caller's.
pub struct Solver<'s, 't, 'a> {
    pub(super) columns: &'s mut Columns<'t, 'a>,
    atoms: &'s Atoms,
    tolerance: Quality,
    /// By relation: the members of each level, so that a level can be solved by itself.
    members: &'s [Vec<RelId>],
    /// By tenant column: every row that leaves the level holds the caller's value in it, or NULL.
    known: Vec<Option<Cause>>,
    /// By level: deferred proofs that count as conjuncts of its WHERE (rule 9).
    deferred: Vec<Vec<(ColumnId, Cause)>>,
    /// By level and output and key: facts that were found.
    facts: Vec<Vec<(usize, usize, Cause)>>,
    /// Assumptions about recursive CTEs that did not hold.
    withdrawn: Vec<ColumnId>,
    strong: Vec<bool>,
    home: Vec<ScopeId>,
    /// By relation: the level that `home` speaks of is being solved now.
    current: Option<LevelId>,
    changed: bool,
}

impl<'s, 't, 'a> Solver<'s, 't, 'a> {
    /// Prepares a run.
    pub fn new(
        columns: &'s mut Columns<'t, 'a>,
        atoms: &'s Atoms,
        members: &'s [Vec<RelId>],
        tolerance: Quality,
    ) -> Self {
        let (levels, rels) = (columns.tree.levels.len(), columns.tree.rels.len());
        Solver {
            columns,
            atoms,
            tolerance,
            members,
            known: Vec::new(),
            deferred: vec![Vec::new(); levels],
            facts: vec![Vec::new(); levels],
            withdrawn: Vec::new(),
            strong: vec![false; rels],
            home: vec![0; rels],
            current: None,
            changed: false,
        }
    }

    /// Runs to the fixpoint; `done` may end it early.
    pub fn run(&mut self, done: impl Fn(&Self) -> bool) {
        loop {
            self.fixpoint(&done);
            if !self.withdraw() {
                return;
            }
            self.known.clear();
            self.deferred.iter_mut().for_each(Vec::clear);
            self.facts.iter_mut().for_each(Vec::clear);
        }
    }

    fn fixpoint(&mut self, done: &impl Fn(&Self) -> bool) {
        let order = &self.columns.tree.order;
        loop {
            self.changed = false;
            let asked = self.columns.asked;
            // Facts flow from the inside out, sources and deferred proofs from the outside in.
            for level in order {
                self.level(*level);
            }
            if done(self) {
                return;
            }
            for level in order.iter().rev() {
                self.level(*level);
            }
            // What was asked for on this pass for the first time is found out on the next.
            let settled = !self.changed && asked == self.columns.asked;
            if settled || done(self) {
                return;
            }
        }
    }

    /// Finds out every fact that follows from what is known, where the fixpoint ended early.
    fn settle(&mut self) {
        let order = &self.columns.tree.order;
        self.changed = true;
        while std::mem::take(&mut self.changed) {
            let asked = self.columns.asked;
            for level in order {
                self.find_facts(*level);
            }
            self.changed |= asked != self.columns.asked;
        }
    }

    /// Withdraws assumptions that did not hold; false if all did.
    fn withdraw(&mut self) -> bool {
        if !self.tree().rels.iter().any(|rel| matches!(rel.kind, RelKind::SelfRef(_))) {
            return false;
        }
        self.settle();
        let mut failed = Vec::new();
        for at in 0..self.columns.all.len() {
            let Some(column) = self.columns.all.get(at).copied() else { continue };
            let id = ColumnId(u32::try_from(at).unwrap_or(u32::MAX));
            let Source::Relation(rel, output) = column.source else { continue };
            if !matches!(self.tree().rel(rel).map(|rel| &rel.kind), Some(RelKind::SelfRef(_)))
                || self.withdrawn.contains(&id)
            {
                continue;
            }
            let holds = self
                .tree()
                .source_level(rel)
                .is_some_and(|level| self.fact(level, output as usize, column.key).is_some());
            if !holds {
                failed.push(id);
            }
        }
        let any = !failed.is_empty() && !weak(Switch::RecursiveFact);
        self.withdrawn.extend(failed);
        any
    }

    fn tree(&self) -> &'t Tree<'a> {
        self.columns.tree
    }

    /// How a column is known; `None`: it isn't.
    pub fn known(&mut self, column: ColumnId) -> Option<Cause> {
        if let Some(Some(cause)) = self.known.get(column.at()) {
            return Some(*cause);
        }
        let found = self.columns.all.get(column.at()).copied()?;
        match found.source {
            Source::Merged(left, right) => {
                let (left, right) = (self.known(left)?, self.known(right)?);
                Some(left.and(right))
            }
            Source::Relation(rel, output) => match self.tree().rel(rel)?.kind {
                RelKind::SelfRef(_) => (!self.withdrawn.contains(&column)).then_some(FACT),
                RelKind::Derived(level) => self.fact(level, output as usize, found.key).map(Cause::fact),
                RelKind::Cte(_) => {
                    self.fact(self.tree().source_level(rel)?, output as usize, found.key).map(Cause::fact)
                }
                // RETURNING sees what was inserted: the caller's value, or `tenancy.write` denies the statement.
                RelKind::Table(_) => self.tree().is_inserted(rel).then_some(STRICT),
                RelKind::Function { .. } | RelKind::Unknown => None,
            },
        }
    }

    fn set_known(&mut self, column: ColumnId, cause: Cause) {
        if self.known.len() <= column.at() {
            self.known.resize(column.at() + 1, None);
        }
        // A strict proof takes the place of one by a fact: it can be deferred.
        if let Some(slot) = self.known.get_mut(column.at())
            && slot.is_none_or(|known| cause.strict && !known.strict)
        {
            *slot = Some(cause);
            self.changed = true;
        }
    }

    /// Whether an output of a level holds the caller's value or NULL in every row (rule 6), as far as it was found out.
    pub(super) fn fact(&self, id: LevelId, output: usize, key: usize) -> Option<Cause> {
        let facts = self.facts.get(id.at())?;
        facts.iter().find(|(at, of, _)| *at == output && *of == key).map(|(_, _, cause)| *cause)
    }

    /// Finds out which outputs of a level are facts: those that something asked for. What feeds them was found out at the
    /// levels that it comes from, or will be on a later pass, so that nothing here goes through more than one level.
    fn find_facts(&mut self, id: LevelId) {
        let asked: Vec<(usize, u64)> = self.columns.tenant_outputs(id).collect();
        for (output, keys) in asked {
            for key in (0..self.columns.caller.keys.len()).filter(|key| keys & bit(*key) != 0) {
                if self.fact(id, output, key).is_none()
                    && let Some(cause) = self.new_fact(id, output, key)
                    && let Some(facts) = self.facts.get_mut(id.at())
                {
                    facts.push((output, key, cause));
                    self.changed = true;
                }
            }
        }
    }

    fn new_fact(&mut self, id: LevelId, output: usize, key: usize) -> Option<Cause> {
        let level = self.tree().level(id)?;
        let mut cause = FACT;
        match &level.body {
            Body::Select { .. } => cause = self.feed(level.outputs.get(output)?.expr?, key)?,
            Body::Values { rows } => {
                for row in rows {
                    let cell = self.tree().list(*row).get(output)?;
                    cause = cause.and(self.feed(*cell, key)?);
                }
            }
            Body::SetOp { arms, .. } => {
                for arm in spoken_for(arms) {
                    cause = cause.and(self.fact(*arm, output, key)?);
                }
            }
        }
        Some(cause)
    }

    fn feed(&mut self, expr: crate::resolve::tree::ExprId, key: usize) -> Option<Cause> {
        match self.columns.feed(expr, key) {
            Feed::Column(column) => self.known(column),
            Feed::Value(value) => self.tolerates(value.quality, Foreign { loc: value.loc, column: None }),
            Feed::Null => Some(FACT),
            Feed::Other => None,
        }
    }

    fn tolerates(&self, quality: Quality, value: Foreign) -> Option<Cause> {
        let foreign = (quality != Quality::Own).then_some(value);
        (quality <= self.tolerance).then_some(Cause { foreign, strict: true })
    }

    /// Draws every conclusion that one level allows.
    fn level(&mut self, id: LevelId) {
        self.conditions(id);
        self.find_facts(id);
    }

    /// Draws every conclusion that one level's conditions allow.
    fn conditions(&mut self, id: LevelId) {
        let Some(level) = self.tree().level(id) else { return };
        let Body::Select { from, .. } = &level.body else { return };
        if from.is_empty() && self.deferred.get(id.at()).is_none_or(Vec::is_empty) {
            return;
        }
        let atoms = self.atoms;
        let members = self.members;
        let own: &[RelId] = members.get(id.at()).map_or(&[], Vec::as_slice);
        for rel in own {
            if let Some(strong) = self.strong.get_mut(rel.at()) {
                *strong = false;
            }
        }
        let top: Vec<&Atom> = [&atoms.filters, &atoms.havings]
            .into_iter()
            .flat_map(|all| all.get(id.at()).into_iter().flatten())
            .collect();
        let mut present = Vec::new();
        top.iter().for_each(|atom| scopes::presence(atom, &mut present));
        let deferred: Vec<(ColumnId, Cause)> = self.deferred.get(id.at()).cloned().unwrap_or_default();
        present.extend(deferred.iter().filter_map(|(column, _)| self.columns.rel_of(*column)));
        for rel in present {
            if let Some(strong) = self.strong.get_mut(rel.at()) {
                *strong = true;
            }
        }
        let scopes = scopes::cut(self.tree(), from, &atoms.ons, &mut self.strong, &mut self.home);
        self.current = Some(id);
        // WHERE first; then the joins as they are written, the outermost of which is cut first: each can use what the ones
        // before it prove.
        let mut in_order: Vec<(ScopeId, &Vec<JoinId>)> = (0..).zip(&scopes.all).collect();
        in_order.get_mut(1..).unwrap_or_default().reverse();
        for (scope, joins) in in_order {
            let mut local = Region::default();
            if scope == 0 {
                for (column, cause) in &deferred {
                    self.conclude(*column, *cause, scope, &scopes, &mut local.known);
                }
            }
            let top: &[&Atom] = if scope == 0 { &top } else { &[] };
            let all: Vec<&Atom> = top
                .iter()
                .copied()
                .chain(joins.iter().rev().flat_map(|join| atoms.ons.get(join.at()).into_iter().flatten()))
                .collect();
            self.close(&all, scope, &scopes, &mut local);
        }
        for rel in own {
            self.defer(*rel);
        }
    }

    /// Applies a region's atoms until nothing new follows.
    fn close(&mut self, atoms: &[&Atom], scope: ScopeId, scopes: &Scopes, region: &mut Region) {
        let mut follows = Vec::new();
        loop {
            let (before, mut or) = (region.known.own().len(), 0);
            let mut changed = false;
            for atom in atoms {
                changed |= self.follows(atom, &region.known, None, (&mut region.ors, &mut or), &mut follows);
                for (column, cause) in follows.drain(..) {
                    self.conclude(column, cause, scope, scopes, &mut region.known);
                }
            }
            if !changed && region.known.own().len() == before {
                return;
            }
        }
    }

    /// A column holds the caller's value wherever a region's conditions hold.
    fn conclude(&mut self, column: ColumnId, cause: Cause, scope: ScopeId, scopes: &Scopes, local: &mut Known) {
        if !local.add(None, column, cause) {
            return;
        }
        match self.columns.all.get(column.at()).map(|column| column.source) {
            Some(Source::Relation(rel, _)) => {
                // Only a relation of this very region is proven: the ON of a LEFT JOIN says nothing of its left side.
                let anywhere = weak(Switch::ClosureIgnoresDirection);
                let at_home = self.is_current(rel) && (anywhere || self.home.get(rel.at()) == Some(&scope));
                if at_home {
                    self.set_known(column, cause);
                }
            }
            // `merged = v`: whichever side is present holds v, and a partner is its equal.
            Some(Source::Merged(left, right)) => {
                let at_home = scopes.fulls.iter().any(|(join, home)| *home == scope && self.merges(*join, left, right));
                for side in [left, right] {
                    self.discharge(side, cause, at_home, local);
                }
            }
            None => {}
        }
    }

    /// One side of a FULL join's merged column that is v: a table's column, or one that a FULL join below merged in turn.
    fn discharge(&mut self, side: ColumnId, cause: Cause, at_home: bool, local: &mut Known) {
        local.add(None, side, cause);
        match self.columns.all.get(side.at()).map(|column| column.source) {
            Some(Source::Merged(left, right)) => {
                self.discharge(left, cause, at_home, local);
                self.discharge(right, cause, at_home, local);
            }
            Some(Source::Relation(_, _)) if at_home && self.is_table(side) => self.set_known(side, cause),
            Some(Source::Relation(_, _)) | None => {}
        }
    }

    fn is_current(&self, rel: RelId) -> bool {
        self.tree().rel(rel).is_some_and(|rel| Some(rel.level) == self.current)
    }

    fn is_table(&self, column: ColumnId) -> bool {
        self.columns
            .rel_of(column)
            .and_then(|rel| self.tree().rel(rel))
            .is_some_and(|rel| matches!(rel.kind, RelKind::Table(_)))
    }

    /// Whether that FULL join merged these two columns.
    fn merges(&mut self, join: JoinId, left: ColumnId, right: ColumnId) -> bool {
        let tree = self.tree();
        let Some(Join::Node { using, .. }) = tree.joins.get(join.at()) else { return false };
        let Some(key) = self.columns.all.get(left.at()).map(|column| column.key) else { return false };
        using.iter().any(|(on_left, on_right)| {
            self.columns.of_expr(*on_left, key) == Some((left, false))
                && self.columns.of_expr(*on_right, key) == Some((right, false))
        })
    }

    /// Whether no outer join of its level null-extends a relation, as far as the last pass found out.
    pub(super) fn is_never_extended(&self, rel: RelId) -> bool {
        self.home.get(rel.at()) == Some(&0)
    }

    fn holds(&mut self, column: ColumnId, local: View<'_>) -> Option<Cause> {
        if let Some(cause) = local.get(column) {
            return Some(cause);
        }
        if let Some(Source::Merged(left, right)) = self.columns.all.get(column.at()).map(|column| column.source) {
            let (left, right) = (self.holds(left, local)?, self.holds(right, local)?);
            return Some(left.and(right));
        }
        let outer = self.columns.rel_of(column).is_some_and(|rel| !self.is_current(rel));
        if outer && weak(Switch::CorrelatedSource) {
            return Some(STRICT);
        }
        self.known(column)
    }

    /// Adds the columns that must hold the caller's value where an atom holds. True if a branch of an OR learnt something
    /// that nothing here shows yet.
    fn follows(
        &mut self,
        atom: &Atom,
        known: &Known,
        around: Option<&View<'_>>,
        (ors, or): (&mut Vec<Vec<Region>>, &mut usize),
        out: &mut Vec<(ColumnId, Cause)>,
    ) -> bool {
        let view = View { known, around };
        match atom {
            Atom::Pin(column, quality, loc) => {
                let value = Foreign { loc: *loc, column: Some(*column) };
                out.extend(self.tolerates(*quality, value).map(|cause| (*column, cause)));
            }
            // PostgreSQL may lose such a condition.
            Atom::Equal(left, right) if self.columns.is_lossy(*left) || self.columns.is_lossy(*right) => {}
            Atom::Equal(left, right) => match (self.holds(*left, view), self.holds(*right, view)) {
                (Some(cause), None) => out.push((*right, cause)),
                (None, Some(cause)) => out.push((*left, cause)),
                // Known elsewhere, but perhaps not concluded here, where they may be at home.
                (Some(left_cause), Some(right_cause)) => out.extend([(*left, right_cause), (*right, left_cause)]),
                (None, None) if weak(Switch::CircularProofs) => out.extend([(*left, STRICT), (*right, STRICT)]),
                (None, None) => {}
            },
            Atom::InQuery(column, level, output) => {
                let key = self.columns.all.get(column.at()).map(|column| column.key);
                let lossy = self
                    .current
                    .zip(key)
                    .is_some_and(|(here, key)| self.columns.is_lossy_in(here, (*level, *output), key));
                let fact = key.filter(|_| !lossy).and_then(|key| self.fact(*level, *output, key));
                out.extend(fact.map(|cause| (*column, cause.fact())));
            }
            Atom::Present(_) => {}
            Atom::Either(branches) => {
                if ors.len() == *or {
                    ors.push(branches.iter().map(|_| Region::default()).collect());
                }
                let regions = ors.get_mut(*or).map_or(&mut [][..], Vec::as_mut_slice);
                *or += 1;
                return self.follows_from_either(branches, regions, &view, out);
            }
        }
        false
    }

    /// OR proves what every branch proves. Each branch is gone through once; the region's loop comes back.
    fn follows_from_either(
        &mut self,
        branches: &[Vec<Atom>],
        regions: &mut [Region],
        around: &View<'_>,
        out: &mut Vec<(ColumnId, Cause)>,
    ) -> bool {
        let mut changed = false;
        let mut found = Vec::new();
        for (branch, region) in branches.iter().zip(regions.iter_mut()) {
            let (before, mut or) = (region.known.own().len(), 0);
            for atom in branch {
                changed |= self.follows(atom, &region.known, Some(around), (&mut region.ors, &mut or), &mut found);
                for (column, cause) in found.drain(..) {
                    region.known.add(Some(around), column, cause);
                }
            }
            changed |= region.known.own().len() > before;
        }
        if weak(Switch::OrUnion) {
            out.extend(regions.iter().flat_map(|region| region.known.own()).copied());
            return changed;
        }
        let Some((first, others)) = regions.split_first() else { return changed };
        for (column, cause) in first.known.own() {
            let all = others.iter().try_fold(*cause, |cause, region| {
                Some(cause.and(View { known: &region.known, around: Some(around) }.get(*column)?))
            });
            out.extend(all.map(|cause| (*column, cause)));
        }
        changed
    }

    /// Adds a deferred proof to a level; [`super::defer`] decides whether it may.
    pub(super) fn add_deferred(&mut self, level: LevelId, column: ColumnId, cause: Cause) {
        if let Some(deferred) = self.deferred.get_mut(level.at())
            && !deferred.iter().any(|(own, _)| *own == column)
        {
            deferred.push((column, cause));
            self.changed = true;
        }
    }

    /// How a column was concluded in its own region, facts aside: a strict proof.
    pub(super) fn proven(&self, column: ColumnId) -> Option<Cause> {
        self.known.get(column.at()).copied().flatten()
    }
}
