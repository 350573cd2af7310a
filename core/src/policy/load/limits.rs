//! `spec.limits`: bounds on what a statement may ask for.

use super::super::document::Node;
use super::super::model::{Limits, Recursive};
use super::super::reader::{MAX_EXACT, Path, Reader};

/// `None`: at least one problem was added.
pub(super) fn read(node: &Node, path: &Path<'_>, reader: &mut Reader<'_>) -> Option<Limits> {
    let known = &[
        "max_sql_bytes",
        "max_relations",
        "max_depth",
        "require_limit",
        "max_limit",
        "cartesian",
        "recursive",
        "max_generated",
        "max_grouping_sets",
    ];
    let fields = reader.map(node, path, known)?;
    let mut limits = Limits::default();
    let numbers = [
        ("max_sql_bytes", &mut limits.max_sql_bytes),
        ("max_relations", &mut limits.max_relations),
        ("max_depth", &mut limits.max_depth),
        ("max_generated", &mut limits.max_generated),
        ("max_grouping_sets", &mut limits.max_grouping_sets),
    ];
    for (key, limit) in numbers {
        if let Some(value) = fields.get(key).and_then(|node| reader.positive(node, &path.key(key), MAX_EXACT)) {
            *limit = value;
        }
    }
    if let Some(node) = fields.get("max_limit").and_then(|node| reader.nullable(node)) {
        limits.max_limit = reader.positive(node, &path.key("max_limit"), MAX_EXACT);
    }
    if let Some(node) = fields.get("require_limit") {
        limits.require_limit = reader.boolean(node, &path.key("require_limit")).unwrap_or_default();
    }
    if let Some(node) = fields.get("cartesian") {
        let words = [("deny", true), ("allow", false)];
        limits.cartesian_denied = reader.choice(node, &path.key("cartesian"), &words).unwrap_or(true);
    }
    if let Some(node) = fields.get("recursive") {
        let words = [("deny", Recursive::Deny), ("bounded", Recursive::Bounded), ("allow", Recursive::Allow)];
        limits.recursive = reader.choice(node, &path.key("recursive"), &words).unwrap_or(Recursive::Deny);
    }
    Some(limits)
}
