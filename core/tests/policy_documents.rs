//! Which documents are read at all: YAML's and JSON's every second reading is refused, with its place.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use haltsql::{Format, Policy, PolicyError, Problem};

const HEAD: &str = "apiVersion: haltsql.dev/v1\nkind: Policy\nmetadata: { name: p }\n";

/// A policy around these lines of `spec`.
fn yaml(spec: &str) -> Result<Policy, PolicyError> {
    Policy::from_yaml(&format!("{HEAD}spec:\n{spec}\n"))
}

#[track_caller]
fn only(result: Result<Policy, PolicyError>) -> Problem {
    let error = result.expect_err("the document has to be refused");
    assert_eq!(error.problems().len(), 1, "{error}");
    error.problems()[0].clone()
}

/// The only problem of a YAML document, its place and a part of its message.
#[track_caller]
fn refused_yaml(text: &str, line: usize, column: usize, part: &str) {
    let problem = only(Policy::from_yaml(text));
    assert!(problem.message.contains(part), "{problem}");
    assert_eq!((problem.line, problem.column), (line, column), "{problem}");
}

#[track_caller]
fn refused_json(text: &str, line: usize, column: usize, part: &str) {
    let problem = only(Policy::from_json(text));
    assert!(problem.message.contains(part), "{problem}");
    assert_eq!((problem.line, problem.column), (line, column), "{problem}");
}

#[test]
fn what_yaml_could_hide_is_refused() {
    refused_yaml("a: &x 1", 1, 4, "anchors");
    refused_yaml("a: &x\n  b: 1", 1, 4, "anchors");
    refused_yaml("a: &x [1]", 1, 4, "anchors");
    refused_yaml("a: *x", 1, 4, "aliases");
    refused_yaml("a: [1, *x]", 1, 8, "aliases");
    refused_yaml("a: !!str true", 1, 4, "tags");
    refused_yaml("a: !foo x", 1, 4, "tags");
    refused_yaml("a: ! x", 1, 4, "tags");
    refused_yaml("a: !!map {}", 1, 4, "tags");
    refused_yaml("!!str a: 1", 1, 1, "tags");
    refused_yaml("a:\n  <<: { b: 1 }", 2, 3, "merge key");
    refused_yaml("%YAML 1.1\n---\na: 1", 1, 1, "directives");
    refused_yaml("%TAG ! tag:x,2000:\n---\na: 1", 1, 1, "directives");
    refused_yaml("a: 1\n---\na: 1", 2, 1, "second document");
    refused_yaml("a: 1\n...\n---\nb: 1", 3, 1, "second document");
    refused_yaml("? [a]\n: b", 1, 3, "a key must be text");
    refused_yaml("? {a: 1}\n: b", 1, 3, "a key must be text");
}

#[test]
fn no_key_stands_twice() {
    refused_yaml("a: 1\nb: 2\na: 3", 3, 1, "the key `a` stands twice");
    refused_yaml("a: 1\n\"a\": 3", 2, 1, "the key `a` stands twice");
    refused_yaml("{a: 1, 'a': 2}", 1, 8, "the key `a` stands twice");
    refused_yaml("x:\n  - b: 1\n    \"\\x62\": 2", 3, 5, "the key `b` stands twice");
    refused_json(r#"{"a":1,"b":{"c":1,"\u0063":2}}"#, 1, 19, "the key `c` stands twice");
    // Two spellings of one table are one table.
    let problem = only(yaml("  tables:\n    app.t: {}\n    'app.\"t\"': {}"));
    assert!(problem.message.contains("`app.t` stands here twice"), "{problem}");
    assert_eq!((problem.line, problem.column), (7, 5));
}

#[test]
fn keys_that_are_text_to_some_readers_only_are_refused() {
    for key in ["on", "yes", "No", "y", "True", "null", "~", "1", "0x1f", "1.5", "2024-01-01", "12:30", "="] {
        refused_yaml(&format!("{key}: 1"), 1, 1, &format!("`{key}`"));
    }
    refused_yaml(": 1", 1, 1, "the key ``");
}

#[test]
fn broken_syntax_has_its_place() {
    refused_yaml("a: [1, 2", 1, 4, "unclosed bracket");
    refused_yaml("a: 'x", 1, 4, "unclosed quote");
    refused_yaml("a: b: c", 1, 5, "mapping values are not allowed");
    refused_yaml("a:\n\t- b", 2, 2, "tabs disallowed");
    refused_yaml("a: {b: [1,\n2]}", 2, 1, "indentation");
    refused_yaml("", 1, 1, "the document is empty");
    refused_yaml("# only a comment\n", 1, 1, "the document is empty");
    refused_json("", 1, 1, "eof");
    refused_json("{\"a\": 1", 1, 7, "eof");
    refused_json("{\n  \"a\": 1,\n}", 3, 1, "key must be a string");
    refused_json("{} {}", 1, 4, "trailing");
    refused_json("{ // a comment\n}", 1, 3, "key must be a string");
    refused_json("{'a': 1}", 1, 2, "key must be a string");
    refused_json("{a: 1}", 1, 2, "key must be a string");
    refused_json("{\"a\": 01}", 1, 8, "invalid number");
    refused_json("{\"a\": NaN}", 1, 7, "expected value");
    refused_json("{\"é\": \"\\ud800\"}", 1, 7, "hex escape");
    refused_json("{\"a\": \"\\x41\"}", 1, 9, "escape");
    refused_json("{\"a\": \"x\ty\"}", 1, 8, "control character");
    refused_json("\u{feff}{}", 1, 1, "expected value");
}

#[test]
fn characters_that_change_what_a_person_sees_are_refused() {
    refused_yaml("a: 1 # x\rb: 2", 1, 9, "U+000D");
    refused_yaml("a: 1 # x\u{2028}b: 2", 1, 9, "U+2028");
    refused_yaml("a: 1 # x\u{85}b: 2", 1, 9, "U+0085");
    refused_yaml("a: 1 # \u{202E}x", 1, 8, "U+202E");
    refused_yaml("a: x\u{feff}", 1, 5, "U+FEFF");
    refused_yaml("a: x\0", 1, 5, "U+0000");
    refused_yaml("a: \"\\0\"", 1, 4, "U+0000");
    refused_yaml("a: \"\\e\"", 1, 4, "U+001B");
    refused_json("{\"a\": \"\u{202E}\"}", 1, 8, "U+202E");
    refused_json("{\"a\": \"\\u0000\"}", 1, 7, "U+0000");
    refused_json("{\"\\u0000\": 1}", 1, 2, "U+0000");
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    for format in [Format::Yaml, Format::Json] {
        let problem = only(Policy::parse(b"{\n \"a\xff\": 1}", format));
        assert!(problem.message.contains("not UTF-8"), "{problem}");
        assert_eq!((problem.line, problem.column, problem.offset), (2, 4, 5));
    }
    let utf16: Vec<u8> = "a: 1".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(Policy::parse(&utf16, Format::Yaml).is_err());
}

#[test]
fn hostile_sizes_are_refused_quickly() {
    let started = std::time::Instant::now();
    let open = "[".repeat(100_000);
    assert!(Policy::from_yaml(&open).is_err());
    assert!(Policy::from_json(&open).is_err());
    let closed = format!("{open}{}", "]".repeat(100_000));
    assert!(only(Policy::from_json(&closed)).message.contains("nested too deeply"));
    assert!(Policy::from_yaml(&"- ".repeat(100_000)).is_err());
    assert!(Policy::from_yaml(&"{a: ".repeat(100_000)).is_err());
    let wide = format!("[{}1]", "1,".repeat(500_000));
    assert!(only(Policy::from_yaml(&wide)).message.contains("too large"));
    assert!(only(Policy::from_json(&wide)).message.contains("too large"));
    assert!(only(Policy::from_yaml(&" ".repeat(5 << 20))).message.contains("larger than"));
    let bomb = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b]\n";
    assert!(Policy::from_yaml(bomb).is_err());
    // Work that grows with the product of two lists of the document.
    let list = |prefix: &str, n: usize| (0..n).map(|at| format!("{prefix}{at}")).collect::<Vec<_>>().join(", ");
    let error = yaml(&format!("  search_path: [{}]\n  mode: x", list("s", 100_000))).unwrap_err();
    assert_eq!(error.problems().len(), 1);
    let (columns, written) = (list("column_number_", 60_000), list("colunm_number_", 60_000));
    let error = yaml(&format!("  tables: {{ app.t: {{ columns: [{columns}], write: {{ update: [{written}] }} }} }}"));
    assert_eq!(error.unwrap_err().unlisted(), 59_950);
    let keys = (0..17).map(|at| format!("{{ column: c{at}, context: k }}")).collect::<Vec<_>>().join(", ");
    assert!(only(yaml(&format!("  tenancy: {{ keys: [{keys}] }}"))).message.contains("more than 16 keys"));
    assert!(only(yaml(&format!("  mode: {}", "x".repeat(1 << 20)))).message.len() < 600);
    assert!(started.elapsed() < std::time::Duration::from_secs(10), "{:?}", started.elapsed());
}

#[test]
fn every_style_of_yaml_that_has_one_reading_is_read() {
    let flow = "{apiVersion: haltsql.dev/v1, kind: Policy, metadata: {name: p}, spec: {search_path: [app, \"x\"]}}";
    let block = "---\n# comment\n\"apiVersion\": 'haltsql.dev/v1'\nkind: \"Policy\"\nmetadata:\n  name: p\n  description: |\n    \
                 two\n    lines\nspec:\n  search_path:\n  - app\n  - x\n...\n";
    let windows = block.replace('\n', "\r\n");
    let marked = format!("\u{feff}{flow}");
    let json = r#"{"kind":"Policy","apiVersion":"haltsql.dev\/v1","metadata":{"name":"\u0070"},"spec":{"search_path":["app","x"]}}"#;
    let version = Policy::from_yaml(flow).unwrap().version().to_owned();
    for text in [block, &windows, &marked, json] {
        assert_eq!(Policy::from_yaml(text).unwrap().version(), version, "{text}");
    }
    assert_eq!(Policy::from_json(json).unwrap().version(), version);
}

#[test]
fn plain_scalars_with_two_readings_are_no_text() {
    let unclear = [
        "no",
        "Yes",
        "ON",
        "off",
        "y",
        "N",
        "True",
        "FALSE",
        "~",
        "Null",
        "NULL",
        "010",
        "0x1f",
        "0o17",
        "0b11",
        "1_000",
        "+5",
        "1.5",
        ".5",
        "1e3",
        "-0",
        "1:30",
        "190:20:30",
        ".inf",
        "-.INF",
        ".nan",
        "2024-01-01",
        "2024-1-1T10:00:00Z",
        "2024-01-01 10:00:00",
        "1.2.3",
        "=",
        "<<",
    ];
    for word in unclear {
        let problem = only(yaml(&format!("  tables: {{ app.t: {{ columns: [{word}] }} }}")));
        assert!(problem.message.contains(&format!("`{word}`")), "{problem}");
        assert_eq!((problem.line, problem.column), (5, 32), "{problem}");
        // Between quotes it is text: a name where it has a name's form, in every case no ambiguity any more.
        let quoted = yaml(&format!("  tables: {{ app.t: {{ columns: ['\"{word}\"'] }} }}"));
        assert!(quoted.is_ok(), "{word}: {}", quoted.unwrap_err());
    }
    for word in ["true", "null", "7", "-7"] {
        let problem = only(yaml(&format!("  tables: {{ app.t: {{ columns: [{word}] }} }}")));
        assert!(problem.message.contains("stands where text belongs"), "{problem}");
    }
    for word in ["yess", "nope", "one", "on_hand", "e5", "_1", "x0", "nullable", "d2024"] {
        yaml(&format!("  tables: {{ app.t: {{ columns: [{word}] }} }}")).unwrap();
    }
}

#[test]
fn a_value_that_was_forgotten_is_not_null() {
    for (spec, line, column) in [
        ("  limits:\n    max_limit:", 6, 5),
        ("  execution:\n    seal: bare\n    role:", 7, 5),
        ("  tables:", 5, 3),
        ("  mode:", 5, 3),
    ] {
        let problem = only(yaml(spec));
        assert_eq!(problem.message, "a value is missing", "{problem}");
        assert_eq!((problem.line, problem.column), (line, column), "{problem}");
    }
    assert_eq!(
        only(yaml("  search_path: [app, ]\n  tables: { app.t: { columns: [a, '' ] } }")).message,
        "the text is empty"
    );
}

#[test]
fn an_error_shows_line_marks_path_and_the_nearest_key() {
    let error = yaml("  mode: enforce\n  serch_path: [app]").unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown key `serch_path`\n --> line 6, column 3, spec.serch_path\n  |\n6 |   serch_path: [app]\n  |   ^^^^^^^^^^\n  \
         = did you mean `search_path`?"
    );
    let problem = &error.problems()[0];
    assert_eq!((problem.line, problem.column), (6, 3));
    assert_eq!(problem.help.as_deref(), Some("did you mean `search_path`?"));
    assert_eq!(problem.path, "spec.serch_path");
    let same = Policy::from_json(
        "{\"apiVersion\":\"haltsql.dev/v1\",\"kind\":\"Policy\",\"metadata\":{\"name\":\"p\"},\n \"spec\":{\"serch_path\":[]}}",
    );
    let same = only(same);
    assert_eq!((same.line, same.column, same.path.as_str()), (2, 10, "spec.serch_path"));
    assert_eq!(same.message, problem.message);
}

#[test]
fn columns_count_characters_and_marks_stay_under_them() {
    let line = "  tables: { app.t: { columns: [\"é\", \"ü\", \"Ü\"] } }";
    let problem = only(yaml(&format!("  mode: enforce # é\n{line}")));
    assert_eq!((problem.line, problem.column), (6, 42));
    assert_eq!(problem.marks, (41, 3));
    assert_eq!(problem.snippet, line);
}

#[test]
fn long_lines_are_cut_around_the_place() {
    let columns = (0..200).map(|n| format!("c{n}")).collect::<Vec<_>>().join(", ");
    let problem = only(yaml(&format!("  tables: {{ app.t: {{ columns: [{columns}, Bad, {columns}] }} }}")));
    assert!(problem.snippet.chars().count() <= 120, "{}", problem.snippet);
    let marked: String = problem.snippet.chars().skip(problem.marks.0).take(problem.marks.1).collect();
    assert_eq!(marked, "Bad");
}

#[test]
fn all_problems_are_told_in_the_order_of_the_document() {
    let error = Policy::from_yaml(
        "apiVersion: haltsql.dev/v2\nkind: Polcy\nmetadata: {}\nspec:\n  mode: shadows\n  limits: { max_depth: 0, max_relation: 3 }\n",
    )
    .unwrap_err();
    let seen: Vec<_> = error.problems().iter().map(|p| (p.line, p.message.as_str(), p.help.as_deref())).collect();
    assert_eq!(
        seen,
        [
            (1, "unknown value `haltsql.dev/v2`", Some("did you mean `haltsql.dev/v1`? known here: `haltsql.dev/v1`")),
            (2, "unknown value `Polcy`", Some("did you mean `Policy`? known here: `Policy`")),
            (3, "the key `name` is missing", None),
            (5, "unknown value `shadows`", Some("did you mean `shadow`? known here: `enforce`, `shadow`")),
            (
                6,
                "0 is no limit that a statement could keep to",
                Some("write 1 or more; leave the key out for the default")
            ),
            (6, "unknown key `max_relation`", Some("did you mean `max_relations`?")),
        ]
    );
    assert_eq!(error.unlisted(), 0);
    let many = (0..80).map(|n| format!("  k{n}: 1\n")).collect::<String>();
    let error = yaml(&many).unwrap_err();
    assert_eq!((error.problems().len(), error.unlisted()), (50, 30));
    assert!(error.to_string().ends_with("\n\nand 30 more problems"), "{error}");
}
