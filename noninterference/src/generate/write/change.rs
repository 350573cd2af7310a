//! UPDATE and DELETE: the target, what is joined to it, and the proofs of all of them.

use super::super::expr::Reach;
use super::super::from::{From, Node};
use super::super::prove::Places;
use super::super::{Generator, Want};
use super::Kind;
use crate::world::{Seen, Sharing, Ty};

impl Generator {
    /// An UPDATE or DELETE.
    pub(super) fn change(&mut self, kind: Kind) -> String {
        self.tag(if kind == Kind::Update { "update" } else { "delete" });
        let before = self.ctes.len();
        let with = if self.chance(14) { format!("{} ", self.with()) } else { String::new() };
        let target = self.target(kind);
        let (mut from, one) = self.others(kind);
        let at = self.scopes.last().map_or(0, Vec::len);
        let (alias, text) = self.target_text(target.table, kind);
        let rel = self.rel(alias, target.table);
        self.add(rel);
        let mut places = Places::default();
        let sole =
            if one { self.match_one(at, &mut from, &mut places) } else { self.match_some(at, &mut from, &mut places) };
        self.prove(&mut from, &mut places, &Want::default());
        if self.chance(45) {
            let noise = self.predicate(Reach::All);
            places.filters.push(noise);
        }
        self.rng.shuffle(&mut places.filters);
        if !sole {
            self.shade(at);
        }
        let set = if kind == Kind::Update { self.set(&target, at) } else { String::new() };
        let returning = self.returning(kind, at);
        self.scopes.pop();
        self.ctes.truncate(before);
        let items: Vec<String> = from.roots.iter().map(Node::render).collect();
        let word = if kind == Kind::Update { "FROM" } else { "USING" };
        let items = if items.is_empty() { String::new() } else { format!(" {word} {}", items.join(", ")) };
        let filter =
            if places.filters.is_empty() { String::new() } else { format!(" WHERE {}", places.filters.join(" AND ")) };
        if self.sin(2) {
            self.tag("current-of");
            return format!("UPDATE {text} SET {set} WHERE CURRENT OF c");
        }
        match kind {
            Kind::Update => format!("{with}UPDATE {text} SET {set}{items}{filter}{returning}"),
            Kind::Insert | Kind::Delete => format!("{with}DELETE FROM {text}{items}{filter}{returning}"),
        }
    }

    /// What is joined to the target, as the innermost scope; and whether it is one table.
    fn others(&mut self, kind: Kind) -> (From, bool) {
        let draw = self.rng.u8(0..100);
        if (50..74).contains(&draw) {
            self.tag(if kind == Kind::Update { "update-from" } else { "delete-using" });
            self.scopes.push(Vec::new());
            let sharing = if self.chance(15) { Sharing::Shared } else { Sharing::Tenant };
            let text = self.table_leaf(sharing);
            return (From { roots: vec![Node::Leaf(0, text)], links: Vec::new(), merged: Vec::new() }, true);
        }
        if draw < 50 {
            self.scopes.push(Vec::new());
            return (From { roots: Vec::new(), links: Vec::new(), merged: Vec::new() }, false);
        }
        self.tag(if kind == Kind::Update { "update-from" } else { "delete-using" });
        (self.from(), false)
    }

    /// Conditions by which at most one row of the joined table matches a row of the target; whether that holds.
    fn match_one(&mut self, at: usize, from: &mut From, places: &mut Places) -> bool {
        let Some(scope) = self.scopes.last().cloned() else { return false };
        let (other, target) = (&scope[0], &scope[at]);
        let Some(table) = other.table else { return false };
        let mut sole = table.name != "codes";
        for name in table.identity {
            let Some(col) = other.cols.iter().find(|col| col.name == *name) else { return false };
            let column = format!("{}.{name}", other.alias);
            if let Some(key) = col.key {
                match target.cols.iter().find(|own| own.key == Some(key)) {
                    Some(own) => {
                        let own = format!("{}.{}", target.alias, own.name);
                        if self.sin(25) {
                            // Said of the one and not of the other.
                            self.tag("target-not-linked");
                            sole = false;
                            continue;
                        }
                        self.tag("closure");
                        from.links.push((0, at, key));
                        places.filters.push(if self.rng.bool() {
                            format!("{column} = {own}")
                        } else {
                            format!("{own} = {column}")
                        });
                    }
                    None => sole &= self.caller.values[key].len() == 1,
                }
            } else if col.ty == Ty::Int {
                let ints: Vec<String> = target
                    .cols
                    .iter()
                    .filter(|own| own.ty == Ty::Int && own.key.is_none() && own.seen == Seen::Readable)
                    .map(|own| format!("{}.{}", target.alias, own.name))
                    .collect();
                let Some(own) = ints.get(self.rng.usize(0..ints.len().max(1))) else { return false };
                places.filters.push(format!("{column} = {own}"));
            } else {
                let value = self.constant(col.ty);
                places.filters.push(format!("{column} = {value}"));
            }
        }
        sole
    }

    /// Equalities between the target and what is joined to it, mostly. Whether there is nothing joined.
    fn match_some(&mut self, at: usize, from: &mut From, places: &mut Places) -> bool {
        let roots: Vec<Vec<usize>> = from.roots.iter().map(Node::rels).collect();
        for rels in &roots {
            places.filters.extend(self.link(rels, &[at], from));
            if self.chance(60) {
                places.filters.extend(self.tie(rels, &[at]));
            }
        }
        roots.is_empty()
    }

    /// Keeps what follows from naming anything but the target: which of its matches counts is the server's choice. The names
    /// stay, so that an unqualified one is not taken for the target's.
    fn shade(&mut self, target: usize) {
        for (at, rel) in self.scopes.last_mut().into_iter().flatten().enumerate() {
            if at != target {
                for col in &mut rel.cols {
                    (col.ty, col.key) = (Ty::Bool, None);
                }
            }
        }
    }
}
