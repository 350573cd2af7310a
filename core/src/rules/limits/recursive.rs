//! `limits.recursive`: a recursion that the policy does not allow, or (bounded) one whose form does not end by itself.

use crate::facts::ties::ManyRows;
use crate::policy::Recursive;
use crate::reason::{Reason, ReasonCode};
use crate::resolve::tree::{Body, Cte, CteId, ExprId, ExprKind, Join, JoinKind, Level, RelId, RelKind, Tree};
use crate::rules::{Case, reason};

/// Adds a reason for each recursive CTE.
pub fn check(case: &Case<'_, '_>, out: &mut Vec<Reason>) {
    let tree = case.tree;
    let mode = tree.policy.limits.recursive;
    if !tree.ctes.iter().any(|cte| cte.recursive) {
        return;
    }
    let many = ManyRows::new(tree);
    for (id, cte) in (0..).zip(&tree.ctes) {
        if !cte.recursive
            || mode == Recursive::Allow
            || (mode == Recursive::Bounded && is_bounded(tree, &many, CteId(id), cte))
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

fn is_bounded(tree: &Tree<'_>, many: &ManyRows, id: CteId, cte: &Cte<'_>) -> bool {
    let Some(Body::SetOp { arms, last_is_union_distinct }) =
        cte.level.and_then(|level| tree.level(level)).map(|level| &level.body)
    else {
        return false;
    };
    let Some(term) = arms.last().and_then(|arm| tree.level(*arm)) else { return false };
    let computes = term.outputs.iter().any(|output| output.expr.is_none_or(|expr| !is_plain(tree, expr)));
    (*last_is_union_distinct && !computes)
        || conditions(tree, term).into_iter().any(|condition| bounds(tree, many, id, term, condition))
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

fn bounds(tree: &Tree<'_>, many: &ManyRows, id: CteId, term: &Level<'_>, condition: ExprId) -> bool {
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
    counts(tree, id, term, smaller, larger, "+") || counts(tree, id, term, larger, smaller, "-")
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
fn counts(tree: &Tree<'_>, id: CteId, term: &Level<'_>, counter: ExprId, bound: ExprId, step: &str) -> bool {
    let Some(column) = own_column(tree, id, counter) else { return false };
    if !is_literal(tree, bound) {
        return false;
    }
    let Some(mut output) = term.outputs.get(column as usize).and_then(|output| output.expr) else { return false };
    while let ExprKind::Cast(inner, _) = tree.expr(output).kind {
        output = inner;
    }
    let ExprKind::Binary(operator, left, right) = tree.expr(output).kind else { return false };
    let steps = |column_side, literal_side| {
        own_column(tree, id, column_side) == Some(column) && is_positive(tree, literal_side)
    };
    operator.is_builtin(step) && (steps(left, right) || (step == "+" && steps(right, left)))
}

fn is_literal(tree: &Tree<'_>, expr: ExprId) -> bool {
    match tree.expr(expr).kind {
        ExprKind::Integer(_) | ExprKind::Numeric(_) | ExprKind::Bits => true,
        // Nothing is reached at infinity.
        ExprKind::String(text) => !text.to_ascii_lowercase().contains("inf") && !text.eq_ignore_ascii_case("nan"),
        ExprKind::Cast(inner, _) => is_literal(tree, inner),
        _ => false,
    }
}

/// A literal above zero: a number, or an interval in words without a minus.
fn is_positive(tree: &Tree<'_>, expr: ExprId) -> bool {
    let has_digit = |text: &str| {
        text.bytes().any(|byte| (b'1'..=b'9').contains(&byte)) && !text.contains('-') && !text.contains("ago")
    };
    match tree.expr(expr).kind {
        ExprKind::Integer(number) => number > 0,
        ExprKind::Numeric(text) | ExprKind::String(text) => has_digit(text),
        ExprKind::Cast(inner, _) => is_positive(tree, inner),
        _ => false,
    }
}
