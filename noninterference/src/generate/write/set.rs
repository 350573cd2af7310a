//! SET: one column and several, subselects, fields of composites, keys.

use super::super::expr::Reach;
use super::super::{Generator, Want};
use super::Target;
use crate::world::{Column, Seen, Ty};

impl Generator {
    /// What stands after SET.
    pub(super) fn set(&mut self, target: &Target, at: usize) -> String {
        let mut columns: Vec<&'static Column> =
            target.columns.iter().copied().filter(|column| target.key(column.name).is_none()).collect();
        self.rng.shuffle(&mut columns);
        columns.truncate([1, 1, 1, 2, 2, 3][self.rng.usize(0..6)]);
        let parts = target.columns.iter().copied().find(|column| matches!(column.ty, Ty::Dims | Ty::Tags));
        if let Some(column) = parts
            && !columns.iter().any(|own| own.name == column.name)
            && self.chance(60)
        {
            columns.push(column);
        }
        let keyed: Vec<&'static Column> =
            target.columns.iter().copied().filter(|column| target.key(column.name).is_some()).collect();
        if !keyed.is_empty() && (self.chance(18) || self.sin(20)) {
            self.tag("set-key");
            columns.push(keyed[self.rng.usize(0..keyed.len())]);
            self.rng.shuffle(&mut columns);
        }
        if self.sin(10) {
            let others = target.closed();
            if let Some(column) = others.get(self.rng.usize(0..others.len().max(1))) {
                self.tag(if column.seen == Seen::Readable { "set-not-open" } else { "set-hidden" });
                columns.push(column);
            }
        }
        if columns.is_empty() {
            return "id = id".to_owned();
        }
        if columns.len() > 1 && self.chance(30) {
            return self.set_several(target, &columns, at);
        }
        let assignments: Vec<String> = columns.iter().map(|column| self.assignment(target, column, at)).collect();
        assignments.join(", ")
    }

    fn set_several(&mut self, target: &Target, columns: &[&'static Column], at: usize) -> String {
        self.tag("set-several");
        let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
        if self.chance(35) && self.room() {
            self.tag("set-subselect");
            let types = columns.iter().map(|column| column.ty).collect();
            let key = columns.first().and_then(|column| target.key(column.name));
            let want = Want { types: Some(types), single: true, key, ..Want::default() };
            self.depth += 1;
            let sub = self.level(&want);
            self.depth -= 1;
            return format!("({}) = ({})", names.join(", "), sub.sql);
        }
        let values: Vec<String> = columns.iter().map(|column| self.set_value(target, column, at)).collect();
        let row = if self.chance(30) { "ROW" } else { "" };
        format!("({}) = {row}({})", names.join(", "), values.join(", "))
    }

    fn assignment(&mut self, target: &Target, column: &Column, at: usize) -> String {
        let name = column.name;
        match column.ty {
            Ty::Dims if self.chance(60) => {
                self.tag("set-field");
                let value = self.expr(Ty::Int, Reach::Own, 1);
                format!("{name}.w = {value}")
            }
            Ty::Tags if self.chance(40) => {
                self.tag("set-field");
                let value = self.expr(Ty::Text, Reach::Own, 1);
                format!("{name}[1] = {value}")
            }
            _ => {
                let value = self.set_value(target, column, at);
                format!("{name} = {value}")
            }
        }
    }

    fn set_value(&mut self, target: &Target, column: &Column, at: usize) -> String {
        if let Some(key) = target.key(column.name) {
            let proven: Vec<String> = self.scopes.last().map_or_else(Vec::new, |scope| {
                let rel = &scope[at];
                rel.cols
                    .iter()
                    .filter(|col| col.key == Some(key))
                    .map(|col| format!("{}.{}", rel.alias, col.name))
                    .collect()
            });
            let proven = if self.chance(30) {
                self.own_keys().into_iter().filter(|(_, _, of)| *of == key).map(|(text, _, _)| text).collect()
            } else {
                proven
            };
            return self.key_value(key, &proven);
        }
        if self.chance(3) {
            self.tag("set-default");
            return "DEFAULT".to_owned();
        }
        self.written(column)
    }

    /// A value for a column that is no key.
    pub(super) fn written(&mut self, column: &Column) -> String {
        if self.bound && !self.params.is_empty() && self.sin(6) {
            self.tag("param-elsewhere");
            let number = self.rng.usize(1..=self.params.len());
            return [format!("${number}"), format!("${number}::text"), format!("length(${number})")]
                [self.rng.usize(0..3)]
            .clone();
        }
        self.expr(column.ty, Reach::All, 2)
    }
}
