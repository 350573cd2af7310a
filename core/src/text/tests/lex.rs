//! The same boundaries as PostgreSQL's scanner, wherever that one takes the text.

use super::sample::{Dice, ORDINARY, SHAPES};
use crate::text::{Kind, Pieces};
use pg_query::protobuf::Token;
use proptest::prelude::*;

/// `None` where the scanner refuses the text.
fn scanned(sql: &str) -> Option<Vec<(usize, usize)>> {
    // Not `scan_tokens`: it makes a slice of a null pointer where there is no token.
    let tokens = pg_query::scan(sql).ok()?.tokens;
    let comment = |token: i32| token == Token::CComment as i32 || token == Token::SqlComment as i32;
    let place = |at: i32| usize::try_from(at).unwrap();
    Some(
        tokens
            .iter()
            .filter(|token| !comment(token.token))
            .map(|token| (place(token.start), place(token.end)))
            .collect(),
    )
}

fn check(sql: &str) {
    let pieces: Vec<_> = Pieces::of(sql).collect();
    // PostgreSQL refuses `$1a`; its scanner as it comes with the parser's library reads `$1 a`.
    let glued = pieces
        .iter()
        .any(|piece| piece.kind == Kind::Param && !sql[piece.start + 1..piece.end].bytes().all(|b| b.is_ascii_digit()));
    if let (Some(expected), false) = (scanned(sql), glued) {
        let starts: Vec<_> = pieces.iter().map(|piece| piece.start).collect();
        assert_eq!(starts, expected.iter().map(|token| token.0).collect::<Vec<_>>(), "{sql:?}");
        for (piece, token) in pieces.iter().zip(expected) {
            // The scanner leaves the end of a string with continuations, and of some others, to its reader.
            assert!(piece.end >= token.1 || sql[piece.end..token.1].trim().is_empty(), "{piece:?} {token:?} {sql:?}");
        }
    }
}

#[test]
fn odd_spellings_have_the_scanners_boundaries() {
    for sql in [
        "SELECT 1",
        "a*-1",
        "a*-+1",
        "a<-1",
        "@-1",
        "@-",
        "a||-b",
        "+-+-",
        "<>-",
        "<=>",
        "a=-1",
        "a--b\nc",
        "a*/**/b",
        "a/*/**/*/b",
        "a*/*b*/c",
        "1..2",
        "1.",
        ".5",
        "1.5e10",
        "1.5e-10",
        "1e5",
        "0xff",
        "0o17",
        "0b11",
        "1_000",
        "1_0.0_1",
        "0xe+1",
        "1.e5",
        "E'a\\'b'",
        "e'\\\\'",
        "'a\\'",
        "'it''s'",
        "'a'\n'b'",
        "E'a'\n'b\\''",
        "'a' -- x\n 'b'",
        "'a' 'b'",
        "'a' -- x\r'b'",
        "\"a\"\"b\"",
        "U&'a'",
        "U&\"a\"",
        "u&'a' uescape '!'",
        "N'a'",
        "n'a'",
        "b'1'",
        "b'1''0'",
        "x'1'\n'0'",
        "1e-",
        "1.5e+a",
        "X'ff'",
        "$$a$$",
        "$a$ $b$ $a$",
        "$a$$a$",
        "$1",
        "$1,$2",
        "a$1",
        "a$b$c",
        "é",
        "éa",
        "a.b.c",
        "a.*",
        "a::b",
        "a:=b",
        "a=>b",
        ":a",
        "[1:2]",
        "f(x)(y)",
        "`a`",
        "a?b",
        "\u{a0}a",
        "/* a /* b */ c */ d",
        "-- only\n",
        "",
        " ",
        "'a'/**/'b'",
        "Eé'a'",
        "xe'a'",
        "_e'a'",
        "$é$x$é$",
        "~!@#^&|`?+-",
        "a<=-b",
        "a!=-b",
        "a!-b",
        "'a'\u{b}\n'b'",
    ] {
        check(sql);
    }
    for sql in ORDINARY {
        check(sql);
    }
    for (_, shape) in SHAPES {
        check(&shape(5));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_texts_have_the_scanners_boundaries(seed: u64) {
        let mut dice = Dice::new(seed);
        let query = dice.query(3);
        check(&query);
        check(&dice.mutated(&query));
    }

    #[test]
    fn soups_of_odd_characters_have_the_scanners_boundaries(
        sql in r#"([-+*/<>=~!@#^&|`?%$'"\\eEuUxXbBnN_.:;,()\[\]0-9aé \n]|\$[a1]|--|/\*|\*/){0,24}"#
    ) {
        check(&sql);
    }

    #[test]
    fn any_text_is_cut_without_gaps_in_order(sql in "\\PC{0,60}") {
        let mut end = 0;
        for piece in Pieces::of(&sql) {
            prop_assert!(piece.start >= end && piece.end > piece.start && piece.end <= sql.len());
            end = piece.end;
        }
        check(&sql.replace('\0', " "));
    }
}
