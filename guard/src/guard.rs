//! The guard: a policy, the connections that it may use, and its keys.
//!
//! Receives them once; opens transactions for callers. Must never use a connection that somebody else began something on.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use deadpool::Runtime;
use deadpool::managed::{PoolError, TimeoutType};
use haltsql::harden::{self, SealCheck};
use haltsql::receipt::ReceiptKey;
use haltsql::session::{PinKey, PinKeyPlace, Session, SessionOptions};
use haltsql::{Context, Policy, Verdict};
use tokio_postgres::Config;

use crate::cancel::UnderWay;
use crate::error::Error;
use crate::pool::{Manager, Pool, Pooled, Tls};
use crate::result::ResultSet;
use crate::transaction::{Transaction, TransactionOptions};

/// Is told of every verdict, with the text that it is about: for an audit log.
pub type VerdictHook = Arc<dyn Fn(&Verdict, &str) + Send + Sync>;

/// Runs verified SQL. Cheap to clone, free to be shared between tasks.
#[derive(Clone)]
pub struct Guard(Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) policy: Arc<Policy>,
    pub(crate) pool: Pool,
    pub(crate) pin_key: Option<PinKey>,
    pub(crate) receipt_key: Option<ReceiptKey>,
    pub(crate) allow_shadow: bool,
    pub(crate) show_errors: bool,
    pub(crate) on_verdict: Option<VerdictHook>,
    /// What a new connection is asked, where the policy has a seal.
    pub(crate) seal_check: Option<SealCheck>,
    pub(crate) cancelling: UnderWay,
}

impl std::fmt::Debug for Guard {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Guard({:?})", self.0.policy.name())
    }
}

/// What a guard is built from.
#[must_use = "a builder does nothing until it is built"]
pub struct GuardBuilder {
    policy: Policy,
    config: Config,
    tls: Tls,
    connections: usize,
    wait: Duration,
    pin_key: Option<PinKey>,
    receipt_key: Option<ReceiptKey>,
    allow_shadow: bool,
    show_errors: bool,
    on_verdict: Option<VerdictHook>,
}

impl Guard {
    /// A guard for a policy on a database. The connections are the guard's own: it uses no other.
    pub fn builder(policy: Policy, config: Config) -> GuardBuilder {
        GuardBuilder {
            policy,
            config,
            tls: Tls::None,
            connections: 4,
            wait: Duration::from_secs(10),
            pin_key: None,
            receipt_key: None,
            allow_shadow: false,
            show_errors: false,
            on_verdict: None,
        }
    }

    /// Runs one statement in a read-only transaction of its own.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn run(&self, context: Context, sql: &str) -> Result<ResultSet, Error> {
        self.run_with(context, TransactionOptions::default(), sql).await
    }

    /// The same, with options.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn run_with(&self, context: Context, options: TransactionOptions, sql: &str) -> Result<ResultSet, Error> {
        let mut transaction = self.transaction(context, options)?;
        let result = transaction.query(sql).await?;
        transaction.finish().await?;
        Ok(result)
    }

    /// A transaction. A connection is taken and BEGIN is sent with the first statement that may run.
    ///
    /// # Errors
    /// [`Error::Context`], [`Error::Argument`]: see [`Session::open`].
    pub fn transaction(&self, context: Context, options: TransactionOptions) -> Result<Transaction, Error> {
        let options = SessionOptions { writable: options.writable, allow_shadow: self.0.allow_shadow };
        let session = Session::open(self.0.policy.clone(), Arc::new(context), options)?;
        Ok(Transaction::new(self.clone(), session))
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.0.policy
    }

    /// Waits until every query that was abandoned has been cancelled on the server: for programs that are about to end.
    pub async fn cancelled(&self) {
        while Arc::strong_count(&self.0.cancelling) > 1 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.0
    }

    pub(crate) async fn connection(&self) -> Result<Pooled, Error> {
        self.0.pool.get().await.map_err(|error| match error {
            PoolError::Backend(error) => error,
            PoolError::Timeout(TimeoutType::Wait) => {
                let size = self.0.pool.status().max_size;
                Error::Connection(format!("all {size} connections of the guard's pool are in use"))
            }
            other => Error::Connection(other.to_string()),
        })
    }
}

impl GuardBuilder {
    /// How connections are encrypted; [`Tls::None`] where nothing is said.
    pub fn tls(mut self, tls: Tls) -> Self {
        self.tls = tls;
        self
    }

    /// How many connections there may be at a time; 4 where nothing is said.
    pub fn connections(mut self, connections: usize) -> Self {
        self.connections = connections;
        self
    }

    /// How long a transaction waits for a connection; ten seconds where nothing is said.
    pub fn wait(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    /// The key of signed pins. Where none is given, it is read where the policy's `execution.pin_key` says.
    pub fn pin_key(mut self, key: PinKey) -> Self {
        self.pin_key = Some(key);
        self
    }

    /// Signs receipts.
    pub fn receipt_key(mut self, key: ReceiptKey) -> Self {
        self.receipt_key = Some(key);
        self
    }

    /// Runs under a shadow policy too, which protects nothing: for looking at what a policy would deny.
    pub fn allow_shadow(mut self, allow: bool) -> Self {
        self.allow_shadow = allow;
        self
    }

    /// Hands on the database's errors whole. They can quote rows and name hidden columns: for operators alone.
    pub fn show_errors(mut self, show: bool) -> Self {
        self.show_errors = show;
        self
    }

    /// Is told of every verdict.
    pub fn on_verdict(mut self, hook: VerdictHook) -> Self {
        self.on_verdict = Some(hook);
        self
    }

    /// The guard. No connection is made yet.
    ///
    /// # Errors
    /// [`Error::Argument`]: the pin key is not where the policy says or is none; the policy's seal cannot hold what it promises;
    /// or there would be no connections.
    pub fn build(self) -> Result<Guard, Error> {
        let pin_key = match (self.pin_key, self.policy.pin_key_place()) {
            (Some(key), _) => Some(key),
            (None, Some(place)) => Some(read_key(place)?),
            (None, None) => None,
        };
        let seal_check = harden::seal_check(&self.policy).map_err(|error| Error::Argument(error.to_string()))?;
        let pool = Pool::builder(Manager::new(self.config, self.tls))
            .max_size(self.connections)
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(self.wait))
            .create_timeout(Some(self.wait))
            .build()
            .map_err(|error| Error::Argument(error.to_string()))?;
        Ok(Guard(Arc::new(Inner {
            policy: Arc::new(self.policy),
            pool,
            pin_key,
            receipt_key: self.receipt_key,
            allow_shadow: self.allow_shadow,
            show_errors: self.show_errors,
            on_verdict: self.on_verdict,
            seal_check,
            cancelling: UnderWay::default(),
        })))
    }
}

/// The key from where the policy says that it is.
fn read_key(place: PinKeyPlace<'_>) -> Result<PinKey, Error> {
    let text = match place {
        PinKeyPlace::Env(name) => std::env::var(name).map(String::into_bytes).map_err(|_| {
            Error::Argument(format!(
                "the policy's pin key is to be in the environment variable `{name}`, which is not set"
            ))
        })?,
        PinKeyPlace::File(path) => std::fs::read(Path::new(path)).map_err(|error| {
            Error::Argument(format!(
                "the policy's pin key is to be in the file `{path}`, which cannot be read: {error}"
            ))
        })?,
    };
    Ok(PinKey::parse(&text)?)
}
