//! Verdicts that tests of several renderings share.

use haltsql::{BindParam, BindValue, PolicyRef, Reason, ReasonCode, StatementKind, Verdict};

/// An allowed verdict with something in every list.
pub fn allowed() -> Verdict {
    Verdict {
        allowed: true,
        reasons: Vec::new(),
        shadow_reasons: Vec::new(),
        policy: PolicyRef {
            name: "analytics-agent".to_owned(),
            version: "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".to_owned(),
            search_path: vec!["app".to_owned(), "We\"ird".to_owned()],
        },
        statement_kind: Some(StatementKind::Select),
        tables: vec!["app.\"Order\"".to_owned(), "app.customers".to_owned()],
        columns: vec!["app.customers.id".to_owned()],
        bind_params: vec![
            BindParam { param: 1, value: BindValue::One("acme".to_owned()), ty: "text" },
            BindParam { param: 2, value: BindValue::Many(vec!["7".to_owned(), "8".to_owned()]), ty: "integer[]" },
        ],
        fingerprint: Some("d9e3c54f1e2a6b70".to_owned()),
        sql_sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855".to_owned(),
        elapsed_us: 87,
    }
}

/// A denial with these reasons.
pub fn denied(reasons: Vec<Reason>) -> Verdict {
    Verdict { allowed: false, reasons, bind_params: Vec::new(), ..allowed() }
}

/// One reason.
pub fn reason(code: ReasonCode, loc: Option<u32>, message: &str, hint: Option<&str>) -> Reason {
    Reason { code, loc, message: message.to_owned(), hint: hint.map(str::to_owned) }
}
