//! Contexts: values of every shape, and texts that are none.

use super::dice::Dice;

/// What a value may be spelt as.
const VALUES: &[&str] = &[
    r#""acme""#,
    r#""initech""#,
    r#""""#,
    r#"" acme""#,
    r#""ACME""#,
    r#""ac\u006de""#,
    r#""acme\u0000""#,
    r#""\u0000""#,
    r#""\ud83d\ude00""#,
    r#""\ud83d""#,
    r#""\udc00\ud800""#,
    r#""😀""#,
    r#""é""#,
    r#""é""#,
    r#""a'b""#,
    r#""a\"b\\c\/d""#,
    "\"a\u{2028}b\"",
    "\"\u{10ffff}\"",
    "\"\u{fffd}\"",
    r#""\b\f\n\r\t""#,
    r#""$1""#,
    r#""0""#,
    r#""-1""#,
    r#""01""#,
    r#""9223372036854775807""#,
    r#""9223372036854775808""#,
    r#""11111111-1111-1111-1111-111111111111""#,
    r#""11111111-1111-1111-1111-11111111111A""#,
    r#"["acme"]"#,
    r#"["acme","initech"]"#,
    r#"["initech","acme","acme"]"#,
    r#"["é","z","😀","￿","a"]"#,
    "[]",
    r#"["acme",5]"#,
    r#"["acme",null]"#,
    r#"[["acme"]]"#,
    "42",
    "0",
    "-0",
    "1e400",
    "9007199254740993",
    "true",
    "null",
    "{}",
    r#"{"a":{"b":[1,2,{"c":null}]}}"#,
];

/// Texts that are no context.
const BROKEN: &[&[u8]] = &[
    b"",
    b" ",
    b"{",
    b"{}{}",
    b"{},",
    b"[]",
    b"null",
    b"\"acme\"",
    b"5",
    b"{'tenant_id':'acme'}",
    b"{tenant_id:\"acme\"}",
    b"{\"tenant_id\":\"acme\",}",
    b"{\"tenant_id\":\"acme\",\"tenant_id\":\"acme\"}",
    b"{\"tenant_id\":\"acme\",\"tenant\\u005fid\":\"initech\"}",
    b"{\"tenant_id\":\"ac\xffme\"}",
    b"{\"tenant_id\":\"\xed\xa0\xbd\"}",
    b"{\"tenant_id\":\"ac\nme\"}",
    b"{\"tenant_id\":\"ac\0me\"}",
    b"{\"tenant_id\":\"acme\"}\0",
    b"\xef\xbb\xbf{\"tenant_id\":\"acme\"}",
    b"{\"tenant_id\":nul}",
    b"{\"tenant_id\":01}",
    b"{\"tenant_id\":NaN}",
    b"{\"tenant_id\":\"acme\" /* c */}",
    b"\xff\xfe{\0}\0",
];

/// The keys that policies of the corpus use, and others.
const KEYS: &[&str] = &["tenant_id", "org_id", "account_id", "team", "Tenant_id", "tenant_id ", "ключ", ""];

/// Another context in the place of a case's.
pub fn changed(context: Vec<u8>, dice: &mut Dice) -> Vec<u8> {
    match dice.below(10) {
        0 => {
            // One byte of a good one, anywhere.
            let mut context = context;
            let at = dice.below(context.len());
            if let Some(byte) = context.get_mut(at) {
                *byte = dice.byte();
            }
            context
        }
        1 | 2 => dice.one_of(BROKEN).copied().unwrap_or_default().to_vec(),
        3 => {
            let depth = dice.between(1, 200);
            format!("{{\"tenant_id\":{}{}}}", "[".repeat(depth), "]".repeat(depth)).into_bytes()
        }
        4 => {
            let values: Vec<String> =
                (0..dice.between(1, 300)).map(|number| format!("\"t{}\"", number * 7 % 301)).collect();
            format!("{{\"tenant_id\":[{}]}}", values.join(",")).into_bytes()
        }
        _ => {
            let blank = if dice.one_in(3) { " \r\n\t" } else { "" };
            let members = (0..dice.between(0, 3)).map(|_| {
                let usual = dice.one_in(2);
                let key = if usual { Some("tenant_id") } else { dice.one_of(KEYS).copied() }.unwrap_or_default();
                let value = dice.one_of(VALUES).copied().unwrap_or_default();
                format!("{blank}\"{key}\"{blank}:{blank}{value}")
            });
            format!("{{{}{blank}}}", members.collect::<Vec<_>>().join(",")).into_bytes()
        }
    }
}
