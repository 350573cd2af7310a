//! Connections: made, looked at once, and given back only when they are as they were.
//!
//! Receives how to connect; returns connections for one transaction at a time. The driver hides a connection's transaction status, so the
//! guard uses no connection that it did not make, and listens to what the server says on each.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use deadpool::managed::{Metrics, RecycleError, RecycleResult};
use haltsql::harden::SealCheck;
use haltsql::session::Session;
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::{AsyncMessage, Client, Config, NoTls, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::cancel::CancelHandle;
use crate::error::Error;
use crate::seal;

/// The pool.
pub(crate) type Pool = deadpool::managed::Pool<Manager>;
/// A connection of it, for as long as one has it.
pub(crate) type Pooled = deadpool::managed::Object<Manager>;

/// How connections are encrypted.
#[derive(Clone)]
pub enum Tls {
    /// Not at all: for unix sockets and for tests.
    None,
    /// By rustls, which verifies certificate and name.
    Rustls(MakeRustlsConnect),
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Tls::None => "None",
            Tls::Rustls(_) => "Rustls",
        })
    }
}

/// SQLSTATE `no_active_sql_transaction`, the server's warning about an end without a beginning.
const NO_TRANSACTION: &str = "25P01";

/// A connection of the guard's.
pub(crate) struct Connection {
    pub(crate) client: Client,
    /// `current_database()`.
    pub(crate) database: String,
    /// The seal check was passed on it.
    sealed: AtomicBool,
    /// The server warned that there was no transaction to end.
    no_transaction: Arc<AtomicBool>,
    tls: Tls,
}

impl Connection {
    /// The transaction had ended before its end was asked for.
    pub(crate) fn ended_from_inside(&self) -> bool {
        self.no_transaction.load(Ordering::Acquire)
    }

    /// The seal check, once.
    pub(crate) async fn check_seal(&self, check: &SealCheck, role: &str, show: bool) -> Result<(), Error> {
        if !self.sealed.load(Ordering::Acquire) {
            seal::check(&self.client, check, role, show).await?;
            self.sealed.store(true, Ordering::Release);
        }
        Ok(())
    }

    pub(crate) fn cancel_handle(&self) -> CancelHandle {
        CancelHandle::new(self.client.cancel_token(), self.tls.clone())
    }
}

/// Makes connections.
pub(crate) struct Manager {
    config: Config,
    tls: Tls,
}

impl Manager {
    pub(crate) fn new(config: Config, tls: Tls) -> Self {
        Manager { config, tls }
    }

    async fn connect<T>(&self, tls: T) -> Result<Connection, Error>
    where
        T: MakeTlsConnect<Socket> + Send,
        T::Stream: Send + 'static,
        T::TlsConnect: Send,
        <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
    {
        let broken = |error: tokio_postgres::Error| Error::driver(&error, true);
        let (client, mut connection) = self.config.connect(tls).await.map_err(broken)?;
        let no_transaction = Arc::new(AtomicBool::new(false));
        let warned = no_transaction.clone();
        tokio::spawn(async move {
            while let Some(Ok(message)) = poll_fn(|cx| connection.poll_message(cx)).await {
                // Notices are dropped: they can quote rows. All but one.
                if let AsyncMessage::Notice(notice) = message
                    && notice.code().code() == NO_TRANSACTION
                {
                    warned.store(true, Ordering::Release);
                }
            }
        });
        let row = client.query_typed_one(Session::HELLO, &[]).await.map_err(broken)?;
        let database = row.try_get(0).map_err(broken)?;
        let sealed = AtomicBool::new(false);
        Ok(Connection { client, database, sealed, no_transaction, tls: self.tls.clone() })
    }
}

impl deadpool::managed::Manager for Manager {
    type Type = Connection;
    type Error = Error;

    async fn create(&self) -> Result<Connection, Error> {
        match &self.tls {
            Tls::None => self.connect(NoTls).await,
            Tls::Rustls(tls) => self.connect(tls.clone()).await,
        }
    }

    async fn recycle(&self, connection: &mut Connection, _: &Metrics) -> RecycleResult<Error> {
        if connection.client.is_closed() || connection.ended_from_inside() {
            return Err(RecycleError::message("the connection is closed"));
        }
        Ok(())
    }
}
