//! Row-level security: one policy that lets the sealed role in, one that holds it to its tenant's rows.

use super::plan::{Plan, PlanTable};
use super::script::{Script, literal, tag};
use crate::quote::quote_ident;

pub(super) fn write(plan: &Plan<'_>, script: &mut Script) {
    script.comment(&[
        "Row-level security. The open policy lets the role in at all; the hold policy, being RESTRICTIVE, holds whatever other policies",
        "are added. FORCE binds the owner too. Where row security was off, everybody who had rights on the table keeps all of its rows",
        "by the policy haltsql_others; where it was on, others' policies stay as they are. Views have none of their own.",
    ]);
    for table in plan.tables.iter().filter(|table| !table.holds.is_empty()) {
        one(plan, table, script);
    }
}

fn one(plan: &Plan<'_>, table: &PlanTable<'_>, script: &mut Script) {
    let name = table.display;
    let quoted = literal(name);
    let role = plan.grantee_sql();
    let policy = |what: &str| quote_ident(&plan.policy_name(what)).into_owned();
    let (open, hold) = (policy("open"), policy("hold"));
    let holds: Vec<String> =
        table.holds.iter().map(|hold| format!("{} = {}", quote_ident(hold.column), hold.written)).collect();
    let holds = holds.join(" AND ");
    let tag = tag(&format!("{name}{holds}{role}{open}"));
    script.comment(&[name]);
    script.frame(format!(
        "DO {tag}\nDECLARE\n  kind \"char\" := (SELECT c.relkind FROM pg_catalog.pg_class c WHERE c.oid = {quoted}::pg_catalog.regclass);\n  \
           others text;\nBEGIN\n  IF kind IN ('r', 'p') THEN"
    ));
    script.aid(others(plan, name, &quoted));
    script.turns(&["rls.enabled"], format!("    ALTER TABLE {name} ENABLE ROW LEVEL SECURITY;"));
    script.turns(&["rls.forced"], format!("    ALTER TABLE {name} FORCE ROW LEVEL SECURITY;"));
    script.turns(
        &["seal.open"],
        format!(
            "    DROP POLICY IF EXISTS {open} ON {name};\n    CREATE POLICY {open} ON {name} AS PERMISSIVE FOR ALL TO {role} USING (true);"
        ),
    );
    script.turns(
        &["seal.hold"],
        format!(
            "    DROP POLICY IF EXISTS {hold} ON {name};\n    CREATE POLICY {hold} ON {name} AS RESTRICTIVE FOR ALL TO {role}\n      \
               USING ({holds});"
        ),
    );
    script.frame("  ELSIF kind <> 'v' THEN");
    script.aid(format!(
        "    RAISE EXCEPTION '% has no row security: a materialised view or a foreign table cannot be sealed', {quoted};"
    ));
    script.frame(format!("  END IF;\nEND\n{tag};"));
}

/// Everybody else who has rights on the table, by name: so that a policy for all, PUBLIC, has no need to be there.
fn others(plan: &Plan<'_>, name: &str, quoted: &str) -> String {
    format!(
        "    IF NOT (SELECT c.relrowsecurity FROM pg_catalog.pg_class c WHERE c.oid = {quoted}::pg_catalog.regclass)
       OR EXISTS (SELECT 1 FROM pg_catalog.pg_policy p WHERE p.polrelid = {quoted}::pg_catalog.regclass AND p.polname = 'haltsql_others') THEN
      SELECT pg_catalog.string_agg(DISTINCT pg_catalog.quote_ident(r.rolname), ', ') INTO others
        FROM pg_catalog.pg_class c
        JOIN pg_catalog.pg_roles r ON r.oid = c.relowner
             OR EXISTS (SELECT 1 FROM pg_catalog.aclexplode(c.relacl) a WHERE a.grantee = r.oid)
             OR EXISTS (SELECT 1 FROM pg_catalog.pg_attribute t, pg_catalog.aclexplode(t.attacl) a
                         WHERE t.attrelid = c.oid AND a.grantee = r.oid)
       WHERE c.oid = {quoted}::pg_catalog.regclass AND NOT {}
         AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_policy p WHERE p.polrelid = c.oid AND r.oid = ANY (p.polroles)
                            AND pg_catalog.starts_with(p.polname::text, 'haltsql_hold_'));
      DROP POLICY IF EXISTS haltsql_others ON {name};
      IF others IS NOT NULL THEN
        EXECUTE {} || others || ' USING (true) WITH CHECK (true)';
      END IF;
    END IF;",
        plan.is_sealed("r"),
        literal(&format!("CREATE POLICY haltsql_others ON {name} TO ")),
    )
}
