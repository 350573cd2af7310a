//! Runs the `haltsql` binary in a folder of its own.

// Each file of tests uses a part of this.
#![allow(dead_code)]

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::thread;

use tempfile::TempDir;

/// One tenant table, one shared table.
pub const POLICY: &str = "\
apiVersion: haltsql.dev/v1
kind: Policy
metadata:
  name: cli
spec:
  search_path: [app]
  tenancy:
    keys:
      - { column: tenant_id, context: tenant_id }
  tables:
    app.customers:
      columns: [id, tenant_id, name]
      complete: true
    app.products:
      columns: [id, name]
      complete: true
      shared: true
";

/// A folder with `policy.yaml` in it.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        folder.write("policy.yaml", POLICY);
        folder
    }

    /// Writes a file and gives its path.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// `haltsql` in the folder.
    pub fn haltsql(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_haltsql"));
        command.args(arguments).current_dir(self.0.path()).env_remove("NO_COLOR");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs `haltsql check --policy policy.yaml …` for the tenant acme, with these bytes on standard input.
    pub fn check(&self, arguments: &[&str], input: &[u8]) -> Output {
        let head = ["check", "--policy", "policy.yaml", "--context", "tenant_id=acme"];
        self.run(&[&head, arguments].concat(), input)
    }

    /// Runs `haltsql`.
    pub fn run(&self, arguments: &[&str], input: &[u8]) -> Output {
        let mut child = self.haltsql(arguments).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        // A command that does not read its input closes the pipe.
        let writer = thread::spawn(move || drop(stdin.write_all(&input)));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        output
    }
}

/// The exit code, with standard output and standard error as text.
pub fn parts(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}
