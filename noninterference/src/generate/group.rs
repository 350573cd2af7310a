//! Grouping, aggregates and windows.

use super::expr::Reach;
use super::level::Output;
use super::prove::Places;
use super::{Generator, Sub, Want};
use crate::world::Ty;

impl Generator {
    /// A level with GROUP BY.
    pub(super) fn grouped(&mut self, want: &Want, places: &Places) -> Sub {
        self.tag("group-by");
        let mut outputs: Vec<Output> = Vec::new();
        let mut keys: Vec<String> = places.keys.clone();
        let wanted = want.types.clone();
        match wanted {
            Some(types) => {
                for (at, ty) in types.iter().enumerate() {
                    let key = want.key.filter(|_| at == 0);
                    let text = if key.is_some() || self.chance(50) {
                        let text = self.wanted(*ty, key, false);
                        if text.contains('.') && !text.contains('(') && !text.contains("::") {
                            keys.push(text.clone());
                            text
                        } else {
                            self.aggregate(*ty, places)
                        }
                    } else {
                        self.aggregate(*ty, places)
                    };
                    self.output(&mut outputs, text, *ty, key, false);
                }
            }
            None => {
                for (text, ty, key, pending) in self.key_outputs(places) {
                    if !pending || !self.sin(25) {
                        keys.push(text.clone());
                    }
                    self.output(&mut outputs, text, ty, Some(key), pending);
                }
                for _ in 0..self.rng.usize(0..3) {
                    let ty = self.some_type();
                    if let Some(column) = self.column(ty, Reach::Own).filter(|text| text.contains('.')) {
                        keys.push(column.clone());
                        if self.chance(80) {
                            self.output(&mut outputs, column, ty, None, false);
                        }
                    }
                }
                for _ in 0..self.rng.usize(1..3) {
                    let ty = *self.pick(&[&Ty::Int, &Ty::Num, &Ty::Text]);
                    let text = self.aggregate(ty, places);
                    self.output(&mut outputs, text, ty, None, false);
                }
            }
        }
        if keys.is_empty() {
            let column = self.column(Ty::Int, Reach::Own).filter(|text| text.contains('.'));
            keys.push(column.unwrap_or_else(|| "()".to_owned()));
        }
        let group = self.group_by(&keys, &outputs);
        let mut having = places.having.clone();
        if self.chance(20) {
            let aggregate = self.aggregate(Ty::Int, places);
            having.push(format!("{aggregate} > {}", self.rng.u8(0..3)));
            self.tag("having");
        }
        let mut tail = format!(" GROUP BY {group}");
        if !having.is_empty() {
            tail.push_str(&format!(" HAVING {}", having.join(" AND ")));
        }
        if !want.branch && self.chance(12) {
            let all: Vec<String> = (1..=outputs.len()).map(|at| at.to_string()).collect();
            tail.push_str(&format!(" ORDER BY {}", all.join(", ")));
            let open = outputs.iter().any(|output| output.col.pending);
            if self.chance(70) && (!open || self.sin(40)) {
                self.limit(&mut tail);
            }
        }
        let texts: Vec<&str> = outputs.iter().map(|output| output.text.as_str()).collect();
        let cols = outputs.iter().map(|output| output.col.clone()).collect();
        Sub { sql: format!("SELECT {}\u{1}{tail}", texts.join(", ")), cols }
    }

    fn group_by(&mut self, keys: &[String], outputs: &[Output]) -> String {
        let list = keys.join(", ");
        let (first, rest) = keys.split_first().map_or(("()", &[][..]), |(first, rest)| (first.as_str(), rest));
        match self.rng.u8(0..24) {
            0 => {
                self.tag("rollup");
                format!("ROLLUP ({list})")
            }
            1 => {
                self.tag("cube");
                format!("CUBE ({list})")
            }
            2 | 3 => {
                self.tag("grouping-sets");
                format!("GROUPING SETS (({list}), ({first}))")
            }
            4 => {
                self.tag("grouping-sets");
                format!("GROUPING SETS (({list}), ())")
            }
            5 if !rest.is_empty() => {
                self.tag("grouping-sets");
                format!("{first}, GROUPING SETS (({}), ())", rest.join(", "))
            }
            6 if !rest.is_empty() => {
                self.tag("rollup");
                format!("{first}, ROLLUP ({})", rest.join(", "))
            }
            7..=9 => {
                self.tag("group-by-ordinal");
                let named: Vec<String> = keys
                    .iter()
                    .map(|key| {
                        let at = outputs
                            .iter()
                            .position(|output| output.text == *key || output.text.starts_with(&format!("{key} AS ")));
                        at.map_or_else(|| key.clone(), |at| (at + 1).to_string())
                    })
                    .collect();
                named.join(", ")
            }
            10 | 11 => {
                self.tag("group-by-alias");
                let named: Vec<String> = keys
                    .iter()
                    .map(|key| {
                        let found = outputs.iter().find(|output| output.text.starts_with(&format!("{key} AS ")));
                        found.map_or_else(|| key.clone(), |output| output.name.clone())
                    })
                    .collect();
                named.join(", ")
            }
            12 => format!("DISTINCT {list}"),
            _ => list,
        }
    }

    /// An aggregate without GROUP BY: one row.
    pub(super) fn total(&mut self, want: &Want, places: &Places) -> Sub {
        self.tag("aggregate-total");
        let types = match &want.types {
            Some(types) => types.clone(),
            None => vec![Ty::Int, self.some_type()],
        };
        let mut outputs = Vec::new();
        for ty in types {
            let text = self.aggregate(ty, places);
            self.output(&mut outputs, text, ty, None, false);
        }
        let texts: Vec<&str> = outputs.iter().map(|output| output.text.as_str()).collect();
        let mut tail = String::new();
        if self.chance(5) {
            tail.push_str(" HAVING count(*) > 1");
            self.tag("having");
        }
        let cols = outputs.iter().map(|output| output.col.clone()).collect();
        Sub { sql: format!("SELECT {}\u{1}{tail}", texts.join(", ")), cols }
    }

    /// An aggregate of a type whose result does not hang on the order of its input.
    pub(super) fn aggregate(&mut self, ty: Ty, places: &Places) -> String {
        let before = std::mem::replace(&mut self.plain, true);
        let inner = self.expr(if ty == Ty::Big { Ty::Int } else { ty }, Reach::All, 1);
        self.plain = before;
        let call = match (ty, self.rng.u8(0..8)) {
            (Ty::Int | Ty::Big, 0..=3) => "count(*)".to_owned(),
            (Ty::Int | Ty::Big, 4) => {
                self.tag("aggregate-distinct");
                format!("count(DISTINCT {inner})")
            }
            (Ty::Int | Ty::Big, 5) => format!("sum({inner})"),
            (Ty::Num, 0..=3) => format!("sum({inner})"),
            (Ty::Text, 0..=3) => {
                self.tag("aggregate-ordered");
                format!("string_agg({inner}, ',' ORDER BY {inner})")
            }
            (Ty::Bool, _) => format!("bool_or({inner})"),
            (Ty::Uuid, _) => format!("min({inner}::text)::uuid"),
            (Ty::Json | Ty::Tags | Ty::State | Ty::Dims | Ty::Ci, _) => "NULL".to_owned(),
            (_, form) => format!("{}({inner})", if form.is_multiple_of(2) { "max" } else { "min" }),
        };
        let mut conditions = places.aside.clone();
        if self.chance(10) && call != "NULL" && !call.ends_with("::uuid") {
            let condition = self.comparison(Reach::Own);
            conditions.push(condition);
        }
        if conditions.is_empty() || call == "NULL" || call.ends_with("::uuid") {
            return call;
        }
        self.tag("filter-clause");
        format!("{call} FILTER (WHERE {})", conditions.join(" AND "))
    }

    /// A window function, over a total order where it needs one.
    pub(super) fn window(&mut self, places: &Places) -> String {
        self.tag("window");
        let scope = self.scopes.last().cloned().unwrap_or_default();
        let mut partition: Vec<String> = Vec::new();
        for (at, rel) in scope.iter().enumerate() {
            for col in &rel.cols {
                if let Some(key) = col.key
                    && (self.chance(40) || (places.deferred.contains(&(at, key)) && !self.sin(30)))
                {
                    partition.push(format!("{}.{}", rel.alias, col.name));
                }
            }
        }
        if partition.is_empty() && self.chance(40) {
            partition.extend(self.column(Ty::Text, Reach::Own).filter(|text| text.contains('.')));
        }
        let by = if partition.is_empty() { String::new() } else { format!("PARTITION BY {} ", partition.join(", ")) };
        let value = self.column(Ty::Int, Reach::Own).unwrap_or_else(|| "1".to_owned());
        let total = self.total_order().join(", ");
        match self.rng.u8(0..7) {
            0 => format!("rank() OVER ({by}ORDER BY {value} + 0)"),
            1 => format!("count(*) OVER ({by})"),
            2 => format!("sum({value}) OVER ({by}ORDER BY {value} + 0)"),
            3 => format!("lag({value}) OVER ({by}ORDER BY {total})"),
            4 => format!("first_value({value}) OVER ({by}ORDER BY {total})"),
            5 => format!("max({value}) OVER ({by})"),
            _ => format!("row_number() OVER ({by}ORDER BY {total})"),
        }
    }
}
