//! Behind PgBouncer in transaction mode: connections of the guard share those of the server, and nothing of one is seen by another.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use haltsql::Context;
use haltsql_guard::{Config, Guard, TransactionOptions};
use haltsql_testkit::Version;
use tempfile::TempDir;

use super::{Shop, acme, policy};

/// A pooler over a shop's server; dropping it stops it.
struct Bouncer {
    child: Child,
    folder: TempDir,
}

impl Bouncer {
    fn start(shop: &Shop) -> Self {
        let folder = tempfile::Builder::new().prefix("haltsql-pgb").tempdir_in("/tmp").unwrap();
        let path = folder.path().display();
        let server = shop.server.socket_folder();
        let ini = format!(
            "[databases]\nshop = host={} dbname=shop user=postgres\n[pgbouncer]\nlisten_addr =\nlisten_port = 6432\n\
             unix_socket_dir = {path}\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 2\nmax_client_conn = 100\n\
             ignore_startup_parameters = extra_float_digits\nlogfile = {path}/log\n",
            server.display()
        );
        fs::write(folder.path().join("pgbouncer.ini"), ini).unwrap();
        // It refuses to be root, and then runs as nobody.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let unpacked = haltsql_testkit::root().join(".build/pgbouncer");
        let program = unpacked.join("usr/sbin/pgbouncer");
        let program = if program.is_file() { program } else { PathBuf::from("pgbouncer") };
        let root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
        let mut command = if root { Command::new("setpriv") } else { Command::new(&program) };
        if root {
            command.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups"]).arg(&program);
        }
        let machine = std::env::consts::ARCH;
        command.env("LD_LIBRARY_PATH", unpacked.join(format!("usr/lib/{machine}-linux-gnu")));
        command
            .arg(folder.path().join("pgbouncer.ini"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let child = command.spawn().expect("pgbouncer: run `make setup`");
        let bouncer = Bouncer { child, folder };
        for _ in 0..200 {
            if bouncer.folder.path().join(".s.PGSQL.6432").exists() {
                return bouncer;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("{}", fs::read_to_string(bouncer.folder.path().join("log")).unwrap_or_default());
    }

    fn config(&self) -> Config {
        let mut config = Config::new();
        config.host_path(self.folder.path()).port(6432).user("postgres").dbname("shop");
        config
    }
}

impl Drop for Bouncer {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            eprintln!("pgbouncer: {:?}\n{log}", self.child.try_wait());
        }
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn two_servers_connections_serve_eight_callers_apart() {
    let shop = Shop::start(Version::Pg18);
    let bouncer = Bouncer::start(&shop);
    let execution = "settings: { app.owner: '{context.tenant_id}' }";
    let guard = Guard::builder(policy(execution), bouncer.config()).connections(8).build().unwrap();
    shop.runtime.block_on(async {
        let tasks: Vec<_> = (0..8)
            .map(|task| {
                let guard = guard.clone();
                tokio::spawn(async move {
                    let (tenant, parity) = if task % 2 == 0 { ("acme", 0) } else { ("globex", 1) };
                    for round in 0..100 {
                        let context = Context::new().with("tenant_id", tenant);
                        let options = TransactionOptions { writable: round % 10 == 0 };
                        let mut transaction = guard.transaction(context, options).unwrap();
                        let sql = "SELECT id FROM app.orders WHERE tenant_id = $1 ORDER BY id";
                        let rows = transaction.query(sql).await.unwrap();
                        for row in 0..5 {
                            assert_eq!(rows.get::<i32>(row, 0).unwrap() % 2, parity);
                        }
                        if round % 7 == 0 {
                            drop(transaction.query("SELECT 1 / (id - id) FROM app.orders WHERE tenant_id = $1").await);
                        }
                        transaction.finish().await.unwrap();
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        guard.run(acme(), "SELECT 1").await.unwrap();
    });
    // The server's side of the pooler: both connections as they were.
    let left = "SELECT count(*) FROM pg_stat_activity WHERE datname = 'shop' AND pid <> pg_backend_pid()";
    assert!((1..=2).contains(&shop.ask(left)));
    assert_eq!(shop.ask("SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'"), 0);
}
