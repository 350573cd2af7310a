//! Each line of the script, left out.

use std::collections::BTreeSet;

use haltsql::Seal;
use haltsql::harden::{CHECKS, Effect};
use haltsql_testkit::Version;

use crate::{Case, Ward, set};

/// Checks that no line closes: whose things they are, and how a view or a server is made, is a person's to say.
const BY_PERSON: &[&str] = &[
    "role.exists",
    "role.superuser",
    "role.owner",
    "tables.kind",
    "tables.view_security_invoker",
    "seal.owner",
    "seal.permissive_policies",
    "seal.server_settings",
];

/// Leaves out one line after the other, and returns every check that was turned.
fn each_line_turns_its_check(version: Version, seal: Seal) -> BTreeSet<String> {
    let case = Case::of(seal);
    let ward = Ward::new(version, case.role);
    let (script, check) = (case.script(true), case.check());

    assert_eq!(ward.tried("open", "", &script.to_sql(), &check), Ok(BTreeSet::new()));
    let (mut turned, mut wrong) = (BTreeSet::new(), Vec::new());
    for (number, line) in script.lines().enumerate() {
        let without = script.without(number);
        let checks = match line.effect {
            Effect::Needed => {
                // Where nothing of it is there yet.
                let away = format!("ALTER ROLE {} RENAME TO away", case.role);
                if ward.tried("plain", &away, &without, &check).is_ok() {
                    wrong.push(format!("not needed: {}", line.sql));
                }
                continue;
            }
            Effect::Turns(checks) => checks,
            Effect::Aid => &[],
        };
        let found = ward.tried("open", "", &without, &check).unwrap_or_else(|problem| set(&[&problem]));
        if found != set(checks) {
            wrong.push(format!("red is {found:?}, and should be {checks:?}, without {}", line.sql));
        }
        turned.extend(found);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    turned
}

#[test]
fn each_line_of_a_signed_seal_turns_its_check_on_postgresql_18() {
    let mut turned = each_line_turns_its_check(Version::Pg18, Seal::Signed);
    turned.extend(set(BY_PERSON));
    turned.extend(set(&["seal.set_config"]));
    assert_eq!(turned, CHECKS.iter().map(|(id, _)| (*id).to_owned()).collect());
}

#[test]
fn each_line_of_a_signed_seal_turns_its_check_on_postgresql_16() {
    each_line_turns_its_check(Version::Pg16, Seal::Signed);
}

#[test]
fn each_line_of_a_bare_seal_turns_its_check() {
    let turned = each_line_turns_its_check(Version::Pg18, Seal::Bare);
    assert!(turned.contains("seal.set_config") && turned.contains("seal.languages"), "{turned:?}");
}

#[test]
fn each_line_of_a_seal_by_login_turns_its_check() {
    let turned = each_line_turns_its_check(Version::Pg18, Seal::Login);
    assert!(turned.contains("seal.hold") && turned.contains("seal.grants"), "{turned:?}");
}
