//! Texts: queries changed byte by byte, queries full of Unicode, texts of a given size.

use super::dice::Dice;

/// What a lexer, a decoder or a language's strings could take for something else.
const FRAGMENTS: &[&[u8]] = &[
    b"\0",
    b"\xff",
    b"\x80",
    // NUL and half of a surrogate pair as UTF-8 that is not allowed, and a number beyond the last character.
    b"\xc0\x80",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xe2\x82",
    b"\xef\xbb\xbf",
    b"\x7f",
    b"\x1b[31m",
    b"\r\n",
    b"\t",
    b"'",
    b"''",
    b"\"",
    b"\"\"",
    b"`",
    b"$$",
    b"$a$",
    b"--",
    b"/*",
    b"*/",
    b"/* /* */",
    b"\\",
    b"E'\\u0000'",
    b"E'\\xff'",
    b"U&\"d\\0061t\\+000061\"",
    b"U&'\\D83D\\DE00'",
    b"U&'\\D83D'",
    b"X'zz'",
    b"$1",
    b"$0",
    b"$99999999999",
    b"$1a",
    b";",
    b"1e999999",
    b"0x1F",
    b"1_000",
    b":name",
    b"?",
    b"%s",
    b"{fn now()}",
    b",\"elapsed_us\":1}",
    b"</script>",
    b" UNION SELECT * FROM ",
    b" OR true ",
    b" pg_sleep(1) ",
    b" pg_catalog.pg_user ",
    b" NATURAL JOIN ",
    b"(",
    b")",
    b" NULL ",
    b"*",
];

/// Characters whose form, width, case or direction trips somebody.
const CHARACTERS: &[&str] = &[
    "é",
    "e\u{301}",
    "ß",
    "ẞ",
    "İ",
    "ı",
    "ſ",
    "K",
    "ﬁ",
    "Ⅷ",
    "٣",
    "Ａ",
    "Größe",
    "maß",
    "名前",
    "имя",
    "שם",
    "\u{202e}",
    "\u{200b}",
    "\u{200d}",
    "\u{ad}",
    "\u{a0}",
    "\u{2028}",
    "\u{2029}",
    "\u{3000}",
    "\u{85}",
    "\u{feff}",
    "\u{fffd}",
    "\u{fffe}",
    "\u{e000}",
    "\u{10ffff}",
    "😀",
    "👩\u{200d}👩\u{200d}👧",
    "🇩🇪",
    "𝒜",
    "“",
    "’",
    "；",
    "－－",
    "＊",
];

/// Where a character is put: `@`.
const PLACES: &[&str] = &[
    "SELECT '@' FROM app.products",
    "SELECT id AS \"@\" FROM app.products",
    "SELECT id AS @ FROM app.products",
    "SELECT \"@\" FROM app.products",
    "SELECT @.id FROM app.products AS @",
    "SELECT \"@\".id, \"@\".nope FROM app.products AS \"@\"",
    "SELECT id FROM \"@\".products",
    "SELECT id FROM app.\"@\"",
    "SELECT id /* @ */ FROM app.products -- @\nWHERE name = '@'",
    "SELECT id FROM app.products WHERE name LIKE '%@%' AND nope = 1",
    "SELECT id FROM app.orders WHERE tenant_id = '@'",
    "SELECT id FROM app.orders WHERE tenant_id = $1 AND status = E'@\\u00e9'",
    "SELECT \"@\"(id) FROM app.products",
    "SELECT id::\"@\" FROM app.products",
    "SELECT name COLLATE \"@\" FROM app.products",
    "SELECT $@$ @ $@$ FROM app.products",
    "SELECT U&\"\\0040@\" FROM app.products",
    "@SELECT 1",
    "SELECT 1@",
    "SELECT 1 @ 2",
    "SELECT 'unterminated @",
    "SELECT \"unterminated @",
];

/// A query with one to three changes. `other` is another query to take pieces from.
pub fn mutated(mut sql: Vec<u8>, other: &[u8], dice: &mut Dice) -> Vec<u8> {
    for _ in 0..dice.between(1, 3) {
        let (start, end) = range(sql.len(), dice);
        match dice.below(8) {
            0 => replace(&mut sql, start, end.min(start + 1), &[dice.byte()]),
            1 | 2 => replace(&mut sql, start, start, dice.one_of(FRAGMENTS).copied().unwrap_or_default()),
            3 => replace(&mut sql, start, start, character(dice).as_bytes()),
            4 => replace(&mut sql, start, end, b""),
            5 => {
                let piece = sql.get(start..end).unwrap_or_default().to_vec();
                replace(&mut sql, end, end, &piece);
            }
            6 => {
                let (from, to) = range(other.len(), dice);
                replace(&mut sql, start, end, other.get(from..to).unwrap_or_default());
            }
            _ => swap_word(&mut sql, other, dice),
        }
    }
    sql
}

/// A query with odd characters in names, strings or comments.
pub fn unicode(dice: &mut Dice) -> Vec<u8> {
    let place = dice.one_of(PLACES).copied().unwrap_or_default();
    let mut text = String::new();
    for _ in 0..dice.between(1, 3) {
        text.push_str(character(dice));
    }
    let sql = place.replace('@', &text).into_bytes();
    if dice.one_in(8) { mutated(sql, place.as_bytes(), dice) } else { sql }
}

/// A query of exactly this many bytes, with characters of several bytes across the end.
pub fn of_size(size: usize, dice: &mut Dice) -> Vec<u8> {
    let mut text = String::from("SELECT id FROM app.products --");
    while text.len() < size {
        let next = if dice.one_in(3) { character(dice) } else { "x" };
        if text.len() + next.len() <= size { text.push_str(next) } else { text.push('x') }
    }
    text.into_bytes()
}

fn character(dice: &mut Dice) -> &'static str {
    dice.one_of(CHARACTERS).copied().unwrap_or_default()
}

/// A piece of a text of this length, mostly a short one.
fn range(length: usize, dice: &mut Dice) -> (usize, usize) {
    let start = dice.below(length + 1);
    let longest = if dice.one_in(4) { length } else { 12 };
    (start, (start + dice.below(longest + 1)).min(length))
}

fn replace(text: &mut Vec<u8>, start: usize, end: usize, with: &[u8]) {
    text.splice(start..end.max(start), with.iter().copied());
}

/// Puts a word of the other text in the place of a word.
fn swap_word(sql: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    let (own, others) = (words(sql), words(other));
    if let (Some(&(start, end)), Some(&(from, to))) = (dice.one_of(&own), dice.one_of(&others)) {
        replace(sql, start, end, other.get(from..to).unwrap_or_default());
    }
}

fn words(text: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, byte) in text.iter().chain(b" ").enumerate() {
        match (byte.is_ascii_alphanumeric() || *byte == b'_', start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                found.push((from, at));
                start = None;
            }
            (true, Some(_)) | (false, None) => {}
        }
    }
    found
}
