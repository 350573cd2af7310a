//! How the demo looks: headings, queries, tables. Never decides anything.

use std::io::{self, Write};

use super::database::Answer;

/// A terminal, a pipe or a file, with or without colour.
pub struct Screen<W> {
    out: W,
    colour: bool,
}

/// ANSI styles; none of them carries a meaning that the words don't.
#[derive(Clone, Copy)]
pub enum Style {
    Bold,
    Dim,
    Good,
    Bad,
}

impl<W: Write> Screen<W> {
    pub fn new(out: W, colour: bool) -> Self {
        Self { out, colour }
    }

    pub fn colour(&self) -> bool {
        self.colour
    }

    /// One line.
    pub fn line(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{text}")
    }

    /// One line in a style.
    pub fn styled(&mut self, style: Style, text: &str) -> io::Result<()> {
        let code = match style {
            Style::Bold => "1",
            Style::Dim => "2",
            Style::Good => "1;32",
            Style::Bad => "1;31",
        };
        if self.colour { writeln!(self.out, "\x1b[{code}m{text}\x1b[0m") } else { writeln!(self.out, "{text}") }
    }

    /// The start of something that takes a moment; ends with [`Screen::line`].
    pub fn begin(&mut self, text: &str) -> io::Result<()> {
        write!(self.out, "{text} ")?;
        self.out.flush()
    }

    /// A text of several lines, set in.
    pub fn indented(&mut self, by: usize, text: &str) -> io::Result<()> {
        text.trim_end().lines().try_for_each(|line| writeln!(self.out, "{:by$}{line}", ""))
    }

    /// Rows under their columns' names; columns of numbers stand at the right.
    pub fn table(&mut self, by: usize, answer: &Answer) -> io::Result<()> {
        let widths: Vec<usize> = answer
            .columns
            .iter()
            .enumerate()
            .map(|(at, name)| {
                let cells = answer.rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count());
                cells.fold(name.chars().count(), usize::max)
            })
            .collect();
        let numeric: Vec<bool> = (0..widths.len())
            .map(|at| {
                answer
                    .rows
                    .iter()
                    .filter_map(|row| row.get(at))
                    .all(|cell| cell.is_empty() || cell.parse::<f64>().is_ok())
            })
            .collect();
        let line = |cells: &[String]| -> String {
            let cells = cells.iter().zip(&widths).zip(&numeric).map(|((cell, &width), &right)| {
                if right { format!("{cell:>width$}") } else { format!("{cell:width$}") }
            });
            cells.collect::<Vec<_>>().join("   ").trim_end().to_owned()
        };
        let heading = line(&answer.columns);
        let rule = widths.iter().map(|&width| "-".repeat(width)).collect::<Vec<_>>().join("   ");
        self.indented(by, &heading)?;
        self.styled(Style::Dim, &format!("{:by$}{rule}", ""))?;
        answer.rows.iter().try_for_each(|row| self.indented(by, &line(row)))
    }
}
