//! One transaction: begin and pin with the first statement, run, and always an end.
//!
//! Receives SQL from anyone; sends what the session's statements say, in the order of docs/guards.md. Whatever happens, the connection
//! goes back to the pool only after ROLLBACK or COMMIT was answered on it; else it is closed.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use deadpool::managed::Object;
use futures_util::future::{join, join3};
use haltsql::StatementKind;
use haltsql::receipt::{Column, Execution, TypeName};
use haltsql::session::{PinInput, Pinned, Session, Statement};
use tokio_postgres::{Client, Row};

use crate::cancel::{CancelHandle, CancelOnDrop, UnderWay};
use crate::error::{Denied, Error};
use crate::guard::Guard;
use crate::params::{bound, texts, typed};
use crate::pool::{Connection, Pooled};
use crate::result::{ResultColumn, ResultSet};

/// What a transaction is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransactionOptions {
    /// It may write. Refused where the policy opens no write.
    pub writable: bool,
}

/// A transaction of a guard. End it with [`Transaction::finish`]; dropped before, nothing of it stays.
#[must_use = "a transaction ends with `finish`"]
pub struct Transaction {
    guard: Guard,
    session: Session,
    state: State,
}

enum State {
    /// Nothing was sent.
    Idle,
    /// Begun and pinned.
    Open(Box<Open>),
    /// Ended by an error, or because a statement was abandoned.
    Ended,
}

/// What an open transaction holds.
struct Open {
    connection: Pooled,
    pinned: Pinned,
    /// A write ran.
    wrote: bool,
}

impl Transaction {
    pub(crate) fn new(guard: Guard, session: Session) -> Self {
        Transaction { guard, session, state: State::Idle }
    }

    /// Verifies a text and runs it. A denial leaves the transaction usable; every other error ends it.
    ///
    /// Dropping the future cancels on the server and closes the connection.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn query(&mut self, sql: &str) -> Result<ResultSet, Error> {
        let statement = self.session.statement(sql.as_bytes());
        if let Some(hook) = &self.guard.inner().on_verdict {
            hook(statement.verdict(), sql);
        }
        if !statement.may_run() {
            return Err(Error::Denied(Box::new(Denied::new(statement.verdict().clone(), sql))));
        }
        // Until the statement has come to its end the state is `Ended`: a dropped future leaves nothing to go on with.
        let (connection, open) = match std::mem::replace(&mut self.state, State::Ended) {
            State::Idle => (self.guard.connection().await?, None),
            State::Open(open) => (open.connection, Some((open.pinned, open.wrote))),
            State::Ended => return Err(Error::Argument("the transaction has ended: begin another".to_owned())),
        };
        let mut flight = Flight::new(&self.guard, connection);
        match flight.run(&self.guard, &self.session, &statement, open).await {
            Ok((pinned, wrote, result)) => {
                let connection = flight.land().ok_or_else(|| Error::Connection("the connection is gone".to_owned()))?;
                self.state = State::Open(Box::new(Open { connection, pinned, wrote }));
                Ok(result)
            }
            Err(error) => {
                flight.roll_back(&error).await;
                Err(error)
            }
        }
    }

    /// Ends the transaction: COMMIT where a write ran, else ROLLBACK.
    ///
    /// # Errors
    /// [`Error::Database`]: COMMIT failed, and nothing was written. [`Error::SealBroken`]: the transaction had ended before.
    pub async fn finish(mut self) -> Result<(), Error> {
        let State::Open(open) = std::mem::replace(&mut self.state, State::Ended) else { return Ok(()) };
        let mut flight = Flight::new(&self.guard, open.connection);
        flight.end(if open.wrote { "COMMIT" } else { "ROLLBACK" }, self.guard.inner().show_errors).await
    }

    /// Ends the transaction with ROLLBACK, whatever it did.
    ///
    /// # Errors
    /// As [`Transaction::finish`].
    pub async fn roll_back(mut self) -> Result<(), Error> {
        let State::Open(open) = std::mem::replace(&mut self.state, State::Ended) else { return Ok(()) };
        Flight::new(&self.guard, open.connection).end("ROLLBACK", true).await
    }

    /// Cancels what runs, from another task. `None`: nothing was begun.
    #[must_use]
    pub fn cancel_handle(&self) -> Option<CancelHandle> {
        match &self.state {
            State::Open(open) => Some(open.connection.cancel_handle()),
            State::Idle | State::Ended => None,
        }
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        // A transaction is open on it: the pool must not get it back.
        if let State::Open(open) = std::mem::replace(&mut self.state, State::Ended) {
            close(open.connection);
        }
    }
}

/// Takes a connection out of the pool and closes it; the server then rolls back.
fn close(connection: Pooled) {
    drop(Object::take(connection));
}

/// A connection while something is sent on it. Dropped before it landed: what runs is cancelled, and the connection closed.
struct Flight {
    connection: Option<Pooled>,
    cancel: Option<CancelOnDrop>,
    under_way: UnderWay,
}

impl Drop for Flight {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            close(connection);
        }
    }
}

impl Flight {
    fn new(guard: &Guard, connection: Pooled) -> Self {
        Flight { connection: Some(connection), cancel: None, under_way: guard.inner().cancelling.clone() }
    }

    /// Something is about to be sent: from here on, to be dropped is to be abandoned.
    fn take_off(&mut self) -> Result<&Connection, Error> {
        self.rest();
        let connection =
            self.connection.as_deref().ok_or_else(|| Error::Connection("the connection is gone".to_owned()))?;
        self.cancel = Some(CancelOnDrop::armed(connection.cancel_handle(), &self.under_way));
        Ok(connection)
    }

    /// Everything that was sent has been answered.
    fn rest(&mut self) {
        if let Some(cancel) = self.cancel.take() {
            cancel.disarm();
        }
    }

    /// Nothing runs any more: the connection, to be given back or closed.
    fn land(&mut self) -> Option<Pooled> {
        self.rest();
        self.connection.take()
    }

    async fn run(
        &mut self,
        guard: &Guard,
        session: &Session,
        statement: &Statement,
        open: Option<(Pinned, bool)>,
    ) -> Result<(Pinned, bool, ResultSet), Error> {
        let show = guard.inner().show_errors;
        let connection = self.take_off()?;
        let client = &connection.client;
        let (pinned, wrote, columns) = match open {
            Some((pinned, wrote)) => (pinned, wrote, described(client, statement).await),
            None => {
                if let Some(check) = &guard.inner().seal_check {
                    connection.check_seal(check, session.role().unwrap_or_default(), show).await?;
                }
                let (pinned, columns) = begun(guard, session, connection, statement).await?;
                (pinned, false, columns)
            }
        };
        let columns = columns.map_err(|error| Error::driver(&error, show))?;
        let result = executed(guard, session, client, statement, columns, &pinned).await?;
        let writes = statement.kind().is_some_and(|kind| kind != StatementKind::Select);
        Ok((pinned, wrote || writes, result))
    }

    /// After an error: ROLLBACK, or close where even that fails or the session is not to be trusted.
    async fn roll_back(&mut self, error: &Error) {
        match error {
            Error::SealBroken(_) | Error::Connection(_) => drop(self.land().map(close)),
            Error::Denied(_) | Error::Context(_) | Error::Argument(_) | Error::Database(_) => {
                drop(self.end("ROLLBACK", true).await);
            }
        }
    }

    /// Sends COMMIT or ROLLBACK, and gives the connection back where that ended a transaction.
    async fn end(&mut self, end: &str, show: bool) -> Result<(), Error> {
        let connection = self.take_off()?;
        let ended = connection.client.batch_execute(end).await;
        let from_inside = connection.ended_from_inside();
        let Some(connection) = self.land() else { return Ok(()) };
        if let Err(error) = ended {
            close(connection);
            return Err(Error::driver(&error, show));
        }
        if from_inside {
            close(connection);
            return Err(Error::SealBroken("the transaction was ended from inside".to_owned()));
        }
        Ok(())
    }
}

/// A result's columns, or why the server does not take the text.
type Columns = Result<Vec<ResultColumn>, tokio_postgres::Error>;

/// BEGIN, the pin, and the statement's columns, sent together and answered in order. The last parses and runs nothing, so it does no
/// harm where one of the others fails.
async fn begun(
    guard: &Guard,
    session: &Session,
    connection: &Connection,
    statement: &Statement,
) -> Result<(Pinned, Columns), Error> {
    let client = &connection.client;
    let show = guard.inner().show_errors;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let input = PinInput { database: &connection.database, now, key: guard.inner().pin_key.as_ref() };
    let pin = session.pin(&input)?;
    let begin = session.begin();
    let values = texts(&pin.params);
    let values = bound(&values);
    let (began, pinned, columns) =
        join3(client.batch_execute(&begin), client.query_typed(&pin.sql, &values), described(client, statement)).await;
    began.map_err(|error| Error::driver(&error, show))?;
    let rows = pinned.map_err(|error| Error::driver(&error, show))?;
    let row = match rows.as_slice() {
        [row] => (0..row.len()).map(|at| row.try_get::<_, Option<&str>>(at).ok().flatten()).collect::<Vec<_>>(),
        _ => Vec::new(),
    };
    Ok((session.read_pin(&row)?, columns))
}

/// What the server makes of the text, without running it: one statement, with these columns. For a write its gate too. The statements
/// are named, which this driver cannot help, and closed when this returns.
async fn described(client: &Client, statement: &Statement) -> Columns {
    let types: Vec<_> = typed(statement.params()).into_iter().map(|(_, ty)| ty).collect();
    let text = statement.text().unwrap_or_default();
    let described = match statement.gate() {
        Some(gate) => {
            let (gate, described) = join(client.prepare_typed(gate, &types), client.prepare_typed(text, &types)).await;
            gate?;
            described?
        }
        None => client.prepare_typed(text, &types).await?,
    };
    let column =
        |column: &tokio_postgres::Column| ResultColumn { name: column.name().to_owned(), ty: column.type_().clone() };
    Ok(described.columns().iter().map(column).collect())
}

/// Runs the statement, and makes its result and receipt.
async fn executed(
    guard: &Guard,
    session: &Session,
    client: &Client,
    statement: &Statement,
    columns: Vec<ResultColumn>,
    pinned: &Pinned,
) -> Result<ResultSet, Error> {
    let show = guard.inner().show_errors;
    let driver = |error: tokio_postgres::Error| Error::driver(&error, show);
    let values = typed(statement.params());
    let values = bound(&values);
    let reads = statement.kind() == Some(StatementKind::Select);
    let sent = Instant::now();
    let (rows, affected) = if reads || !columns.is_empty() {
        let text = statement.rendered(columns.len());
        let text = text.ok_or_else(|| Error::Argument("the statement cannot be sent as it was verified".to_owned()))?;
        let rows = client.query_typed(&text, &values).await.map_err(driver)?;
        let affected = (!reads).then_some(rows.len() as u64);
        (rows, affected)
    } else {
        let text = statement.text().unwrap_or_default();
        (Vec::new(), Some(client.execute_typed(text, &values).await.map_err(driver)?))
    };
    let elapsed_us = u64::try_from(sent.elapsed().as_micros()).unwrap_or(u64::MAX);
    let texts = rows.iter().map(|row| rendered(row, columns.len())).collect::<Result<_, _>>().map_err(driver)?;
    let execution = Execution {
        role: pinned.role.clone(),
        started_at: pinned.started_at.clone(),
        elapsed_us,
        columns: columns.iter().map(|column| Column { name: column.name.clone(), oid: column.ty.oid() }).collect(),
        type_names: columns.iter().map(named).collect(),
        rows: texts,
        affected,
    };
    let receipt = session.receipt(statement, &execution, guard.inner().receipt_key.as_ref())?;
    let Execution { rows: mut texts, .. } = execution;
    let mut rows = rows;
    texts.truncate(receipt.rows());
    rows.truncate(receipt.rows());
    Ok(ResultSet { verdict: statement.verdict().clone(), receipt, columns, rows, texts })
}

/// The text of each column, which stands behind it.
fn rendered(row: &Row, columns: usize) -> Result<Vec<Option<String>>, tokio_postgres::Error> {
    (0..columns).map(|column| row.try_get(column * 2 + 1)).collect()
}

fn named(column: &ResultColumn) -> TypeName {
    TypeName { oid: column.ty.oid(), schema: column.ty.schema().to_owned(), name: column.ty.name().to_owned() }
}
