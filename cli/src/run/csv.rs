//! Rows as CSV, in the form of PostgreSQL's COPY: NULL is nothing at all, an empty text is `""`.

use haltsql_guard::ResultSet;

/// The columns' names and the rows, each on a line (RFC 4180, with line feeds).
pub fn render(result: &ResultSet) -> String {
    let mut out = String::new();
    push_line(&mut out, result.columns().iter().map(|column| Some(column.name.as_str())));
    for row in result.rows() {
        push_line(&mut out, row.iter().map(Option::as_deref));
    }
    out
}

fn push_line<'a>(out: &mut String, fields: impl Iterator<Item = Option<&'a str>>) {
    for (at, field) in fields.enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        let Some(text) = field else { continue };
        // `\.` alone on a line would end a COPY.
        if text.is_empty() || text.contains(['"', ',', '\n', '\r', '\\']) {
            out.push('"');
            out.push_str(&text.replace('"', "\"\""));
            out.push('"');
        } else {
            out.push_str(text);
        }
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::push_line;

    #[test]
    fn null_and_empty_differ_and_everything_reads_back() {
        let mut out = String::new();
        push_line(
            &mut out,
            [Some("a"), None, Some(""), Some("b\"c"), Some("d,e"), Some("f\ng"), Some("\\.")].into_iter(),
        );
        assert_eq!(out, "a,,\"\",\"b\"\"c\",\"d,e\",\"f\ng\",\"\\.\"\n");
    }
}
