//! The roles: the sealed one, the group that keeps for others what everybody loses, and what the sealed role must not be.

use super::plan::{KEYRING, MARK, Plan, Sealed, UNSEALED, fits};
use super::script::{Script, block, literal};
use crate::policy::Seal;
use crate::quote::quote_ident;

pub(super) fn write(plan: &Plan<'_>, script: &mut Script) {
    exist(plan, script);
    held_back(plan, script);
    kept_for_others(plan, script);
}

fn exist(plan: &Plan<'_>, script: &mut Script) {
    let role = plan.grantee_sql();
    script.comment(&["Roles. Passwords are set by you and stand in no script: \\password in psql."]);
    script.needed(create(plan.grantee()));
    match &plan.role {
        Sealed::One(_) if plan.seal == Seal::Signed => {
            script.comment(&["The agent logs in AS the sealed role: there is nothing to go back to with RESET ROLE."]);
            script.turns(&["seal.login"], format!("ALTER ROLE {role} LOGIN;"));
        }
        Sealed::One(_) => script.comment(&[
            "The guard logs in as another role, and changes to this one in each transaction. That role, which must be no superuser, needs:",
            &format!("    GRANT {role} TO your_login_role;"),
        ]),
        Sealed::PerTenant { before, after, group } => {
            script.comment(&[
                "Every tenant has a login role whose name holds the tenant's value. A new tenant's is made by:",
                &format!("    CREATE ROLE {before}VALUE{after} LOGIN; GRANT {} TO {before}VALUE{after};", quote_ident(group)),
                "A name of more than 63 bytes is cut off by the server: such a tenant cannot have a role of its own.",
                "Those that are there already:",
            ]);
            let body = format!(
                "  FOR x IN SELECT r.rolname FROM pg_catalog.pg_roles r WHERE {} AND r.rolname <> {} LOOP
    EXECUTE pg_catalog.format('GRANT %I TO %I', {}, x.rolname);
  END LOOP;",
                fits("r", before, after),
                literal(group),
                literal(group),
            );
            script.turns(&["search_path.usage", "seal.grants"], block("x record;", &body));
        }
    }
    if plan.seal == Seal::Signed {
        script.comment(&["Owns the function that verifies pins, and alone may read the keys. Nobody logs in as it."]);
        script.needed(create(KEYRING));
    }
    script.needed(create(UNSEALED));
    let mark = format!("{MARK} (policy harden): grant it nothing by hand");
    script.aid(format!("COMMENT ON ROLE {role} IS {};", literal(&mark)));
}

fn create(role: &str) -> String {
    let body = format!(
        "  IF NOT EXISTS (SELECT 1 FROM pg_catalog.pg_roles r WHERE r.rolname = {}) THEN
    CREATE ROLE {};
  END IF;",
        literal(role),
        quote_ident(role),
    );
    block("", &body)
}

/// Attributes and memberships that would be a way around everything below.
fn held_back(plan: &Plan<'_>, script: &mut Script) {
    script.comment(&[
        "A superuser is held by nothing; taking that away from a role could lock you out, so it is yours to do.",
    ]);
    let body = format!(
        "  IF EXISTS (SELECT 1 FROM pg_catalog.pg_roles r WHERE r.rolsuper AND {}) THEN
    RAISE EXCEPTION 'the sealed role is a superuser: name a role of its own in execution.role';
  END IF;",
        plan.is_sealed("r")
    );
    script.aid(block("", &body));
    // Spelt out only where it is set: with ALTER ROLE … NOBYPASSRLS alone, whoever is no superuser gets an error for nothing.
    let attributes: [(&str, &str, &'static [&'static str]); 4] = [
        ("rolbypassrls", "NOBYPASSRLS", &["role.bypassrls"]),
        ("rolcreaterole", "NOCREATEROLE", &["seal.attributes"]),
        ("rolcreatedb", "NOCREATEDB", &["seal.attributes"]),
        ("rolreplication", "NOREPLICATION", &["seal.attributes"]),
    ];
    for (column, word, checks) in attributes {
        let body = format!(
            "  FOR x IN SELECT r.rolname FROM pg_catalog.pg_roles r WHERE r.{column} AND {} LOOP
    EXECUTE pg_catalog.format('ALTER ROLE %I {word}', x.rolname);
  END LOOP;",
            plan.is_sealed("r")
        );
        script.turns(checks, block("x record;", &body));
    }
    script.comment(&[
        "A member of a role can become it. Others may be members of the sealed role: they gain nothing they lack.",
    ]);
    let own_group = match &plan.role {
        Sealed::One(_) => String::new(),
        Sealed::PerTenant { group, .. } => format!(" AND g.rolname <> {}", literal(group)),
    };
    // From 16 on a grant is its grantor's, and only naming that one takes it back.
    let body = format!(
        "  FOR x IN
    SELECT g.rolname AS grp, r.rolname AS mem, o.rolname AS grantor
      FROM pg_catalog.pg_auth_members m JOIN pg_catalog.pg_roles g ON g.oid = m.roleid
      JOIN pg_catalog.pg_roles r ON r.oid = m.member LEFT JOIN pg_catalog.pg_roles o ON o.oid = m.grantor
     WHERE {}{own_group}
  LOOP
    IF pg_catalog.current_setting('server_version_num')::int < 160000 OR x.grantor IS NULL THEN
      EXECUTE pg_catalog.format('REVOKE %I FROM %I', x.grp, x.mem);
    ELSE
      EXECUTE pg_catalog.format('REVOKE %I FROM %I GRANTED BY %I CASCADE', x.grp, x.mem, x.grantor);
    END IF;
  END LOOP;",
        plan.is_sealed("r")
    );
    script.turns(&["seal.memberships"], block("x record;", &body));
}

/// Every other role gets into the group, before anything is taken from PUBLIC.
fn kept_for_others(plan: &Plan<'_>, script: &mut Script) {
    script.comment(&[
        "Every role but sealed ones (of this policy and of others), so that they lose nothing by what is taken from PUBLIC below.",
    ]);
    let body = format!(
        "  FOR x IN
    SELECT r.oid, r.rolname FROM pg_catalog.pg_roles r
     WHERE NOT r.rolsuper AND r.rolname !~ '^pg_' AND r.rolname NOT IN ('{UNSEALED}', '{KEYRING}')
       AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_roles s WHERE {} AND pg_catalog.pg_has_role(s.oid, r.oid, 'MEMBER'))
       AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_roles s
                        WHERE pg_catalog.starts_with(pg_catalog.shobj_description(s.oid, 'pg_authid'), {})
                          AND (s.oid = r.oid OR s.rolname ~ '^haltsql_' AND EXISTS (
                                SELECT 1 FROM pg_catalog.pg_auth_members m WHERE m.roleid = s.oid AND m.member = r.oid)))
       AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_auth_members m
                        WHERE m.member = r.oid AND m.roleid = (SELECT u.oid FROM pg_catalog.pg_roles u WHERE u.rolname = '{UNSEALED}'))
       AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_auth_members m
                        WHERE m.roleid = r.oid AND m.member = (SELECT u.oid FROM pg_catalog.pg_roles u WHERE u.rolname = '{UNSEALED}'))
  LOOP
    EXECUTE pg_catalog.format('GRANT {UNSEALED} TO %I', x.rolname)
      || CASE WHEN pg_catalog.current_setting('server_version_num')::int >= 160000 THEN ' WITH INHERIT TRUE' ELSE '' END;
  END LOOP;",
        plan.is_sealed("s"),
        literal(MARK),
    );
    script.aid(block("x record;", &body));
}
