//! The rows that runners run, and the file that they stand in (RUNNERS.md has the format).
//!
//! Receives rows, returns their text, and the other way round. What a runner reads is what was written here, hex and plain
//! ASCII, so that no language needs a parser for it.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// The first field of a header, and the version of the format.
const MAGIC: &str = "haltsql-conformance\t1\t";

/// A file of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    /// `corpus` or `generated`.
    pub name: String,
    /// What a runner repeats: MANIFEST's digest, or the rows' own.
    pub digest: String,
    /// In the order of their ids.
    pub rows: Vec<Row>,
}

/// One input and what has to come of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What differences are reported by.
    pub id: String,
    /// What to do.
    pub task: Task,
    /// The verdict before `,"elapsed_us":`, the policy's version, or `error` and a number.
    pub expected: String,
}

/// What a row asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// Check a text.
    Check {
        /// The policy's name in `policies/`.
        policy: String,
        /// JSON, or what pretends to be.
        context: Vec<u8>,
        /// The text.
        sql: Vec<u8>,
    },
    /// Load a policy.
    Load {
        /// `auto`, `yaml` or `json`.
        format: String,
        /// The document's name.
        name: Vec<u8>,
        /// The document.
        document: Vec<u8>,
    },
}

impl Row {
    /// Whether every input is UTF-8: what is not, some languages cannot hand over.
    #[must_use]
    pub fn is_utf8(&self) -> bool {
        self.inputs().iter().all(|input| std::str::from_utf8(input).is_ok())
    }

    /// The bytes that go in.
    #[must_use]
    pub fn inputs(&self) -> [&[u8]; 2] {
        match &self.task {
            Task::Check { context, sql, .. } => [context, sql],
            Task::Load { name, document, .. } => [name, document],
        }
    }

    fn line(&self) -> String {
        let (kind, subject) = match &self.task {
            Task::Check { policy, .. } => ("check", policy),
            Task::Load { format, .. } => ("load", format),
        };
        let [first, second] = self.inputs().map(hex);
        format!("{kind}\t{}\t{subject}\t{first}\t{second}\t{}\n", self.id, self.expected)
    }

    fn read(line: &str) -> Option<Row> {
        let fields: [&str; 6] = line.split('\t').collect::<Vec<_>>().try_into().ok()?;
        let [kind, id, subject, first, second, expected] = fields.map(str::to_owned);
        let task = match &*kind {
            "check" => Task::Check { policy: subject, context: unhex(&first)?, sql: unhex(&second)? },
            "load" => Task::Load { format: subject, name: unhex(&first)?, document: unhex(&second)? },
            _ => return None,
        };
        Some(Row { id, task, expected })
    }
}

impl Set {
    /// A set whose digest is that of its own rows.
    #[must_use]
    pub fn of(name: &str, rows: Vec<Row>) -> Set {
        let mut hash = Sha256::new();
        for row in &rows {
            hash.update(row.line());
        }
        Set { name: name.to_owned(), digest: hex(&hash.finalize()), rows }
    }

    /// The file's text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("{MAGIC}{}\t{}\t{}\n", self.name, self.rows.len(), self.digest);
        text.extend(self.rows.iter().map(Row::line));
        text
    }

    /// Reads a file's text.
    ///
    /// # Errors
    /// A line is not of the format, or the header counts other rows.
    pub fn read(text: &str) -> Result<Set, String> {
        let mut lines = text.lines();
        let header = lines.next().and_then(|line| line.strip_prefix(MAGIC)).ok_or("no header of this format")?;
        let fields: Vec<&str> = header.split('\t').collect();
        let [name, count, digest] = *fields else { return Err("the header has not five fields".to_owned()) };
        let rows: Vec<Row> = lines
            .enumerate()
            .map(|(at, line)| Row::read(line).ok_or_else(|| format!("line {} is no row", at + 2)))
            .collect::<Result<_, _>>()?;
        if count != rows.len().to_string() {
            return Err(format!("the header says {count} rows, and there are {}", rows.len()));
        }
        Ok(Set { name: name.to_owned(), digest: digest.to_owned(), rows })
    }

    /// Every set of a folder, by name.
    ///
    /// # Errors
    /// There is none, or one of them cannot be read.
    pub fn all(folder: &Path) -> Result<Vec<Set>, String> {
        let entries = fs::read_dir(folder).map_err(|problem| format!("{}: {problem}", folder.display()))?;
        let mut files: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
        files.retain(|file| file.extension().is_some_and(|end| end == "tsv"));
        files.sort();
        if files.is_empty() {
            return Err(format!("{} holds no .tsv file: run the subcommand `prepare`", folder.display()));
        }
        let read = |file: &PathBuf| {
            let text = fs::read_to_string(file).map_err(|problem| format!("{}: {problem}", file.display()))?;
            Set::read(&text).map_err(|problem| format!("{}: {problem}", file.display()))
        };
        files.iter().map(read).collect()
    }
}

/// Lower-case hex.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The bytes of hex.
#[must_use]
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = text.chars().map(|digit| digit.to_digit(16)).collect::<Option<_>>()?;
    digits
        .chunks(2)
        .map(|pair| if let [high, low] = pair { u8::try_from(high * 16 + low).ok() } else { None })
        .collect()
}
