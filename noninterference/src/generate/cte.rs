//! WITH, recursion included.

use super::{Col, Cte, Generator, Want};
use crate::world::{Seen, Ty};

impl Generator {
    /// A WITH clause; its queries stay in scope.
    pub(super) fn with(&mut self) -> String {
        self.tag("with");
        let recursive = self.chance(18);
        let mut list = Vec::new();
        let count = match self.rng.u8(0..10) {
            0..=5 => 1,
            6..=8 => 2,
            _ => 3,
        };
        let mut forward = None;
        if recursive && count > 1 && self.chance(60) {
            // Forward: under RECURSIVE a query may name one that stands behind it.
            self.tag("cte-forward");
            forward = Some(self.cte_name());
        }
        for at in 0..count {
            if !self.room() && at > 0 {
                break;
            }
            let name = match (&forward, at) {
                (Some(name), 1) => name.clone(),
                _ => self.cte_name(),
            };
            let (body, mut cols) = if recursive && self.chance(60) {
                self.recursion(&name)
            } else {
                let want = Want { deferrable: true, ..Want::default() };
                self.depth += 1;
                let sub = self.query(&want);
                self.depth -= 1;
                (sub.sql, sub.cols)
            };
            let body = match (&forward, at) {
                (Some(name), 0) => format!("SELECT * FROM ({body}) f WHERE EXISTS (SELECT 1 FROM {name})"),
                _ => body,
            };
            let how = match self.rng.u8(0..10) {
                0 | 1 => {
                    self.tag("materialized");
                    "MATERIALIZED "
                }
                2 => {
                    self.tag("not-materialized");
                    "NOT MATERIALIZED "
                }
                _ => "",
            };
            let mut columns = String::new();
            if self.chance(10) && !cols.is_empty() {
                self.tag("cte-renamed");
                let names: Vec<String> = (0..cols.len()).map(|at| format!("c{at}")).collect();
                for (col, name) in cols.iter_mut().zip(&names) {
                    col.name.clone_from(name);
                }
                columns = format!(" ({})", names.join(", "));
            }
            list.push(format!("{name}{columns} AS {how}({body})"));
            self.ctes.push(Cte { name, cols, uses: 0 });
        }
        let word = if recursive {
            self.tag("with-recursive");
            "WITH RECURSIVE"
        } else {
            "WITH"
        };
        format!("{word} {}", list.join(", "))
    }

    fn cte_name(&mut self) -> String {
        if self.chance(7) {
            self.tag("cte-shadows-table");
            let tables: Vec<&str> = self.world.tables.iter().map(|table| table.name).collect();
            return self.pick(&tables).to_owned();
        }
        self.names += 1;
        format!("q{}", self.names)
    }

    /// A recursive query over a tenant table that points to itself, or counting.
    pub(super) fn recursion(&mut self, name: &str) -> (String, Vec<Col>) {
        self.tag("recursion");
        self.relations += 2;
        let text = self.world.name == "text";
        let (table, key, up) =
            if text { ("customers", "tenant_id", "manager_id") } else { ("comments", "org_id", "task_id") };
        let union = if self.chance(70) { "UNION ALL" } else { "UNION" };
        let own = |generator: &mut Self| {
            let plural = generator.caller.values[0].len() > 1;
            if generator.bound && plural {
                format!("= ANY (${})", generator.param(0, true))
            } else {
                format!("= {}", generator.own(0))
            }
        };
        let mut filter = format!("s.{key} {}", own(self));
        if !text {
            // The second key.
            let plural = self.caller.values[1].len() > 1;
            let second = if self.bound && plural {
                format!("= ANY (${})", self.param(1, true))
            } else {
                format!("= {}", self.own(1))
            };
            filter.push_str(&format!(" AND s.account_id {second}"));
        }
        if self.sin(15) {
            self.tag("recursion-unproven");
            "true".clone_into(&mut filter);
        }
        // What the recursive term feeds the key's column with, and how it is joined.
        let neighbour = self.world.keys[0].neighbours[self.rng.usize(0..self.world.keys[0].neighbours.len())];
        let feed = match if self.sin(30) { [0, 12][self.rng.usize(0..2)] } else { self.rng.u8(1..12) } {
            12 => {
                self.tag("recursion-feeds-other");
                self.spell(0, neighbour)
            }
            0 => {
                self.tag("recursion-drops-fact");
                "n.name".to_owned()
            }
            1 => format!("r.{key}"),
            2 => "NULL".to_owned(),
            3 => self.own_output(0),
            _ => format!("n.{key}"),
        };
        let feed = if text { feed } else { feed.replace("n.name", "gen.org") };
        let link = match if self.sin(25) { 0 } else { self.rng.u8(1..12) } {
            0 => {
                self.tag("recursion-unlinked");
                format!("n.{up} = r.id")
            }
            1 => format!("n.{up} = r.id AND n.{key} {}", own(self)),
            2 => format!("n.{up} = r.id AND r.{key} {}", own(self)),
            _ => format!("n.{up} = r.id AND n.{key} = r.{key}"),
        };
        let (extra, also) = if text { ("name", "") } else { ("body", " AND n.account_id = r.account_id") };
        let (second, second_next) = if text { ("", "") } else { (", s.account_id", ", n.account_id") };
        let join = match if self.sin(15) { 0 } else { self.rng.u8(1..8) } {
            0 => {
                self.tag("recursion-left");
                format!("{name} r LEFT JOIN app.{table} n ON {link}{also} WHERE n.id > r.id")
            }
            1 => format!("app.{table} n, {name} r WHERE {link}{also} AND n.id > r.id"),
            _ => format!("app.{table} n JOIN {name} r ON {link}{also} WHERE n.id > r.id"),
        };
        let body = format!(
            "SELECT s.id, s.{key}, s.{extra}{second} FROM app.{table} s WHERE {filter} {union} SELECT n.id, {feed}, n.{extra}{second_next} FROM {join}"
        );
        let col = |name: &str, ty, key| Col { name: name.to_owned(), ty, key, seen: Seen::Readable, pending: false };
        let mut cols = vec![
            col("id", Ty::Int, None),
            col(key, if text { Ty::Text } else { Ty::Uuid }, Some(0)),
            col(extra, Ty::Text, None),
        ];
        if !text {
            cols.push(col("account_id", Ty::Int, Some(1)));
        }
        (body, cols)
    }
}
