//! `haltsql explain`: every code has its page, and typos find it.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, parts};
use haltsql::ReasonCode;

#[test]
fn every_code_has_a_page_and_a_line_in_the_list() {
    let folder = Folder::new();
    let (code, list, err) = parts(&folder.run(&["explain", "--list"], b""));
    assert_eq!((code, &*err), (0, ""));
    assert_eq!(list.lines().count(), ReasonCode::ALL.len());
    for (reason, line) in ReasonCode::ALL.iter().zip(list.lines()) {
        let (name, summary) = line.split_once(' ').unwrap();
        assert_eq!(name, reason.as_str());
        assert!(summary.trim().len() > 20, "{line}");
        let (code, page, err) = parts(&folder.run(&["explain", name], b""));
        assert_eq!((code, &*err), (0, ""));
        assert!(page.starts_with(name) && page.contains(summary.trim()) && page.contains(reason.rule()), "{page}");
        assert!(!page.contains("\n## "), "{page}");
    }
}

#[test]
fn case_and_prefix_do_not_matter() {
    let folder = Folder::new();
    let page = parts(&folder.run(&["explain", "E_TENANT_MISSING"], b""));
    assert_eq!(parts(&folder.run(&["explain", "e_tenant_missing"], b"")), page);
    assert_eq!(parts(&folder.run(&["explain", "tenant_missing"], b"")), page);
}

#[test]
fn an_unknown_code_ends_with_2_and_names_the_nearest() {
    let folder = Folder::new();
    for (typo, meant) in
        [("E_TENNANT_MISSING", "E_TENANT_MISSING"), ("E_PARS", "E_PARSE"), ("E_CARTESAIN", "E_CARTESIAN")]
    {
        let (code, out, err) = parts(&folder.run(&["explain", typo], b""));
        assert_eq!((code, &*out), (2, ""));
        assert!(err.contains(&format!("did you mean `{meant}`")) && err.contains("--list"), "{err}");
    }
    assert_eq!(parts(&folder.run(&["explain"], b"")).0, 2);
}
