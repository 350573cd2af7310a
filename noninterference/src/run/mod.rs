//! The run: generate, check, execute, compare, count.

pub mod constructs;
pub mod database;
pub mod effect;
pub mod report;
pub mod shrink;
pub mod state;
pub mod stats;

use std::sync::Arc;
use std::time::Instant;

use fastrand::Rng;
use haltsql::{BindParam, BindValue, StatementKind};
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

/// Which statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// SELECT.
    Queries,
    /// INSERT, UPDATE and DELETE.
    Writes,
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
    subject: Subject,
    worlds: Vec<Loaded>,
    // Last, so that the connections go first.
    _server: Server,
}

impl Loaded {
    fn writable(
        &mut self,
        runtime: &Runtime,
        server: &Server,
        name: &str,
        search_path: &str,
        subject: Subject,
    ) -> Result<(), String> {
        if subject == Subject::Queries {
            return Ok(());
        }
        let states: Vec<(String, serde_json::Value)> =
            self.judges.iter().map(|(judge, _, context)| (judge.normal_form().to_owned(), context.clone())).collect();
        self.twins.writable(runtime, server, name, search_path, &states)
    }
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
    /// Starts a server and loads every world twice, for queries.
    ///
    /// # Errors
    /// The server does not start, or refuses a script.
    pub fn new(version: Version, seed: u64, connections: usize) -> Result<Self, String> {
        Self::load(version, seed, connections, Subject::Queries, false)
    }

    /// The same for writes.
    ///
    /// # Errors
    /// As for [`Oracle::new`].
    pub fn writes(version: Version, seed: u64) -> Result<Self, String> {
        Self::load(version, seed, 1, Subject::Writes, false)
    }

    /// For writes, with schemas that the doctor warns of: unique keys that lack the tenant.
    ///
    /// # Errors
    /// As for [`Oracle::new`].
    pub fn careless(version: Version, seed: u64) -> Result<Self, String> {
        Self::load(version, seed, 1, Subject::Writes, true)
    }

    fn load(version: Version, seed: u64, connections: usize, subject: Subject, careless: bool) -> Result<Self, String> {
        let server = Server::start(version).map_err(|error| error.to_string())?;
        let runtime =
            Builder::new_multi_thread().worker_threads(1).enable_all().build().map_err(|error| error.to_string())?;
        let mut worlds = Vec::new();
        for world in WORLDS {
            let scripts = [Twin::A, Twin::B].map(|twin| {
                let mut scripts = fill::statements(world, seed, twin);
                scripts.extend(careless.then(|| fill::careless(world)));
                scripts
            });
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
            let mut loaded = Loaded { source: Source::World(world), judges, twins };
            loaded.writable(&runtime, &server, world.name, &path, subject)?;
            worlds.push(loaded);
        }
        for database in corpus::load(&haltsql_testkit::root().join("conformance"), subject)? {
            let mut judges = Vec::new();
            for (name, policy, context) in &database.judges {
                let judge = Judge::new(policy, context).map_err(|error| format!("{name}: {error}"))?;
                judges.push((judge, name.clone(), context.clone()));
            }
            // All policies of one database that are not about search_path itself have one, and the others a shorter one.
            let path =
                judges.iter().map(|(judge, _, _)| judge.search_path()).max_by_key(String::len).unwrap_or_default();
            let scripts = database.twins.each_ref().map(|script| vec![script.clone()]);
            let name = format!("corpus_{}", database.name);
            let twins = Twins::load(&runtime, &server, &name, &database.schema, [&scripts[0], &scripts[1]], &path, 1)?;
            let mut loaded = Loaded { source: Source::Corpus(database), judges, twins };
            loaded.writable(&runtime, &server, &name, &path, subject)?;
            worlds.push(loaded);
        }
        Ok(Oracle { runtime, subject, worlds, _server: server })
    }

    /// Writes the query of a number. The same for the same seed and number, whatever ran before.
    #[must_use]
    pub fn query(&self, seed: u64, number: u64) -> (usize, Query) {
        let mut rng = Rng::with_seed(mix(seed, number));
        let draw = rng.usize(0..100);
        let at = match draw {
            0..=61 => 0,
            62..=86 => 1,
            _ => 2 + draw % (self.worlds.len() - 2).max(1),
        };
        // Without a corpus the worlds have its share.
        let at = at % self.worlds.len();
        let query = match (&self.worlds[at].source, self.subject) {
            (Source::World(world), Subject::Queries) => generate::query(world, rng),
            (Source::World(world), Subject::Writes) => generate::write(world, rng),
            (Source::Corpus(database), _) => corpus::mutate(database, &mut rng),
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
                let kind = pending.last().and_then(|last| last.verdict.kind);
                jobs[world].push(self.job(query, bind, kind));
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
            let difference = difference(a, b);
            let differs = difference.is_some();
            if !pending.verdict.allowed {
                let gives = matches!(a, Answer::Rows(rows) if !rows.is_empty())
                    || matches!(a, Answer::Wrote(effect) if effect.count > 0);
                if let Some(what) = difference {
                    stats.denied_differ += 1;
                    if stats.denied.len() < 20 {
                        stats.denied.push(format!("{what}: {}", pending.query.sql));
                    }
                } else if gives && !matches!(b, Answer::Error(_, _)) {
                    stats.harmless(&pending.query, &pending.verdict);
                }
                continue;
            }
            match (a, b) {
                _ if differs => {
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
                (Answer::Rows(_) | Answer::Wrote(_), Answer::Rows(_) | Answer::Wrote(_)) => stats.same += 1,
            }
        }
        Ok(())
    }

    fn job(&self, query: Query, bind: Vec<BindParam>, kind: Option<StatementKind>) -> Job {
        let writes = self.subject == Subject::Writes;
        let state = writes.then(|| (query.judge, state::position(kind)));
        Job { sql: query.sql, bind, declared: query.declared, state }
    }

    /// Whether a text is allowed and the twins differ on it; with what to bind.
    fn differs(&self, plan: &Plan, pending: &Pending, sql: &str) -> Option<(Job, String)> {
        let judge = self.judge(pending.world, &pending.query);
        let verdict = if plan.mode == Mode::Weakened { judge.check_weakened(sql) } else { judge.check(sql) };
        if !verdict.allowed {
            return None;
        }
        let query = Query { sql: sql.to_owned(), ..pending.query.clone() };
        let job = self.job(query, verdict.bind, verdict.kind);
        let [a, b] = self.worlds[pending.world].twins.both(&self.runtime, &job);
        difference(&a, &b).map(|what| (job, what))
    }

    fn finding(&self, plan: &Plan, pending: &Pending) -> Finding {
        let world = &self.worlds[pending.world];
        let query = &pending.query;
        let shrunk = shrink::shrink(&query.sql, &mut |sql| self.differs(plan, pending, sql).is_some());
        let (job, what) = self.differs(plan, pending, &shrunk).unwrap_or_else(|| {
            let as_it_is = Query { sql: shrunk.clone(), ..query.clone() };
            (self.job(as_it_is, pending.verdict.bind.clone(), pending.verdict.kind), String::new())
        });
        Finding {
            seed: plan.seed,
            number: pending.number,
            policy: world.judges[query.judge].1.clone(),
            context: world.judges[query.judge].2.clone(),
            original: query.sql.clone(),
            what,
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

/// What a caller can tell the twins apart by, or what was written and is not the caller's. An error tells nothing.
fn difference(a: &Answer, b: &Answer) -> Option<String> {
    let touched = [a, b].into_iter().find_map(|answer| match answer {
        Answer::Wrote(effect) if !effect.touched.is_empty() => Some(effect.touched.join(", ")),
        _ => None,
    });
    match (a, b) {
        _ if touched.is_some() => touched.map(|tables| format!("what is not the caller's was changed: {tables}")),
        (Answer::Rows(a), Answer::Rows(b)) => (a != b).then(|| "the twins give different rows".to_owned()),
        (Answer::Wrote(a), Answer::Wrote(b)) if a.rows != b.rows => Some("RETURNING gives different rows".to_owned()),
        (Answer::Wrote(a), Answer::Wrote(b)) if a.count != b.count => {
            Some(format!("{} rows are written, and {}", a.count, b.count))
        }
        (Answer::Wrote(a), Answer::Wrote(b)) if a.seen != b.seen => {
            let tables = a.seen.iter().zip(&b.seen).filter(|(a, b)| a != b).map(|((table, _), _)| table.as_str());
            Some(format!("the caller sees afterwards different rows: {}", tables.collect::<Vec<_>>().join(", ")))
        }
        _ => None,
    }
}

fn mix(seed: u64, number: u64) -> u64 {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number.wrapping_add(0x632b_e59b_d9b4_e019);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
