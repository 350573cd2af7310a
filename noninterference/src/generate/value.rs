//! Values: the caller's own in every spelling that is one, others that only look like it, constants of every type.

use super::Generator;
use crate::world::{KeyType, Ty};

/// The name of a type.
pub(super) const fn sql_type(ty: Ty) -> &'static str {
    match ty {
        Ty::Int => "int",
        Ty::Big => "bigint",
        Ty::Text | Ty::Ci => "text",
        Ty::Num => "numeric",
        Ty::Real => "real",
        Ty::Uuid => "uuid",
        Ty::Bool => "boolean",
        Ty::Date => "date",
        Ty::Json => "jsonb",
        Ty::Tags => "text[]",
        Ty::State => "app.state",
        Ty::Dims => "app.dims",
    }
}

impl Generator {
    /// The number of a `$n` for a key. Mostly the same for all uses.
    pub(super) fn param(&mut self, key: usize, array: bool) -> usize {
        let known = self.params.iter().position(|own| *own == (key, array));
        match known {
            Some(at) if !self.sin(1) => at + 1,
            _ => {
                self.params.push((key, array));
                self.params.len()
            }
        }
    }

    /// The caller's value as an expression; `None` where a single value cannot carry it.
    pub(super) fn own(&mut self, key: usize) -> String {
        let values = self.caller.values[key];
        if self.bound {
            let number = self.param(key, false);
            let cast = match self.world.keys[key].ty {
                KeyType::Text => ["", "", "", "", "", "::text", "::varchar", "::pg_catalog.text"][self.rng.usize(0..8)],
                KeyType::Uuid => ["", "", "", "::uuid"][self.rng.usize(0..4)],
                KeyType::Integer => ["", "", "", "::bigint", "::int8"][self.rng.usize(0..5)],
            };
            if !cast.is_empty() {
                self.tag("param-cast");
            }
            if cast.is_empty() && self.chance(4) {
                let ty = ["text", "uuid", "bigint"][match self.world.keys[key].ty {
                    KeyType::Text => 0,
                    KeyType::Uuid => 1,
                    KeyType::Integer => 2,
                }];
                return format!("CAST(${number} AS {ty})");
            }
            return format!("${number}{cast}");
        }
        let value = values[self.rng.usize(0..values.len())];
        self.spell(key, value)
    }

    /// A literal of a key's type in one of its spellings.
    pub(super) fn spell(&mut self, key: usize, value: &str) -> String {
        let quoted = format!("'{}'", value.replace('\'', "''"));
        let form = self.rng.u8(0..14);
        if form > 2 {
            return if self.world.keys[key].ty == KeyType::Integer && form > 6 { value.to_owned() } else { quoted };
        }
        if value == "1e1" && self.sin(50) {
            self.tag("numeric-literal");
            return "1e1::text".to_owned();
        }
        self.tag("literal-spelling");
        match self.world.keys[key].ty {
            KeyType::Text => match self.rng.u8(0..8) {
                0 => format!("E{quoted}"),
                1 => format!("$${value}$$"),
                2 => format!("U&{quoted}"),
                3 => format!("text {quoted}"),
                4 => format!("varchar {quoted}"),
                5 => format!("{quoted}::text"),
                6 => format!("CAST({quoted} AS varchar)"),
                _ => format!("{quoted}::pg_catalog.text"),
            },
            KeyType::Uuid => match self.rng.u8(0..5) {
                0 => quoted.to_uppercase(),
                1 => format!("'{{{value}}}'"),
                2 => format!("uuid {quoted}"),
                3 => format!("{quoted}::uuid"),
                _ => format!("'{}'", value.replace('-', "")),
            },
            KeyType::Integer => match self.rng.u8(0..5) {
                0 => format!("{value}::bigint"),
                1 => format!("bigint {quoted}"),
                2 => format!("{quoted}::int8"),
                3 => format!("CAST({value} AS bigint)"),
                _ => format!("{quoted}::int"),
            },
        }
    }

    /// Something that is not the caller's value, or not certain to be compared as it.
    pub(super) fn wrong(&mut self, key: usize) -> String {
        self.tag("wrong-value");
        let spec = self.world.keys[key];
        let own = self.caller.values[key][0];
        let neighbour = spec.neighbours[self.rng.usize(0..spec.neighbours.len())];
        let number = if self.bound { self.param(key, false) } else { 0 };
        let quoted = format!("'{own}'");
        match (spec.ty, self.bound, self.rng.u8(0..9)) {
            (_, true, 0) => quoted,
            (_, _, 1 | 2) => format!("'{neighbour}'"),
            (KeyType::Text, true, 3) => format!("${number}::bpchar"),
            (KeyType::Text, true, 4) => format!("${number}::varchar(2)"),
            (KeyType::Text, true, 5) => format!("${number} COLLATE ext.ci"),
            (KeyType::Text, true, 6) => format!("${number}::name"),
            (KeyType::Text, true, 7) => format!("lower(${number})"),
            (KeyType::Text, true, _) => format!("${number} || ''"),
            (KeyType::Text, false, 3) => format!("N{quoted}"),
            (KeyType::Text, false, 4) => format!("{quoted}::bpchar"),
            (KeyType::Text, false, 5) => format!("{quoted} COLLATE ext.ci"),
            (KeyType::Text, false, 6) => format!("char(4) {quoted}"),
            (KeyType::Text, false, 7) => "1e1::text".to_owned(),
            (KeyType::Text, false, _) => format!("{quoted}::varchar(1)"),
            (KeyType::Uuid, true, _) => format!("${number}::text"),
            (KeyType::Uuid, false, _) => format!("'{neighbour}'::uuid"),
            (KeyType::Integer, true, 3) => format!("${number}::real"),
            (KeyType::Integer, true, 4) => format!("${number}::numeric"),
            (KeyType::Integer, true, 5) => format!("${number}::float8"),
            (KeyType::Integer, true, _) => format!("${number}::int"),
            (KeyType::Integer, false, 3) => format!("{own}::real"),
            (KeyType::Integer, false, 4) => format!("{own}.0"),
            (KeyType::Integer, false, 5) => format!("'{own}'::float4"),
            (KeyType::Integer, false, _) => neighbour.to_owned(),
        }
    }

    /// The caller's value as an output, where a `$n` needs its declared type.
    pub(super) fn own_output(&mut self, key: usize) -> String {
        self.tag("value-output");
        if self.bound {
            let number = self.param(key, false);
            let ty = match self.world.keys[key].ty {
                KeyType::Text => "text",
                KeyType::Uuid => "uuid",
                KeyType::Integer => ["bigint", "bigint", "int8"][self.rng.usize(0..3)],
            };
            if self.sin(8) {
                return format!("${number}");
            }
            if self.sin(25) {
                let wrong = self.pick(&["varchar", "bpchar", "text", "real", "numeric", "int", "name"]);
                return format!("${number}::{wrong}");
            }
            return format!("${number}::{ty}");
        }
        let values = self.caller.values[key];
        let value = values[self.rng.usize(0..values.len())];
        if self.sin(20) {
            // `42.0` and 42 are equal and look different: which of them a UNION shows is the server's choice.
            self.wrong(key).trim_end_matches(".0").to_owned()
        } else {
            self.spell(key, value)
        }
    }

    /// A constant of a type.
    pub(super) fn constant(&mut self, ty: Ty) -> String {
        if self.chance(3) {
            return format!("NULL::{}", sql_type(ty));
        }
        match ty {
            Ty::Int => self.rng.i32(0..8).to_string(),
            Ty::Big => {
                let list = ["16777217", "16777216", "42", "7", "1"];
                format!("{}::bigint", self.pick(&list))
            }
            Ty::Text => {
                let list = ["'acme'", "'EU'", "'US'", "'paid'", "'view'", "'ACME'", "'x'", "'few'", "''"];
                let text = self.pick(&list);
                if self.chance(40) { format!("{text}::text") } else { text.to_owned() }
            }
            Ty::Ci => "'Acme' COLLATE ext.ci".to_owned(),
            Ty::Num => self.pick(&["1.00", "2.50", "3.00", "10.00", "42.00"]).to_owned(),
            Ty::Real => self.pick(&["16777216::real", "0.5::real", "42::real"]).to_owned(),
            Ty::Uuid => {
                let list =
                    ["'11111111-1111-1111-1111-111111111111'::uuid", "'33333333-3333-3333-3333-333333333333'::uuid"];
                self.pick(&list).to_owned()
            }
            Ty::Bool => self.pick(&["true", "false"]).to_owned(),
            Ty::Date => format!("date '2024-06-0{}'", self.rng.u8(1..8)),
            Ty::Json => "'{\"kind\": \"web\"}'::jsonb".to_owned(),
            Ty::Tags => "ARRAY['x', 'acme']".to_owned(),
            Ty::State => "'paid'::app.state".to_owned(),
            Ty::Dims => "ROW(1, 2)::app.dims".to_owned(),
        }
    }
}
