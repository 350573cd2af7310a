//! The targets.

use std::io::BufReader;
use std::sync::LazyLock;

use haltsql::{Context, Format, Policy, ReasonCode, Verdict};
use serde_json::Value;

use crate::answer::{Outcome, answer, too_long};
use crate::lines::{self, Line};
use crate::seeds::{self, Setting, stable};

/// Longer lines are skipped here: far less than the command takes, so that fuzzing gets there.
const MAX_LINE: usize = 4096;

static SETTINGS: LazyLock<Vec<Setting>> = LazyLock::new(seeds::settings);

/// A text. The first two bytes choose among the corpus's settings (a policy and a context), the rest is the text.
pub fn sql(data: &[u8]) {
    let Some((head, text)) = data.split_first_chunk() else { return };
    let Setting { policy, context, .. } = &SETTINGS[usize::from(u16::from_le_bytes(*head)) % SETTINGS.len()];
    let verdict = whole(policy, context, text);
    assert_eq!(stable(&verdict), stable(&policy.check(text, context)), "two checks of one text differ");

    // White space at the end changes places and the digest, and never the answer.
    let mut longer = text.to_vec();
    longer.push(b'\n');
    let longer = whole(policy, context, &longer);
    if ![&verdict, &longer].iter().any(|verdict| codes(verdict).contains(&ReasonCode::TooLarge)) {
        assert_eq!((verdict.allowed, codes(&verdict)), (longer.allowed, codes(&longer)), "a line's end counts");
        assert_eq!(verdict.fingerprint, longer.fingerprint, "a line's end counts");
    }
}

/// A policy document, read as either language.
pub fn policy(data: &[u8]) {
    for format in [Format::Yaml, Format::Json] {
        match Policy::parse(data, format) {
            Ok(policy) => loaded(&policy),
            Err(error) => {
                assert!(!error.problems().is_empty());
                for problem in error.problems() {
                    assert!(problem.offset <= data.len() && problem.line > 0 && problem.column > 0, "{problem:?}");
                    assert!(!problem.message.is_empty() && !problem.message.contains('\n'), "{problem:?}");
                }
                assert!(!error.to_string().is_empty());
            }
        }
    }
}

/// What holds for every policy that loads.
fn loaded(policy: &Policy) {
    let again = Policy::from_json(policy.normal_form()).unwrap_or_else(|error| panic!("its normal form: {error}"));
    assert_eq!(again.version(), policy.version(), "the normal form's hash");
    assert_eq!(again.normal_form(), policy.normal_form(), "the normal form's normal form");
    let description = policy.describe();
    assert!(!description.to_text().is_empty());
    let _: Value = serde_json::from_str(&description.to_json()).unwrap();
    let context = Context::new().with("tenant_id", "acme");
    for text in ["SELECT 1", "SELECT * FROM orders o JOIN app.orders USING (id)", "DELETE FROM t WHERE a = $1"] {
        whole(policy, &context, text.as_bytes());
    }
}

/// A context as JSON.
pub fn context(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match Context::from_json(text) {
        Ok(context) => {
            for Setting { policy, .. } in SETTINGS.iter().step_by(7) {
                whole(policy, &context, b"SELECT o.id FROM orders o WHERE o.tenant_id = $1");
            }
        }
        Err(error) => assert!(!error.message().is_empty() && !error.message().contains('\n'), "{error:?}"),
    }
}

/// A batch: the first two bytes choose the setting, as for [`sql`].
pub fn batch(data: &[u8]) {
    let Some((head, stream)) = data.split_first_chunk() else { return };
    let Setting { policy, context, .. } = &SETTINGS[usize::from(u16::from_le_bytes(*head)) % SETTINGS.len()];
    let mut source = BufReader::with_capacity(64, stream);
    let (mut number, mut seen) = (0, 0);
    while let Some(line) = lines::next(&mut source, MAX_LINE).unwrap() {
        number += 1;
        let answer = match &line {
            Line::Whole(bytes) => {
                assert!(bytes.len() <= MAX_LINE && !bytes.contains(&b'\n'));
                seen += bytes.len();
                answer(policy, context, number, bytes)
            }
            Line::TooLong => too_long(number, MAX_LINE),
        };
        let text = answer.line.strip_suffix('\n').unwrap();
        assert!(!text.contains('\n'), "two lines for one: {text}");
        let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let (verdict, error) = (value.get("verdict"), value.get("error"));
        match answer.outcome {
            Outcome::Bad => assert!(verdict.is_none() && error.is_some_and(Value::is_string), "{text}"),
            Outcome::Allowed | Outcome::Denied => {
                let allowed = verdict.and_then(|verdict| verdict.get("allowed")).and_then(Value::as_bool);
                assert_eq!(allowed, Some(answer.outcome == Outcome::Allowed), "{text}");
                assert!(error.is_none(), "{text}");
                assert!(!text.contains("E_INTERNAL"), "{text}");
            }
        }
        if let Line::Whole(bytes) = &line
            && let Ok(Value::Object(request)) = serde_json::from_slice(bytes)
            && let (Some(sent), Some(back)) = (request.get("id"), value.get("id"))
        {
            assert_eq!(sent, back, "another id");
        }
    }
    assert!(seen <= stream.len());
}

/// A verdict, after a look at all that has to hold for any.
fn whole(policy: &Policy, context: &Context, sql: &[u8]) -> Verdict {
    let verdict = policy.check(sql, context);
    assert!(!codes(&verdict).contains(&ReasonCode::Internal), "the verifier failed");
    assert_eq!(verdict.allowed, verdict.reasons.is_empty());
    for reason in verdict.reasons.iter().chain(&verdict.shadow_reasons) {
        assert!(reason.loc.is_none_or(|loc| loc as usize <= sql.len()), "a place outside the text: {reason:?}");
        assert!(!reason.message.is_empty() && !reason.message.contains('\n'), "{reason:?}");
    }
    if verdict.allowed && verdict.shadow_reasons.is_empty() {
        assert!(verdict.statement_kind.is_some() && verdict.fingerprint.is_some(), "allowed, and not a statement");
    }
    let json: Value = serde_json::from_str(&verdict.to_json()).unwrap();
    assert_eq!(json.get("allowed").and_then(Value::as_bool), Some(verdict.allowed));
    if let Ok(sql) = std::str::from_utf8(sql) {
        assert!(!verdict.for_agent(sql).is_empty());
    }
    verdict
}

fn codes(verdict: &Verdict) -> Vec<ReasonCode> {
    let mut codes: Vec<_> = verdict.reasons.iter().chain(&verdict.shadow_reasons).map(|reason| reason.code).collect();
    codes.sort_unstable();
    codes
}
