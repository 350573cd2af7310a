//! Looking into the resolved form: what an index stands for, what a relation's columns are called, what an expression is
//! made of. An index that stands for nothing gives nothing, or the unknown expression: fail closed.

use crate::policy::Policy;

use super::tree::{
    Cte, CteId, Expr, ExprId, ExprKind, Level, LevelId, List, Output, Reach, Rel, RelId, RelKind, SubqueryKind, Tree,
    WriteKind,
};

impl<'a> Tree<'a> {
    /// An empty tree.
    pub fn new(policy: &'a Policy, sql: &'a str) -> Self {
        Tree {
            policy,
            sql,
            root: LevelId(0),
            write: None,
            levels: Vec::with_capacity(4),
            order: Vec::with_capacity(4),
            rels: Vec::with_capacity(8),
            joins: Vec::with_capacity(8),
            exprs: Vec::with_capacity(64),
            lists: Vec::with_capacity(32),
            ctes: Vec::new(),
            calls: Vec::new(),
            refusals: Vec::new(),
            reads: Vec::with_capacity(16),
        }
    }

    /// The expression; an unknown one where there is none of that index.
    pub fn expr(&self, id: ExprId) -> Expr<'a> {
        self.exprs.get(id.at()).copied().unwrap_or(Expr { kind: ExprKind::Unknown, loc: None })
    }

    /// The expressions of a list.
    pub fn list(&self, list: List) -> &[ExprId] {
        let start = list.start as usize;
        self.lists.get(start..start + list.len as usize).unwrap_or_default()
    }

    /// The level.
    pub fn level(&self, id: LevelId) -> Option<&Level<'a>> {
        self.levels.get(id.at())
    }

    /// The table that a write writes to.
    pub fn is_target(&self, id: RelId) -> bool {
        self.write.as_ref().is_some_and(|write| write.target == id)
    }

    /// The table that an INSERT writes to: it is in no FROM, and RETURNING sees its new rows.
    pub fn is_inserted(&self, id: RelId) -> bool {
        self.write.as_ref().is_some_and(|write| write.kind == WriteKind::Insert && write.target == id)
    }

    /// The FROM item.
    pub fn rel(&self, id: RelId) -> Option<&Rel<'a>> {
        self.rels.get(id.at())
    }

    /// The common table expression.
    pub fn cte(&self, id: CteId) -> Option<&Cte<'a>> {
        self.ctes.get(id.at())
    }

    /// The level whose outputs are a relation's columns; `None` for tables and functions.
    ///
    /// For the reference of a recursive term to itself: the set operation, whose first arm names the columns.
    pub fn source_level(&self, rel: RelId) -> Option<LevelId> {
        match self.rel(rel)?.kind {
            RelKind::Derived(level) => Some(level),
            RelKind::Cte(cte) | RelKind::SelfRef(cte) => self.cte(cte)?.level,
            RelKind::Table(_) | RelKind::Function { .. } | RelKind::Unknown => None,
        }
    }

    /// The name of a relation's column at that position; `None` past its last.
    pub fn column_name(&self, id: RelId, at: usize) -> Option<&'a str> {
        let rel = self.rel(id)?;
        let own = match &rel.kind {
            RelKind::Table(table) => &*self.policy.tables.get(*table as usize)?.columns.get(at)?.name,
            RelKind::Derived(level) => self.level(*level)?.outputs.get(at)?.name,
            RelKind::Cte(cte) | RelKind::SelfRef(cte) => {
                let cte = self.cte(*cte)?;
                let outputs = &self.level(cte.level?)?.outputs;
                match outputs.get(at) {
                    Some(output) => cte.names.get(at).copied().unwrap_or(output.name),
                    None => cte.extra.get(at - outputs.len()).copied()?,
                }
            }
            RelKind::Function { columns, .. } => columns.get(at).copied()?,
            RelKind::Unknown => return None,
        };
        Some(rel.names.get(at).copied().unwrap_or(own))
    }

    /// How many columns a relation has, those of SEARCH and CYCLE included; `None` where nothing is known of it.
    pub fn width(&self, id: RelId) -> Option<usize> {
        let outputs = |level: LevelId| self.level(level).map(|level| level.outputs.len());
        match &self.rel(id)?.kind {
            RelKind::Table(table) => Some(self.policy.tables.get(*table as usize)?.columns.len()),
            RelKind::Derived(level) => outputs(*level),
            RelKind::Cte(cte) | RelKind::SelfRef(cte) => {
                let cte = self.cte(*cte)?;
                Some(outputs(cte.level?)? + cte.extra.len())
            }
            RelKind::Function { columns, .. } => Some(columns.len()),
            RelKind::Unknown => None,
        }
    }

    /// How many columns a star over a relation covers: all, but for those of SEARCH and CYCLE below the level of their WITH
    /// (`p_dontexpand`, addRangeTableEntryForCTE).
    pub fn star_width(&self, id: RelId) -> usize {
        match self.rel(id) {
            Some(Rel { kind: RelKind::Cte(cte) | RelKind::SelfRef(cte), level, .. }) => {
                let outputs =
                    self.source_level(id).and_then(|level| self.level(level)).map_or(0, |level| level.outputs.len());
                match self.cte(*cte) {
                    Some(cte) if cte.owner == *level => outputs + cte.extra.len(),
                    Some(_) | None => outputs,
                }
            }
            Some(_) | None => usize::MAX,
        }
    }

    /// The output that a relation's column is; `None` for tables, functions, and the columns of SEARCH and CYCLE.
    pub fn column_output(&self, id: RelId, at: u32) -> Option<&Output<'a>> {
        self.level(self.source_level(id)?)?.outputs.get(at as usize)
    }

    /// A function in FROM whose result may be composite: its fields would be columns.
    pub fn may_capture(&self, id: RelId) -> bool {
        matches!(self.rel(id).map(|rel| &rel.kind), Some(RelKind::Function { reach: Reach::MayCapture, .. }))
    }

    /// A relation that may have columns that nobody listed.
    pub fn is_open(&self, id: RelId) -> bool {
        match self.rel(id).map(|rel| &rel.kind) {
            Some(RelKind::Table(table)) => self.policy.tables.get(*table as usize).is_none_or(|table| !table.complete),
            Some(RelKind::Function { reach, .. }) => *reach != Reach::Exact,
            Some(RelKind::Unknown) | None => true,
            Some(RelKind::Derived(_) | RelKind::Cte(_) | RelKind::SelfRef(_)) => {
                self.source_level(id).and_then(|level| self.level(level)).is_some_and(|level| level.uncertain.is_some())
            }
        }
    }

    /// The operands of an expression; a subquery's own expressions are not among them.
    pub fn each_operand(&self, id: ExprId, then: &mut impl FnMut(ExprId)) {
        match self.expr(id).kind {
            ExprKind::Unknown
            | ExprKind::Column(..)
            | ExprKind::WholeRow(_)
            | ExprKind::Null
            | ExprKind::Default
            | ExprKind::Bool
            | ExprKind::Integer(_)
            | ExprKind::Numeric(_)
            | ExprKind::String(_)
            | ExprKind::Bits
            | ExprKind::Param(_) => {}
            ExprKind::Cast(arg, _)
            | ExprKind::Collate(arg)
            | ExprKind::Not(arg)
            | ExprKind::Prefix(_, arg)
            | ExprKind::NullTest(_, arg)
            | ExprKind::BoolTest(_, arg) => then(arg),
            ExprKind::Merged(_, left, right)
            | ExprKind::Binary(_, left, right)
            | ExprKind::NotDistinct(_, left, right)
            | ExprKind::AnyArray(_, _, left, right)
            | ExprKind::Like(_, left, right) => {
                then(left);
                then(right);
            }
            ExprKind::InList(_, left, list) => {
                then(left);
                self.list(list).iter().for_each(|item| then(*item));
            }
            ExprKind::And(list)
            | ExprKind::Or(list)
            | ExprKind::Between(list)
            | ExprKind::Array(list)
            | ExprKind::Row(list)
            | ExprKind::Other(list) => self.list(list).iter().for_each(|item| then(*item)),
            ExprKind::Subquery(SubqueryKind::Any(_, test) | SubqueryKind::All(test), _) => then(test),
            ExprKind::Subquery(SubqueryKind::Exists | SubqueryKind::Scalar | SubqueryKind::Array, _) => {}
            ExprKind::Call(call) => {
                if let Some(call) = self.calls.get(call.at()) {
                    self.list(call.args).iter().chain(self.list(call.others)).for_each(|item| then(*item));
                }
            }
        }
    }
}
