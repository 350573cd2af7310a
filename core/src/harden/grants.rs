//! Nothing by default, then exactly what the policy opens.

use super::plan::{Plan, PlanTable, UNSEALED};
use super::script::{Script, block, literal, texts};
use super::take::{self, Things, take, which};
use crate::quote::quote_ident;

pub(super) fn write(plan: &Plan<'_>, script: &mut Script) {
    places(plan, script);
    relations(plan, script);
    routines(plan, script);
    give(plan, script);
}

fn places(plan: &Plan<'_>, script: &mut Script) {
    script.comment(&[
        "What everybody has, the sealed role has: PostgreSQL knows no exceptions. So it goes from PUBLIC, and stays with everybody else.",
        &format!("A temporary table can stand in the place of a real one; {UNSEALED} keeps the right to make some."),
    ]);
    script.turns(&["seal.temporary"], take(plan, &take::database(&["TEMPORARY"])));
    script.turns(&["seal.create"], take(plan, &take::database(&["CREATE"])));
    script.comment(&[
        "Who can create a table, a function or an operator in a schema of search_path can change what a query means.",
    ]);
    let path = texts(plan.search_path.iter().map(String::as_str));
    let inside = format!("{} AND n.nspname = ANY ({path})", which::SCHEMA);
    script.turns(&["search_path.create_privilege"], take(plan, &take::schemas(&inside, &["CREATE"])));
    let outside = format!("{} AND n.nspname <> ALL ({path})", which::SCHEMA);
    script.turns(&["seal.create"], take(plan, &take::schemas(&outside, &["CREATE"])));
}

fn relations(plan: &Plan<'_>, script: &mut Script) {
    let listed =
        format!("EXISTS (SELECT 1 FROM {} WHERE f.schema = n.nspname AND f.name = c.relname)", plan.table_names("f"));
    script.comment(&["Tables of the policy: what is granted on them, whole tables and columns, is taken before the policy's columns are given."]);
    script
        .turns(&["seal.columns"], take(plan, &take::relations("TABLE", &format!("{} AND {listed}", which::RELATION))));
    script.comment(&["All other tables, views and materialised views (those of extensions are left to --optional)."]);
    let others = format!("{} AND NOT {listed} AND NOT {}", which::RELATION, which::EXTENSION_RELATION);
    script.turns(&["seal.relations"], take(plan, &take::relations("TABLE", &others)));
    script.comment(&["A sequence's next value goes on being used after a ROLLBACK."]);
    let sequences = format!("c.relkind = 'S' AND {}", which::SCHEMA);
    script.turns(&["seal.sequences"], take(plan, &take::relations("SEQUENCE", &sequences)));
}

fn routines(plan: &Plan<'_>, script: &mut Script) {
    script.comment(&[
        "Functions: PUBLIC may call every new one. Taken are all but those that the policy lists, and that its tables need for defaults,",
        "checks, indexes and policies. First those that run with their owner's rights, past everything that holds the role;",
        "then those with a SET clause, aggregates (they call their functions with their owner's rights), and the rest.",
    ]);
    let common = format!(
        "{} AND NOT {} AND p.oid NOT IN ({})",
        which::ROUTINE,
        which::EXTENSION_ROUTINE,
        plan.needed_functions()
    );
    let definers = format!("{} AND {} AND p.oid NOT IN ({})", which::ROUTINE, which::DEFINER, plan.needed_functions());
    script.turns(&["seal.definer_functions"], take(plan, &take::routines(&definers)));
    let kinds: [(&str, &'static [&'static str]); 3] = [
        (which::SETS, &["seal.set_functions"]),
        (which::AGGREGATE, &["seal.aggregates"]),
        (which::PLAIN, &["seal.functions"]),
    ];
    for (kind, checks) in kinds {
        let things: Things = take::routines(&format!("{common} AND {kind}"));
        script.turns(checks, take(plan, &things));
    }
}

fn give(plan: &Plan<'_>, script: &mut Script) {
    let role = plan.grantee_sql();
    script.comment(&["What the policy opens, column by column: a column that is added later is not opened by that."]);
    let body = format!(
        "  EXECUTE pg_catalog.format('GRANT CONNECT ON DATABASE %I TO %I', pg_catalog.current_database(), {});",
        literal(plan.grantee())
    );
    script.turns(&["seal.grants"], block("", &body));
    for schema in &plan.schemas {
        let checks: &'static [&'static str] =
            if plan.search_path.contains(schema) { &["search_path.usage"] } else { &["seal.grants"] };
        script.turns(checks, format!("GRANT USAGE ON SCHEMA {} TO {role};", quote_ident(schema)));
    }
    for table in &plan.tables {
        columns(table, &role, script);
    }
    if plan.tables.iter().any(|table| !table.insert.is_empty()) {
        script.comment(&["A serial column's default takes the next number from a sequence of its own."]);
        let insertable: Vec<(&str, &str)> = plan
            .tables
            .iter()
            .filter(|table| !table.insert.is_empty())
            .map(|table| (table.schema, table.name))
            .collect();
        let body = format!(
            "  FOR x IN {} LOOP
    EXECUTE pg_catalog.format('GRANT USAGE ON SEQUENCE %I.%I TO %I', x.nspname, x.relname, {});
  END LOOP;",
            serials(&insertable, "s.oid, m.nspname, s.relname"),
            literal(plan.grantee()),
        );
        script.turns(&["seal.grants"], block("x record;", &body));
    }
    if !plan.functions.listed.is_empty()
        || !plan.operators.listed.is_empty()
        || plan.tables.iter().any(PlanTable::is_written)
    {
        script.comment(&["Functions that the policy lists, that listed operators call, and that its tables call where they are written."]);
        let body = format!(
            "  FOR x IN SELECT DISTINCT p.oid::pg_catalog.regprocedure::text AS what FROM pg_catalog.pg_proc p
             JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
            WHERE {} AND pg_catalog.pg_has_role(p.proowner, 'USAGE') AND p.oid IN ({}) LOOP
    EXECUTE pg_catalog.format('GRANT EXECUTE ON ROUTINE %s TO %I', x.what, {});
  END LOOP;",
            which::ROUTINE,
            plan.needed_functions(),
            literal(plan.grantee()),
        );
        script.turns(&["seal.grants"], block("x record;", &body));
    }
}

/// A query for the sequences that serial columns of these tables own.
pub(super) fn serials(tables: &[(&str, &str)], what: &str) -> String {
    format!(
        "SELECT {what} FROM pg_catalog.pg_depend d
             JOIN pg_catalog.pg_class s ON s.oid = d.objid AND s.relkind = 'S'
             JOIN pg_catalog.pg_namespace m ON m.oid = s.relnamespace
             JOIN pg_catalog.pg_class c ON c.oid = d.refobjid
             JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
             JOIN {} ON f.schema = n.nspname AND f.name = c.relname
            WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass
              AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.deptype = 'a'",
        super::script::pairs("f", ["schema", "name"], tables)
    )
}

impl PlanTable<'_> {
    /// Whether a statement may change its rows.
    pub fn is_written(&self) -> bool {
        self.delete || !self.insert.is_empty() || !self.update.is_empty()
    }
}

fn columns(table: &PlanTable<'_>, role: &str, script: &mut Script) {
    let list = |columns: &mut dyn Iterator<Item = &str>| columns.map(quote_ident).collect::<Vec<_>>().join(", ");
    let name = table.display;
    if !table.readable.is_empty() {
        let columns = list(&mut table.readable.iter().copied());
        script.turns(&["seal.grants"], format!("GRANT SELECT ({columns}) ON {name} TO {role};"));
    }
    for (right, columns) in [("INSERT", table.insert), ("UPDATE", table.update)] {
        if !columns.is_empty() {
            let columns = list(&mut columns.iter().map(String::as_str));
            script.turns(&["seal.grants"], format!("GRANT {right} ({columns}) ON {name} TO {role};"));
        }
    }
    if table.delete {
        script.turns(&["seal.grants"], format!("GRANT DELETE ON {name} TO {role};"));
    }
}
