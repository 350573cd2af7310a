//! The Rust guard: verified SQL on PostgreSQL, in a transaction that the guard owns from BEGIN to the end.
//!
//! Receives SQL from anyone and a context from the program; sends only what the verifier allowed, inside a transaction that it pinned,
//! and returns rows with a receipt. What is sent is decided in `haltsql::session`; this crate makes the driver's calls.
//!
//! ```no_run
//! # async fn shop(config: haltsql_guard::Config) -> Result<(), Box<dyn std::error::Error>> {
//! use haltsql_guard::{Error, Guard};
//!
//! let policy = haltsql::Policy::from_yaml(&std::fs::read_to_string("policy.yaml")?)?;
//! let guard = Guard::builder(policy, config).build()?;
//! let context = haltsql::Context::new().with("tenant_id", "acme");
//! match guard.run(context, "SELECT id FROM app.orders WHERE tenant_id = $1").await {
//!     Ok(result) => println!("{} rows; {}", result.row_count(), result.receipt().to_json()),
//!     Err(Error::Denied(denied)) => println!("{}", denied.for_agent()),
//!     Err(error) => return Err(error.into()),
//! }
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod cancel;
mod error;
mod guard;
mod params;
mod pool;
mod result;
mod seal;
mod transaction;

pub use cancel::CancelHandle;
pub use error::{Denied, Error};
pub use guard::{Guard, GuardBuilder, VerdictHook};
pub use haltsql::receipt::{Receipt, ReceiptKey};
pub use haltsql::session::PinKey;
pub use pool::Tls;
pub use result::{ResultColumn, ResultSet};
pub use tokio_postgres::Config;
pub use transaction::{Transaction, TransactionOptions};
