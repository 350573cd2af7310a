//! One level: FROM, WHERE, outputs, and what comes after.

use super::expr::Reach;
use super::prove::Places;
use super::{Col, Generator, Sub, Want};
use crate::world::{Seen, Ty};

/// One output.
#[derive(Clone, Debug)]
pub(super) struct Output {
    pub(super) text: String,
    pub(super) name: String,
    pub(super) col: Col,
}

/// What a level does with its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Plain,
    Grouped,
    /// An aggregate without GROUP BY.
    Total,
    Distinct,
    DistinctOn,
    /// LIMIT 1.
    First,
}

impl Generator {
    /// A SELECT without set operations.
    pub(super) fn level(&mut self, want: &Want) -> Sub {
        self.level_with(want, None)
    }

    /// The same, with a condition that WHERE has to hold.
    pub(super) fn level_with(&mut self, want: &Want, condition: Option<String>) -> Sub {
        let shape = match self.rng.u8(0..100) {
            0..=64 if want.single => Shape::Total,
            _ if want.single => Shape::First,
            0..=15 if want.branch || want.types.is_some() => Shape::Grouped,
            0..=21 if !want.branch => Shape::Grouped,
            22..=24 if want.types.is_none() => Shape::Total,
            25..=30 => Shape::Distinct,
            31..=35 => Shape::DistinctOn,
            _ => Shape::Plain,
        };
        let mut from = self.from();
        let mut places = Places { grouped: shape == Shape::Grouped, ..Places::default() };
        self.prove(&mut from, &mut places, want);
        places.filters.extend(condition);
        for _ in 0..self.rng.usize(0..2) {
            if self.chance(60) {
                let noise = self.predicate(Reach::All);
                places.filters.push(noise);
            }
        }
        self.rng.shuffle(&mut places.filters);

        if shape == Shape::Plain && want.types.is_none() && self.chance(9) {
            let sub = self.star(&from.roots, &places.filters);
            self.scopes.pop();
            return sub;
        }
        let mut sub = match shape {
            Shape::Grouped => self.grouped(want, &places),
            Shape::Total => self.total(want, &places),
            Shape::Plain | Shape::Distinct | Shape::DistinctOn | Shape::First => {
                let outputs = self.outputs(want, &places, shape == Shape::Plain);
                self.finish(shape, &outputs, want)
            }
        };
        let from_text: Vec<String> = from.roots.iter().map(super::from::Node::render).collect();
        let mut middle = format!(" FROM {}", from_text.join(", "));
        if !places.filters.is_empty() {
            middle.push_str(&format!(" WHERE {}", places.filters.join(" AND ")));
        }
        // The parts after WHERE stand behind a mark that no text has.
        sub.sql = sub.sql.replacen('\u{1}', &middle, 1);
        self.scopes.pop();
        sub
    }

    fn star(&mut self, roots: &[super::from::Node], filters: &[String]) -> Sub {
        let scope = self.scopes.last().cloned().unwrap_or_default();
        let whole = self.chance(60) || scope.is_empty();
        self.tag("star");
        let rels: Vec<_> = if whole { scope } else { vec![scope[self.rng.usize(0..scope.len())].clone()] };
        let list = if whole { "*".to_owned() } else { format!("{}.*", rels[0].alias) };
        let mut cols: Vec<Col> = Vec::new();
        for col in rels.iter().flat_map(|rel| &rel.cols) {
            if !cols.iter().any(|own| own.name == col.name) && col.seen == Seen::Readable {
                let pending = col.pending;
                cols.push(Col { pending, ..col.clone() });
            }
        }
        let from: Vec<String> = roots.iter().map(super::from::Node::render).collect();
        let filter = if filters.is_empty() { String::new() } else { format!(" WHERE {}", filters.join(" AND ")) };
        Sub { sql: format!("SELECT {list} FROM {}{filter}", from.join(", ")), cols }
    }

    /// The outputs of a level that does not aggregate.
    fn outputs(&mut self, want: &Want, places: &Places, free: bool) -> Vec<Output> {
        let mut outputs: Vec<Output> = Vec::new();
        if let Some(types) = want.types.clone() {
            for (at, ty) in types.iter().enumerate() {
                let key = want.key.filter(|_| at == 0);
                let text = self.wanted(*ty, key, free);
                self.output(&mut outputs, text, *ty, key, false);
            }
            return outputs;
        }
        for (text, ty, key, pending) in self.key_outputs(places) {
            self.output(&mut outputs, text, ty, Some(key), pending);
        }
        for _ in 0..self.rng.usize(1..4) {
            let ty = match self.rng.u8(0..20) {
                0 => Ty::Json,
                1 => Ty::Tags,
                2 => Ty::State,
                3 => Ty::Dims,
                4 if free => Ty::Ci,
                5 => Ty::Real,
                _ => self.some_type(),
            };
            let text = self.expr(ty, Reach::All, 2);
            self.output(&mut outputs, text, ty, None, false);
        }
        if self.chance(12) {
            let text = self.window(places);
            self.output(&mut outputs, text, Ty::Int, None, false);
        }
        if let Some(text) = self.strange_output() {
            self.output(&mut outputs, text, Ty::Json, None, false);
        }
        outputs
    }

    /// What is wanted at a place of a set operation, an IN or a scalar subquery.
    pub(super) fn wanted(&mut self, ty: Ty, key: Option<usize>, free: bool) -> String {
        if let Some(key) = key {
            let own: Vec<String> =
                self.own_keys().into_iter().filter(|(_, _, of)| *of == key).map(|(text, _, _)| text).collect();
            return match self.rng.u8(0..20) {
                0..=15 if !own.is_empty() => own[self.rng.usize(0..own.len())].clone(),
                17 => "NULL".to_owned(),
                _ if !self.sin(30) => self.own_output(key),
                18 if free => self.column(Ty::Ci, Reach::Own).unwrap_or_else(|| "NULL".to_owned()),
                18 => self.column(Ty::Real, Reach::Own).unwrap_or_else(|| "NULL".to_owned()),
                _ => self.expr(ty, Reach::All, 1),
            };
        }
        self.expr(ty, Reach::All, 1)
    }

    /// The key columns of the innermost level: text, type, key.
    pub(super) fn own_keys(&self) -> Vec<(String, Ty, usize)> {
        let Some(scope) = self.scopes.last() else { return Vec::new() };
        let of = |rel: &super::Rel| -> Vec<(String, Ty, usize)> {
            rel.cols.iter().filter_map(|col| Some((format!("{}.{}", rel.alias, col.name), col.ty, col.key?))).collect()
        };
        scope.iter().flat_map(of).collect()
    }

    /// Key columns that a level passes on: those whose proof is left to the user, and some others.
    pub(super) fn key_outputs(&mut self, places: &Places) -> Vec<(String, Ty, usize, bool)> {
        let scope = self.scopes.last().cloned().unwrap_or_default();
        let mut found = Vec::new();
        for (at, rel) in scope.iter().enumerate() {
            for col in &rel.cols {
                let Some(key) = col.key else { continue };
                let deferred = places.deferred.contains(&(at, key));
                if deferred || self.chance(45) {
                    let mut text = format!("{}.{}", rel.alias, col.name);
                    if self.world.keys[key].ty == crate::world::KeyType::Text && self.chance(5) {
                        self.tag("key-output-cast");
                        let wrong = self.sin(30);
                        let ty = if wrong {
                            ["bpchar", "varchar(2)", "name"][self.rng.usize(0..3)]
                        } else {
                            ["text", "varchar"][self.rng.usize(0..2)]
                        };
                        text = format!("{text}::{ty}");
                    } else if self.world.keys[key].ty == crate::world::KeyType::Text && self.sin(4) {
                        self.tag("key-output-collate");
                        text = format!("{text} COLLATE ext.ci");
                    }
                    found.push((text, col.ty, key, deferred));
                }
            }
        }
        found
    }

    pub(super) fn output(
        &mut self,
        outputs: &mut Vec<Output>,
        text: String,
        ty: Ty,
        key: Option<usize>,
        pending: bool,
    ) {
        let own = text.rsplit('.').next().unwrap_or_default().to_owned();
        let plain = !own.is_empty() && own.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        let bait = ["tenant_id", "id", "region", "status", "org_id", "account_id", "val"];
        let mut name =
            if plain && text.contains('.') && self.chance(85) { own.clone() } else { format!("x{}", outputs.len()) };
        if self.chance(4) {
            self.tag("bait-name");
            self.pick(&bait).clone_into(&mut name);
        }
        if outputs.iter().any(|other| other.name == name) {
            name = format!("y{}", outputs.len());
        }
        let spelled =
            if plain && name == own && text.contains('.') { text.clone() } else { format!("{text} AS {name}") };
        let col = Col { name: name.clone(), ty, key, seen: Seen::Readable, pending };
        outputs.push(Output { text: spelled, name, col });
    }

    /// What is a denial wherever it stands, or nearly.
    fn strange_output(&mut self) -> Option<String> {
        let scope = self.scopes.last()?.clone();
        let rel = scope.get(self.rng.usize(0..scope.len().max(1)))?;
        let alias = &rel.alias;
        Some(match self.rng.u16(0..1000) {
            0..=99 if rel.table.is_none() => {
                self.tag("derived-row");
                if self.rng.bool() { format!("to_jsonb({alias})") } else { format!("{alias}::text") }
            }
            100..=199 if self.sin(60) => {
                self.tag("whole-row");
                match self.rng.u8(0..5) {
                    0 => alias.clone(),
                    1 => format!("to_jsonb({alias})"),
                    2 => format!("{alias} IS NULL"),
                    3 => format!("ROW({alias}.*)"),
                    _ => format!("{alias}::text"),
                }
            }
            200..=299 if self.sin(60) => {
                self.tag("system-column");
                let column = self.pick(&["tableoid", "xmin", "ctid"]);
                format!("{alias}.{column}")
            }
            300..=449 if self.bound && !self.params.is_empty() && self.sin(60) => {
                self.tag("param-elsewhere");
                let number = self.rng.usize(1..=self.params.len());
                match self.rng.u8(0..7) {
                    0 => format!("${number}"),
                    1 => format!("${number}::real"),
                    2 => format!("${number}::bpchar"),
                    3 => format!("length(${number})"),
                    _ => format!("${number}::text"),
                }
            }
            _ => return None,
        })
    }

    /// The tail of a level that does not aggregate.
    fn finish(&mut self, shape: Shape, outputs: &[Output], want: &Want) -> Sub {
        let texts: Vec<&str> = outputs.iter().map(|output| output.text.as_str()).collect();
        let cols = outputs.iter().map(|output| output.col.clone()).collect();
        let all: Vec<String> = (1..=outputs.len()).map(|at| at.to_string()).collect();
        let (mut head, mut tail) = ("SELECT ".to_owned(), String::new());
        match shape {
            Shape::Distinct => {
                self.tag("distinct");
                head.push_str("DISTINCT ");
            }
            Shape::DistinctOn => {
                self.tag("distinct-on");
                let mut keys: Vec<String> = Vec::new();
                for (text, _, _) in self.own_keys() {
                    if !keys.contains(&text) && (!self.sin(25) || self.chance(30)) {
                        keys.push(text);
                    }
                }
                if keys.is_empty() || self.chance(20) {
                    keys.push(self.column(Ty::Int, Reach::Own).unwrap_or_else(|| "1".to_owned()));
                }
                // An integer here is an output's number.
                keys.retain(|key| !key.starts_with(|first: char| first.is_ascii_digit()) || key == "1");
                head.push_str(&format!("DISTINCT ON ({}) ", keys.join(", ")));
                let order: Vec<String> = keys.iter().cloned().chain(self.total_order()).collect();
                tail = format!(" ORDER BY {}", order.join(", "));
            }
            Shape::First => {
                self.tag("limit-one");
                let order = self.total_order();
                tail = if order.is_empty() { String::new() } else { format!(" ORDER BY {}", order.join(", ")) };
                tail.push_str(" LIMIT 1");
            }
            Shape::Plain | Shape::Grouped | Shape::Total => {}
        }
        let ci = outputs.iter().any(|output| output.col.ty == Ty::Ci);
        let open = outputs.iter().any(|output| output.col.pending);
        if tail.is_empty() && !want.branch && !ci && self.chance(14) {
            self.tag("order-by");
            tail = format!(" ORDER BY {}", all.join(", "));
            if self.chance(30) {
                self.tag("order-by-alias");
                let names: Vec<&str> = outputs.iter().map(|output| output.name.as_str()).collect();
                tail = format!(" ORDER BY {}", names.join(", "));
            }
            if self.chance(60) && (!open || self.sin(40)) {
                self.limit(&mut tail);
            }
        } else if tail.is_empty() && self.chance(2) && (!open || self.sin(60)) {
            self.tag("offset");
            tail.push_str(" OFFSET 0");
        }
        Sub { sql: format!("{head}{}\u{1}{tail}", texts.join(", ")), cols }
    }

    pub(super) fn limit(&mut self, tail: &mut String) {
        match self.rng.u8(0..8) {
            0 => {
                self.tag("offset");
                tail.push_str(&format!(" OFFSET {}", self.rng.u8(0..3)));
            }
            1 => {
                self.tag("fetch");
                tail.push_str(&format!(" FETCH FIRST {} ROWS ONLY", self.rng.u8(1..6)));
            }
            _ => {
                self.tag("limit");
                tail.push_str(&format!(" LIMIT {}", self.rng.u8(1..8)));
            }
        }
    }

    /// Columns by which no two different rows of the innermost level tie.
    pub(super) fn total_order(&self) -> Vec<String> {
        let Some(scope) = self.scopes.last() else { return Vec::new() };
        let mut order = Vec::new();
        for rel in scope {
            match rel.table {
                Some(table) => {
                    order.extend(table.identity.iter().map(|name| {
                        // Under an alias column list the first columns have other names.
                        let at = table.columns.iter().position(|column| column.name == *name).unwrap_or(0);
                        format!("{}.{}", rel.alias, rel.cols[at].name)
                    }));
                }
                None => {
                    order.extend(rel.cols.iter().map(|col| {
                        let collate = if col.ty == Ty::Ci { " COLLATE \"C\"" } else { "" };
                        format!("{}.{}{collate}", rel.alias, col.name)
                    }));
                }
            }
        }
        order
    }
}
