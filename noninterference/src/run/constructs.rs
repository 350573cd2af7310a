//! The constructs that have to occur, each among the allowed queries and among the denied ones.

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

/// A construct's shares in percent: of the allowed and of the denied.
#[must_use]
pub fn shares(stats: &Stats) -> Vec<(&'static Construct, f64, f64)> {
    let denied = stats.queries - stats.allowed;
    CONSTRUCTS
        .iter()
        .map(|construct| {
            let (in_allowed, in_denied) = stats.constructs.get(construct.0).copied().unwrap_or_default();
            (construct, percent(in_allowed, stats.allowed), percent(in_denied, denied))
        })
        .collect()
}

/// The constructs that are too rare: under one percent of what they have to be in.
#[must_use]
pub fn rare(stats: &Stats) -> Vec<String> {
    shares(stats)
        .into_iter()
        .filter(|((_, _, place), allowed, denied)| (*place == Where::Both && *allowed < 1.0) || *denied < 1.0)
        .map(|((name, _, _), allowed, denied)| {
            format!("{name}: {allowed:.2}% of the allowed, {denied:.2}% of the denied")
        })
        .collect()
}
