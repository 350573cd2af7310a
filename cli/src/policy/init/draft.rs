//! What goes into the policy, and what stays a comment and why.

use haltsql::{Policy, quote_ident};

use super::look::{Found, Listed};
use super::personal::looks_personal;
use super::tenancy::{Key, is_table, key_type};
use super::write;
use crate::policy::doctor::checks::views;
use crate::policy::doctor::facts::Column;

/// A policy to be written.
pub struct Draft {
    /// The policy's name.
    pub name: String,
    /// Where it comes from.
    pub database: String,
    /// The schema of unqualified names.
    pub search_path: Option<String>,
    /// The tenancy; `None`: rows belong to nobody.
    pub key: Option<Key>,
    /// How many tables there are, views left out.
    pub tables: usize,
    /// What is listed.
    pub entries: Vec<Entry>,
    /// What is not.
    pub left_out: Vec<LeftOut>,
}

/// A listed relation.
#[derive(Clone)]
pub struct Entry {
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// Its comment in the database.
    pub comment: Option<String>,
    /// Readable columns, in the order of the table.
    pub columns: Vec<Column>,
    /// Hidden columns with the reason.
    pub hidden: Vec<(String, &'static str)>,
    /// The key's own column, for `tenant: { key: column }`; empty without tenancy.
    pub key: String,
    /// How it carries the key.
    pub tenant: Tenant,
    /// What to know about it.
    pub notes: Vec<String>,
}

/// How a table carries the key.
#[derive(Clone, PartialEq, Eq)]
pub enum Tenant {
    /// There is no tenancy, or the default column carries it.
    Default,
    /// This column does.
    Column(String),
    /// It does not.
    Shared,
}

/// A relation that the policy does not list.
pub struct LeftOut {
    /// As SQL writes it.
    pub display: String,
    /// Why.
    pub why: String,
    /// What could stand in the policy if a person says so.
    pub entry: Option<Entry>,
}

/// Decides.
pub fn draft(found: Found, key: Option<Key>, name: Option<String>) -> Draft {
    let mut draft = Draft {
        name: name.unwrap_or_else(|| found.database.clone()),
        database: found.database.clone(),
        search_path: found.schemas.first().cloned(),
        tables: found.relations.iter().filter(|listed| is_table(listed)).count(),
        key,
        entries: Vec::new(),
        left_out: Vec::new(),
    };
    let mut views = Vec::new();
    for listed in &found.relations {
        if listed.relation.is_view() {
            views.push(listed);
        } else {
            let placed = table(listed, &found, draft.key.as_ref());
            draft.place(placed);
        }
    }
    take_views(&mut draft, views);
    draft
}

impl Draft {
    fn place(&mut self, placed: Placed) {
        match placed {
            Placed::Listed(entry) => self.entries.push(entry),
            Placed::LeftOut(left_out) => self.left_out.push(left_out),
        }
    }
}

/// Where a table goes.
enum Placed {
    Listed(Entry),
    LeftOut(LeftOut),
}

fn table(listed: &Listed, found: &Found, key: Option<&Key>) -> Placed {
    let display = display(listed);
    let refuse = |why: String, entry| Placed::LeftOut(LeftOut { display: display.clone(), why, entry });
    if listed.relation.kind == "m" {
        return refuse(
            "a materialised view is a copy that shows all rows to everybody who may read it".to_owned(),
            None,
        );
    }
    let odd = |name: &str| name.chars().any(|c| c.is_control() || matches!(c, '\u{feff}' | '\u{2028}' | '\u{2029}'));
    if [&listed.schema, &listed.name].into_iter().chain(listed.relation.columns.iter().map(|c| &c.name)).any(|n| odd(n))
    {
        return refuse("a name in it holds a control character".to_owned(), None);
    }
    let carrier = key.map(|key| carrier(listed, found, key));
    let tenant = match &carrier {
        None | Some(Carrier::Default) => Tenant::Default,
        Some(Carrier::Column(column)) => Tenant::Column(column.clone()),
        Some(Carrier::None | Carrier::WrongType(_)) => Tenant::Shared,
    };
    let entry = entry(listed, tenant, key);
    if entry.columns.is_empty() {
        return refuse("no column of it looks fit to be read".to_owned(), None);
    }
    match carrier {
        Some(Carrier::None) => {
            let why = format!(
                "it has no column `{}`. If every caller may see all its rows, take the # away",
                key.map_or("", |key| &key.column)
            );
            refuse(why, Some(entry))
        }
        Some(Carrier::WrongType(ty)) => {
            let key = key.map_or(("", ""), |key| (&key.column, key.ty));
            refuse(format!("its column `{}` is of type {ty}, which cannot carry a key of type {}", key.0, key.1), None)
        }
        Some(Carrier::Default | Carrier::Column(_)) | None => Placed::Listed(entry),
    }
}

enum Carrier {
    Default,
    Column(String),
    None,
    WrongType(String),
}

/// The column that carries the key: the key's own, or the one that the tenant columns of other tables refer to, as in a table of
/// tenants.
fn carrier(listed: &Listed, found: &Found, key: &Key) -> Carrier {
    if let Some(column) = listed.relation.column(&key.column) {
        return match key_type(column) {
            Some(ty) if ty == key.ty => Carrier::Default,
            Some(_) | None => Carrier::WrongType(column.type_text.clone()),
        };
    }
    let referred =
        found.foreign_keys.iter().find_map(|reference| match (&*reference.columns, &*reference.target_columns) {
            ([own], [other]) if reference.target == listed.relation.oid && *own == key.column => Some(other),
            _ => None,
        });
    let fits = |name: &&String| listed.relation.column(name).and_then(key_type) == Some(key.ty);
    referred.filter(fits).map_or(Carrier::None, |column| Carrier::Column(column.clone()))
}

fn entry(listed: &Listed, tenant: Tenant, key: Option<&Key>) -> Entry {
    let carrier = match &tenant {
        Tenant::Default => key.map(|key| &*key.column),
        Tenant::Column(column) => Some(&**column),
        Tenant::Shared => None,
    };
    let columns = &listed.relation.columns;
    let mut hidden: Vec<(String, &'static str)> = Vec::new();
    for column in columns.iter().filter(|column| Some(&*column.name) != carrier) {
        if looks_personal(&column.name, &column.type_name) {
            hidden.push((column.name.clone(), "looks personal or secret"));
        }
    }
    // One generated column may not read another, so once is enough.
    for column in columns.iter().filter(|column| Some(&*column.name) != carrier) {
        let is_hidden = |name: &String| hidden.iter().any(|(other, _)| other == name);
        if !is_hidden(&column.name) && column.generated_from.iter().any(is_hidden) {
            hidden.push((column.name.clone(), "computed from a hidden column"));
        }
    }
    let mut notes = Vec::new();
    if let Some(column) = carrier.and_then(|name| listed.relation.column(name)).filter(|_| is_table(listed)) {
        if !column.not_null {
            notes.push(format!(
                "{} may be NULL: such rows belong to nobody. `haltsql policy doctor` says how to mend it",
                column.name
            ));
        }
        if !column.deterministic {
            notes.push(format!(
                "{} has a collation that takes different values for equal: see `haltsql policy doctor`",
                column.name
            ));
        }
    }
    Entry {
        schema: listed.schema.clone(),
        name: listed.name.clone(),
        comment: listed.relation.comment.clone(),
        columns: columns
            .iter()
            .filter(|column| !hidden.iter().any(|(name, _)| *name == column.name))
            .cloned()
            .collect(),
        hidden,
        key: key.map_or_else(String::new, |key| key.column.clone()),
        tenant,
        notes,
    }
}

/// Views are taken in where a query over them proves what it reads, by the policy as it stands so far: a view over a view comes
/// after it.
fn take_views(draft: &mut Draft, mut views: Vec<&Listed>) {
    loop {
        let before = views.len();
        let mut waiting = Vec::new();
        for listed in views {
            match view(draft, listed) {
                Ok(entry) => draft.entries.push(entry),
                Err(why) => waiting.push((listed, why)),
            }
        }
        if waiting.len() == before || waiting.is_empty() {
            draft.left_out.extend(waiting.into_iter().map(|(listed, why)| LeftOut {
                display: display(listed),
                why,
                entry: None,
            }));
            return;
        }
        views = waiting.into_iter().map(|(listed, _)| listed).collect();
    }
}

/// The view's entry, or why it has none.
fn view(draft: &mut Draft, listed: &Listed) -> Result<Entry, String> {
    if !listed.relation.invoker {
        return Err(format!(
            "a view that reads with its owner's rights: ALTER VIEW {} SET (security_invoker = true)",
            display(listed)
        ));
    }
    let key = draft.key.as_ref();
    let tenant = match key.and_then(|key| Some((key, listed.relation.column(&key.column)?))) {
        Some((key, column)) if key_type(column) == Some(key.ty) => Tenant::Default,
        Some(_) => Tenant::Shared,
        None if key.is_some() => Tenant::Shared,
        None => Tenant::Default,
    };
    let entry = entry(listed, tenant, key);
    if entry.columns.is_empty() {
        return Err("no column of it looks fit to be read".to_owned());
    }
    draft.entries.push(entry.clone());
    let policy = Policy::from_yaml(&write::yaml(draft));
    draft.entries.pop();
    let policy = policy.map_err(|_| "a name in it cannot be written in a policy".to_owned())?;
    let assumed = policy.assumptions();
    let own = assumed.tables.iter().find(|table| table.schema == listed.schema && table.name == listed.name);
    let definition = listed.relation.definition.as_deref().unwrap_or_default();
    let refusals = own.map(|own| views::refusals(&policy, &assumed, own, definition)).unwrap_or_default();
    match refusals.first() {
        None => Ok(entry),
        Some(reason) => Err(format!("a view that reads what this policy does not open: {}", reason.message)),
    }
}

fn display(listed: &Listed) -> String {
    format!("{}.{}", quote_ident(&listed.schema), quote_ident(&listed.name))
}
