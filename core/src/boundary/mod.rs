//! What every other language sees of the core: bytes in, bytes out.
//!
//! Receives documents, contexts and SQL as bytes, returns verdicts and descriptions as the exact text that every host hands
//! on, or an [`Error`] with a number. The author of the SQL can only cause a verdict, the author of the program can cause an
//! error. Nothing here panics into the host, keeps state, or knows a language; the C ABI and the bindings are thin over it
//! (docs/ffi.md says what is left to them).

mod error;
mod guard;
mod many;
mod verdict;

pub use error::{Error, ErrorCode};
pub use guard::{Guard, Session, Statement};
pub use verdict::{for_agent, is_allowed};

use std::sync::Arc;

use crate::context::Context;
use crate::fence::fence;
use crate::policy::{Format, Mode};
use crate::reason::ReasonCode;

/// What a binding was made for and what it finds have to be equal: each compares its own copy of this number when it loads,
/// and refuses to go on. It grows with every change that an older binding could misunderstand.
pub const ABI_VERSION: u32 = 1;

/// The version of the PostgreSQL whose parser reads the SQL.
pub const POSTGRES_VERSION: &str = "18.6";

/// The most bytes that a context may have.
pub const MAX_CONTEXT_BYTES: usize = 16 * 1024 * 1024;

/// The version of HaltSQL, one for all its packages.
#[must_use]
pub const fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Every reason code with its rule, as JSON, in the order of docs/reason-codes.md: `[{"code":"E_PARSE","rule":"sql.parse"},…]`.
/// What a binding declares as its list of codes is compared with this one.
#[must_use]
pub fn reason_codes() -> String {
    let entry = |code: &ReasonCode| format!("{{\"code\":\"{}\",\"rule\":\"{}\"}}", code.as_str(), code.rule());
    format!("[{}]", ReasonCode::ALL.iter().map(entry).collect::<Vec<_>>().join(","))
}

/// The language of a policy document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum DocumentFormat {
    /// JSON where the document's name ends in `.json`, or where it has no such ending and begins with `{`; else YAML.
    Auto = 0,
    /// YAML.
    Yaml = 1,
    /// JSON.
    Json = 2,
}

impl DocumentFormat {
    /// The format with this number, if there is one.
    #[must_use]
    pub const fn from_number(number: u32) -> Option<Self> {
        match number {
            0 => Some(DocumentFormat::Auto),
            1 => Some(DocumentFormat::Yaml),
            2 => Some(DocumentFormat::Json),
            _ => None,
        }
    }

    /// The language in which a document of this name is read.
    #[must_use]
    pub fn of(self, document: &[u8], name: &str) -> Format {
        let name = name.to_ascii_lowercase();
        match self {
            DocumentFormat::Yaml => Format::Yaml,
            DocumentFormat::Json => Format::Json,
            DocumentFormat::Auto if name.ends_with(".json") => Format::Json,
            DocumentFormat::Auto if name.ends_with(".yaml") || name.ends_with(".yml") => Format::Yaml,
            DocumentFormat::Auto if document.trim_ascii_start().starts_with(b"{") => Format::Json,
            DocumentFormat::Auto => Format::Yaml,
        }
    }
}

/// A loaded policy. Immutable, cheap to clone, and free to be used by any number of threads at once.
#[derive(Clone, Debug)]
pub struct Policy(Arc<crate::policy::Policy>);

impl Policy {
    /// Loads a policy from a document's bytes. `name` stands in error messages, and its ending can decide the format: a path,
    /// or empty where there is none. No file is read.
    ///
    /// # Errors
    /// [`ErrorCode::Policy`] with everything that is wrong with the document.
    pub fn load(document: &[u8], format: DocumentFormat, name: &str) -> Result<Self, Error> {
        let loaded = fence(|| {
            crate::weaken::panic_if_asked("load", document);
            crate::policy::Policy::parse(document, format.of(document, name))
        })?;
        loaded.map(|policy| Policy(Arc::new(policy))).map_err(|problem| Error::policy(name, &problem))
    }

    /// The policy's `metadata.name`.
    #[must_use]
    pub fn name(&self) -> &str {
        crate::weaken::panic_if_asked("name", self.0.description.as_deref().unwrap_or_default().as_bytes());
        self.0.name()
    }

    /// `sha256:` and the digest of the normalised policy, as verdicts carry it.
    #[must_use]
    pub fn version(&self) -> &str {
        self.0.version()
    }

    /// `enforce` or `shadow`. A shadow verdict protects nothing.
    #[must_use]
    pub fn mode(&self) -> &'static str {
        match self.0.mode() {
            Mode::Enforce => "enforce",
            Mode::Shadow => "shadow",
        }
    }

    /// The verdict on `sql` for the caller that `context`, a JSON object, describes: the exact JSON that every language returns.
    ///
    /// # Errors
    /// [`ErrorCode::Context`]: the context is no such object. The SQL causes none, whatever it holds.
    pub fn check(&self, sql: &[u8], context: &[u8]) -> Result<String, Error> {
        self.for_context(context)?.check(sql)
    }

    /// Prepares a context once for many checks.
    ///
    /// # Errors
    /// [`ErrorCode::Context`]: the context is not a JSON object with unique keys, not UTF-8, or over [`MAX_CONTEXT_BYTES`].
    pub fn for_context(&self, context: &[u8]) -> Result<Caller, Error> {
        if context.len() > MAX_CONTEXT_BYTES {
            return Err(Error::context(format!("the context is larger than {MAX_CONTEXT_BYTES} bytes")));
        }
        let text = std::str::from_utf8(context)
            .map_err(|problem| Error::context(format!("the context is not UTF-8 at byte {}", problem.valid_up_to())))?;
        let context =
            fence(|| Context::from_json(text))?.map_err(|problem| Error::context(problem.message().to_owned()))?;
        Ok(Caller { policy: self.clone(), context: Arc::new(context) })
    }

    /// What may be asked under the policy, as text for a prompt.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] alone.
    pub fn describe_text(&self) -> Result<String, Error> {
        self.described(crate::verdict::Description::to_text)
    }

    /// What may be asked under the policy, as one line of JSON (docs/policy.md).
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] alone.
    pub fn describe_json(&self) -> Result<String, Error> {
        self.described(crate::verdict::Description::to_json)
    }

    fn described(&self, render: impl FnOnce(&crate::verdict::Description) -> String) -> Result<String, Error> {
        Ok(fence(|| {
            crate::weaken::panic_if_asked("describe", self.0.description.as_deref().unwrap_or_default().as_bytes());
            render(&self.0.describe())
        })?)
    }

    /// The value for `pg_catalog.set_config('search_path', …, true)` in the transaction that runs what was checked.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] alone.
    pub fn search_path_value(&self) -> Result<String, Error> {
        Ok(fence(|| self.0.search_path_value())?)
    }
}

/// A policy and one caller's context, read once. Immutable, cheap to clone, and free to be used by any number of threads.
#[derive(Clone, Debug)]
pub struct Caller {
    policy: Policy,
    context: Arc<Context>,
}

impl Caller {
    /// The policy.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The verdict on `sql`: the exact JSON that every language returns.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`], where not even the denial of a failed check could be written.
    pub fn check(&self, sql: &[u8]) -> Result<String, Error> {
        let policy = &*self.policy.0;
        let answer = fence(|| {
            crate::weaken::panic_if_asked("answer", sql);
            policy.check(sql, &self.context).to_json()
        });
        // FAIL-CLOSED: whatever fails here is a denial too; an error is left for a failure of the denial itself.
        Ok(answer.or_else(|_| fence(|| policy.failed(sql).to_json()))?)
    }
}
