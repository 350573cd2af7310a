//! What takes a superuser: functions of PostgreSQL itself, languages, extensions.
//!
//! Under `signed` and `login` none of it is a way to other tenants' rows: it closes what disturbs others, what a ROLLBACK does not undo,
//! and what shows whole tables or other sessions. Under `bare` all of it is part of the seal.

use super::plan::Plan;
use super::script::{Script, block, literal};
use super::take::{self, take, which};
use crate::policy::Seal;

/// Functions of `pg_catalog` that PUBLIC may call, by what they do. Names, not signatures: every overload, on whatever version has it;
/// a name with `*` at its end is all that begin so.
/// Left out on purpose, because ordinary clients call them at connect or between queries: `set_config` (pg_dump, poolers, most
/// drivers; under `bare` it goes all the same), `pg_show_all_settings`, `pg_advisory_unlock_all`.
const CLASSES: [(&str, &[&str]); 9] = [
    (
        "Run a query that stands in a text, where no verifier has read it.",
        &[
            "cursor_to_xml",
            "cursor_to_xmlschema",
            "database_to_xml",
            "database_to_xml_and_xmlschema",
            "database_to_xmlschema",
            "query_to_xml",
            "query_to_xml_and_xmlschema",
            "query_to_xmlschema",
            "schema_to_xml",
            "schema_to_xml_and_xmlschema",
            "schema_to_xmlschema",
            "table_to_xml",
            "table_to_xml_and_xmlschema",
            "table_to_xmlschema",
            "ts_rewrite",
            "ts_stat",
        ],
    ),
    (
        "Large objects: before PostgreSQL 16 they are written even in a read-only transaction.",
        &[
            "lo_close",
            "lo_creat",
            "lo_create",
            "lo_export",
            "lo_from_bytea",
            "lo_get",
            "lo_import",
            "lo_lseek",
            "lo_lseek64",
            "lo_open",
            "lo_put",
            "lo_tell",
            "lo_tell64",
            "lo_truncate",
            "lo_truncate64",
            "lo_unlink",
            "loread",
            "lowrite",
        ],
    ),
    (
        "Locks that outlive a ROLLBACK, and make others wait.",
        &[
            "pg_advisory_lock",
            "pg_advisory_lock_shared",
            "pg_advisory_unlock",
            "pg_advisory_unlock_shared",
            "pg_advisory_xact_lock",
            "pg_advisory_xact_lock_shared",
            "pg_try_advisory_lock",
            "pg_try_advisory_lock_shared",
            "pg_try_advisory_xact_lock",
            "pg_try_advisory_xact_lock_shared",
        ],
    ),
    (
        "Signals to other sessions, and messages to them.",
        &[
            "pg_blocking_pids",
            "pg_cancel_backend",
            "pg_cursor",
            "pg_isolation_test_session_is_blocked",
            "pg_listening_channels",
            "pg_lock_status",
            "pg_log_backend_memory_contexts",
            "pg_notification_queue_usage",
            "pg_notify",
            "pg_prepared_statement",
            "pg_prepared_xact",
            "pg_safe_snapshot_blocking_pids",
            "pg_terminate_backend",
        ],
    ),
    ("Sleep.", &["pg_sleep", "pg_sleep_for", "pg_sleep_until"]),
    (
        "State of the session, and sequences: a ROLLBACK undoes neither.",
        &[
            "currval",
            "lastval",
            "nextval",
            "pg_get_sequence_data",
            "pg_sequence_last_value",
            "pg_sequence_parameters",
            "pg_stat_clear_snapshot",
            "pg_stat_force_next_flush",
            "setseed",
            "setval",
        ],
    ),
    (
        "Transaction ids, the log, replication, snapshots: a read that writes.",
        &[
            "pg_copy_logical_replication_slot",
            "pg_copy_physical_replication_slot",
            "pg_create_logical_replication_slot",
            "pg_create_physical_replication_slot",
            "pg_current_wal_flush_lsn",
            "pg_current_wal_insert_lsn",
            "pg_current_wal_lsn",
            "pg_current_xact_id",
            "pg_drop_replication_slot",
            "pg_export_snapshot",
            "pg_get_multixact_members",
            "pg_get_publication_tables",
            "pg_get_replication_slots",
            "pg_get_wal_replay_pause_state",
            "pg_get_wal_resource_managers",
            "pg_get_wal_summarizer_state",
            "pg_is_wal_replay_paused",
            "pg_last_committed_xact",
            "pg_last_wal_receive_lsn",
            "pg_last_wal_replay_lsn",
            "pg_last_xact_replay_timestamp",
            "pg_logical_emit_message",
            "pg_logical_slot_get_binary_changes",
            "pg_logical_slot_get_changes",
            "pg_logical_slot_peek_binary_changes",
            "pg_logical_slot_peek_changes",
            "pg_replication_slot_advance",
            "pg_sync_replication_slots",
            "pg_wal_summary_contents",
            "pg_available_wal_summaries",
            "pg_xact_commit_timestamp",
            "pg_xact_commit_timestamp_origin",
            "pg_xact_status",
            "txid_current",
            "txid_status",
        ],
    ),
    (
        "Sizes, files and counts of whole tables, all tenants' together, and what other sessions do.",
        &[
            "pg_stat_get_*",
            "pg_database_size",
            "pg_filenode_relation",
            "pg_indexes_size",
            "pg_relation_filenode",
            "pg_relation_filepath",
            "pg_relation_size",
            "pg_table_size",
            "pg_tablespace_databases",
            "pg_tablespace_location",
            "pg_tablespace_size",
            "pg_total_relation_size",
        ],
    ),
    (
        "Maintenance, and what pg_upgrade is for.",
        &[
            "amvalidate",
            "binary_upgrade_*",
            "brin_desummarize_range",
            "brin_summarize_new_values",
            "brin_summarize_range",
            "currtid2",
            "gin_clean_pending_list",
            "pg_control_checkpoint",
            "pg_control_init",
            "pg_control_recovery",
            "pg_control_system",
            "pg_extension_config_dump",
            "pg_import_system_collations",
            "pg_nextoid",
            "pg_stop_making_pinned_objects",
        ],
    ),
];

/// A condition on a function `p` of `pg_catalog`: it is one of those above.
pub(super) fn is_listed(plan: &Plan<'_>) -> String {
    named(plan, CLASSES.iter().flat_map(|(_, names)| names.iter().copied()))
}

fn named(plan: &Plan<'_>, names: impl Iterator<Item = &'static str>) -> String {
    // A serial column's default calls it with the rights of whoever inserts.
    let inserts = plan.tables.iter().any(|table| !table.insert.is_empty());
    let names: Vec<&str> = names.filter(|name| !(inserts && *name == "nextval")).collect();
    // As `name`: against a list of texts the server compares with one after the other, which costs most of the check.
    let whole: Vec<String> = names.iter().copied().filter(|name| !name.ends_with('*')).map(literal).collect();
    let mut ways = vec![format!("p.proname = ANY (ARRAY[{}]::name[])", whole.join(", "))];
    ways.extend(names.iter().filter_map(|name| {
        Some(format!("pg_catalog.starts_with(p.proname::text, {})", literal(name.strip_suffix('*')?)))
    }));
    format!("p.oid < 16384 AND p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace AND ({})", ways.join(" OR "))
}

pub(super) fn write(plan: &Plan<'_>, script: &mut Script) {
    let bare = plan.seal == Seal::Bare;
    script.comment(&[
        if bare { "Part of the seal `bare`, and a superuser's to run." } else { "Optional, and a superuser's to run." },
        "Roles that are not sealed keep all of it through haltsql_unsealed.",
    ]);
    let body = "  IF NOT (SELECT r.rolsuper FROM pg_catalog.pg_roles r WHERE r.rolname = CURRENT_USER) THEN
    RAISE EXCEPTION 'this part needs a superuser';
  END IF;";
    script.aid(block("", body));
    for (what, names) in CLASSES {
        script.comment(&[what]);
        let routines = take::routines(&named(plan, names.iter().copied()));
        script.turns(&["seal.catalog_functions"], take(plan, &routines));
    }
    script.comment(&["DO runs whatever a text holds, in every trusted language. Functions that exist go on working without this right."]);
    script.turns(&["seal.languages"], take(plan, &take::languages(which::LANGUAGE)));
    script.comment(&["Functions of extensions that are no mere calculation, and tables and views of extensions."]);
    let routines = format!(
        "{} AND {} AND p.provolatile = 'v' AND NOT p.prosecdef AND p.oid NOT IN ({})",
        which::ROUTINE,
        which::EXTENSION_ROUTINE,
        plan.needed_functions()
    );
    script.turns(&["seal.extensions"], take(plan, &take::routines(&routines)));
    let listed =
        format!("EXISTS (SELECT 1 FROM {} WHERE f.schema = n.nspname AND f.name = c.relname)", plan.table_names("f"));
    let relations = format!("{} AND {} AND NOT {listed}", which::RELATION, which::EXTENSION_RELATION);
    script.turns(&["seal.extensions"], take(plan, &take::relations("TABLE", &relations)));
    if bare {
        script.comment(&[
            "The tenant stands in a setting that the role could set itself. The view pg_settings is set_config in disguise: by a rule.",
        ]);
        let routines = take::routines("n.nspname = 'pg_catalog' AND p.proname = 'set_config'");
        script.turns(&["seal.set_config"], take(plan, &routines));
        let mut view = take::relations("TABLE", "n.nspname = 'pg_catalog' AND c.relname = 'pg_settings'");
        view.rights = &["UPDATE"];
        script.turns(&["seal.set_config"], take(plan, &view));
    }
}
