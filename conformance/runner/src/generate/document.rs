//! Policy documents: those of the corpus, whole or changed in a place, and small ones in both languages.

use super::dice::Dice;
use super::text;
use crate::rows::Task;

/// Names of documents: their ending decides the format where none is said.
const NAMES: &[&str] =
    &["", "policy.yaml", "policy.yml", "policy.json", "POLICY.JSON", "größe😀.yaml", "policy", "a\nb.json", "json"];

/// Small documents, good and bad.
const SMALL: &[&str] = &[
    "{\"apiVersion\":\"haltsql.dev/v1\",\"kind\":\"Policy\",\"metadata\":{\"name\":\"p\"},\"spec\":{\"tables\":{}}}",
    " \n{\"apiVersion\":\"haltsql.dev/v1\",\"kind\":\"Policy\",\"metadata\":{\"name\":\"p\"},\"spec\":{\"tables\":{\"app.t\":{\"columns\":[\"a\",\"😀\"]}}}}",
    "{apiVersion: haltsql.dev/v1, kind: Policy, metadata: {name: p}, spec: {tables: {app.t: {columns: [a]}}}}",
    "apiVersion: haltsql.dev/v1\nkind: Policy\nmetadata: { name: p }\nspec: { tables: { app.t: { columns: [a, \"\\U0001F600\"] } } }\n",
    "apiVersion: haltsql.dev/v1\r\nkind: Policy\r\nmetadata: { name: p }\r\nspec: { tables: {} }\r\n",
    "\u{feff}apiVersion: haltsql.dev/v1\nkind: Policy\nmetadata: { name: p }\nspec: { tables: {} }\n",
    "",
    "{}",
    "[]",
    "null",
    "a: &x 1\nb: *x\n",
    "a: 1\na: 2\n",
    "%YAML 1.2\n---\na: 1\n",
    "--- 1\n--- 2\n",
    "!!binary aGFsdA==",
    "a: \"\\0\"",
];

/// A document to load.
pub fn task(policies: &[(String, Vec<u8>)], dice: &mut Dice) -> Result<Task, String> {
    let document = if dice.one_in(3) {
        dice.one_of(SMALL).copied().unwrap_or_default().as_bytes().to_vec()
    } else {
        let (_, document) = dice.one_of(policies).ok_or("the corpus has no policy")?;
        document.clone()
    };
    let (_, other) = dice.one_of(policies).ok_or("the corpus has no policy")?;
    let document = if dice.one_in(2) { text::mutated(document, other, dice) } else { document };
    Ok(Task::Load {
        format: dice.one_of(&["auto", "auto", "yaml", "json"]).copied().unwrap_or_default().to_owned(),
        name: dice.one_of(NAMES).copied().unwrap_or_default().as_bytes().to_vec(),
        document,
    })
}
