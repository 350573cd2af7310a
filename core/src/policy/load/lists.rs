//! `spec.functions`, `spec.operators`, `spec.types`: what a policy allows by name.
//!
//! Returns names in their one spelling, sorted bytewise, unique. Which names a profile holds is the catalogue's business.

use std::collections::BTreeSet;

use super::super::defaults;
use super::super::document::Node;
use super::super::names;
use super::super::reader::{Fields, Path, Placed, Reader};
use crate::catalog::Lists;

/// The profiles of the product.
const PROFILES: &[&str] = &["core", "fuzzy", "postgis", "random", "text-search", "vector"];

pub(super) fn read(spec: Fields<'_>, path: &Path<'_>, search_path: Vec<String>, reader: &mut Reader<'_>) -> Lists {
    let mut lists = Lists {
        search_path,
        profiles: defaults::PROFILES.iter().map(|&name| name.to_owned()).collect(),
        functions_allow: Vec::new(),
        functions_deny: Vec::new(),
        operators_allow: Vec::new(),
        types_allow: Vec::new(),
        collations: Vec::new(),
    };
    if let Some(node) = spec.get("functions") {
        functions(node, &path.key("functions"), &mut lists, reader);
    }
    if let Some(node) = spec.get("operators") {
        let path = path.key("operators");
        if let Some(node) = reader.map(node, &path, &["allow"]).and_then(|fields| fields.get("allow")) {
            let operators = reader.each(node, &path.key("allow"), |reader, item, path| {
                let text = reader.line(item, path)?;
                reader.named(item.span, path, names::operator(text))
            });
            lists.operators_allow = set(operators);
        }
    }
    if let Some(node) = spec.get("types") {
        let path = path.key("types");
        if let Some(fields) = reader.map(node, &path, &["allow", "collations"]) {
            for (key, list) in [("allow", &mut lists.types_allow), ("collations", &mut lists.collations)] {
                if let Some(node) = fields.get(key) {
                    *list = set(objects(node, &path.key(key), reader).into_iter().map(|name| name.value));
                }
            }
        }
    }
    lists
}

fn functions(node: &Node, path: &Path<'_>, lists: &mut Lists, reader: &mut Reader<'_>) {
    let Some(fields) = reader.map(node, path, &["profiles", "allow", "deny"]) else { return };
    if let Some(node) = fields.get("profiles") {
        let profiles = reader.each(node, &path.key("profiles"), |reader, item, path| {
            let text = reader.line(item, path)?;
            if !PROFILES.contains(&text) {
                reader.unknown(item.span, path, "profile", text, PROFILES);
                return None;
            }
            Some(text.to_owned())
        });
        lists.profiles = set(profiles);
    }
    if let Some(node) = fields.get("allow") {
        lists.functions_allow = set(objects(node, &path.key("allow"), reader).into_iter().map(|name| name.value));
    }
    if let Some(node) = fields.get("deny") {
        let path = path.key("deny");
        let denied = objects(node, &path, reader);
        for Placed { value, span } in &denied {
            if lists.functions_allow.binary_search(value).is_ok() {
                let message = format!("the function `{value}` is both allowed and denied");
                reader.refuse(*span, &path, message, Some("keep it in one of the two lists"));
            }
        }
        lists.functions_deny = set(denied.into_iter().map(|name| name.value));
    }
}

fn objects(node: &Node, path: &Path<'_>, reader: &mut Reader<'_>) -> Vec<Placed<String>> {
    reader.each(node, path, |reader, item, path| {
        let text = reader.line(item, path)?;
        let value = reader.named(item.span, path, names::object(text))?;
        Some(Placed { value, span: item.span })
    })
}

fn set(names: impl IntoIterator<Item = String>) -> Vec<String> {
    names.into_iter().collect::<BTreeSet<_>>().into_iter().collect()
}
