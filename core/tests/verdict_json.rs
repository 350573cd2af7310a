//! The bytes of a verdict's JSON against the contract, by hand and by serde_json.

#![allow(clippy::unwrap_used)]

mod verdict_samples;

use haltsql::{BindParam, BindValue, PolicyRef, Reason, ReasonCode, StatementKind, Verdict};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use verdict_samples::{allowed, denied, reason};

#[test]
fn an_allowed_verdict_has_the_bytes_of_the_contract() {
    assert_eq!(
        allowed().to_json(),
        concat!(
            r#"{"allowed":true,"reasons":[],"shadow_reasons":[],"policy":{"name":"analytics-agent","#,
            r#""version":"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","#,
            r#""search_path":["app","We\"ird"]},"statement_kind":"select","#,
            r#""tables":["app.\"Order\"","app.customers"],"columns":["app.customers.id"],"#,
            r#""bind_params":[{"param":1,"value":"acme","type":"text"},{"param":2,"value":["7","8"],"type":"integer[]"}],"#,
            r#""fingerprint":"d9e3c54f1e2a6b70","#,
            r#""sql_sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","elapsed_us":87}"#,
        )
    );
}

#[test]
fn unknown_optional_fields_of_a_reason_are_absent_and_those_of_the_verdict_null() {
    let mut verdict = denied(vec![
        reason(ReasonCode::Empty, None, "no statement", None),
        reason(ReasonCode::TableDenied, Some(0), "m", Some("h")),
    ]);
    verdict.statement_kind = None;
    verdict.fingerprint = None;
    let json = verdict.to_json();
    assert!(json.starts_with(concat!(
        r#"{"allowed":false,"reasons":[{"code":"E_EMPTY","message":"no statement","rule":"sql.parse"},"#,
        r#"{"code":"E_TABLE_DENIED","message":"m","rule":"tables.allow","loc":0,"hint":"h"}],"shadow_reasons":[],"#,
    )));
    assert!(json.contains(r#","statement_kind":null,"#));
    assert!(json.contains(r#","bind_params":[],"fingerprint":null,"#));
}

#[test]
fn each_character_is_escaped_as_the_contract_says_and_no_other() {
    for (text, escaped) in [
        ("\"", r#"\""#),
        ("\\", r"\\"),
        ("\u{8}", r"\b"),
        ("\t", r"\t"),
        ("\n", r"\n"),
        ("\u{c}", r"\f"),
        ("\r", r"\r"),
        ("\0", r"\u0000"),
        ("\u{1}", r"\u0001"),
        ("\u{b}", r"\u000b"),
        ("\u{1b}", r"\u001b"),
        ("\u{1f}", r"\u001f"),
        (" ", " "),
        ("/", "/"),
        ("\u{7f}", "\u{7f}"),
        ("\u{80}", "\u{80}"),
        ("\u{2028}", "\u{2028}"),
        ("é漢😀", "é漢😀"),
        ("a\"b\"", r#"a\"b\""#),
    ] {
        let json = denied(vec![reason(ReasonCode::Parse, None, text, None)]).to_json();
        let expected = format!(r#""message":"{escaped}","rule""#);
        assert!(json.contains(&expected), "{text:?}: {json}");
    }
}

/// The contract's shape as serde reads and writes it: the order of fields is that of `docs/verdict.md`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mirror {
    allowed: bool,
    reasons: Vec<MirrorReason>,
    shadow_reasons: Vec<MirrorReason>,
    policy: MirrorPolicy,
    statement_kind: Option<String>,
    tables: Vec<String>,
    columns: Vec<String>,
    bind_params: Vec<MirrorBind>,
    fingerprint: Option<String>,
    sql_sha256: String,
    elapsed_us: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MirrorReason {
    code: String,
    message: String,
    rule: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    loc: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MirrorPolicy {
    name: String,
    version: String,
    search_path: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MirrorBind {
    param: u32,
    value: MirrorValue,
    r#type: String,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum MirrorValue {
    One(String),
    Many(Vec<String>),
}

impl From<&Verdict> for Mirror {
    fn from(verdict: &Verdict) -> Self {
        let reasons = |reasons: &[Reason]| {
            let mirror = |reason: &Reason| MirrorReason {
                code: reason.code.as_str().to_owned(),
                message: reason.message.clone(),
                rule: reason.code.rule().to_owned(),
                loc: reason.loc,
                hint: reason.hint.clone(),
            };
            reasons.iter().map(mirror).collect()
        };
        let bind = |bind: &BindParam| MirrorBind {
            param: bind.param,
            value: match bind.value.clone() {
                BindValue::One(value) => MirrorValue::One(value),
                BindValue::Many(values) => MirrorValue::Many(values),
            },
            r#type: bind.ty.to_owned(),
        };
        Mirror {
            allowed: verdict.allowed,
            reasons: reasons(&verdict.reasons),
            shadow_reasons: reasons(&verdict.shadow_reasons),
            policy: MirrorPolicy {
                name: verdict.policy.name.clone(),
                version: verdict.policy.version.clone(),
                search_path: verdict.policy.search_path.clone(),
            },
            statement_kind: verdict.statement_kind.map(|kind| kind.as_str().to_owned()),
            tables: verdict.tables.clone(),
            columns: verdict.columns.clone(),
            bind_params: verdict.bind_params.iter().map(bind).collect(),
            fingerprint: verdict.fingerprint.clone(),
            sql_sha256: verdict.sql_sha256.clone(),
            elapsed_us: verdict.elapsed_us,
        }
    }
}

/// Any text, with the characters that JSON escapes made frequent.
fn text() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        any::<char>(),
        (0_u32..0x20).prop_map(|code| char::from_u32(code).unwrap()),
        Just('"'),
        Just('\\'),
        Just('\u{7f}'),
        Just('\u{2028}'),
        Just('😀'),
    ];
    prop::collection::vec(character, 0..12).prop_map(|characters| characters.into_iter().collect())
}

fn reasons() -> impl Strategy<Value = Vec<Reason>> {
    let one = (prop::sample::select(ReasonCode::ALL), text(), any::<Option<u32>>(), prop::option::of(text()))
        .prop_map(|(code, message, loc, hint)| Reason { code, message, loc, hint });
    prop::collection::vec(one, 0..4)
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(text(), 0..4)
}

fn binds() -> impl Strategy<Value = Vec<BindParam>> {
    let value = prop_oneof![text().prop_map(BindValue::One), texts().prop_map(BindValue::Many)];
    let ty = prop::sample::select(&["text", "uuid", "integer", "text[]", "uuid[]", "integer[]"][..]);
    let one = (any::<u32>(), value, ty).prop_map(|(param, value, ty)| BindParam { param, value, ty });
    prop::collection::vec(one, 0..4)
}

fn verdicts() -> impl Strategy<Value = Verdict> {
    let kinds = [StatementKind::Select, StatementKind::Insert, StatementKind::Update, StatementKind::Delete];
    let kind = prop::option::of(prop::sample::select(kinds.to_vec()));
    let policy =
        (text(), text(), texts()).prop_map(|(name, version, search_path)| PolicyRef { name, version, search_path });
    let first = (any::<bool>(), reasons(), reasons(), policy, kind);
    let second = (texts(), texts(), binds(), prop::option::of(text()), text(), any::<u64>());
    (first, second).prop_map(
        |(
            (allowed, reasons, shadow_reasons, policy, statement_kind),
            (tables, columns, bind_params, fingerprint, sql_sha256, elapsed_us),
        )| Verdict {
            allowed,
            reasons,
            shadow_reasons,
            policy,
            statement_kind,
            tables,
            columns,
            bind_params,
            fingerprint,
            sql_sha256,
            elapsed_us,
        },
    )
}

proptest! {
    /// serde_json escapes exactly what the contract escapes, so equal bytes prove order, spelling and values at once.
    #[test]
    fn any_verdict_is_written_as_serde_json_would_write_its_mirror(verdict in verdicts()) {
        let json = verdict.to_json();
        prop_assert_eq!(&json, &serde_json::to_string(&Mirror::from(&verdict)).unwrap());
        let parsed: Mirror = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(serde_json::to_string(&parsed).unwrap(), json);
    }
}
