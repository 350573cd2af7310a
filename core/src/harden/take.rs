//! Blocks that take rights away: from the sealed role for good, from PUBLIC into the keeping of everybody else.
//!
//! Receives what to look through, returns a block. A right on what somebody else owns is left to its owner, and the check names it.

use super::plan::{Plan, UNSEALED};
use super::script::{block, literal};

/// Things with rights on them.
pub(super) struct Things {
    /// A query for `(what, part, acl, owner)`: as GRANT names it, ` (column)` or nothing, `aclitem[]`, oid.
    pub of: String,
    /// Only these rights; all of them where it is empty.
    pub rights: &'static [&'static str],
}

/// The block. It says nothing where there is nothing to take.
pub(super) fn take(plan: &Plan<'_>, things: &Things) -> String {
    let only = if things.rights.is_empty() {
        String::new()
    } else {
        let rights: Vec<String> = things.rights.iter().map(|right| literal(right)).collect();
        format!("\n       AND a.privilege_type IN ({})", rights.join(", "))
    };
    let body = format!(
        "  FOR x IN
    SELECT o.what, a.grantee, pg_catalog.string_agg(DISTINCT a.privilege_type || o.part, ', ') AS rights
      FROM ({}) AS o (what, part, acl, owner), pg_catalog.aclexplode(o.acl) AS a
     WHERE (a.grantee = 0 OR a.grantee IN (SELECT r.oid FROM pg_catalog.pg_roles r WHERE {}))
       AND a.grantee <> o.owner AND pg_catalog.pg_has_role(o.owner, 'USAGE'){only}
     GROUP BY o.what, a.grantee
  LOOP
    IF x.grantee = 0 THEN
      EXECUTE pg_catalog.format('GRANT %s ON %s TO {UNSEALED}', x.rights, x.what);
      EXECUTE pg_catalog.format('REVOKE %s ON %s FROM PUBLIC', x.rights, x.what);
    ELSE
      EXECUTE pg_catalog.format('REVOKE %s ON %s FROM %I CASCADE', x.rights, x.what, pg_catalog.pg_get_userbyid(x.grantee));
    END IF;
  END LOOP;",
        things.of,
        plan.is_sealed("r"),
    );
    block("x record;", &body)
}

/// The database.
pub(super) fn database(rights: &'static [&'static str]) -> Things {
    Things {
        of: "SELECT 'DATABASE ' || pg_catalog.quote_ident(d.datname), ''::text,
                   coalesce(d.datacl, pg_catalog.acldefault('d', d.datdba)), d.datdba
              FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()"
            .to_owned(),
        rights,
    }
}

/// Schemas that a condition on `n` picks.
pub(super) fn schemas(which: &str, rights: &'static [&'static str]) -> Things {
    Things {
        of: format!(
            "SELECT 'SCHEMA ' || pg_catalog.quote_ident(n.nspname), ''::text, n.nspacl, n.nspowner
              FROM pg_catalog.pg_namespace n WHERE {which}"
        ),
        rights,
    }
}

/// Relations, with the rights on their columns, that a condition on `c` and `n` picks.
pub(super) fn relations(kind: &str, which: &str) -> Things {
    Things {
        of: format!(
            "SELECT pg_catalog.format('{kind} %I.%I', n.nspname, c.relname), '', c.relacl, c.relowner
              FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE {which}
            UNION ALL
            SELECT pg_catalog.format('{kind} %I.%I', n.nspname, c.relname), pg_catalog.format(' (%I)', t.attname), t.attacl, c.relowner
              FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
              JOIN pg_catalog.pg_attribute t ON t.attrelid = c.oid AND t.attacl IS NOT NULL AND NOT t.attisdropped WHERE {which}"
        ),
        rights: &[],
    }
}

/// Routines that a condition on `p` and `n` picks.
pub(super) fn routines(which: &str) -> Things {
    Things {
        of: format!(
            "SELECT 'ROUTINE ' || p.oid::pg_catalog.regprocedure::text, ''::text,
                   coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner)), p.proowner
              FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace WHERE {which}"
        ),
        rights: &[],
    }
}

/// Procedural languages that a condition on `l` picks.
pub(super) fn languages(which: &str) -> Things {
    Things {
        of: format!(
            "SELECT 'LANGUAGE ' || pg_catalog.quote_ident(l.lanname), ''::text,
                   coalesce(l.lanacl, pg_catalog.acldefault('l', l.lanowner)), l.lanowner
              FROM pg_catalog.pg_language l WHERE {which}"
        ),
        rights: &[],
    }
}

/// Conditions that the script and the check share, so that one closes what the other looks at. They are about a function `p` in a
/// schema `n`, or a relation `c` in a schema `n`.
pub(super) mod which {
    /// Made by somebody, and callable by name: not PostgreSQL's own, and no trigger's.
    pub const ROUTINE: &str = "((n.nspname <> 'pg_catalog' AND n.nspname <> 'information_schema') OR p.oid >= 16384) \
                               AND p.prorettype <> 'pg_catalog.trigger'::pg_catalog.regtype \
                               AND p.prorettype <> 'pg_catalog.event_trigger'::pg_catalog.regtype \
                               AND n.nspname <> 'haltsql'";
    /// Comes with an extension.
    pub const EXTENSION_ROUTINE: &str = "EXISTS (SELECT 1 FROM pg_catalog.pg_depend e WHERE e.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass \
                                         AND e.objid = p.oid AND e.deptype = 'e')";
    /// The same of a relation.
    pub const EXTENSION_RELATION: &str = "EXISTS (SELECT 1 FROM pg_catalog.pg_depend e WHERE e.classid = 'pg_catalog.pg_class'::pg_catalog.regclass \
                                          AND e.objid = c.oid AND e.deptype = 'e')";
    /// Runs with its owner's rights.
    pub const DEFINER: &str = "p.prosecdef";
    /// Changes settings while it runs.
    pub const SETS: &str = "(NOT p.prosecdef AND p.proconfig IS NOT NULL)";
    /// Runs functions with the rights of the aggregate's owner: `nodeAgg.c`, `ExecInitAgg`.
    pub const AGGREGATE: &str = "(NOT p.prosecdef AND p.proconfig IS NULL AND p.prokind = 'a')";
    /// None of these.
    pub const PLAIN: &str = "(NOT p.prosecdef AND p.proconfig IS NULL AND p.prokind <> 'a')";
    /// A relation of somebody's that rows can be read from.
    pub const RELATION: &str = "c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname <> 'pg_catalog' AND n.nspname <> 'information_schema' \
                                AND n.nspname <> 'haltsql' AND n.nspname !~ '^pg_(toast|temp)'";
    /// A schema of somebody's.
    pub const SCHEMA: &str =
        "n.nspname <> 'pg_catalog' AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_(toast|temp)'";
    /// A language in which DO runs whatever a text holds.
    pub const LANGUAGE: &str = "l.lanispl AND l.lanpltrusted";
}
