//! The items of a namespace, and what keeps a look through thousands of them cheap: which names one can hold, and whether
//! USING has left it any.
//!
//! What is said here is only ever a reason not to look: an item that may hold a name is looked through by `scope`.

use super::Resolver;
use super::scope::is_system_column;
use super::tree::{ExprKind, RelId, RelKind};

/// One name in a namespace (`ParseNamespaceItem`).
pub(super) struct Item<'a> {
    /// What a qualifier must say; empty: nothing reaches it.
    pub name: &'a str,
    pub what: Named<'a>,
    /// Its columns are visible without a qualifier.
    pub bare: bool,
    /// It stands to the left in a FROM that is still being resolved.
    pub lateral_only: bool,
    /// A reference from the right is legal; false on the nullable left side of RIGHT and FULL joins.
    pub lateral_ok: bool,
    /// Names that USING merged away.
    pub merged_away: Vec<&'a str>,
    /// Every column is merged away: it has none left without a qualifier.
    pub spent: bool,
    /// The names that it may hold; any at all where nothing is known.
    names: Option<NameSet>,
}

/// What an item stands for.
pub(super) enum Named<'a> {
    Rel(RelId),
    /// `(… JOIN …) AS name`: all columns of what it joins.
    Join(Vec<Item<'a>>),
    /// The columns that USING or NATURAL merged.
    Merged(Vec<MergedColumn<'a>>),
}

/// A column that a join merged, or renamed.
#[derive(Clone, Copy)]
pub(super) struct MergedColumn<'a> {
    pub name: &'a str,
    pub kind: ExprKind<'a>,
    /// Its position among the others is not certain: NATURAL takes the order of the left side, which a policy doesn't know.
    pub unordered: bool,
}

/// A set of names that may be said to hold more than it does, never less: one bit for each of 64 classes of names.
#[derive(Clone, Copy, Default)]
struct NameSet(u64);

/// Names past this many would fill a [`NameSet`]: they are not collected.
const MOST_NAMES: usize = 48;

impl NameSet {
    fn of(names: impl Iterator<Item = impl AsRef<str>>) -> Option<Self> {
        let mut set = NameSet::default();
        for (count, name) in names.enumerate() {
            if count == MOST_NAMES {
                return None;
            }
            set.0 |= class(name.as_ref());
        }
        Some(set)
    }
}

/// FNV-1a, folded to six bits.
fn class(name: &str) -> u64 {
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    1 << ((hash ^ (hash >> 32)) % 64)
}

/// A name that is looked up, made ready for many items.
#[derive(Clone, Copy)]
pub(super) struct Sought<'n> {
    pub name: &'n str,
    class: u64,
}

impl<'n> Sought<'n> {
    pub fn new(name: &'n str) -> Self {
        // Every table has the system columns, and no set holds them.
        Sought { name, class: if is_system_column(name) { !0 } else { class(name) } }
    }
}

impl<'a> Item<'a> {
    fn new(name: &'a str, what: Named<'a>, bare: bool, names: Option<NameSet>) -> Self {
        Item { name, what, bare, lateral_only: false, lateral_ok: true, merged_away: Vec::new(), spent: false, names }
    }

    /// The merged columns of a join, or the renamed ones.
    pub fn merged(name: &'a str, columns: Vec<MergedColumn<'a>>, bare: bool) -> Self {
        let names = NameSet::of(columns.iter().map(|column| column.name));
        Self::new(name, Named::Merged(columns), bare, names)
    }

    /// `(… JOIN …) AS name`.
    pub fn join(name: &'a str, items: Vec<Item<'a>>) -> Self {
        Self::new(name, Named::Join(items), true, None)
    }

    /// The name may be that of a column here, visible without a qualifier.
    pub fn may_show(&self, sought: Sought<'_>) -> bool {
        self.bare
            && !self.spent
            && self.names.is_none_or(|NameSet(names)| sought.class == !0 || names & sought.class != 0)
            && !self.merged_away.contains(&sought.name)
    }

    pub fn rels(&self, out: &mut Vec<RelId>) {
        match &self.what {
            Named::Rel(rel) => out.push(*rel),
            Named::Join(items) => items.iter().filter(|item| item.bare).for_each(|item| item.rels(out)),
            Named::Merged(_) => {}
        }
    }

    pub fn holds(&self, rel: RelId) -> bool {
        match &self.what {
            Named::Rel(own) => *own == rel,
            Named::Join(items) => items.iter().any(|item| item.holds(rel)),
            Named::Merged(_) => false,
        }
    }
}

impl<'a> Resolver<'a> {
    /// The item of a relation.
    pub(super) fn item_of(&self, name: &'a str, rel: RelId) -> Item<'a> {
        let names = self
            .columns_are_known(rel)
            .then(|| NameSet::of((0..).map_while(|at| self.tree.column_name(rel, at))))
            .flatten();
        Item::new(name, Named::Rel(rel), true, names)
    }

    /// A name that is not among the relation's columns is in it nowhere.
    fn columns_are_known(&self, rel: RelId) -> bool {
        match self.tree.rel(rel).map(|rel| &rel.kind) {
            Some(RelKind::Table(_) | RelKind::Function { .. }) => !self.tree.is_open(rel),
            Some(RelKind::Derived(_) | RelKind::Cte(_)) => !self.tree.is_open(rel) && !self.refused_star(rel),
            // The level of a recursive CTE is not finished where it refers to itself.
            Some(RelKind::SelfRef(_) | RelKind::Unknown) | None => false,
        }
    }

    /// Notes whether USING has left an item no column. Counted first, so that an item is looked through once in its life.
    pub(super) fn note_spent(&self, item: &mut Item<'a>) {
        if self.columns_left(item) == Some(0) {
            let mut left = Vec::new();
            self.columns_of_item(item, None, &mut left);
            item.spent = left.is_empty();
        }
    }

    /// How many columns are not merged away; `None` where that isn't known, or a star doesn't cover them all.
    fn columns_left(&self, item: &Item<'a>) -> Option<usize> {
        let all = match &item.what {
            Named::Rel(rel) if self.columns_are_known(*rel) => {
                self.tree.width(*rel).filter(|width| *width <= self.tree.star_width(*rel))?
            }
            Named::Rel(_) => return None,
            Named::Join(items) => {
                items.iter().filter(|item| item.bare).map(|item| self.columns_left(item)).sum::<Option<usize>>()?
            }
            Named::Merged(columns) => columns.len(),
        };
        all.checked_sub(item.merged_away.len())
    }
}
