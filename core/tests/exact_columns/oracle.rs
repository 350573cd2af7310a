//! What PostgreSQL itself says that a query reads: the oracle for a verdict's `tables` and `columns`.
//!
//! Receives a superuser's connection whose search_path is the policy's, a query or a write and the values of its `$n`.
//! [`recorded`] returns what the server records as its dependencies, [`needed`] whether a role that may read exactly some
//! columns (and write what it names) can run it and can't without any one of these rights. Leaves nothing behind: both work in a transaction
//! that is rolled back. Needs nothing of this project, so that other harnesses can take the file as it is.

use std::collections::BTreeSet;

use postgres::{Client, Transaction};

/// The role that [`needed`] grants to; [`prepare`] creates it.
const READER: &str = "haltsql_reader";

/// The value and the type of one `$n`, as the server spells them; in order, from `$1`.
pub type Parameter = (String, String);

/// The relations and columns that a query reads, named as a verdict names them, sorted bytewise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reads {
    pub tables: Vec<String>,
    pub columns: Vec<String>,
}

/// What a statement names of the table that it writes, spelled as in [`Reads`]; nothing for a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// `INSERT`, `UPDATE` or `DELETE`.
    pub right: &'static str,
    pub table: String,
    /// INSERT's column list, or what SET sets.
    pub columns: Vec<String>,
}

/// One right: to a column, or to a table.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Right {
    what: &'static str,
    table: String,
    column: Option<String>,
}

/// What [`needed`] found.
#[derive(Debug, PartialEq, Eq)]
pub enum Need {
    /// The columns are enough, and none is too much.
    Exactly,
    /// The columns are enough; these could be taken away because the planner drops every reference to their table (a
    /// CTE that nobody uses, a branch that folds away) before rights are looked at.
    Unchecked(Vec<String>),
    /// The server records these columns and no others, and still asks for rights to a whole row: functional notation,
    /// `f(t)` and `(t).f`, looks the row up before it narrows it to the column.
    WholeRow,
    /// The columns are enough, and it runs without this one. Too much, unless the table stands in the query twice and the
    /// planner drops the reference that needs the column: the server's record tells which.
    Without(String),
    /// Not enough, too much, or not to be run: in the server's words.
    Wrong(String),
}

/// Makes a database ready: once per database.
pub fn prepare(client: &mut Client) -> Result<(), postgres::Error> {
    client.batch_execute(&format!(
        "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{READER}') THEN CREATE ROLE {READER}; END IF; END $$;
         DO $$ DECLARE s text; BEGIN
           FOR s IN SELECT quote_ident(nspname) FROM pg_namespace WHERE nspname !~ '^pg_|^information_schema$' LOOP
             EXECUTE 'GRANT USAGE ON SCHEMA ' || s || ' TO {READER}';
             EXECUTE 'GRANT USAGE ON ALL SEQUENCES IN SCHEMA ' || s || ' TO {READER}';
             EXECUTE 'REVOKE SELECT ON ALL TABLES IN SCHEMA ' || s || ' FROM PUBLIC, {READER}';
           END LOOP; END $$"
    ))
}

/// What the server records for a function whose body is the query and for a view of it; both where it takes both, and
/// then they have to agree.
pub fn recorded(client: &mut Client, sql: &str, parameters: &[Parameter]) -> Result<Reads, String> {
    let statement = sql.trim_end().trim_end_matches(';');
    let mut transaction = client.transaction().map_err(spell)?;
    let types: Vec<&str> = parameters.iter().map(|(_, ty)| ty.as_str()).collect();
    let function = format!(
        "CREATE FUNCTION public.oracle_f({}) RETURNS void LANGUAGE sql BEGIN ATOMIC\n{statement}\n;END",
        types.join(", ")
    );
    let of_function =
        dependencies(&mut transaction, &function, "pg_proc", "SELECT oid FROM pg_proc WHERE proname = 'oracle_f'");
    let of_view = view(&mut transaction, statement, parameters).and_then(|view| {
        dependencies(
            &mut transaction,
            &view,
            "pg_rewrite",
            "SELECT oid FROM pg_rewrite WHERE ev_class = 'public.oracle_v'::regclass",
        )
    });
    match (of_function, of_view) {
        (Ok(function), Ok(view)) if function != view => {
            Err(format!("view and function disagree: {function:?} {view:?}"))
        }
        (Ok(reads), _) | (Err(_), Ok(reads)) => Ok(reads),
        (Err(function), Err(view)) => Err(format!("function: {function}; view: {view}")),
    }
}

/// The statement that makes a view of the query, its columns numbered, since a query's own names may repeat.
fn view(transaction: &mut Transaction<'_>, statement: &str, parameters: &[Parameter]) -> Result<String, String> {
    let spelled = with_values(statement, parameters);
    let mut attempt = transaction.savepoint("width").map_err(spell)?;
    let width = attempt.prepare(&spelled).map_err(spell)?.columns().len();
    attempt.rollback().map_err(spell)?;
    let names: Vec<String> = (0..width).map(|at| format!("c{at}")).collect();
    let names = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
    Ok(format!("CREATE VIEW public.oracle_v{names} AS\n{spelled}"))
}

/// The query with each `$n` replaced by its value. One inside a string is replaced as well, which changes no
/// dependency.
fn with_values(statement: &str, parameters: &[Parameter]) -> String {
    let mut out = String::new();
    let mut rest = statement;
    while let Some(at) = rest.find('$') {
        let (before, behind) = rest.split_at(at);
        out.push_str(before);
        let digits = behind[1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len() - 1);
        let number = behind[1..=digits].parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        match number.and_then(|at| parameters.get(at)) {
            Some((value, ty)) => {
                out.push_str(&literal(value, ty));
                rest = &behind[digits + 1..];
            }
            None => {
                out.push('$');
                rest = &behind[1..];
            }
        }
    }
    out + rest
}

fn literal(value: &str, ty: &str) -> String {
    format!("'{}'::{ty}", value.replace('\'', "''"))
}

/// Creates something and reads what the server recorded for it.
fn dependencies(transaction: &mut Transaction<'_>, create: &str, catalog: &str, oid: &str) -> Result<Reads, String> {
    let mut attempt = transaction.savepoint("created").map_err(spell)?;
    attempt.batch_execute(create).map_err(spell)?;
    let query = format!(
        "SELECT DISTINCT quote_ident(n.nspname) || '.' || quote_ident(c.relname), quote_ident(a.attname)
         FROM pg_depend d JOIN pg_class c ON c.oid = d.refobjid AND d.refclassid = 'pg_class'::regclass JOIN pg_namespace n ON n.oid = c.relnamespace
         LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.refobjsubid AND d.refobjsubid <> 0
         WHERE d.classid = '{catalog}'::regclass AND d.objid = ({oid}) AND d.deptype = 'n' AND c.relkind <> 'c' AND c.oid IS DISTINCT FROM to_regclass('public.oracle_v')"
    );
    let (mut tables, mut columns) = (BTreeSet::new(), BTreeSet::new());
    for row in attempt.query(&query, &[]).map_err(spell)? {
        let table: String = row.get(0);
        if let Some(column) = row.get::<_, Option<String>>(1) {
            columns.insert(format!("{table}.{column}"));
        }
        tables.insert(table);
    }
    attempt.rollback().map_err(spell)?;
    Ok(Reads { tables: tables.into_iter().collect(), columns: columns.into_iter().collect() })
}

/// Whether a role that may read exactly these columns, and write what the statement names, can run it, and cannot without any
/// one of these rights. A table of which no column is read needs the right to one, whichever: so the server rules, but for the
/// table that is written.
pub fn needed(client: &mut Client, sql: &str, parameters: &[Parameter], reads: &Reads, written: &Written) -> Need {
    match try_needed(client, sql, parameters, reads, written) {
        Ok(need) => need,
        Err(error) => Need::Wrong(error),
    }
}

fn try_needed(
    client: &mut Client,
    sql: &str,
    parameters: &[Parameter],
    reads: &Reads,
    written: &Written,
) -> Result<Need, String> {
    let types: Vec<&str> = parameters.iter().map(|(_, ty)| ty.as_str()).collect();
    let values: Vec<String> = parameters.iter().map(|(value, ty)| literal(value, ty)).collect();
    let list = |items: &[String]| if items.is_empty() { String::new() } else { format!("({})", items.join(", ")) };
    let types: Vec<String> = types.into_iter().map(str::to_owned).collect();
    client.batch_execute(&format!("PREPARE oracle_q{} AS {sql}", list(&types))).map_err(spell)?;
    let execute = format!("EXECUTE oracle_q{}", list(&values));
    let found = with_grants(client, &execute, reads, written);
    client.batch_execute("DEALLOCATE oracle_q").map_err(spell)?;
    found
}

fn with_grants(client: &mut Client, execute: &str, reads: &Reads, written: &Written) -> Result<Need, String> {
    let mut rights = Vec::new();
    for column in &reads.columns {
        let table = owner(column, &reads.tables).ok_or_else(|| format!("{column} is of none of {:?}", reads.tables))?;
        rights.push(Right { what: "SELECT", table: table.clone(), column: Some(column.clone()) });
    }
    let of_target =
        |column: &String| Right { what: written.right, table: written.table.clone(), column: Some(column.clone()) };
    rights.extend(written.columns.iter().map(of_target));
    if written.right == "DELETE" {
        rights.push(Right { what: "DELETE", table: written.table.clone(), column: None });
    }
    let mut transaction = client.transaction().map_err(spell)?;
    for table in &reads.tables {
        if *table != written.table && !rights.iter().any(|right| right.what == "SELECT" && right.table == *table) {
            rights.push(first_column(&mut transaction, table)?);
        }
    }
    for right in &rights {
        transaction.batch_execute(&change("GRANT", "TO", right)).map_err(spell)?;
    }
    if let Some(mut error) = run(&mut transaction, "", execute)? {
        // The target may stand a second time among what is read.
        let unread = !rights.iter().any(|right| right.what == "SELECT" && right.table == written.table);
        if unread && !written.table.is_empty() && error.starts_with("42501") {
            let right = first_column(&mut transaction, &written.table)?;
            transaction.batch_execute(&change("GRANT", "TO", &right)).map_err(spell)?;
            rights.push(right);
            match run(&mut transaction, "", execute)? {
                None => error.clear(),
                Some(other) => error = other,
            }
        }
        let rows = format!("GRANT SELECT ON {} TO {READER}", reads.tables.join(", "));
        if error.starts_with("42501") && run(&mut transaction, &rows, execute)?.is_none() {
            return Ok(Need::WholeRow);
        }
        if !error.is_empty() {
            return Ok(Need::Wrong(format!("with these rights alone: {error}")));
        }
    }
    let mut unchecked = Vec::new();
    for right in &rights {
        let name = match (right.what, &right.column) {
            ("SELECT", Some(column)) => column.clone(),
            (what, column) => format!("{what} {}", column.as_ref().unwrap_or(&right.table)),
        };
        match run(&mut transaction, &change("REVOKE", "FROM", right), execute)? {
            Some(error) if error.contains("permission denied") => {}
            Some(error) => return Ok(Need::Wrong(format!("without {name}: {error}"))),
            None if right.what != "SELECT" => return Ok(Need::Wrong(format!("it runs without {name}"))),
            None => {
                let reads = rights.iter().filter(|other| other.what == "SELECT" && other.table == right.table);
                let all: Vec<String> = reads.map(|other| change("REVOKE", "FROM", other)).collect();
                if run(&mut transaction, &all.join(";"), execute)?.is_some() {
                    return Ok(Need::Without(name));
                }
                unchecked.push(name);
            }
        }
    }
    Ok(if unchecked.is_empty() { Need::Exactly } else { Need::Unchecked(unchecked) })
}

fn first_column(transaction: &mut Transaction<'_>, table: &str) -> Result<Right, String> {
    let first = transaction.query_one(
        "SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum = 1",
        &[&table],
    );
    let column = format!("{table}.{}", first.map_err(spell)?.get::<_, String>(0));
    Ok(Right { what: "SELECT", table: table.to_owned(), column: Some(column) })
}

/// Runs the query as the reader, after a change that is undone again; the error, if there is one. What a key or a check
/// refuses has passed the rights, which are looked at before anything runs.
fn run(transaction: &mut Transaction<'_>, before: &str, execute: &str) -> Result<Option<String>, String> {
    let mut attempt = transaction.savepoint("attempt").map_err(spell)?;
    attempt.batch_execute(before).map_err(spell)?;
    attempt.batch_execute(&format!("SET LOCAL ROLE {READER}")).map_err(spell)?;
    let error = attempt.simple_query(execute).err().map(spell);
    attempt.rollback().map_err(spell)?;
    Ok(error.filter(|error| !error.starts_with("23")))
}

fn change(verb: &str, preposition: &str, right: &Right) -> String {
    let Right { what, table, column } = right;
    let name = column.as_ref().map_or_else(String::new, |column| format!(" ({})", &column[table.len() + 1..]));
    format!("{verb} {what}{name} ON {table} {preposition} {READER}")
}

/// The table that a column belongs to: both are spelled with the quotes that they need.
fn owner<'t>(column: &str, tables: &'t [String]) -> Option<&'t String> {
    tables.iter().find(|table| {
        let name = column.strip_prefix(table.as_str()).and_then(|rest| rest.strip_prefix('.'));
        name.is_some_and(|name| name.starts_with('"') || !name.contains('.'))
    })
}

fn spell(error: postgres::Error) -> String {
    error
        .as_db_error()
        .map_or_else(|| error.to_string(), |error| format!("{} {}", error.code().code(), error.message()))
}
