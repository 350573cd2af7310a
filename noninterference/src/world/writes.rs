//! What the policies of the worlds open for writing, as the generator sees it: taken from the policies, so that there is one list.

use std::sync::LazyLock;

use haltsql::Policy;
use serde_json::Value;

use super::{Table, WORLDS, World};

/// A table that a policy opens.
#[derive(Clone, Debug)]
pub struct Writable {
    /// The table.
    pub table: &'static Table,
    /// Columns that INSERT may name.
    pub insert: Vec<String>,
    /// Columns that SET may name.
    pub update: Vec<String>,
    /// Rows may be deleted.
    pub delete: bool,
}

static WRITABLE: LazyLock<Vec<(&str, Vec<Writable>)>> =
    LazyLock::new(|| WORLDS.iter().map(|world| (world.name, writable(world))).collect());

impl World {
    /// The tables that may be written, in the order of [`World::tables`]; in both modes the same.
    #[must_use]
    pub fn writable(&self) -> &'static [Writable] {
        WRITABLE.iter().find(|(name, _)| *name == self.name).map_or(&[], |(_, list)| list)
    }
}

fn writable(world: &World) -> Vec<Writable> {
    let normal = Policy::from_yaml(world.policies[0]).map(|policy| policy.normal_form().to_owned()).unwrap_or_default();
    let document: Value = serde_json::from_str(&normal).unwrap_or_default();
    let opened = |table: &'static Table| {
        let write = document["spec"]["tables"][format!("{}.{}", table.schema, table.name)].get("write")?;
        Some(Writable {
            table,
            insert: names(&write["insert"]),
            update: names(&write["update"]),
            delete: write["delete"] == true,
        })
    };
    world.tables.iter().filter_map(opened).collect()
}

fn names(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(|name| Some(name.as_str()?.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::WORLDS;

    #[test]
    fn every_world_opens_tables() {
        for world in WORLDS {
            let list = world.writable();
            assert!(list.len() >= 6, "{}: {list:?}", world.name);
            assert!(list.iter().any(|table| !table.insert.is_empty()), "{}", world.name);
            assert!(list.iter().any(|table| !table.update.is_empty()), "{}", world.name);
            assert!(list.iter().any(|table| table.delete), "{}", world.name);
        }
    }
}
