//! A verified text of a session: its verdict, and what the guard sends for it.
//!
//! Receives the text's bytes; returns the verdict and, only where it may run, the forms to send. FAIL-CLOSED: what is allowed and yet
//! cannot be sent as it was verified is denied here.

use super::jdbc::{self, JdbcForm};
use super::wrap::{Around, rewrapped, wrapped};
use crate::context::Context;
use crate::facts::{BindParam, BindValue};
use crate::parse;
use crate::policy::{Mode, Policy};
use crate::reason::{Reason, ReasonCode};
use crate::verdict::{StatementKind, Verdict};

/// A text, its verdict, and what there is to send.
#[derive(Clone, Debug)]
pub struct Statement {
    verdict: Verdict,
    sql: String,
    run: Option<Run>,
}

/// What to send for a text that may run.
#[derive(Clone, Debug)]
struct Run {
    kind: StatementKind,
    /// The statement alone, without a `;`.
    inner: String,
    /// The cap, or the text as it is.
    text: String,
    /// What a write is parsed in first.
    gate: Option<String>,
    params: Vec<Param>,
    limit: u64,
}

/// A value of `$n`, with the type to declare it with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// The value in the form that the type reads, an array in braces; `None`: no `$n` of this number stands in the text.
    pub value: Option<String>,
    /// The values behind an array.
    pub elements: Option<Vec<String>>,
    /// `text`, `uuid`, `integer`, with `[]` for arrays.
    pub ty: &'static str,
    /// PostgreSQL's number for the type: integers are `bigint`.
    pub oid: u32,
}

impl Statement {
    /// The verdict: the text's own, or a denial because this session cannot run it.
    #[must_use]
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// The text that was verified.
    #[must_use]
    pub fn sql(&self) -> &str {
        &self.sql
    }

    /// There is something to send. Where not, the guard raises its `Denied`: also in shadow mode, where the verdict allows all.
    #[must_use]
    pub fn may_run(&self) -> bool {
        self.run.is_some()
    }

    /// What the statement is, where it may run.
    #[must_use]
    pub fn kind(&self) -> Option<StatementKind> {
        self.run.as_ref().map(|run| run.kind)
    }

    /// What to send: a read in its cap (`capped_sql`), a write as it was verified.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.run.as_ref().map(|run| &*run.text)
    }

    /// For a write: what is parsed, and not run, before it is sent.
    #[must_use]
    pub fn gate(&self) -> Option<&str> {
        self.run.as_ref().and_then(|run| run.gate.as_deref())
    }

    /// The values of `$1`, `$2`, … in order.
    #[must_use]
    pub fn params(&self) -> &[Param] {
        self.run.as_ref().map_or(&[], |run| &run.params)
    }

    /// What to send where the driver cannot ask for text results: each of the `columns` result columns is followed by its text. A write
    /// stands in a WITH, where its rows are read from. `None`: nothing is there to send, or it cannot be proven to be the same.
    #[must_use]
    pub fn rendered(&self, columns: usize) -> Option<String> {
        let run = self.run.as_ref()?;
        let around = match run.kind {
            StatementKind::Select => Around::RenderedCap { columns, limit: run.limit },
            StatementKind::Insert | StatementKind::Update | StatementKind::Delete => Around::RenderedWrite { columns },
        };
        rewrapped(&run.inner, around)
    }

    /// What to send through JDBC.
    #[must_use]
    pub fn jdbc(&self) -> Option<JdbcForm> {
        self.run.as_ref().and_then(|run| jdbc::form(&run.text))
    }

    /// The form for JDBC of a text of this statement's, such as [`Statement::rendered`] gives.
    #[must_use]
    pub fn jdbc_of(&self, text: &str) -> Option<JdbcForm> {
        self.run.as_ref().and_then(|_| jdbc::form(text))
    }

    /// The command tag's first word that the server answers a run with.
    #[must_use]
    pub fn command(&self) -> Option<&'static str> {
        self.kind().map(|kind| match kind {
            StatementKind::Select => "SELECT",
            StatementKind::Insert => "INSERT",
            StatementKind::Update => "UPDATE",
            StatementKind::Delete => "DELETE",
        })
    }
}

/// Verifies a text that is to run for the caller of `context`.
pub(super) fn statement(policy: &Policy, context: &Context, writable: bool, sql: &[u8]) -> Statement {
    let verdict = policy.check(sql, context);
    // What may run is UTF-8; what may not is never sent.
    let text = String::from_utf8_lossy(sql).into_owned();
    if !verdict.allowed {
        return Statement { verdict, sql: text, run: None };
    }
    let kind = verdict.statement_kind;
    if !writable && kind.is_some_and(|kind| kind != StatementKind::Select) {
        return denied(verdict, text, policy.mode, read_only());
    }
    match run(policy, &verdict, &text) {
        Some(run) => Statement { verdict, sql: text, run: Some(run) },
        None => denied(verdict, text, policy.mode, unsendable()),
    }
}

/// What may not be sent after all. A shadow verdict stays what it is; nothing is there to run all the same.
fn denied(mut verdict: Verdict, sql: String, mode: Mode, reason: Reason) -> Statement {
    if mode == Mode::Enforce {
        verdict.allowed = false;
        verdict.reasons.push(reason);
        verdict.bind_params.clear();
    }
    Statement { verdict, sql, run: None }
}

fn read_only() -> Reason {
    Reason {
        code: ReasonCode::StatementKind,
        message: "this transaction is read-only".to_owned(),
        loc: None,
        hint: Some("write one SELECT statement".to_owned()),
    }
}

fn unsendable() -> Reason {
    Reason {
        code: ReasonCode::TooComplex,
        message: "the text cannot be sent inside the row cap as it was verified".to_owned(),
        loc: None,
        hint: Some("write a simpler query".to_owned()),
    }
}

fn run(policy: &Policy, verdict: &Verdict, text: &str) -> Option<Run> {
    let kind = verdict.statement_kind?;
    let params = params(&verdict.bind_params, text)?;
    let inner = parse::statement_text(text)?.to_owned();
    // One more than the caller gets: that there was one is what `truncated` says.
    let limit = policy.execution.max_rows.saturating_add(1);
    let (text, gate) = match kind {
        StatementKind::Select => (wrapped(&inner, Around::Cap { limit })?, None),
        StatementKind::Insert | StatementKind::Update | StatementKind::Delete => {
            (text.to_owned(), Some(wrapped(&inner, Around::Gate)?))
        }
    };
    Some(Run { kind, inner, text, gate, params, limit })
}

/// The values in the order of their numbers; `None` where a `$n` has none (shadow mode).
fn params(bind: &[BindParam], text: &str) -> Option<Vec<Param>> {
    let highest = parse::highest_param(text, |number| bind.iter().any(|param| param.param == number))?;
    let value = |number: u32| match bind.iter().find(|param| param.param == number) {
        Some(BindParam { value: BindValue::One(value), ty, .. }) => {
            Param { value: Some(value.clone()), elements: None, ty, oid: oid(ty) }
        }
        Some(BindParam { value: BindValue::Many(values), ty, .. }) => {
            Param { value: Some(super::pin::array(values)), elements: Some(values.clone()), ty, oid: oid(ty) }
        }
        None => Param { value: None, elements: None, ty: "text", oid: oid("text") },
    };
    Some((1..=highest).map(value).collect())
}

/// `pg_type.oid` (PostgreSQL's `pg_type.dat`).
fn oid(ty: &str) -> u32 {
    match ty {
        "uuid" => 2950,
        "integer" => 20,
        "text[]" => 1009,
        "uuid[]" => 2951,
        "integer[]" => 1016,
        _ => 25,
    }
}
