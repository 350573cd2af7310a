//! Writes for single sentences of the design that look pedantic: each stands where a simpler one would leak. Filled in at
//! random, in forms that are right and in forms that are not.

use super::super::Generator;

/// A table that may be inserted into, updated and read, with one key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Base {
    pub(super) table: &'static str,
    pub(super) key: usize,
    pub(super) column: &'static str,
    /// A column that may be set.
    pub(super) set: &'static str,
    /// A value for it.
    pub(super) to: &'static str,
    /// A column that may not be read.
    pub(super) hidden: &'static str,
}

const fn base(
    table: &'static str,
    key: usize,
    column: &'static str,
    set: &'static str,
    to: &'static str,
    hidden: &'static str,
) -> Base {
    Base { table, key, column, set, to, hidden }
}

const TEXT: &[Base] = &[
    base("customers", 0, "tenant_id", "region", "'w'", "ssn"),
    base("orders", 0, "tenant_id", "status", "'w'", "nothing"),
    base("items", 0, "tenant_id", "qty", "77", "margin"),
    base("notes", 0, "tenant_id", "body", "'w'", "region"),
    base("labels", 0, "tenant_id", "region", "'w'", "nothing"),
];

const KEYS: &[Base] = &[
    base("docs", 0, "org_id", "size", "77", "secret"),
    base("revisions", 0, "org_id", "body", "'w'", "title"),
    base("meters", 1, "account_id", "label", "'w'", "pin"),
    base("readings", 1, "account_id", "val", "7", "nothing"),
];

impl Generator {
    /// A table that may be written in every way.
    pub(super) fn write_base(&mut self) -> Base {
        let list = if self.is_text() { TEXT } else { KEYS };
        list[self.rng.usize(0..list.len())]
    }

    /// Another with the same key.
    pub(super) fn write_peer(&mut self, base: Base) -> Base {
        let list = if self.is_text() { TEXT } else { KEYS };
        let same: Vec<Base> = list.iter().copied().filter(|other| other.key == base.key).collect();
        same[self.rng.usize(0..same.len())]
    }

    /// The caller's value, or a neighbour's.
    pub(super) fn maybe_own(&mut self, key: usize, wrong: bool) -> String {
        if !wrong {
            return self.own(key);
        }
        let neighbours = self.world.keys[key].neighbours;
        let neighbour = neighbours[self.rng.usize(0..neighbours.len())];
        self.spell(key, neighbour)
    }

    /// One sentence.
    pub(super) fn write_sentence(&mut self) -> String {
        let (a, wrong) = (self.write_base(), self.rng.bool());
        let b = self.write_peer(a);
        let (t, k, set, u, l) = (a.table, a.column, format!("{} = {}", a.set, a.to), b.table, b.column);
        let here = self.held(k, a.key);
        let other = self.held(&format!("b.{l}"), b.key);
        let s = self.shared();
        match self.rng.u8(0..28) {
            0 => {
                self.tag("w-only-from");
                let link = if wrong { String::new() } else { format!(" AND a.{k} = b.{l}") };
                let tail = self.pick(&["", " RETURNING a.id", " RETURNING *"]);
                if self.rng.bool() {
                    format!("UPDATE {t} a SET {set} FROM {u} b WHERE {other} AND a.id = b.id{link}{tail}")
                } else {
                    format!("DELETE FROM {t} a USING {u} b WHERE {other} AND a.id = b.id{link}{tail}")
                }
            }
            1 => {
                self.tag("w-set-key");
                let value = self.maybe_own(a.key, wrong);
                match self.rng.u8(0..4) {
                    0 => format!("UPDATE {t} SET {k} = {value} WHERE {here}"),
                    1 => format!("UPDATE {t} SET {set}, {k} = {value} WHERE {here} AND id = 2"),
                    2 => format!("UPDATE {t} SET ({}, {k}) = ({}, {value}) WHERE {here} AND id = 2", a.set, a.to),
                    _ => {
                        format!("UPDATE {t} SET ({k}, {}) = (SELECT {value}, {}) WHERE {here} AND id = 2", a.set, a.to)
                    }
                }
            }
            2 => {
                self.tag("w-insert-value");
                let (first, second) = (self.own(a.key), self.maybe_own(a.key, wrong));
                let rows = if self.rng.bool() {
                    format!("({second}, 1001)")
                } else {
                    format!("({first}, 1001), ({second}, 1002)")
                };
                format!("INSERT INTO {t} ({k}, id) VALUES {rows}")
            }
            3 => {
                self.tag("w-insert-fact");
                let source = match (wrong, self.rng.u8(0..3)) {
                    (false, 0) => format!("SELECT b.{l}, b.id + 1000 FROM {u} b WHERE {other}"),
                    (false, 1) => format!(
                        "SELECT d.{l}, d.id + 1000 FROM (SELECT {l}, id FROM {u}) d WHERE {}",
                        self.held(&format!("d.{l}"), a.key)
                    ),
                    (false, _) => format!(
                        "WITH q AS (SELECT b.{l}, b.id FROM {u} b WHERE {other}) SELECT q.{l}, q.id + 1000 FROM q"
                    ),
                    (true, 0) => format!("SELECT b.{l}, b.id + 1000 FROM {u} b"),
                    (true, 1) => {
                        format!("SELECT c.{l}, c.id + 1000 FROM {u} b JOIN {u} c ON c.id = b.id WHERE {other}")
                    }
                    (true, _) => {
                        format!("SELECT b.{l}, s.id + 1000 FROM {s} s LEFT JOIN {u} b ON b.id = s.id AND {other}")
                    }
                };
                format!("INSERT INTO {t} ({k}, id) {source}")
            }
            4 => {
                self.tag("w-own-value-others-rows");
                let v = self.own(a.key);
                let filter = if wrong { String::new() } else { format!(" WHERE {other}") };
                let id = "row_number() OVER (ORDER BY b.id) + 1000";
                format!("INSERT INTO {t} ({k}, id) SELECT {v}, {id} FROM {u} b{filter}")
            }
            5 => {
                self.tag("w-conflict");
                self.conflict_sentence(wrong)
            }
            6 => {
                self.tag("w-default-returned");
                let (table, key, column) =
                    if self.is_text() { ("notes", "tenant_id", "body") } else { ("docs", "org_id", "title") };
                let v = self.own(0);
                let read = if wrong { column } else { "id" };
                match self.rng.u8(0..5) {
                    0 => format!(
                        "INSERT INTO {table} ({key}, id, {column}) VALUES ({v}, 1001, DEFAULT) RETURNING {read}"
                    ),
                    1 if self.is_text() => {
                        format!("INSERT INTO {table} ({key}, id) VALUES ({v}, 1001) RETURNING new.{read}")
                    }
                    2 => format!(
                        "INSERT INTO {table} AS a ({key}, id) VALUES ({v}, 1001) RETURNING length(a.{read}::text)"
                    ),
                    3 => {
                        let held = self.held(key, 0);
                        format!("UPDATE {table} SET {column} = DEFAULT WHERE {held} AND id = 1 RETURNING {read}")
                    }
                    _ => format!("INSERT INTO {table} ({key}, id) VALUES ({v}, 1001) RETURNING {read}"),
                }
            }
            7 => {
                self.tag("w-key-omitted");
                let (table, key, column) =
                    if self.is_text() { ("labels", "tenant_id", "kind") } else { ("docs", "org_id", "title") };
                let (names, values) = if wrong {
                    (String::new(), String::new())
                } else {
                    (format!("{key}, "), format!("{}, ", self.own(0)))
                };
                let default = if wrong && self.rng.bool() {
                    (format!("{key}, "), "DEFAULT, ".to_owned())
                } else {
                    (names, values)
                };
                format!("INSERT INTO {table} ({}id, {column}) VALUES ({}1001, 'w')", default.0, default.1)
            }
            8 => {
                self.tag("w-typed-union");
                // A branch of another type changes what the first one's value is.
                let v = self.own_output(a.key);
                let branch = if wrong { if self.is_text() { "1e1::text" } else { "NULL::real" } } else { "NULL" };
                let operator = self.pick(&["UNION", "UNION ALL"]);
                format!(
                    "INSERT INTO {t} ({k}, id) SELECT d.v, 1001 FROM (SELECT {v} AS v {operator} SELECT {branch}) d WHERE d.v IS NOT NULL"
                )
            }
            9 => {
                self.tag("w-left-join");
                // "Equal, or not there" is no proof.
                let keep = if wrong { format!("(a.{k} = b.{l} OR b.id IS NULL)") } else { format!("a.{k} = b.{l}") };
                let from = format!("{s} s LEFT JOIN {u} b ON b.id = s.id AND {other}");
                if self.rng.bool() {
                    format!("UPDATE {t} a SET {set} FROM {from} WHERE a.id = s.id AND {keep}")
                } else {
                    format!("DELETE FROM {t} a USING {from} WHERE a.id = s.id AND {keep}")
                }
            }
            _ => self.write_oddity(a, b, wrong),
        }
    }
}
