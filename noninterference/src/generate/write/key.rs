//! Values for key columns: the caller's own, one that is proven to be, and what only looks like it.

use super::super::Generator;
use super::super::expr::Reach;

impl Generator {
    /// A value for a key column. `proven`: columns of the key in reach.
    pub(super) fn key_value(&mut self, key: usize, proven: &[String]) -> String {
        if self.sin(22) {
            return self.wrong_key(key, proven);
        }
        let plural = self.bound && self.caller.values[key].len() > 1;
        if !proven.is_empty() && (plural || self.chance(40)) {
            self.tag("key-from-column");
            return proven[self.rng.usize(0..proven.len())].clone();
        }
        self.tag("key-value");
        if self.chance(75) { self.own(key) } else { self.own_output(key) }
    }

    /// A value that is another tenant's, or not certain to be the caller's.
    fn wrong_key(&mut self, key: usize, proven: &[String]) -> String {
        self.tag("key-wrong");
        let neighbours = self.world.keys[key].neighbours;
        let neighbour = neighbours[self.rng.usize(0..neighbours.len())];
        let ty = self.key_type(key);
        match self.rng.u8(0..14) {
            0..=4 => self.spell(key, neighbour),
            5 => self.wrong(key),
            6 => self.column(ty, Reach::Own).unwrap_or_else(|| "DEFAULT".to_owned()),
            7 => "DEFAULT".to_owned(),
            8 => "NULL".to_owned(),
            9 => {
                let (v, other) = (self.own(key), self.spell(key, neighbour));
                format!("COALESCE({v}, {other})")
            }
            10 => {
                let (v, other) = (self.own(key), self.spell(key, neighbour));
                format!("CASE WHEN 1 = 2 THEN {v} ELSE {other} END")
            }
            11 => {
                let v = self.own_output(key);
                format!("(SELECT {v})")
            }
            12 => self.scalar(ty),
            _ => match proven.first() {
                Some(column) => format!("NULLIF({column}, NULL)"),
                None => self.constant(ty),
            },
        }
    }
}
