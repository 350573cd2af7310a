//! RETURNING: columns, expressions, stars, old and new rows, and what it may not read.

use super::super::Generator;
use super::super::expr::Reach;
use super::Kind;
use crate::world::{Seen, Ty};

impl Generator {
    /// A RETURNING clause, or nothing. The target is the relation of that position in the innermost scope.
    pub(super) fn returning(&mut self, kind: Kind, at: usize) -> String {
        if self.chance(35) {
            return String::new();
        }
        self.tag("returning");
        let Some(target) = self.scopes.last().map(|scope| scope[at].clone()) else { return String::new() };
        let alias = target.alias.clone();
        if self.chance(9) {
            self.tag("returning-star");
            return match self.rng.u8(0..4) {
                0 => format!(" RETURNING {alias}.*"),
                1 => " RETURNING new.*".to_owned(),
                _ => " RETURNING *".to_owned(),
            };
        }
        let mut head = String::new();
        let (mut old, mut new) = ("old", "new");
        if self.chance(8) {
            self.tag("returning-old-new");
            "WITH (OLD AS o0, NEW AS n0) ".clone_into(&mut head);
            (old, new) = ("o0", "n0");
        }
        let mut items: Vec<String> = Vec::new();
        for number in 0..self.rng.usize(1..4) {
            let readable: Vec<&str> =
                target.cols.iter().filter(|col| col.seen == Seen::Readable).map(|col| col.name.as_str()).collect();
            let name = readable.get(self.rng.usize(0..readable.len().max(1))).map_or("id", |name| *name);
            let item = match self.rng.u8(0..100) {
                0..=11 => {
                    self.tag("returning-old-new");
                    format!("{old}.{name}")
                }
                12..=20 => {
                    self.tag("returning-old-new");
                    format!("{new}.{name}")
                }
                21..=60 => format!("{alias}.{name}"),
                61..=68 => name.to_owned(),
                _ => {
                    let ty = match self.rng.u8(0..8) {
                        0 => Ty::Json,
                        1 => Ty::State,
                        2 => Ty::Tags,
                        _ => self.some_type(),
                    };
                    self.tag("returning-expression");
                    self.expr(ty, Reach::Own, 2)
                }
            };
            items.push(format!("{item} AS r{number}"));
        }
        if let Some(strange) =
            self.strange_returning(&alias, &target.cols, if kind == Kind::Insert { new } else { old })
        {
            items.push(strange);
        }
        format!(" RETURNING {head}{}", items.join(", "))
    }

    fn strange_returning(&mut self, alias: &str, cols: &[super::super::Col], row: &str) -> Option<String> {
        if !self.sin(12) {
            return None;
        }
        let hidden: Vec<&str> =
            cols.iter().filter(|col| col.seen != Seen::Readable).map(|col| col.name.as_str()).collect();
        Some(match self.rng.u8(0..6) {
            0 | 1 if !hidden.is_empty() => {
                self.tag("returning-hidden");
                let name = hidden[self.rng.usize(0..hidden.len())];
                if self.rng.bool() { format!("{alias}.{name}") } else { format!("{row}.{name}") }
            }
            2 => {
                self.tag("whole-row");
                let row = self.pick(&[alias, row]).to_owned();
                if self.rng.bool() { format!("to_jsonb({row})") } else { row }
            }
            3 => {
                self.tag("system-column");
                format!("{alias}.tableoid")
            }
            _ => {
                // Of every tenant, unless the policy sees to it.
                self.tag("returning-unproven");
                let base = self.base();
                format!("(SELECT count(*) FROM {} z) AS z", base.table)
            }
        })
    }
}
