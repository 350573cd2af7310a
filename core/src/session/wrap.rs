//! A verified statement inside what the guard puts around it, so that the server's grammar, not ours, says that it is one statement.
//!
//! Receives the statement's bytes; returns them with something before and behind, having proven that the whole parses to that
//! something with exactly the verified tree in it. Must never change a byte of the statement.
//!
//! The first proof needs no walk over the tree: blanks of the same length in front give every node the place that it has in the whole, and
//! the parser's trees are compared as they are, places included.

use pg_query::NodeEnum;
use pg_query::protobuf::Node;

use crate::parse;
use crate::text;

/// What stands around a statement.
#[derive(Clone, Copy, Debug)]
pub(super) enum Around {
    /// The row cap of a read, in the plan.
    Cap { limit: u64 },
    /// The cap, with each column's text beside it, for drivers that cannot ask for text.
    RenderedCap { columns: usize, limit: u64 },
    /// What a write is parsed in before it is sent.
    Gate,
    /// The rows that a write returns, with each column's text beside it.
    RenderedWrite { columns: usize },
}

impl Around {
    fn before(self) -> String {
        match self {
            Around::Cap { .. } => "SELECT * FROM (\n".to_owned(),
            Around::RenderedCap { columns, .. } => format!("SELECT {} FROM (\n", rendered(columns)),
            Around::Gate => "WITH haltsql_gate AS (\n".to_owned(),
            Around::RenderedWrite { columns } => format!("WITH haltsql_capped{} AS (\n", names(columns)),
        }
    }

    fn behind(self) -> String {
        match self {
            Around::Cap { limit } => format!("\n) AS haltsql_capped LIMIT {limit}"),
            Around::RenderedCap { columns, limit } => {
                format!("\n) AS haltsql_capped{} LIMIT {limit}", names(columns))
            }
            Around::Gate => "\n) SELECT 1".to_owned(),
            Around::RenderedWrite { columns } => format!("\n) SELECT {} FROM haltsql_capped", rendered(columns)),
        }
    }
}

/// A list of column names; a result without columns has none.
fn names(columns: usize) -> String {
    let names = listed(columns, |number| format!("c{number}"));
    if names.is_empty() { names } else { format!("({names})") }
}

/// Each column and its text, which is what its output function gives: `concat` calls that, where `::text` is a cast that can differ
/// (`true`). `num_nulls` and not IS NULL, which is true of a row of NULLs.
fn rendered(columns: usize) -> String {
    listed(columns, |number| {
        format!(
            "c{number}, CASE WHEN pg_catalog.num_nulls(c{number}) OPERATOR(pg_catalog.=) 0 THEN pg_catalog.concat(c{number}) END"
        )
    })
}

fn listed(columns: usize, one: impl Fn(usize) -> String) -> String {
    (1..=columns).map(one).collect::<Vec<_>>().join(", ")
}

/// The statement with that around it; `None` where it cannot be proven to be in there as it was verified.
pub(super) fn wrapped(inner: &str, around: Around) -> Option<String> {
    let (before, behind) = (around.before(), around.behind());
    let whole = format!("{before}{inner}{behind}");
    // The same lengths, so that every place is the same: blanks before the statement alone, and another one between the two parts.
    let alone = format!("{}{inner}", " ".repeat(before.len()));
    let other = format!("{before}SELECT{}{behind}", " ".repeat(inner.len().checked_sub("SELECT".len())?));
    let proven = text::run_around(&whole, || {
        let (outside, inside) = parted(parse::single(&whole)?)?;
        let (expected, _) = parted(parse::single(&other)?)?;
        (outside == expected && inside == parse::single(&alone)?).then_some(())
    });
    // FAIL-CLOSED: no thread, a panic on it, or trees that differ.
    proven.ok().flatten().map(|()| whole)
}

/// The same for a statement that [`wrapped`] has proven to stand in brackets as one: what is around it here is proven by the tokens. The
/// whole has those of the three parts and no others, so that nothing of the statement reaches into what is around it, and a grammar sees
/// nothing but tokens. A parse of all these CASEs would cost more than the check.
pub(super) fn rewrapped(inner: &str, around: Around) -> Option<String> {
    let (before, behind) = (around.before(), around.behind());
    let whole = format!("{before}{inner}{behind}");
    let mut expected = Vec::new();
    for (part, from) in [(&*before, 0), (inner, before.len()), (&*behind, before.len() + inner.len())] {
        let from = i32::try_from(from).ok()?;
        for mut token in parse::scan(part)? {
            token.start = token.start.checked_add(from)?;
            token.end = token.end.checked_add(from)?;
            expected.push(token);
        }
    }
    (parse::scan(&whole)? == expected).then_some(whole)
}

/// A wrapper's tree without what is in it, and that.
fn parted(mut whole: Node) -> Option<(Node, Node)> {
    let Some(NodeEnum::SelectStmt(select)) = &mut whole.node else { return None };
    let inside = if let Some(with) = &mut select.with_clause {
        let Some(NodeEnum::CommonTableExpr(cte)) = with.ctes.first_mut().and_then(|node| node.node.as_mut()) else {
            return None;
        };
        cte.ctequery.take()
    } else {
        let Some(NodeEnum::RangeSubselect(derived)) =
            select.from_clause.first_mut().and_then(|node| node.node.as_mut())
        else {
            return None;
        };
        derived.subquery.take()
    };
    Some((whole, *inside?))
}
