//! Tenancy comparisons: the forms in which an expression compares a tenant column (soundness.md, rules 3, 5 and 8).
//!
//! What is not listed here proves nothing.

use crate::resolve::tree::{ExprId, ExprKind, LevelId, SubqueryKind};

use super::columns::{ColumnId, Columns};
use super::value::{self, Quality, Value};
use crate::resolve::tree::Loc;
use crate::weaken::{Switch, weak};

/// One comparison of a tenant column.
#[derive(Debug)]
pub enum Form {
    /// With a value: true only if the column is one of them (and the caller's, if the quality is [`Quality::Own`]).
    Pin {
        /// The column.
        column: ColumnId,
        /// That of the worst value.
        quality: Quality,
        /// Where the worst value stands.
        loc: Loc,
        /// The `$n` that stand in it.
        params: Params,
    },
    /// With another tenant column of the same key.
    Equal(ColumnId, ColumnId),
    /// With an output of a subquery.
    InQuery(ColumnId, LevelId, usize),
}

/// The `$n` of a comparison.
#[derive(Debug)]
pub enum Params {
    /// None.
    None,
    /// As a single value, all of one number.
    One(Vec<ExprId>),
    /// As an array.
    Array(ExprId),
}

impl Columns<'_, '_> {
    /// The comparisons that an expression is, all of which it implies when it is true.
    pub fn forms(&mut self, expr: ExprId, out: &mut Vec<Form>) {
        let tree = self.tree;
        match tree.expr(expr).kind {
            ExprKind::Binary(operator, left, right) if operator.is_builtin("=") => self.equal(left, right, out),
            ExprKind::NotDistinct(true, left, right) => {
                self.pin(left, &[right], out);
                self.pin(right, &[left], out);
                if weak(Switch::NotDistinctCarries) {
                    self.columns_equal(left, right, out);
                }
            }
            ExprKind::InList(true, left, items) if weak(Switch::SwappedIn) => {
                for item in tree.list(items) {
                    self.pin(*item, &[left], out);
                }
            }
            ExprKind::InList(true, left, items) => self.in_list(left, tree.list(items), out),
            ExprKind::AnyArray(operator, all, left, array) if operator.is_builtin("=") => {
                self.any_array(all, left, array, out)
            }
            ExprKind::Subquery(SubqueryKind::Any(operator, test), level) if operator.is_builtin("=") => {
                self.in_query(test, level, out);
            }
            ExprKind::Like(operator, left, right) if weak(Switch::Like) && operator.name == "~~" => {
                self.pin(left, &[right], out);
            }
            _ => {}
        }
    }

    fn equal(&mut self, left: ExprId, right: ExprId, out: &mut Vec<Form>) {
        let tree = self.tree;
        match (tree.expr(left).kind, tree.expr(right).kind) {
            (ExprKind::Row(lefts), ExprKind::Row(rights)) if lefts.len == rights.len => {
                // Only the outer rows are taken apart; rows in them are compared as records, for which NULL equals NULL.
                for (left, right) in tree.list(lefts).iter().zip(tree.list(rights)) {
                    let is_row = |side: &ExprId| matches!(tree.expr(*side).kind, ExprKind::Row(_));
                    if !is_row(left) && !is_row(right) {
                        self.equal(*left, *right, out);
                    }
                }
            }
            (_, ExprKind::Subquery(SubqueryKind::Scalar, level)) => self.in_query(left, level, out),
            (ExprKind::Subquery(SubqueryKind::Scalar, level), _) => self.in_query(right, level, out),
            (_, _) => {
                self.pin(left, &[right], out);
                self.pin(right, &[left], out);
                self.columns_equal(left, right, out);
            }
        }
    }

    fn columns_equal(&mut self, left: ExprId, right: ExprId, out: &mut Vec<Form>) {
        for key in 0..self.caller.keys.len() {
            if let Some((left, left_cast)) = self.of_expr(left, key)
                && let Some((right, right_cast)) = self.of_expr(right, key)
                && left_cast == right_cast
            {
                out.push(Form::Equal(left, right));
            }
        }
    }

    /// `column = value`, or one of several values: each must be in one of rule 3's forms, or NULL.
    fn pin(&mut self, column: ExprId, values: &[ExprId], out: &mut Vec<Form>) {
        for key in 0..self.caller.keys.len() {
            let Some((column, under_cast)) = self.of_expr(column, key) else { continue };
            if let Some((quality, loc, params)) = self.values(key, values, under_cast) {
                out.push(Form::Pin { column, quality, loc, params });
            }
        }
    }

    fn values(&mut self, key: usize, values: &[ExprId], under_cast: bool) -> Option<(Quality, Loc, Params)> {
        let ty = self.caller.keys.get(key)?.ty;
        let (mut worst, mut params, mut number) = (None::<Value>, Vec::new(), None);
        for expr in values {
            if values.len() > 1 && matches!(self.tree.expr(*expr).kind, ExprKind::Null) {
                continue;
            }
            let Some(mut found) = value::value(self.tree, self.caller, key, *expr) else {
                if weak(Switch::AnyElement) {
                    continue;
                }
                return None;
            };
            // `uuid::text = '…'` compares text: with a literal it can run, with `$n` of the declared type it cannot.
            if under_cast && (self.caller.bound || found.param.is_some() || !self.is_string(*expr, ty)) {
                return None;
            }
            if let Some((own, expr)) = found.param {
                // All elements of one list are the same `$n`; another one has no value that is known to be the caller's.
                if *number.get_or_insert(own) == own {
                    params.push(expr);
                } else {
                    found.quality = Quality::Foreign;
                }
            }
            let worse = |worst: Value| (worst.quality < found.quality) != weak(Switch::AnyElement);
            if worst.is_none_or(worse) {
                worst = Some(found);
            }
        }
        let worst = worst?;
        let params = number.map_or(Params::None, |_| Params::One(params));
        Some((worst.quality, worst.loc, params))
    }

    fn is_string(&self, expr: ExprId, ty: crate::policy::KeyType) -> bool {
        value::strip_casts(self.tree, expr, crate::policy::KeyType::Text)
            .or_else(|| value::strip_casts(self.tree, expr, ty))
            .is_some_and(|(inner, _)| matches!(self.tree.expr(inner).kind, ExprKind::String(_)))
    }

    fn in_list(&mut self, left: ExprId, items: &[ExprId], out: &mut Vec<Form>) {
        let tree = self.tree;
        let ExprKind::Row(lefts) = tree.expr(left).kind else { return self.pin(left, items, out) };
        for (position, left) in tree.list(lefts).iter().enumerate() {
            let column: Option<Vec<ExprId>> = items
                .iter()
                .map(|item| match tree.expr(*item).kind {
                    ExprKind::Row(list) if list.len == lefts.len => tree.list(list).get(position).copied(),
                    _ => None,
                })
                .collect();
            if let Some(column) = column {
                self.pin(*left, &column, out);
            }
        }
    }

    fn any_array(&mut self, all: bool, left: ExprId, array: ExprId, out: &mut Vec<Form>) {
        for key in 0..self.caller.keys.len() {
            let Some((column, under_cast)) = self.of_expr(left, key) else { continue };
            let Some(ty) = self.caller.keys.get(key).map(|key| key.ty) else { continue };
            if let Some(elements) = value::array_elements(self.tree, ty, array) {
                // An empty array, or all of two, says nothing.
                if (!all || elements.len() == 1)
                    && let Some((quality, loc, params)) = self.values(key, elements, under_cast)
                {
                    out.push(Form::Pin { column, quality, loc, params });
                }
            } else if !all
                && !under_cast
                && let Some(found) = value::array_param(self.tree, self.caller, key, array)
                && let Some((_, expr)) = found.param
            {
                out.push(Form::Pin { column, quality: found.quality, loc: found.loc, params: Params::Array(expr) });
            }
        }
    }

    fn in_query(&mut self, test: ExprId, level: LevelId, out: &mut Vec<Form>) {
        let tree = self.tree;
        let tests: &[ExprId] = match tree.expr(test).kind {
            ExprKind::Row(list) => tree.list(list),
            _ => &[test],
        };
        for (position, test) in tests.iter().enumerate() {
            for key in 0..self.caller.keys.len() {
                if let Some((column, false)) = self.of_expr(*test, key)
                    && self.keys_of_output(level, position) & super::columns::bit(key) != 0
                {
                    out.push(Form::InQuery(column, level, position));
                }
            }
        }
    }
}
