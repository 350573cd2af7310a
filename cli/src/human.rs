//! A verdict for a person: each reason under the line that it points at, with a caret and its repair.
//!
//! Receives a verdict and the checked bytes, returns text. Must never hand a control character of the SQL to the terminal.

use std::fmt::Write as _;
use std::io::IsTerminal as _;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet, normalize_untrusted_str};
use haltsql::{BindParam, BindValue, Reason, Verdict};

/// Lines of SQL longer than this are cut down to the surroundings of the caret.
const WIDTH: usize = 120;

/// Whether standard output takes colours.
pub fn colour() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    std::io::stdout().is_terminal() && !refused && !dumb
}

/// The verdict on `sql`, which `origin` names.
pub fn render(verdict: &Verdict, sql: &[u8], origin: &str, colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() }.term_width(WIDTH);
    let text = shown_text(sql);
    let mut out = String::new();
    let reasons = verdict.reasons.iter().map(|reason| (reason, Level::ERROR)).chain(verdict.shadow_reasons.iter().map(
        |reason| {
            // In shadow mode nothing is denied.
            (reason, Level::WARNING)
        },
    ));
    for (reason, level) in reasons {
        out.push_str(&renderer.render(&[report(reason, level, &text, origin)]));
        out.push_str("\n\n");
    }
    push_outcome(&mut out, verdict, colour);
    out
}

fn report<'a>(reason: &'a Reason, level: Level<'a>, text: &'a str, origin: &'a str) -> Group<'a> {
    let mut group = Group::with_title(level.primary_title(visible(&reason.message)).id(reason.code.as_str()));
    if let Some(loc) = reason.loc {
        let at = text.floor_char_boundary(usize::try_from(loc).unwrap_or(usize::MAX));
        let end = at + text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        let snippet = Snippet::source(text).path(origin).annotation(AnnotationKind::Primary.span(at..end));
        group = group.element(snippet);
    }
    match &reason.hint {
        Some(hint) => group.element(Level::HELP.message(visible(hint))),
        None => group,
    }
}

/// The text as it may be shown. Every byte before the first one that is not UTF-8 keeps its offset, and no reason points
/// behind that one.
fn shown_text(sql: &[u8]) -> String {
    String::from_utf8_lossy(sql).chars().map(without_c1).collect()
}

/// The renderer shows other control characters as pictures but lets these pass, and some terminals obey them. Two bytes, as
/// they are.
fn without_c1(character: char) -> char {
    if ('\u{80}'..='\u{9f}').contains(&character) { '·' } else { character }
}

/// A text in a colour (the numbers of an SGR sequence), where standard output takes colours.
pub fn styled(sequence: &str, text: &str) -> String {
    if colour() { format!("\u{1b}[{sequence}m{text}\u{1b}[0m") } else { text.to_owned() }
}

/// Words of a message or a value, with nothing that a terminal would obey.
pub fn visible(text: &str) -> String {
    let text: String = text.chars().map(without_c1).collect();
    normalize_untrusted_str(&text)
}

fn push_outcome(out: &mut String, verdict: &Verdict, colour: bool) {
    let (style, outcome) = match (verdict.allowed, verdict.shadow_reasons.len()) {
        (false, _) => ("\u{1b}[1;31m", format!("denied: {}", counted(verdict.reasons.len()))),
        (true, 0) => ("\u{1b}[1;32m", "allowed: run exactly this text".to_owned()),
        (true, many) => (
            "\u{1b}[1;33m",
            format!("allowed by shadow mode, which protects nothing: enforce mode would deny it for {}", counted(many)),
        ),
    };
    if colour {
        let _ = writeln!(out, "{style}{outcome}\u{1b}[0m");
    } else {
        out.push_str(&outcome);
        out.push('\n');
    }
    if let Some(reason) = verdict.reasons.first().or_else(|| verdict.shadow_reasons.first()) {
        let _ = writeln!(out, "More about a code: haltsql explain {}", reason.code);
    }
    if verdict.allowed {
        let path: Vec<&str> = verdict.policy.search_path.iter().map(String::as_str).chain(["pg_temp"]).collect();
        push_facts(out, "tables", &verdict.tables);
        push_facts(out, "columns", &verdict.columns);
        push_facts(out, "bind", &verdict.bind_params.iter().map(bind).collect::<Vec<_>>());
        push_facts(out, "search_path", &path);
    }
}

fn counted(reasons: usize) -> String {
    if reasons == 1 { "1 reason".to_owned() } else { format!("{reasons} reasons") }
}

fn push_facts(out: &mut String, label: &str, facts: &[impl AsRef<str>]) {
    if !facts.is_empty() {
        let facts: Vec<String> = facts.iter().map(|fact| visible(fact.as_ref())).collect();
        let _ = writeln!(out, "  {label:<11} {}", facts.join(", "));
    }
}

fn bind(bind: &BindParam) -> String {
    let value = match &bind.value {
        BindValue::One(value) => value.clone(),
        BindValue::Many(values) => format!("[{}]", values.join(", ")),
    };
    format!("${} = {value} ({})", bind.param, bind.ty)
}
