//! Rows as a table for a person: aligned, numbers at the right, NULL visible, and said where more were cut.

use std::fmt::Write as _;

use haltsql_guard::ResultSet;
use unicode_width::UnicodeWidthStr as _;

use crate::human::visible;

/// Types whose values stand at the right: `pg_type.oid` of the integers, oid, the floats, money and numeric.
const NUMERIC: &[u32] = &[20, 21, 23, 26, 700, 701, 790, 1700];

/// A cell longer than this is cut: a table is for reading, `--json` and `--csv` have everything.
const WIDEST: usize = 80;

/// The table, and a line that counts.
pub fn render(result: &ResultSet, colour: bool) -> String {
    let names: Vec<String> = result.columns().iter().map(|column| cell(&column.name)).collect();
    let right: Vec<bool> = result.columns().iter().map(|column| NUMERIC.contains(&column.ty.oid())).collect();
    let rows: Vec<Vec<(String, bool)>> = result.rows().iter().map(|row| row.iter().map(value).collect()).collect();
    let widths: Vec<usize> = names
        .iter()
        .enumerate()
        .map(|(at, name)| {
            rows.iter().filter_map(|row| row.get(at)).map(|(text, _)| text.width()).fold(name.width(), usize::max)
        })
        .collect();
    let mut out = String::new();
    if !names.is_empty() {
        let header: Vec<_> = names.into_iter().map(|name| (name, false)).collect();
        push_line(&mut out, &header, &widths, &vec![false; widths.len()], colour);
        let rule: Vec<_> = widths.iter().map(|width| "-".repeat(*width)).collect();
        let _ = writeln!(out, "{}", rule.join("  "));
        for row in &rows {
            push_line(&mut out, row, &widths, &right, colour);
        }
    }
    let count = result.row_count();
    let rows = if count == 1 { "row" } else { "rows" };
    let cut = if result.truncated() { "; more were cut (the policy's max_rows or max_result_bytes)" } else { "" };
    let _ = writeln!(out, "({count} {rows}{cut})");
    out
}

fn value(value: &Option<String>) -> (String, bool) {
    match value {
        Some(text) => (cell(text), false),
        None => ("NULL".to_owned(), true),
    }
}

/// On one line, and nothing in it that a terminal would obey.
fn cell(text: &str) -> String {
    let text = visible(&text.replace('\n', "↵").replace('\t', " "));
    if text.width() <= WIDEST {
        return text;
    }
    let mut cut: String = text.chars().take(WIDEST - 1).collect();
    cut.push('…');
    cut
}

/// Cells in their columns; NULL is dim where there are colours, to tell it from the text.
fn push_line(out: &mut String, cells: &[(String, bool)], widths: &[usize], right: &[bool], colour: bool) {
    let mut line = String::new();
    for (at, ((text, null), (width, right))) in cells.iter().zip(widths.iter().zip(right)).enumerate() {
        let blanks = " ".repeat(width.saturating_sub(text.width()));
        let shown = if *null && colour { format!("\u{1b}[2m{text}\u{1b}[0m") } else { text.clone() };
        line.push_str(if at > 0 { "  " } else { "" });
        line.push_str(&if *right { format!("{blanks}{shown}") } else { format!("{shown}{blanks}") });
    }
    let _ = writeln!(out, "{}", line.trim_end());
}
