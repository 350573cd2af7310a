//! The demo's two databases, and how an allowed query runs on them.
//!
//! Receives verified text and the values to bind, returns rows as text. Runs exactly the text that it is given, in a
//! read-only transaction with the pinned search_path, and rolls back.

use haltsql::Policy;
use haltsql_pgtemp::{Server, in_full};
use postgres::types::{FromSql, ToSql, Type};
use postgres::{Client, Row};
use rust_decimal::Decimal;
use time::Date;

const SCHEMA: &str = include_str!("schema.sql");
const TWIN: &str = include_str!("twin.sql");

/// The shop, and its twin that holds nothing but what the tenant may see (twin.sql says how they differ).
pub struct Databases {
    shop: Client,
    twin: Client,
}

/// What a query returned.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows, as text.
    pub rows: Vec<Vec<String>>,
}

impl Databases {
    /// Creates both and connects to both as the role `agent`.
    pub fn create(server: &Server) -> Result<Self, String> {
        let connect = |name: &str, user: &str| server.connect(name, user).map_err(|error| error.to_string());
        run_all(&mut connect("postgres", "postgres")?, &["CREATE ROLE agent LOGIN"])?;
        let create = |name: &str, statements: &[&str]| -> Result<Client, String> {
            server.create_database(name).map_err(|error| error.to_string())?;
            run_all(&mut connect(name, "postgres")?, statements)?;
            connect(name, "agent")
        };
        let shop = create("shop", &[SCHEMA])?;
        let twin = create("twin", &[SCHEMA, TWIN])?;
        Ok(Self { shop, twin })
    }

    /// Runs a text on the shop, and says how many of its rows are not in the answer of the twin: rows that owe something to
    /// what the tenant must not see.
    pub fn run(&mut self, policy: &Policy, sql: &str, values: &[(String, Type)]) -> Result<(Answer, usize), String> {
        let answer = read(&mut self.shop, policy, sql, values)?;
        let mut own = read(&mut self.twin, policy, sql, values)?.rows;
        let foreign = answer.rows.iter().filter(|row| match own.iter().position(|other| other == *row) {
            Some(at) => {
                own.swap_remove(at);
                false
            }
            None => true,
        });
        let foreign = foreign.count();
        Ok((answer, foreign))
    }
}

fn run_all(client: &mut Client, statements: &[&str]) -> Result<(), String> {
    statements.iter().try_for_each(|statement| client.batch_execute(statement)).map_err(|error| in_full(&error))
}

fn read(client: &mut Client, policy: &Policy, sql: &str, values: &[(String, Type)]) -> Result<Answer, String> {
    let run = |client: &mut Client| -> Result<Answer, postgres::Error> {
        let mut transaction = client.build_transaction().read_only(true).start()?;
        // Also freezes READ ONLY: after a query it cannot be taken back.
        transaction.execute("SELECT pg_catalog.set_config('search_path', $1, true)", &[&policy.search_path_value()])?;
        let values: Vec<(&(dyn ToSql + Sync), Type)> =
            values.iter().map(|(value, ty)| (value as &(dyn ToSql + Sync), ty.clone())).collect();
        let rows = transaction.query_typed(sql, &values)?;
        transaction.rollback()?;
        let columns = rows
            .first()
            .map_or_else(Vec::new, |row| row.columns().iter().map(|column| column.name().to_owned()).collect());
        let rows = rows.iter().map(|row| (0..row.len()).map(|at| cell(row, at)).collect()).collect::<Result<_, _>>()?;
        Ok(Answer { columns, rows })
    };
    run(client).map_err(|error| in_full(&error))
}

/// One value as text, for the types that the demo's queries return.
fn cell(row: &Row, at: usize) -> Result<String, postgres::Error> {
    fn text<'a, T: FromSql<'a> + ToString>(row: &'a Row, at: usize) -> Result<String, postgres::Error> {
        Ok(row.try_get::<_, Option<T>>(at)?.map_or_else(String::new, |value| value.to_string()))
    }
    match row.columns().get(at).map(postgres::Column::type_) {
        Some(&Type::INT4) => text::<i32>(row, at),
        Some(&Type::INT8) => text::<i64>(row, at),
        Some(&Type::NUMERIC) => text::<Decimal>(row, at),
        Some(&Type::DATE) => text::<Date>(row, at),
        _ => text::<String>(row, at),
    }
}
