//! FROM: relations of every kind, joined in every shape.

use super::expr::Reach;
use super::{Col, Generator, Rel, Want};
use crate::world::{Seen, Sharing, Table, Ty};

/// A join tree.
pub(super) enum Node {
    /// A relation of the level, by its position, and its text.
    Leaf(usize, String),
    /// Two trees.
    Join {
        /// `JOIN`, `LEFT JOIN` …
        kind: &'static str,
        left: Box<Node>,
        right: Box<Node>,
        /// Conditions of ON; unused where `fixed` stands.
        on: Vec<String>,
        /// USING, or nothing where the kind takes no condition.
        fixed: Option<String>,
        rels: Vec<usize>,
    },
}

impl Node {
    pub(super) fn rels(&self) -> Vec<usize> {
        match self {
            Node::Leaf(rel, _) => vec![*rel],
            Node::Join { rels, .. } => rels.clone(),
        }
    }

    /// The lowest join above all of these relations that has an ON.
    pub(super) fn lowest(&mut self, wanted: &[usize]) -> Option<&mut Vec<String>> {
        match self {
            Node::Leaf(_, _) => None,
            Node::Join { left, right, on, fixed, rels, .. } => {
                if !wanted.iter().all(|rel| rels.contains(rel)) {
                    return None;
                }
                for side in [left, right] {
                    if wanted.iter().all(|rel| side.rels().contains(rel)) && !matches!(**side, Node::Leaf(_, _)) {
                        // Two looks, since the borrow checker keeps what the first finds.
                        if side.lowest(wanted).is_some() {
                            return side.lowest(wanted);
                        }
                    }
                }
                if fixed.is_some() { None } else { Some(on) }
            }
        }
    }

    /// The highest one.
    pub(super) fn highest(&mut self, rel: usize) -> Option<&mut Vec<String>> {
        match self {
            Node::Join { on, fixed: None, rels, .. } if rels.contains(&rel) => Some(on),
            Node::Leaf(_, _) | Node::Join { .. } => None,
        }
    }

    pub(super) fn render(&self) -> String {
        match self {
            Node::Leaf(_, text) => text.clone(),
            Node::Join { kind, left, right, on, fixed, .. } => {
                let right_text = match **right {
                    Node::Leaf(_, _) => right.render(),
                    Node::Join { .. } => format!("({})", right.render()),
                };
                let condition = match fixed {
                    Some(fixed) => fixed.clone(),
                    None if on.is_empty() => " ON true".to_owned(),
                    None => format!(" ON {}", on.join(" AND ")),
                };
                format!("{} {kind} {right_text}{condition}", left.render())
            }
        }
    }
}

/// FROM as it is built: the trees, and which relations' keys are said to be equal.
pub(super) struct From {
    pub(super) roots: Vec<Node>,
    pub(super) links: Vec<(usize, usize, usize)>,
    /// Keys that a USING merged.
    pub(super) merged: Vec<usize>,
}

impl Generator {
    /// Writes a FROM and leaves its relations as the innermost scope.
    pub(super) fn from(&mut self) -> From {
        self.scopes.push(Vec::new());
        let count = match self.rng.u8(0..100) {
            0..=29 => 1,
            30..=74 => 2,
            75..=92 => 3,
            _ => 4,
        };
        let mut nodes = Vec::new();
        for at in 0..count {
            if at > 0 && !self.room() {
                break;
            }
            let text = self.leaf(at);
            nodes.push(Node::Leaf(at, text));
        }
        let mut from = From { roots: Vec::new(), links: Vec::new(), merged: Vec::new() };
        while nodes.len() > 1 {
            if self.chance(9) {
                self.tag("comma");
                for (a, b) in (0..nodes.len()).zip(1..nodes.len()) {
                    self.link(&nodes[a].rels(), &nodes[b].rels(), &mut from);
                }
                break;
            }
            let at = self.rng.usize(0..nodes.len() - 1);
            if at > 0 {
                self.tag("join-bushy");
            }
            let right = nodes.remove(at + 1);
            let left = nodes.remove(at);
            let joined = self.join(left, right, &mut from);
            nodes.insert(at, joined);
        }
        from.roots = nodes;
        from
    }

    fn join(&mut self, left: Node, right: Node, from: &mut From) -> Node {
        let kind = match self.rng.u8(0..100) {
            0..=46 => "JOIN",
            47..=73 => "LEFT JOIN",
            74..=82 => "RIGHT JOIN",
            83..=91 => "FULL JOIN",
            92..=95 => "CROSS JOIN",
            96 | 97 => "NATURAL JOIN",
            98 => "NATURAL LEFT JOIN",
            _ => "INNER JOIN",
        };
        self.tag(match kind {
            "LEFT JOIN" => "join-left",
            "RIGHT JOIN" => "join-right",
            "FULL JOIN" => "join-full",
            "CROSS JOIN" => "join-cross",
            "NATURAL JOIN" | "NATURAL LEFT JOIN" => "join-natural",
            _ => "join-inner",
        });
        let (lefts, rights) = (left.rels(), right.rels());
        let rels: Vec<usize> = lefts.iter().chain(&rights).copied().collect();
        let nullable: &[&Vec<usize>] = match kind {
            "LEFT JOIN" | "NATURAL LEFT JOIN" => &[&rights],
            "RIGHT JOIN" => &[&lefts],
            "FULL JOIN" => &[&lefts, &rights],
            _ => &[],
        };
        if let Some(scope) = self.scopes.last_mut() {
            for rel in nullable.iter().copied().flatten() {
                scope[*rel].nullable = true;
            }
        }
        let mut on = Vec::new();
        let mut fixed = None;
        match kind {
            "CROSS JOIN" => {
                fixed = Some(String::new());
            }
            "NATURAL JOIN" | "NATURAL LEFT JOIN" => {
                fixed = Some(String::new());
                let both = self.key_columns(&lefts, &rights, true);
                for (a, b, key, _, _) in both {
                    from.links.push((a, b, key));
                    from.merged.push(key);
                }
            }
            _ if self.chance(14) => fixed = self.using(&lefts, &rights, from),
            _ => {}
        }
        if fixed.is_none() {
            on = self.link(&lefts, &rights, from);
            if self.chance(70) || on.is_empty() {
                let tie = self.tie(&lefts, &rights);
                on.extend(tie);
            }
            if self.chance(12) {
                let extra = self.predicate(Reach::Own);
                self.tag("on-predicate");
                on.push(extra);
            }
        }
        Node::Join { kind, left: Box::new(left), right: Box::new(right), on, fixed, rels }
    }

    /// Pairs of relations that carry one key, and the names of their columns; with `same`, under one name.
    fn key_columns(&self, lefts: &[usize], rights: &[usize], same: bool) -> Vec<(usize, usize, usize, String, String)> {
        let Some(scope) = self.scopes.last() else { return Vec::new() };
        let mut found = Vec::new();
        for a in lefts {
            for b in rights {
                for x in &scope[*a].cols {
                    for y in &scope[*b].cols {
                        if let (Some(key), true) = (x.key, x.key == y.key)
                            && (!same || x.name == y.name)
                        {
                            found.push((*a, *b, key, x.name.clone(), y.name.clone()));
                        }
                    }
                }
            }
        }
        found
    }

    /// Equalities between the keys of two sides, mostly; remembers which.
    pub(super) fn link(&mut self, lefts: &[usize], rights: &[usize], from: &mut From) -> Vec<String> {
        let pairs = self.key_columns(lefts, rights, false);
        let mut conditions = Vec::new();
        for key in 0..self.world.keys.len() {
            let of_key: Vec<_> = pairs.iter().filter(|pair| pair.2 == key).collect();
            if of_key.is_empty() || !self.chance(62) {
                continue;
            }
            let (a, b, _, x, y) = of_key[self.rng.usize(0..of_key.len())].clone();
            let (a_alias, b_alias) = (self.alias(a), self.alias(b));
            let form = if self.sin(12) { [0, 3, 3, 4][self.rng.usize(0..4)] } else { self.rng.u8(5..30) };
            let condition = match form {
                0 => {
                    self.tag("closure-not-distinct");
                    format!("{a_alias}.{x} IS NOT DISTINCT FROM {b_alias}.{y}")
                }
                5 | 6 => {
                    self.tag("closure-row");
                    format!("({a_alias}.{x}, 1) = ({b_alias}.{y}, 1)")
                }
                7 if self.world.keys[key].ty == crate::world::KeyType::Text || self.chance(20) => {
                    self.tag("closure-cast");
                    format!("{a_alias}.{x}::text = {b_alias}.{y}::text")
                }
                3 => {
                    self.tag("closure-wrong-cast");
                    let ty = ["bpchar", "name", "varchar(2)"][self.rng.usize(0..3)];
                    format!("{a_alias}.{x}::{ty} = {b_alias}.{y}::{ty}")
                }
                4 => {
                    self.tag("closure-not-equal");
                    format!("{a_alias}.{x} <= {b_alias}.{y}")
                }
                8..=14 => format!("{b_alias}.{y} = {a_alias}.{x}"),
                _ => format!("{a_alias}.{x} = {b_alias}.{y}"),
            };
            self.tag("closure");
            from.links.push((a, b, key));
            let condition = self.wrap(condition, Reach::Own);
            conditions.push(condition);
        }
        conditions
    }

    fn alias(&self, rel: usize) -> String {
        self.scopes.last().map_or_else(String::new, |scope| scope[rel].alias.clone())
    }

    /// An equality that is no key's.
    pub(super) fn tie(&mut self, lefts: &[usize], rights: &[usize]) -> Option<String> {
        let scope = self.scopes.last()?.clone();
        let ints = |rels: &[usize]| -> Vec<String> {
            rels.iter()
                .flat_map(|rel| {
                    let rel = &scope[*rel];
                    rel.cols
                        .iter()
                        .filter(|col| col.ty == Ty::Int && col.seen == Seen::Readable && col.key.is_none())
                        .map(|col| format!("{}.{}", rel.alias, col.name))
                        .collect::<Vec<_>>()
                })
                .collect()
        };
        let (a, b) = (ints(lefts), ints(rights));
        if a.is_empty() || b.is_empty() {
            return None;
        }
        let (x, y) = (&a[self.rng.usize(0..a.len())], &b[self.rng.usize(0..b.len())]);
        Some(format!("{x} = {y}"))
    }

    fn using(&mut self, lefts: &[usize], rights: &[usize], from: &mut From) -> Option<String> {
        let scope = self.scopes.last()?.clone();
        let names = |rels: &[usize]| -> Vec<String> {
            rels.iter()
                .flat_map(|rel| {
                    scope[*rel].cols.iter().filter(|col| col.seen == Seen::Readable).map(|col| col.name.clone())
                })
                .collect()
        };
        let (left, right) = (names(lefts), names(rights));
        let once = |list: &[String], name: &String| list.iter().filter(|own| *own == name).count() == 1;
        let both: Vec<String> = left.iter().filter(|name| once(&left, name) && once(&right, name)).cloned().collect();
        let keyed = self.key_columns(lefts, rights, true);
        let keyed: Vec<_> = keyed.into_iter().filter(|(_, _, _, name, _)| both.contains(name)).collect();
        let mut list: Vec<String> = Vec::new();
        if let Some((a, b, key, name, _)) = keyed.first()
            && self.chance(80)
        {
            list.push(name.clone());
            from.links.push((*a, *b, *key));
            from.merged.push(*key);
            self.tag("using-key");
        }
        if let Some(name) = both.iter().find(|name| !list.contains(name)).cloned()
            && (list.is_empty() || self.chance(40))
        {
            list.push(name);
        }
        if list.is_empty() {
            return None;
        }
        self.tag("using");
        Some(format!(" USING ({})", list.join(", ")))
    }

    /// Writes one relation and adds it to the innermost scope.
    fn leaf(&mut self, at: usize) -> String {
        let draw = self.rng.u16(0..1000);
        let deep = self.depth >= 3 || self.plain;
        if !self.ctes.is_empty() && self.chance(if self.depth == 0 { 50 } else { 25 }) {
            return self.cte_leaf();
        }
        match draw {
            0..=149 if !deep && self.room() => self.derived(false),
            150..=199 if !deep && at > 0 && self.room() => self.derived(true),
            200..=229 => self.values_leaf(),
            230..=254 => self.function_leaf(),
            255..=329 => self.table_leaf(Sharing::Shared),
            330..=349 if self.sin(30) => self.table_leaf(Sharing::Forbidden),
            _ => self.table_leaf(Sharing::Tenant),
        }
    }

    pub(super) fn table_leaf(&mut self, sharing: Sharing) -> String {
        self.relations += 1;
        let tables: Vec<&'static Table> = self.world.tables.iter().filter(|table| table.sharing == sharing).collect();
        let Some(table) = tables.get(self.rng.usize(0..tables.len().max(1))).copied() else {
            return self.table_leaf(Sharing::Tenant);
        };
        self.tag(match sharing {
            Sharing::Tenant => "table-tenant",
            Sharing::Shared => "table-shared",
            Sharing::Forbidden => "table-forbidden",
        });
        if table.name == "events" {
            self.tag("table-partitioned");
        }
        let qualified = if table.schema == "app" { self.chance(40) } else { self.chance(90) };
        let name = if qualified { format!("{}.{}", table.schema, table.name) } else { table.name.to_owned() };
        let taken = self.scopes.iter().flatten().any(|rel| rel.alias == table.name);
        let (alias, text) = if !taken && self.chance(12) {
            (table.name.to_owned(), name)
        } else {
            let alias = self.name("t");
            let text = if self.rng.bool() { format!("{name} {alias}") } else { format!("{name} AS {alias}") };
            (alias, text)
        };
        let mut rel = self.rel(alias, table);
        let mut text = text;
        if text.contains(&format!(" {}", rel.alias)) && self.sin(1) {
            self.tag("alias-columns");
            text.push_str("(k1, k2)");
            for (col, name) in rel.cols.iter_mut().zip(["k1", "k2"]) {
                name.clone_into(&mut col.name);
            }
        }
        self.add(rel);
        text
    }

    /// A table under an alias.
    pub(super) fn rel(&self, alias: String, table: &'static Table) -> Rel {
        let cols = table
            .columns
            .iter()
            .map(|column| Col {
                name: column.name.to_owned(),
                ty: column.ty,
                key: (0..self.world.keys.len()).find(|key| table.keys[*key] == Some(column.name)),
                seen: column.seen,
                pending: false,
            })
            .collect();
        Rel { alias, cols, table: Some(table), nullable: false }
    }

    pub(super) fn add(&mut self, rel: Rel) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(rel);
        }
    }

    fn derived(&mut self, lateral: bool) -> String {
        let want = Want { deferrable: true, ..Want::default() };
        self.depth += 1;
        // A plain derived table sees nothing of its own level.
        let own = if lateral { None } else { self.scopes.pop() };
        let sub = self.query(&want);
        if let Some(own) = own {
            self.scopes.push(own);
        }
        self.depth -= 1;
        self.tag(if lateral { "lateral" } else { "derived" });
        let alias = self.name("d");
        let mut cols = sub.cols;
        let mut list = String::new();
        if self.chance(10) && !cols.is_empty() {
            self.tag("derived-renamed");
            let names: Vec<String> = (0..cols.len()).map(|at| format!("c{at}")).collect();
            for (col, name) in cols.iter_mut().zip(&names) {
                col.name.clone_from(name);
            }
            list = format!("({})", names.join(", "));
        }
        self.add(Rel { alias: alias.clone(), cols, table: None, nullable: false });
        format!("{}({}) {alias}{list}", if lateral { "LATERAL " } else { "" }, sub.sql)
    }

    fn cte_leaf(&mut self) -> String {
        let at = self.rng.usize(0..self.ctes.len());
        self.tag("cte");
        if self.ctes[at].uses > 0 {
            self.tag("cte-twice");
        }
        self.ctes[at].uses += 1;
        let (name, cols) = (self.ctes[at].name.clone(), self.ctes[at].cols.clone());
        let alias = self.name("w");
        self.add(Rel { alias: alias.clone(), cols, table: None, nullable: false });
        format!("{name} {alias}")
    }

    fn values_leaf(&mut self) -> String {
        self.tag("values");
        let key = self.some_key();
        let ty = self.key_type(key);
        let mut rows = Vec::new();
        for at in 0..self.rng.i32(1..4) {
            let cell = if self.sin(20) {
                self.constant(ty)
            } else if self.chance(8) {
                "NULL".to_owned()
            } else {
                self.own_output(key)
            };
            rows.push(format!("({cell}, {at})"));
        }
        let alias = self.name("v");
        let col = |name: &str, ty, key| Col { name: name.to_owned(), ty, key, seen: Seen::Readable, pending: false };
        let cols = vec![col("k", ty, Some(key)), col("n", Ty::Int, None)];
        self.add(Rel { alias: alias.clone(), cols, table: None, nullable: false });
        format!("(VALUES {}) AS {alias}(k, n)", rows.join(", "))
    }

    fn function_leaf(&mut self) -> String {
        self.tag("function-from");
        let alias = self.name("g");
        let col = Col { name: "n".to_owned(), ty: Ty::Int, key: None, seen: Seen::Readable, pending: false };
        self.add(Rel { alias: alias.clone(), cols: vec![col], table: None, nullable: false });
        format!("generate_series(1, {}) AS {alias}(n)", self.rng.u8(1..5))
    }
}
