//! E_PARSE points where PostgreSQL points.

use super::{loc, refused, server_refusal};
use crate::reason::ReasonCode;

const BAD: &[&str] = &[
    // The grammar's first bad token.
    "SELEC 1",
    "SELECT 1 FROM",
    "SELECT (",
    "SELECT 1 +",
    "SELECT 1 FROM t WHERE",
    "SELECT 1 FROM t WHERE a =   -- more to come\n",
    "SELECT 1 FROM t WHERE a = /* nothing */ ",
    "SELECT a, FROM t",
    "SELECT a b c FROM t",
    "SELECT * FROM t WHERE a = 1 AND",
    "SELECT * FROM t WHERE AND a = 1",
    "SELECT * FROM t GROUP a",
    "SELECT f(a,) FROM t",
    "SELECT f(a FROM t",
    "SELECT a) FROM t",
    "SELECT [1]",
    "SELECT 1 UNION",
    "SELECT 1 UNION UNION SELECT 2",
    "SELECT CASE END",
    "SELECT CASE WHEN a THEN END",
    "SELECT a IS 1",
    "SELECT a BETWEEN 1 OR 2",
    "SELECT a NOT 1",
    "SELECT a NOT BETWEEN",
    "SELECT NOT IN (1)",
    "SELECT NOT BETWEEN 1 AND 2",
    "SELECT 1 ORDER BY a NULLS",
    "SELECT 1 ORDER BY a NULLS MIDDLE",
    "SELECT 1 NULLS FIRST",
    "SELECT a FROM t WITH ORDINALITY x y z",
    "SELECT 1 WITH TIME ZONE",
    "SELECT time '1' WITHOUT TIME",
    "SELECT 1 LIMIT 10, 20",
    "SELECT 1 LIMIT 1 LIMIT 2",
    "(SELECT 1 LIMIT 1) LIMIT 2",
    "(SELECT 1 OFFSET 1) OFFSET 2",
    "(SELECT 1 ORDER BY 1) ORDER BY 2",
    "WITH a AS (SELECT 1) (WITH b AS (SELECT 2) SELECT 3)",
    "SELECT 1 FETCH FIRST 2 ROWS WITH TIES",
    "((SELECT 1 LIMIT 1) LIMIT 2)",
    "SELECT * FROM (WITH a AS (SELECT 1) ((WITH b AS (SELECT 2) SELECT 3))) x",
    "SELECT ROW(a) OVERLAPS (b, c)",
    "SELECT f(1, (a, b, c)) , (a + (b), f(c), d) OVERLAPS (d, e)",
    "SELECT a, b.c.d.e.f.g FROM x.y.z.w, t",
    "SELECT x::float(0), y",
    "SELECT sum(a) OVER (RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED PRECEDING) FROM t",
    "SELECT sum(a) OVER (GROUPS 1 FOLLOWING) FROM t",
    "SELECT sum(a) OVER (ROWS BETWEEN (a AND b) FOLLOWING AND 1 PRECEDING) FROM t",
    "SELECT * FROM JSON_TABLE(f(a, b), c || 'd' COLUMNS (x int))",
    "SELECT * FROM XMLTABLE('/a' PASSING x COLUMNS a int NOT NULL NULL)",
    "SELECT * FROM XMLTABLE('/a' PASSING x COLUMNS a int foo 1)",
    "SELECT TOP 10 a FROM t",
    "SELECT a FROM t WHERE b = ?",
    "SELECT a FROM t WHERE b = ? AND c = 1",
    "SELECT a FROM t WHERE b = %s AND c = 1",
    "SELECT a FROM t WHERE b = :name",
    "SELECT a FROM t WHERE b = {{ name }}",
    "SELECT `a` FROM t",
    "```sql\nSELECT 1\n```",
    "SELECT 1; SELEC 2",
    "SELECT a.b.",
    "SELECT a..b",
    "SELECT 1::",
    "SELECT 1::2",
    "SELECT sum(a) OVER (ORDER) FROM t",
    "SELECT sum(a) OVER (ROWS UNBOUNDED FOLLOWING) FROM t",
    "SELECT sum(a) OVER (ROWS BETWEEN CURRENT ROW AND 1 PRECEDING) FROM t",
    "SELECT sum(a) OVER (ROWS BETWEEN 1 FOLLOWING AND CURRENT ROW) FROM t",
    "SELECT sum(a) OVER (ROWS BETWEEN UNBOUNDED FOLLOWING AND CURRENT ROW) FROM t",
    "SELECT (a, b, c) OVERLAPS (d, e)",
    "SELECT (a, b) OVERLAPS (c, d, e)",
    "SELECT UNIQUE (SELECT 1)",
    "SELECT mode(DISTINCT a) WITHIN GROUP (ORDER BY b)",
    "SELECT mode(a ORDER BY a) WITHIN GROUP (ORDER BY b)",
    "SELECT mode(VARIADIC a) WITHIN GROUP (ORDER BY b)",
    "SELECT a FROM x.y.z.w",
    "SELECT a.*.b FROM t",
    "SELECT x::float(0)",
    "SELECT x::float(99)",
    "SELECT INTERVAL(1) '1' DAY",
    "SELECT f(x ORDER BY y) 'a'",
    "SELECT f(x => 1) 'a'",
    "SELECT * FROM JSON_TABLE('1', a COLUMNS (x int))",
    "SELECT JSON_OBJECT('a' FORMAT JSON ENCODING utf7: 1)",
    "SELECT JSON_SERIALIZE('1' RETURNING bytea FORMAT JSON ENCODING utf7)",
    "SELECT * FROM XMLTABLE('/a' PASSING x COLUMNS a int PATH '1' PATH '2')",
    "SELECT * FROM XMLTABLE('/a' PASSING x COLUMNS a int NULL NOT NULL)",
    "SELECT * FROM XMLTABLE('/a' PASSING x COLUMNS a int DEFAULT 1 DEFAULT 2)",
    "SELECT * FROM t FOR UPDATE SKIP LOCKED FETCH FIRST 1 ROWS WITH TIES",
    "SELECT 1 ORDER BY 1 FETCH FIRST 1 ROW WITH TIES FOR UPDATE SKIP LOCKED",
    "SELECT a FROM t TABLESAMPLE",
    "SELECT 1 \u{1}",
    "SELECT {",
    "SELECT \\",
    "SELECT $",
    "SELECT $a",
    // A parameter where only a string may stand.
    "SELECT date $1",
    "SELECT \"date\" $1",
    "SELECT pg_catalog.date $1",
    "SELECT interval $1 DAY",
    "SELECT interval(3) $1",
    "SELECT f(1) $1",
    "SELECT double precision $1",
    "SELECT a FROM t WHERE b = $1 AND c > timestamp with time zone $2 AND",
    "SELECT EXTRACT($1 FROM now())",
    "SELECT like $1",
    "SELECT $1 $2",
    "SELECT a FROM t LIMIT $1 $2",
    "SELECT 1 AT TIME ZONE $1, a LIKE b ESCAPE $2, JSON_OBJECT('a' VALUE $3), time $4",
    // Multibyte characters before, in and behind the place.
    "SELECT 'é', FROM t",
    "SELECT é ü ö FROM t",
    "SELECT 'ünï', \"né\" WHERE é =",
    "SELECT '\u{1f600}' '\u{1f600}'",
    "SELECT \u{201c}a b\u{201d} c",
    // The scanner's own complaints.
    "SELECT 'abc",
    "SELECT 1, 'it''s",
    "SELECT E'abc\\'",
    "SELECT e'a\nb",
    "SELECT \"abc",
    "SELECT U&\"abc",
    "SELECT U&'abc",
    "SELECT B'01",
    "SELECT X'0f",
    "SELECT $$abc",
    "SELECT $a$ abc $b$",
    "SELECT 1 /* abc",
    "SELECT 1 /* a /* b */ c",
    "SELECT é /* é",
    "SELECT \"\"",
    "SELECT 1 FROM \"\" x",
    "SELECT U&\"\"",
    "SELECT 1a",
    "SELECT 1_",
    "SELECT 1__0",
    "SELECT 1.5abc",
    "SELECT 1e",
    "SELECT 1ea",
    "SELECT 0x",
    "SELECT 0xg",
    "SELECT 0b2",
    "SELECT 0o9",
    "SELECT 123é",
    "SELECT $1abc",
    "SELECT $1é, 2",
    "SELECT $99999999999",
    "SELECT a FROM t WHERE $1x = 1 AND",
    "SELECT , $1x",
    "SELECT 1 ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ 2",
    // Escapes.
    "SELECT a, E'\\xff'",
    "SELECT E'\\303', b",
    "SELECT E'\\u12'",
    "SELECT E'abc\\uzzzz'",
    "SELECT E'\\\\u12 \\u00'",
    "SELECT E'é\\U0011ffff'",
    "SELECT E'\\u0000'",
    "SELECT E'\\ud800'",
    "SELECT E'\\ud800x'",
    "SELECT E'\\ud800\\u0041'",
    "SELECT E'\\udc00'",
    "SELECT E'\\ud83d\\ude00\\udc00'",
    "SELECT E'a'\n'\\u00'",
    "SELECT U&'\\12'",
    "SELECT U&'abc\\+00001'",
    "SELECT U&'\\zzzz'",
    "SELECT U&'é\\d800'",
    "SELECT U&'\\d800\\0041'",
    "SELECT U&'\\dc00'",
    "SELECT U&'\\+110000'",
    "SELECT U&'\\\\ \\0000'",
    "SELECT U&\"a\\12\"",
    "SELECT U&'!12' UESCAPE '!'",
    "SELECT U&'a!+11ffff' UESCAPE '!'",
    "SELECT U&'a' UESCAPE",
    "SELECT U&'a' UESCAPE 1",
    "SELECT U&'a' UESCAPE 'ab'",
    "SELECT U&'a' UESCAPE 'a'",
    "SELECT U&'a' UESCAPE '+'",
    "SELECT U&'a' UESCAPE U&'!'",
    "SELECT U&\"a\" UESCAPE , 1",
    "SELECT 'a' UESCAPE '!'",
    "SELECT U&'a' UESCAPE '!' UESCAPE '!'",
];

#[test]
fn the_place_is_the_servers() {
    assert!(BAD.len() >= 60);
    let (_server, mut client) = super::server();
    let mut wrong = Vec::new();
    for sql in BAD {
        let Some((message, expected)) = server_refusal(&mut client, sql) else {
            wrong.push(format!("the server takes {sql:?}"));
            continue;
        };
        match super::parsed(sql) {
            Err(refusal) if super::is_parse(&refusal) => {
                let reason = &refusal.reasons[0];
                if expected.is_some() && loc(reason) != expected {
                    wrong.push(format!("{:?} for {expected:?}: {sql:?}: {message} / {}", reason.loc, reason.message));
                }
            }
            other => wrong.push(format!("{sql:?} is {other:?} for {message}")),
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), BAD.len(), wrong.join("\n"));
}

#[test]
fn messages_are_one_short_line_with_the_token_in_backticks() {
    let reason = refused("SELECT a, FROM t");
    assert_eq!(reason.code, ReasonCode::Parse);
    assert_eq!(reason.message, "syntax error at `FROM`");
    assert_eq!(refused("SELECT 1 +").message, "syntax error at the end of the text");
    let message = refused(&format!("SELECT '{}\n", "x".repeat(1_000_000))).message;
    assert!(message.chars().count() < 120 && message.ends_with("…`"), "{message}");
    assert_eq!(refused("SELECT \u{1b}").message, "syntax error at `\u{fffd}`");
}

#[test]
fn hints_are_for_what_the_text_shows() {
    let parameters = Some("write parameters as `$1`, `$2`, …");
    for (sql, hint) in [
        ("SELECT a FROM t WHERE b = ?", parameters),
        ("SELECT a FROM t WHERE b = ? AND c = 1", parameters),
        ("SELECT a FROM t WHERE b = %s", parameters),
        ("SELECT a FROM t WHERE b = %(b)s", parameters),
        ("SELECT a FROM t WHERE b = :b", parameters),
        ("SELECT a FROM t WHERE b = {b}", parameters),
        ("SELECT a % FROM t", None),
        ("SELECT a[:] FROM t WHERE", None),
        ("SELECT a, FROM t", Some("remove the comma before `FROM`")),
        ("SELECT f(a,)", Some("remove the comma before `)`")),
        ("SELECT `a` FROM t", Some("write quoted names in double quotes")),
        ("```sql\nSELECT 1\n```", Some("send the SQL alone, without a code fence")),
        ("SELECT 1 LIMIT 10, 20", Some("write `LIMIT count OFFSET start`")),
        ("SELECT TOP 10 a FROM t", Some("write `LIMIT n` at the end")),
        ("SELECT 'a", Some("close the quote; a quote inside quotes is written twice")),
        ("SELECT 1 /* a", Some("close the comment with `*/`")),
        ("SELEC 1", None),
    ] {
        assert_eq!(refused(sql).hint.as_deref(), hint, "{sql}");
    }
}
