//! FROM: tables, subqueries, functions and joins become relations, join tree nodes and names.

use pg_query::protobuf as pg;

use super::item::{Item, MergedColumn, Named, Sought};
use super::scope::Lookup;
use super::shape::{FromNode, Shape, select, shape, string};
use super::tree::{ExprId, ExprKind, Join, JoinId, JoinKind, Loc, Refused, Rel, RelId, RelKind};
use super::{Resolver, loc};
use crate::weaken::{Switch, weak};

impl<'a> Resolver<'a> {
    /// Resolves a FROM clause into the current scope.
    pub(super) fn resolve_from(&mut self, nodes: &'a [pg::Node]) -> Vec<JoinId> {
        let mut from = Vec::with_capacity(nodes.len());
        for node in nodes {
            let (join, mut items) = self.item(node);
            set_lateral(&mut items, true, true);
            self.items(|all| all.append(&mut items));
            from.push(join);
        }
        self.items(|all| set_lateral(all, false, true));
        from
    }

    /// Changes the namespace being built.
    fn items<T: Default>(&mut self, change: impl FnOnce(&mut Vec<Item<'a>>) -> T) -> T {
        self.scopes.last_mut().map(|scope| change(&mut scope.items)).unwrap_or_default()
    }

    fn item(&mut self, node: &'a pg::Node) -> (JoinId, Vec<Item<'a>>) {
        match shape(node) {
            Shape::From(FromNode::RangeVar(var)) => self.range_var(var),
            Shape::From(FromNode::RangeSubselect(subselect)) => self.range_subselect(subselect),
            Shape::From(FromNode::RangeFunction(function)) => self.range_function(function),
            Shape::From(FromNode::JsonTable(table)) => self.json_table(table),
            Shape::From(FromNode::JoinExpr(join)) => self.join(join),
            Shape::From(FromNode::RangeTableSample(sample)) => {
                let pg::RangeTableSample { relation, method: _, args: _, repeatable: _, location } = sample;
                self.refuse(loc(*location), Refused::Unsupported("TABLESAMPLE"));
                match relation.as_deref() {
                    Some(relation) => self.item(relation),
                    None => self.refused_item(None),
                }
            }
            Shape::From(FromNode::RangeTableFunc(xml)) => {
                self.refuse(loc(xml.location), Refused::Unsupported("XMLTABLE"));
                self.refused_item(xml.alias.as_ref())
            }
            Shape::Expr(_) | Shape::Clause(_) | Shape::Write(_) | Shape::Other => {
                self.refuse(None, Refused::Unsupported("an item in FROM"));
                self.refused_item(None)
            }
        }
    }

    fn refused_item(&mut self, alias: Option<&'a pg::Alias>) -> (JoinId, Vec<Item<'a>>) {
        self.leaf(RelKind::Unknown, alias, "", None)
    }

    /// Adds a relation under its alias, or under `name`.
    pub(super) fn leaf(
        &mut self,
        kind: RelKind<'a>,
        alias: Option<&'a pg::Alias>,
        name: &'a str,
        at: Loc,
    ) -> (JoinId, Vec<Item<'a>>) {
        let written = alias.map(|pg::Alias { aliasname, colnames }| (&**aliasname, colnames));
        let kind = self.counted(kind, at);
        let rel = RelId(super::index(self.tree.rels.len()));
        let names: Vec<&'a str> =
            written.map(|(_, names)| names.iter().filter_map(string).collect()).unwrap_or_default();
        let alias = written.map_or(name, |(alias, _)| alias);
        let level = self.level_id();
        self.tree.rels.push(Rel { level, kind, alias, has_alias: written.is_some(), names: Vec::new(), loc: at });
        if !names.is_empty() {
            self.rename(rel, names, alias, at);
        }
        let join = self.join_node(Join::Leaf(rel));
        (join, vec![self.item_of(alias, rel)])
    }

    /// Counts a relation. Past the policy's limit names in it are judged no further.
    fn counted(&mut self, kind: RelKind<'a>, at: Loc) -> RelKind<'a> {
        if matches!(kind, RelKind::Derived(_)) {
            return kind;
        }
        self.relations += 1;
        let most = self.policy().limits.max_relations;
        if self.relations <= most {
            return kind;
        }
        if self.relations == most + 1 {
            self.refuse(at, Refused::Relations);
        }
        RelKind::Unknown
    }

    /// Applies an alias column list.
    fn rename(&mut self, rel: RelId, names: Vec<&'a str>, alias: &'a str, at: Loc) {
        let Some(found) = self.tree.rel(rel) else { return };
        match found.kind {
            RelKind::Table(_) => {
                self.refuse(at, Refused::AliasColumns(alias));
                if let Some(rel) = self.tree.rels.get_mut(rel.at()) {
                    // Which column each new name is, only the server knows: no name in it can be judged.
                    rel.kind = RelKind::Unknown;
                }
            }
            RelKind::Derived(_) | RelKind::Cte(_) | RelKind::SelfRef(_) => {
                if let Some(level) = self.tree.source_level(rel) {
                    self.need_positions(level, names.len());
                }
                if let Some(rel) = self.tree.rels.get_mut(rel.at()) {
                    rel.names = names;
                }
            }
            RelKind::Function { .. } => {
                if let Some(rel) = self.tree.rels.get_mut(rel.at()) {
                    rel.names = names;
                }
            }
            RelKind::Unknown => {}
        }
    }

    fn join_node(&mut self, join: Join) -> JoinId {
        let id = JoinId(super::index(self.tree.joins.len()));
        self.tree.joins.push(join);
        id
    }

    fn range_var(&mut self, var: &'a pg::RangeVar) -> (JoinId, Vec<Item<'a>>) {
        let kind = self.relation(var);
        self.leaf(kind, var.alias.as_ref(), &var.relname, loc(var.location))
    }

    fn range_subselect(&mut self, node: &'a pg::RangeSubselect) -> (JoinId, Vec<Item<'a>>) {
        let pg::RangeSubselect { lateral, subquery, alias } = node;
        let Some(query) = subquery.as_deref().and_then(select) else {
            self.refuse(None, Refused::Unsupported("a subquery in FROM that is no SELECT"));
            return self.refused_item(alias.as_ref());
        };
        let level = self.with_lateral(*lateral, |this| this.select(query));
        let at = self.tree.level(level).and_then(|level| level.loc);
        self.leaf(RelKind::Derived(level), alias.as_ref(), "", at)
    }

    /// Resolves something that sees the items to its left (LATERAL), or doesn't.
    pub(super) fn with_lateral<T>(&mut self, lateral: bool, inside: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.scopes.last_mut().map(|scope| std::mem::replace(&mut scope.lateral, lateral));
        let result = inside(self);
        if let (Some(scope), Some(before)) = (self.scopes.last_mut(), before) {
            scope.lateral = before;
        }
        result
    }

    /// A join. The left spine is walked by a loop: chains are long, and one level of nesting.
    fn join(&mut self, top: &'a pg::JoinExpr) -> (JoinId, Vec<Item<'a>>) {
        let mut spine = vec![top];
        let mut first = top.larg.as_deref();
        while let Some(Shape::From(FromNode::JoinExpr(left))) = first.map(shape) {
            spine.push(left);
            first = left.larg.as_deref();
        }
        let (mut left, mut items) = match first {
            Some(node) => self.item(node),
            None => self.refused_item(None),
        };
        for join in spine.into_iter().rev() {
            (left, items) = self.join_one(join, left, items);
        }
        (left, items)
    }

    fn join_one(
        &mut self,
        node: &'a pg::JoinExpr,
        left: JoinId,
        mut left_items: Vec<Item<'a>>,
    ) -> (JoinId, Vec<Item<'a>>) {
        let pg::JoinExpr {
            jointype,
            is_natural,
            larg: _,
            rarg,
            using_clause,
            join_using_alias,
            quals,
            alias,
            rtindex: _,
        } = node;
        let kind = self.join_kind(*jointype);
        set_lateral(&mut left_items, true, matches!(kind, JoinKind::Inner | JoinKind::Left));
        let base = self.items(|all| {
            let base = all.len();
            all.append(&mut left_items);
            base
        });
        let (right, mut right_items) = match rarg.as_deref() {
            Some(node) => self.nested(None, None, |this| Some(this.item(node))),
            None => None,
        }
        .unwrap_or_else(|| self.refused_item(None));
        let mut left_items = self.items(|all| all.split_off(base.min(all.len())));
        set_lateral(&mut left_items, false, true);

        let (mut left_live, mut right_live) = (live(&mut left_items), live(&mut right_items));
        let names = if *is_natural {
            self.common_names(&left_live, &right_live)
        } else {
            // USING: the order that is written.
            using_clause.iter().filter_map(string).map(|name| (name, false)).collect()
        };
        let near = self.leftmost_loc(right);
        let (using, merged) = self.merge(kind, &names, &mut left_live, &mut right_live, near);
        let mut items = Vec::with_capacity(left_items.len() + right_items.len() + 1);
        if !merged.is_empty() {
            items.push(Item::merged("", merged.clone(), true));
        }
        items.append(&mut left_items);
        items.append(&mut right_items);

        let on = quals.as_deref().map(|quals| {
            // ON sees the two sides of its join, never the comma siblings.
            let own = items.len();
            let mut siblings = self.items(|all| std::mem::replace(all, std::mem::take(&mut items)));
            if weak(Switch::OnSeesSiblings) {
                set_lateral(&mut siblings, false, true);
                self.items(|all| all.append(&mut siblings));
            }
            let on = self.expr(quals);
            items = self.items(std::mem::take);
            siblings.extend(items.split_off(own.min(items.len())));
            self.items(|all| *all = siblings);
            on
        });
        let join = self.join_node(Join::Node { kind, left, right, on, using });
        if let Some(pg::Alias { aliasname, colnames: _ }) = join_using_alias {
            items.push(Item::merged(aliasname, merged, false));
        }
        match alias {
            Some(alias) => (join, self.join_alias(alias, items, near)),
            None => (join, items),
        }
    }

    fn join_kind(&mut self, kind: i32) -> JoinKind {
        match pg::JoinType::try_from(kind) {
            Ok(pg::JoinType::JoinInner) => JoinKind::Inner,
            Ok(pg::JoinType::JoinLeft) => JoinKind::Left,
            Ok(pg::JoinType::JoinRight) => JoinKind::Right,
            Ok(pg::JoinType::JoinFull) => JoinKind::Full,
            Ok(
                pg::JoinType::Undefined
                | pg::JoinType::JoinSemi
                | pg::JoinType::JoinAnti
                | pg::JoinType::JoinRightSemi
                | pg::JoinType::JoinRightAnti
                | pg::JoinType::JoinUniqueOuter
                | pg::JoinType::JoinUniqueInner,
            )
            | Err(_) => {
                self.refuse(None, Refused::Unsupported("a kind of join"));
                JoinKind::Full
            }
        }
    }

    /// `(… JOIN …) AS name`, with or without a column list: takes the old names away.
    fn join_alias(&mut self, alias: &'a pg::Alias, items: Vec<Item<'a>>, near: Loc) -> Vec<Item<'a>> {
        let pg::Alias { aliasname, colnames } = alias;
        let names: Vec<&'a str> = colnames.iter().filter_map(string).collect();
        if names.is_empty() {
            return vec![Item::join(aliasname, items)];
        }
        let mut columns = Vec::new();
        for item in items.iter().filter(|item| item.bare) {
            self.refuse_unstarred(item);
            self.columns_of_item(item, near, &mut columns);
        }
        let holds_table = columns.iter().any(|column| match column.kind {
            Some(ExprKind::Column(rel, _)) => {
                matches!(self.tree.rel(rel).map(|rel| &rel.kind), Some(RelKind::Table(_) | RelKind::Unknown))
            }
            Some(_) => false,
            None => true,
        });
        let mut rels = Vec::new();
        items.iter().filter(|item| item.bare).for_each(|item| item.rels(&mut rels));
        let open = rels.iter().any(|rel| self.tree.is_open(*rel));
        if holds_table || open {
            self.refuse(near, Refused::AliasColumns(aliasname));
            let (_, items) = self.leaf(RelKind::Unknown, None, aliasname, near);
            return items;
        }
        if columns.iter().take(names.len()).any(|column| column.unordered.is_some()) {
            self.refuse(near, Refused::StarPosition);
        }
        let named = columns.iter().enumerate().filter_map(|(at, column)| {
            let name = names.get(at).copied().unwrap_or(column.name);
            Some(MergedColumn { name, kind: column.kind?, unordered: column.unordered.is_some() })
        });
        vec![Item::merged(aliasname, named.collect(), true)]
    }

    /// The columns that both sides of a NATURAL JOIN have.
    fn common_names(&mut self, left: &[&mut Item<'a>], right: &[&mut Item<'a>]) -> Vec<(&'a str, bool)> {
        for item in left.iter().chain(right) {
            self.refuse_unstarred(item);
        }
        let side = |items: &[&mut Item<'a>]| {
            let (mut columns, mut open) = (Vec::new(), false);
            for item in items {
                open |= self.may_hold_more(item);
                self.columns_of_item(item, None, &mut columns);
            }
            columns.retain(|column| column.kind.is_some() || !weak(Switch::Natural));
            (columns, open)
        };
        let (left_columns, left_open) = side(left);
        let (right_columns, right_open) = side(right);
        if (left_open || right_open) && !weak(Switch::Natural) {
            let near =
                right.iter().find_map(|item| item.rel()).and_then(|rel| self.tree.rel(rel)).and_then(|rel| rel.loc);
            self.refuse(near, Refused::Natural);
        }
        let mut common: Vec<(&'a str, bool)> = Vec::new();
        for column in left_columns {
            let is_common = right_columns.iter().any(|other| other.name == column.name);
            if is_common && !common.iter().any(|(name, _)| *name == column.name) {
                // The order is that of the left side. (One column alone has no order.)
                common.push((column.name, column.unordered.is_some()));
            }
        }
        if common.len() == 1 {
            common.iter_mut().for_each(|(_, unordered)| *unordered = false);
        }
        common
    }

    /// A star leaves out the columns of SEARCH and CYCLE below the level of their WITH; NATURAL and alias lists count them.
    fn refuse_unstarred(&mut self, item: &Item<'a>) {
        let mut rels = Vec::new();
        item.rels(&mut rels);
        for rel in rels {
            if self.tree.column_name(rel, self.tree.star_width(rel)).is_some() {
                let at = self.tree.rel(rel).and_then(|rel| rel.loc);
                self.refuse(at, Refused::Unsupported("NATURAL or an alias list over the columns of SEARCH or CYCLE"));
            }
        }
    }

    fn may_hold_more(&self, item: &Item<'a>) -> bool {
        match &item.what {
            Named::Rel(rel) => {
                self.tree.is_open(*rel) && !matches!(self.tree.rel(*rel).map(|rel| &rel.kind), Some(RelKind::Unknown))
            }
            Named::Join(items) => items.iter().any(|item| self.may_hold_more(item)),
            Named::Merged(_) => false,
        }
    }

    /// Merges the columns of USING and NATURAL: reads them on both sides, takes them away as bare names.
    fn merge<'i>(
        &mut self,
        kind: JoinKind,
        names: &[(&'a str, bool)],
        left: &mut [&'i mut Item<'a>],
        right: &mut [&'i mut Item<'a>],
        near: Loc,
    ) -> (Vec<(ExprId, ExprId)>, Vec<MergedColumn<'a>>) {
        let (mut pairs, mut merged) = (Vec::with_capacity(names.len()), Vec::with_capacity(names.len()));
        for (name, unordered) in names.iter().copied() {
            let on_left = self.using_operand(left, name, near);
            let on_right = self.using_operand(right, name, near);
            let sought = Sought::new(name);
            for item in left.iter_mut().chain(right.iter_mut()) {
                if item.may_show(sought) && !matches!(self.column_in(item, name), Lookup::Missing) {
                    item.merged_away.push(name);
                    self.note_spent(item);
                }
            }
            merged.push(MergedColumn { name, kind: ExprKind::Merged(kind, on_left, on_right), unordered });
            pairs.push((on_left, on_right));
        }
        (pairs, merged)
    }

    /// One side of a USING column.
    fn using_operand(&mut self, items: &[&mut Item<'a>], name: &'a str, near: Loc) -> ExprId {
        let scope = self.scopes.len().saturating_sub(1);
        let what = match self.bare_in(items.iter().map(|item| &**item), name) {
            Lookup::Bound(kind) => return self.use_column(kind, scope, near),
            Lookup::Silent => return self.push(ExprKind::Unknown, None),
            Lookup::Hidden(rel) => Refused::Column(name.to_owned(), Some(rel)),
            Lookup::System => Refused::SystemColumn(name),
            Lookup::Several(qualifiers) => Refused::Ambiguous(name, qualifiers),
            Lookup::Missing | Lookup::MayCapture | Lookup::MaybeMissing => Refused::Column(name.to_owned(), None),
        };
        let at = self.name_after(near, name);
        self.refuse_expr(at, what)
    }

    /// Where the first relation of a join tree stands.
    fn leftmost_loc(&self, join: JoinId) -> Loc {
        let mut join = join;
        loop {
            match self.tree.joins.get(join.at())? {
                Join::Leaf(rel) => return self.tree.rel(*rel)?.loc,
                Join::Node { left, .. } => join = *left,
            }
        }
    }
}

/// The items that still have columns without a qualifier: chains of thousands of joins leave thousands without.
fn live<'i, 'a>(items: &'i mut [Item<'a>]) -> Vec<&'i mut Item<'a>> {
    items.iter_mut().filter(|item| item.bare && !item.spent).collect()
}

fn set_lateral(items: &mut [Item<'_>], only: bool, ok: bool) {
    for item in items {
        item.lateral_only = only;
        item.lateral_ok = ok;
    }
}
