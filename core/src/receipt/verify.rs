//! Whether a receipt is whole: every digest in it recomputed, and its signature.
//!
//! Receives a receipt's bytes and, where one is trusted, a public key; returns each check with its outcome. Only a signature says that
//! nobody made the receipt up; without one, digests find what was changed by accident or in part.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::digest::result_sha256;
use super::key::ReceiptPublicKey;
use super::order::is_total;
use crate::parse;
use crate::policy::{Limits, elements, members};
use crate::session::SessionError;
use crate::text::{Source, sha256_hex};

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Its name: `form`, `sql_sha256`, `fingerprint`, `policy`, `result_sha256`, `row_count`, `verdict`, `signature`.
    pub name: &'static str,
    /// What is wrong; `None`: nothing.
    pub problem: Option<String>,
}

/// What a receipt says, and what of it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedReceipt {
    /// Every check that was made.
    pub checks: Vec<Check>,
    /// It is signed, by the key that was asked for.
    pub signed: bool,
    /// The text that ran.
    pub sql: String,
    /// The result's digest.
    pub result_sha256: String,
    /// The columns: name and type.
    pub columns: Vec<(String, String)>,
    /// The rows.
    pub rows: Vec<Vec<Option<String>>>,
    /// The policy's version.
    pub policy_version: String,
    /// It is of a read.
    pub reads: bool,
    /// The text's outermost ORDER BY decides the order of its rows.
    pub ordered: bool,
}

impl VerifiedReceipt {
    /// Every check held.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.checks.iter().all(|check| check.problem.is_none())
    }
}

/// The fields of a receipt, in the order of docs/receipts.md.
const FIELDS: &[&str] = &[
    "receipt_version",
    "haltsql_version",
    "profiles_sha256",
    "sql",
    "sql_sha256",
    "fingerprint",
    "policy",
    "context_sha256",
    "seal",
    "role",
    "row_count",
    "truncated",
    "columns",
    "rows",
    "result_sha256",
    "started_at",
    "elapsed_us",
    "verdict",
];

/// Looks at a receipt. `key`: the public key that it must be signed with.
///
/// # Errors
/// [`SessionErrorKind::Argument`](crate::session::SessionErrorKind): these are not the bytes of a receipt of this version.
pub fn verify(receipt: &[u8], key: Option<&ReceiptPublicKey>) -> Result<VerifiedReceipt, SessionError> {
    let broken = |what: &str| SessionError::argument(format!("this is not a receipt: {what}"));
    let value: Value = serde_json::from_slice(receipt).map_err(|_| broken("it is not JSON"))?;
    let Value::Object(mut fields) = value else { return Err(broken("it is not a JSON object")) };
    let signature = fields.remove("signature");
    if fields.get("receipt_version").and_then(Value::as_u64) != Some(super::RECEIPT_VERSION) {
        return Err(broken("its receipt_version is not one of this version's"));
    }
    for name in FIELDS {
        if !fields.contains_key(*name) {
            return Err(broken(&format!("it has no `{name}`")));
        }
    }
    let (columns, rows) = result(&fields).ok_or_else(|| broken("its columns and rows are not those of a result"))?;
    let mut checks = vec![form(receipt, &fields)];
    checks.extend(digests(&fields, &columns, &rows));
    let (signature, signed) = signatures(&fields, signature.as_ref(), key)?;
    checks.extend(signature);
    let select = fields.get("verdict").and_then(|verdict| verdict.get("statement_kind")).map(string);
    let types: Vec<String> = columns.iter().map(|(_, ty)| ty.clone()).collect();
    let ordered = source(text(&fields, "sql")).is_some_and(|source| is_total(&source, &types));
    Ok(VerifiedReceipt {
        reads: select.as_deref() == Some("select"),
        ordered,
        checks,
        signed,
        sql: text(&fields, "sql").to_owned(),
        result_sha256: text(&fields, "result_sha256").to_owned(),
        columns,
        rows,
        policy_version: fields.get("policy").and_then(|policy| policy.get("version")).map(string).unwrap_or_default(),
    })
}

/// The RFC 8785 form; numbers that JSON's readers round are refused.
pub(super) fn canonical(value: &Value) -> Result<Vec<u8>, SessionError> {
    if !exact(value) {
        return Err(SessionError::argument("a number of the receipt is too large for JSON"));
    }
    serde_json_canonicalizer::to_vec(value)
        .map_err(|_| SessionError::argument("the receipt cannot be written in its canonical form"))
}

fn exact(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_u64().is_some_and(|number| number <= 9_007_199_254_740_991),
        Value::Array(values) => values.iter().all(exact),
        Value::Object(fields) => fields.values().all(exact),
        Value::Null | Value::Bool(_) | Value::String(_) => true,
    }
}

/// A text that the parser may be given, whatever its policy's limit on bytes was.
fn source(sql: &str) -> Option<Source<'_>> {
    Source::new(sql.as_bytes(), &Limits { max_sql_bytes: u64::MAX, ..Limits::default() }).ok()
}

fn text<'v>(fields: &'v Map<String, Value>, name: &str) -> &'v str {
    fields.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

type Table = (Vec<(String, String)>, Vec<Vec<Option<String>>>);

fn result(fields: &Map<String, Value>) -> Option<Table> {
    let column = |column: &Value| {
        let column = column.as_object().filter(|column| column.len() == 2)?;
        Some((column.get("name")?.as_str()?.to_owned(), column.get("type")?.as_str()?.to_owned()))
    };
    let cell = |value: &Value| match value {
        Value::Null => Some(None),
        Value::String(text) => Some(Some(text.clone())),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
    };
    let columns = fields.get("columns")?.as_array()?.iter().map(column).collect::<Option<Vec<_>>>()?;
    let row = |row: &Value| {
        let row = row.as_array().filter(|row| row.len() == columns.len())?;
        row.iter().map(cell).collect::<Option<Vec<_>>>()
    };
    let rows = fields.get("rows")?.as_array()?.iter().map(row).collect::<Option<Vec<_>>>()?;
    Some((columns, rows))
}

/// One key twice would let a reader see another value than the one that was checked; an unknown field is covered by nothing.
fn form(receipt: &[u8], fields: &Map<String, Value>) -> Check {
    let unknown = fields.keys().find(|name| !FIELDS.contains(&name.as_str()));
    let twice = std::str::from_utf8(receipt).map_or(true, |text| repeats_key(text.trim()));
    let problem = match unknown {
        Some(name) => Some(format!("the field `{name}` is not part of a receipt")),
        None => twice.then(|| "a key stands twice in it".to_owned()),
    };
    Check { name: "form", problem }
}

fn repeats_key(raw: &str) -> bool {
    if raw.starts_with('{') {
        let Ok(members) = members(raw) else { return true };
        let names: BTreeSet<_> =
            members.iter().map(|(name, _)| serde_json::from_str::<String>(name.get()).ok()).collect();
        names.len() < members.len() || members.iter().any(|(_, value)| repeats_key(value.get()))
    } else if raw.starts_with('[') {
        elements(raw).map_or(true, |elements| elements.iter().any(|element| repeats_key(element.get())))
    } else {
        false
    }
}

fn digests(fields: &Map<String, Value>, columns: &[(String, String)], rows: &[Vec<Option<String>>]) -> Vec<Check> {
    let sql = text(fields, "sql");
    let verdict = fields.get("verdict").cloned().unwrap_or_default();
    let says = |name: &str, computed: &str| {
        (text(fields, name) != computed).then(|| format!("it is {}, and should be {computed}", text(fields, name)))
    };
    let borrowed: Vec<_> = columns.iter().map(|(name, ty)| (&**name, ty.clone())).collect();
    let fingerprint = source(sql).and_then(|source| parse::fingerprint(&source)).unwrap_or_default();
    let count = fields.get("row_count").and_then(Value::as_u64);
    let select = verdict.get("statement_kind").and_then(Value::as_str) == Some("select");
    let counted = if select { count == Some(rows.len() as u64) } else { count.is_some() };
    let same = |name: &str| verdict.get(name) == fields.get(name);
    let disagrees = ["sql_sha256", "fingerprint", "policy"].into_iter().find(|name| !same(name));
    let allowed = verdict.get("allowed").and_then(Value::as_bool) == Some(true);
    let problem = match disagrees {
        Some(name) => Some(format!("its `{name}` is not the receipt's")),
        None => (!allowed).then(|| "it does not allow the text".to_owned()),
    };
    vec![
        Check { name: "sql_sha256", problem: says("sql_sha256", &sha256_hex(sql.as_bytes())) },
        Check { name: "fingerprint", problem: says("fingerprint", &fingerprint) },
        Check { name: "result_sha256", problem: says("result_sha256", &result_sha256(&borrowed, rows)) },
        Check { name: "row_count", problem: (!counted).then(|| "it is not the number of rows".to_owned()) },
        Check { name: "verdict", problem },
    ]
}

fn signatures(
    fields: &Map<String, Value>,
    signature: Option<&Value>,
    key: Option<&ReceiptPublicKey>,
) -> Result<(Option<Check>, bool), SessionError> {
    let failed = |problem: &str| Ok((Some(Check { name: "signature", problem: Some(problem.to_owned()) }), false));
    let Some(signature) = signature else {
        return if key.is_some() { failed("the receipt is not signed") } else { Ok((None, false)) };
    };
    let part = |name: &str| signature.get(name).and_then(Value::as_str).unwrap_or_default();
    let only = signature.as_object().is_some_and(|parts| parts.len() == 3);
    if !only || part("algorithm") != "ed25519" {
        return failed("it is not of the form that this version writes");
    }
    let Ok(signer) = ReceiptPublicKey::parse(part("public_key").as_bytes()) else {
        return failed("it names no public key");
    };
    if signer.to_hex() != part("public_key") || key.is_some_and(|key| *key != signer) {
        return failed("it is another key's");
    }
    if !signer.signed(&canonical(&Value::Object(fields.clone()))?, part("value")) {
        return failed("the receipt was changed after it was signed");
    }
    Ok((Some(Check { name: "signature", problem: None }), key.is_some()))
}
