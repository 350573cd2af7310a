//! How many texts a second `haltsql check --batch` judges on each processor, against the parser alone.
//!
//! The whole command is measured, as it is used: start, policy, reading and writing JSON Lines. Everything takes turns with the floor,
//! so that what else the machine does falls on both.
#![allow(missing_docs, dead_code, clippy::print_stdout, clippy::expect_used)]

#[path = "../../core/benches/shapes/mod.rs"]
mod shapes;

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use shapes::EVERYDAY;

/// Lines of one batch; the everyday queries in turn.
const LINES: usize = 60_000;
const ROUNDS: usize = 5;

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let (policy, batch) = (folder.path().join("policy.json"), folder.path().join("batch.jsonl"));
    std::fs::write(&policy, shapes::policy().normal_form()).expect("the policy is written");
    let mut lines = String::new();
    for (at, (_, sql)) in EVERYDAY.iter().cycle().take(LINES).enumerate() {
        writeln!(lines, "{}", serde_json::json!({ "id": at, "sql": sql })).expect("a string takes it");
    }
    std::fs::write(&batch, lines).expect("the batch is written");

    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let mut jobs = vec![1];
    if processors > 1 {
        jobs.push(processors);
    }
    println!("\n`haltsql check --batch`, {LINES} lines of the everyday queries, the median of {ROUNDS}\n");
    println!(
        "{:<8} {:>14} {:>22} {:>18} {:>7}",
        "--jobs", "texts a second", "a second and processor", "floor of the same", "ratio"
    );
    let mut rows = Vec::new();
    for jobs in jobs {
        let mut times: Vec<(Duration, Duration)> =
            (0..ROUNDS).map(|_| (floor(jobs), command(&policy, &batch, jobs))).collect();
        times.sort_unstable_by_key(|(floor, command)| command.as_nanos() * 1_000 / floor.as_nanos().max(1));
        let (floor, command) = times.get(ROUNDS / 2).copied().expect("the median");
        let rate = |time: Duration| LINES as f64 / time.as_secs_f64();
        let (each, ratio) = (rate(command) / jobs as f64, command.as_secs_f64() / floor.as_secs_f64());
        let floor_each = rate(floor) / jobs as f64;
        println!("{jobs:<8} {:>14.0} {each:>22.0} {floor_each:>18.0} {ratio:>7.3}", rate(command));
        rows.push(format!(
            "| batch, {jobs} at a time: texts a second and processor | {each:.0} | {floor_each:.0} | {ratio:.3} |"
        ));
    }
    println!();
    for row in rows {
        println!("{row}");
    }
}

/// What parsing and fingerprinting the same texts takes on as many threads.
fn floor(jobs: usize) -> Duration {
    let started = Instant::now();
    std::thread::scope(|scope| {
        for job in 0..jobs {
            scope.spawn(move || {
                for at in (job..LINES).step_by(jobs) {
                    if let Some((_, sql)) = EVERYDAY.get(at % EVERYDAY.len()) {
                        drop(black_box(shapes::floor(black_box(sql))));
                    }
                }
            });
        }
    });
    started.elapsed()
}

fn command(policy: &Path, batch: &Path, jobs: usize) -> Duration {
    let started = Instant::now();
    let status = Command::new(env!("CARGO_BIN_EXE_haltsql"))
        .args(["check", "--context", "tenant_id=acme", "--jobs", &jobs.to_string(), "--policy"])
        .arg(policy)
        .arg("--batch")
        .arg(batch)
        .stdout(Stdio::null())
        .status()
        .expect("the command runs");
    assert!(status.success(), "a text of the batch was not allowed: {status}");
    started.elapsed()
}
