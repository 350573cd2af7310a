//! Relation names: which table or CTE a name in FROM binds to.

use pg_query::protobuf as pg;

use super::scope::CteState;
use super::tree::{List, Loc, Reach, Refused, RelKind};
use super::{Resolver, loc};
use crate::weaken::{Switch, weak};

impl<'a> Resolver<'a> {
    /// What a relation name stands for.
    pub(super) fn relation(&mut self, node: &'a pg::RangeVar) -> RelKind<'a> {
        self.named_relation(node, true)
    }

    /// What the name of a write's target stands for: never a CTE.
    pub(super) fn target_relation(&mut self, node: &'a pg::RangeVar) -> RelKind<'a> {
        self.named_relation(node, weak(Switch::TargetIsCte))
    }

    fn named_relation(&mut self, node: &'a pg::RangeVar, or_cte: bool) -> RelKind<'a> {
        let pg::RangeVar { catalogname, schemaname, relname, inh: _, relpersistence: _, alias: _, location } = node;
        let at = loc(*location);
        if !catalogname.is_empty() {
            return self.refuse_rel(at, Refused::Table(format!("{catalogname}.{schemaname}.{relname}")));
        }
        if schemaname.is_empty() {
            return self.unqualified(relname, or_cte, at);
        }
        if is_system_schema(schemaname) {
            return self.refuse_rel(at, Refused::SystemCatalog(format!("{schemaname}.{relname}")));
        }
        match self.policy().table(schemaname, relname) {
            Some((table, _)) => RelKind::Table(super::index(table)),
            None => self.refuse_rel(at, Refused::Table(format!("{schemaname}.{relname}"))),
        }
    }

    fn unqualified(&mut self, name: &'a str, or_cte: bool, at: Loc) -> RelKind<'a> {
        if or_cte && let Some(found) = self.cte_named(name, at) {
            return found;
        }
        // pg_catalog is implicit and first, and every relation in it begins so.
        if name.starts_with("pg_") {
            return self.refuse_rel(at, Refused::SystemCatalog(name.to_owned()));
        }
        let policy = self.policy();
        let mut path = policy.search_path.iter();
        let first = path.next().and_then(|schema| policy.table(schema, name));
        let further = || path.find_map(|schema| policy.table(schema, name)).map(|(_, table)| &*table.display);
        match first {
            Some((table, listed)) => {
                if policy.require_qualified {
                    self.refuse(at, Refused::Unqualified(name, Some(&listed.display)));
                }
                RelKind::Table(super::index(table))
            }
            None if policy.search_path.is_empty() => {
                let mut listed = policy.tables.iter().filter(|table| table.name == *name);
                let qualified = match (listed.next(), listed.next()) {
                    (Some(table), None) => Some(&*table.display),
                    (_, _) => None,
                };
                self.refuse_rel(at, Refused::Unqualified(name, qualified))
            }
            None if weak(Switch::LaterSchema) => {
                let later = policy.search_path.iter().find_map(|schema| policy.table(schema, name));
                later.map_or(RelKind::Unknown, |(table, _)| RelKind::Table(super::index(table)))
            }
            None => match { further }() {
                // FAIL-CLOSED: an unlisted relation of an earlier schema could stand before it.
                Some(display) => self.refuse_rel(at, Refused::Unqualified(name, Some(display))),
                None => self.refuse_rel(at, Refused::Table(name.to_owned())),
            },
        }
    }

    /// The CTE of that name in force, resolved now if it stands further down in a WITH RECURSIVE list.
    fn cte_named(&mut self, name: &str, at: Loc) -> Option<RelKind<'a>> {
        let (frame, entry) = self.frames.iter().enumerate().rev().find_map(|(at, frame)| {
            let visible = |state| match state {
                CteState::Pending => frame.recursive && !weak(Switch::ForwardCte),
                CteState::InProgress => frame.recursive || weak(Switch::CteScope),
                CteState::Recursing | CteState::Done => true,
            };
            let entry = frame.entries.iter().position(|entry| entry.name == name && visible(entry.state))?;
            Some((at, entry))
        })?;
        let found = self.frames.get(frame)?.entries.get(entry)?;
        let (id, state) = (found.id, found.state);
        match state {
            CteState::Recursing => {
                if let Some(cte) = self.tree.ctes.get_mut(id.at()) {
                    cte.recursive = true;
                }
                return Some(RelKind::SelfRef(id));
            }
            CteState::InProgress if weak(Switch::CteScope) && !self.frames.get(frame)?.recursive => {
                let table = self.policy().search_path.first().and_then(|schema| self.policy().table(schema, name));
                let columns =
                    table.map_or_else(Vec::new, |(_, table)| table.columns.iter().map(|c| &*c.name).collect());
                return Some(RelKind::Function { columns, reach: Reach::Exact, args: List::default() });
            }
            CteState::InProgress => {
                let what = Refused::Unsupported("a recursion through another CTE, or outside the last arm of a UNION");
                return Some(self.refuse_rel(at, what));
            }
            CteState::Pending => self.resolve_cte(frame, entry),
            CteState::Done => {}
        }
        if let Some(cte) = self.tree.ctes.get_mut(id.at()) {
            cte.uses += 1;
        }
        Some(RelKind::Cte(id))
    }

    fn refuse_rel(&mut self, at: Loc, what: Refused<'a>) -> RelKind<'a> {
        self.refuse(at, what);
        RelKind::Unknown
    }
}

/// Schemas that no policy can open.
fn is_system_schema(name: &str) -> bool {
    name == "information_schema" || name.starts_with("pg_")
}
