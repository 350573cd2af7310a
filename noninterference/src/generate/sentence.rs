//! Queries for single sentences of docs/soundness.md that look pedantic: each stands where a simpler sentence leaked. Filled
//! in at random, in forms that are right and in forms that are not.

use super::Generator;

/// A tenant table with one key, and columns to play with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Base {
    pub(super) table: &'static str,
    pub(super) key: usize,
    pub(super) column: &'static str,
    pub(super) int: &'static str,
    pub(super) text: &'static str,
}

const fn base(table: &'static str, key: usize, column: &'static str, int: &'static str, text: &'static str) -> Base {
    Base { table, key, column, int, text }
}

const TEXT: &[Base] = &[
    base("customers", 0, "tenant_id", "manager_id", "name"),
    base("orders", 0, "tenant_id", "customer_id", "status"),
    base("items", 0, "tenant_id", "order_id", "tenant_id"),
    base("notes", 0, "tenant_id", "order_id", "body"),
    base("events", 0, "tenant_id", "val", "kind"),
    base("labels", 0, "tenant_id", "id", "region"),
];

const KEYS: &[Base] = &[
    base("docs", 0, "org_id", "size", "title"),
    base("revisions", 0, "org_id", "doc_id", "body"),
    base("meters", 1, "account_id", "id", "label"),
    base("readings", 1, "account_id", "meter_id", "meter_id"),
];

impl Generator {
    pub(super) fn is_text(&self) -> bool {
        self.world.name == "text"
    }

    /// A table.
    pub(super) fn base(&mut self) -> Base {
        let list = if self.is_text() { TEXT } else { KEYS };
        list[self.rng.usize(0..list.len())]
    }

    /// A table with the same key.
    pub(super) fn peer(&mut self, base: Base) -> Base {
        let list = if self.is_text() { TEXT } else { KEYS };
        let same: Vec<Base> = list.iter().copied().filter(|other| other.key == base.key).collect();
        same[self.rng.usize(0..same.len())]
    }

    /// A proof of a column.
    pub(super) fn held(&mut self, column: &str, key: usize) -> String {
        if self.bound && self.caller.values[key].len() > 1 {
            return format!("{column} = ANY (${})", self.param(key, true));
        }
        let value = self.own(key);
        if self.chance(20) { format!("{value} = {column}") } else { format!("{column} = {value}") }
    }

    /// A shared table with an integer column: its name and that column.
    pub(super) fn shared(&self) -> &'static str {
        if self.is_text() { "products" } else { "rates" }
    }

    /// A derived column that holds tenants' values in another type or collation.
    fn foreign_typed(&mut self, base: Base) -> String {
        match (self.is_text(), self.rng.u8(0..3)) {
            (true, 0) => format!("SELECT name AS {}, id FROM products", base.column),
            (true, _) => format!("SELECT label AS {}, id FROM products", base.column),
            (false, 0) => format!("SELECT account AS {}, id FROM rates", base.column),
            (false, _) => format!("SELECT ratio AS {}, id FROM rates", base.column),
        }
    }

    /// One sentence.
    pub(super) fn sentence(&mut self) -> String {
        let (a, wrong) = (self.base(), self.rng.bool());
        let b = self.peer(a);
        let (t, k, n, u, m, x) = (a.table, a.column, a.int, b.table, b.int, b.text);
        let held = self.held(&format!("a.{k}"), a.key);
        let here = self.held(k, a.key);
        let d = self.held(&format!("d.{k}"), a.key);
        let s = self.shared();
        match self.rng.u8(0..22) {
            0 => {
                self.tag("s-not-distinct");
                let b_held = self.held(&format!("b.{}", b.column), b.key);
                let operator = if wrong { "IS NOT DISTINCT FROM" } else { "=" };
                format!(
                    "SELECT p.id FROM {s} p LEFT JOIN {u} b ON b.{m} = p.id AND {b_held} LEFT JOIN {t} c ON c.id = p.id WHERE c.{k} {operator} b.{}",
                    b.column
                )
            }
            1 => {
                self.tag("s-defer-offset");
                let tail = if wrong { format!(" ORDER BY {k}, id LIMIT {}", self.rng.u8(1..9)) } else { String::new() };
                let tail = if wrong && self.rng.bool() {
                    format!(" ORDER BY {k}, id OFFSET {}", self.rng.u8(0..6))
                } else {
                    tail
                };
                format!("SELECT * FROM (SELECT {k}, id, {n} FROM {t}{tail}) d WHERE {d}")
            }
            2 => {
                self.tag("s-defer-distinct-on");
                let on = if wrong { n } else { k };
                format!("SELECT * FROM (SELECT DISTINCT ON ({on}) {k}, id FROM {t} ORDER BY {on}, {k}, id) d WHERE {d}")
            }
            3 => {
                self.tag("s-distinct-on-output");
                let renamed = if wrong { format!("id AS {k}") } else { format!("{k} AS {k}") };
                let e = self.held("d.k", a.key);
                format!(
                    "SELECT d.k, d.{n} FROM (SELECT DISTINCT ON ({k}) {renamed}, a.{k} AS k, {n} FROM {t} a ORDER BY {k}, a.{k}, a.id) d WHERE {e}"
                )
            }
            4 => {
                self.tag("s-window-ordinal");
                let by = if wrong { "1" } else { k };
                format!("SELECT * FROM (SELECT {k}, id, count(*) OVER (PARTITION BY {by}) AS w FROM {t}) d WHERE {d}")
            }
            5 => {
                self.tag("s-defer-window");
                let by = if wrong { n } else { k };
                let order = format!("ORDER BY {k}, id");
                let f = self.pick(&["rank()", "row_number()", "count(*)", "sum(id)"]);
                let order = if self.rng.bool() { order } else { String::new() };
                let order = if f == "row_number()" || f == "rank()" { format!("ORDER BY {k}, id") } else { order };
                format!("SELECT * FROM (SELECT {k}, {f} OVER (PARTITION BY {by} {order}) AS w FROM {t}) d WHERE {d}")
            }
            6 => {
                self.tag("s-recursive-fact");
                let (body, cols) = self.recursion("r");
                let key = cols[1].name.clone();
                let other = if self.is_text() { self.base().table } else { "docs" };
                let join = if self.rng.bool() { "JOIN" } else { "LEFT JOIN" };
                let list = if join == "JOIN" { "a.id" } else { "r.id, a.id" };
                let (left, right) = if join == "JOIN" { (format!("{other} a"), "r") } else { ("r".to_owned(), "x") };
                let right = if right == "x" { format!("{other} a") } else { right.to_owned() };
                format!("WITH RECURSIVE r AS ({body}) SELECT {list} FROM {left} {join} {right} ON a.{key} = r.{key}")
            }
            7 => {
                self.tag("s-exists-union");
                let arm = if wrong {
                    let operator = self.pick(&["UNION ALL", "UNION", "EXCEPT"]);
                    format!(" {operator} SELECT 1 FROM {s} WHERE id > {}", self.rng.u8(0..9))
                } else {
                    String::new()
                };
                let e = self.held(&format!("b.{}", b.column), b.key);
                let closed =
                    if self.rng.bool() { format!("{held} AND {e}") } else { format!("a.{k} = b.{} AND {e}", b.column) };
                format!("SELECT a.id FROM {t} a WHERE EXISTS (SELECT 1 FROM {u} b WHERE {closed}{arm})")
            }
            8 => {
                self.tag("s-using-other-type");
                let from = self.foreign_typed(a);
                let side = if wrong { from } else { format!("SELECT {k}, id FROM {t} WHERE {here}") };
                let join = self.pick(&["JOIN", "LEFT JOIN", "FULL JOIN", "RIGHT JOIN"]);
                format!("SELECT a.id FROM ({side}) p {join} {t} a USING ({k}) WHERE {here}")
            }
            9 => {
                self.tag("s-captured-name");
                let (outer, name) = if self.is_text() {
                    *self.pick(&[
                        &("customers", "region"),
                        &("customers", "name"),
                        &("orders", "status"),
                        &("orders", "total"),
                        &("items", "qty"),
                    ])
                } else {
                    *self.pick(&[&("docs", "title"), &("docs", "size"), &("docs", "title")])
                };
                let (inner, key, column) =
                    if self.is_text() { ("notes", 0, "tenant_id") } else { ("revisions", 0, "org_id") };
                let (o, i) = (self.held(&format!("o.{column}"), key), self.held(&format!("i.{column}"), key));
                let spelled = if wrong { name.to_owned() } else { format!("o.{name}") };
                match self.rng.u8(0..3) {
                    0 => format!(
                        "SELECT o.id FROM {outer} o WHERE {o} AND EXISTS (SELECT 1 FROM {inner} i WHERE {i} AND {spelled} IS NOT NULL)"
                    ),
                    1 => format!(
                        "SELECT o.id, (SELECT count({spelled}) FROM {inner} i WHERE {i}) AS n FROM {outer} o WHERE {o}"
                    ),
                    _ => format!(
                        "SELECT count(*) AS n FROM {outer} o, LATERAL (SELECT max({spelled}) AS m FROM {inner} i WHERE {i}) l WHERE {o} GROUP BY l.m"
                    ),
                }
            }
            10 => {
                self.tag("s-whole-row");
                let table = if self.is_text() {
                    self.pick(&["customers", "notes", "items"])
                } else {
                    self.pick(&["docs", "revisions"])
                };
                let pin = self.held(&format!("a.{}", if self.is_text() { "tenant_id" } else { "org_id" }), 0);
                let row = self.pick(&[
                    "a",
                    "a::text",
                    "to_jsonb(a)",
                    "ROW(a.*)",
                    "(SELECT a)",
                    "a IS NULL",
                    "json_agg(a)",
                    "count(a.id)",
                    "a.id",
                ]);
                format!("SELECT {row} AS r FROM {table} a WHERE {pin}")
            }
            11 => {
                self.tag("s-star");
                let star = self.pick(&["*", "a.*"]);
                match self.rng.u8(0..6) {
                    0 => format!("SELECT {star} FROM {t} a WHERE {held}"),
                    5 if self.is_text() => {
                        let at = self.rng.u8(1..4);
                        let pin = self.held(&format!("d.c{at}"), 0);
                        format!("SELECT d.c0 FROM (SELECT {star} FROM labels a) AS d(c0, c1, c2, c3) WHERE {pin}")
                    }
                    1 => format!("SELECT d.c0 FROM (SELECT {star} FROM {t} a WHERE {held}) AS d(c0, c1)"),
                    2 => format!(
                        "SELECT * FROM (SELECT {star} FROM {t} a WHERE {held} UNION ALL SELECT {star} FROM {t} a WHERE {held}) d"
                    ),
                    3 => format!(
                        "SELECT a.id FROM {t} a WHERE {held} AND EXISTS (SELECT * FROM {u} b WHERE b.{} = a.{k})",
                        b.column
                    ),
                    _ => format!("SELECT d.id FROM (SELECT {star} FROM {t} a WHERE {held}) d"),
                }
            }
            12 => {
                self.tag("s-natural");
                let (a, b) = if self.is_text() {
                    *self.pick(&[
                        &("customers", "notes"),
                        &("orders", "notes"),
                        &("items", "notes"),
                        &("orders", "events"),
                        &("events", "notes"),
                    ])
                } else {
                    *self.pick(&[&("docs", "revisions"), &("revisions", "docs"), &("revisions", "revisions")])
                };
                let (column, key) = if self.is_text() { ("tenant_id", 0) } else { ("org_id", 0) };
                let pin = self.held(&format!("a.{column}"), key);
                let kind = self.pick(&["NATURAL JOIN", "NATURAL LEFT JOIN"]);
                format!("SELECT a.id FROM {a} a {kind} {b} b WHERE {pin}")
            }
            _ => self.sentence_of_names(a, b, wrong, x),
        }
    }
}
