//! Everybody else: what they keep, who may run the script, and policies that share a database.

use haltsql::harden::{Options, Weight, script, seal_check, sql};
use haltsql::{Policy, Seal};
use haltsql_testkit::{Version, in_full};

use crate::pins::{in_seconds, sealed, sign};
use crate::{Case, KEY, POLICY, SIGNED, Ward, ids, set};

fn count(ward: &Ward, user: &str, query: &str) -> Result<i64, String> {
    let mut client = ward.server.connect("open", user).unwrap();
    client.query_one(query, &[]).map(|row| row.get(0)).map_err(|problem| in_full(&problem))
}

#[test]
fn other_roles_keep_what_they_had() {
    for seal in [Seal::Signed, Seal::Bare] {
        let case = Case::of(seal);
        let ward = Ward::new(Version::Pg18, case.role);
        ward.run("open", &case.script(true).to_sql());
        ward.run("open", "GRANT CONNECT ON DATABASE open TO shop_app");
        for user in ["shop_app", "postgres"] {
            assert_eq!(count(&ward, user, "SELECT count(*) FROM app.customers"), Ok(40), "{user}");
            assert_eq!(count(&ward, user, "SELECT count(*) FROM app.api_keys"), Ok(1), "{user}: what PUBLIC had");
            assert_eq!(count(&ward, user, "SELECT count(*) FROM app.orders_of('acme')"), Ok(20), "{user}");
            let mut client = ward.server.connect("open", user).unwrap();
            client.batch_execute("CREATE TEMPORARY TABLE mine (a int); DO 'BEGIN PERFORM pg_sleep(0); END'").unwrap();
            client
                .batch_execute("SELECT set_config('app.tenant', 'x', false); CREATE TABLE aside.mine (a int)")
                .unwrap();
            client.batch_execute("DROP TABLE aside.mine").unwrap();
        }
        ward.run("open", "SET ROLE shop_owner; UPDATE app.customers SET name = name; DELETE FROM app.tickets");
        assert_eq!(count(&ward, "postgres", "SELECT count(*) FROM app.tickets"), Ok(0), "the owner is held by nothing");
    }
}

#[test]
fn no_superuser_is_needed() {
    for version in [Version::Pg14, Version::Pg16, Version::Pg18] {
        let case = Case::of(Seal::Signed);
        let ward = Ward::new(version, case.role);
        // As a managed service has it: an administrator that is none, owner of the database and of what is in it.
        ward.run("postgres", "CREATE ROLE admin LOGIN CREATEROLE; GRANT shop_owner TO admin");
        ward.run(
            "plain",
            "ALTER DATABASE plain OWNER TO admin; ALTER SCHEMA app OWNER TO admin; ALTER SCHEMA lib OWNER TO admin;
             ALTER SCHEMA far OWNER TO admin; ALTER SCHEMA aside OWNER TO admin;
             DO $$ DECLARE r text; BEGIN
               FOR r IN SELECT c.oid::regclass::text FROM pg_class c WHERE c.relkind IN ('r', 'v', 'm', 'S')
                         AND c.relnamespace IN ('app'::regnamespace, 'far'::regnamespace)
                         AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'a') LOOP
                 EXECUTE 'ALTER TABLE ' || r || ' OWNER TO admin';
               END LOOP;
               FOR r IN SELECT p.oid::regprocedure::text FROM pg_proc p WHERE p.pronamespace IN ('app'::regnamespace, 'lib'::regnamespace) LOOP
                 EXECUTE 'ALTER ROUTINE ' || r || ' OWNER TO admin';
               END LOOP;
             END $$",
        );
        ward.run("postgres", "DROP DATABASE open");
        ward.run("postgres", "DROP ROLE agent");
        for _ in 0..2 {
            let mut client = ward.server.connect("plain", "admin").unwrap();
            let done = client.batch_execute(&case.script(false).to_sql());
            done.unwrap_or_else(|problem| panic!("{version:?}: {}", in_full(&problem)));
        }
        let found = ward.findings("plain", "admin", &case.check());
        let left = found.iter().filter(|finding| finding.weight != Weight::Optional);
        // Below 15 everybody may create in `public`, which belongs to the server's first superuser.
        let allowed = if version == Version::Pg14 { set(&["seal.create"]) } else { set(&[]) };
        let left: Vec<_> = left.cloned().collect();
        assert_eq!(ids(&left), allowed, "{version:?}: {left:#?}");
    }
}

#[test]
fn policies_share_a_database() {
    let (case, ward) = sealed(Version::Pg18, true);
    let second =
        Policy::from_yaml(&POLICY.replace(SIGNED, &SIGNED.replace("role: agent", "role: '\"Second $haltsql$\"'")))
            .unwrap();
    let text = sql(&second, &Options { optional: true, ..Options::default() }).unwrap();
    for _ in 0..2 {
        ward.run("open", &text);
        assert_eq!(ward.findings("open", "postgres", &case.check()), [], "the first is sealed as before");
    }
    let other = Ward { server: ward.server, role: "Second $haltsql$" };
    assert_eq!(other.findings("open", "postgres", &seal_check(&second).unwrap().unwrap()), []);
    other.run("open", &case.script(true).to_sql());
    assert_eq!(other.findings("open", "postgres", &seal_check(&second).unwrap().unwrap()), []);
    let mut client = other.server.connect("open", "Second $haltsql$").unwrap();
    let soon = in_seconds(&mut client, 30);
    for (user, rows) in [("Second $haltsql$", 20), ("agent", 0)] {
        let pin = sign(KEY, "open", user, "k1", &soon, r#"{"tenant_id":["globex"]}"#);
        let mut transaction = client.transaction().unwrap();
        transaction.execute("SELECT set_config('haltsql.pin', $1, true)", &[&pin]).unwrap();
        let found: i64 = transaction.query_one("SELECT count(*) FROM app.customers", &[]).unwrap().get(0);
        assert_eq!(found, rows, "a pin for {user}");
    }
}

#[test]
fn each_seal_gives_the_tenants_rows_and_no_others() {
    let case = Case::of(Seal::Login);
    let ward = Ward::new(Version::Pg18, case.role);
    ward.run("postgres", "CREATE ROLE t_globex LOGIN");
    ward.run("open", &case.script(false).to_sql());
    for (user, name) in [("t_acme", "ACME_cust_1"), ("t_globex", "GLOBEX_cust_2")] {
        assert_eq!(count(&ward, user, "SELECT count(*) FROM app.customers"), Ok(20), "{user}");
        let mut client = ward.server.connect("open", user).unwrap();
        // The group is no way out: who logged in counts.
        client.batch_execute("SET ROLE haltsql_t_tenants").unwrap();
        let first: String = client.query_one("SELECT min(name) FROM app.customers WHERE id < 3", &[]).unwrap().get(0);
        assert_eq!(first, name);
    }

    let case = Case::of(Seal::Bare);
    let ward = Ward::new(Version::Pg16, case.role);
    ward.run("open", &case.script(false).to_sql());
    ward.run("postgres", "GRANT agent TO shop_app; GRANT CONNECT ON DATABASE open TO shop_app");
    let mut client = ward.server.connect("open", "shop_app").unwrap();
    let mut transaction = client.transaction().unwrap();
    transaction.batch_execute("SELECT set_config('app.tenant', 'acme', true); SET LOCAL ROLE agent").unwrap();
    let tenants: String =
        transaction.query_one("SELECT string_agg(DISTINCT tenant_id, ',') FROM app.customers", &[]).unwrap().get(0);
    assert_eq!(tenants, "acme");
    let repinned = transaction.query("SELECT set_config('app.tenant', 'globex', true)", &[]);
    assert!(in_full(&repinned.unwrap_err()).contains("permission denied for function set_config"));
    drop(transaction);
    let mut transaction = client.transaction().unwrap();
    transaction.batch_execute("SET LOCAL ROLE agent").unwrap();
    let none: i64 = transaction.query_one("SELECT count(*) FROM app.customers", &[]).unwrap().get(0);
    assert_eq!(none, 0, "a setting that was taken back is empty, and no tenant's");
}

#[test]
fn a_policy_that_its_seal_cannot_hold_gets_no_sql() {
    let with = |execution: &str| Policy::from_yaml(&POLICY.replace(SIGNED, execution)).unwrap();
    for (execution, says) in [
        ("role: agent\n    seal: bare\n", "needs a setting that holds the context's `tenant_id`"),
        ("role: 't_{context.other}'\n    seal: login\n", "does not hold the tenant key's `tenant_id`"),
        (
            "role: haltsql_keyring\n    seal: bare\n    settings: { app.t: '{context.tenant_id}' }\n",
            "cannot be the role of a policy",
        ),
    ] {
        let policy = with(execution);
        let problem = sql(&policy, &Options::default()).unwrap_err();
        assert!(problem.message.contains(says) && !problem.help.is_empty(), "{problem}");
        assert!(seal_check(&policy).is_err());
    }
    let none = with("seal: none\n");
    assert!(seal_check(&none).unwrap().is_none());
    let text = script(&none, &Options::default()).unwrap();
    assert_eq!(text.lines().count(), 0);
    assert!(text.to_sql().lines().all(|line| line.starts_with("--")), "{}", text.to_sql());
}
