//! WITH: which CTE a name means, recursion, SEARCH and CYCLE.
//!
//! A CTE is in scope after its definition; under RECURSIVE every CTE of the list is in scope in all of them, so a body is
//! resolved when the first reference asks for it.

use pg_query::protobuf as pg;

use super::scope::{CteEntry, CteFrame, CteState};
use super::shape::{ClauseNode, Shape, WriteNode, clause_node, shape, string};
use super::tree::{Cte, CteId, LevelId, Loc, Refused};
use super::{Resolver, loc};
use crate::weaken::{Switch, weak};

impl<'a> Resolver<'a> {
    /// Resolves a WITH list; the frame stays in force until [`Self::leave_with`].
    pub(super) fn enter_with(&mut self, clause: Option<&'a pg::WithClause>) {
        let (scopes, aggregates) = (self.scopes.len(), self.aggregates.len());
        let mut frame = CteFrame { entries: Vec::new(), recursive: false, scopes, aggregates };
        let Some(pg::WithClause { ctes, recursive, location: _ }) = clause else {
            self.frames.push(frame);
            return;
        };
        frame.recursive = *recursive;
        for node in ctes {
            let Some(ClauseNode::CommonTableExpr(node)) = clause_node(node) else {
                self.refuse(None, Refused::Unsupported("a WITH item that is no common table expression"));
                continue;
            };
            let id = CteId(super::index(self.tree.ctes.len()));
            let pg::CommonTableExpr {
                ctename,
                aliascolnames,
                ctematerialized,
                ctequery: _,
                search_clause,
                cycle_clause,
                location,
                cterecursive: _,
                cterefcount: _,
                ctecolnames: _,
                ctecoltypes: _,
                ctecoltypmods: _,
                ctecolcollations: _,
            } = node;
            let search = search_clause.iter().map(|clause| &*clause.search_seq_column);
            let cycle = cycle_clause.iter().flat_map(|it| [&*it.cycle_mark_column, &*it.cycle_path_column]);
            let owner = self.level_id();
            self.tree.ctes.push(Cte {
                name: ctename,
                level: None,
                owner,
                names: aliascolnames.iter().filter_map(string).collect(),
                extra: search.chain(cycle).collect(),
                uses: 0,
                materialized: *ctematerialized == pg::CteMaterialize::Always as i32,
                recursive: false,
                loc: loc(*location),
            });
            frame.entries.push(CteEntry { id, name: &node.ctename, node, state: CteState::Pending });
        }
        let (at, count) = (self.frames.len(), frame.entries.len());
        self.frames.push(frame);
        for entry in 0..count {
            if self.cte_state(at, entry) == Some(CteState::Pending) {
                self.resolve_cte(at, entry);
            }
        }
    }

    /// Ends the WITH list that [`Self::enter_with`] began.
    pub(super) fn leave_with(&mut self) {
        self.frames.pop();
    }

    fn cte_state(&self, frame: usize, entry: usize) -> Option<CteState> {
        self.frames.get(frame)?.entries.get(entry).map(|entry| entry.state)
    }

    fn set_cte_state(&mut self, frame: usize, entry: usize, state: CteState) {
        if let Some(entry) = self.frames.get_mut(frame).and_then(|frame| frame.entries.get_mut(entry)) {
            entry.state = state;
        }
    }

    /// Resolves one CTE's query. It sees what its WITH list sees, wherever the reference stands that asked for it.
    pub(super) fn resolve_cte(&mut self, frame: usize, entry: usize) {
        let Some(found) = self.frames.get(frame) else { return };
        let (scopes, aggregates, recursive) = (found.scopes, found.aggregates, found.recursive);
        let Some(found) = found.entries.get(entry) else { return };
        let (id, node) = (found.id, found.node);
        self.set_cte_state(frame, entry, CteState::InProgress);
        let inner_scopes = self.scopes.split_off(scopes.min(self.scopes.len()));
        let inner_frames = self.frames.split_off(frame + 1);
        let inner_aggregates = self.aggregates.split_off(aggregates.min(self.aggregates.len()));
        let level = self.cte_query(node, id, recursive.then_some((frame, entry)));
        self.aggregates.extend(inner_aggregates);
        self.frames.extend(inner_frames);
        self.scopes.extend(inner_scopes);
        self.set_cte_state(frame, entry, CteState::Done);
        self.cte_names(node, id, level);
    }

    fn cte_query(
        &mut self,
        node: &'a pg::CommonTableExpr,
        id: CteId,
        recursion: Option<(usize, usize)>,
    ) -> Option<LevelId> {
        let at = loc(node.location);
        let query = node.ctequery.as_deref()?;
        match shape(query) {
            Shape::Clause(ClauseNode::SelectStmt(select)) => {
                Some(self.select_in(select, recursion.map(|place| (id, place))))
            }
            Shape::Write(WriteNode::Insert(_) | WriteNode::Update(_) | WriteNode::Delete(_) | WriteNode::Merge) => {
                if !weak(Switch::WriteInWith) {
                    self.refuse(at, Refused::WriteInRead);
                }
                None
            }
            Shape::Clause(_) | Shape::Expr(_) | Shape::From(_) | Shape::Other => {
                self.refuse(at, Refused::Unsupported("a common table expression that is no SELECT"));
                None
            }
        }
    }

    /// The recursive term is about to be resolved: what came before names and feeds the columns.
    pub(super) fn begin_recursion(&mut self, id: CteId, (frame, entry): (usize, usize), level: LevelId) {
        if let Some(cte) = self.tree.ctes.get_mut(id.at()) {
            cte.level = Some(level);
        }
        self.set_cte_state(frame, entry, CteState::Recursing);
    }

    /// The recursive term is resolved.
    pub(super) fn end_recursion(&mut self, (frame, entry): (usize, usize)) {
        self.set_cte_state(frame, entry, CteState::InProgress);
    }

    /// Gives the CTE its query and column names.
    fn cte_names(&mut self, node: &'a pg::CommonTableExpr, id: CteId, level: Option<LevelId>) {
        let at = loc(node.location);
        let names = node.aliascolnames.len();
        if let Some(level) = level
            && names > 0
        {
            self.need_positions(level, names);
        }
        self.search_and_cycle(node, level, at);
        if let Some(cte) = self.tree.ctes.get_mut(id.at()) {
            cte.level = level;
        }
    }

    /// Judges the columns and constants that SEARCH and CYCLE name.
    fn search_and_cycle(&mut self, node: &'a pg::CommonTableExpr, level: Option<LevelId>, at: Loc) {
        let mut named = Vec::new();
        if let Some(clause) = &node.search_clause {
            let pg::CteSearchClause { search_col_list, search_breadth_first: _, search_seq_column: _, location: _ } =
                clause;
            named.extend(search_col_list.iter().filter_map(string));
        }
        if let Some(clause) = &node.cycle_clause {
            let pg::CteCycleClause {
                cycle_col_list,
                cycle_mark_column: _,
                cycle_mark_value,
                cycle_mark_default,
                cycle_path_column: _,
                location: _,
                cycle_mark_type: _,
                cycle_mark_typmod: _,
                cycle_mark_collation: _,
                cycle_mark_neop: _,
            } = &**clause;
            named.extend(cycle_col_list.iter().filter_map(string));
            for constant in [cycle_mark_value, cycle_mark_default].into_iter().flatten() {
                self.expr(constant);
            }
        }
        if let Some(level) = level.and_then(|level| self.tree.level(level)) {
            let aliases: Vec<&str> = node.aliascolnames.iter().filter_map(string).collect();
            let known = |name: &str| {
                level.open
                    || level
                        .outputs
                        .iter()
                        .enumerate()
                        .any(|(at, output)| aliases.get(at).copied().unwrap_or(output.name) == name)
            };
            if let Some(unknown) = named.iter().find(|name| !known(name)).copied() {
                self.refuse(at, Refused::Column(unknown.to_owned(), None));
            }
        }
    }
}
