//! The verdict for a language model: what is wrong, where, and how to mend it, in as few words as it takes.
//!
//! Receives a verdict and the SQL it was given for, returns plain text. Must never show the policy's name or version, the
//! caller's values, or any name that the reasons and the SQL itself don't spell.

use std::fmt::Write as _;

use super::Verdict;
use crate::reason::Reason;

/// Texts up to this many bytes are shown whole, longer ones only around the marked places.
const WHOLE_SQL_BYTES: usize = 1500;
/// How much of a longer text is shown on each side of a marked place.
const EXCERPT_BYTES: usize = 120;
/// More reasons than this are counted by code instead of spelt out: mending these first will bring up the rest.
const MAX_REASONS: usize = 40;

impl Verdict {
    /// The verdict as text for a language model. `sql` is the text that was checked.
    ///
    /// A denial lists each reason with its code and its repair, under the SQL with the places marked `⟦1⟧`, `⟦2⟧`. An allowed
    /// statement is one line that names the parameters which the caller binds, without their values. The same verdict and SQL
    /// give the same text. In shadow mode this is the text of an allowed statement: the agent is not part of the trial.
    #[must_use]
    pub fn for_agent(&self, sql: &str) -> String {
        if self.allowed { self.allowed_for_agent() } else { self.denied_for_agent(sql) }
    }

    fn allowed_for_agent(&self) -> String {
        let mut out = String::from("allowed: run this statement exactly as it is written");
        for (position, bind) in self.bind_params.iter().enumerate() {
            let lead = if position == 0 { "; the caller binds" } else { "," };
            // Writing to a String cannot fail.
            let _ = write!(out, "{lead} ${} ({})", bind.param, bind.ty);
        }
        out.push('\n');
        out
    }

    fn denied_for_agent(&self, sql: &str) -> String {
        let mut out = String::from("denied: this statement was not run; mend every point and send it again\n");
        let shown = self.reasons.get(..MAX_REASONS).unwrap_or(&self.reasons);
        let marks = marks(shown, sql);
        if !marks.is_empty() {
            out.push('\n');
            push_marked(&mut out, sql, &marks);
            out.push_str("\n\n");
        }
        for (position, reason) in shown.iter().enumerate() {
            let _ = writeln!(out, "{}. {}: {}", position + 1, reason.code, reason.message);
            if let Some(hint) = &reason.hint {
                let _ = writeln!(out, "   fix: {hint}");
            }
        }
        push_rest(&mut out, self.reasons.get(MAX_REASONS..).unwrap_or_default());
        out
    }
}

/// A place in the SQL and the numbers of the reasons that point at it.
struct Mark {
    at: usize,
    label: String,
}

/// The marked places in the order of the text. Reasons come sorted by place, so equal places stand together.
fn marks(reasons: &[Reason], sql: &str) -> Vec<Mark> {
    let mut marks: Vec<Mark> = Vec::new();
    for (position, reason) in reasons.iter().enumerate() {
        let Some(loc) = reason.loc else { continue };
        let at = sql.floor_char_boundary(usize::try_from(loc).unwrap_or(usize::MAX));
        let number = position + 1;
        match marks.last_mut() {
            Some(last) if last.at == at => {
                let _ = write!(last.label, ",{number}");
            }
            _ => marks.push(Mark { at, label: number.to_string() }),
        }
    }
    // Reasons of a verdict are sorted; a caller may have built its own.
    marks.sort_by_key(|mark| mark.at);
    marks
}

fn push_marked(out: &mut String, sql: &str, marks: &[Mark]) {
    let (open, close) = brackets(sql);
    let whole = sql.len() <= WHOLE_SQL_BYTES;
    let mut shown = 0;
    for (position, mark) in marks.iter().enumerate() {
        let from = if whole { 0 } else { sql.floor_char_boundary(mark.at.saturating_sub(EXCERPT_BYTES)) };
        if from > shown {
            out.push_str(if position == 0 { "… " } else { " … " });
        }
        out.push_str(sql.get(from.max(shown)..mark.at).unwrap_or_default());
        let _ = write!(out, "{open}{}{close}", mark.label);
        let next = marks.get(position + 1).map_or(sql.len(), |next| next.at);
        let to = if whole { next } else { sql.ceil_char_boundary(mark.at + EXCERPT_BYTES).min(next) };
        out.push_str(sql.get(mark.at..to).unwrap_or_default());
        shown = to;
    }
    if shown < sql.len() {
        out.push_str(" …");
    }
}

/// The brackets of a mark: as many `⟦` as it takes to differ from everything in the text.
fn brackets(sql: &str) -> (String, String) {
    let mut count = 1;
    while sql.contains(&*"⟦".repeat(count)) || sql.contains(&*"⟧".repeat(count)) {
        count += 1;
    }
    ("⟦".repeat(count), "⟧".repeat(count))
}

fn push_rest(out: &mut String, rest: &[Reason]) {
    if rest.is_empty() {
        return;
    }
    let _ = write!(out, "and {} more:", rest.len());
    let mut codes: Vec<&str> = rest.iter().map(|reason| reason.code.as_str()).collect();
    codes.sort_unstable();
    for (position, group) in codes.chunk_by(|left, right| left == right).enumerate() {
        let comma = if position == 0 { "" } else { "," };
        let _ = write!(out, "{comma} {} × {}", group.len(), group.first().copied().unwrap_or_default());
    }
    out.push('\n');
}
