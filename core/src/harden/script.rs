//! A text made of lines, each of which can be told from the others.
//!
//! Receives pieces in their order, returns the text. Knows no policy; quoting of literals and blocks stands here too.

/// SQL, piece by piece.
#[derive(Clone, Debug, Default)]
pub struct Script {
    pieces: Vec<Piece>,
}

/// One statement, or one part of a block, that could be left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The SQL.
    pub sql: String,
    /// What happens without it.
    pub effect: Effect,
}

/// What happens when one line is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The text fails.
    Needed,
    /// Exactly these checks are red, on a database where what the line closes was open, or what it opens was shut.
    Turns(&'static [&'static str]),
    /// Nothing that a check sees: it keeps others working, or refuses early.
    Aid,
}

#[derive(Clone, Debug)]
enum Piece {
    Comment(String),
    /// What holds lines together: BEGIN, the frame of a block.
    Frame(String),
    Line(Line),
}

impl Script {
    /// The whole text.
    #[must_use]
    pub fn to_sql(&self) -> String {
        self.render(None)
    }

    /// The text without one of its lines, by its place in [`Script::lines`]: how tests see that each of them matters.
    #[must_use]
    pub fn without(&self, line: usize) -> String {
        self.render(Some(line))
    }

    /// The lines, in their order.
    pub fn lines(&self) -> impl Iterator<Item = &Line> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Line(line) => Some(line),
            Piece::Comment(_) | Piece::Frame(_) => None,
        })
    }

    fn render(&self, without: Option<usize>) -> String {
        let mut text = String::new();
        let mut number = 0;
        for piece in &self.pieces {
            match piece {
                Piece::Comment(comment) => {
                    if !text.is_empty() {
                        text.push('\n');
                    }
                    text.push_str(comment);
                }
                Piece::Frame(frame) => text.push_str(frame),
                Piece::Line(line) => {
                    number += 1;
                    if without == Some(number - 1) {
                        continue;
                    }
                    text.push_str(&line.sql);
                    if let Effect::Turns(checks) = line.effect {
                        text.push_str("  -- ");
                        text.push_str(&checks.join(", "));
                    }
                }
            }
            text.push('\n');
        }
        text
    }

    /// Lines of a comment. What a name may hold must not end it.
    pub(super) fn comment(&mut self, lines: &[&str]) {
        let line = |line: &&str| {
            let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            format!("-- {line}").trim_end().to_owned()
        };
        self.pieces.push(Piece::Comment(lines.iter().map(line).collect::<Vec<_>>().join("\n")));
    }

    pub(super) fn frame(&mut self, sql: impl Into<String>) {
        self.pieces.push(Piece::Frame(sql.into()));
    }

    pub(super) fn line(&mut self, effect: Effect, sql: impl Into<String>) {
        self.pieces.push(Piece::Line(Line { sql: sql.into(), effect }));
    }

    /// A line that turns a check.
    pub(super) fn turns(&mut self, checks: &'static [&'static str], sql: impl Into<String>) {
        self.line(Effect::Turns(checks), sql);
    }

    pub(super) fn needed(&mut self, sql: impl Into<String>) {
        self.line(Effect::Needed, sql);
    }

    pub(super) fn aid(&mut self, sql: impl Into<String>) {
        self.line(Effect::Aid, sql);
    }
}

/// A DO block. The quotes around the body are none that it holds.
pub(super) fn block(declarations: &str, body: &str) -> String {
    let tag = tag(body);
    let declare = if declarations.is_empty() { String::new() } else { format!("DECLARE\n  {declarations}\n") };
    format!("DO {tag}\n{declare}BEGIN\n{body}\nEND\n{tag};")
}

/// A dollar quote that does not stand in the text.
pub(super) fn tag(text: &str) -> String {
    let mut tag = "$haltsql$".to_owned();
    let mut number = 0;
    while text.contains(&tag) {
        number += 1;
        tag = format!("$haltsql{number}$");
    }
    tag
}

/// A text as a literal that reads back as it, however `standard_conforming_strings` is set.
pub(super) fn literal(text: &str) -> String {
    let quoted = text.replace('\'', "''");
    if quoted.contains('\\') { format!("E'{}'", quoted.replace('\\', "\\\\")) } else { format!("'{quoted}'") }
}

/// `ARRAY['a', 'b']::text[]`.
pub(super) fn texts<'a>(items: impl IntoIterator<Item = &'a str>) -> String {
    let items: Vec<String> = items.into_iter().map(literal).collect();
    if items.is_empty() { "'{}'::text[]".to_owned() } else { format!("ARRAY[{}]::text[]", items.join(", ")) }
}

/// A table of texts for FROM, named with its columns: also one without rows.
pub(super) fn pairs(name: &str, columns: [&str; 2], rows: &[(&str, &str)]) -> String {
    let [a, b] = columns;
    if rows.is_empty() {
        return format!("(SELECT NULL::text, NULL::text WHERE false) AS {name} ({a}, {b})");
    }
    let rows: Vec<String> = rows.iter().map(|(a, b)| format!("({}, {})", literal(a), literal(b))).collect();
    format!("(VALUES {}) AS {name} ({a}, {b})", rows.join(", "))
}
