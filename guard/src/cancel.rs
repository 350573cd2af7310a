//! Cancelling on the server: a query that nobody waits for any more must not go on there.
//!
//! Receives the driver's token; asks the server, on a connection of its own, to cancel. The server may have finished by then.

use std::sync::Arc;

use tokio::runtime::Handle;
use tokio_postgres::{CancelToken, NoTls};

use crate::error::Error;
use crate::pool::Tls;

/// Cancels what a transaction is running, from elsewhere.
#[derive(Clone)]
pub struct CancelHandle {
    token: CancelToken,
    tls: Tls,
}

impl std::fmt::Debug for CancelHandle {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("CancelHandle")
    }
}

impl CancelHandle {
    pub(crate) fn new(token: CancelToken, tls: Tls) -> Self {
        CancelHandle { token, tls }
    }

    /// Asks the server to cancel. What runs then fails with SQLSTATE 57014.
    ///
    /// # Errors
    /// [`Error::Connection`]: the server was not to be reached.
    pub async fn cancel(&self) -> Result<(), Error> {
        let asked = match &self.tls {
            Tls::None => self.token.cancel_query(NoTls).await,
            Tls::Rustls(tls) => self.token.cancel_query(tls.clone()).await,
        };
        asked.map_err(|error| Error::driver(&error, true))
    }
}

/// The requests to cancel that are under way: each holds a clone while it is.
pub(crate) type UnderWay = Arc<()>;

/// Cancels when it is dropped before it was disarmed: the future that waited is gone.
pub(crate) struct CancelOnDrop(Option<(CancelHandle, UnderWay)>);

impl CancelOnDrop {
    pub(crate) fn armed(handle: CancelHandle, under_way: &UnderWay) -> Self {
        CancelOnDrop(Some((handle, under_way.clone())))
    }

    pub(crate) fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        // Without a runtime nobody can ask; the server's statement_timeout, which the pin set, ends the query.
        if let (Some((handle, under_way)), Ok(runtime)) = (self.0.take(), Handle::try_current()) {
            runtime.spawn(async move {
                // Nobody is left to tell of a failure; the timeout holds.
                drop(handle.cancel().await);
                drop(under_way);
            });
        }
    }
}
