//! Inputs beyond the corpus: hostile bytes, Unicode, limits, contexts and documents, the same for the same seed.
//!
//! Receives the corpus and a seed, returns rows whose answers are those of the Rust API in this run. What they show is that
//! every language gives those answers, not that they are right: that is the corpus' part.

mod context;
mod depth;
mod dice;
mod document;
mod text;

use std::collections::BTreeMap;

use haltsql::boundary::{self, DocumentFormat};
use haltsql::{Context, Policy};

use crate::rows::{Row, Set, Task};
use crate::runner::{cut, format_of, spell};
use dice::Dice;

/// How many there are unless a caller asks for another number.
pub const USUAL_COUNT: usize = 10_000;

/// What inputs are made from.
struct Material<'a> {
    cases: &'a Set,
    /// By name.
    policies: &'a [(String, Vec<u8>)],
}

/// `count` rows from the corpus and a seed.
///
/// # Errors
/// A policy of the corpus does not load, or the verifier itself failed on an input.
pub fn rows(cases: &Set, policies: &[(String, Vec<u8>)], seed: u64, count: usize) -> Result<Set, String> {
    let material = Material { cases, policies };
    let mut judge = Judge::default();
    let mut rows = Vec::with_capacity(count);
    for number in 0..count {
        let mut dice = Dice::new(seed, number);
        let (kind, task) = match dice.below(100) {
            0..60 => ("mutated", material.mutated(&mut dice)?),
            60..72 => ("unicode", material.unicode(&mut dice)?),
            72..84 => ("context", material.context(&mut dice)?),
            84..90 => ("depth", material.with_sql(&mut dice, depth::text)?),
            90..93 => ("size", material.size(&mut dice)?),
            _ => ("document", document::task(policies, &mut dice)?),
        };
        let expected = judge.expect(&material, &task)?;
        let id = format!("{kind}-{seed}-{number}");
        if expected.contains("\"E_INTERNAL\"") {
            return Err(format!("{id}: the verifier failed: {expected}"));
        }
        rows.push(Row { id, task, expected });
    }
    Ok(Set::of("generated", rows))
}

impl Material<'_> {
    /// A case's policy and context.
    fn case(&self, dice: &mut Dice) -> Result<(String, Vec<u8>, Vec<u8>), String> {
        match dice.one_of(&self.cases.rows).map(|row| &row.task) {
            Some(Task::Check { policy, context, sql }) => Ok((policy.clone(), context.clone(), sql.clone())),
            Some(Task::Load { .. }) | None => Err("the corpus has no case to start from".to_owned()),
        }
    }

    /// A case, its text changed in a few places.
    fn mutated(&self, dice: &mut Dice) -> Result<Task, String> {
        let (policy, context, sql) = self.case(dice)?;
        let (_, _, other) = self.case(dice)?;
        Ok(Task::Check { policy, context, sql: text::mutated(sql, &other, dice) })
    }

    fn unicode(&self, dice: &mut Dice) -> Result<Task, String> {
        self.with_sql(dice, text::unicode)
    }

    fn with_sql(&self, dice: &mut Dice, sql: impl FnOnce(&mut Dice) -> Vec<u8>) -> Result<Task, String> {
        let (policy, context, _) = self.case(dice)?;
        Ok(Task::Check { policy, context, sql: sql(dice) })
    }

    /// A case with another context.
    fn context(&self, dice: &mut Dice) -> Result<Task, String> {
        let (policy, context, sql) = self.case(dice)?;
        Ok(Task::Check { policy, context: context::changed(context, dice), sql })
    }

    /// A text around the size that a policy allows.
    fn size(&self, dice: &mut Dice) -> Result<Task, String> {
        let (_, context, _) = self.case(dice)?;
        Ok(Task::Check { policy: "limits-size".to_owned(), context, sql: text::of_size(dice.between(60, 68), dice) })
    }

    fn policy(&self, name: &str) -> Result<Policy, String> {
        let document = self.policies.iter().find(|(own, _)| own == name).map(|(_, document)| document);
        let document = document.ok_or_else(|| format!("there is no policy {name}"))?;
        Policy::parse(document, haltsql::Format::Yaml).map_err(|problem| format!("{name}: {problem}"))
    }
}

/// Answers by the Rust API itself, not by what other languages go through.
#[derive(Default)]
struct Judge {
    policies: BTreeMap<String, Policy>,
}

impl Judge {
    fn expect(&mut self, material: &Material<'_>, task: &Task) -> Result<String, String> {
        match task {
            Task::Check { policy, context, sql } => {
                if !self.policies.contains_key(policy) {
                    self.policies.insert(policy.clone(), material.policy(policy)?);
                }
                let policy = self.policies.get(policy).ok_or("a policy is gone")?;
                let context = std::str::from_utf8(context).ok().and_then(|context| Context::from_json(context).ok());
                let code = boundary::ErrorCode::Context;
                Ok(context.map_or_else(
                    || spell(&boundary::Error::new(code, "no context")),
                    |context| cut(&policy.check(sql, &context).to_json()).to_owned(),
                ))
            }
            Task::Load { format, name, document } => {
                let format: DocumentFormat = format_of(format)?;
                let name = String::from_utf8_lossy(name);
                let loaded = Policy::parse(document, format.of(document, &name));
                let code = boundary::ErrorCode::Policy;
                Ok(loaded.map_or_else(
                    |_| spell(&boundary::Error::new(code, "no policy")),
                    |policy| policy.version().to_owned(),
                ))
            }
        }
    }
}
