//! Scalar expressions over what is in scope.

use super::{Col, Generator, Rel, Want};
use crate::world::{Seen, Ty};

/// Where a name may be looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// The innermost level alone.
    Own,
    /// Outer levels too.
    All,
}

impl Generator {
    /// A column of a type, if there is one in reach.
    pub(super) fn column(&mut self, ty: Ty, reach: Reach) -> Option<String> {
        let levels = self.scopes.len();
        if levels == 0 {
            return None;
        }
        let outer = reach == Reach::All && levels > 1 && self.chance(25);
        let level = if outer { self.rng.usize(0..levels - 1) } else { levels - 1 };
        // Hidden and unknown names stay rare: each of them is a denial by itself.
        let strange = self.sin(6);
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (at, rel) in self.scopes[level].iter().enumerate() {
            for (number, col) in rel.cols.iter().enumerate() {
                if same(col.ty, ty) && (col.seen == Seen::Readable) != strange {
                    found.push((at, number));
                }
            }
        }
        if found.is_empty() {
            return None;
        }
        let (at, number) = found[self.rng.usize(0..found.len())];
        let rel: Rel = self.scopes[level][at].clone();
        let col: Col = rel.cols[number].clone();
        match col.seen {
            Seen::Readable => {}
            Seen::Hidden => self.tag("hidden-name"),
            Seen::Unlisted => self.tag("unknown-name"),
        }
        if outer {
            self.tag("outer-reference");
        }
        if rel.table.is_none() {
            self.tag("derived-column");
        }
        let unique =
            self.scopes[level].iter().flat_map(|rel| &rel.cols).filter(|other| other.name == col.name).count() == 1;
        Some(match self.rng.u16(0..1000) {
            0..=110 if unique => {
                self.tag(if outer { "unqualified-outer" } else { "unqualified" });
                col.name
            }
            // A name that may be another relation's, or no one's.
            111..=125 if self.sin(80) => {
                self.tag("captured-name");
                col.name
            }
            126..=133 => {
                self.tag("functional-notation");
                format!("({}).{}", rel.alias, col.name)
            }
            134..=141 if self.sin(80) => {
                self.tag("functional-notation");
                format!("{}({})", col.name, rel.alias)
            }
            _ => format!("{}.{}", rel.alias, col.name),
        })
    }

    /// An expression of a type.
    pub(super) fn expr(&mut self, ty: Ty, reach: Reach, deep: u8) -> String {
        let simple = deep == 0 || self.chance(65);
        if simple {
            return match self.column(ty, reach) {
                Some(column) if self.chance(90) => column,
                _ => self.constant(ty),
            };
        }
        if self.chance(12) && self.room() && !self.plain && self.depth < 3 {
            return self.scalar(ty);
        }
        let next = deep - 1;
        let a = self.expr(ty, reach, next);
        let form = self.rng.u8(0..8);
        match (ty, form) {
            (_, 0) => {
                let b = self.expr(ty, reach, next);
                self.tag("coalesce");
                format!("COALESCE({a}, {b})")
            }
            (_, 1) => {
                self.tag("case");
                let (when, b) = (self.comparison(reach), self.expr(ty, reach, next));
                format!("CASE WHEN {when} THEN {a} ELSE {b} END")
            }
            (_, 2) if ty != Ty::Ci => {
                let b = self.expr(ty, reach, next);
                format!("NULLIF({a}, {b})")
            }
            (Ty::Int, 3) => {
                let text = self.expr(Ty::Text, reach, next);
                format!("length({text})")
            }
            (Ty::Int, 4) => {
                let b = self.expr(Ty::Int, reach, next);
                format!("({a} + {b})")
            }
            (Ty::Int, 5) => match self.column(Ty::Tags, reach) {
                Some(tags) => format!("cardinality({tags})"),
                None => a,
            },
            (Ty::Int, 6) => match self.column(Ty::Dims, reach) {
                Some(dims) => {
                    self.tag("composite-field");
                    format!("({dims}).w")
                }
                None => a,
            },
            (Ty::Num, 3) => format!("({a} * 2)"),
            (Ty::Num, 4 | 5) => format!("abs({a})"),
            (Ty::Text, 3) => format!("upper({a})"),
            (Ty::Text, 4) => {
                let b = self.expr(Ty::Text, reach, next);
                format!("({a} || {b})")
            }
            (Ty::Text, 5) => match self.column(Ty::Json, reach) {
                Some(json) => {
                    self.tag("json");
                    format!("({json} ->> 'kind')")
                }
                None => a,
            },
            (Ty::Text, 6) => match self.column(Ty::State, reach) {
                Some(state) => {
                    self.tag("enum");
                    format!("{state}::text")
                }
                None => format!("{a}::text"),
            },
            (Ty::Text, 7) => format!("substr({a}, 1, 4)"),
            (Ty::Date, 3 | 4) => format!("({a} + 1)"),
            (Ty::Bool, _) => self.comparison(reach),
            (_, _) => a,
        }
    }

    /// A scalar subquery.
    pub(super) fn scalar(&mut self, ty: Ty) -> String {
        self.tag("scalar-subquery");
        let want = Want { types: Some(vec![ty]), single: true, ..Want::default() };
        self.depth += 1;
        let sub = self.level(&want);
        self.depth -= 1;
        format!("({})", sub.sql)
    }
}

/// Whether a column of one type may stand where the other is wanted.
fn same(have: Ty, want: Ty) -> bool {
    have == want || (have == Ty::Int && want == Ty::Big)
}
