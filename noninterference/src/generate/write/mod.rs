//! INSERT, UPDATE and DELETE near the border between what must be allowed and what must not.
//!
//! Built from the same parts as queries: the target stands in its level's scope, so that proofs, equalities and expressions
//! find it as they find any relation. Where SQL leaves the server a choice (which match UPDATE … FROM takes, which of two
//! proposed rows ON CONFLICT DO NOTHING keeps) either nothing depends on it or the order is total.

mod change;
mod insert;
mod key;
mod odd;
mod returning;
mod sentence;
mod set;
mod source;

use super::Generator;
use crate::world::{Column, Seen, Sharing, Table, Writable};

/// What a statement does to its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Insert,
    Update,
    Delete,
}

/// The table that a statement writes, and the columns that it may name.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) table: &'static Table,
    pub(super) columns: Vec<&'static Column>,
}

impl Target {
    /// The columns that the policy does not open for this kind of statement.
    fn closed(&self) -> Vec<&'static Column> {
        let is_open = |column: &&'static Column| self.columns.iter().any(|own| own.name == column.name);
        self.table.columns.iter().filter(|column| !is_open(column)).collect()
    }

    /// The key that a column carries.
    pub(super) fn key(&self, column: &str) -> Option<usize> {
        self.table.keys.iter().position(|own| *own == Some(column))
    }
}

impl Generator {
    /// A statement that writes.
    pub(super) fn write(&mut self) -> String {
        let sql = match self.rng.u8(0..100) {
            0..=21 => self.write_sentence(),
            22..=52 => self.insert(),
            53..=80 => self.change(Kind::Update),
            _ => self.change(Kind::Delete),
        };
        if sql.starts_with("WITH") || !self.sin(3) {
            return sql;
        }
        // Beside another write, or inside a query.
        self.tag("write-cte");
        let kind = if self.rng.bool() { Kind::Update } else { Kind::Delete };
        let other = self.change(kind);
        if self.rng.bool() { format!("WITH w0 AS ({other}) {sql}") } else { format!("WITH w0 AS ({sql}) SELECT 1") }
    }

    /// A table that the policy opens for the statement; now and then one that it does not.
    fn target(&mut self, kind: Kind) -> Target {
        if self.sin(6) {
            self.tag("target-not-open");
            let opened = |table: &Table| opens(self.world.writable(), table, kind);
            let others: Vec<&'static Table> = self.world.tables.iter().filter(|table| !opened(table)).collect();
            if let Some(table) = others.get(self.rng.usize(0..others.len().max(1))) {
                let columns = table.columns.iter().filter(|column| column.seen == Seen::Readable).collect();
                return Target { table, columns };
            }
        }
        let list = self.world.writable();
        let shared = self.chance(6);
        let fits =
            |open: &&Writable| opens(list, open.table, kind) && (open.table.sharing == Sharing::Shared) == shared;
        let mut open: Vec<&Writable> = list.iter().filter(fits).collect();
        if open.is_empty() {
            open = list.iter().filter(|open| opens(list, open.table, kind)).collect();
        }
        let open = open[self.rng.usize(0..open.len())];
        let names = if kind == Kind::Insert { &open.insert } else { &open.update };
        let columns = open.table.columns.iter().filter(|column| names.iter().any(|name| name == column.name)).collect();
        Target { table: open.table, columns }
    }

    /// The target's alias and its text.
    fn target_text(&mut self, table: &Table, kind: Kind) -> (String, String) {
        let qualified = if table.schema == "app" { self.chance(40) } else { self.chance(90) };
        let mut name = if qualified { format!("{}.{}", table.schema, table.name) } else { table.name.to_owned() };
        if kind != Kind::Insert && self.chance(2) {
            self.tag("only");
            name = format!("ONLY {name}");
        }
        let taken = self.scopes.iter().flatten().any(|rel| rel.alias == table.name);
        if !taken && self.chance(45) {
            return (table.name.to_owned(), name);
        }
        self.tag("target-alias");
        let alias = self.name("t");
        let text = if kind == Kind::Insert || self.rng.bool() {
            format!("{name} AS {alias}")
        } else {
            format!("{name} {alias}")
        };
        (alias, text)
    }
}

fn opens(list: &[Writable], table: &Table, kind: Kind) -> bool {
    list.iter().any(|open| {
        let so = match kind {
            Kind::Insert => !open.insert.is_empty(),
            Kind::Update => !open.update.is_empty(),
            Kind::Delete => open.delete,
        };
        so && open.table.schema == table.schema && open.table.name == table.name
    })
}
