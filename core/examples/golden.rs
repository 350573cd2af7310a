//! Writes `conformance/golden/verdicts.tsv`: for each case of the corpus its id, a tab, and the verdict's bytes up to, not
//! including, `,"elapsed_us":`. Bindings compare their bytes with these. They say what this version answers, not what is
//! right: that stands in the cases, and nothing may be copied from here into a case.
//!
//! ```text
//! cargo run -p haltsql --example golden             # writes
//! cargo run -p haltsql --example golden -- --check  # exit code 1 where the file is stale
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use haltsql::{Context, Policy};
use serde_json::Value;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance");
    let file = root.join("golden/verdicts.tsv");
    let fresh = golden(&root)?;
    if std::env::args().any(|argument| argument == "--check") {
        let stale = fs::read(&file)? != fresh;
        if stale {
            eprintln!("{} is stale: run cargo run -p haltsql --example golden", file.display());
        }
        return Ok(ExitCode::from(u8::from(stale)));
    }
    fs::create_dir_all(root.join("golden"))?;
    fs::write(&file, fresh)?;
    Ok(ExitCode::SUCCESS)
}

/// The whole file, cases sorted by id.
fn golden(root: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut policies: BTreeMap<String, Policy> = BTreeMap::new();
    let mut lines: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for path in files_below(&root.join("cases"))? {
        let case: Value = serde_json::from_slice(&fs::read(&path)?)?;
        let id = path.strip_prefix(root.join("cases"))?.with_extension("").to_string_lossy().replace('\\', "/");
        let name = case.get("policy").and_then(Value::as_str).ok_or_else(|| format!("{id}: no policy"))?;
        if !policies.contains_key(name) {
            let text = fs::read_to_string(root.join("policies").join(format!("{name}.yaml")))?;
            let policy = Policy::from_yaml(&text).map_err(|error| format!("policy {name}: {error}"))?;
            policies.insert(name.to_owned(), policy);
        }
        let policy = policies.get(name).ok_or_else(|| format!("{id}: no policy {name}"))?;
        let context = Context::from_json(&case.get("context").unwrap_or(&Value::Null).to_string())
            .map_err(|error| format!("{id}: {error}"))?;
        let verdict = policy.check(&sql(&case).ok_or_else(|| format!("{id}: no sql"))?, &context).to_json();
        let end = verdict.rfind(",\"elapsed_us\":").ok_or_else(|| format!("{id}: no elapsed_us"))?;
        let mut line = format!("{id}\t").into_bytes();
        line.extend_from_slice(verdict.as_bytes().get(..end).unwrap_or_default());
        line.push(b'\n');
        lines.insert(id, line);
    }
    Ok(lines.into_values().flatten().collect())
}

/// The bytes to check.
fn sql(case: &Value) -> Option<Vec<u8>> {
    if let Some(text) = case["sql"].as_str() {
        return Some(text.as_bytes().to_vec());
    }
    let digits: Vec<u32> = case["sql_hex"].as_str()?.chars().map(|c| c.to_digit(16)).collect::<Option<_>>()?;
    digits.chunks(2).map(|pair| u8::try_from(pair.first()? * 16 + pair.get(1)?).ok()).collect()
}

fn files_below(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory)? {
            let path = entry?.path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    Ok(found)
}
