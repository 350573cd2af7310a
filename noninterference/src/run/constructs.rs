//! The constructs that have to occur, each among the allowed queries and among the denied ones.

use super::Subject;
use super::stats::{Stats, percent};

/// Where a construct can occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// In both.
    Both,
    /// It is a denial by itself.
    Denied,
}

/// A construct: its name, the generator's tags that are it, and where it can occur.
pub type Construct = (&'static str, &'static [&'static str], Where);

/// All of them.
pub const CONSTRUCTS: &[Construct] = &[
    ("inner join", &["join-inner"], Where::Both),
    ("left join", &["join-left"], Where::Both),
    ("right join", &["join-right"], Where::Both),
    ("full join", &["join-full"], Where::Both),
    ("cross join", &["join-cross"], Where::Both),
    ("comma", &["comma"], Where::Both),
    ("join of joins", &["join-bushy"], Where::Both),
    ("natural join", &["join-natural", "s-natural"], Where::Both),
    ("using", &["using"], Where::Both),
    ("using the key", &["using-key", "s-using-other-type", "s-merged-full"], Where::Both),
    ("merged column", &["merged-column", "s-merged-full", "s-using-other-type"], Where::Both),
    ("predicate in on", &["proof-in-on"], Where::Both),
    ("predicate in where", &["proof-in-where"], Where::Both),
    ("predicate in having", &["proof-in-having"], Where::Both),
    ("predicate in filter", &["filter-clause", "s-filter-clause"], Where::Both),
    ("under or", &["proof-or", "proof-or-same"], Where::Both),
    ("under and", &["proof-and"], Where::Both),
    ("under not", &["proof-not", "proof-not-not", "not"], Where::Both),
    ("under case", &["proof-case", "case"], Where::Both),
    ("swapped", &["pin-swapped"], Where::Both),
    ("cast", &["param-cast", "pin-column-cast", "closure-cast"], Where::Both),
    ("collated", &["key-output-collate", "collated", "nondeterministic-collation"], Where::Both),
    ("wrong alias, tenant or type", &["wrong-pin", "wrong-value", "closure-wrong-cast"], Where::Both),
    ("list or array", &["pin-list", "pin-any"], Where::Both),
    ("row comparison", &["pin-row", "closure-row"], Where::Both),
    ("equality chain", &["closure"], Where::Both),
    ("correlated", &["correlated"], Where::Both),
    ("lateral", &["lateral"], Where::Both),
    ("exists", &["exists", "pin-exists", "s-exists-union", "s-exists-in-on"], Where::Both),
    ("in (select)", &["in-subquery", "not-in-subquery", "pin-semijoin", "s-in-select"], Where::Both),
    ("any (select)", &["any-subquery"], Where::Both),
    ("scalar subquery", &["scalar-subquery"], Where::Both),
    ("cte", &["cte"], Where::Both),
    ("cte materialized", &["materialized"], Where::Both),
    ("cte twice", &["cte-twice"], Where::Both),
    ("cte shadows a table", &["cte-shadows-table", "s-cte-own-body", "s-cte-forward"], Where::Both),
    ("cte forward", &["cte-forward", "s-cte-forward"], Where::Both),
    ("recursion", &["recursion"], Where::Both),
    ("union", &["union"], Where::Both),
    ("union all", &["union-all"], Where::Both),
    ("intersect", &["intersect"], Where::Both),
    ("except", &["except"], Where::Both),
    ("branches of other types", &["values-branch", "s-mixed-branches", "value-output"], Where::Both),
    ("derived", &["derived"], Where::Both),
    ("derived, renamed", &["derived-renamed", "cte-renamed", "bait-name"], Where::Both),
    ("proof left to the user", &["deferred", "wrapper", "wrapper-twice"], Where::Both),
    ("aggregate", &["aggregate-total", "group-by"], Where::Both),
    ("grouping sets", &["grouping-sets", "rollup", "cube"], Where::Both),
    ("window", &["window", "s-defer-window", "s-window-ordinal"], Where::Both),
    ("distinct", &["distinct"], Where::Both),
    ("distinct on", &["distinct-on"], Where::Both),
    ("limit", &["limit", "limit-one", "fetch"], Where::Both),
    ("offset", &["offset", "s-defer-offset"], Where::Both),
    ("ordinal", &["group-by-ordinal", "order-by"], Where::Both),
    ("output alias", &["group-by-alias", "order-by-alias"], Where::Both),
    ("star", &["star", "s-star"], Where::Both),
    ("functional notation", &["functional-notation"], Where::Both),
    ("whole row", &["whole-row", "s-whole-row", "derived-row"], Where::Both),
    ("unqualified", &["unqualified"], Where::Both),
    ("captured name", &["captured-name", "s-captured-name", "unqualified-outer"], Where::Both),
    ("hidden name", &["hidden-name"], Where::Denied),
    ("unknown name", &["unknown-name"], Where::Denied),
    ("system column", &["system-column"], Where::Denied),
    ("$n elsewhere", &["param-elsewhere", "s-param-first"], Where::Denied),
    ("bound mode", &["bound"], Where::Both),
    ("literal mode", &["literal"], Where::Both),
    ("set of tenants", &["set"], Where::Both),
    ("two keys", &["two-keys"], Where::Both),
    ("mutated case", &["mutation"], Where::Both),
];

/// Those of writes.
pub const WRITES: &[Construct] = &[
    ("insert", &["insert"], Where::Both),
    ("update", &["update"], Where::Both),
    ("delete", &["delete"], Where::Both),
    ("values", &["insert-values"], Where::Both),
    ("several rows", &["insert-rows"], Where::Both),
    ("insert from select", &["insert-select"], Where::Both),
    ("insert from any query", &["insert-query"], Where::Both),
    ("with inside an insert", &["insert-inner-with", "w-both-withs", "w-insert-fact"], Where::Both),
    ("key from a value", &["key-value", "w-insert-value", "w-set-key"], Where::Both),
    ("key from a column", &["key-from-column", "w-set-from-joined"], Where::Both),
    ("key from what is not the caller's", &["key-wrong"], Where::Denied),
    ("key omitted", &["insert-key-omitted", "w-key-omitted"], Where::Denied),
    ("on conflict, with the key", &["conflict-list"], Where::Both),
    ("on conflict, otherwise", &["conflict-other"], Where::Denied),
    ("update … from", &["update-from"], Where::Both),
    ("delete … using", &["delete-using"], Where::Both),
    ("target not linked", &["target-not-linked", "w-only-from"], Where::Denied),
    ("outer join beside the target", &["w-left-join", "join-left"], Where::Both),
    ("set of several", &["set-several"], Where::Both),
    ("set from a subselect", &["set-subselect", "w-set-subselect"], Where::Both),
    ("set of a field", &["set-field"], Where::Both),
    ("set of a key", &["set-key", "w-set-key", "w-move-within"], Where::Both),
    ("a column that is not open", &["set-not-open", "set-hidden", "insert-not-open", "insert-hidden"], Where::Denied),
    ("a table that is not open", &["target-not-open"], Where::Denied),
    ("returning", &["returning"], Where::Both),
    ("returning a star", &["returning-star"], Where::Both),
    ("returning an expression", &["returning-expression"], Where::Both),
    ("returning old and new", &["returning-old-new", "w-old-new"], Where::Both),
    ("returning a default", &["returning-default", "w-default-returned"], Where::Both),
    ("a cte named as the target", &["cte-shadows-table", "w-cte-named-as-target"], Where::Both),
    ("a writing cte", &["write-cte", "w-writing-cte"], Where::Denied),
    ("target under an alias", &["target-alias"], Where::Both),
    ("membership of the target", &["w-membership", "pin-semijoin", "pin-exists"], Where::Both),
    ("deferred beside the target", &["w-deferred", "deferred"], Where::Both),
    ("recursion beside the target", &["w-recursion", "recursion"], Where::Both),
    ("$n of a key elsewhere", &["param-elsewhere", "w-param-elsewhere"], Where::Denied),
    ("writes, bound mode", &["bound"], Where::Both),
    ("writes, literal mode", &["literal"], Where::Both),
    ("writes, set of tenants", &["set"], Where::Both),
    ("writes, two keys", &["two-keys"], Where::Both),
];

/// The constructs of a kind of statements.
#[must_use]
pub const fn of(subject: Subject) -> &'static [Construct] {
    match subject {
        Subject::Queries => CONSTRUCTS,
        Subject::Writes => WRITES,
    }
}

/// A construct's shares in percent: of the allowed and of the denied.
#[must_use]
pub fn shares(stats: &Stats, subject: Subject) -> Vec<(&'static Construct, f64, f64)> {
    let denied = stats.queries - stats.allowed;
    of(subject)
        .iter()
        .map(|construct| {
            let (in_allowed, in_denied) = stats.constructs.get(construct.0).copied().unwrap_or_default();
            (construct, percent(in_allowed, stats.allowed), percent(in_denied, denied))
        })
        .collect()
}

/// The constructs that are too rare: under one percent of what they have to be in.
#[must_use]
pub fn rare(stats: &Stats, subject: Subject) -> Vec<String> {
    shares(stats, subject)
        .into_iter()
        .filter(|((_, _, place), allowed, denied)| (*place == Where::Both && *allowed < 1.0) || *denied < 1.0)
        .map(|((name, _, _), allowed, denied)| {
            format!("{name}: {allowed:.2}% of the allowed, {denied:.2}% of the denied")
        })
        .collect()
}
