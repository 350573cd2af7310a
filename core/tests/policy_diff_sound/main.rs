//! `Policy::changes_to` against the checks: where no change between two policies relaxes, no text that the old one denies is
//! allowed by the new one.
//!
//! The policies are the corpus' own and changes of them, one or several; the texts are the corpus', bent ones, and some that
//! aim at what is subtle. The second test shows that the first would bite: for each kind of change that relaxes there is a text that
//! only the new policy allows, so that calling this kind neutral would fail the first test.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod edits;
mod random;
mod texts;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::thread;

use edits::{edits, patched};
use haltsql::{Change, Effect, Policy};
use random::Random;
use serde_json::Value;
use texts::Text;

/// Of each kind of change, for every second policy of the corpus.
const OF_A_KIND: usize = 2;
/// Pairs of policies with two to four changes, for each policy of the corpus.
const SEVERAL: usize = 4;

/// Kinds of change that relax, each shown by a text that only the new policy allows.
const RELAXES: &[&str] = &[
    "+ spec.functions.allow",
    "+ spec.functions.profiles",
    "+ spec.operators.allow",
    "+ spec.statements",
    "+ spec.tables",
    "+ spec.tables[].columns",
    "+ spec.tables[].write.insert",
    "+ spec.tables[].write.update",
    "+ spec.tenancy",
    "+ spec.tenancy.keys",
    "+ spec.types.allow",
    "+ spec.types.collations",
    "- spec.functions.allow",
    "- spec.functions.deny",
    "- spec.tables[].columns",
    "- spec.tables[].hidden",
    "- spec.tenancy",
    "- spec.tenancy.keys",
    "spec.limits.cartesian",
    "spec.limits.max_depth",
    "spec.limits.max_generated",
    "spec.limits.max_grouping_sets",
    "spec.limits.max_limit",
    "spec.limits.max_relations",
    "spec.limits.max_sql_bytes",
    "spec.limits.recursive",
    "spec.limits.require_limit",
    "spec.mode",
    "spec.require_qualified",
    "spec.search_path",
    "spec.tables[].columns",
    "spec.tables[].complete",
    "spec.tables[].tenant[]",
    "spec.tables[].write.delete",
    "spec.tenancy.keys[].context",
    "spec.tenancy.keys[].type",
    "spec.tenancy.mode",
];
/// Kinds of change that restrict, each shown by a text that only the old policy allows.
const RESTRICTS: &[&str] = &[
    "+ spec.functions.deny",
    "+ spec.tables[].hidden",
    "+ spec.tenancy",
    "+ spec.tenancy.keys",
    "- spec.functions.allow",
    "- spec.functions.profiles",
    "- spec.operators.allow",
    "- spec.statements",
    "- spec.tables",
    "- spec.tables[].write.insert",
    "- spec.tables[].write.update",
    "- spec.types.allow",
    "- spec.types.collations",
    "spec.limits.cartesian",
    "spec.limits.max_depth",
    "spec.limits.max_generated",
    "spec.limits.max_grouping_sets",
    "spec.limits.max_limit",
    "spec.limits.max_relations",
    "spec.limits.max_sql_bytes",
    "spec.limits.recursive",
    "spec.limits.require_limit",
    "spec.mode",
    "spec.require_qualified",
    "spec.search_path",
    "spec.tables[].complete",
    "spec.tables[].hidden",
    "spec.tables[].write.delete",
];

/// What a run found out.
#[derive(Default)]
struct Found {
    pairs: usize,
    /// Pairs in which nothing relaxes, and the denied texts that they were held against.
    steady: usize,
    checks: usize,
    wrong: Vec<String>,
    /// By kind of a single change: the first text that only the new policy allows, or only the old one.
    opened: BTreeMap<(Effect, String), String>,
    closed: BTreeMap<(Effect, String), String>,
    kinds: BTreeSet<(Effect, String)>,
}

#[test]
fn nothing_neutral_or_restricting_allows_what_was_denied_and_every_kind_of_change_shows() {
    let mut random = Random(0x5eed);
    let texts = texts::load(&mut random);
    let names = texts::names(&texts);
    let mut bases: Vec<(String, Value)> = Vec::new();
    for (name, policy) in policies() {
        bases.push((name, serde_json::from_str(policy.normal_form()).unwrap()));
    }
    // Functions of one's own in another schema than the first: a text reaches them only by their whole name.
    let lists = bases.iter().find(|(name, _)| name == "lists").unwrap().1.clone();
    let more =
        serde_json::json!({ "spec": { "functions": { "allow": ["app.fiscal_quarter", "pub.meaning", "random"] } } });
    bases.push(("lists".to_owned(), patched(&lists, &more)));
    // An extension's, and one of one's own of the same name.
    let fuzzy = serde_json::json!({ "spec": { "functions":
        { "profiles": ["core", "fuzzy"], "allow": ["app.fiscal_quarter", "pub.similarity"], "deny": null } } });
    bases.push(("lists".to_owned(), patched(&lists, &fuzzy)));
    let writes = bases.iter().find(|(name, _)| name == "write-literal").unwrap().1.clone();
    let fewer = serde_json::json!({ "spec": { "statements": ["select", "insert", "update"] } });
    bases.push(("write-literal".to_owned(), patched(&writes, &fewer)));
    assert!(texts.len() > 2_000 && bases.len() > 20, "{} texts, {} policies", texts.len(), bases.len());
    let founds: Vec<Found> = thread::scope(|scope| {
        let (texts, names) = (&texts, &names);
        let runs: Vec<_> =
            bases.chunks(bases.len().div_ceil(2)).map(|part| scope.spawn(move || run(part, texts, names))).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    let mut all = Found::default();
    for found in founds {
        all.pairs += found.pairs;
        all.steady += found.steady;
        all.checks += found.checks;
        all.wrong.extend(found.wrong);
        all.opened.extend(found.opened);
        all.closed.extend(found.closed);
        all.kinds.extend(found.kinds);
    }
    let unseen = |all: &Found| -> Vec<(Effect, String)> {
        let wanted =
            |effect: Effect, kinds: &[&str]| kinds.iter().map(|kind| (effect, (*kind).to_owned())).collect::<Vec<_>>();
        let opened = wanted(Effect::Relaxes, RELAXES).into_iter().filter(|kind| !all.opened.contains_key(kind));
        let closed = wanted(Effect::Restricts, RESTRICTS).into_iter().filter(|kind| !all.closed.contains_key(kind));
        opened.chain(closed).collect()
    };
    // What the sample missed is looked for among all changes.
    if !unseen(&all).is_empty() {
        search(&bases, &texts, &names, &mut all, unseen);
    }
    println!(
        "{} pairs, {} of them without a relaxation, {} texts held against these",
        all.pairs, all.steady, all.checks
    );
    for (kind, text) in &all.opened {
        println!("{kind:?} opens {text}");
    }
    for (kind, text) in &all.closed {
        println!("{kind:?} closes {text}");
    }
    all.wrong.truncate(20);
    assert!(all.wrong.is_empty(), "\n{}", all.wrong.join("\n"));
    assert!(all.steady > 700 && all.checks > 100_000);
    let unseen = unseen(&all);
    assert!(unseen.is_empty(), "shown by no text: {unseen:?}\nkinds: {:?}", all.kinds);
}

/// Looks for texts that show the kinds that are not shown yet.
fn search(
    bases: &[(String, Value)],
    texts: &[Text],
    names: &[String],
    all: &mut Found,
    unseen: impl Fn(&Found) -> Vec<(Effect, String)>,
) {
    let mut random = Random(1);
    let mut wanted = unseen(all);
    println!("not in the sample: {wanted:?}");
    for (name, base) in bases {
        let old = Policy::from_json(&base.to_string()).unwrap();
        let mut before = Vec::new();
        for edit in edits(base, names) {
            let Ok(new) = Policy::from_json(&patched(base, &edit.patch).to_string()) else { continue };
            let changes = old.changes_to(&new);
            if let [change] = changes.as_slice()
                && wanted.contains(&(change.effect, kind(change)))
            {
                if before.is_empty() {
                    before = texts.iter().map(|text| old.check(&text.sql, &text.context).allowed).collect();
                }
                compare(name, &changes, &new, texts, &before, &mut random, all);
                wanted = unseen(all);
            }
        }
        if wanted.is_empty() {
            return;
        }
    }
}

fn run(bases: &[(String, Value)], texts: &[Text], names: &[String]) -> Found {
    let mut found = Found::default();
    let mut random = Random(0xd1ff);
    for (name, base) in bases {
        let old = Policy::from_json(&base.to_string()).unwrap();
        let before: Vec<bool> = texts.iter().map(|text| old.check(&text.sql, &text.context).allowed).collect();
        let all = edits(base, names);
        let mut by_kind: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
        for edit in &all {
            by_kind.entry(edit.kind).or_default().push(&edit.patch);
        }
        let mut news = Vec::new();
        let kinds: Vec<_> = by_kind.values().cloned().collect();
        for (kind, patches) in by_kind {
            // What only these policies have is shown by none of the others; and what is subtle is tried more often.
            let often = matches!(&**name, "lists" | "open" | "write-literal")
                || matches!(kind, "new hidden" | "column hidden" | "table away");
            let count = if often { 3 * OF_A_KIND } else { OF_A_KIND * random.below(2) };
            news.extend(random.some(patches, count).into_iter().map(|patch| patched(base, patch)));
        }
        for _ in 0..SEVERAL {
            let mut document = base.clone();
            for _ in 0..2 + random.below(3) {
                let of_a_kind = &kinds[random.below(kinds.len())];
                let step = patched(&document, of_a_kind[random.below(of_a_kind.len())]);
                if Policy::from_json(&step.to_string()).is_ok() {
                    document = step;
                }
            }
            news.push(document);
        }
        for document in news {
            // Some changes make a document invalid: a key without its column, a list that names what is gone.
            let Ok(new) = Policy::from_json(&document.to_string()) else { continue };
            let changes = old.changes_to(&new);
            found.pairs += 1;
            compare(name, &changes, &new, texts, &before, &mut random, &mut found);
        }
    }
    found
}

fn compare(
    name: &str,
    changes: &[Change],
    new: &Policy,
    texts: &[Text],
    before: &[bool],
    random: &mut Random,
    found: &mut Found,
) {
    let steady = changes.iter().all(|change| change.effect != Effect::Relaxes);
    found.steady += usize::from(steady);
    let single = if let [change] = changes { Some((change.effect, kind(change))) } else { None };
    found.kinds.extend(single.clone());
    if !steady && single.as_ref().is_none_or(|kind| found.opened.contains_key(kind)) {
        return;
    }
    for (at, text) in texts.iter().enumerate() {
        // The policy's own texts, those that aim, and a part of the others.
        if text.policy.as_ref().is_some_and(|policy| policy != name) && random.below(32) > 0 {
            continue;
        }
        let was = before[at];
        if was && single.as_ref().is_none_or(|kind| found.closed.contains_key(kind)) {
            continue;
        }
        let now = new.check(&text.sql, &text.context).allowed;
        let sql = || String::from_utf8_lossy(&text.sql).into_owned();
        found.checks += usize::from(steady && !was);
        if steady && !was && now {
            found.wrong.push(format!("{name}: {}\n  under {changes:?}", sql()));
        }
        if let Some(kind) = &single {
            match (was, now) {
                (false, true) => drop(found.opened.entry(kind.clone()).or_insert_with(sql)),
                (true, false) => drop(found.closed.entry(kind.clone()).or_insert_with(sql)),
                (true, true) | (false, false) => {}
            }
        }
    }
}

/// A change without the names in it: `+ spec.tables[].columns`.
fn kind(change: &Change) -> String {
    let mut kind = String::new();
    let mut inside = false;
    for sign in change.path.chars() {
        inside = (inside || sign == '[') && sign != ']';
        if !inside {
            if sign == ']' {
                kind.push('[');
            }
            kind.push(sign);
        }
    }
    match (&change.from, &change.to) {
        (None, Some(_)) => format!("+ {kind}"),
        (Some(_), None) => format!("- {kind}"),
        (_, _) => kind,
    }
}

fn policies() -> Vec<(String, Policy)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance/policies");
    let mut found: Vec<(String, Policy)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let policy = Policy::from_yaml(&fs::read_to_string(&path).unwrap()).unwrap();
            (path.file_stem().unwrap().to_str().unwrap().to_owned(), policy)
        })
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}
