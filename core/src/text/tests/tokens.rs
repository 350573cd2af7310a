//! Places of keywords.

use crate::text::Tokens;

#[test]
fn keywords_are_found_by_place_in_any_case_and_never_in_strings_or_comments() {
    let sql = "/* join */ select 'join' FROM a Left JOIN b ON \"join\" = 1 -- join\n join c ON true";
    let tokens = Tokens::scan(sql);
    assert_eq!(tokens.first_token(), sql.find("select"));
    let (first, second) = (sql.find("JOIN").unwrap(), sql.rfind("join").unwrap());
    assert_eq!(tokens.find_keyword_before(first, &["join", "left"]), sql.find("Left"));
    assert_eq!(tokens.find_keyword_before(sql.len(), &["join"]), Some(second));
    assert_eq!(tokens.find_keyword_before(first, &["join"]), None);
    assert_eq!(tokens.find_keyword_before(usize::MAX, &["nothing"]), None);
}

#[test]
fn locking_clauses_are_counted_in_the_order_of_the_text() {
    let sql = "SELECT substring(a FOR share), (SELECT 1 FROM b FOR KEY SHARE), overlay(a PLACING 'x' FROM 1 FOR update), \
               substring((SELECT 1 FROM d FOR SHARE) FOR 2) FROM c FOR NO KEY UPDATE OF c FOR UPDATE NOWAIT";
    let tokens = Tokens::scan(sql);
    let places =
        ["FOR KEY SHARE", "FOR SHARE", "FOR NO KEY UPDATE", "FOR UPDATE NOWAIT"].map(|clause| sql.find(clause));
    for (n, place) in places.into_iter().enumerate() {
        assert!(place.is_some());
        assert_eq!(tokens.locking_clauses().get(n).copied(), place);
    }
    assert_eq!(tokens.locking_clauses().len(), 4);
}

#[test]
fn odd_texts_have_tokens_too() {
    assert_eq!(Tokens::scan("").first_token(), None);
    assert_eq!(Tokens::scan("-- a").first_token(), None);
    let tokens = Tokens::scan("a 'b");
    assert_eq!(tokens.iter().map(|token| token.text).collect::<Vec<_>>(), ["a", "'b"]);
    assert_eq!(Tokens::scan(") for").locking_clauses(), Vec::<usize>::new());
}
