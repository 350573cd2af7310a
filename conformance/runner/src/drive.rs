//! Every runner, one after another, and the table of what they said.
//!
//! Receives the folder of inputs and the scripts of `conformance/runners/`, prints tables, returns whether all agree. A runner
//! that prints no line, counts other rows, or does not notice a changed byte has failed, whatever its exit code says.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::rows::{Row, Set};

/// The order of the table; others follow by name.
const ORDER: &[&str] = &["rust", "c", "python", "node", "java", "go", "cli", "cli-batch"];

/// What a runner said about a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    name: String,
    set: String,
    cases: usize,
    identical: usize,
    uncarried: usize,
    digest: String,
}

impl Line {
    /// Reads `conformance name=… set=… …`, wherever it begins in a line.
    #[must_use]
    pub fn read(text: &str) -> Option<Line> {
        let (_, fields) = text.split_once("conformance name=")?;
        let fields = format!("name={fields}");
        let field = |name: &str| {
            let found = fields.split_whitespace().find_map(|field| field.strip_prefix(name)?.strip_prefix('='));
            found.map(str::to_owned)
        };
        let number = |name: &str| field(name)?.parse().ok();
        Some(Line {
            name: field("name")?,
            set: field("set")?,
            cases: number("cases")?,
            identical: number("identical")?,
            uncarried: number("uncarried")?,
            digest: field("digest")?,
        })
    }
}

/// Where things are.
pub struct Places {
    /// The checkout.
    pub root: PathBuf,
    /// The prepared inputs.
    pub inputs: PathBuf,
    /// The same corpus with one changed byte in what is expected.
    pub changed: PathBuf,
}

/// Runs them and prints the tables. `names`: only these; empty: all that exist.
///
/// # Errors
/// There is no runner of such a name, or none at all.
pub fn all(places: &Places, names: &[String]) -> Result<bool, String> {
    let sets = Set::all(&places.inputs)?;
    let changed = Set::all(&places.changed)?;
    let runners = runners(&places.root.join("conformance/runners"), names)?;
    let mut lines = Vec::new();
    let mut problems = Vec::new();
    for (name, script) in &runners {
        let (said, code) = start(script, &places.root, &places.inputs)?;
        problems.extend(judge(name, &sets, &said, code));
        lines.extend(said);
        let (said, code) = start(script, &places.root, &places.changed)?;
        problems.extend(unnoticed(name, &changed, &said, code));
    }
    for set in &sets {
        println!("\n{} ({} rows)", set.name, set.rows.len());
        println!("{:<12} {:>6} {:>9}  {:<64}  not carried", "name", "cases", "identical", "digest");
        for line in lines.iter().filter(|line| line.set == set.name) {
            // Rows of other sets begin with the set, so that `rust` is the corpus.
            let name = if set.name == "corpus" { line.name.clone() } else { format!("+ {}", line.name) };
            println!("{name:<12} {:>6} {:>9}  {}  {}", line.cases, line.identical, line.digest, line.uncarried);
        }
    }
    println!("\none changed byte: noticed by {} of {} runners", runners.len() - blind(&problems), runners.len());
    for problem in &problems {
        eprintln!("conformance: {problem}");
    }
    Ok(problems.is_empty())
}

const UNNOTICED: &str = "does not notice";

fn blind(problems: &[String]) -> usize {
    problems.iter().filter(|problem| problem.contains(UNNOTICED)).count()
}

fn runners(folder: &Path, names: &[String]) -> Result<Vec<(String, PathBuf)>, String> {
    let entries = fs::read_dir(folder).map_err(|problem| format!("{}: {problem}", folder.display()))?;
    let mut found: Vec<(String, PathBuf)> = entries
        .filter_map(Result::ok)
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
        .filter(|(name, _)| names.is_empty() || names.contains(name))
        .collect();
    if let Some(missing) = names.iter().find(|name| !found.iter().any(|(own, _)| own == *name)) {
        return Err(format!("there is no runner {missing} in {}", folder.display()));
    }
    if found.is_empty() {
        return Err(format!("{} holds no runner", folder.display()));
    }
    let rank = |name: &str| ORDER.iter().position(|own| *own == name).unwrap_or(ORDER.len());
    found.sort_by(|(a, _), (b, _)| (rank(a), a).cmp(&(rank(b), b)));
    Ok(found)
}

/// Runs a script; returns the lines that it said and its exit code.
fn start(script: &Path, root: &Path, inputs: &Path) -> Result<(Vec<Line>, Option<i32>), String> {
    let tool = std::env::current_exe().map_err(|problem| problem.to_string())?;
    let mut command = Command::new(script);
    command.current_dir(root).env("HALTSQL_CONFORMANCE_DIR", inputs).env("HALTSQL_CONFORMANCE_TOOL", tool);
    let output = command.stdin(Stdio::null()).output().map_err(|problem| format!("{}: {problem}", script.display()))?;
    let said: Vec<Line> = String::from_utf8_lossy(&output.stdout).lines().filter_map(Line::read).collect();
    if output.status.code() != Some(0) && said.iter().all(|line| line.identical + line.uncarried == line.cases) {
        // Not a difference, so nothing else tells why.
        eprintln!("{}\n{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    } else if output.status.code() != Some(0)
        && said.iter().any(|line| line.identical + line.uncarried + 1 < line.cases)
    {
        eprintln!("{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok((said, output.status.code()))
}

/// What is wrong with what a runner said about the true inputs.
fn judge(name: &str, sets: &[Set], said: &[Line], code: Option<i32>) -> Vec<String> {
    let mut wrong = Vec::new();
    for set in sets {
        let own: Vec<&Line> = said.iter().filter(|line| line.set == set.name).collect();
        let [line] = *own else {
            wrong.push(format!("{name}: {} lines about the set {}, not one", own.len(), set.name));
            continue;
        };
        if line.name != name || line.digest != set.digest || line.cases != set.rows.len() {
            wrong.push(format!("{name}: ran other rows than the {} of {}: {line:?}", set.rows.len(), set.name));
        }
        let most = set.rows.iter().filter(|row| may_be_uncarried(name, row)).count();
        if line.uncarried > most {
            wrong.push(format!("{name}: {} of {} not carried, and only {most} can be", line.uncarried, set.name));
        }
        if line.identical + line.uncarried != line.cases {
            let different = line.cases.saturating_sub(line.identical + line.uncarried);
            wrong.push(format!("{name}: {different} of {} differ", set.name));
        }
    }
    if code != Some(0) && wrong.is_empty() {
        wrong.push(format!("{name}: ended with {code:?}, though nothing differs"));
    }
    wrong
}

/// Only bytes that are no text, and for the command what an argument or a line cannot hold.
fn may_be_uncarried(name: &str, row: &Row) -> bool {
    let hard = |input: &[u8]| input.iter().any(|byte| matches!(byte, 0 | b'\r' | b'\n')) || input.starts_with(b"{}");
    !row.is_utf8() || (name.starts_with("cli") && row.inputs().into_iter().any(hard))
}

/// What is wrong with what a runner said where exactly one row's expectation is false.
fn unnoticed(name: &str, changed: &[Set], said: &[Line], code: Option<i32>) -> Vec<String> {
    let rows: usize = changed.iter().map(|set| set.rows.len()).sum();
    let cases: usize = said.iter().map(|line| line.cases).sum();
    let same: usize = said.iter().map(|line| line.identical + line.uncarried).sum();
    if cases == rows && same + 1 == rows && code == Some(1) {
        return Vec::new();
    }
    vec![format!("{name}: {UNNOTICED} one changed byte: {same} of {rows} the same, exit code {code:?}")]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::rows::Task;

    fn set(texts: &[&[u8]]) -> Set {
        let row = |(number, sql): (usize, &&[u8])| Row {
            id: number.to_string(),
            task: Task::Check { policy: "p".to_owned(), context: b"{}".to_vec(), sql: sql.to_vec() },
            expected: "{".to_owned(),
        };
        Set::of("corpus", texts.iter().enumerate().map(row).collect())
    }

    fn said(set: &Set, text: &str) -> Vec<Line> {
        let line = format!("..conformance name=go set=corpus {text} digest={}", set.digest);
        vec![Line::read(&line).unwrap()]
    }

    #[test]
    fn a_runner_is_believed_only_where_its_line_fits() {
        let set = set(&[b"a", b"b", b"\xff"]);
        let judge = |text: &str, code| judge("go", std::slice::from_ref(&set), &said(&set, text), Some(code));
        assert_eq!(judge("cases=3 identical=3 uncarried=0", 0), Vec::<String>::new());
        assert_eq!(judge("cases=3 identical=2 uncarried=1", 0), Vec::<String>::new());
        for (text, code, problem) in [
            ("cases=3 identical=2 uncarried=0", 1, "go: 1 of corpus differ"),
            ("cases=3 identical=1 uncarried=2", 0, "go: 2 of corpus not carried, and only 1 can be"),
            ("cases=2 identical=2 uncarried=0", 0, "go: ran other rows than the 3 of corpus"),
            ("cases=0 identical=0 uncarried=0", 0, "go: ran other rows than the 3 of corpus"),
            ("cases=3 identical=3 uncarried=0", 2, "go: ended with Some(2), though nothing differs"),
        ] {
            let problems = judge(text, code);
            assert!(problems.iter().any(|own| own.starts_with(problem)), "{text}: {problems:?}");
        }
        let other = Line { digest: "0".to_owned(), ..said(&set, "cases=3 identical=3 uncarried=0").remove(0) };
        assert_eq!(super::judge("go", std::slice::from_ref(&set), &[other], Some(0)).len(), 1);
        assert_eq!(
            super::judge("java", std::slice::from_ref(&set), &said(&set, "cases=3 identical=3 uncarried=0"), Some(0))
                .len(),
            1
        );
        assert_eq!(
            super::judge("go", std::slice::from_ref(&set), &[], Some(0)),
            ["go: 0 lines about the set corpus, not one"]
        );
    }

    #[test]
    fn a_runner_that_misses_the_changed_byte_is_found() {
        let set = set(&[b"a", b"b"]);
        let unnoticed = |text: &str, code| unnoticed("go", std::slice::from_ref(&set), &said(&set, text), Some(code));
        assert_eq!(unnoticed("cases=2 identical=1 uncarried=0", 1), Vec::<String>::new());
        for (text, code) in [
            ("cases=2 identical=2 uncarried=0", 0),
            ("cases=2 identical=2 uncarried=0", 1),
            ("cases=2 identical=1 uncarried=0", 0),
            ("cases=2 identical=0 uncarried=0", 1),
            ("cases=1 identical=0 uncarried=0", 1),
        ] {
            assert_eq!(blind(&unnoticed(text, code)), 1, "{text}, {code}");
        }
    }

    #[test]
    fn lines_are_found_among_others() {
        assert_eq!(Line::read("1406 passed"), None);
        assert_eq!(Line::read("conformance name=go set=corpus cases=x identical=1 uncarried=0 digest=a"), None);
        let line = Line::read("ok conformance name=go set=s cases=3 identical=2 uncarried=1 digest=ab").unwrap();
        assert_eq!(
            (&*line.name, &*line.set, line.cases, line.identical, line.uncarried, &*line.digest),
            ("go", "s", 3, 2, 1, "ab")
        );
    }
}
