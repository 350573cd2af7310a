//! Predicates that are no proof: comparisons, memberships and existence, and what may be wrapped around a proof.

use super::expr::Reach;
use super::{Generator, Want};
use crate::world::Ty;

impl Generator {
    /// Any predicate.
    pub(super) fn predicate(&mut self, reach: Reach) -> String {
        let subqueries = self.room() && !self.plain && self.depth < 3;
        match self.rng.u8(0..20) {
            0 | 1 if subqueries => self.exists(),
            2 | 3 if subqueries => self.in_query(reach),
            4 if subqueries => {
                let ty = self.some_type();
                let left = self.expr(ty, reach, 1);
                let right = self.scalar(ty);
                let operator = self.pick(&["=", "<", ">", "<>"]);
                format!("{left} {operator} {right}")
            }
            5 => {
                let (a, b) = (self.comparison(reach), self.comparison(reach));
                self.tag("or");
                format!("({a} OR {b})")
            }
            6 => {
                let a = self.comparison(reach);
                self.tag("not");
                format!("NOT ({a})")
            }
            _ => self.comparison(reach),
        }
    }

    /// A comparison without subqueries.
    pub(super) fn comparison(&mut self, reach: Reach) -> String {
        let ty = self.some_type();
        let left = self.column(ty, reach).unwrap_or_else(|| self.constant(ty));
        match self.rng.u8(0..12) {
            0 => format!("{left} IS NULL"),
            1 => format!("{left} IS NOT NULL"),
            2 => {
                let (low, high) = (self.constant(ty), self.constant(ty));
                format!("{left} BETWEEN {low} AND {high}")
            }
            3 => {
                let (a, b) = (self.constant(ty), self.constant(ty));
                self.tag("in-list");
                format!("{left} IN ({a}, {b})")
            }
            4 if ty == Ty::Text => format!("{left} LIKE '%e%'"),
            5 => {
                let b = self.constant(ty);
                format!("{left} IS DISTINCT FROM {b}")
            }
            6 => {
                let b = self.constant(ty);
                format!("{left} = ANY (ARRAY[{b}])")
            }
            7 | 8 if ty == Ty::Text => match self.column(Ty::Ci, reach) {
                Some(label) if self.rng.bool() => {
                    self.tag("nondeterministic-collation");
                    format!("{label} = {left}")
                }
                _ => {
                    self.tag("collated");
                    format!("{left} COLLATE \"C\" <> ''")
                }
            },
            _ => {
                let operator = self.pick(&["=", "=", "<", ">", "<=", ">=", "<>"]);
                let right = self.column(ty, reach).filter(|_| self.rng.bool()).unwrap_or_else(|| self.constant(ty));
                format!("{left} {operator} {right}")
            }
        }
    }

    fn exists(&mut self) -> String {
        self.tag("exists");
        let want = Want { types: Some(vec![Ty::Int]), ..Want::default() };
        self.depth += 1;
        let sub = self.level(&want);
        self.depth -= 1;
        let not = if self.chance(30) {
            self.tag("not-exists");
            "NOT "
        } else {
            ""
        };
        format!("{not}EXISTS ({})", sub.sql)
    }

    fn in_query(&mut self, reach: Reach) -> String {
        let key = if self.chance(45) { Some(self.some_key()) } else { None };
        let ty = match key {
            Some(key) => self.key_type(key),
            None => self.some_type(),
        };
        let left = self.expr(ty, reach, 0);
        let want = Want { types: Some(vec![ty]), key, ..Want::default() };
        self.depth += 1;
        let sub = self.query(&want);
        self.depth -= 1;
        let operator = match self.rng.u8(0..8) {
            0..=3 => {
                self.tag("in-subquery");
                "IN"
            }
            4 => {
                self.tag("not-in-subquery");
                "NOT IN"
            }
            5 | 6 => {
                self.tag("any-subquery");
                "= ANY"
            }
            _ => {
                self.tag("any-subquery");
                "<> ALL"
            }
        };
        format!("{left} {operator} ({})", sub.sql)
    }

    /// Puts something around a proof that keeps it, or that doesn't.
    pub(super) fn wrap(&mut self, proof: String, reach: Reach) -> String {
        let form = if self.sin(14) {
            [0, 0, 1, 4, 5, 6, 7, 7, 8, 10, 12][self.rng.usize(0..11)]
        } else if self.chance(9) {
            [2, 3, 9, 11][self.rng.usize(0..4)]
        } else {
            return proof;
        };
        let other = self.comparison(reach);
        match form {
            0 | 1 => {
                self.tag("proof-or");
                format!("({proof} OR {other})")
            }
            2 | 3 => {
                self.tag("proof-and");
                format!("({proof} AND {other})")
            }
            4 => {
                self.tag("proof-not");
                format!("NOT ({proof})")
            }
            5 => {
                self.tag("proof-not-not");
                format!("NOT (NOT ({proof}))")
            }
            6 => {
                self.tag("proof-case");
                format!("CASE WHEN {proof} THEN true ELSE false END")
            }
            7 => {
                self.tag("proof-case");
                format!("CASE WHEN {other} THEN {proof} ELSE true END")
            }
            8 => {
                self.tag("proof-coalesce");
                format!("COALESCE({proof}, true)")
            }
            9 => {
                self.tag("proof-is-true");
                format!("({proof}) IS TRUE")
            }
            10 => {
                self.tag("proof-is-not-false");
                format!("({proof}) IS NOT FALSE")
            }
            11 => {
                self.tag("proof-or-same");
                format!("(({proof} AND {other}) OR {proof})")
            }
            _ => {
                self.tag("proof-is-unknown");
                format!("({proof}) IS NOT UNKNOWN")
            }
        }
    }
}
