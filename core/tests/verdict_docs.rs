//! `docs/reason-codes.md` against the codes: a section for each, nothing else, and examples that come out as they say.

#![allow(clippy::unwrap_used, clippy::panic)]

use haltsql::{Context, Policy, ReasonCode};

const PAGE: &str = include_str!("../../docs/reason-codes.md");

/// The code of defects: no example of it can be run.
const WITHOUT_EXAMPLES: &[&str] = &["E_INTERNAL"];

/// A fenced block: its words behind `sql` or `yaml`, and its text.
struct Block {
    info: Vec<String>,
    text: String,
}

fn sections() -> Vec<(&'static str, &'static str)> {
    PAGE.split("\n## ").skip(1).map(|section| section.split_once('\n').unwrap()).collect()
}

fn blocks(text: &str, language: &str) -> Vec<Block> {
    let fences = text.split("```").skip(1).step_by(2);
    let parts = fences.map(|fence| fence.split_once('\n').unwrap());
    parts
        .filter_map(|(info, text)| {
            let mut words = info.split_whitespace().map(str::to_owned);
            (words.next().unwrap() == language).then(|| Block { info: words.collect(), text: text.to_owned() })
        })
        .collect()
}

/// The page's policy with `limits=key:value` of a block's heading.
fn policy(block: &Block) -> Policy {
    let document = blocks(PAGE, "yaml").remove(0).text;
    let limits = block.info.iter().find_map(|word| word.strip_prefix("limits=")).unwrap_or_default().replace(':', ": ");
    assert!(document.contains("limits: {}"));
    Policy::from_yaml(&document.replace("limits: {}", &format!("limits: {{{limits}}}"))).unwrap()
}

/// The page's context, or that of `context=a,b`.
fn context(block: &Block) -> Context {
    match block.info.iter().find_map(|word| word.strip_prefix("context=")) {
        None => Context::new().with("tenant_id", "acme"),
        Some("") => Context::new(),
        Some(values) => Context::new().with_set("tenant_id", values.split(',')),
    }
}

#[test]
fn every_code_has_its_section_in_the_order_of_the_source() {
    let written: Vec<&str> = sections().iter().map(|(code, _)| *code).collect();
    let known: Vec<&str> = ReasonCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(written, known);
}

#[test]
fn every_section_names_its_rule_and_begins_with_a_summary_of_one_line() {
    for (code, text) in sections() {
        let code: ReasonCode = code.parse().unwrap();
        let summary = text.trim().lines().next().unwrap();
        assert!(summary.ends_with('.'), "{code}: {summary}");
        assert!(text.contains(&format!("\n\nRule `{}`.", code.rule())), "{code}");
    }
}

#[test]
fn every_code_has_a_denied_example_and_an_allowed_repair() {
    for (code, text) in sections() {
        let heads: Vec<String> =
            blocks(text, "sql").into_iter().filter_map(|block| block.info.first().cloned()).collect();
        if WITHOUT_EXAMPLES.contains(&code) {
            assert!(heads.is_empty(), "{code}");
        } else {
            assert_eq!(heads, ["denied", "allowed"], "{code}");
        }
    }
}

#[test]
fn the_examples_come_out_as_they_say() {
    let mut wrong = Vec::new();
    for (code, text) in sections() {
        for block in blocks(text, "sql").iter().filter(|block| !block.info.is_empty()) {
            let sql = block.text.trim_end();
            let verdict = policy(block).check(sql.as_bytes(), &context(block));
            let codes: Vec<&str> = verdict.reasons.iter().map(|reason| reason.code.as_str()).collect();
            let right = match block.info.first().map(String::as_str) {
                Some("denied") => !verdict.allowed && codes.contains(&code),
                Some("allowed") => verdict.allowed,
                other => panic!("{code}: {other:?}"),
            };
            if !right {
                wrong.push(format!("{code}: {sql}\n  {codes:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
