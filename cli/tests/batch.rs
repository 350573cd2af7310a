//! `haltsql check --batch`: order, bad lines, exit codes, memory, closed pipes.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::thread;
use std::time::{Duration, Instant};

use common::{Folder, parts};
use serde_json::{Value, json};

const ALLOWED: &str = r#"{"id":1,"sql":"SELECT id FROM products"}"#;
const DENIED: &str = r#"{"id":2,"sql":"SELECT id FROM secret"}"#;

fn lines(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_exit_code_is_that_of_the_worst_line() {
    let folder = Folder::new();
    let run = |arguments: &[&str], input: &str| {
        parts(&folder.check(&[&["--batch", "-"], arguments].concat(), input.as_bytes())).0
    };
    assert_eq!(run(&[], ""), 0);
    assert_eq!(run(&[], ALLOWED), 0);
    assert_eq!(run(&[], &format!("{ALLOWED}\n{DENIED}\n")), 1);
    assert_eq!(run(&["--exit-zero"], &format!("{ALLOWED}\n{DENIED}\n")), 0);
    assert_eq!(run(&[], &format!("{DENIED}\n{{}}\n")), 2);
    assert_eq!(run(&["--exit-zero"], &format!("{ALLOWED}\n{{}}\n")), 2);
}

#[test]
fn answers_come_in_the_order_of_the_lines_whatever_the_number_of_jobs() {
    let folder = Folder::new();
    let mut input = String::new();
    for id in 0..50_000_u32 {
        // Some lines take much longer than their neighbours.
        let padding = if id % 997 == 0 { " ".repeat(20_000) } else { String::new() };
        let table = if id % 3 == 0 { "secret" } else { "products" };
        writeln!(input, r#"{{"id":{id},"sql":"SELECT id FROM {table}{padding}"}}"#).unwrap();
    }
    folder.write("queries.jsonl", &input);
    for jobs in ["1", "3"] {
        let (code, out, err) = parts(&folder.check(&["--batch", "queries.jsonl", "--jobs", jobs], b""));
        assert_eq!((code, &*err), (1, ""));
        let mut count = 0;
        for (id, answer) in lines(&out).iter().enumerate() {
            assert_eq!(answer["id"], id);
            assert_eq!(answer["verdict"]["allowed"], id % 3 != 0);
            count += 1;
        }
        assert_eq!(count, 50_000);
    }
}

#[test]
fn a_line_is_the_callers_id_and_the_verdict_that_a_single_check_gives() {
    let folder = Folder::new();
    let (_, out, _) = parts(&folder.check(&["--batch", "-"], DENIED.as_bytes()));
    assert!(out.starts_with(r#"{"id":2,"verdict":{"allowed":false,"#), "{out}");
    let (_, single, _) = parts(&folder.check(&["--json", "SELECT id FROM secret"], b""));
    let without_time = |text: &str| text.split("\"elapsed_us\"").next().unwrap().to_owned();
    assert_eq!(without_time(&out), format!("{{\"id\":2,\"verdict\":{}", without_time(&single)));
}

#[test]
fn bad_lines_say_what_is_wrong_and_do_not_stop_the_others() {
    let folder = Folder::new();
    let too_long = format!(r#"{{"id":"long","sql":"{}"}}"#, "x".repeat(1024 * 1024));
    let cases = [
        (&b"not json"[..], Value::Null, "line 1: "),
        (br#"{"id":"a"}"#, json!("a"), "missing field `sql`"),
        (br#"{"id":[1,{"b":2}],"sql":5}"#, json!([1, {"b": 2}]), "expected a string"),
        (br#"{"id":null,"sql":"SELECT 1","contxt":{}}"#, Value::Null, "unknown field `contxt`"),
        (br#"{"id":4,"sql":"a","sql":"b"}"#, json!(4), "duplicate field `sql`"),
        (br#"{"id":5,"sql":"a","context":null}"#, json!(5), "context"),
        (br#"{"id":6,"sql":"a","context":["acme"]}"#, json!(6), "context"),
        (br#"{"sql":"\ud83d"}"#, Value::Null, "line 8: "),
        (b"{\"sql\":\"\xff\"}", Value::Null, "line 9: "),
        (br#"["SELECT 1"]"#, Value::Null, "line 10: not a JSON object"),
        (br#"[1,"SELECT 1",{}]"#, Value::Null, "line 11: not a JSON object"),
        (too_long.as_bytes(), Value::Null, "longer than 1048576 bytes"),
    ];
    let mut input = Vec::new();
    for (line, _, _) in &cases {
        input.extend_from_slice(line);
        input.push(b'\n');
    }
    input.extend_from_slice(ALLOWED.as_bytes());
    let (code, out, err) = parts(&folder.check(&["--batch", "-"], &input));
    assert_eq!(code, 2);
    assert!(err.contains("12 of 13 lines could not be checked") && err.contains("help: "), "{err}");
    let answers = lines(&out);
    assert_eq!(answers.len(), 13);
    for ((line, id, says), answer) in cases.iter().zip(&answers) {
        let line = String::from_utf8_lossy(&line[..line.len().min(80)]);
        assert_eq!(&answer["id"], id, "{line}");
        assert!(answer["error"].as_str().unwrap().contains(says), "{line}: {answer}");
        assert!(answer.get("verdict").is_none(), "{line}");
    }
    assert_eq!(answers[12]["verdict"]["allowed"], true);
}

#[test]
fn an_id_is_given_back_as_it_came_and_is_absent_where_there_was_none() {
    let folder = Folder::new();
    let input =
        "{\"sql\":\"SELECT 1\"}\n\n  \r\n{\"id\":null,\"sql\":\"SELECT 1\"}\r\n{\"id\":1.50,\"sql\":\"SELECT 1\"}";
    let (code, out, _) = parts(&folder.check(&["--batch", "-"], input.as_bytes()));
    assert_eq!(code, 0);
    let starts: Vec<&str> = out.lines().map(|line| line.split("\"verdict\"").next().unwrap()).collect();
    assert_eq!(starts, ["{", "{\"id\":null,", "{\"id\":1.50,"]);
}

#[test]
fn a_line_is_answered_before_the_next_one_comes() {
    let folder = Folder::new();
    let arguments = ["check", "--policy", "policy.yaml", "--context", "tenant_id=acme", "--batch", "-"];
    let mut child = folder.haltsql(&arguments).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for id in 0..5 {
        writeln!(stdin, r#"{{"id":{id},"sql":"SELECT 1"}}"#).unwrap();
        let mut answer = String::new();
        stdout.read_line(&mut answer).unwrap();
        assert!(answer.starts_with(&format!("{{\"id\":{id},")), "{answer}");
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// Standard input that goes on until nobody reads it.
fn endless(mut stdin: std::process::ChildStdin, line: String) -> thread::JoinHandle<u64> {
    thread::spawn(move || {
        let mut written = 0;
        while writeln!(stdin, "{line}").is_ok() {
            written += 1;
        }
        written
    })
}

#[test]
fn a_reader_that_goes_away_ends_the_command_quietly() {
    let folder = Folder::new();
    let arguments = ["check", "--policy", "policy.yaml", "--context", "tenant_id=acme", "--batch", "-"];
    let mut child = folder.haltsql(&arguments).spawn().unwrap();
    let writer = endless(child.stdin.take().unwrap(), ALLOWED.to_owned());
    let mut first = [0];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    // Not every line was checked, so it is not 0; and nobody is told.
    assert_eq!(parts(&output), (2, String::new(), String::new()));
    assert!(writer.join().unwrap() > 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_slow_reader_holds_the_input_up_and_memory_stays_bounded() {
    let folder = Folder::new();
    let arguments = ["check", "--policy", "policy.yaml", "--context", "tenant_id=acme", "--batch", "-", "--jobs", "2"];
    let mut child = folder.haltsql(&arguments).spawn().unwrap();
    // Large ids come out again, so that input and output both would fill an unbounded queue.
    let line = format!(r#"{{"id":"{}","sql":"SELECT id FROM products"}}"#, "x".repeat(500_000));
    let writer = endless(child.stdin.take().unwrap(), line);
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut read = 0;
    let mut answer = Vec::new();
    while read < 400 {
        answer.clear();
        stdout.read_until(b'\n', &mut answer).unwrap();
        assert!(answer.len() > 500_000);
        read += 1;
        if read == 10 {
            thread::sleep(Duration::from_millis(1500));
        }
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    // 400 answers are 200 MB; the queues hold at most 2 × (16 + 16) lines and the few in hand.
    assert!(peak < 120_000, "{peak} kB");
    drop(stdout);
    let started = Instant::now();
    child.wait().unwrap();
    assert!(started.elapsed() < Duration::from_secs(20));
    assert!(writer.join().unwrap() < 600);
}
