//! What the doctor prints, for people and for programs.

use crate::WARD_18;
use crate::common::parts;

const TRIGGER: &str = "
    CREATE FUNCTION lib.audit() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
    CREATE TRIGGER \"Audit\" AFTER INSERT ON app.tags FOR EACH ROW EXECUTE FUNCTION lib.audit()";

#[test]
fn people_read_a_line_a_check_and_the_sql_that_mends() {
    let clinic = &*WARD_18;
    let (code, out, err) = parts(&clinic.doctor(&clinic.dsn("green", "postgres"), &[]));
    assert_eq!((code, &*err), (0, ""));
    assert!(out.starts_with("policy green on database green (PostgreSQL 18), as doctor_agent\n"), "{out}");
    assert!(out.contains("\nok   tenant.not_null                    every row says whose it is\n"), "{out}");
    assert!(out.contains("\n-    overloads.syntax                   this server knows all of it\n"), "{out}");
    assert!(out.ends_with("\nverdicts hold on this database (63 ok, 2 not applicable, 0 red)\n"), "{out}");
    assert!(!out.contains('\u{1b}'), "colours without a terminal");

    clinic.copy("ill");
    clinic.run_sql("ill", "ALTER TABLE app.notes ALTER tenant_id DROP NOT NULL");
    let (code, out, err) = parts(&clinic.doctor(&clinic.dsn("ill", "postgres"), &[]));
    assert_eq!((code, &*err), (1, ""));
    let wanted = "
RED  tenant.not_null                    every row says whose it is
     app.notes.tenant_id: it may be NULL: such a row belongs to nobody known
       ALTER TABLE app.notes ALTER COLUMN tenant_id SET NOT NULL;
       give the rows without a value to somebody first
";
    assert!(out.contains(wanted), "{out}");
    assert!(out.contains("1 of 65 checks are red"), "{out}");
}

#[test]
fn programs_read_stable_json() {
    let clinic = &*WARD_18;
    clinic.copy("ill_too");
    clinic.run_sql("ill_too", "ALTER TABLE app.notes ALTER tenant_id DROP NOT NULL");
    let report = clinic.report("ill_too", &[]).0;
    let mut keys: Vec<_> = report.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["checks", "database", "haltsql_version", "ok", "policy", "roles", "server_version"]);
    assert_eq!(report["roles"], serde_json::json!(["doctor_agent"]));
    let find = |id: &str| report["checks"].as_array().unwrap().iter().find(|check| check["id"] == id).unwrap().clone();
    assert_eq!(
        find("tenant.not_null"),
        serde_json::json!({
            "id": "tenant.not_null",
            "title": "every row says whose it is",
            "state": "red",
            "findings": [{
                "object": "app.notes.tenant_id",
                "found": "it may be NULL: such a row belongs to nobody known",
                "mend": ["ALTER TABLE app.notes ALTER COLUMN tenant_id SET NOT NULL"],
                "advice": "give the rows without a value to somebody first",
            }],
        })
    );
    assert_eq!(find("overloads.syntax")["why"], "this server knows all of it");
}

#[test]
fn a_trigger_that_was_read_can_be_accepted_by_its_name() {
    let clinic = &*WARD_18;
    clinic.copy("watched");
    clinic.run_sql("watched", TRIGGER);
    let green = clinic.report("green", &[]).states();
    let accept = "writes.triggers=\"Audit\" ON app.tags";
    let report = clinic.report("watched", &["--accept", accept]);
    assert_eq!(report.states(), green);
    assert!(report.0.to_string().contains("\"accepted\":[{\"advice\""), "{:#}", report.0);
    let other = clinic.report("watched", &["--accept", "writes.triggers=audit ON app.tags"]);
    assert_eq!(other.states()["writes.triggers"], "red");

    let dsn = clinic.dsn("watched", "postgres");
    for refused in ["tenant.not_null=app.notes.tenant_id", "writes.triggers", "nothing=at all"] {
        let (code, out, err) = parts(&clinic.doctor(&dsn, &["--accept", refused]));
        assert_eq!((code, &*out), (2, ""), "{refused}");
        assert!(err.contains("--accept"), "{err}");
    }
}

/// Each check has a section that says what it is about.
#[test]
fn every_check_is_documented() {
    let pages = std::fs::read_to_string(haltsql_testkit::root().join("docs/doctor.md")).unwrap();
    let documented: Vec<&str> =
        pages.lines().filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`')).collect();
    let clinic = &*WARD_18;
    let report = clinic.report("green", &[]).0;
    let known: Vec<&str> =
        report["checks"].as_array().unwrap().iter().map(|check| check["id"].as_str().unwrap()).collect();
    assert_eq!(documented, known, "docs/doctor.md has the checks in their order");
}
