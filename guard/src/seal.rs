//! The seal check: once on each new connection, before anything of a caller's is sent.
//!
//! Receives a connection and the role whose rights count; returns when the database is sealed as the policy says. Changes nothing.

use futures_util::future::join4;
use haltsql::harden::SealCheck;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Row};

use crate::error::Error;

/// Asks, and refuses where something is open.
pub(crate) async fn check(client: &Client, check: &SealCheck, role: &str, show: bool) -> Result<(), Error> {
    let driver = |error: tokio_postgres::Error| Error::driver(&error, show);
    let params: [(&(dyn tokio_postgres::types::ToSql + Sync), Type); 1] = [(&role, Type::TEXT)];
    let (began, pinned, rows, ended) = join4(
        client.batch_execute("BEGIN READ ONLY"),
        client.batch_execute(SealCheck::PIN),
        client.query_typed(check.sql(), &params),
        client.batch_execute("ROLLBACK"),
    )
    .await;
    began.map_err(driver)?;
    pinned.map_err(driver)?;
    let rows = rows.map_err(driver)?.iter().map(texts).collect::<Result<Vec<_>, _>>().map_err(driver)?;
    ended.map_err(driver)?;
    check.broken(&rows).map_or(Ok(()), |message| Err(Error::SealBroken(message)))
}

fn texts(row: &Row) -> Result<[Option<String>; 3], tokio_postgres::Error> {
    Ok([row.try_get(0)?, row.try_get(1)?, row.try_get(2)?])
}
