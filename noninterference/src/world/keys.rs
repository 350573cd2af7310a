//! Two keys: a uuid and an integer. Some tables carry one of them, some both.

use super::{Caller, Column, Key, KeyType, Sharing, Table, Ty, World, column, hidden, unlisted};

const ORG: &[Option<&str>] = &[Some("org_id"), None];
const ACCOUNT: &[Option<&str>] = &[None, Some("account_id")];
const BOTH: &[Option<&str>] = &[Some("org_id"), Some("account_id")];

const fn tenant(
    name: &'static str,
    columns: &'static [Column],
    keys: &'static [Option<&'static str>],
    identity: &'static [&'static str],
    complete: bool,
) -> Table {
    Table { schema: "app", name, columns, sharing: Sharing::Tenant, keys, identity, complete }
}

pub const WORLD: World = World {
    name: "keys",
    ddl: include_str!("../../worlds/keys.sql"),
    careless: include_str!("../../worlds/keys-careless.sql"),
    sequences: &["app.doc_no"],
    policies: [include_str!("../../worlds/keys-bound.yaml"), include_str!("../../worlds/keys-literal.yaml")],
    keys: &[
        Key {
            context: "org_id",
            ty: KeyType::Uuid,
            neighbours: &[
                "00000000-0000-0000-0000-000000000000",
                "11111111-1111-1111-1111-111111111112",
                "ffffffff-ffff-ffff-ffff-ffffffffffff",
                "33333333-3333-3333-3333-333333333333",
            ],
        },
        Key {
            context: "account_id",
            ty: KeyType::Integer,
            // As float4 16777216 and 16777217 are one number, as float8 9007199254740992 and …993.
            neighbours: &["16777216", "16777218", "-16777217", "0", "1", "2", "7", "9007199254740992", "2147483647"],
        },
    ],
    tables: &[
        tenant(
            "docs",
            &[
                column("id", Ty::Int),
                column("org_id", Ty::Uuid),
                column("title", Ty::Text),
                column("size", Ty::Int),
                hidden("secret", Ty::Text),
            ],
            ORG,
            &["org_id", "id"],
            true,
        ),
        tenant(
            "revisions",
            &[
                column("id", Ty::Int),
                column("org_id", Ty::Uuid),
                column("doc_id", Ty::Int),
                column("body", Ty::Text),
                unlisted("title", Ty::Text),
                unlisted("size", Ty::Int),
                unlisted("val", Ty::Num),
                unlisted("label", Ty::Text),
            ],
            ORG,
            &["org_id", "id"],
            false,
        ),
        tenant(
            "meters",
            &[
                column("id", Ty::Int),
                column("account_id", Ty::Int),
                column("label", Ty::Text),
                column("val", Ty::Num),
                hidden("pin", Ty::Text),
            ],
            ACCOUNT,
            &["account_id", "id"],
            true,
        ),
        tenant(
            "readings",
            &[
                column("id", Ty::Int),
                column("account_id", Ty::Big),
                column("meter_id", Ty::Int),
                column("val", Ty::Num),
                column("at", Ty::Date),
            ],
            ACCOUNT,
            &["account_id", "id"],
            true,
        ),
        tenant(
            "tasks",
            &[
                column("id", Ty::Int),
                column("org_id", Ty::Uuid),
                column("account_id", Ty::Big),
                column("title", Ty::Text),
                column("effort", Ty::Int),
            ],
            BOTH,
            &["org_id", "account_id", "id"],
            true,
        ),
        tenant(
            "comments",
            &[
                column("id", Ty::Int),
                column("org_id", Ty::Uuid),
                column("account_id", Ty::Int),
                column("task_id", Ty::Int),
                column("body", Ty::Text),
                hidden("draft", Ty::Text),
            ],
            BOTH,
            &["org_id", "account_id", "id"],
            true,
        ),
        Table {
            schema: "app",
            name: "rates",
            columns: &[
                column("id", Ty::Int),
                column("code", Ty::Text),
                column("ratio", Ty::Real),
                column("amount", Ty::Num),
                column("org", Ty::Text),
                column("account", Ty::Real),
            ],
            sharing: Sharing::Shared,
            keys: &[None, None],
            identity: &["id"],
            complete: true,
        },
    ],
    callers: &[
        Caller { values: &[&["11111111-1111-1111-1111-111111111111"], &["16777217"]], set: false },
        Caller { values: &[&["11111111-1111-1111-1111-111111111111"], &["16777217"]], set: false },
        Caller { values: &[&["11111111-1111-1111-1111-111111111111"], &["16777217", "42"]], set: true },
        Caller {
            values: &[&["11111111-1111-1111-1111-111111111111", "22222222-2222-2222-2222-222222222222"], &["42"]],
            set: true,
        },
        Caller { values: &[&["22222222-2222-2222-2222-222222222222"], &["9007199254740993"]], set: false },
        Caller { values: &[&["44444444-4444-4444-4444-444444444444"], &["-5"]], set: false },
    ],
};
