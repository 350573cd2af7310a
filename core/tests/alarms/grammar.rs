//! E_PARSE exactly where PostgreSQL 18's scanner or grammar refuses, and at its place: on mutations of the corpus and
//! of `conformance/alarms/`.
//!
//! The tests of `core/src/parse/` do the same on grammar shapes; here the texts are what people write, cut, spliced and
//! misspelt.

use std::collections::BTreeSet;

use haltsql::{Context, Policy, ReasonCode, Verdict};
use haltsql_testkit::{Server, Version};
use postgres::error::ErrorPosition;

use crate::queries::{Tenancy, worlds};
use crate::{case, corpus};

/// How many texts are asked; the issue wants 5,000 at least.
const TEXTS: usize = 8_000;

/// Limits out of the way: what they refuse never reaches the grammar.
const POLICY: &str = "{\"apiVersion\": \"haltsql.dev/v1\", \"kind\": \"Policy\", \"metadata\": {\"name\": \"grammar\"}, \
    \"spec\": {\"tables\": {\"public.t\": {\"columns\": [\"a\"]}}, \"limits\": {\"max_depth\": 512, \"max_relations\": 1024}}}";

/// Texts on which the two once disagreed.
const FOUND: &[&str] = &[
    "SELECT 1 FROM t WHERE a = BY $1 AND b = 2",
    "SELECT by $1",
    "SELECT a FROM t ORDER BY $1",
    "SELECT sum(a) OVER (PARTITION BY $1 ORDER BY $2) FROM t GROUP BY $3",
];

/// What is put in or in place of a token.
const TOKENS: &[&str] = &[
    "SELECT",
    "FROM",
    "WHERE",
    "AND",
    "OR",
    "NOT",
    "IN",
    "(",
    ")",
    ",",
    ".",
    ";",
    "::",
    "=",
    "'",
    "\"",
    "$",
    "$1",
    "$$",
    "--",
    "/*",
    "*/",
    "E'\\",
    "U&'",
    "[",
    "]",
    "*",
    "JOIN",
    "LEFT",
    "ON",
    "USING",
    "LATERAL",
    "WITH",
    "RECURSIVE",
    "AS",
    "GROUP",
    "BY",
    "ORDER",
    "HAVING",
    "LIMIT",
    "OFFSET",
    "FETCH",
    "FIRST",
    "ROWS",
    "ONLY",
    "TIES",
    "OVER",
    "PARTITION",
    "FILTER",
    "WITHIN",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "NULL",
    "IS",
    "DISTINCT",
    "BETWEEN",
    "LIKE",
    "ILIKE",
    "SIMILAR",
    "ESCAPE",
    "AT",
    "TIME",
    "ZONE",
    "INTERVAL",
    "DATE",
    "CAST",
    "EXTRACT",
    "ARRAY",
    "ROW",
    "EXISTS",
    "ANY",
    "ALL",
    "UNION",
    "EXCEPT",
    "INTERSECT",
    "VALUES",
    "TABLE",
    "GROUPING",
    "SETS",
    "CUBE",
    "ROLLUP",
    "WINDOW",
    "RANGE",
    "PRECEDING",
    "FOLLOWING",
    "1",
    "1.5e",
    "0x1G",
    "1_0",
    "1__0",
    "'a'",
    "\"\"",
    "?",
    "%s",
    ":x",
    "{",
    "`",
    "é",
    "\u{a0}",
    "\u{200b}",
    "||",
    "->>",
    "@>",
    "!=",
    "<>",
    "~*",
    "FOR",
    "UPDATE",
    "INTO",
    "COLLATE",
    "OPERATOR(+)",
    "OVERLAPS",
    "NATURAL",
    "CROSS",
    "FULL",
    "SYMMETRIC",
    "TABLESAMPLE",
    "WITH ORDINALITY",
];

#[test]
fn texts_are_refused_by_the_grammar_of_both_or_of_none() {
    let mut texts: Vec<String> = Vec::new();
    for world in worlds() {
        texts.extend(world.queries.iter().map(|query| query.text(&world, Tenancy::Bound)));
    }
    texts.extend(
        corpus::load()
            .iter()
            .map(case::Case::sql)
            .filter_map(|sql| String::from_utf8(sql).ok())
            .filter(|sql| sql.len() < 10_000 && !sql.contains('\0')),
    );
    let policy = Policy::from_json(POLICY).unwrap();
    let server = Server::start(Version::Pg18).unwrap();
    let mut client = server.connect("postgres", "postgres").unwrap();
    let mut dice = Dice(11);
    let (mut asked, mut refused, mut limits, mut wrong) = (BTreeSet::new(), 0, 0, Vec::new());
    // Every text as it stands, then mutations.
    let mut unchanged = FOUND.iter().map(|text| (*text).to_owned()).chain(texts.clone());
    while asked.len() < TEXTS {
        let sql = unchanged.next().unwrap_or_else(|| dice.mutated(&texts));
        if !asked.insert(sql.clone()) {
            continue;
        }
        let verdict = policy.check(sql.as_bytes(), &Context::new());
        if before_the_grammar(&verdict) {
            limits += 1;
            continue;
        }
        let ours = verdict.reasons.iter().find(|reason| reason.code == ReasonCode::Parse);
        let theirs = server_refusal(&mut client, &sql);
        match (ours, &theirs) {
            (None, None) => {}
            (Some(reason), Some((message, place))) => {
                refused += 1;
                // The server counts a doubled quote before an escape of `U&''` as one byte, and points beside the
                // escape.
                let vague = message.starts_with("invalid Unicode") && sql.contains("''");
                let loc = reason.loc.map(|loc| usize::try_from(loc).unwrap());
                if place.is_some() && loc != *place && !vague {
                    wrong.push(format!("{loc:?}, the server {place:?} {message}: {sql}"));
                }
            }
            (ours, theirs) => wrong.push(format!("{ours:?}, the server {theirs:?}: {sql}")),
        }
    }
    println!(
        "same grammar: {} texts, {refused} refused by both, {limits} refused by a limit before it, {} unequal",
        asked.len() - limits,
        wrong.len()
    );
    assert!(wrong.is_empty(), "\n{}\n{} unequal", wrong.join("\n"), wrong.len());
    assert!(asked.len() - limits > 5_000 && refused > 1_000, "too few texts of one kind");
}

/// A limit answered: the text was not parsed.
fn before_the_grammar(verdict: &Verdict) -> bool {
    verdict.reasons.iter().any(|reason| matches!(reason.code, ReasonCode::TooLarge | ReasonCode::TooComplex))
}

/// What the server's scanner or grammar says against a text, and the byte that it points at. The statement is only
/// prepared; the source file tells the grammar from analysis, which uses the same codes.
fn server_refusal(client: &mut postgres::Client, sql: &str) -> Option<(String, Option<usize>)> {
    let error = client.prepare(sql).err()?;
    let error = error.as_db_error().unwrap_or_else(|| panic!("{error}: {sql}"));
    // A context: the grammar was asked for a type's name inside a string, `'f(;)'::regprocedure`.
    if error.where_().is_some()
        || !matches!(error.file(), Some("scan.l" | "scan.c" | "gram.y" | "gram.c" | "parser.c" | "mbutils.c"))
    {
        return None;
    }
    let place = error.position().map(|position| match position {
        ErrorPosition::Original(characters) => {
            let before = usize::try_from(*characters).unwrap() - 1;
            sql.char_indices().nth(before).map_or(sql.len(), |(at, _)| at)
        }
        ErrorPosition::Internal { .. } => panic!("an internal position: {sql}"),
    });
    Some((error.message().to_owned(), place))
}

/// A small generator: the same texts on every run and machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(end.max(1)).unwrap()).unwrap()
    }

    /// One text with one to three changes to its tokens, or its characters.
    fn mutated(&mut self, texts: &[String]) -> String {
        let mut tokens = tokens(&texts[self.below(texts.len())]);
        for _ in 0..=self.below(2) {
            tokens.retain(|token| !token.is_empty());
            if tokens.is_empty() {
                break;
            }
            let (at, other) = (self.below(tokens.len()), self.below(tokens.len()));
            let new = if self.below(4) == 0 { " " } else { "" }.to_owned() + TOKENS[self.below(TOKENS.len())] + " ";
            match self.below(8) {
                0 if tokens.len() > 1 => drop(tokens.remove(at)),
                1 => tokens.insert(at, new),
                2 => tokens[at] = new,
                3 => tokens.swap(at, other),
                4 => tokens.truncate(at + 1),
                5 => {
                    // A piece of another text: usually a clause in a place that it was not made for.
                    let donor = self::tokens(&texts[self.below(texts.len())]);
                    let (start, length) = (self.below(donor.len()), 1 + self.below(12));
                    let piece: String = donor.into_iter().skip(start).take(length).collect();
                    tokens.insert(at, format!(" {piece} "));
                }
                6 => {
                    let token = tokens[at].clone();
                    tokens.insert(at, token);
                }
                _ => {
                    let mut characters: Vec<char> = tokens[at].chars().collect();
                    let place = self.below(characters.len());
                    if self.below(2) == 0 && !characters.is_empty() {
                        characters.remove(place);
                    } else {
                        let all: Vec<char> = "'\"\\;()$é\u{1}_.0aE:-/*".chars().collect();
                        characters.insert(place, all[self.below(all.len())]);
                    }
                    tokens[at] = characters.into_iter().collect();
                }
            }
        }
        tokens.concat()
    }
}

/// Words, blanks, and single signs: enough for a mutation to hit something whole.
fn tokens(text: &str) -> Vec<String> {
    let kind = |c: char| {
        if c.is_alphanumeric() || c == '_' {
            1
        } else if c.is_whitespace() {
            2
        } else {
            0
        }
    };
    let mut out: Vec<String> = Vec::new();
    let mut last = 0;
    for c in text.chars() {
        match out.last_mut() {
            Some(token) if kind(c) == last && last != 0 => token.push(c),
            _ => out.push(c.to_string()),
        }
        last = kind(c);
    }
    out
}
