//! The data files as the test reads them: on its own, not through the product's reader.

use std::collections::BTreeMap;

/// The profiles and the text of their data files.
pub const PROFILES: [(&str, &str); 3] = [
    ("core", include_str!("../../profiles/core.tsv")),
    ("random", include_str!("../../profiles/random.tsv")),
    ("text-search", include_str!("../../profiles/text-search.tsv")),
];
const EXCLUDED: &str = include_str!("../../profiles/excluded.tsv");

/// The profiles of extensions.
pub const EXTENSIONS: [(&str, &str); 3] = [
    ("fuzzy", include_str!("../../profiles/fuzzy.tsv")),
    ("postgis", include_str!("../../profiles/postgis.tsv")),
    ("vector", include_str!("../../profiles/vector.tsv")),
];
const EXCLUDED_EXTENSIONS: &str = include_str!("../../profiles/excluded-extensions.tsv");

/// One line of a profile.
#[derive(Clone, Debug)]
pub struct Entry {
    pub profile: &'static str,
    pub object: &'static str,
    pub name: &'static str,
    pub kind: &'static str,
    pub arguments: &'static str,
    pub returns: &'static str,
    pub columns: &'static str,
    pub marks: Vec<&'static str>,
}

impl Entry {
    /// The allowed argument counts up to `most`.
    pub fn counts(&self, most: usize) -> Vec<usize> {
        let number = |text: &str| text.parse::<usize>().expect("a number");
        let mut counts = Vec::new();
        for span in self.arguments.split(',') {
            match span.split_once("..") {
                None => counts.push(number(span)),
                Some((least, "")) => counts.extend(number(least)..=most),
                Some((least, greatest)) => counts.extend(number(least)..=number(greatest)),
            }
        }
        counts
    }

    /// Whether the mark `small` lets in a call of these types: the argument that it holds has to be a number.
    pub fn lets_in(&self, types: &[String], count: usize) -> bool {
        let Some((argument, _)) = self.mark("small:").and_then(|limit| limit.split_once(':')) else { return true };
        let argument = argument.parse::<usize>().expect("a number");
        argument > count || ["int4", "float8"].contains(&&*types[argument - 1])
    }

    /// What follows `prefix` in one of the marks.
    pub fn mark(&self, prefix: &str) -> Option<&'static str> {
        self.marks.iter().find_map(|mark| mark.strip_prefix(prefix))
    }
}

/// All lines of the profiles of `pg_catalog`.
pub fn entries() -> Vec<Entry> {
    read(&PROFILES)
}

/// All lines of one extension's profile.
pub fn of_extension(profile: &str) -> Vec<Entry> {
    let found = EXTENSIONS.iter().filter(|(name, _)| *name == profile).copied().collect::<Vec<_>>();
    assert_eq!(found.len(), 1, "{profile}");
    read(&found)
}

fn read(files: &[(&'static str, &'static str)]) -> Vec<Entry> {
    let mut entries = Vec::new();
    for &(profile, text) in files {
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let fields = line.split('\t').collect::<Vec<_>>();
            assert_eq!(fields.len(), 8, "{line}");
            assert!(fields[7].len() > 3, "a reason is missing: {line}");
            entries.push(Entry {
                profile,
                object: fields[0],
                name: fields[1],
                kind: fields[2],
                arguments: fields[3],
                returns: fields[4],
                columns: fields[5],
                marks: fields[6].split(' ').collect(),
            });
        }
    }
    entries
}

/// Where a name stands, by object and name: a profile's name, or `out`.
pub type Places = BTreeMap<(&'static str, &'static str), &'static str>;

/// Of `pg_catalog`'s names. A name stands in one place.
pub fn places() -> Places {
    let out = EXCLUDED.lines().filter(|line| !line.starts_with('#'));
    place(entries(), out.map(|line| line.split('\t').collect()))
}

/// Of the names of one profile's extensions.
pub fn places_of_extension(profile: &str) -> Places {
    let out = EXCLUDED_EXTENSIONS.lines().filter_map(|line| line.strip_prefix(profile)?.strip_prefix('\t'));
    place(of_extension(profile), out.map(|line| line.split('\t').collect()))
}

fn place(entries: Vec<Entry>, out: impl Iterator<Item = Vec<&'static str>>) -> Places {
    let mut places = BTreeMap::new();
    for entry in entries {
        let before = places.insert((entry.object, entry.name), entry.profile);
        assert!(before.is_none_or(|before| before == entry.profile), "{} is in two profiles", entry.name);
    }
    for fields in out {
        let line = fields.join(" ");
        assert_eq!(fields.len(), 3, "{line}");
        assert!(fields[2].len() > 3, "a reason is missing: {line}");
        assert_eq!(places.insert((fields[0], fields[1]), "out"), None, "{} stands in two places", fields[1]);
    }
    places
}
