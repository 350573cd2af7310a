//! A server with the suite's database, sealed by what `haltsql policy harden` prints.

use std::sync::Arc;

use haltsql::harden;
use haltsql::session::{PinInput, PinKey, Session, SessionOptions};
use haltsql::{Context, Policy};
use haltsql_guard::{Config, Guard};
use haltsql_testkit::{Server, Version};
use postgres::Client;
use tokio::runtime::Runtime;

use super::data::{Seal, Suite, file};

pub struct Sealed<'s> {
    pub seal: &'s Seal,
    pub server: Server,
    pub policy: Arc<Policy>,
    pub guard: Guard,
    pub runtime: Runtime,
    key: Option<PinKey>,
}

impl<'s> Sealed<'s> {
    pub fn start(version: Version, suite: &Suite, seal: &'s Seal) -> Self {
        let server = Server::start(version).unwrap();
        server.create_database("shop").unwrap();
        let mut admin = server.connect("shop", "postgres").unwrap();
        admin.batch_execute(&file("database.sql")).unwrap();
        admin.batch_execute(&file("rows.sql")).unwrap();
        if seal.name == "login" {
            admin.batch_execute("CREATE ROLE t_acme LOGIN; CREATE ROLE t_globex LOGIN").unwrap();
        }
        let policy = Arc::new(suite.policy(seal));
        let key = seal.pin_key.as_ref().map(|key| PinKey::parse(key.as_bytes()).unwrap());
        let options = harden::Options { optional: seal.name != "none", pin_key: key.as_ref(), notes: &[] };
        admin.batch_execute(&harden::sql(&policy, &options).unwrap()).unwrap();
        if seal.name == "bare" {
            admin.batch_execute("GRANT app_agent TO app_login").unwrap();
        }
        let mut config = Config::new();
        config.host_path(server.socket_folder()).user(&seal.user).dbname("shop");
        let mut builder = Guard::builder(suite.policy(seal), config).connections(1).show_errors(true);
        if let Some(key) = &key {
            builder = builder.pin_key(key.clone());
        }
        Sealed { seal, server, policy, guard: builder.build().unwrap(), runtime: Runtime::new().unwrap(), key }
    }

    /// A session of a tenant.
    pub fn session(&self, tenant: &str, writable: bool) -> Session {
        let options = SessionOptions { writable, allow_shadow: false };
        Session::open(self.policy.clone(), Arc::new(context(tenant)), options).unwrap()
    }

    /// Whose turn it is next on the same connection: where each tenant logs in by itself, the same.
    pub fn next(&self) -> &'static str {
        if self.seal.name == "login" { "acme" } else { "globex" }
    }

    /// BEGIN and the pin, by the session's steps; whether they held.
    pub fn begin(&self, client: &mut Client, session: &Session) -> bool {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
        let pin = session.pin(&PinInput { database: "shop", now, key: self.key.as_ref() }).unwrap();
        if client.batch_execute(&session.begin()).is_err() {
            return false;
        }
        let params: Vec<(&(dyn postgres::types::ToSql + Sync), postgres::types::Type)> =
            pin.params.iter().map(|value| (value as _, postgres::types::Type::TEXT)).collect();
        client.query_typed_one(&pin.sql, &params).is_ok_and(|row| row.get::<_, &str>(0) == "ok")
    }

    /// Puts the rows back as they were.
    pub fn restore(&self) {
        self.server.connect("shop", "postgres").unwrap().batch_execute(&file("rows.sql")).unwrap();
    }
}

/// Who is asking.
pub fn context(tenant: &str) -> Context {
    Context::new().with("tenant_id", tenant)
}

/// A value that this tenant must not see.
pub fn is_foreign(text: &str, tenant: &str) -> bool {
    let own = format!("{}_", tenant.to_uppercase());
    ["ACME_", "GLOBEX_", "INITECH_", "SSN_", "KEY_"].iter().any(|marker| *marker != own && text.contains(marker))
}
