//! The run: generate, check, execute, compare, count.

pub mod constructs;
pub mod database;
pub mod report;
pub mod shrink;
pub mod stats;

use std::sync::Arc;
use std::time::Instant;

use fastrand::Rng;
use haltsql::{BindParam, BindValue};
use haltsql_testkit::{Server, Version};
use tokio::runtime::{Builder, Runtime};

use crate::corpus;
use crate::generate::{self, Query};
use crate::judge::{Judge, Judged};
use crate::world::fill::{self, Twin};
use crate::world::{KeyType, WORLDS, World};
use database::{Answer, Batch, Job, Twins};
use report::Finding;
use stats::Stats;

/// Queries per batch: checks of one batch run while the server works on the one before.
const BATCH: u64 = 400;

/// What to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Decides everything.
    pub seed: u64,
    /// The first query's number.
    pub from: u64,
    /// The number after the last.
    pub to: u64,
    /// Which verdicts count.
    pub mode: Mode,
    /// Stop at the first violation.
    pub first: bool,
    /// Violations that are shrunk and kept, at most.
    pub keep: usize,
}

/// Which verdicts count, and what is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Those of what ships.
    Shipped,
    /// Those of what ships, and what it denies is run as well: where the twins agree, it may be a false alarm.
    Denied,
    /// Only what the weakened core allows and the other one denies.
    Weakened,
}

/// Twins on the server, and what is asked of them.
struct Loaded {
    source: Source,
    /// Of each: the policy's name and the context.
    judges: Vec<(Judge, String, serde_json::Value)>,
    twins: Twins,
}

/// Where queries come from.
enum Source {
    World(&'static World),
    Corpus(corpus::Database),
}

/// Server, worlds and figures.
pub struct Oracle {
    runtime: Runtime,
    worlds: Vec<Loaded>,
    // Last, so that the connections go first.
    _server: Server,
}

/// A query on its way, with its verdict.
struct Pending {
    number: u64,
    world: usize,
    query: Query,
    verdict: Judged,
    job: usize,
}

/// A batch on the server: per world the answers to come.
struct Flight {
    pending: Vec<Pending>,
    batches: Vec<Batch>,
}

impl Oracle {
    /// Starts a server and loads every world twice.
    ///
    /// # Errors
    /// The server does not start, or refuses a script.
    pub fn new(version: Version, seed: u64, connections: usize) -> Result<Self, String> {
        let server = Server::start(version).map_err(|error| error.to_string())?;
        let runtime =
            Builder::new_multi_thread().worker_threads(1).enable_all().build().map_err(|error| error.to_string())?;
        let mut worlds = Vec::new();
        for world in WORLDS {
            let scripts = [Twin::A, Twin::B].map(|twin| fill::statements(world, seed, twin));
            let mut judges = Vec::new();
            for (policy, mode) in world.policies.iter().zip(["bound", "literal"]) {
                for caller in world.callers {
                    let context = world.context_json(caller);
                    let name = format!("oracle-{}-{mode}", world.name);
                    judges.push((
                        Judge::new(policy, &context).map_err(|error| format!("{name}: {error}"))?,
                        name,
                        context,
                    ));
                }
            }
            let path = judges[0].0.search_path();
            let twins =
                Twins::load(&runtime, &server, world.name, world.ddl, [&scripts[0], &scripts[1]], &path, connections)?;
            worlds.push(Loaded { source: Source::World(world), judges, twins });
        }
        for database in corpus::load(&haltsql_testkit::root().join("conformance"))? {
            let mut judges = Vec::new();
            for (name, policy, context) in &database.judges {
                let judge = Judge::new(policy, context).map_err(|error| format!("{name}: {error}"))?;
                judges.push((judge, name.clone(), context.clone()));
            }
            // All policies of one database that are not about search_path itself have one, and the others a shorter one.
            let path =
                judges.iter().map(|(judge, _, _)| judge.search_path()).max_by_key(String::len).unwrap_or_default();
            let scripts = database.twins.each_ref().map(|script| vec![script.clone()]);
            let twins = Twins::load(
                &runtime,
                &server,
                &format!("corpus_{}", database.name),
                &database.schema,
                [&scripts[0], &scripts[1]],
                &path,
                1,
            )?;
            worlds.push(Loaded { source: Source::Corpus(database), judges, twins });
        }
        Ok(Oracle { runtime, worlds, _server: server })
    }

    /// Writes the query of a number. The same for the same seed and number, whatever ran before.
    #[must_use]
    pub fn query(&self, seed: u64, number: u64) -> (usize, Query) {
        let mut rng = Rng::with_seed(mix(seed, number));
        let draw = rng.usize(0..100);
        let at = match draw {
            0..=61 => 0,
            62..=86 => 1,
            _ => 2 + draw % (self.worlds.len() - 2),
        };
        let query = match &self.worlds[at].source {
            Source::World(world) => generate::query(world, rng),
            Source::Corpus(database) => corpus::mutate(database, &mut rng),
        };
        (at, query)
    }

    fn judge(&self, world: usize, query: &Query) -> &Judge {
        &self.worlds[world].judges[query.judge].0
    }

    /// Checks a query.
    #[must_use]
    pub fn check(&self, world: usize, query: &Query) -> Judged {
        self.judge(world, query).check(&query.sql)
    }

    /// Runs a plan; `progress` hears of every batch.
    ///
    /// # Errors
    /// The server is gone.
    pub fn run(&self, plan: &Plan, mut stats: Stats, mut progress: impl FnMut(&Stats)) -> Result<Stats, String> {
        let started = Instant::now();
        let before = stats.seconds;
        let mut flight: Option<Flight> = None;
        let mut next = plan.from;
        loop {
            let end = (next + BATCH).min(plan.to);
            // Not counted before it has landed: a saved state speaks of finished batches alone.
            let mut ahead = Stats::default();
            let launched = if next < end { Some((self.launch(plan, next..end, &mut ahead), ahead)) } else { None };
            if let Some(landed) = flight.take() {
                self.land(plan, landed, &mut stats)?;
                stats.queries = next;
                stats.seconds = before + started.elapsed().as_secs_f64();
                progress(&stats);
                if plan.first && stats.violations > 0 {
                    return Ok(stats);
                }
            }
            let Some((launched, ahead)) = launched else { return Ok(stats) };
            stats.add(ahead);
            flight = Some(launched);
            next = end;
        }
    }

    fn launch(&self, plan: &Plan, numbers: std::ops::Range<u64>, stats: &mut Stats) -> Flight {
        let mut jobs: Vec<Vec<Job>> = vec![Vec::new(); self.worlds.len()];
        let mut pending = Vec::new();
        for number in numbers {
            let (world, query) = self.query(plan.seed, number);
            let judge = self.judge(world, &query);
            let mut verdict = judge.check(&query.sql);
            let of = match &self.worlds[world].source {
                Source::World(world) => Some(*world),
                Source::Corpus(_) => None,
            };
            stats.count(of, &query, &verdict);
            let wanted = match plan.mode {
                Mode::Shipped => verdict.allowed,
                Mode::Denied => {
                    let sole = verdict.codes.iter().all(|code| *code == verdict.codes[0]);
                    verdict.allowed || (query.sins == 0 && sole)
                }
                Mode::Weakened => {
                    let before = verdict.allowed;
                    if !before {
                        verdict = judge.check_weakened(&query.sql);
                    }
                    !before && verdict.allowed
                }
            };
            if wanted {
                let bind = if verdict.allowed { verdict.bind.clone() } else { self.meant(world, &query) };
                pending.push(Pending { number, world, job: jobs[world].len(), verdict, query: query.clone() });
                jobs[world].push(Job { sql: query.sql, bind, declared: query.declared });
            }
        }
        let batches = self
            .worlds
            .iter()
            .zip(jobs)
            .map(|(world, jobs)| world.twins.start(&self.runtime, &Arc::new(jobs)))
            .collect();
        Flight { pending, batches }
    }

    fn land(&self, plan: &Plan, flight: Flight, stats: &mut Stats) -> Result<(), String> {
        let mut answers = Vec::new();
        for batch in flight.batches {
            answers.push(batch.finish(&self.runtime)?);
        }
        for pending in flight.pending {
            let [a, b] = &answers[pending.world][pending.job];
            if !pending.verdict.allowed {
                match (a, b) {
                    (Answer::Rows(a), Answer::Rows(b)) if a == b && !a.is_empty() => {
                        stats.harmless(&pending.query, &pending.verdict);
                    }
                    (Answer::Rows(a), Answer::Rows(b)) if a != b => stats.denied_differ += 1,
                    _ => {}
                }
                continue;
            }
            match (a, b) {
                (Answer::Rows(a), Answer::Rows(b)) if a == b => stats.same += 1,
                (Answer::Rows(_), Answer::Rows(_)) => {
                    stats.violations += 1;
                    if stats.findings.len() < plan.keep {
                        stats.findings.push(self.finding(plan, &pending));
                    }
                    if plan.first {
                        stats.first = Some(pending.number);
                        return Ok(());
                    }
                }
                (Answer::Error(a, text), Answer::Error(b, _)) if a == b => stats.error(a, text, &pending.query.sql),
                (Answer::Error(code, text), _) | (_, Answer::Error(code, text)) => {
                    stats.errors_differ += 1;
                    stats.error(code, text, &pending.query.sql);
                    if stats.differ.len() < 20 {
                        stats.differ.push(format!("{code} {text}: {}", pending.query.sql));
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether a text is allowed and the twins differ on it; with what to bind.
    fn differs(&self, plan: &Plan, pending: &Pending, sql: &str) -> Option<Job> {
        let judge = self.judge(pending.world, &pending.query);
        let verdict = if plan.mode == Mode::Weakened { judge.check_weakened(sql) } else { judge.check(sql) };
        if !verdict.allowed {
            return None;
        }
        let job = Job { sql: sql.to_owned(), bind: verdict.bind, declared: pending.query.declared };
        match self.worlds[pending.world].twins.both(&self.runtime, &job) {
            [Answer::Rows(a), Answer::Rows(b)] if a != b => Some(job),
            _ => None,
        }
    }

    fn finding(&self, plan: &Plan, pending: &Pending) -> Finding {
        let world = &self.worlds[pending.world];
        let query = &pending.query;
        let shrunk = shrink::shrink(&query.sql, &mut |sql| self.differs(plan, pending, sql).is_some());
        let job = self.differs(plan, pending, &shrunk);
        let job = job.unwrap_or_else(|| Job {
            sql: shrunk.clone(),
            bind: pending.verdict.bind.clone(),
            declared: query.declared,
        });
        Finding {
            seed: plan.seed,
            number: pending.number,
            policy: world.judges[query.judge].1.clone(),
            context: world.judges[query.judge].2.clone(),
            original: query.sql.clone(),
            results: world.twins.show(&self.runtime, &job),
            sql: shrunk,
        }
    }

    /// The values that a query's `$n` are meant to have.
    fn meant(&self, world: usize, query: &Query) -> Vec<BindParam> {
        let Source::World(world) = self.worlds[world].source else { return Vec::new() };
        let caller = &world.callers[query.judge % world.callers.len()];
        (1..)
            .zip(&query.params)
            .map(|(param, (key, array))| {
                let values = caller.values[*key];
                let (one, many) = match world.keys[*key].ty {
                    KeyType::Text => ("text", "text[]"),
                    KeyType::Uuid => ("uuid", "uuid[]"),
                    KeyType::Integer => ("integer", "integer[]"),
                };
                if *array {
                    let values = values.iter().map(|value| (*value).to_owned()).collect();
                    BindParam { param, value: BindValue::Many(values), ty: many }
                } else {
                    BindParam { param, value: BindValue::One(values[0].to_owned()), ty: one }
                }
            })
            .collect()
    }
}

fn mix(seed: u64, number: u64) -> u64 {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number.wrapping_add(0x632b_e59b_d9b4_e019);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
