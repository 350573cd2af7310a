//! The rows of the twins, by seed: one statement list per twin.
//!
//! Equal: shared tables and, of the rows that some caller may see, the readable columns. All else differs: hidden and
//! unlisted columns, the other tenants and their rows, how many there are. Foreign values are chosen so that a leak shows:
//! they sort first and last, equal the callers' own ids and values, and make joins match.

use fastrand::Rng;

use super::{KeyType, Seen, Sharing, Table, Ty, World};

/// Which of the two databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Twin {
    /// Many foreign rows.
    A,
    /// Few.
    B,
}

/// The statements that fill one twin.
#[must_use]
pub fn statements(world: &World, seed: u64, twin: Twin) -> Vec<String> {
    let mut fill = Fill {
        world,
        // One stream for what both have, one for what only this twin has: neither draw shifts the other.
        common: Rng::with_seed(seed),
        own: Rng::with_seed(seed ^ (0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(if twin == Twin::A { 1 } else { 2 }))),
        twin,
    };
    let rows: Vec<String> = world.tables.iter().filter_map(|table| fill.table(table)).collect();
    // A default that counts everybody's rows differs as the rows do.
    let reached = if twin == Twin::A { 1_000_000 } else { 5_000_000 };
    rows.into_iter().chain(world.sequences.iter().map(|name| format!("SELECT setval('{name}', {reached})"))).collect()
}

/// What makes a filled twin one that the doctor warns of: a unique key that lacks the tenant.
#[must_use]
pub fn careless(world: &World) -> String {
    let values = world.callers.iter().flat_map(|caller| caller.values.last().copied().unwrap_or_default());
    let visible: Vec<String> = values.map(|value| quote(value)).collect();
    world.careless.replace("{visible}", &visible.join(", "))
}

struct Fill<'w> {
    world: &'w World,
    common: Rng,
    own: Rng,
    twin: Twin,
}

/// The tenants of one row: a value per key.
type Tenants = Vec<String>;

impl Fill<'_> {
    fn table(&mut self, table: &Table) -> Option<String> {
        let mut rows = Vec::new();
        match table.sharing {
            Sharing::Shared => {
                for id in 1..=8 {
                    rows.push(self.row(table, &[], id, true));
                }
            }
            Sharing::Forbidden => {
                for id in 1..=6 {
                    rows.push(self.row(table, &["acme".to_owned()], id, false));
                }
            }
            Sharing::Tenant => {
                let keyed: Vec<usize> = (0..self.world.keys.len()).filter(|key| table.keys[*key].is_some()).collect();
                for tenants in self.combinations(&keyed) {
                    if !fits(table, self.world, &keyed, &tenants) {
                        continue;
                    }
                    let visible = keyed.iter().zip(&tenants).all(|(key, value)| self.world.is_visible(*key, value));
                    let first = tenants[0].as_str();
                    let count = match (visible, self.twin) {
                        (true, _) if is_empty(&tenants) => 0,
                        (true, _) if first == "few" => 1,
                        (true, _) => 5,
                        (false, Twin::A) => self.own.usize(2..9),
                        (false, Twin::B) => self.own.usize(0..3),
                    };
                    // `tenants` has one row per tenant.
                    let count = if table.identity.len() == 1 { count.min(1) } else { count };
                    for id in 1..=count {
                        rows.push(self.row(table, &tenants, i32::try_from(id).unwrap_or(0), visible));
                    }
                }
            }
        }
        if rows.is_empty() {
            return None;
        }
        let conflict = if table.sharing == Sharing::Tenant { " ON CONFLICT DO NOTHING" } else { "" };
        Some(format!("INSERT INTO {}.{} VALUES {}{conflict}", table.schema, table.name, rows.join(", ")))
    }

    /// Every combination of the keys' values that this twin has.
    fn combinations(&mut self, keyed: &[usize]) -> Vec<Tenants> {
        let mut all: Vec<Tenants> = vec![Vec::new()];
        for key in keyed {
            let mut values: Vec<String> = Vec::new();
            for caller in self.world.callers {
                for value in caller.values[*key] {
                    if !values.iter().any(|own| own == value) {
                        values.push((*value).to_owned());
                    }
                }
            }
            let neighbours = self.world.keys[*key].neighbours;
            for (at, neighbour) in neighbours.iter().enumerate() {
                // A has nearly all of them; B every third.
                let here = if self.twin == Twin::A { at % 5 != 4 } else { at % 3 == 1 };
                if here {
                    values.push((*neighbour).to_owned());
                }
            }
            all = all
                .iter()
                .flat_map(|have| {
                    values.iter().map(|value| {
                        let mut next = have.clone();
                        next.push(value.clone());
                        next
                    })
                })
                .collect();
        }
        all
    }

    fn row(&mut self, table: &Table, tenants: &[String], id: i32, visible: bool) -> String {
        let mut cells = Vec::new();
        for column in table.columns {
            let key = self.world.keys.iter().enumerate().position(|(key, _)| table.keys[key] == Some(column.name));
            let shared = visible && column.seen == Seen::Readable;
            let cell = if let Some(key) = key {
                let position = (0..key).filter(|before| table.keys[*before].is_some()).count();
                quote(tenants.get(position).map_or("acme", String::as_str))
            } else if column.name == "id" {
                id.to_string()
            } else if table.sharing == Sharing::Tenant && column.name.ends_with("_id") && column.name != "product_id" {
                self.reference(column.name, id, shared)
            } else {
                self.value(column.ty, shared, table.identity.contains(&column.name))
            };
            cells.push(cell);
        }
        format!("({})", cells.join(", "))
    }

    /// A reference to a row of the same tenant that stands already.
    fn reference(&mut self, name: &str, id: i32, shared: bool) -> String {
        let rng = if shared { &mut self.common } else { &mut self.own };
        let draw = rng.u8(0..6);
        match (name, draw) {
            (_, 0) => "NULL".to_owned(),
            // A tree without cycles.
            ("manager_id", _) if id > 1 => rng.i32(1..id).to_string(),
            ("manager_id", _) => "NULL".to_owned(),
            // Those that are declared as foreign keys stay within the rows that every tenant has.
            (_, _) => rng.i32(1..=id.min(5)).to_string(),
        }
    }

    fn value(&mut self, ty: Ty, shared: bool, needed: bool) -> String {
        let foreign = !shared;
        let rng = if shared { &mut self.common } else { &mut self.own };
        if !needed && rng.u8(0..5) == 0 {
            return "NULL".to_owned();
        }
        match ty {
            Ty::Text | Ty::Ci => {
                // Foreign texts are the callers' values, and texts that sort first and last.
                let own = ["EU", "US", "paid", "open", "acme", "view", "b", "ACME", "16777217"];
                let others = ["EU", "paid", "acme", "few", "initech", "", "zzzz", "1e1", "view", "42"];
                quote(if foreign { others[rng.usize(0..others.len())] } else { own[rng.usize(0..own.len())] })
            }
            Ty::Int | Ty::Big => {
                let others = [-2_000_000, 0, 1, 2, 3, 4, 5, 2_000_000];
                if foreign { others[rng.usize(0..others.len())].to_string() } else { rng.i32(1..8).to_string() }
            }
            Ty::Num => {
                let others = ["-90000.00", "1.00", "2.50", "3.00", "90000.00"];
                let own = ["1.00", "2.50", "3.00", "10.00", "42.00", "16777217.00"];
                (if foreign { others[rng.usize(0..others.len())] } else { own[rng.usize(0..own.len())] }).to_owned()
            }
            Ty::Real => ["16777216", "0.5", "1.5", "42", "2", "-5"][rng.usize(0..6)].to_owned(),
            Ty::Uuid => quote("11111111-1111-1111-1111-111111111111"),
            Ty::Bool => rng.bool().to_string(),
            Ty::Date => {
                let day = if foreign { rng.i32(-3000..3000) } else { rng.i32(0..6) };
                format!("date '2024-06-01' + ({day})")
            }
            Ty::Json => {
                let kind = ["web", "store", "acme"][rng.usize(0..3)];
                format!("'{{\"kind\": \"{kind}\", \"n\": {}}}'", if foreign { rng.i32(0..99) } else { rng.i32(0..4) })
            }
            Ty::Tags => {
                let tags = ["x", "y", "acme", "EU"];
                let count = rng.usize(0..3);
                let list: Vec<&str> = (0..count).map(|_| tags[rng.usize(0..4)]).collect();
                format!("'{{{}}}'", list.join(","))
            }
            Ty::State => quote(["open", "paid", "void"][rng.usize(0..3)]),
            Ty::Dims => format!("ROW({}, {})::app.dims", rng.i32(0..4), if foreign { 99 } else { 2 }),
        }
    }
}

/// Whether the values fit the table's columns: what is an int4 here is an int8 there.
fn fits(table: &Table, world: &World, keyed: &[usize], tenants: &[String]) -> bool {
    keyed.iter().zip(tenants).all(|(key, value)| {
        let column = table.columns.iter().find(|column| Some(column.name) == table.keys[*key]);
        let narrow = world.keys[*key].ty == KeyType::Integer && column.is_some_and(|column| column.ty == Ty::Int);
        !narrow || value.parse::<i32>().is_ok()
    })
}

/// The tenant that has nothing.
fn is_empty(tenants: &[String]) -> bool {
    tenants.iter().any(|value| value == "ghost" || value == "44444444-4444-4444-4444-444444444444")
}

fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
