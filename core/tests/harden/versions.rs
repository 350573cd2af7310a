//! Run twice, and again after somebody changed things, on every version.

use std::collections::BTreeSet;

use haltsql::Seal;
use haltsql_testkit::Version;

use crate::{Case, Ward};

/// Everything that the script decides about, in one order.
const STATE: &str = "
    SELECT string_agg(line, E'\\n' ORDER BY line) FROM (
        SELECT 'relation ' || c.oid::regclass || a.* || c.relrowsecurity || c.relforcerowsecurity AS line
          FROM pg_class c LEFT JOIN aclexplode(c.relacl) a ON true WHERE c.oid >= 16384 OR c.relname = 'pg_settings'
        UNION ALL SELECT 'relation ' || c.oid::regclass || c.relrowsecurity || c.relforcerowsecurity FROM pg_class c WHERE c.oid >= 16384
        UNION ALL SELECT 'column ' || t.attrelid::regclass || t.attname || a.* FROM pg_attribute t, aclexplode(t.attacl) a
        UNION ALL SELECT 'routine ' || p.oid::regprocedure || a.* FROM pg_proc p, aclexplode(p.proacl) a
        UNION ALL SELECT 'schema ' || n.nspname || a.* FROM pg_namespace n, aclexplode(n.nspacl) a
        UNION ALL SELECT 'language ' || l.lanname || a.* FROM pg_language l, aclexplode(l.lanacl) a
        UNION ALL SELECT 'database ' || a.* FROM pg_database d, aclexplode(d.datacl) a WHERE d.datname = current_database()
        UNION ALL SELECT 'policy ' || polrelid::regclass || polname || polcmd::text || polpermissive || array_to_string(polroles, ',')
                      || coalesce(pg_get_expr(polqual, polrelid), '') || coalesce(pg_get_expr(polwithcheck, polrelid), '') FROM pg_policy
        UNION ALL SELECT 'role ' || rolname || rolsuper || rolcanlogin || rolcreatedb || rolcreaterole || rolreplication || rolbypassrls
                    FROM pg_roles WHERE oid >= 16384
        UNION ALL SELECT 'member ' || roleid || ' ' || member FROM pg_auth_members WHERE roleid >= 16384) s";

/// What somebody does by hand, or a migration.
const DRIFT: &str = "
    GRANT SELECT ON app.customers TO PUBLIC; GRANT SELECT (ssn) ON app.customers TO {role};
    ALTER TABLE app.orders NO FORCE ROW LEVEL SECURITY;
    ALTER POLICY haltsql_hold_{grantee} ON app.customers USING (true);
    GRANT staff TO {role}; ALTER ROLE {role} CREATEDB; GRANT CREATE ON SCHEMA app TO {role};
    GRANT TEMPORARY ON DATABASE open TO PUBLIC; REVOKE SELECT (name) ON app.customers FROM {grantee};
    GRANT EXECUTE ON FUNCTION app.orders_of(text) TO PUBLIC";

fn it_is_idempotent(version: Version) {
    for (seal, grantee) in [(Seal::Signed, "agent"), (Seal::Bare, "agent"), (Seal::Login, "haltsql_t_tenants")] {
        let case = Case::of(seal);
        let ward = Ward::new(version, case.role);
        let (script, check) = (case.script(true).to_sql(), case.check());
        let state =
            || -> String { ward.server.connect("open", "postgres").unwrap().query_one(STATE, &[]).unwrap().get(0) };
        ward.run("open", &script);
        assert_eq!(ward.found("open", &check), BTreeSet::new(), "{seal:?}");
        let once = state();
        ward.run("open", &script);
        assert_eq!(state(), once, "{seal:?}: a second run changed something");

        ward.run("open", &DRIFT.replace("{role}", case.role).replace("{grantee}", grantee));
        let red = ward.found("open", &check);
        for id in
            ["rls.forced", "seal.columns", "seal.definer_functions", "seal.hold", "seal.memberships", "seal.temporary"]
        {
            assert!(red.contains(id), "{seal:?}: {id} is not among {red:?}");
        }
        ward.run("open", &script);
        assert_eq!(ward.found("open", &check), BTreeSet::new(), "{seal:?}");
        let mended = state();
        ward.run("open", &script);
        assert_eq!(state(), mended, "{seal:?}: a run after the mending one changed something");
        if seal != Seal::Bare {
            assert_eq!(ward.findings("open", case.role, &check), [], "{seal:?}: asked by the role itself");
        }
    }
}

#[test]
fn it_is_idempotent_on_postgresql_14() {
    it_is_idempotent(Version::Pg14);
}

#[test]
fn it_is_idempotent_on_postgresql_15() {
    it_is_idempotent(Version::Pg15);
}

#[test]
fn it_is_idempotent_on_postgresql_16() {
    it_is_idempotent(Version::Pg16);
}

#[test]
fn it_is_idempotent_on_postgresql_17() {
    it_is_idempotent(Version::Pg17);
}

#[test]
fn it_is_idempotent_on_postgresql_18() {
    it_is_idempotent(Version::Pg18);
}
