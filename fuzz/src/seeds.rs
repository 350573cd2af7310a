//! The conformance corpus as a beginning: bytes for each target that get far into the code.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use haltsql::{Context, Policy, Verdict};
use serde_json::{Value, json};

/// A policy and a context of the corpus.
pub struct Setting {
    /// The policy's name, which is its file's.
    pub name: String,
    /// Loaded.
    pub policy: Policy,
    /// Of a case of that policy.
    pub context: Context,
    json: Value,
}

/// A case as something to check.
pub struct Case {
    /// Its file's name, below the corpus.
    pub name: String,
    setting: Arc<Setting>,
    sql: Vec<u8>,
}

impl Case {
    /// The verdict's bytes, without the one field that may differ from run to run.
    pub fn verdict(&self) -> String {
        stable(&self.setting.policy.check(&self.sql, &self.setting.context))
    }
}

/// Every case with a text, sorted by its name.
pub fn cases() -> Vec<Case> {
    let settings: Vec<Arc<Setting>> = settings().into_iter().map(Arc::new).collect();
    let cases = documents().into_iter().filter_map(|(name, case)| {
        let sql = case["sql"].as_str()?.as_bytes().to_vec();
        let setting = settings.iter().find(|setting| setting.is_of(&case)).unwrap();
        Some(Case { name, setting: Arc::clone(setting), sql })
    });
    cases.collect()
}

/// The verdict's bytes, without the one field that may differ from run to run.
pub fn stable(verdict: &Verdict) -> String {
    let json = verdict.to_json();
    json.rsplit_once(",\"elapsed_us\":").unwrap().0.to_owned()
}

impl Setting {
    fn is_of(&self, case: &Value) -> bool {
        case["policy"] == self.name.as_str() && case["context"] == self.json
    }
}

/// Every pair of policy and context that a case has, in a fixed order.
pub fn settings() -> Vec<Setting> {
    let mut settings: Vec<Setting> = Vec::new();
    for (_, case) in documents() {
        if place_of(&settings, &case).is_none() {
            let name = case["policy"].as_str().unwrap().to_owned();
            let policy =
                Policy::from_yaml(&fs::read_to_string(corpus().join(format!("policies/{name}.yaml"))).unwrap());
            let json = case["context"].clone();
            let context = Context::from_json(&json.to_string()).unwrap();
            settings.push(Setting { name, policy: policy.unwrap(), context, json });
        }
    }
    settings
}

/// Seeds for [`crate::targets::sql`].
pub fn sql() -> Vec<Vec<u8>> {
    let settings = settings();
    let seed = |(_, case): (String, Value)| {
        Some([head(&settings, &case).as_slice(), case["sql"].as_str()?.as_bytes()].concat())
    };
    documents().into_iter().filter_map(seed).collect()
}

/// Seeds for [`crate::targets::policy`]: every policy of the corpus, and its normal form.
pub fn policy() -> Vec<Vec<u8>> {
    let mut settings = settings();
    settings.dedup_by(|left, right| left.name == right.name);
    let documents = settings.iter().flat_map(|setting| {
        let document = fs::read(corpus().join(format!("policies/{}.yaml", setting.name))).unwrap();
        [document, setting.policy.normal_form().as_bytes().to_vec()]
    });
    documents.collect()
}

/// Seeds for [`crate::targets::context`].
pub fn context() -> Vec<Vec<u8>> {
    let mut contexts: Vec<_> = settings().iter().map(|setting| setting.json.to_string().into_bytes()).collect();
    contexts.sort();
    contexts.dedup();
    contexts
}

/// Seeds for [`crate::targets::batch`]: the cases of each setting, a few lines a batch.
pub fn batch() -> Vec<Vec<u8>> {
    let settings = settings();
    let mut cases: Vec<Value> = documents().into_iter().map(|(_, case)| case).collect();
    cases.sort_by_key(|case| place_of(&settings, case));
    let batches = cases.chunks(3).map(|cases| {
        let lines = cases.iter().enumerate().map(|(at, case)| {
            let (sql, context) = (&case["sql"], &case["context"]);
            let line =
                if at == 0 { json!({ "sql": sql }) } else { json!({ "id": at, "sql": sql, "context": context }) };
            format!("{line}\n").into_bytes()
        });
        [head(&settings, &cases[0]).to_vec()].into_iter().chain(lines).collect::<Vec<_>>().concat()
    });
    batches.collect()
}

/// The two bytes that choose a case's setting.
fn head(settings: &[Setting], case: &Value) -> [u8; 2] {
    u16::try_from(place_of(settings, case).unwrap()).unwrap().to_le_bytes()
}

fn place_of(settings: &[Setting], case: &Value) -> Option<usize> {
    settings.iter().position(|setting| setting.is_of(case))
}

/// Every case as it is written, with its file's name, sorted by it.
fn documents() -> Vec<(String, Value)> {
    let root = corpus().join("cases");
    let mut open = vec![root.clone()];
    let mut files = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { open.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    let read = |file: &PathBuf| {
        let name = file.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
        (name, serde_json::from_slice(&fs::read(file).unwrap()).unwrap())
    };
    files.iter().map(read).collect()
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance")
}
