//! `spec.tenancy`: the keys that scope rows to the caller.

use super::super::document::Node;
use super::super::model::{KeyType, Tenancy, TenancyMode, TenantKey};
use super::super::reader::{Path, Reader};

/// Every table is asked about every key.
const MAX_KEYS: usize = 16;

/// `None`: at least one problem was added.
pub(super) fn read(node: &Node, path: &Path<'_>, reader: &mut Reader<'_>) -> Option<Tenancy> {
    let fields = reader.map(node, path, &["mode", "keys"])?;
    let mode = match fields.get("mode") {
        Some(node) => {
            let words = [("bound", TenancyMode::Bound), ("literal", TenancyMode::Literal)];
            reader.choice(node, &path.key("mode"), &words)
        }
        None => Some(TenancyMode::Bound),
    };
    let node = reader.required(fields, path, "keys")?;
    let path = path.key("keys");
    let items = reader.list(node, &path)?;
    if items.is_empty() {
        reader.refuse(
            node.span,
            &path,
            "tenancy without a key scopes nothing",
            Some("leave `tenancy` out if no row belongs to anybody"),
        );
    }
    if items.len() > MAX_KEYS {
        reader.refuse(node.span, &path, format!("tenancy has more than {MAX_KEYS} keys"), None);
        return None;
    }
    let mut keys: Vec<TenantKey> = Vec::with_capacity(items.len());
    let mut whole = !items.is_empty();
    for (at, item) in items.iter().enumerate() {
        let path = path.index(at);
        match key(item, &path, reader) {
            Some(key) if keys.iter().any(|other| other.column == key.column) => {
                let message = format!("two keys stand in the column `{}`", key.column);
                reader.refuse(item.span, &path, message, Some("one key a column"));
                whole = false;
            }
            Some(key) => keys.push(key),
            None => whole = false,
        }
    }
    let mode = mode?;
    whole.then_some(Tenancy { mode, keys })
}

fn key(node: &Node, path: &Path<'_>, reader: &mut Reader<'_>) -> Option<TenantKey> {
    let fields = reader.map(node, path, &["column", "context", "type"])?;
    let column = reader.required(fields, path, "column");
    let column = column.and_then(|node| reader.name(node, &path.key("column")));
    let context = reader.required(fields, path, "context");
    let context = context.and_then(|node| reader.line(node, &path.key("context")));
    let ty = match fields.get("type") {
        Some(node) => {
            let words = [KeyType::Text, KeyType::Uuid, KeyType::Integer].map(|ty| (ty.as_str(), ty));
            reader.choice(node, &path.key("type"), &words)
        }
        None => Some(KeyType::Text),
    };
    Some(TenantKey { column: column?.value, context: context?.to_owned(), ty: ty? })
}
