//! One check: text, policy and context in, verdict out. The pipeline's stages in their order, nothing else.

use std::time::Instant;

use crate::context::Context;
use crate::facts::caller::Caller;
use crate::facts::{BindParam, Facts};
use crate::fence::fence;
use crate::parse;
use crate::policy::{Mode, Policy};
use crate::reason::{Reason, ReasonCode};
use crate::resolve;
use crate::resolve::shape::{ClauseNode, Shape, WriteNode, shape};
use crate::resolve::tree::{RelKind, Tree};
use crate::rules::{self, Statement};
use crate::text::{self, Source};
use crate::verdict::{PolicyRef, StatementKind, Verdict};

/// What the stages found out, before mode and policy make a verdict of it.
#[derive(Default)]
struct Findings {
    reasons: Vec<Reason>,
    kind: Option<StatementKind>,
    tables: Vec<String>,
    columns: Vec<String>,
    bind: Vec<BindParam>,
    fingerprint: Option<String>,
}

impl Findings {
    /// FAIL-CLOSED: the verifier itself failed, whatever the reason.
    fn internal() -> Self {
        let message = "the verifier failed; this is a bug of HaltSQL".to_owned();
        let reason = Reason { code: ReasonCode::Internal, message, loc: None, hint: None };
        Findings { reasons: vec![reason], ..Findings::default() }
    }
}

impl Policy {
    /// Decides whether exactly this text may run under this policy for this context.
    ///
    /// Always answers: whatever the text does, a panic of the verifier included, is a denial with a code. The same text,
    /// policy and context give the same verdict on every thread and machine, `elapsed_us` aside.
    #[must_use]
    pub fn check(&self, sql: &[u8], context: &Context) -> Verdict {
        #[allow(clippy::disallowed_methods)] // the one clock of the core: `elapsed_us`
        let started = Instant::now();
        let findings = match Source::new(sql, &self.limits) {
            Ok(source) => self.fenced(&source, context),
            Err(reason) => Findings { reasons: vec![reason], ..Findings::default() },
        };
        self.verdict(sql, findings, started)
    }

    /// The verdict on a check that failed by a bug of ours outside [`Policy::check`], when its answer was written.
    pub(crate) fn failed(&self, sql: &[u8]) -> Verdict {
        #[allow(clippy::disallowed_methods)] // as in `check`
        let started = Instant::now();
        self.verdict(sql, Findings::internal(), started)
    }

    fn verdict(&self, sql: &[u8], mut findings: Findings, started: Instant) -> Verdict {
        rules::sort(&mut findings.reasons);
        let denied = !findings.reasons.is_empty();
        let shadow = self.mode == Mode::Shadow;
        let (reasons, shadow_reasons) =
            if shadow { (Vec::new(), findings.reasons) } else { (findings.reasons, Vec::new()) };
        Verdict {
            allowed: shadow || !denied,
            reasons,
            shadow_reasons,
            policy: PolicyRef {
                name: self.name.clone(),
                version: self.version.clone(),
                search_path: self.search_path.clone(),
            },
            statement_kind: findings.kind,
            tables: findings.tables,
            columns: findings.columns,
            bind_params: if denied && !shadow { Vec::new() } else { findings.bind },
            fingerprint: findings.fingerprint,
            sql_sha256: text::sha256_hex(sql),
            elapsed_us: u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX),
        }
    }

    /// Runs the stages where they have the stack for it, behind the fence that turns a panic into a denial.
    fn fenced(&self, source: &Source<'_>, context: &Context) -> Findings {
        match fence(|| text::run_with_stack(source, || self.stages(source, context))) {
            Ok(Ok(findings)) => findings,
            Ok(Err(_)) | Err(_) => Findings::internal(),
        }
    }

    fn stages(&self, source: &Source<'_>, context: &Context) -> Findings {
        crate::weaken::panic_if_asked("stages", source.sql().as_bytes());
        let parsed = match parse::parse_source(source) {
            Ok(parsed) => parsed,
            Err(parse::Refusal { reasons, fingerprint }) => {
                return Findings { reasons, fingerprint, ..Findings::default() };
            }
        };
        let caller = Caller::new(self, context);
        let mut findings = Findings {
            reasons: rules::missing_context(self, &caller),
            fingerprint: Some(parsed.fingerprint),
            ..Findings::default()
        };
        let statement = parsed.statement.stmt.as_deref().map_or(Shape::Other, shape);
        let Opened { kind, refused, statement } = opened(self, statement, source.sql());
        findings.reasons.extend(refused);
        findings.kind = match kind {
            Statement::Select => Some(StatementKind::Select),
            Statement::Insert => Some(StatementKind::Insert),
            Statement::Update => Some(StatementKind::Update),
            Statement::Delete => Some(StatementKind::Delete),
            Statement::Other => None,
        };
        if let Some(statement) = statement {
            let tree = resolve::resolve(self, source.sql(), statement);
            let facts = Facts::new(&tree, &caller);
            findings.reasons.extend(rules::judge(&tree, &facts, &caller));
            (findings.tables, findings.columns) = reads(&tree);
            findings.bind = facts.params.bind(&caller);
        }
        findings
    }
}

/// What the policy opens of a statement that parsed.
pub(crate) struct Opened<'p> {
    kind: Statement,
    refused: Option<Reason>,
    /// What is there to resolve; `None` where the kind is refused and there is nothing more to tell.
    pub(crate) statement: Option<resolve::Statement<'p>>,
}

/// Looks at the kind of a statement.
pub(crate) fn opened<'p>(policy: &Policy, statement: Shape<'p>, sql: &str) -> Opened<'p> {
    let kind = match statement {
        Shape::Clause(ClauseNode::SelectStmt(_)) => Statement::Select,
        Shape::Write(WriteNode::Insert(_)) => Statement::Insert,
        Shape::Write(WriteNode::Update(_)) => Statement::Update,
        Shape::Write(WriteNode::Delete(_)) => Statement::Delete,
        Shape::Write(WriteNode::Merge) | Shape::Clause(_) | Shape::Expr(_) | Shape::From(_) | Shape::Other => {
            Statement::Other
        }
    };
    let refused = rules::refused_kind(policy, kind, sql);
    // Of a kind of write that is not open, no table can be: there is nothing more to tell.
    let open = refused.is_none();
    let statement = match statement {
        Shape::Clause(ClauseNode::SelectStmt(select)) => Some(resolve::Statement::Select(select)),
        Shape::Write(WriteNode::Insert(insert)) if open => Some(resolve::Statement::Insert(insert)),
        Shape::Write(WriteNode::Update(update)) if open => Some(resolve::Statement::Update(update)),
        Shape::Write(WriteNode::Delete(delete)) if open => Some(resolve::Statement::Delete(delete)),
        Shape::Write(_) | Shape::Clause(_) | Shape::Expr(_) | Shape::From(_) | Shape::Other => None,
    };
    Opened { kind, refused, statement }
}

/// The tables that a statement reads or writes and the columns that it reads, each sorted bytewise and once.
fn reads(tree: &Tree<'_>) -> (Vec<String>, Vec<String>) {
    let policy = tree.policy;
    // Positions first: a query names few columns often.
    let mut listed: Vec<u32> = tree
        .rels
        .iter()
        .filter_map(|rel| match rel.kind {
            RelKind::Table(table) => Some(table),
            RelKind::Derived(_)
            | RelKind::Cte(_)
            | RelKind::SelfRef(_)
            | RelKind::Function { .. }
            | RelKind::Unknown => None,
        })
        .collect();
    listed.sort_unstable();
    listed.dedup();
    let tables = listed.iter().filter_map(|table| policy.tables.get(*table as usize));
    let mut tables: Vec<&str> = tables.map(|table| &*table.display).collect();
    let mut reads = tree.reads.clone();
    reads.sort_unstable();
    reads.dedup();
    let mut columns: Vec<&str> = reads
        .iter()
        .filter_map(|(table, column)| policy.tables.get(*table as usize)?.columns.get(*column as usize))
        .map(|column| &*column.display)
        .collect();
    for names in [&mut tables, &mut columns] {
        // Quotes can change the order, and two listed names never have one spelling.
        names.sort_unstable();
    }
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
    (owned(tables), owned(columns))
}
