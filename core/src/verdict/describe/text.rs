//! The description as text for a prompt.
//!
//! Receives a description, returns lines that a language model can follow. Must never hold anything that the description
//! doesn't.

use super::{Description, Functions, ReadableTable, Writable};
use crate::policy::{KeyType, TenancyMode, TenantKey};

impl Description {
    /// The description as text for a prompt.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut lines = vec![self.headline(), String::new(), self.statement_line(), String::new()];
        lines.push("Tables and their columns:".to_owned());
        lines.extend(self.tables.iter().map(table_line));
        lines.push(String::new());
        lines.extend(self.naming_lines());
        if let Some(tenancy) = &self.tenancy {
            lines.push(String::new());
            lines.push(tenancy.instruction.clone());
        }
        if self.tables.iter().any(|table| table.write.is_some()) {
            lines.push(String::new());
            lines.extend(self.write_lines());
        }
        lines.push(String::new());
        lines.push("Limits:".to_owned());
        lines.extend(self.limit_lines());
        lines.push(String::new());
        lines.push(functions_line(&self.functions));
        for (what, names) in [("operators", &self.operators), ("types", &self.types), ("collations", &self.collations)]
        {
            if !names.is_empty() {
                lines.push(format!("Beyond PostgreSQL's own {what} of these profiles: {}.", names.join(", ")));
            }
        }
        lines.push(String::new());
        lines.join("\n")
    }

    fn headline(&self) -> String {
        match &self.policy.description {
            Some(description) => {
                format!("What you may ask of this PostgreSQL database: {description}")
            }
            None => "What you may ask of this PostgreSQL database".to_owned(),
        }
    }

    fn statement_line(&self) -> String {
        let kinds: Vec<String> = self.statements.iter().map(|kind| kind.to_ascii_uppercase()).collect();
        format!(
            "Send one statement at a time: {}. Everything that is not listed here is refused; a refusal says how to mend the statement.",
            kinds.join(", ")
        )
    }

    fn naming_lines(&self) -> Vec<String> {
        let mut lines = vec!["Give every table an alias and write each column with it.".to_owned()];
        lines.push(match self.search_path.first() {
            Some(schema) if !self.require_qualified => {
                format!("Write tables with their schema; those of `{schema}` may go without.")
            }
            _ => "Write every table with its schema.".to_owned(),
        });
        let starred: Vec<&str> = self.tables.iter().filter(|table| table.star).map(|table| &*table.name).collect();
        lines.push(if starred.is_empty() {
            "Name the columns: `*` is refused (but `count(*)` is fine).".to_owned()
        } else {
            format!("Name the columns: `*` may stand only for {}.", starred.join(", "))
        });
        lines
    }

    /// How writes are written, those of the kinds that are open.
    fn write_lines(&self) -> Vec<String> {
        let mut lines = vec!["Writes stand by themselves, never in a WITH query.".to_owned()];
        if self.tables.iter().any(|table| table.write.as_ref().is_some_and(|write| !write.insert.is_empty())) {
            lines.push(
                "INSERT names its columns. Of ON CONFLICT there is only `ON CONFLICT (…) DO NOTHING`, over the plain columns of one \
                 key of the table (its tenant columns among them). RETURNING may read what the INSERT gives, not what it leaves \
                 to a default."
                    .to_owned(),
            );
        }
        lines
    }

    fn limit_lines(&self) -> Vec<String> {
        let limits = &self.limits;
        let mut lines = vec![format!(
            "- at most {} bytes of SQL, {} tables, {} levels of nesting",
            limits.max_sql_bytes, limits.max_relations, limits.max_depth
        )];
        match (limits.require_limit, limits.max_limit) {
            (true, Some(max)) => lines.push(format!("- the outermost query needs a LIMIT, a plain number up to {max}")),
            (true, None) => lines.push("- the outermost query needs a LIMIT".to_owned()),
            (false, Some(max)) => lines.push(format!("- a LIMIT is a plain number up to {max}")),
            (false, None) => {}
        }
        if limits.cartesian == "deny" {
            lines.push("- a condition has to tie every two tables of one FROM: no cross joins".to_owned());
        }
        match limits.recursive {
            "deny" => lines.push("- no WITH RECURSIVE".to_owned()),
            "bounded" => lines.push(
                "- WITH RECURSIVE only where it must end: UNION (not UNION ALL) that computes no column, a join of the \
                 recursive name to a table's column by equality, or a counter compared with a number"
                    .to_owned(),
            ),
            _ => {}
        }
        lines.push(format!(
            "- generated rows or bytes (generate_series, repeat, …) up to {}, grouping sets up to {}",
            limits.max_generated, limits.max_grouping_sets
        ));
        lines
    }
}

/// How a query writes the caller's value of the key at `position`.
pub(super) fn caller_value(mode: TenancyMode, position: usize, key: &TenantKey) -> String {
    match (mode, key.ty) {
        (TenancyMode::Bound, _) => format!("${}", position + 1),
        (TenancyMode::Literal, KeyType::Text | KeyType::Uuid) => format!("'<{}>'", key.context),
        (TenancyMode::Literal, KeyType::Integer) => format!("<{}>", key.context),
    }
}

/// The paragraph on tenancy: which predicate each table needs, and what stands for the caller's value.
pub(super) fn tenancy_instruction(mode: TenancyMode, tables: &[ReadableTable]) -> String {
    let mut by_predicate: Vec<(&str, Vec<&str>)> = Vec::new();
    for (table, held) in tables.iter().flat_map(|table| table.tenant.iter().map(move |held| (table, held))) {
        match by_predicate.iter_mut().find(|(predicate, _)| *predicate == held.predicate) {
            Some((_, names)) => names.push(&table.name),
            None => by_predicate.push((&held.predicate, vec![&table.name])),
        }
    }
    let mut lines = vec![
        "Rows belong to tenants: every query on these tables must say, for each place where one is named (in subqueries \
         and CTEs too):"
            .to_owned(),
    ];
    lines.extend(by_predicate.iter().map(|(predicate, names)| format!("- `{predicate}` for {}", names.join(", "))));
    lines.push(
        "Write it in WHERE or in the ON of the inner join that attaches the table; for the optional side of an outer join, in \
         that join's ON. A table may instead be tied to one that is held so, by an equality of their tenant columns."
            .to_owned(),
    );
    lines.push(match mode {
        TenancyMode::Bound => "The caller binds these parameters: write `$n` itself, never a value, use it for nothing else, and \
                               use no other parameters. Where the caller has several values, write `= ANY($n)`."
            .to_owned(),
        TenancyMode::Literal => "What stands in `<…>` is the caller's own value: write that value as a constant, never another, \
                                 and no parameters. Where the caller has several values, write `IN (…)` with some or all of them."
            .to_owned(),
    });
    let writable =
        |table: &ReadableTable| table.write.as_ref().is_some_and(|write| !table.tenant.is_empty() && may_set(write));
    if tables.iter().any(writable) {
        lines.push(write_instruction(mode));
    }
    let free: Vec<&str> = tables.iter().filter(|table| table.tenant.is_empty()).map(|table| &*table.name).collect();
    if !free.is_empty() {
        lines.push(format!("The same rows for everybody, no such predicate: {}.", free.join(", ")));
    }
    lines.join("\n")
}

/// INSERT or UPDATE is open, with columns to set.
fn may_set(write: &Writable) -> bool {
    !write.insert.is_empty() || !write.update.is_empty()
}

/// What the columns of these predicates are given.
fn write_instruction(mode: TenancyMode) -> String {
    let value = match mode {
        TenancyMode::Bound => "`$n`",
        TenancyMode::Literal => "value",
    };
    format!(
        "INSERT gives each column of these predicates the same {value} in every row, or takes it from a table that is held so (the \
         only way where the caller has several values and they are parameters); SET gives it nothing else. UPDATE and DELETE \
         need the predicate for the table that they write to as well."
    )
}

fn table_line(table: &ReadableTable) -> String {
    let columns: Vec<String> = table
        .columns
        .iter()
        .map(|column| {
            let mut text = column.name.clone();
            if let Some(ty) = &column.ty {
                text.push(' ');
                text.push_str(ty);
            }
            if let Some(description) = &column.description {
                text.push_str(&format!(" ({description})"));
            }
            text
        })
        .collect();
    let mut line = format!("- {}: {}", table.name, columns.join(", "));
    if let Some(write) = &table.write {
        for (verb, names) in [("INSERT", &write.insert), ("UPDATE", &write.update)] {
            if !names.is_empty() {
                line.push_str(&format!("; {verb} may set {}", names.join(", ")));
            }
        }
        if write.delete {
            line.push_str("; DELETE is open");
        }
    }
    line
}

fn functions_line(functions: &Functions) -> String {
    let mut line = format!("Functions: those of the profiles {}", functions.profiles.join(", "));
    if functions.profiles.iter().any(|profile| profile == "core") {
        line.push_str(" (core: the pure built-in ones; nothing that reads catalogues, settings, the session or files)");
    }
    if !functions.allow.is_empty() {
        line.push_str(&format!("; also {}", functions.allow.join(", ")));
    }
    if !functions.deny.is_empty() {
        line.push_str(&format!("; not {}", functions.deny.join(", ")));
    }
    line.push('.');
    line
}
