//! A panic of ours ends at the fence, wherever it happens: the core here is built with a way to ask for one.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::panic;
use std::sync::atomic::{AtomicUsize, Ordering};

use haltsql_weakened::boundary::{DocumentFormat, ErrorCode, Policy};
use haltsql_weakened::weaken::MARKER;

static HOOK_CALLS: AtomicUsize = AtomicUsize::new(0);

fn document(description: &str) -> String {
    format!(
        "apiVersion: haltsql.dev/v1\nkind: Policy\nmetadata: {{ name: p, description: \"{description}\" }}\n\
         spec: {{ tables: {{ app.t: {{ columns: [a] }} }} }}\n"
    )
}

fn load(document: &str) -> Result<Policy, haltsql_weakened::boundary::Error> {
    Policy::load(document.as_bytes(), DocumentFormat::Yaml, "")
}

/// One test, since the hook belongs to the whole process.
#[test]
fn a_panic_is_a_denial_or_an_error_and_the_host_keeps_its_hook() {
    panic::set_hook(Box::new(|panic| {
        HOOK_CALLS.fetch_add(1, Ordering::SeqCst);
        println!("{panic}");
    }));
    let policy = load(&document("quiet")).unwrap();
    let good = "SELECT a FROM app.t";
    let deep = format!("SELECT {}1", "1+".repeat(500));
    for (panics, place) in [("stages", good), ("answer", good), ("stages", &*deep)] {
        let sql = format!("{place} /* {MARKER}: panic in {panics} */");
        let before = HOOK_CALLS.load(Ordering::SeqCst);
        let verdict = policy.check(sql.as_bytes(), b"{}").unwrap();
        assert!(verdict.starts_with("{\"allowed\":false,\"reasons\":[{\"code\":\"E_INTERNAL\","), "{verdict}");
        assert_eq!(HOOK_CALLS.load(Ordering::SeqCst), before + 1, "the host's hook hears of it");
        let next = policy.check(good.as_bytes(), b"{}").unwrap();
        assert!(next.starts_with("{\"allowed\":true,"), "{next}");
    }

    let shadow = document("quiet").replace("spec: {", "spec: { mode: shadow,");
    let verdict =
        load(&shadow).unwrap().check(format!("SELECT 1 -- {MARKER}: panic in answer").as_bytes(), b"{}").unwrap();
    assert!(
        verdict.starts_with("{\"allowed\":true,\"reasons\":[],\"shadow_reasons\":[{\"code\":\"E_INTERNAL\""),
        "{verdict}"
    );

    let error = load(&document(&format!("{MARKER}: panic in load"))).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Internal);
    let policy = load(&document(&format!("{MARKER}: panic in describe"))).unwrap();
    assert_eq!(policy.describe_text().unwrap_err().code(), ErrorCode::Internal);
    assert_eq!(policy.describe_json().unwrap_err().code(), ErrorCode::Internal);

    let texts = [good.to_owned(), format!("{good} -- {MARKER}: panic in answer"), good.to_owned()];
    let texts: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
    let many = policy.for_context(b"{}").unwrap().check_many(&texts, 2).unwrap();
    let allowed: Vec<bool> = many.iter().map(|json| json.starts_with("{\"allowed\":true")).collect();
    assert_eq!(allowed, [true, false, true]);

    // Still the host's own: nobody replaced it.
    let before = HOOK_CALLS.load(Ordering::SeqCst);
    assert!(panic::catch_unwind(|| panic!("of the host")).is_err());
    assert_eq!(HOOK_CALLS.load(Ordering::SeqCst), before + 1);
}
