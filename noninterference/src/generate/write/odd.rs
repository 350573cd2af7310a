//! More of the same: subselects, hidden columns, RETURNING, two keys, WITH.

use super::super::Generator;
use super::sentence::Base;

impl Generator {
    /// One of them.
    pub(super) fn write_oddity(&mut self, a: Base, b: Base, wrong: bool) -> String {
        let (t, k, set, u, l) = (a.table, a.column, format!("{} = {}", a.set, a.to), b.table, b.column);
        let held = self.held(&format!("a.{k}"), a.key);
        let here = self.held(k, a.key);
        let other = self.held(&format!("b.{l}"), b.key);
        match self.rng.u8(0..20) {
            0 => {
                self.tag("w-membership");
                let inner = if wrong { String::new() } else { format!(" WHERE {other}") };
                let test = match self.rng.u8(0..3) {
                    0 => format!("a.{k} IN (SELECT b.{l} FROM {u} b{inner})"),
                    1 => format!("a.{k} = ANY (SELECT b.{l} FROM {u} b{inner})"),
                    _ if wrong => format!("EXISTS (SELECT 1 FROM {u} b WHERE {other} AND b.id = a.id)"),
                    _ => format!("EXISTS (SELECT 1 FROM {u} b WHERE {other} AND b.{l} = a.{k})"),
                };
                if self.rng.bool() {
                    format!("DELETE FROM {t} a WHERE {test}")
                } else {
                    format!("UPDATE {t} a SET {set} WHERE {test}")
                }
            }
            1 => {
                self.tag("w-set-subselect");
                let inner = match (wrong, self.rng.bool()) {
                    (true, _) => String::new(),
                    (false, true) => format!(" WHERE b.{l} = a.{k}"),
                    (false, false) => format!(" WHERE {other}"),
                };
                let column = if a.to.starts_with('\'') { "b.id::text" } else { "b.id" };
                format!("UPDATE {t} a SET {} = (SELECT max({column}) FROM {u} b{inner}) WHERE {held}", a.set)
            }
            2 => {
                self.tag("w-hidden");
                let h = if wrong { a.hidden } else { a.set };
                match self.rng.u8(0..5) {
                    0 => format!("UPDATE {t} SET {h} = NULL WHERE {here}"),
                    1 => format!("UPDATE {t} SET {h} = {} WHERE {here}", a.to),
                    2 => format!("UPDATE {t} a SET {set} WHERE {held} AND a.{h} IS NOT NULL"),
                    3 => format!("DELETE FROM {t} a WHERE {held} RETURNING a.{h}"),
                    _ => {
                        let v = self.own(a.key);
                        format!("INSERT INTO {t} ({k}, id, {h}) VALUES ({v}, 1001, {})", a.to)
                    }
                }
            }
            3 => {
                self.tag("w-old-new");
                let row = self.pick(&["old", "new", "a"]);
                let h = if wrong { a.hidden } else { a.set };
                match self.rng.u8(0..4) {
                    0 => format!("UPDATE {t} a SET {set} WHERE {held} RETURNING {row}.{h}"),
                    1 => format!("DELETE FROM {t} a WHERE {held} RETURNING {row}.{h}, {row}.id"),
                    2 => format!("UPDATE {t} a SET {set} WHERE {held} RETURNING WITH (OLD AS o, NEW AS n) o.{h}, n.id"),
                    _ => format!("UPDATE {t} a SET {set} WHERE {held} RETURNING {row}.*"),
                }
            }
            4 => {
                self.tag("w-returning-others");
                let link = if wrong { String::new() } else { format!(" AND b.{l} = a.{k}") };
                match self.rng.u8(0..3) {
                    0 => format!(
                        "UPDATE {t} a SET {set} FROM {u} b WHERE {held} AND b.id = a.id{link} RETURNING b.id, b.{l}"
                    ),
                    1 => format!("DELETE FROM {t} a USING {u} b WHERE {held} AND b.id = a.id{link} RETURNING b.{l}"),
                    _ => format!(
                        "DELETE FROM {t} a WHERE {held} RETURNING (SELECT count(*) FROM {u} b WHERE b.id = a.id{link}) AS n"
                    ),
                }
            }
            5 => {
                self.tag("w-or");
                let filter = if wrong { format!("({here} OR id = 3)") } else { format!("({here} AND id = 3)") };
                if self.rng.bool() {
                    format!("DELETE FROM {t} WHERE {filter}")
                } else {
                    format!("UPDATE {t} SET {set} WHERE {filter}")
                }
            }
            6 if !self.is_text() => {
                self.tag("w-two-keys");
                let (org, account) = (self.held("org_id", 0), self.held("account_id", 1));
                let one = if self.rng.bool() { org.clone() } else { account.clone() };
                let filter = if wrong { one } else { format!("{org} AND {account}") };
                match self.rng.u8(0..4) {
                    0 => format!("DELETE FROM tasks WHERE {filter}"),
                    1 => format!("UPDATE tasks SET title = 'w' WHERE {filter}"),
                    2 => {
                        let value = self.maybe_own(1, wrong);
                        format!("UPDATE tasks SET account_id = {value} WHERE {org} AND {account} AND id = 1")
                    }
                    _ => {
                        let (first, second) = (self.own(0), self.maybe_own(1, wrong));
                        format!(
                            "INSERT INTO tasks (org_id, account_id, id, title) VALUES ({first}, {second}, 1001, 'w')"
                        )
                    }
                }
            }
            6 | 7 => {
                self.tag("w-cte-named-as-target");
                // The target is the table, whatever WITH calls itself.
                let filter = if wrong { String::new() } else { format!(" WHERE {here}") };
                match self.rng.u8(0..3) {
                    0 => format!("WITH {t} AS (SELECT {k}, id FROM {u} WHERE {here}) UPDATE {t} SET {set}{filter}"),
                    1 => format!("WITH {t} AS (SELECT {k}, id FROM {u} WHERE {here}) DELETE FROM {t}{filter}"),
                    _ => {
                        let link =
                            if wrong { "a.id = q.id".to_owned() } else { format!("a.id = q.id AND a.{k} = q.{k}") };
                        format!(
                            "WITH {t} AS (SELECT {k}, id FROM {u} WHERE {here}) DELETE FROM {t} a USING {t} q WHERE {link}"
                        )
                    }
                }
            }
            8 => {
                self.tag("w-both-withs");
                let filter = if wrong { String::new() } else { format!(" WHERE {other}") };
                format!(
                    "WITH q AS (SELECT b.{l}, b.id FROM {u} b WHERE {other}) INSERT INTO {t} ({k}, id) WITH p AS (SELECT b.{l}, b.id FROM {u} b{filter}) SELECT q.{l}, row_number() OVER (ORDER BY q.{l}, q.id, p.{l}, p.id) + 1000 FROM q, p"
                )
            }
            9 => {
                self.tag("w-writing-cte");
                let v = self.own(a.key);
                match self.rng.u8(0..3) {
                    0 => format!("WITH w AS (DELETE FROM {t} a WHERE {held} RETURNING a.id) SELECT id FROM w"),
                    1 => format!(
                        "WITH w AS (UPDATE {u} SET {} = {} RETURNING id) DELETE FROM {t} WHERE {here}",
                        b.set, b.to
                    ),
                    _ => format!("WITH w AS (INSERT INTO {t} ({k}, id) VALUES ({v}, 1001) RETURNING id) SELECT 1"),
                }
            }
            10 if self.bound => {
                self.tag("w-param-elsewhere");
                let number = self.param(a.key, false);
                match self.rng.u8(0..4) {
                    0 => format!("UPDATE {t} SET {} = ${number} WHERE {here}", a.set),
                    1 => format!("INSERT INTO {t} ({k}, id, {}) VALUES (${number}, 1001, ${number})", a.set),
                    2 => format!("DELETE FROM {t} WHERE {here} RETURNING ${number}::text"),
                    _ => format!("INSERT INTO {t} ({k}, id) SELECT ${number}, 1001 WHERE ${number} <> ''"),
                }
            }
            10 | 11 => {
                self.tag("w-recursion");
                let (body, cols) = self.recursion("r");
                let key = cols[1].name.clone();
                let (table, column) = if self.is_text() { ("labels", "tenant_id") } else { ("docs", "org_id") };
                match self.rng.u8(0..3) {
                    0 => format!(
                        "WITH RECURSIVE r AS ({body}) DELETE FROM {table} a USING r WHERE a.{column} = r.{key} AND a.id = r.id"
                    ),
                    1 => format!(
                        "INSERT INTO {table} ({column}, id) WITH RECURSIVE r AS ({body}) SELECT r.{key}, row_number() OVER (ORDER BY r.{key}, r.id) + 1000 FROM r"
                    ),
                    _ => format!(
                        "WITH RECURSIVE r AS ({body}) DELETE FROM {table} WHERE {column} IN (SELECT r.{key} FROM r)"
                    ),
                }
            }
            12 => {
                self.tag("w-move-within");
                // Within a set a row may go from one of the caller's tenants to another: in the caller's own words.
                let value = if wrong { self.maybe_own(a.key, true) } else { format!("a.{k}") };
                format!("UPDATE {t} a SET {k} = {value} WHERE {held} AND a.id = 1")
            }
            13 => {
                self.tag("w-set-from-joined");
                let link = if wrong { "b.id = a.id".to_owned() } else { format!("b.id = a.id AND b.{l} = a.{k}") };
                format!("UPDATE {t} a SET {k} = b.{l} FROM {u} b WHERE {held} AND {link}")
            }
            14 => {
                self.tag("w-deferred");
                let fence =
                    if wrong { self.pick(&[" ORDER BY id, 2 LIMIT 3", " ORDER BY id, 2 OFFSET 2"]) } else { "" };
                let d = self.held("d.j", a.key);
                let from = format!("(SELECT id, {l} AS j FROM {u}{fence}) d");
                match self.rng.u8(0..2) {
                    0 => format!("UPDATE {t} a SET {set} FROM {from} WHERE {d} AND d.j = a.{k} AND d.id = a.id"),
                    _ => format!("INSERT INTO {t} ({k}, id) SELECT d.j, d.id + 1000 FROM {from} WHERE {d}"),
                }
            }
            15 => {
                self.tag("w-by-position");
                // The server's order of columns, which no policy knows.
                let (v, list) = (self.maybe_own(0, wrong), self.rng.bool());
                let (table, names, values) = if self.is_text() {
                    ("labels", "id, kind, tenant_id, region", format!("1001, 'w', {v}, 'w'"))
                } else {
                    ("docs", "id, org_id, title, size, secret", format!("1001, {v}, 'w', 1, NULL"))
                };
                let names = if list { format!(" ({names})") } else { String::new() };
                format!("INSERT INTO {table}{names} VALUES ({values})")
            }
            16 => {
                self.tag("w-overriding");
                let v = self.own(0);
                let (table, key) = if self.is_text() { ("labels", "tenant_id") } else { ("docs", "org_id") };
                let clause = if wrong {
                    self.pick(&["OVERRIDING USER VALUE ", "OVERRIDING USER VALUE ", "OVERRIDING SYSTEM VALUE "])
                } else {
                    ""
                };
                format!("INSERT INTO {table} ({key}, id) {clause}VALUES ({v}, 1001) RETURNING id")
            }
            17 | 18 if self.is_text() => {
                self.tag("set-field");
                let pin = self.held("a.tenant_id", 0);
                let filter = if wrong { " WHERE a.id = 2".to_owned() } else { format!(" WHERE {pin}") };
                let part =
                    self.pick(&["box.w = a.qty", "box.h = 1, box.w = 2", "tags[2] = 'w'", "tags[1:2] = '{v,w}'"]);
                format!("UPDATE items a SET {part}{filter} RETURNING a.id")
            }
            _ => {
                self.tag("w-not-null");
                // A fact holds the value or NULL; a key column is never NULL.
                let join = if wrong { "LEFT JOIN" } else { "JOIN" };
                let s = self.shared();
                format!(
                    "INSERT INTO {t} ({k}, id) SELECT b.{l}, row_number() OVER (ORDER BY s.id, b.{l}, b.id) + 1000 FROM {s} s {join} {u} b ON b.id = s.id AND {other}"
                )
            }
        }
    }

    /// ON CONFLICT, over a table that may have a key without the tenant.
    pub(super) fn conflict_sentence(&mut self, wrong: bool) -> String {
        let (table, key, at, set) =
            if self.is_text() { ("labels", "tenant_id", 0, "region") } else { ("readings", "account_id", 1, "val") };
        let (v, mut id) = (self.own(at), self.rng.u8(26..90));
        let mut clause = format!("({key}, id) DO NOTHING");
        if wrong {
            clause = match self.rng.u8(0..6) {
                0 => "DO NOTHING".to_owned(),
                1 => "(id) DO NOTHING".to_owned(),
                2 => format!("ON CONSTRAINT {table}_id_key DO NOTHING"),
                3 => "((id)) DO NOTHING".to_owned(),
                4 => {
                    id = 1;
                    let other = self.maybe_own(at, true);
                    format!("({key}, id) DO UPDATE SET {key} = {other}")
                }
                _ => format!("(id) DO UPDATE SET {set} = excluded.{set}"),
            };
        }
        let tail = self.pick(&["", " RETURNING id"]);
        format!("INSERT INTO {table} ({key}, id) VALUES ({v}, {id}) ON CONFLICT {clause}{tail}")
    }
}
