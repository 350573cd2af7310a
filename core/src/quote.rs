//! Identifiers as PostgreSQL's `quote_ident` writes them.
//!
//! Receives a catalogue name, returns the text that reads back as exactly this name in SQL. Never folds case, never truncates.

use std::borrow::Cow;

/// The name, in double quotes where SQL needs them: the spelling of `quote_ident` in PostgreSQL 18.
#[must_use]
pub fn quote_ident(name: &str) -> Cow<'_, str> {
    let plain = name.starts_with(|first: char| first.is_ascii_lowercase() || first == '_')
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        && QUOTED_KEYWORDS.binary_search(&name).is_err();
    if plain { Cow::Borrowed(name) } else { Cow::Owned(quote_always(name)) }
}

/// The name in double quotes, for lists that a server splits itself.
pub(crate) fn quote_always(name: &str) -> String {
    let mut quoted = String::with_capacity(name.len() + 2);
    quoted.push('"');
    for part in name.split_inclusive('"') {
        quoted.push_str(part);
        if part.ends_with('"') {
            quoted.push('"');
        }
    }
    quoted.push('"');
    quoted
}

/// Every keyword of PostgreSQL 18 but the unreserved ones, sorted bytewise: `pg_get_keywords()` where `catcode <> 'U'`.
const QUOTED_KEYWORDS: &[&str] = &[
    "all",
    "analyse",
    "analyze",
    "and",
    "any",
    "array",
    "as",
    "asc",
    "asymmetric",
    "authorization",
    "between",
    "bigint",
    "binary",
    "bit",
    "boolean",
    "both",
    "case",
    "cast",
    "char",
    "character",
    "check",
    "coalesce",
    "collate",
    "collation",
    "column",
    "concurrently",
    "constraint",
    "create",
    "cross",
    "current_catalog",
    "current_date",
    "current_role",
    "current_schema",
    "current_time",
    "current_timestamp",
    "current_user",
    "dec",
    "decimal",
    "default",
    "deferrable",
    "desc",
    "distinct",
    "do",
    "else",
    "end",
    "except",
    "exists",
    "extract",
    "false",
    "fetch",
    "float",
    "for",
    "foreign",
    "freeze",
    "from",
    "full",
    "grant",
    "greatest",
    "group",
    "grouping",
    "having",
    "ilike",
    "in",
    "initially",
    "inner",
    "inout",
    "int",
    "integer",
    "intersect",
    "interval",
    "into",
    "is",
    "isnull",
    "join",
    "json",
    "json_array",
    "json_arrayagg",
    "json_exists",
    "json_object",
    "json_objectagg",
    "json_query",
    "json_scalar",
    "json_serialize",
    "json_table",
    "json_value",
    "lateral",
    "leading",
    "least",
    "left",
    "like",
    "limit",
    "localtime",
    "localtimestamp",
    "merge_action",
    "national",
    "natural",
    "nchar",
    "none",
    "normalize",
    "not",
    "notnull",
    "null",
    "nullif",
    "numeric",
    "offset",
    "on",
    "only",
    "or",
    "order",
    "out",
    "outer",
    "overlaps",
    "overlay",
    "placing",
    "position",
    "precision",
    "primary",
    "real",
    "references",
    "returning",
    "right",
    "row",
    "select",
    "session_user",
    "setof",
    "similar",
    "smallint",
    "some",
    "substring",
    "symmetric",
    "system_user",
    "table",
    "tablesample",
    "then",
    "time",
    "timestamp",
    "to",
    "trailing",
    "treat",
    "trim",
    "true",
    "union",
    "unique",
    "user",
    "using",
    "values",
    "varchar",
    "variadic",
    "verbose",
    "when",
    "where",
    "window",
    "with",
    "xmlattributes",
    "xmlconcat",
    "xmlelement",
    "xmlexists",
    "xmlforest",
    "xmlnamespaces",
    "xmlparse",
    "xmlpi",
    "xmlroot",
    "xmlserialize",
    "xmltable",
];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use pg_query::protobuf::{KeywordKind, Token};

    use super::{QUOTED_KEYWORDS, quote_always, quote_ident};

    #[test]
    fn writes_names_as_the_server_does() {
        // What `SELECT quote_ident(…)` gave on PostgreSQL 18.4.
        for (name, quoted) in [
            ("a", "a"),
            ("_x", "_x"),
            ("a1_b", "a1_b"),
            ("abort", "abort"),
            ("level", "level"),
            ("a$b", "\"a$b\""),
            ("A", "\"A\""),
            ("1a", "\"1a\""),
            ("", "\"\""),
            ("a b", "\"a b\""),
            ("a.b", "\"a.b\""),
            ("a\"b", "\"a\"\"b\""),
            ("é", "\"é\""),
            ("select", "\"select\""),
            ("between", "\"between\""),
            ("authorization", "\"authorization\""),
            ("varchar", "\"varchar\""),
            ("user", "\"user\""),
        ] {
            assert_eq!(quote_ident(name), quoted, "{name}");
        }
    }

    #[test]
    fn always_quotes_on_request() {
        assert_eq!(quote_always("app"), "\"app\"");
        assert_eq!(quote_always("\"\""), "\"\"\"\"\"\"");
    }

    #[test]
    fn keywords_are_those_of_the_linked_parser() {
        let mut expected = Vec::new();
        for word in (0..2000).filter_map(|number| Token::try_from(number).ok()).map(|token| token.as_str_name()) {
            let word = word.to_ascii_lowercase();
            let word = word.strip_suffix("_p").unwrap_or(&word);
            let Ok(scanned) = pg_query::scan(word) else {
                continue;
            };
            let [token] = &*scanned.tokens else { continue };
            if !matches!(token.keyword_kind(), KeywordKind::NoKeyword | KeywordKind::UnreservedKeyword) {
                expected.push(word.to_owned());
            }
        }
        expected.sort();
        expected.dedup();
        assert_eq!(QUOTED_KEYWORDS, expected);
    }
}
