//! The same for the sentences on names: what a CTE, an ON, a GROUP BY or a path binds to.

use super::Generator;
use super::sentence::Base;

impl Generator {
    /// The minimum or maximum of a tenant column says nothing of the other rows of its group.
    fn extreme(&mut self, a: Base, wrong: bool) -> String {
        self.tag("s-extreme");
        let (t, k, n) = (a.table, a.column, a.int);
        let extreme = self.pick(&["min", "max"]);
        let filter = if wrong { String::new() } else { format!(" WHERE {}", self.held(k, a.key)) };
        if self.rng.bool() {
            let pin = self.held(&format!("{extreme}({k})"), a.key);
            return format!("SELECT {n}, count(*) AS c FROM {t}{filter} GROUP BY {n} HAVING {pin}");
        }
        let pin = self.held("d.k", a.key);
        format!("SELECT * FROM (SELECT {extreme}({k}) AS k, count(*) AS c FROM {t}{filter} GROUP BY {n}) d WHERE {pin}")
    }

    /// A left join that the server takes away, beside a value in a row of its own: the server has lost the equality with
    /// the value then (left-join removal, 16 and 18).
    fn removed_join(&mut self, a: Base, b: Base, wrong: bool) -> String {
        self.tag("s-removed-join");
        let value = self.own_output(a.key);
        let (t, k, n) = (a.table, a.column, a.int);
        let s = self.shared();
        let source = self.pick(&[
            "SELECT {v} AS k",
            "VALUES ({v})",
            "SELECT {v} AS k FROM {s}",
            "SELECT {v} AS k UNION ALL SELECT NULL",
        ]);
        let source = source.replace("{v}", &value).replace("{s}", s);
        let read = if self.chance(25) { ", max(p.id) AS p" } else { "" };
        let removed = match self.rng.u8(0..3) {
            0 => format!("{t} a LEFT JOIN (SELECT DISTINCT id FROM {s}) p ON p.id = a.{n}"),
            1 => format!("{s} p RIGHT JOIN {t} a ON p.id = a.{n}"),
            _ => format!("{t} a LEFT JOIN {s} p ON p.id = a.{n}"),
        };
        let group = match self.rng.u8(0..4) {
            0 => format!("GROUP BY ROLLUP (a.{n})"),
            1 => format!("GROUP BY GROUPING SETS ((a.{n}), ())"),
            2 => format!("GROUP BY CUBE (a.{n})"),
            _ => format!("GROUP BY a.{n}"),
        };
        let pinned = if wrong { String::new() } else { format!(" AND {}", self.held(&format!("a.{k}"), a.key)) };
        match self.rng.u8(0..6) {
            0 => format!("SELECT count(*) AS c{read} FROM {removed} WHERE a.{k} IN ({source}){pinned} {group}"),
            1 => format!(
                "SELECT count(*) AS c{read} FROM {removed} LEFT JOIN ({source}) v(k) ON true WHERE a.{k} = v.k{pinned} {group}"
            ),
            2 => format!(
                "WITH v(k) AS ({source}) SELECT count(*) AS c{read} FROM {removed} JOIN v ON a.{k} = v.k{pinned} {group}"
            ),
            3 => {
                let follow = format!("JOIN {} b ON b.{} = a.{k} AND b.id = a.id", b.table, b.column);
                format!(
                    "SELECT count(*) AS c{read} FROM {removed} JOIN ({source}) v(k) ON a.{k} = v.k{pinned} {follow} {group}"
                )
            }
            4 => format!(
                "SELECT count(*) AS c{read} FROM ({source}) v(k) JOIN ({removed}) ON a.{k} = v.k{pinned} {group}"
            ),
            _ => {
                format!("SELECT count(*) AS c{read} FROM ({source}) v(k), {removed} WHERE a.{k} = v.k{pinned} {group}")
            }
        }
    }

    pub(super) fn sentence_of_names(&mut self, a: Base, b: Base, wrong: bool, x: &str) -> String {
        let (t, k, n, u) = (a.table, a.column, a.int, b.table);
        let held = self.held(&format!("a.{k}"), a.key);
        let here = self.held(k, a.key);
        let e = self.held(&format!("b.{}", b.column), b.key);
        // A column named as the key that holds its values under another collation or in another type.
        let bait = if self.is_text() {
            format!("SELECT label AS {k}, id FROM products")
        } else {
            format!("SELECT ratio AS {k}, id FROM rates")
        };
        match self.rng.u8(0..20) {
            12 | 13 => self.removed_join(a, b, wrong),
            17 | 18 => self.extreme(a, wrong),
            0 => {
                self.tag("s-cte-own-body");
                let recursive = if self.chance(15) { "RECURSIVE " } else { "" };
                let filter = if wrong { String::new() } else { format!(" WHERE {here}") };
                let outer = if self.rng.bool() { format!(" WHERE {here}") } else { String::new() };
                format!("WITH {recursive}{t} AS (SELECT id, {k}, {n} FROM {t}{filter}) SELECT count(*) FROM {t}{outer}")
            }
            1 | 15 | 16 => {
                self.tag("s-cte-forward");
                let recursive = if wrong { "RECURSIVE " } else { "" };
                format!(
                    "WITH {recursive}f AS (SELECT {k} FROM {t} WHERE {here}), {t} AS ({bait}) SELECT b.id FROM {u} b JOIN f ON b.{} = f.{k}",
                    b.column
                )
            }
            2 => {
                self.tag("s-on-siblings");
                let shared = self.shared();
                let from = if wrong {
                    format!("{t} a, {shared} s JOIN {u} b ON b.{} = a.{k}", b.column)
                } else {
                    format!("{shared} s, {t} a JOIN {u} b ON b.{} = a.{k}", b.column)
                };
                format!("SELECT a.id, (SELECT count(*) FROM {from} WHERE {held}) AS n FROM ({bait}) a")
            }
            3 => {
                self.tag("s-group-output");
                let filter = if self.rng.bool() { format!(" WHERE {here}") } else { String::new() };
                let by = if wrong { n } else { k };
                let list = if wrong { format!("{k} AS {n}") } else { k.to_owned() };
                format!("SELECT * FROM (SELECT {list}, count(*) AS c FROM {t}{filter} GROUP BY {by}) d WHERE {}", {
                    let column = format!("d.{}", if wrong { n } else { k });
                    self.held(&column, a.key)
                })
            }
            4 if self.is_text() => {
                self.tag("s-later-schema");
                let name = if wrong { "codes" } else { "pub.codes" };
                format!("SELECT c.code, c.meaning FROM {name} c LEFT JOIN {t} a ON {held} AND a.{} = c.code", a.text)
            }
            5 => {
                self.tag("s-exists-in-on");
                // Inside a LEFT JOIN's ON an EXISTS says nothing of the left side.
                let (filter, on) = if wrong {
                    (String::new(), format!(" AND {held}"))
                } else {
                    (format!(" WHERE {held}"), String::new())
                };
                format!(
                    "SELECT a.id FROM {t} a LEFT JOIN {} p ON p.id = a.id AND EXISTS (SELECT 1 FROM {u} b WHERE {e} AND b.{} = a.{k}{on}){filter}",
                    self.shared(),
                    b.column
                )
            }
            6 => {
                self.tag("s-mixed-branches");
                let arm = if wrong { bait } else { format!("SELECT {k}, id FROM {t} WHERE {here}") };
                let own = self.own_output(a.key);
                let first = if self.rng.bool() {
                    format!("SELECT {k}, id FROM {t} WHERE {here}")
                } else {
                    format!("SELECT {own} AS {k}, 1")
                };
                let operator = self.pick(&["UNION ALL", "UNION", "INTERSECT", "EXCEPT"]);
                format!("SELECT b.id FROM {u} b JOIN ({first} {operator} {arm}) d ON d.{k} = b.{}", b.column)
            }
            7 => {
                self.tag("s-null-extended");
                // "Equal, or not there" is no proof: another tenant's row decides which.
                let keep = if wrong { format!("({e} OR b.id IS NULL)") } else { e.clone() };
                format!("SELECT a.id FROM {t} a LEFT JOIN {u} b ON b.id = a.{n} WHERE {held} AND {keep}")
            }
            8 => {
                self.tag("s-closure-chain");
                let c = self.peer(a);
                let (first, second) = match self.rng.u8(0..4) {
                    0 => ("LEFT JOIN", "JOIN"),
                    1 => ("JOIN", "LEFT JOIN"),
                    2 => ("LEFT JOIN", "LEFT JOIN"),
                    _ => ("FULL JOIN", "JOIN"),
                };
                let pinned = *self.pick(&[&("a", a), &("b", b), &("c", c)]);
                let pin = self.held(&format!("{}.{}", pinned.0, pinned.1.column), a.key);
                let place = if wrong { format!(" AND {pin}") } else { format!(" WHERE {pin}") };
                format!(
                    "SELECT a.id, b.id, c.id FROM {t} a {first} {u} b ON b.{} = a.{k} AND b.id = a.id {second} {} c ON c.{} = b.{} AND c.id = b.id{place}",
                    b.column, c.table, c.column, b.column
                )
            }
            9 => {
                self.tag("s-merged-full");
                let c = if self.rng.bool() { "FULL JOIN" } else { "LEFT JOIN" };
                let name = if wrong { format!("b.{}", b.column) } else { k.to_owned() };
                let pin = self.held(&name, a.key);
                format!("SELECT a.id, b.id FROM {t} a {c} {u} b USING ({k}, id) WHERE {pin}")
            }
            10 => {
                self.tag("s-filter-clause");
                let (aside, filter) = if wrong {
                    (format!(" FILTER (WHERE {held})"), String::new())
                } else {
                    (String::new(), format!(" WHERE {held}"))
                };
                format!("SELECT count(*){aside} AS c, max(a.{x2}) AS m FROM {t} a{filter}", x2 = a.text)
            }
            11 => {
                self.tag("s-in-select");
                let inner = match self.rng.u8(0..4) {
                    0 => format!("SELECT b.{} FROM {u} b WHERE {e}", b.column),
                    1 => format!("SELECT b.{} FROM {u} b WHERE {e} UNION ALL SELECT {k} FROM ({bait}) z", b.column),
                    2 => format!("SELECT b.{} FROM {u} b WHERE {e} AND b.{} = a.{k}", b.column, b.column),
                    _ => format!("SELECT max(b.{x}) FROM {u} b WHERE {e}"),
                };
                let operator = self.pick(&["IN", "= ANY", "NOT IN"]);
                let operator = if wrong { operator } else { "IN" };
                format!("SELECT a.id FROM {t} a WHERE a.{k} {operator} ({inner})")
            }
            _ => {
                self.tag("s-param-first");
                let number = if self.bound { self.param(a.key, false) } else { 0 };
                let ty =
                    self.pick(&["real", "bpchar", "text", "uuid", "bigint", "varchar(2)", "numeric", "float8", "name"]);
                let value = if number == 0 { "NULL".to_owned() } else { format!("${number}::{ty}") };
                let pin = format!("a.{k} = {}", if number == 0 { self.own(a.key) } else { format!("${number}") });
                match self.rng.u8(0..3) {
                    0 => format!("SELECT {value} AS p, a.id FROM {t} a WHERE {pin}"),
                    1 => format!("WITH z AS (SELECT {value} AS p) SELECT a.id FROM {t} a WHERE {pin}"),
                    _ => format!("SELECT a.id FROM {t} a WHERE {pin} ORDER BY {value}, a.id"),
                }
            }
        }
    }
}
