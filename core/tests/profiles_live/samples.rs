//! Values to call functions with: some for every type, better ones where a function wants particular ones.

use crate::extensions;

/// SQL expressions of the type, by `pg_type.typname`; the first is the one most likely to succeed. `None`: a type that no
/// profile has, so that no call can be written.
pub fn of_type(ty: &str) -> Option<Vec<String>> {
    let quoted = |ty: &str, values: &[&str]| values.iter().map(|value| literal(value, ty)).collect::<Vec<_>>();
    let values: &[&str] = match ty {
        "bool" => &["true", "false"],
        "bytea" => &["\\x616263", "\\x0001ff"],
        "char" => &["A", "x"],
        "name" | "varchar" | "bpchar" => &["abc", "Ab"],
        "text" => &["abc", "12", "x, y z", ""],
        "int2" | "int4" | "int8" => &["1", "3", "-2", "0"],
        "float4" | "float8" => &["0.5", "2", "-2.5"],
        "numeric" => &["1.5", "12", "-0.25", "NaN"],
        "money" => &["12.50", "-3"],
        "date" => &["2024-01-31", "1999-12-31", "infinity"],
        "time" => &["12:30:01.5", "00:00"],
        "timetz" => &["12:30:01.5+02", "00:00-08"],
        "timestamp" => &["2024-01-31 12:30:01.5", "2024-03-01", "-infinity"],
        "timestamptz" => &["2024-01-31 12:30:01.5+02", "2024-03-01 00:00Z", "infinity"],
        "interval" => &["1 day", "36:00:00", "02:30:00", "-1 mon"],
        "uuid" => &["0190163d-8694-739b-aea5-966c26f8ad91", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"],
        "json" | "jsonb" => &[r#"{"a": 1, "b": [1, null]}"#, "[1, 2, 3]", r#"[{"a": 1, "b": "x"}]"#, "\"x\"", "null"],
        "jsonpath" => &["$.a", "$[*]", "$.a == 1", "strict $.none"],
        "inet" => &["192.168.1.5/24", "10.0.0.1", "::1/64"],
        "cidr" => &["192.168.1.0/24", "10.0.0.0/8"],
        "macaddr" => &["08:00:2b:01:02:03", "00:00:00:00:00:00"],
        "macaddr8" => &["08:00:2b:ff:fe:01:02:03", "00:00:00:00:00:00:00:00"],
        "point" => &["(1,2)", "(0,0)"],
        "line" => &["{1,2,3}", "{0,1,0}"],
        "lseg" => &["[(1,2),(3,4)]", "[(0,0),(0,1)]"],
        "box" => &["(3,4),(1,2)", "(1,1),(0,0)"],
        "path" => &["((0,0),(1,1),(2,0))", "[(0,0),(1,1)]"],
        "polygon" => &["((0,0),(1,1),(2,0))", "((0,0),(0,1))"],
        "circle" => &["<(1,2),3>", "<(0,0),0>"],
        "int4range" | "int8range" | "numrange" => &["[1,5)", "empty", "(,3]"],
        "int4multirange" | "int8multirange" | "nummultirange" => &["{[1,3),[5,9)}", "{}"],
        "daterange" => &["[2024-01-01,2024-02-01)", "(,)"],
        "tsrange" | "tstzrange" => &["[2024-01-01 00:00,2024-02-01 00:00)", "(,)"],
        "datemultirange" => &["{[2024-01-01,2024-02-01)}", "{}"],
        "tsmultirange" | "tstzmultirange" => &["{[2024-01-01 00:00,2024-02-01 00:00)}", "{}"],
        "tsvector" => &["fat:1A cat:2", ""],
        "tsquery" => &["fat & cat", "!rat"],
        "regconfig" => &["english", "simple"],
        "regdictionary" => &["english_stem", "simple"],
        "_text" | "_varchar" => &["{a,b}", "{}", "{x,NULL,y,x}", "{b,0}"],
        "_int4" | "_int2" | "_int8" => &["{2,1}", "{}", "{1,NULL,3,2}"],
        "_float8" | "_float4" => &["{0.1,0.2,0.4,1.0}", "{0.5}"],
        "_interval" => &["{1 day,2 days}"],
        "_char" => &["{a,b}", "{}"],
        "_numeric" => &["{1,2.5}"],
        // A cast to `bit` would cut them to one bit.
        "bit" => return Some(vec!["B'101'".into(), "B'011'".into()]),
        "varbit" => return Some(vec!["B'101'::varbit".into(), "B''::varbit".into()]),
        "record" => return Some(vec!["ROW(1, 'a'::text)".into(), "ROW(NULL::int4)".into()]),
        _ => return extensions::of_type(ty),
    };
    Some(quoted(ty, values))
}

/// The schema that a type is called by here.
pub fn schema_of(ty: &str) -> &'static str {
    let element = ty.strip_prefix('_').unwrap_or(ty);
    if extensions::values(element).is_some() { "ext" } else { "pg_catalog" }
}

/// The typed literal.
pub fn literal(value: &str, ty: &str) -> String {
    format!("'{}'::{}.\"{ty}\"", value.replace('\'', "''"), schema_of(ty))
}

/// Values for arguments that want particular ones. `first`: the type of the call's first argument.
pub fn particular(function: &str, position: usize, ty: &str, first: &str) -> Option<Vec<String>> {
    let values: &[&str] = match (function, position, ty) {
        ("date_trunc", 0, _) => &["month", "hour", "none"],
        ("date_part" | "extract", 0, _) => &["day", "epoch", "hour", "none"],
        ("date_trunc" | "date_add" | "date_subtract", 2, "text") => &["Europe/Berlin", "UTC"],
        ("timezone", 0, "text") => &["Europe/Berlin", "UTC", "EST5EDT"],
        ("make_timestamptz", 6, "text") => &["Europe/Berlin"],
        ("generate_series", 3, "text") => &["Europe/Berlin"],
        ("encode" | "decode", 1, _) => &["hex", "base64", "escape"],
        ("decode", 0, _) => &["abcd"],
        ("convert" | "convert_from" | "convert_to", 1.., "name") => &["UTF8", "LATIN1"],
        ("to_ascii", 1, "name") => &["LATIN1", "UTF8"],
        ("to_ascii", 1, "int4") => &["8"],
        ("normalize" | "is_normalized", 1, _) => &["NFC", "NFKD"],
        ("to_char", 1, _) if ["timestamp", "timestamptz", "interval"].contains(&first) => {
            &["YYYY-MM-DD HH24:MI:SS", "DDD"]
        }
        ("to_char", 1, _) => &["FM990.99", "9.9EEEE"],
        // Infinity would have no end.
        ("generate_series", 0 | 1, "timestamp" | "timestamptz") => &["2024-01-31 12:30:01.5Z", "2024-03-01Z"],
        ("array_agg", 0, "_int4" | "_text") => &["{2,1}", "{3,4}"],
        ("chr", ..) => &["65", "8364"],
        ("setweight", 1, _) => &["A", "d"],
        ("to_tsquery", .., "text") => &["fat & cat", "'rat' | !x"],
        ("to_date" | "to_timestamp", 0, "text") => &["2024-02-29", "1"],
        ("to_date" | "to_timestamp", 1, "text") => &["YYYY-MM-DD", "DDD"],
        ("to_number", 0, _) => &["12.5"],
        ("to_number", 1, _) => &["99.9"],
        ("format", 0, _) => &["x %s y", "%1$L", "%%"],
        ("like_escape" | "similar_to_escape", 1, "text") => &["#", ""],
        ("substring", 2, "text") => &["#", ""],
        ("substring", 1, "text") => &["%#\"b#\"%", "b.", "("],
        ("regexp_match" | "regexp_matches" | "regexp_split_to_array" | "regexp_split_to_table", 2, "text") => {
            &["i", "g"]
        }
        ("regexp_replace", 3.., "text") => &["g", "i"],
        ("regexp_count", 3, "text") | ("regexp_instr", 5, "text") | ("regexp_like", 2, "text") => &["i"],
        ("regexp_substr", 4, "text") => &["i"],
        ("pg_size_bytes", 0, _) => &["12 MB", "abc"],
        ("unistr", 0, _) => &["d\\0061t", "x"],
        ("parse_ident", 0, _) => &["\"A\".b", "a.1"],
        ("jsonb_set_lax", 4, _) => &["use_json_null", "return_target"],
        ("jsonb_path_match" | "jsonb_path_match_tz", 1, _) => &["$.a == 1", "$.a"],
        (_, 1, "jsonb") if function.starts_with("jsonb_path") => &["{}"],
        (_, 2, "jsonb") if function.starts_with("jsonb_path") => &["{\"v\": 1}"],
        ("json_to_tsvector" | "jsonb_to_tsvector", 1.., "jsonb") => &["\"all\"", "[\"string\"]"],
        ("int4range" | "int8range" | "numrange" | "daterange" | "tsrange" | "tstzrange", 2, _) => &["[)", "(]"],
        ("ts_headline", 2.., "text") => &["MaxWords=5, MinWords=1"],
        ("array_fill", 1, "_int4") => &["{2,1}", "{}"],
        ("array_fill", 2, "_int4") => &["{1,1}"],
        ("percentile_disc" | "percentile_cont", 0, "float8") => &["0.5", "2"],
        ("bool", 0, _) | ("numeric" | "money" | "int2" | "int4" | "int8" | "float4" | "float8", 0, "jsonb") => {
            return if ty == "jsonb" {
                Some(vec![literal(if function == "bool" { "true" } else { "12" }, ty)])
            } else {
                None
            };
        }
        ("starts_with", 1, _) => &["ab", "b"],
        ("hashtextextended", 1, _) => &["7"],
        ("random", 1, _) => &["9"],
        _ => extensions::particular(function, position, ty)?,
    };
    Some(values.iter().map(|value| literal(value, ty)).collect())
}
