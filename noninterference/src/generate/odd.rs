//! Shapes that random combination would hardly ever hit, each a known way to be wrong; filled in at random.

use super::{Generator, Want};
use crate::world::Ty;

impl Generator {
    /// One of them.
    pub(super) fn odd(&mut self) -> String {
        let want = Want { deferrable: true, ..Want::default() };
        match self.rng.u8(0..4) {
            // The wrapper that every BI tool writes.
            0 | 1 => {
                self.tag("wrapper");
                self.depth += 1;
                let sub = self.query(&want);
                self.depth -= 1;
                let mut filters = Vec::new();
                for col in &sub.cols {
                    let Some(key) = col.key else { continue };
                    if !col.pending && self.chance(50) {
                        continue;
                    }
                    let plural = self.caller.values[key].len() > 1;
                    filters.push(if self.bound && plural {
                        format!("o.{} = ANY (${})", col.name, self.param(key, true))
                    } else {
                        format!("o.{} = {}", col.name, self.own(key))
                    });
                }
                let filter =
                    if filters.is_empty() { String::new() } else { format!(" WHERE {}", filters.join(" AND ")) };
                let list = if self.chance(40) { "*".to_owned() } else { "count(*)".to_owned() };
                format!("SELECT {list} FROM ({}) o{filter}", sub.sql)
            }
            // Two levels of it.
            2 => {
                self.tag("wrapper-twice");
                self.depth += 1;
                let sub = self.level(&want);
                self.depth -= 1;
                let key = self.some_key();
                let column = sub.cols.iter().find(|col| col.key == Some(key)).map(|col| col.name.clone());
                let Some(column) = column else { return sub.sql };
                let value = self.own(key);
                let middle = match self.rng.u8(0..7) {
                    0 => format!("SELECT {column}, count(*) AS n FROM ({}) a GROUP BY {column}", sub.sql),
                    1 => format!("SELECT DISTINCT {column} FROM ({}) a", sub.sql),
                    2 => {
                        format!("SELECT {column}, row_number() OVER (PARTITION BY {column}) AS n FROM ({}) a", sub.sql)
                    }
                    3 => format!("SELECT {column} FROM ({}) a UNION ALL SELECT NULL", sub.sql),
                    _ => format!("SELECT * FROM ({}) a", sub.sql),
                };
                format!("SELECT count(*) FROM ({middle}) b WHERE b.{column} = {value}")
            }
            _ => {
                self.tag("scalar-list");
                let (a, b) = (self.scalar(Ty::Int), self.scalar(Ty::Num));
                format!("SELECT {a} AS a, {b} AS b")
            }
        }
    }
}
