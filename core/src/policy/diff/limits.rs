//! Changes of `spec.limits`.

use super::super::model::{Limits, Recursive};
use super::{Effect, Log};

pub(super) fn changes(old: &Limits, new: &Limits, log: &mut Log) {
    let Limits {
        max_sql_bytes,
        max_relations,
        max_depth,
        require_limit,
        max_limit,
        cartesian_denied,
        recursive,
        max_generated,
        max_grouping_sets,
    } = old;
    log.bound("spec.limits.max_sql_bytes", *max_sql_bytes, new.max_sql_bytes, "bytes of text");
    log.bound("spec.limits.max_relations", *max_relations, new.max_relations, "relations in a text");
    log.bound("spec.limits.max_depth", *max_depth, new.max_depth, "levels of nesting");
    let why = ["a text needs a LIMIT", "texts without a LIMIT may be allowed"];
    log.flag("spec.limits.require_limit", *require_limit, new.require_limit, Effect::Restricts, why);
    if *max_limit != new.max_limit {
        // `null` is no bound at all.
        let [before, now] = [max_limit, &new.max_limit].map(|limit| limit.unwrap_or(u64::MAX));
        let (effect, why) = if now > before {
            (Effect::Relaxes, "higher LIMITs may be allowed")
        } else {
            (Effect::Restricts, "high LIMITs are denied")
        };
        let word = |limit: Option<u64>| Some(limit.map_or_else(|| "null".to_owned(), |limit| limit.to_string()));
        log.add(effect, "spec.limits.max_limit", word(*max_limit), word(new.max_limit), why);
    }
    if *cartesian_denied != new.cartesian_denied {
        let word = |denied: bool| Some(if denied { "deny" } else { "allow" });
        let (effect, why) = if new.cartesian_denied {
            (Effect::Restricts, "tables that no condition ties are denied")
        } else {
            (Effect::Relaxes, "tables that no condition ties may be allowed")
        };
        log.add(effect, "spec.limits.cartesian", word(*cartesian_denied), word(new.cartesian_denied), why);
    }
    let width = |recursive: Recursive| match recursive {
        Recursive::Deny => (0, "deny"),
        Recursive::Bounded => (1, "bounded"),
        Recursive::Allow => (2, "allow"),
    };
    let ((before, before_word), (now, now_word)) = (width(*recursive), width(new.recursive));
    if before != now {
        let (effect, why) = if now > before {
            (Effect::Relaxes, "more forms of WITH RECURSIVE may be allowed")
        } else {
            (Effect::Restricts, "fewer forms of WITH RECURSIVE are allowed")
        };
        log.add(effect, "spec.limits.recursive", Some(before_word), Some(now_word), why);
    }
    log.bound("spec.limits.max_generated", *max_generated, new.max_generated, "rows or bytes from literals");
    log.bound("spec.limits.max_grouping_sets", *max_grouping_sets, new.max_grouping_sets, "grouping sets");
}
