//! What each `$n` is: the value of a tenant key, and where else it stands.
//!
//! `$n` takes its type from its first occurrence anywhere in the statement, so a `$n` that carries a tenant key may stand
//! only where that type is the key's own.

use std::collections::{BTreeMap, BTreeSet};

use crate::context::Values;
use crate::policy::KeyType;
use crate::resolve::tree::{Body, ExprId, ExprKind, Loc, Tree, Value};

use super::caller::{Caller, CallerKey};
use super::columns::Columns;
use super::forms::{Form, Params};
use super::{value, writes};
use crate::weaken::{Switch, weak};

/// What the caller must bind to one `$n`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindParam {
    /// The number in `$n`.
    pub param: u32,
    /// The value, as text.
    pub value: BindValue,
    /// The key's type: `text`, `uuid`, `integer`, with `[]` for arrays.
    pub ty: &'static str,
}

/// A value to bind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BindValue {
    /// For `= $n` and the like.
    One(String),
    /// For `= ANY($n)`; sorted bytewise, unique.
    Many(Vec<String>),
}

/// The findings about parameters.
#[derive(Debug, Default)]
pub struct ParamFacts {
    /// By number: which key it carries, and whether as an array, where its uses agree.
    pub carried: BTreeMap<u32, Carried>,
    /// Parameters whose uses do not agree, or that stand where their type is not certain.
    pub conflicts: Vec<Conflict>,
    /// Parameters that carry no key: number, first place.
    pub unbound: Vec<(u32, Loc)>,
    /// Parameters that stand for one value where the context has several: number, first place.
    pub too_small: Vec<(u32, Loc)>,
    /// The lowest numbers that no parameter has, as many as the policy has keys.
    pub free: Vec<u32>,
}

/// What a parameter carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// The key, by its position in the policy.
    pub key: usize,
    /// As an array.
    pub array: bool,
}

/// A use of a parameter that does not go with the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The number in `$n`.
    pub number: u32,
    /// Where that use stands.
    pub loc: Loc,
    /// What is wrong with it.
    pub kind: ConflictKind,
}

/// See [`Conflict`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConflictKind {
    /// It is compared with two different keys.
    TwoKeys,
    /// It is a value in one place and an array in another.
    ValueAndArray,
    /// It stands where its type is not certain to be the key's.
    Elsewhere,
}

/// Where one occurrence of a parameter stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Tenancy(Carried),
    /// Under a cast to the declared type of keys of this type, or its array, in an output.
    Output {
        ty: KeyType,
        array: bool,
    },
}

/// Finds out what each parameter is.
pub fn params(columns: &mut Columns<'_, '_>) -> ParamFacts {
    let tree = columns.tree;
    let has_params = tree.exprs.iter().any(|expr| matches!(expr.kind, ExprKind::Param(_)));
    if !has_params {
        let free = (1..).take(columns.caller.keys.len()).collect();
        return ParamFacts { free, ..ParamFacts::default() };
    }
    let mut uses: Vec<Option<Use>> = vec![None; tree.exprs.len()];
    if columns.caller.bound {
        tenancy_uses(columns, &mut uses);
        for (param, carried) in writes::value_uses(columns) {
            if let Some(slot) = uses.get_mut(param.at()) {
                *slot = Some(Use::Tenancy(carried));
            }
        }
        output_uses(columns, &mut uses);
    }
    judge(tree, columns.caller, &columns.linked, &uses)
}

/// Whether a `$n` stands under a cast to a key's declared type somewhere: only then can it feed a column.
pub fn any_in_output(columns: &Columns<'_, '_>) -> bool {
    let tree = columns.tree;
    let is_declared = |at: u32| {
        let declared = |key: &CallerKey| value::declared_param(tree, ExprId(at), key.ty, false).is_some();
        columns.caller.keys.iter().any(declared)
    };
    columns.caller.bound && (0..u32::try_from(tree.exprs.len()).unwrap_or(0)).any(is_declared)
}

fn tenancy_uses(columns: &mut Columns<'_, '_>, uses: &mut [Option<Use>]) {
    let mut forms = Vec::new();
    for at in 0..columns.tree.exprs.len() {
        columns.forms(ExprId(u32::try_from(at).unwrap_or(u32::MAX)), &mut forms);
        for form in forms.drain(..) {
            let Form::Pin { column, params, .. } = form else { continue };
            let Some(key) = columns.all.get(column.at()).map(|column| column.key) else { continue };
            let (array, exprs) = match params {
                Params::None => continue,
                Params::One(exprs) => (false, exprs),
                Params::Array(expr) => (true, vec![expr]),
            };
            for expr in exprs {
                // A column that NULL alone feeds counts for every key: the first one will do.
                if let Some(slot @ None) = uses.get_mut(expr.at()) {
                    *slot = Some(Use::Tenancy(Carried { key, array }));
                }
            }
        }
    }
}

fn output_uses(columns: &Columns<'_, '_>, uses: &mut [Option<Use>]) {
    let tree = columns.tree;
    for level in &tree.levels {
        let outputs = level.outputs.iter().filter_map(|output| output.expr);
        let rows: &[_] = match &level.body {
            Body::Values { rows } => rows,
            Body::Select { .. } | Body::SetOp { .. } => &[],
        };
        let cells = rows.iter().flat_map(|row| tree.list(*row)).copied();
        for output in outputs.chain(cells) {
            mark_outputs(tree, columns.caller, output, uses);
        }
    }
    // What is written is an output as well.
    for set in tree.write.iter().flat_map(|write| &write.sets) {
        if let Value::Expr(expr) = set.value {
            mark_outputs(tree, columns.caller, expr, uses);
        }
    }
}

fn mark_outputs(tree: &Tree<'_>, caller: &Caller, expr: ExprId, uses: &mut [Option<Use>]) {
    for (ty, array) in caller.keys.iter().flat_map(|key| [(key.ty, false), (key.ty, true)]) {
        if let Some((_, param)) = value::declared_param(tree, expr, ty, array) {
            if let Some(slot @ None) = uses.get_mut(param.at()) {
                *slot = Some(Use::Output { ty, array });
            }
            return;
        }
    }
    tree.each_operand(expr, &mut |operand| mark_outputs(tree, caller, operand, uses));
}

fn judge(tree: &Tree<'_>, caller: &Caller, linked: &BTreeMap<u32, Carried>, uses: &[Option<Use>]) -> ParamFacts {
    let mut facts = ParamFacts { carried: linked.clone(), ..ParamFacts::default() };
    let occurrences = || {
        tree.exprs.iter().zip(uses).filter_map(|(expr, found)| match expr.kind {
            ExprKind::Param(number) => Some((number, expr.loc, *found)),
            _ => None,
        })
    };
    for (number, loc, found) in occurrences() {
        let Some(Use::Tenancy(carried)) = found else { continue };
        let first = *facts.carried.entry(number).or_insert(carried);
        if first != carried {
            let kind = if first.key == carried.key { ConflictKind::ValueAndArray } else { ConflictKind::TwoKeys };
            facts.conflicts.push(Conflict { number, loc, kind });
        }
    }
    let mut seen = BTreeSet::new();
    for (number, loc, found) in occurrences() {
        let first = seen.insert(number);
        let Some(carried) = facts.carried.get(&number) else {
            if first {
                facts.unbound.push((number, loc));
            }
            continue;
        };
        let key = caller.keys.get(carried.key);
        if first && !carried.array && key.is_some_and(CallerKey::is_plural) {
            facts.too_small.push((number, loc));
        }
        let own = key.map(|key| key.ty);
        let kind = match found {
            Some(Use::Tenancy(_)) => continue,
            Some(Use::Output { ty, array }) if Some(ty) == own && array == carried.array => continue,
            Some(Use::Output { ty, .. }) if Some(ty) == own => ConflictKind::ValueAndArray,
            Some(Use::Output { .. }) | None => ConflictKind::Elsewhere,
        };
        if !weak(Switch::ParamAnywhere) {
            facts.conflicts.push(Conflict { number, loc, kind });
        }
    }
    facts.free = (1..=u32::MAX).filter(|number| !seen.contains(number)).take(caller.keys.len()).collect();
    facts
}

impl ParamFacts {
    /// What to bind, by ascending number. Parameters in conflict, or whose key has no value, are left out.
    pub fn bind(&self, caller: &Caller) -> Vec<BindParam> {
        let mut bind = Vec::with_capacity(self.carried.len());
        let conflicts: BTreeSet<u32> = self.conflicts.iter().map(|conflict| conflict.number).collect();
        for (number, carried) in &self.carried {
            let conflict = conflicts.contains(number);
            let Some(key) = caller.keys.get(carried.key).filter(|_| !conflict) else { continue };
            let value = match (&key.values, carried.array) {
                (None, _) => continue,
                (Some(Values::One(value)), false) => BindValue::One(value.clone()),
                (Some(Values::One(value)), true) => BindValue::Many(vec![value.clone()]),
                (Some(Values::Many(values)), true) => BindValue::Many(values.clone()),
                (Some(Values::Many(values)), false) => match values.as_slice() {
                    [only] => BindValue::One(only.clone()),
                    _ => continue,
                },
            };
            let ty = match (key.ty, carried.array) {
                (ty, false) => ty.as_str(),
                (KeyType::Text, true) => "text[]",
                (KeyType::Uuid, true) => "uuid[]",
                (KeyType::Integer, true) => "integer[]",
            };
            bind.push(BindParam { param: *number, value, ty });
        }
        bind
    }
}
