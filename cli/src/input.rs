//! Reads what a check needs from arguments, files and standard input: policy, context, SQL.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use haltsql::{Context, Format, Policy, PolicyError};

use crate::failure::Failure;

/// More than this is not read: no SQL is that long, and an endless stream would fill the memory.
const MAX_SQL_BYTES: u64 = 256 * 1024 * 1024;
/// More than this is not read as a policy.
const MAX_POLICY_BYTES: u64 = 64 * 1024 * 1024;

/// A policy's document, and the language that its file's name says: JSON where it ends in `.json`, else YAML.
pub struct Document {
    pub bytes: Vec<u8>,
    pub format: Format,
    /// Names it for people.
    pub origin: String,
}

/// Reads a policy's document.
pub fn document(path: &Path) -> Result<Document, Failure> {
    let origin = path.display().to_string();
    let bytes = read_file(path, MAX_POLICY_BYTES).map_err(|problem| {
        Failure::new(format!("cannot read the policy `{origin}`: {problem}"), "give the path of a policy file")
    })?;
    let json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    Ok(Document { bytes, format: if json { Format::Json } else { Format::Yaml }, origin })
}

/// Loads a policy.
pub fn policy(path: &Path) -> Result<Policy, Failure> {
    document(path)?.load(Policy::parse)
}

impl Document {
    /// What `load` makes of it, or what is wrong with it.
    pub fn load<T>(&self, load: impl Fn(&[u8], Format) -> Result<T, PolicyError>) -> Result<T, Failure> {
        let Document { bytes, format, origin } = self;
        if let Err(problem) = std::str::from_utf8(bytes) {
            let at = problem.valid_up_to();
            return Err(Failure::new(
                format!("the policy `{origin}` is not UTF-8 at byte {at}"),
                "save the file as UTF-8",
            ));
        }
        load(bytes, *format).map_err(|problem| {
            let form = match format {
                Format::Json => "JSON, by its name",
                Format::Yaml => "YAML; a JSON policy has a name that ends in .json",
            };
            Failure::new(
                format!("the policy `{origin}` is not valid\n\n{problem}\n"),
                format!("mend the policy at that place and check again (it was read as {form})"),
            )
        })
    }
}

/// The context from `--context KEY=VALUE`, where a repeated key makes a set, or from `--context-json`.
pub fn context(pairs: Vec<(String, String)>, json: Option<&str>) -> Result<Context, Failure> {
    if let Some(json) = json {
        return Context::from_json(json).map_err(|problem| {
            Failure::new(
                problem.to_string(),
                "give an object of strings and arrays of strings, such as --context-json '{\"tenant_id\": \"acme\"}'",
            )
        });
    }
    let mut sets: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (key, value) in pairs {
        sets.entry(key).or_default().push(value);
    }
    Ok(sets.into_iter().fold(Context::new(), |context, (key, mut values)| match (values.pop(), values.is_empty()) {
        (Some(value), true) => context.with(key, value),
        (last, _) => context.with_set(key, values.into_iter().chain(last)),
    }))
}

/// Splits `KEY=VALUE` at the first `=`.
pub fn context_pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("write KEY=VALUE, such as tenant_id=acme".to_owned()),
    }
}

/// A text to check and what to call it in messages.
pub struct Sql {
    /// The exact bytes. They need not be UTF-8: that is for the verdict to say.
    pub bytes: Vec<u8>,
    /// `sql`, a file's path, or `<stdin>`.
    pub origin: String,
}

/// The SQL of the argument (`-`: standard input) or of the file.
pub fn sql(argument: Option<OsString>, file: Option<PathBuf>) -> Result<Sql, Failure> {
    let unreadable = |origin: &str, problem: String| {
        Failure::new(
            format!("cannot read the SQL from `{origin}`: {problem}"),
            "give a readable file, or - for standard input",
        )
    };
    if let Some(path) = file {
        let origin = path.display().to_string();
        let bytes = read_file(&path, MAX_SQL_BYTES).map_err(|problem| unreadable(&origin, problem))?;
        return Ok(Sql { bytes, origin });
    }
    match argument {
        Some(argument) if argument == "-" => {
            let origin = "<stdin>".to_owned();
            let bytes =
                read_all(std::io::stdin().lock(), MAX_SQL_BYTES).map_err(|problem| unreadable(&origin, problem))?;
            Ok(Sql { bytes, origin })
        }
        Some(argument) => Ok(Sql { bytes: argument.into_encoded_bytes(), origin: "sql".to_owned() }),
        None => Err(Failure::new("there is no SQL to check", "give the SQL, --file FILE, or - for standard input")),
    }
}

/// The bytes of a file, or of standard input where the path is `-`; `what` names them in messages.
pub fn file_or_stdin(path: &Path, what: &str) -> Result<Vec<u8>, Failure> {
    let read = if path == Path::new("-") {
        read_all(std::io::stdin().lock(), MAX_POLICY_BYTES)
    } else {
        read_file(path, MAX_POLICY_BYTES)
    };
    read.map_err(|problem| {
        Failure::new(
            format!("cannot read {what} from `{}`: {problem}", path.display()),
            "give the path of a readable file",
        )
    })
}

/// The bytes of a file, if they are no more than `limit`.
pub fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, String> {
    read_all(File::open(path).map_err(|problem| problem.to_string())?, limit)
}

fn read_all(source: impl Read, limit: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = source.take(limit + 1).read_to_end(&mut bytes).map_err(|problem| problem.to_string())?;
    if u64::try_from(read).is_ok_and(|read| read <= limit) {
        Ok(bytes)
    } else {
        Err(format!("it is longer than {} MiB", limit / (1024 * 1024)))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_repeated_key_makes_a_set() {
        let pairs = |texts: &[&str]| texts.iter().map(|text| context_pair(text).unwrap()).collect();
        let built = context(pairs(&["tenant_id=acme", "user=u=1", "tenant_id=globex"]), None).unwrap();
        assert_eq!(built, Context::new().with_set("tenant_id", ["acme", "globex"]).with("user", "u=1"));
        let one = context(pairs(&["tenant_id="]), None).unwrap();
        assert_eq!(one, Context::new().with("tenant_id", ""));
    }

    #[test]
    fn pairs_need_a_key_and_an_equals_sign() {
        assert!(context_pair("tenant_id").is_err());
        assert!(context_pair("=acme").is_err());
    }

    #[test]
    fn reading_stops_at_the_limit() {
        assert_eq!(read_all(&b"abc"[..], 3).unwrap(), b"abc");
        assert!(read_all(std::io::repeat(b'x'), 3).is_err());
    }
}
