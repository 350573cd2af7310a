//! E_PARSE exactly when PostgreSQL 18's scanner or grammar refuses.

use super::{is_parse, loc, parsed, server_refusal};
use crate::text::tests::sample::{Dice, ORDINARY, SHAPES};

/// Beyond queries. None in which the parser's library takes a parameter for a name or a setting, `SET a = $1`: that is
/// another kind of statement here, where the server cannot parse it.
const STATEMENTS: &[&str] = &[
    "INSERT INTO t (a, b) VALUES (1, DEFAULT) ON CONFLICT (a) DO NOTHING RETURNING a",
    "UPDATE t SET (a, b) = (1, 2) FROM u WHERE t.a = u.a RETURNING *",
    "DELETE FROM t USING u WHERE t.a = u.a",
    "MERGE INTO t USING u ON t.a = u.a WHEN MATCHED AND t.b THEN DELETE WHEN NOT MATCHED THEN INSERT DEFAULT VALUES",
    "SELECT 1 FROM t WHERE a NOT LIKE b AND NOT c NOT IN (1) ORDER BY a NULLS LAST, b NULLS FIRST, c::time WITH TIME ZONE",
    "SELECT JSON_OBJECT('a': b FORMAT JSON), * FROM f(x) WITH ORDINALITY WHERE U&'!0041' UESCAPE '!' = a",
    "CREATE TABLE t (a int PRIMARY KEY, b text DEFAULT 'x' CHECK (b <> ''))",
    "EXPLAIN (ANALYZE, FORMAT json) SELECT 1",
    "COPY (SELECT 1) TO STDOUT WITH (FORMAT csv)",
];

#[test]
fn mutated_texts_are_refused_by_both_or_by_none_and_at_one_place() {
    let (_server, mut client) = super::server();
    let mut dice = Dice::new(7);
    let (mut refusals, mut wrong) = (0, Vec::new());
    for round in 0..20_000 {
        let text = match round % 4 {
            0 => dice.pick(ORDINARY).to_owned(),
            1 => dice.pick(STATEMENTS).to_owned(),
            2 => dice.pick(SHAPES).1(2),
            _ => dice.query(2),
        };
        let sql = dice.mutated(&text);
        let server = server_refusal(&mut client, &sql);
        let ours = parsed(&sql);
        match (&server, ours.as_ref().err().filter(|refusal| is_parse(refusal))) {
            (None, None) => {}
            (Some((message, position)), Some(refusal)) => {
                refusals += 1;
                // The server counts a doubled quote before an escape of `U&''` as one byte, and points beside the escape.
                let vague = message.starts_with("invalid Unicode") && sql.contains("''");
                if position.is_some() && !vague && loc(&refusal.reasons[0]) != *position {
                    wrong.push(format!("{position:?} {message} / {:?}: {sql:?}", refusal.reasons[0]));
                }
            }
            (server, ours) => wrong.push(format!("{server:?} / {ours:?}: {sql:?}")),
        }
    }
    assert!(refusals > 5_000, "{refusals}");
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
