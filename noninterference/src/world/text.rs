//! One key of type text.

use super::{Caller, Column, Key, KeyType, Sharing, Table, Ty, World, column, hidden, unlisted};

const TENANT: &[Option<&str>] = &[Some("tenant_id")];

const fn tenant(name: &'static str, columns: &'static [Column], identity: &'static [&'static str], complete: bool) -> Table {
    Table { schema: "app", name, columns, sharing: Sharing::Tenant, keys: TENANT, identity, complete }
}

pub const WORLD: World = World {
    name: "text",
    ddl: include_str!("../../worlds/text.sql"),
    policies: [include_str!("../../worlds/text-bound.yaml"), include_str!("../../worlds/text-literal.yaml")],
    keys: &[Key {
        context: "tenant_id",
        ty: KeyType::Text,
        neighbours: &["acxe", "ACME", "acme ", "a", "acme-eu", "10", "", "zzz", "globex", "Initech", "acme\u{301}", "EU", "paid"],
    }],
    tables: &[
        Table {
            schema: "app",
            name: "tenants",
            columns: &[column("id", Ty::Text), column("name", Ty::Text), column("plan", Ty::Text)],
            sharing: Sharing::Tenant,
            keys: &[Some("id")],
            identity: &["id"],
            complete: true,
        },
        tenant(
            "customers",
            &[
                column("id", Ty::Int),
                column("tenant_id", Ty::Text),
                column("name", Ty::Text),
                column("region", Ty::Text),
                column("manager_id", Ty::Int),
                hidden("email", Ty::Text),
                hidden("ssn", Ty::Text),
                hidden("score", Ty::Int),
            ],
            &["tenant_id", "id"],
            true,
        ),
        tenant(
            "orders",
            &[
                column("id", Ty::Int),
                column("tenant_id", Ty::Text),
                column("customer_id", Ty::Int),
                column("status", Ty::Text),
                column("state", Ty::State),
                column("total", Ty::Num),
                column("details", Ty::Json),
                column("placed_at", Ty::Date),
            ],
            &["tenant_id", "id"],
            true,
        ),
        tenant(
            "items",
            &[
                column("id", Ty::Int),
                column("tenant_id", Ty::Text),
                column("order_id", Ty::Int),
                column("product_id", Ty::Int),
                column("qty", Ty::Int),
                column("tags", Ty::Tags),
                column("box", Ty::Dims),
                hidden("margin", Ty::Num),
            ],
            &["tenant_id", "id"],
            true,
        ),
        tenant(
            "notes",
            &[
                column("id", Ty::Int),
                column("tenant_id", Ty::Text),
                column("order_id", Ty::Int),
                column("body", Ty::Text),
                unlisted("region", Ty::Text),
                unlisted("status", Ty::Text),
                unlisted("total", Ty::Num),
                unlisted("qty", Ty::Int),
                unlisted("name", Ty::Text),
            ],
            &["tenant_id", "id"],
            false,
        ),
        tenant(
            "events",
            &[
                column("id", Ty::Int),
                column("tenant_id", Ty::Text),
                column("kind", Ty::Text),
                column("val", Ty::Int),
                column("at", Ty::Date),
            ],
            &["tenant_id", "kind", "id"],
            true,
        ),
        Table {
            schema: "app",
            name: "products",
            columns: &[
                column("id", Ty::Int),
                column("sku", Ty::Text),
                column("name", Ty::Text),
                column("price", Ty::Num),
                column("label", Ty::Ci),
                column("ratio", Ty::Real),
                column("tags", Ty::Tags),
            ],
            sharing: Sharing::Shared,
            keys: &[None],
            identity: &["id"],
            complete: true,
        },
        Table {
            schema: "pub",
            name: "codes",
            columns: &[column("code", Ty::Text), column("meaning", Ty::Text)],
            sharing: Sharing::Shared,
            keys: &[None],
            identity: &["code", "meaning"],
            complete: true,
        },
        Table {
            schema: "app",
            name: "codes",
            columns: &[column("code", Ty::Text), column("meaning", Ty::Text)],
            sharing: Sharing::Forbidden,
            keys: &[None],
            identity: &["code", "meaning"],
            complete: false,
        },
        Table {
            schema: "app",
            name: "secrets",
            columns: &[column("id", Ty::Int), column("tenant_id", Ty::Text), column("key_hash", Ty::Text)],
            sharing: Sharing::Forbidden,
            keys: TENANT,
            identity: &["id"],
            complete: false,
        },
    ],
    callers: &[
        Caller { values: &[&["acme"]], set: false },
        Caller { values: &[&["acme"]], set: false },
        Caller { values: &[&["acme"]], set: true },
        Caller { values: &[&["acme", "initech"]], set: true },
        Caller { values: &[&["1e1"]], set: false },
        Caller { values: &[&["few"]], set: false },
        Caller { values: &[&["ghost"]], set: false },
        // An underscore matches any character where it is taken for a pattern.
        Caller { values: &[&["ac_e"]], set: false },
    ],
};
