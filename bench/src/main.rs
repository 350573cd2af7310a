//! What other languages add to a check: Rust here, the language in a process of its own, in turns (bench/README.md).

#[allow(missing_docs, clippy::panic, clippy::indexing_slicing)]
#[path = "../../core/benches/shapes/mod.rs"]
mod shapes;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use haltsql::{Context, Format, Policy};
use haltsql_conformance::rows::{Row, Set, Task};
use haltsql_conformance::{corpus, prepare};

/// What a check from a language may cost over the Rust call.
const BOUNDS: &[(&str, Duration)] = &[
    ("c", Duration::from_micros(3)),
    ("go", Duration::from_micros(3)),
    ("java", Duration::from_micros(6)),
    ("node", Duration::from_micros(4)),
    ("python", Duration::from_micros(4)),
];
/// How often Rust and the language take turns.
const TURNS: usize = 5;
/// A bound is missed when it is missed so many times in a row.
const ATTEMPTS: usize = 3;
/// Short batches: on a machine that does other things too, some of them are left alone.
const BATCHES: usize = 300;
const BATCH: u32 = 10;
const THROUGHPUT: u32 = 4_000;

/// Nanoseconds a check, by text, and those of them that are not on the core's own clock (`elapsed_us`); checks a second, by number
/// of threads.
#[derive(Default)]
struct Measured {
    ns: BTreeMap<String, f64>,
    beside: BTreeMap<String, f64>,
    per_s: BTreeMap<u32, f64>,
}

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(missed) => {
            for bound in &missed {
                println!("missed: {bound}");
            }
            if missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::from(2)
        }
    }
}

fn run(names: Vec<String>) -> Result<Vec<String>, String> {
    let root = haltsql_testkit::root();
    let document = corpus::policies(&root.join("conformance"))?.into_iter().find(|(name, _)| name == "bound");
    let (_, document) = document.ok_or("there is no policy `bound`")?;
    let policy = Policy::parse(&document, Format::Yaml).map_err(|problem| problem.to_string())?;
    let context = Context::new().with("tenant_id", "acme");
    let mut rows = Vec::new();
    for (name, sql) in shapes::EVERYDAY {
        let verdict = policy.check(sql.as_bytes(), &context);
        if !verdict.allowed {
            return Err(format!("{name}: not allowed: {:?}", verdict.reasons));
        }
        let task =
            Task::Check { policy: "bound".to_owned(), context: br#"{"tenant_id":"acme"}"#.to_vec(), sql: sql.into() };
        rows.push(Row { id: name.replace(' ', "-"), task, expected: "-".to_owned() });
    }
    let folder = root.join(".build/bench");
    prepare::write(&folder, &[Set::of("bench", rows.clone())])?;

    let mut missed = Vec::new();
    for (name, script) in scripts(&root.join("bench/overhead"), &names)? {
        let bound = BOUNDS.iter().find(|(own, _)| *own == name).map(|(_, bound)| bound.as_nanos() as f64);
        let mut attempt = 1;
        let (rust, other) = loop {
            let measured = turns(&policy, &context, &rows, &script, &folder)?;
            let over = worst(&measured.0, &measured.1)?;
            if attempt == ATTEMPTS || bound.is_none_or(|bound| over <= bound) {
                break measured;
            }
            attempt += 1;
        };
        print(&name, &rust, &other, bound);
        if let Some(bound) = bound
            && worst(&rust, &other)? > bound
        {
            missed.push(format!("a check from {name} costs more than {:.1} µs over the Rust call", bound / 1e3));
        }
    }
    Ok(missed)
}

/// The most that any text costs over Rust, in nanoseconds. What is on the core's own clock doesn't count: the same core in another
/// artefact, with another heap around it, differs by more than what is looked for.
fn worst(rust: &Measured, other: &Measured) -> Result<f64, String> {
    let mut most = f64::MIN;
    for (text, beside) in &rust.beside {
        let own = other.beside.get(text).ok_or_else(|| format!("nothing was measured for {text}"))?;
        most = most.max(own - beside);
    }
    Ok(most)
}

fn print(name: &str, rust: &Measured, other: &Measured, bound: Option<f64>) {
    let limit = bound.map_or_else(|| "no bound".to_owned(), |bound| format!("at most {:.1} µs", bound / 1e3));
    println!("\nA check from {name} over the Rust call, JSON included ({limit})\n");
    let rows = ["query", "rust", name, "rust, beside", "own, beside", "over"];
    println!("{:<14} {:>10} {:>10} {:>14} {:>14} {:>10}", rows[0], rows[1], rows[2], rows[3], rows[4], rows[5]);
    let of = |times: &BTreeMap<String, f64>, text: &str| times.get(text).copied().unwrap_or(f64::NAN) / 1e3;
    for text in rust.ns.keys() {
        let (whole, own) = (of(&rust.ns, text), of(&other.ns, text));
        let (beside, own_beside) = (of(&rust.beside, text), of(&other.beside, text));
        let over = own_beside - beside;
        println!("{text:<14} {whole:>7.2} µs {own:>7.2} µs {beside:>11.2} µs {own_beside:>11.2} µs {over:>7.2} µs");
    }
    for (threads, per_s) in &rust.per_s {
        let own = other.per_s.get(threads).copied().unwrap_or(f64::NAN);
        println!("{threads} thread(s): {per_s:.0} checks a second in Rust, {own:.0} from {name}");
    }
}

/// Rust and the language in turns; of each the best.
fn turns(
    policy: &Policy,
    context: &Context,
    rows: &[Row],
    script: &Path,
    folder: &Path,
) -> Result<(Measured, Measured), String> {
    let (mut rust, mut other) = (Measured::default(), Measured::default());
    for _ in 0..TURNS {
        best(&mut rust, measure(policy, context, rows));
        best(&mut other, start(script, folder)?);
    }
    Ok((rust, other))
}

fn best(known: &mut Measured, new: Measured) {
    for (known, new) in [(&mut known.ns, new.ns), (&mut known.beside, new.beside)] {
        for (text, ns) in new {
            let least = known.entry(text).or_insert(f64::MAX);
            *least = least.min(ns);
        }
    }
    for (threads, per_s) in new.per_s {
        let most = known.per_s.entry(threads).or_insert(0.0);
        *most = most.max(per_s);
    }
}

fn measure(policy: &Policy, context: &Context, rows: &[Row]) -> Measured {
    let mut measured = Measured::default();
    let texts = || rows.iter().filter_map(|row| row.inputs().get(1).map(|sql| (&row.id, *sql)));
    let check = |sql: &[u8]| {
        let verdict = policy.check(black_box(sql), context);
        drop(black_box(verdict.to_json()));
        verdict.elapsed_us
    };
    for (id, sql) in texts() {
        let batch = || {
            let started = Instant::now();
            let core: u64 = (0..BATCH).map(|_| check(sql)).sum();
            let took = started.elapsed().as_nanos() as f64;
            (took, took - core as f64 * 1e3)
        };
        let batches: Vec<(f64, f64)> = (0..BATCHES).map(|_| batch()).collect();
        let least = |of: fn(&(f64, f64)) -> f64| batches.iter().map(of).fold(f64::MAX, f64::min) / f64::from(BATCH);
        measured.ns.insert(id.clone(), least(|(took, _)| *took));
        measured.beside.insert(id.clone(), least(|(_, beside)| *beside));
    }
    let Some((_, sql)) = texts().next() else { return measured };
    for threads in [1, 2] {
        let started = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| (0..THROUGHPUT).for_each(|_| _ = black_box(check(sql))));
            }
        });
        measured.per_s.insert(threads, f64::from(threads * THROUGHPUT) / started.elapsed().as_secs_f64());
    }
    measured
}

fn scripts(folder: &Path, names: &[String]) -> Result<BTreeMap<String, std::path::PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|problem| format!("{}: {problem}", folder.display()))?;
    let named =
        entries.filter_map(Result::ok).map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()));
    let found: BTreeMap<_, _> = named.filter(|(name, _)| names.is_empty() || names.contains(name)).collect();
    match names.iter().find(|name| !found.contains_key(*name)) {
        Some(missing) => Err(format!("there is no {missing} in {}", folder.display())),
        None => Ok(found),
    }
}

fn start(script: &Path, folder: &Path) -> Result<Measured, String> {
    let folder = folder.canonicalize().map_err(|problem| problem.to_string())?;
    let mut command = Command::new(script);
    command.current_dir(haltsql_testkit::root()).env("HALTSQL_BENCH_DIR", folder);
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.map_err(|problem| format!("{}: {problem}", script.display()))?;
    if !output.status.success() {
        return Err(format!("{}: {}", script.display(), output.status));
    }
    let mut measured = Measured::default();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let field = |name: &str| line.split(' ').find_map(|field| field.strip_prefix(name)?.strip_prefix('='));
        let number = |name: &str| field(name).and_then(|value| value.parse::<f64>().ok());
        if let (true, Some(text), Some(ns)) = (line.starts_with("overhead "), field("text"), number("ns")) {
            measured.ns.insert(text.to_owned(), ns);
            measured.beside.extend(number("beside_ns").map(|ns| (text.to_owned(), ns)));
        }
        let threads = field("threads").and_then(|value| value.parse().ok());
        if let (true, Some(threads), Some(per_s)) = (line.starts_with("throughput "), threads, number("per_s")) {
            measured.per_s.insert(threads, per_s);
        }
    }
    Ok(measured)
}
