//! A denied text's repairs: the stages of a check once more, for what its hints say as data.
//!
//! Receives what a check receives; returns repairs, none where the text is not a statement that could be resolved. Judges nothing: a
//! repaired text is another text, and has to be checked.

use crate::check::opened;
use crate::context::Context;
use crate::facts::Facts;
use crate::facts::caller::Caller;
use crate::fence::fence;
use crate::parse;
use crate::policy::Policy;
use crate::repair::Repair;
use crate::resolve;
use crate::resolve::shape::{Shape, shape};
use crate::rules;
use crate::text::{self, Source};

impl Policy {
    /// What would mend each reason of this text's verdict that insertions alone can mend: a tenant predicate, a LIMIT, a schema or an
    /// alias in front of a name. Empty for an allowed text.
    ///
    /// Repairs don't know of each other, and two may insert at one place: apply one, check, ask again. Costs a second check, which
    /// is why a verdict does not carry them.
    #[must_use]
    pub fn repairs(&self, sql: &[u8], context: &Context) -> Vec<Repair> {
        let Ok(source) = Source::new(sql, &self.limits) else { return Vec::new() };
        let found = fence(|| {
            text::run_with_stack(&source, || {
                let Ok(parsed) = parse::parse_source(&source) else { return Vec::new() };
                let statement = parsed.statement.stmt.as_deref().map_or(Shape::Other, shape);
                let Some(statement) = opened(self, statement, source.sql()).statement else { return Vec::new() };
                let caller = Caller::new(self, context);
                let tree = resolve::resolve(self, source.sql(), statement);
                rules::mend(&tree, &Facts::new(&tree, &caller), &caller)
            })
        });
        // FAIL-CLOSED: where the verifier itself failed, the text stays denied, and nothing mends it.
        found.ok().and_then(Result::ok).unwrap_or_default()
    }
}
