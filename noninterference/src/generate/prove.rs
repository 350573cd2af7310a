//! Proofs: for each reference to a tenant table, in a form and at a place drawn at random; some of them none.

use super::expr::Reach;
use super::from::From;
use super::{Generator, Want};
use crate::world::{KeyType, Ty};

/// A key column of a relation of the innermost level.
#[derive(Clone, Debug)]
struct Need {
    rel: usize,
    key: usize,
    column: String,
    name: String,
    /// A table's own column, or a derived one whose proof was left open.
    owed: bool,
}

/// Where a level's proofs go.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The level groups.
    pub(super) grouped: bool,
    /// Conjuncts of WHERE.
    pub(super) filters: Vec<String>,
    /// Conjuncts of HAVING.
    pub(super) having: Vec<String>,
    /// Columns that HAVING names, which have to be keys of the grouping.
    pub(super) keys: Vec<String>,
    /// Conditions for FILTER.
    pub(super) aside: Vec<String>,
    /// Relations and keys whose proof is left to the level's user.
    pub(super) deferred: Vec<(usize, usize)>,
}

impl Generator {
    /// Adds proofs to ON, WHERE and elsewhere.
    pub(super) fn prove(&mut self, from: &mut From, places: &mut Places, want: &Want) {
        let mut needs = self.needs();
        // What outer joins keep first: the others can follow from it.
        let nullable: Vec<bool> =
            self.scopes.last().map_or_else(Vec::new, |scope| scope.iter().map(|rel| rel.nullable).collect());
        needs.sort_by_key(|need| (!need.owed, nullable[need.rel]));
        let mut proven: Vec<(usize, usize)> = Vec::new();
        for need in needs {
            // From what is kept to what is null-extended; against that direction it is none.
            let flows = |from: usize, to: usize| {
                to == need.rel && proven.contains(&(from, need.key)) && (!nullable[from] || nullable[to])
            };
            let linked = from.links.iter().any(|(a, b, key)| *key == need.key && (flows(*a, *b) || flows(*b, *a)));
            let against = |from: usize, to: usize| to == need.rel && proven.contains(&(from, need.key));
            let linked = linked
                || (from.links.iter().any(|(a, b, key)| *key == need.key && (against(*a, *b) || against(*b, *a)))
                    && self.sin(50));
            let done = if linked { self.chance(88) } else { !need.owed && self.chance(70) };
            if done {
                proven.push((need.rel, need.key));
                continue;
            }
            if want.deferrable && need.owed && self.chance(25) {
                self.tag("deferred");
                places.deferred.push((need.rel, need.key));
                proven.push((need.rel, need.key));
                continue;
            }
            if need.owed && self.sin(15) {
                self.tag("unproven");
                continue;
            }
            self.one(&need, from, places);
            proven.push((need.rel, need.key));
        }
    }

    fn needs(&self) -> Vec<Need> {
        let Some(scope) = self.scopes.last() else { return Vec::new() };
        let mut needs = Vec::new();
        for (at, rel) in scope.iter().enumerate() {
            for col in &rel.cols {
                let Some(key) = col.key else { continue };
                needs.push(Need {
                    rel: at,
                    key,
                    column: format!("{}.{}", rel.alias, col.name),
                    name: col.name.clone(),
                    owed: rel.table.is_some() || col.pending,
                });
            }
        }
        needs
    }

    fn one(&mut self, need: &Need, from: &mut From, places: &mut Places) {
        let mut column = need.column.clone();
        if from.merged.contains(&need.key) && self.chance(40) {
            self.tag("merged-column");
            column.clone_from(&need.name);
        }
        let outer = self.outer_key(need.key);
        let proof = match outer {
            Some(outer) if self.chance(45) => {
                self.tag("correlated");
                if self.rng.bool() { format!("{column} = {outer}") } else { format!("{outer} = {column}") }
            }
            _ => self.pin(&column, need),
        };
        let proof = self.wrap(proof, Reach::Own);
        let nullable = self.scopes.last().is_some_and(|scope| scope[need.rel].nullable);
        let place = self.rng.u8(0..100);
        if places.grouped && place >= 80 {
            if place < 96 || !self.sin(60) {
                self.tag("proof-in-having");
                places.keys.push(column);
                places.having.push(proof);
            } else {
                self.tag("proof-in-filter");
                places.aside.push(proof);
            }
            return;
        }
        // ON says nothing of the side that an outer join keeps.
        let kept = !nullable && self.scopes.last().is_some_and(|scope| scope.iter().any(|rel| rel.nullable));
        if place < 30 && (!kept || self.sin(50)) {
            for root in &mut from.roots {
                let on = if place < 24 { root.lowest(&[need.rel]) } else { root.highest(need.rel) };
                if let Some(on) = on {
                    on.push(proof);
                    self.tag("proof-in-on");
                    return;
                }
            }
        }
        self.tag("proof-in-where");
        places.filters.push(proof);
    }

    /// A key column of an outer level.
    fn outer_key(&mut self, key: usize) -> Option<String> {
        let levels = self.scopes.len().checked_sub(1)?;
        let found: Vec<String> = self.scopes[..levels]
            .iter()
            .flatten()
            .flat_map(|rel| {
                rel.cols
                    .iter()
                    .filter(|col| col.key == Some(key))
                    .map(|col| format!("{}.{}", rel.alias, col.name))
                    .collect::<Vec<_>>()
            })
            .collect();
        if found.is_empty() { None } else { Some(found[self.rng.usize(0..found.len())].clone()) }
    }

    fn pin(&mut self, column: &str, need: &Need) -> String {
        let key = need.key;
        let plural = self.caller.values[key].len() > 1;
        if self.bound && (plural || (self.caller.set && self.rng.bool())) && self.chance(94) {
            return self.array_pin(column, key);
        }
        if self.sin(25) {
            return self.wrong_pin(column, key);
        }
        let subqueries = self.room() && !self.plain && self.depth < 3;
        match self.rng.u8(0..40) {
            0 | 1 => {
                let v = self.own(key);
                self.tag("pin-swapped");
                format!("{v} = {column}")
            }
            2 => {
                let v = self.own(key);
                self.tag("pin-not-distinct");
                format!("{column} IS NOT DISTINCT FROM {v}")
            }
            3 | 4 => self.list_pin(column, key),
            5 => {
                let v = self.own(key);
                self.tag("pin-any");
                match self.rng.u8(0..4) {
                    0 => format!("{column} = ALL (ARRAY[{v}])"),
                    1 => format!("{column} = ANY (ARRAY[{v}, NULL])"),
                    _ => format!("{column} = ANY (ARRAY[{v}])"),
                }
            }
            6 => {
                let v = self.own(key);
                self.tag("pin-row");
                match self.rng.u8(0..3) {
                    0 => format!("({column}, 1) = ({v}, 1)"),
                    1 => format!("({column}, 1) IN (({v}, 1), ({v}, 2))"),
                    _ => format!("ROW(1, {column}) = ROW(1, {v})"),
                }
            }
            7 => {
                let v = self.own(key);
                self.tag("pin-operator");
                format!("{column} OPERATOR(pg_catalog.=) {v}")
            }
            8 => {
                let v = self.own(key);
                self.tag("pin-column-cast");
                let ty = if self.world.keys[key].ty == KeyType::Text {
                    ["text", "varchar"][self.rng.usize(0..2)]
                } else if !self.bound || self.sin(50) {
                    "text"
                } else {
                    ["uuid", "bigint"][usize::from(self.world.keys[key].ty == KeyType::Integer)]
                };
                format!("{column}::{ty} = {v}")
            }
            9 | 10 if subqueries => self.semijoin(column, key),
            11 | 12 if subqueries => self.exists_pin(column, key),
            13 if subqueries => {
                self.tag("pin-scalar");
                let v = self.own_output(key);
                format!("{column} = (SELECT {v})")
            }
            14 => {
                let v = self.own(key);
                self.tag("pin-is-true");
                format!("({column} = {v}) IS TRUE")
            }
            _ => {
                let v = self.own(key);
                format!("{column} = {v}")
            }
        }
    }

    fn array_pin(&mut self, column: &str, key: usize) -> String {
        let number = self.param(key, true);
        self.tag("pin-array-param");
        let ty = match self.world.keys[key].ty {
            KeyType::Text => "text[]",
            KeyType::Uuid => "uuid[]",
            KeyType::Integer => "bigint[]",
        };
        let form = if self.sin(20) { self.rng.u8(2..5) } else { [0, 5, 5, 5, 5][self.rng.usize(0..5)] };
        match form {
            0 => format!("{column} = ANY (${number}::{ty})"),
            2 => format!("{column} = ALL (${number})"),
            3 => format!("{column} <> ALL (${number})"),
            4 => format!("{column} = ANY (${number}::varchar[])"),
            _ => format!("{column} = ANY (${number})"),
        }
    }

    fn list_pin(&mut self, column: &str, key: usize) -> String {
        self.tag("pin-list");
        let mut list = vec![self.own(key)];
        match self.rng.u8(0..8) {
            2 if !self.sin(60) => {}
            0 => list.push("NULL".to_owned()),
            1 => list.push(list[0].clone()),
            2 => {
                let other = self.wrong(key);
                list.push(other);
                self.tag("list-foreign");
            }
            3 if !self.bound => {
                let other = self.own(key);
                list.push(other);
            }
            _ => {}
        }
        if self.rng.bool() {
            list.reverse();
        }
        format!("{column} IN ({})", list.join(", "))
    }

    fn wrong_pin(&mut self, column: &str, key: usize) -> String {
        self.tag("wrong-pin");
        match self.rng.u8(0..11) {
            0 => {
                let v = self.own(key);
                format!("{column} >= {v}")
            }
            1 => {
                let v = self.own(key);
                format!("{column} BETWEEN {v} AND {v}")
            }
            2 => {
                let v = self.own(key);
                let other = self.column(self.key_type(key), Reach::All).unwrap_or_else(|| column.to_owned());
                format!("{v} IN ({column}, {other})")
            }
            3 => {
                let v = self.own(key);
                format!("{v} = ANY (ARRAY[{column}, 'x'])")
            }
            4 => {
                let v = self.own(key);
                format!("{column} LIKE {v}")
            }
            5 => {
                // The right value, the wrong column.
                let v = self.own(key);
                let other = self.column(self.key_type(key), Reach::Own).unwrap_or_else(|| column.to_owned());
                format!("{other} = {v}")
            }
            6 => {
                let v = self.own(key);
                let ty = ["bpchar", "name", "varchar(2)", "char(4)", "real"][self.rng.usize(0..5)];
                format!("{column}::{ty} = {v}")
            }
            7 if self.world.keys[key].ty == KeyType::Text => {
                let v = self.own(key);
                format!("{column} = {v} COLLATE ext.ci")
            }
            8 => {
                let v = self.own(key);
                format!("{column} <> {v}")
            }
            _ => {
                let v = self.wrong(key);
                format!("{column} = {v}")
            }
        }
    }

    fn semijoin(&mut self, column: &str, key: usize) -> String {
        self.tag("pin-semijoin");
        let want = Want { types: Some(vec![self.key_type(key)]), key: Some(key), ..Want::default() };
        self.depth += 1;
        let sub = self.query(&want);
        self.depth -= 1;
        let operator = if self.chance(70) { "IN" } else { "= ANY" };
        format!("{column} {operator} ({})", sub.sql)
    }

    /// EXISTS whose inside says what the outer column is.
    fn exists_pin(&mut self, column: &str, key: usize) -> String {
        self.tag("pin-exists");
        let want = Want { types: Some(vec![Ty::Int]), ..Want::default() };
        self.depth += 1;
        let v = self.own(key);
        let mut sub = self.level_with(&want, Some(format!("{column} = {v}")));
        self.depth -= 1;
        if self.sin(10) {
            sub.sql.push_str(" OFFSET 0");
        }
        format!("EXISTS ({})", sub.sql)
    }
}
