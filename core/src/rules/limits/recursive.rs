//! `limits.recursive`: a recursion that the policy does not allow, or (bounded) one whose form does not end by itself.

use crate::facts::ties::ManyRows;
use crate::policy::Recursive;
use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::{Body, Cte, CteId, ExprId, ExprKind, Join, JoinKind, Level, LevelId, RelId, RelKind, Tree};
use crate::rules::{Case, reason};

use super::known::Known;
use super::steps;

/// Adds a reason for each recursive CTE.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    let tree = case.tree;
    let mode = tree.policy.limits.recursive;
    if !tree.ctes.iter().any(|cte| cte.recursive) {
        return;
    }
    let (many, mut known) = (ManyRows::new(tree), Known::new(tree));
    for (id, cte) in (0..).zip(&tree.ctes) {
        if !cte.recursive
            || mode == Recursive::Allow
            || (mode == Recursive::Bounded && is_bounded(tree, &many, &mut known, CteId(id), cte))
        {
            continue;
        }
        let (message, hint) = match mode {
            Recursive::Deny => (format!("`{}` is recursive", cte.name), "write the query without WITH RECURSIVE".to_owned()),
            Recursive::Bounded | Recursive::Allow => (
                format!("nothing shows that the recursion of `{}` ends", cte.name),
                "join the recursive reference to a table's column with `=`, or count up and compare the counter with a literal by `<`".to_owned(),
            ),
        };
        out.push(reason(ReasonCode::Recursive, cte.loc, message, hint));
    }
}

fn is_bounded<'t, 'a>(
    tree: &'t Tree<'a>,
    many: &ManyRows,
    known: &mut Known<'t, 'a>,
    id: CteId,
    cte: &Cte<'_>,
) -> bool {
    let Some(Body::SetOp { arms, last_is_union_distinct }) =
        cte.level.and_then(|level| tree.level(level)).map(|level| &level.body)
    else {
        return false;
    };
    let Some((last, starts)) = arms.split_last() else { return false };
    let Some(term) = tree.level(*last) else { return false };
    let computes = term.outputs.iter().any(|output| output.expr.is_none_or(|expr| !is_plain(tree, expr)));
    if *last_is_union_distinct && !computes {
        return true;
    }
    let mut find = Find { tree, many, known, id, starts };
    conditions(tree, term).into_iter().any(|condition| bounds(&mut find, term, condition))
}

/// A column or a constant: a UNION over such has finitely many rows to find.
fn is_plain(tree: &Tree<'_>, expr: ExprId) -> bool {
    match tree.expr(expr).kind {
        ExprKind::Column(..) | ExprKind::Merged(..) | ExprKind::Null | ExprKind::Bool | ExprKind::Param(_) => true,
        ExprKind::Cast(inner, _) => is_plain(tree, inner),
        _ => is_literal(tree, expr),
    }
}

/// The conjuncts that every row of a level passes: of WHERE, and of inner ONs that stand below no nullable side.
fn conditions(tree: &Tree<'_>, level: &Level<'_>) -> Vec<ExprId> {
    let Body::Select { from, filter } = &level.body else { return Vec::new() };
    let (mut open, mut joins, mut found): (Vec<ExprId>, _, _) =
        (filter.iter().copied().collect(), from.clone(), Vec::new());
    while let Some(join) = joins.pop() {
        match tree.joins.get(join.at()) {
            Some(Join::Node { kind: JoinKind::Inner, left, right, on, .. }) => {
                open.extend(on);
                joins.extend([*left, *right]);
            }
            // ON of an outer join keeps rows that it does not hold for; what is on the preserved side was bounded before.
            Some(Join::Node { kind: JoinKind::Left, left, .. }) => joins.push(*left),
            Some(Join::Node { kind: JoinKind::Right, right, .. }) => joins.push(*right),
            Some(Join::Node { kind: JoinKind::Full, .. } | Join::Leaf(_)) | None => {}
        }
    }
    while let Some(expr) = open.pop() {
        match tree.expr(expr).kind {
            ExprKind::And(list) => open.extend(tree.list(list)),
            _ => found.push(expr),
        }
    }
    found
}

/// What the form of one recursion is judged by.
struct Find<'f, 't, 'a> {
    tree: &'t Tree<'a>,
    many: &'f ManyRows,
    known: &'f mut Known<'t, 'a>,
    id: CteId,
    /// The arms that it starts from.
    starts: &'f [LevelId],
}

fn bounds(find: &mut Find<'_, '_, '_>, term: &Level<'_>, condition: ExprId) -> bool {
    let (tree, many, id) = (find.tree, find.many, find.id);
    let ExprKind::Binary(operator, left, right) = tree.expr(condition).kind else { return false };
    let is = |name| operator.is_builtin(name);
    if is("=") {
        return joins(tree, many, id, left, right) || joins(tree, many, id, right, left);
    }
    let (smaller, larger) = match (is("<") || is("<="), is(">") || is(">=")) {
        (true, _) => (left, right),
        (_, true) => (right, left),
        (false, false) => return false,
    };
    counts(find, term, smaller, larger, "+") || counts(find, term, larger, smaller, "-")
}

/// `recursive.x = table.y`.
fn joins(tree: &Tree<'_>, many: &ManyRows, id: CteId, recursive: ExprId, other: ExprId) -> bool {
    let ExprKind::Column(rel, _) = tree.expr(other).kind else { return false };
    own_column(tree, id, recursive).is_some() && is_of_tables(tree, many, rel)
}

fn is_of_tables(tree: &Tree<'_>, many: &ManyRows, rel: RelId) -> bool {
    match tree.rel(rel).map(|rel| &rel.kind) {
        Some(RelKind::Table(_)) => true,
        Some(RelKind::Derived(_) | RelKind::Cte(_)) => many.counts(tree, rel),
        Some(RelKind::SelfRef(_) | RelKind::Function { .. } | RelKind::Unknown) | None => false,
    }
}

/// The position of a column of the recursive reference.
fn own_column(tree: &Tree<'_>, id: CteId, expr: ExprId) -> Option<u32> {
    let ExprKind::Column(rel, column) = tree.expr(expr).kind else { return None };
    matches!(tree.rel(rel)?.kind, RelKind::SelfRef(cte) if cte == id).then_some(column)
}

/// The column is compared with a literal, and each round steps it towards that by a literal.
fn counts(find: &mut Find<'_, '_, '_>, term: &Level<'_>, counter: ExprId, bound: ExprId, step: &str) -> bool {
    let (tree, id) = (find.tree, find.id);
    let Some(column) = own_column(tree, id, counter) else { return false };
    // Nothing counts down from infinity, or up to it.
    if !is_literal(tree, bound)
        || !steps::is_bound(find.known, tree, bound)
        || !find.starts.iter().all(|arm| steps::is_start(find.known.output(*arm, column)))
    {
        return false;
    }
    let Some(mut output) = term.outputs.get(column as usize).and_then(|output| output.expr) else { return false };
    let mut casts = Vec::new();
    while let ExprKind::Cast(inner, ty) = tree.expr(output).kind {
        casts.push(ty);
        output = inner;
    }
    let ExprKind::Binary(operator, left, right) = tree.expr(output).kind else { return false };
    let steps = |column_side, literal_side| {
        own_column(tree, id, column_side) == Some(column)
            && steps::step(find.known, tree, literal_side).is_some_and(|step| casts.iter().all(|ty| step.survives(*ty)))
    };
    operator.is_builtin(step) && (steps(left, right) || (step == "+" && steps(right, left)))
}

fn is_literal(tree: &Tree<'_>, expr: ExprId) -> bool {
    match tree.expr(expr).kind {
        ExprKind::Integer(_) | ExprKind::Numeric(_) | ExprKind::String(_) | ExprKind::Bits => true,
        ExprKind::Cast(inner, _) => is_literal(tree, inner),
        _ => false,
    }
}
