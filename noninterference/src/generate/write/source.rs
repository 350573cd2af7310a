//! What an INSERT takes its rows from: VALUES, a level whose columns it takes, or any query in parentheses.

use super::super::expr::Reach;
use super::super::from::Node;
use super::super::prove::Places;
use super::super::{Generator, Want};
use super::insert::Cell;
use crate::world::Ty;

/// Rows for an INSERT.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) sql: String,
    pub(super) outputs: usize,
    /// The order is the author's; else the server's.
    pub(super) ordered: bool,
}

impl Generator {
    /// The text of a source. With `ordered`, the order of its rows is total: which of two rows comes first then counts.
    pub(super) fn source(&mut self, cells: &[Cell], ordered: bool) -> String {
        let plural =
            cells.iter().any(|cell| matches!(cell, Cell::Key(key) if self.bound && self.caller.values[*key].len() > 1));
        let source = match self.rng.u8(0..100) {
            0..=44 if !plural => self.values_source(cells),
            0..=74 => self.copy(cells),
            _ => self.wrapped(cells),
        };
        if ordered && !source.ordered {
            let ordinals: Vec<String> = (1..=source.outputs).map(|at| at.to_string()).collect();
            return format!("{} ORDER BY {}", source.sql, ordinals.join(", "));
        }
        source.sql
    }

    /// A SELECT whose outputs are made for the columns.
    fn copy(&mut self, cells: &[Cell]) -> Source {
        self.tag("insert-select");
        let before = self.ctes.len();
        let with = if self.chance(10) {
            self.tag("insert-inner-with");
            format!("{} ", self.with())
        } else {
            String::new()
        };
        let mut from = self.from();
        let mut places = Places::default();
        self.prove(&mut from, &mut places, &Want::default());
        if self.chance(40) {
            let noise = self.predicate(Reach::All);
            places.filters.push(noise);
        }
        let order = self.total_order();
        let alone = self.scopes.last().is_some_and(|scope| scope.len() == 1 && scope[0].table.is_some());
        let mut values = Vec::new();
        for cell in cells {
            values.push(match *cell {
                Cell::Key(key) => {
                    let own: Vec<String> =
                        self.own_keys().into_iter().filter(|(_, _, of)| *of == key).map(|(text, _, _)| text).collect();
                    self.key_value(key, &own)
                }
                Cell::Id if alone && self.rng.bool() => {
                    let alias = self.scopes.last().map_or_else(String::new, |scope| scope[0].alias.clone());
                    format!("{alias}.id + 1000")
                }
                Cell::Id if order.is_empty() => "1001".to_owned(),
                Cell::Id => format!("row_number() OVER (ORDER BY {}) + 1000", order.join(", ")),
                Cell::Plain(column) => self.written(column),
            });
        }
        self.scopes.pop();
        self.ctes.truncate(before);
        let items: Vec<String> = from.roots.iter().map(Node::render).collect();
        let filter =
            if places.filters.is_empty() { String::new() } else { format!(" WHERE {}", places.filters.join(" AND ")) };
        let mut sql = format!("{with}SELECT {} FROM {}{filter}", values.join(", "), items.join(", "));
        let limited = !order.is_empty() && self.chance(8);
        if limited {
            sql.push_str(&format!(" ORDER BY {}", order.join(", ")));
            self.limit(&mut sql);
        }
        Source { sql, outputs: cells.len(), ordered: limited }
    }

    /// Any query, and a level around it that numbers its rows.
    fn wrapped(&mut self, cells: &[Cell]) -> Source {
        self.tag("insert-query");
        let first = cells.iter().position(|cell| matches!(cell, Cell::Key(_)));
        let key = first.and_then(|at| if let Cell::Key(key) = cells[at] { Some(key) } else { None });
        let mut types: Vec<Ty> = key.iter().map(|key| self.key_type(*key)).collect();
        types.extend(
            cells.iter().filter_map(|cell| if let Cell::Plain(column) = cell { Some(column.ty) } else { None }),
        );
        types.push(Ty::Int);
        let want = Want { types: Some(types.clone()), key, deferrable: true, ..Want::default() };
        self.depth += 1;
        let sub = self.query(&want);
        self.depth -= 1;
        let names: Vec<String> = (0..types.len()).map(|at| format!("c{at}")).collect();
        let all: Vec<String> = names.iter().map(|name| format!("d0.{name}")).collect();
        let mut plain = all.iter().skip(usize::from(key.is_some()));
        let mut values = Vec::new();
        for (at, cell) in cells.iter().enumerate() {
            values.push(match cell {
                Cell::Key(key) if Some(at) == first => {
                    if self.chance(88) {
                        self.tag("key-from-column");
                        "d0.c0".to_owned()
                    } else {
                        self.key_value(*key, &["d0.c0".to_owned()])
                    }
                }
                Cell::Key(key) => self.key_value(*key, &[]),
                Cell::Id => format!("row_number() OVER (ORDER BY {}) + 1000", all.join(", ")),
                Cell::Plain(_) => plain.next().cloned().unwrap_or_else(|| "NULL".to_owned()),
            });
        }
        let pending = sub.cols.first().is_some_and(|col| col.pending);
        let filter = match key {
            Some(key) if pending || self.chance(35) => {
                let held = self.held("d0.c0", key);
                format!(" WHERE {held}")
            }
            Some(_) if self.chance(30) => " WHERE d0.c0 IS NOT NULL".to_owned(),
            _ => String::new(),
        };
        let sql = format!("SELECT {} FROM ({}) AS d0({}){filter}", values.join(", "), sub.sql, names.join(", "));
        Source { sql, outputs: cells.len(), ordered: false }
    }
}
