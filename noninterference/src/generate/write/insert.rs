//! INSERT: the column list, the shape around the source, ON CONFLICT.

use super::super::Generator;
use super::source::Source;
use super::{Kind, Target};
use crate::world::{Column, Seen, Ty};

/// What a column of the list is filled with.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cell {
    /// A key.
    Key(usize),
    /// A number that is new to the table.
    Id,
    /// Anything of the column's type.
    Plain(&'static Column),
}

impl Generator {
    /// An INSERT.
    pub(super) fn insert(&mut self) -> String {
        self.tag("insert");
        let before = self.ctes.len();
        let with = if self.chance(12) { format!("{} ", self.with()) } else { String::new() };
        let target = self.target(Kind::Insert);
        let listed = self.insert_columns(&target);
        let (alias, text) = self.target_text(target.table, Kind::Insert);
        if self.sin(3) {
            self.tag("insert-shape");
            self.ctes.truncate(before);
            return format!("{with}INSERT INTO {text} DEFAULT VALUES");
        }
        let cells: Vec<Cell> = listed.iter().map(|column| cell(&target, column)).collect();
        let conflict = self.conflict(&target);
        let source = self.source(&cells, !conflict.is_empty());
        self.ctes.truncate(before);
        let names: Vec<&str> = listed.iter().map(|column| column.name).collect();
        let list = if self.sin(3) {
            self.tag("insert-shape");
            String::new()
        } else {
            format!(" ({})", names.join(", "))
        };
        let overriding = if self.sin(2) {
            self.tag("insert-shape");
            " OVERRIDING USER VALUE"
        } else {
            ""
        };
        // What it leaves to a default is not to be read; a careless author reads it.
        let all = self.sin(30);
        let mut rel = self.rel(alias, target.table);
        rel.cols.retain(|col| all || names.contains(&col.name.as_str()));
        self.scopes.push(vec![rel]);
        let returning = self.returning(Kind::Insert, 0);
        self.scopes.pop();
        if all && !returning.is_empty() {
            self.tag("returning-default");
        }
        format!("{with}INSERT INTO {text}{list}{overriding} {source}{conflict}{returning}")
    }

    fn insert_columns(&mut self, target: &Target) -> Vec<&'static Column> {
        let needed =
            |column: &Column| target.key(column.name).is_some() || target.table.identity.contains(&column.name);
        let mut listed: Vec<&'static Column> = Vec::new();
        for column in target.columns.iter().copied() {
            let key = target.key(column.name).is_some();
            if key && self.sin(8) {
                self.tag("insert-key-omitted");
                continue;
            }
            if needed(column) || self.chance(60) {
                listed.push(column);
            }
        }
        if self.sin(7) {
            let others = target.closed();
            if let Some(column) = others.get(self.rng.usize(0..others.len().max(1))) {
                self.tag(if column.seen == Seen::Readable { "insert-not-open" } else { "insert-hidden" });
                listed.push(column);
            }
        }
        if self.rng.bool() {
            self.rng.shuffle(&mut listed);
        }
        listed
    }

    fn conflict(&mut self, target: &Target) -> String {
        if self.chance(62) {
            return String::new();
        }
        let mut names: Vec<&str> = target.table.identity.to_vec();
        if self.rng.bool() {
            self.rng.shuffle(&mut names);
        }
        let list = names.join(", ");
        if !self.sin(45) {
            self.tag("conflict-list");
            return format!(" ON CONFLICT ({list}) DO NOTHING");
        }
        self.tag("conflict-other");
        let last = names.last().copied().unwrap_or("id");
        match self.rng.u8(0..10) {
            0..=2 => " ON CONFLICT DO NOTHING".to_owned(),
            3 | 4 => " ON CONFLICT (id) DO NOTHING".to_owned(),
            5 => {
                let kind = self.pick(&["pkey", "id_key"]);
                format!(" ON CONFLICT ON CONSTRAINT {}_{kind} DO NOTHING", target.table.name)
            }
            6 => format!(" ON CONFLICT ({list} COLLATE \"C\") DO NOTHING"),
            7 => format!(" ON CONFLICT ({list}) WHERE {last} IS NOT NULL DO NOTHING"),
            8 => format!(" ON CONFLICT (({last}), {list}) DO NOTHING"),
            _ => format!(" ON CONFLICT ({list}) DO UPDATE SET {last} = excluded.{last}"),
        }
    }

    /// VALUES, with one row or several.
    pub(super) fn values_source(&mut self, cells: &[Cell]) -> Source {
        self.tag("insert-values");
        let count = [1, 1, 1, 2, 3][self.rng.usize(0..5)];
        if count > 1 {
            self.tag("insert-rows");
        }
        let first = self.fresh();
        let mut rows = Vec::new();
        for row in 0..count {
            let values: Vec<String> = cells.iter().map(|cell| self.value_cell(*cell, first + row)).collect();
            rows.push(format!("({})", values.join(", ")));
        }
        Source { sql: format!("VALUES {}", rows.join(", ")), outputs: cells.len(), ordered: true }
    }

    fn value_cell(&mut self, cell: Cell, id: i32) -> String {
        match cell {
            Cell::Key(key) => self.key_value(key, &[]),
            Cell::Id => id.to_string(),
            Cell::Plain(column) => match self.rng.u8(0..20) {
                0 => {
                    self.tag("value-default");
                    "DEFAULT".to_owned()
                }
                1 if self.room() => self.scalar(column.ty),
                _ => self.written(column),
            },
        }
    }

    /// A number that stands in no row of the caller's: one that others may have, or one that nobody has. Now and then one
    /// that is taken.
    fn fresh(&mut self) -> i32 {
        match self.rng.u8(0..20) {
            0 | 1 => self.rng.i32(1..6),
            2..=9 => self.rng.i32(26..90),
            _ => self.rng.i32(1_000..9_000),
        }
    }
}

fn cell(target: &Target, column: &'static Column) -> Cell {
    match target.key(column.name) {
        Some(key) => Cell::Key(key),
        None if column.name == "id" && column.ty == Ty::Int => Cell::Id,
        None => Cell::Plain(column),
    }
}
