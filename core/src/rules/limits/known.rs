//! What literals tell of each expression of a statement, through derived tables, CTEs and VALUES too.
//!
//! One pass, since operands come before what they are operands of.

use std::collections::BTreeMap;

use crate::catalog::Held;
use crate::resolve::tree::{Body, Call, ExprId, ExprKind, LevelId, RelId, RelKind, SubqueryKind, Tree};

use super::amount::Amount;
use super::numbers;

/// What is known of an expression.
#[derive(Clone, Copy)]
pub struct Fact {
    /// Its value, if it is a number.
    pub amount: Amount,
    /// The bytes or elements that `repeat` and its kin put into it; at least 1.
    pub made: f64,
    /// A literal in it is infinity or NaN.
    pub endless: bool,
}

const NOTHING: Fact = Fact { amount: Amount::Unknown, made: 1.0, endless: false };

/// What is known of every expression.
pub struct Known<'t, 'a> {
    tree: &'t Tree<'a>,
    facts: Vec<Fact>,
    columns: BTreeMap<(LevelId, u32), Fact>,
}

impl<'t, 'a> Known<'t, 'a> {
    /// Looks at every expression.
    pub fn new(tree: &'t Tree<'a>) -> Self {
        let mut known = Known { tree, facts: Vec::with_capacity(tree.exprs.len()), columns: BTreeMap::new() };
        for (id, _) in (0..).zip(&tree.exprs) {
            let fact = known.find(ExprId(id));
            known.facts.push(fact);
        }
        known
    }

    /// What is known of one. Of what comes later (a recursion, say), nothing.
    pub fn of(&self, expr: ExprId) -> Fact {
        self.facts.get(expr.at()).copied().unwrap_or(NOTHING)
    }

    /// Its value, if it is a number.
    pub fn amount(&self, expr: ExprId) -> Amount {
        self.of(expr).amount
    }

    fn find(&mut self, id: ExprId) -> Fact {
        let tree = self.tree;
        let kind = tree.expr(id).kind;
        let mut fact = match kind {
            ExprKind::Column(rel, column) => return self.column(rel, column),
            ExprKind::Subquery(SubqueryKind::Scalar | SubqueryKind::Array, level) => {
                Fact { amount: Amount::Unknown, ..self.output(level, 0) }
            }
            ExprKind::String(text) => Fact { endless: numbers::is_endless(text), ..NOTHING },
            _ => NOTHING,
        };
        tree.each_operand(id, &mut |operand| {
            let of = self.of(operand);
            fact.made = fact.made.max(of.made);
            fact.endless |= of.endless;
        });
        if let ExprKind::Call(call) = kind
            && let Some(call) = tree.calls.get(call.at())
            && let Some(produced) = self.produced(call).reach()
        {
            fact.made = fact.made.max(produced);
        }
        Fact { amount: numbers::number(self, tree, kind), ..fact }
    }

    fn column(&mut self, rel: RelId, column: u32) -> Fact {
        let tree = self.tree;
        match tree.rel(rel).map(|rel| &rel.kind) {
            // A recursion's own column: how fast it grows is looked at where its arms meet.
            Some(RelKind::Table(_) | RelKind::SelfRef(_)) => Fact { amount: Amount::Data(0.0), ..NOTHING },
            Some(RelKind::Derived(_) | RelKind::Cte(_)) => {
                tree.source_level(rel).map_or(NOTHING, |level| self.output(level, column))
            }
            Some(RelKind::Function { args, .. }) => self.one_of(tree.list(*args)),
            Some(RelKind::Unknown) | None => NOTHING,
        }
    }

    /// What is known of an output column.
    pub fn output(&mut self, id: LevelId, column: u32) -> Fact {
        if let Some(fact) = self.columns.get(&(id, column)) {
            return *fact;
        }
        let Some(level) = self.tree.level(id) else { return NOTHING };
        let at = column as usize;
        let fact = match &level.body {
            Body::Select { .. } => {
                level.outputs.get(at).and_then(|output| output.expr).map_or(NOTHING, |expr| self.of(expr))
            }
            Body::Values { rows } => {
                let cells: Vec<ExprId> = rows.iter().filter_map(|row| self.tree.list(*row).get(at).copied()).collect();
                self.one_of(&cells)
            }
            Body::SetOp { arms, .. } => {
                let recursive = self.tree.ctes.iter().any(|cte| cte.recursive && cte.level == Some(id));
                let mut facts: Vec<Fact> = arms.iter().map(|arm| self.output(*arm, column)).collect();
                if let (true, Some(term)) = (recursive, facts.last_mut()) {
                    term.amount = numbers::grown(term.amount);
                }
                join(facts)
            }
        };
        self.columns.insert((id, column), fact);
        fact
    }

    fn one_of(&self, exprs: &[ExprId]) -> Fact {
        join(exprs.iter().map(|expr| self.of(*expr)))
    }

    /// The bytes or elements that a call produces.
    pub fn produced(&self, call: &Call<'_>) -> Amount {
        match (call.held(), self.tree.list(call.args)) {
            (Some(Held::Repeat), [text, count, ..]) => self.amount(*count).each(self.size(*text)),
            (Some(Held::Pad), [_, length, ..]) => self.amount(*length),
            (Some(Held::ArrayFill), [_, dimensions, ..]) => match self.tree.expr(*dimensions).kind {
                ExprKind::Array(list) => {
                    let lengths = self.tree.list(list).iter().map(|length| self.amount(*length));
                    lengths
                        .reduce(|product, length| match (product, length) {
                            (Amount::Data(_), other) | (other, Amount::Data(_)) => {
                                other.reach().map_or(Amount::Unknown, Amount::Data)
                            }
                            (product, length) => product.times(length),
                        })
                        .unwrap_or(Amount::Unknown)
                }
                _ => Amount::Unknown,
            },
            (_, _) => Amount::Unknown,
        }
    }

    /// How long a text is that a call repeats: its own length where it is spelled, one where it is data.
    fn size(&self, expr: ExprId) -> f64 {
        match self.tree.expr(expr).kind {
            ExprKind::String(text) => text.len() as f64,
            ExprKind::Cast(inner, _) => self.size(inner),
            ExprKind::Binary(_, left, right) => self.size(left) + self.size(right),
            _ => self.of(expr).made,
        }
    }
}

/// Whatever one of these is.
fn join(facts: impl IntoIterator<Item = Fact>) -> Fact {
    let either = |left: Fact, right: Fact| Fact {
        amount: left.amount.or(right.amount),
        made: left.made.max(right.made),
        endless: left.endless || right.endless,
    };
    facts.into_iter().reduce(either).unwrap_or(NOTHING)
}
