//! The row of Rust: every input through the boundary; and that a difference would be seen.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use haltsql_conformance::rows::{Row, Set, Task};
use haltsql_conformance::{generate, prepare, runner};

/// A prepared folder, and what is in it.
fn prepared(seed: u64, count: usize) -> (tempfile::TempDir, [Set; 2]) {
    let folder = tempfile::tempdir().unwrap();
    let sets = prepare::sets(seed, count).unwrap();
    prepare::write(folder.path(), &sets).unwrap();
    (folder, sets)
}

#[test]
fn the_boundary_answers_every_input_as_the_library_does() {
    let (folder, sets) = prepared(1, generate::USUAL_COUNT);
    let read = Set::all(folder.path()).unwrap();
    assert_eq!(read, sets, "what is read is what was written");
    for set in &read {
        let count = runner::compare(set, &runner::rust(folder.path(), &set.rows).unwrap());
        println!("{}: {count:?}", set.name);
        assert_eq!(
            (count.cases, count.identical, count.uncarried),
            (set.rows.len(), set.rows.len(), 0),
            "{}",
            set.name
        );
    }
    assert!(read[0].rows.len() > 1000, "the corpus is there");
    assert_eq!(read[1].rows.len(), generate::USUAL_COUNT);
}

#[test]
fn generated_inputs_are_of_every_kind() {
    let [_, generated] = prepare::sets(2, 2_000).unwrap();
    let count = |fits: &dyn Fn(&Row) -> bool| generated.rows.iter().filter(|row| fits(row)).count();
    let has = |code: &'static str| count(&|row| row.expected.contains(code));
    for (what, least, found) in [
        ("allowed", 20, has("{\"allowed\":true")),
        ("syntax errors", 200, has("\"E_PARSE\"")),
        ("too large", 20, has("\"E_TOO_LARGE\"")),
        ("too complex", 20, has("\"E_TOO_COMPLEX\"")),
        ("no context", 50, count(&|row| row.expected == "error 4")),
        ("bad policies", 30, count(&|row| row.expected == "error 3")),
        ("good policies", 30, count(&|row| row.expected.starts_with("sha256:"))),
        ("not UTF-8", 50, count(&|row| !row.is_utf8())),
        ("NUL", 10, count(&|row| row.inputs().iter().any(|input| input.contains(&0)))),
        ("beyond ASCII", 200, count(&|row| row.expected.starts_with('{') && !row.expected.is_ascii())),
    ] {
        println!("{what}: {found}");
        assert!(found >= least, "{what}: {found}, at least {least} were meant");
    }
}

#[test]
fn a_seed_decides_the_inputs() {
    let [_, one] = prepare::sets(3, 50).unwrap();
    let [_, again] = prepare::sets(3, 50).unwrap();
    let [_, other] = prepare::sets(4, 50).unwrap();
    assert_eq!(one, again);
    assert_ne!(one.digest, other.digest);
}

#[test]
fn one_changed_byte_is_seen() {
    let (folder, [corpus, _]) = prepared(1, 1);
    for seed in [0, 1, 77] {
        let mut changed = corpus.clone();
        prepare::change(&mut changed, seed);
        let differ = |(a, b): (&Row, &Row)| a.expected.bytes().zip(b.expected.bytes()).filter(|(a, b)| a != b).count();
        assert_eq!(corpus.rows.iter().zip(&changed.rows).map(differ).sum::<usize>(), 1, "one byte");
        let count = runner::compare(&changed, &runner::rust(folder.path(), &changed.rows).unwrap());
        assert_eq!((count.cases, count.identical), (corpus.rows.len(), corpus.rows.len() - 1));
    }
}

#[test]
fn a_file_that_is_not_whole_is_refused() {
    let task = Task::Check { policy: "p".to_owned(), context: b"{}".to_vec(), sql: b"\0\xff".to_vec() };
    let text = Set::of("s", vec![Row { id: "1".to_owned(), task, expected: "error 4".to_owned() }]).text();
    assert!(text.ends_with("\ncheck\t1\tp\t7b7d\t00ff\terror 4\n"), "{text}");
    assert_eq!(Set::read(&text).unwrap().rows.len(), 1);
    for bad in [
        "",
        "x",
        &text.replace("00ff", "00f"),
        &text.replace("check", "chec"),
        text.lines().next().unwrap(),
        &format!("{text}{text}"),
    ] {
        assert!(Set::read(bad).is_err(), "{bad}");
    }
    let empty = tempfile::tempdir().unwrap();
    assert!(Set::all(empty.path()).unwrap_err().contains("prepare"));
}
