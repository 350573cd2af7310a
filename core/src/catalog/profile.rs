//! The profiles' data files, parsed once per process.
//!
//! Receives the text that `scripts/profiles/generate` wrote, returns tables by name. Immutable once made; never reads a
//! file, never decides what is in a profile: that is decided, with reasons, in the data.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::OnceLock;

use sha2::{Digest, Sha256};

use super::{Function, FunctionKind, Held, Small};

/// The profiles that this version has, with the schema and the text of their data.
const FILES: [(&str, Home, &str); 6] = [
    ("core", Home::System, include_str!("../../profiles/core.tsv")),
    ("fuzzy", Home::Extension, include_str!("../../profiles/fuzzy.tsv")),
    ("postgis", Home::Extension, include_str!("../../profiles/postgis.tsv")),
    ("random", Home::System, include_str!("../../profiles/random.tsv")),
    ("text-search", Home::System, include_str!("../../profiles/text-search.tsv")),
    ("vector", Home::Extension, include_str!("../../profiles/vector.tsv")),
];
/// What no profile holds of `pg_catalog`'s names.
const EXCLUDED: &str = include_str!("../../profiles/excluded.tsv");
/// The names of `FILES`, in the same order.
const NAMES: [&str; 6] = ["core", "fuzzy", "postgis", "random", "text-search", "vector"];

/// The names of the profiles that a policy may list, sorted.
#[must_use]
pub fn profiles() -> &'static [&'static str] {
    &NAMES
}

/// SHA-256 of a profile's data file, in lower-case hex: receipts and audit records carry it, because what a profile holds
/// changes with the product's version and not with the policy's hash. `None`: no such profile.
#[must_use]
pub fn profile_sha256(name: &str) -> Option<&'static str> {
    tables().ok()?.profile(name).ok().map(|profile| &*profile.sha256)
}

/// Why no profile holds something of `pg_catalog`'s. `object`: `function`, `operator`, `type`, `collation`.
#[must_use]
pub fn why_excluded(object: &str, name: &str) -> Option<&'static str> {
    rows(EXCLUDED).find_map(|line| {
        let [kind, found, why] = *line.split('\t').collect::<Vec<_>>() else { return None };
        (kind == object && found == name).then_some(why)
    })
}

/// All data, by name.
#[derive(Debug)]
pub(super) struct Tables {
    profiles: Vec<Profile>,
    /// Every name of `pg_catalog`, in a profile or not: an unqualified one never reaches a policy's own object.
    pub known: Known,
}

/// Where a profile's objects live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// In `pg_catalog`.
    System,
    /// In the schema that the database's owner chose for the extension.
    Extension,
}

/// One profile, in its file's order.
#[derive(Debug)]
pub(super) struct Profile {
    name: &'static str,
    sha256: String,
    pub home: Home,
    /// By name: the ways to call it.
    pub functions: Vec<(&'static str, Vec<Way>)>,
    pub operators: Vec<&'static str>,
    /// Array types by the server's own names for them (`_int4`) included.
    pub types: Vec<&'static str>,
    pub collations: Vec<&'static str>,
}

/// The names of `pg_catalog` by kind.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub functions: HashSet<&'static str>,
    pub operators: HashSet<&'static str>,
    pub types: HashSet<&'static str>,
}

/// One way to call a function: nearly every name has a single one.
#[derive(Debug)]
pub(super) struct Way {
    /// Allowed numbers of arguments, both ends included.
    spans: Vec<(usize, usize)>,
    pub function: Function,
}

impl Profile {
    /// Whether a function of that name is in it.
    pub fn holds(&self, function: &str) -> bool {
        self.functions.iter().any(|(name, _)| *name == function)
    }
}

impl Way {
    /// Whether a call with so many arguments is this way.
    pub fn takes(&self, arguments: usize) -> bool {
        self.spans.iter().any(|&(least, most)| (least..=most).contains(&arguments))
    }
}

impl Tables {
    /// The profile of that name.
    ///
    /// # Errors
    /// It is unknown.
    pub fn profile(&self, name: &str) -> Result<&Profile, String> {
        match self.profiles.iter().find(|profile| profile.name == name) {
            Some(profile) => Ok(profile),
            None => Err(format!("unknown profile `{name}`, known are `{}`", NAMES.join("`, `"))),
        }
    }

    /// The ways to call a function, from whichever profile holds it. No name is in two.
    pub fn ways(&self, name: &str) -> Option<(Home, &'static str, &[Way])> {
        let mut functions =
            self.profiles.iter().flat_map(|profile| profile.functions.iter().map(|function| (profile.home, function)));
        functions.find(|(_, (known, _))| *known == name).map(|(home, (name, ways))| (home, *name, &**ways))
    }
}

/// The tables.
///
/// # Errors
/// A data file is malformed: a bug of this build, which a test excludes.
pub(super) fn tables() -> Result<&'static Tables, String> {
    static TABLES: OnceLock<Result<Tables, String>> = OnceLock::new();
    TABLES.get_or_init(load).as_ref().map_err(Clone::clone)
}

fn load() -> Result<Tables, String> {
    let mut tables = Tables { profiles: Vec::with_capacity(FILES.len()), known: Known::default() };
    for (name, home, text) in FILES {
        let profile = read_profile(name, home, text).map_err(|problem| format!("profile `{name}`: {problem}"))?;
        if home == Home::System {
            tables.known.functions.extend(profile.functions.iter().map(|(name, _)| *name));
            tables.known.operators.extend(&profile.operators);
            tables.known.types.extend(&profile.types);
        }
        tables.profiles.push(profile);
    }
    for line in rows(EXCLUDED) {
        match *line.split('\t').collect::<Vec<_>>() {
            ["function", name, _] => tables.known.functions.insert(name),
            ["operator", name, _] => tables.known.operators.insert(name),
            ["type", name, _] => tables.known.types.insert(name),
            ["collation", _, _] => true,
            _ => return Err(malformed(line)),
        };
    }
    Ok(tables)
}

fn read_profile(name: &'static str, home: Home, text: &'static str) -> Result<Profile, String> {
    let mut profile = Profile {
        name,
        sha256: hex(&Sha256::digest(text)),
        home,
        functions: Vec::new(),
        operators: Vec::new(),
        types: Vec::new(),
        collations: Vec::new(),
    };
    for line in rows(text) {
        let [object, name, kind, arguments, returns, columns, marks, _why] = *line.split('\t').collect::<Vec<_>>()
        else {
            return Err(malformed(line));
        };
        match object {
            "function" => {
                let way = read_way(kind, arguments, returns, columns, marks).ok_or_else(|| malformed(line))?;
                // The file is sorted: lines of one name stand together.
                match profile.functions.last_mut() {
                    Some((last, ways)) if *last == name => ways.push(way),
                    _ => profile.functions.push((name, vec![way])),
                }
            }
            "operator" => profile.operators.push(name),
            "type" => {
                profile.types.push(name);
                profile.types.extend(marks.strip_prefix("array:"));
            }
            "collation" => profile.collations.push(name),
            _ => return Err(malformed(line)),
        }
    }
    Ok(profile)
}

fn rows(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with('#'))
}

fn malformed(line: &str) -> String {
    format!("malformed line `{line}`")
}

fn read_way(kind: &str, arguments: &str, returns: &str, columns: &str, marks: &str) -> Option<Way> {
    let kind = match kind {
        "plain" => (FunctionKind::Plain, false),
        "aggregate" => (FunctionKind::Aggregate, false),
        "within-group" => (FunctionKind::Aggregate, true),
        "window" => (FunctionKind::Window, false),
        "plain-or-aggregate" => (FunctionKind::Unknown, false),
        _ => return None,
    };
    let mut function = Function {
        kind: kind.0,
        within_group: kind.1,
        returns_set: match returns {
            "set" => true,
            "one" => false,
            _ => return None,
        },
        out_columns: list(columns),
        other_out_columns: Vec::new(),
        returns_record: false,
        only_as_text: false,
        small: None,
        held: None,
    };
    for mark in marks.split(' ').filter(|mark| *mark != "-") {
        match mark.split_once(':') {
            None if mark == "definition-list" => function.returns_record = true,
            None if mark == "as-text" => function.only_as_text = true,
            Some(("small", limit)) => function.small = Some(small(limit)?),
            Some(("held", name)) => function.held = Some(held(name)?),
            Some(("or-columns", columns)) => function.other_out_columns = list(columns),
            _ => return None,
        }
    }
    let spans = arguments.split(',').map(span).collect::<Option<Vec<_>>>()?;
    Some(Way { spans, function })
}

fn list(columns: &str) -> Vec<String> {
    columns.split(',').filter(|column| *column != "-").map(str::to_owned).collect()
}

fn held(name: &str) -> Option<Held> {
    Some(match name {
        "repeat" => Held::Repeat,
        "pad" => Held::Pad,
        "series" => Held::Series,
        "array-fill" => Held::ArrayFill,
        "factorial" => Held::Factorial,
        "power" => Held::Power,
        "format" => Held::Format,
        "regex" => Held::Regex,
        _ => return None,
    })
}

/// `3:100`: the third argument, at most 100.
fn small(text: &str) -> Option<Small> {
    let (argument, most) = text.split_once(':')?;
    Some(Small { argument: argument.parse::<usize>().ok()?.checked_sub(1)?, most: most.parse().ok()? })
}

/// `2`, `1..3`, `1..` (any number from one on).
fn span(text: &str) -> Option<(usize, usize)> {
    match text.split_once("..") {
        None => text.parse().ok().map(|count| (count, count)),
        Some((least, "")) => Some((least.parse().ok()?, usize::MAX)),
        Some((least, most)) => Some((least.parse().ok()?, most.parse().ok()?)),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
