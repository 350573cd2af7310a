//! The generator: random queries near the border between what must be allowed and what must not.
//!
//! Receives a world, a caller, a mode and a number; returns a text and the names of the constructs in it. Most references to
//! tenant tables get a proof, in a form and at a place chosen at random; some get one that only looks like it. It knows
//! nothing of the verifier, and of none of its switches. Where SQL leaves the server a choice (LIMIT, DISTINCT ON,
//! row_number …) it writes a total order.

mod cte;
mod expr;
mod from;
mod group;
mod level;
mod odd;
mod predicate;
mod prove;
mod sentence;
mod sentence_names;
mod value;
mod write;

use std::collections::BTreeSet;

use fastrand::Rng;

use crate::world::{Caller, Seen, Table, Ty, World};

/// A generated text and what it is for.
#[derive(Clone, Debug)]
pub struct Query {
    /// The text.
    pub sql: String,
    /// The constructs in it.
    pub tags: BTreeSet<&'static str>,
    /// Policy and caller, by position: for a world the callers in bound mode, then those in literal mode.
    pub judge: usize,
    /// What the `$n` are meant to carry, for running denied queries: key, and whether as an array.
    pub params: Vec<(usize, bool)>,
    /// How many things its author did wrong on purpose.
    pub sins: u8,
    /// The driver declares the types of `$n`; else the server takes them from where each `$n` first stands.
    pub declared: bool,
}

/// Writes a SELECT.
#[must_use]
pub fn query(world: &'static World, rng: Rng) -> Query {
    compose(world, rng, Generator::statement)
}

/// Writes an INSERT, UPDATE or DELETE.
#[must_use]
pub fn write(world: &'static World, rng: Rng) -> Query {
    compose(world, rng, Generator::write)
}

fn compose(world: &'static World, mut rng: Rng, statement: fn(&mut Generator) -> String) -> Query {
    let caller = rng.usize(0..world.callers.len());
    let bound = rng.u8(0..100) < 60;
    let declared = rng.bool();
    let sins = [0, 0, 0, 0, 1, 1, 1, 1, 2, 3][rng.usize(0..10)];
    let mut generator = Generator {
        rng,
        world,
        caller: &world.callers[caller],
        bound,
        tags: BTreeSet::new(),
        params: Vec::new(),
        relations: 0,
        names: 0,
        scopes: Vec::new(),
        ctes: Vec::new(),
        depth: 0,
        plain: false,
        sins,
    };
    generator.tag(if bound { "bound" } else { "literal" });
    if generator.caller.set {
        generator.tag("set");
    }
    if world.keys.len() > 1 {
        generator.tag("two-keys");
    }
    let sql = statement(&mut generator);
    let judge = if bound { caller } else { world.callers.len() + caller };
    Query { sql, tags: generator.tags, judge, params: generator.params, sins: sins - generator.sins, declared }
}

/// A column of a relation in scope.
#[derive(Clone, Debug)]
struct Col {
    name: String,
    ty: Ty,
    /// The key that it is meant to carry.
    key: Option<usize>,
    seen: Seen,
    /// Its proof was left to whoever uses it.
    pending: bool,
}

/// A relation in scope.
#[derive(Clone, Debug)]
struct Rel {
    alias: String,
    cols: Vec<Col>,
    table: Option<&'static Table>,
    /// Below a nullable side of an outer join.
    nullable: bool,
}

/// A WITH query in scope.
#[derive(Clone, Debug)]
struct Cte {
    name: String,
    cols: Vec<Col>,
    uses: usize,
}

/// A query in parentheses, without them.
#[derive(Clone, Debug)]
struct Sub {
    sql: String,
    cols: Vec<Col>,
}

/// What a query is wanted for.
#[derive(Clone, Debug, Default)]
struct Want {
    /// Exactly these outputs.
    types: Option<Vec<Ty>>,
    /// At most one row.
    single: bool,
    /// The first output is to be a column of this key.
    key: Option<usize>,
    /// A derived table or CTE, whose proofs may be left to its user.
    deferrable: bool,
    /// A branch of a set operation.
    branch: bool,
}

struct Generator {
    rng: Rng,
    world: &'static World,
    caller: &'static Caller,
    bound: bool,
    tags: BTreeSet<&'static str>,
    /// By number: key, and whether as an array.
    params: Vec<(usize, bool)>,
    relations: usize,
    names: usize,
    scopes: Vec<Vec<Rel>>,
    ctes: Vec<Cte>,
    depth: usize,
    /// No subqueries below here.
    plain: bool,
    /// How many things may still be done that a careful author would not do.
    sins: u8,
}

/// Relations in one statement: beyond, queries are slow and tell nothing new.
const MOST_RELATIONS: usize = 8;

impl Generator {
    fn chance(&mut self, percent: u8) -> bool {
        self.rng.u8(0..100) < percent
    }

    /// Whether to do something wrong here. Queries near the border do one thing wrong, or none.
    fn sin(&mut self, percent: u8) -> bool {
        let doing = self.sins > 0 && self.chance(percent);
        if doing {
            self.sins -= 1;
        }
        doing
    }

    fn pick<'p, T: ?Sized>(&mut self, list: &[&'p T]) -> &'p T {
        list[self.rng.usize(0..list.len())]
    }

    fn tag(&mut self, name: &'static str) {
        self.tags.insert(name);
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        // A name of an outer level or of nothing at all, now and then.
        if self.names > 2 && self.sin(3) {
            self.tag("alias-shadows");
            return format!("{prefix}{}", self.rng.usize(1..self.names));
        }
        format!("{prefix}{}", self.names)
    }

    fn room(&self) -> bool {
        self.relations < MOST_RELATIONS
    }

    fn statement(&mut self) -> String {
        match self.rng.u8(0..100) {
            0..=9 => return self.odd(),
            10..=25 => return self.sentence(),
            _ => {}
        }
        let want = Want::default();
        let sub = self.query(&want);
        sub.sql
    }

    /// A query with everything that may stand around a level: WITH, set operations.
    fn query(&mut self, want: &Want) -> Sub {
        let before = self.ctes.len();
        let with = if self.depth < 2 && self.chance(if self.depth == 0 { 28 } else { 6 }) {
            self.with()
        } else {
            String::new()
        };
        let mut sub = if self.depth < 3 && self.room() && !want.single && self.chance(12) {
            self.set_operation(want)
        } else {
            self.level(want)
        };
        self.ctes.truncate(before);
        if !with.is_empty() {
            sub.sql = format!("{with} {}", sub.sql);
        }
        sub
    }

    fn set_operation(&mut self, want: &Want) -> Sub {
        let types = match &want.types {
            Some(types) => types.clone(),
            None => {
                let mut types = Vec::new();
                for _ in 0..self.rng.usize(1..4) {
                    types.push(self.some_type());
                }
                types
            }
        };
        let key = want.key.or_else(|| if self.chance(60) { Some(self.some_key()) } else { None });
        let types = match (key, &want.types) {
            (Some(key), None) => {
                let mut with_key = vec![self.key_type(key)];
                with_key.extend(types);
                with_key
            }
            _ => types,
        };
        let mut branch = Want { types: Some(types), key, branch: true, deferrable: want.deferrable, ..Want::default() };
        let first = self.level(&branch);
        let mut sql = self.branch(first.sql);
        for _ in 0..self.rng.usize(1..3) {
            let operator =
                self.pick(&["UNION ALL", "UNION ALL", "UNION", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL"]);
            self.tag(match operator {
                "UNION ALL" => "union-all",
                "UNION" => "union",
                "INTERSECT" | "INTERSECT ALL" => "intersect",
                _ => "except",
            });
            // Another branch with another type at the key's place, or the caller's value, or nothing that is a tenant.
            branch.key = if self.sin(20) { None } else { key };
            let next = if self.chance(12) { self.values_branch(&branch) } else { self.level(&branch).sql };
            let next = self.branch(next);
            sql = format!("{sql} {operator} {next}");
        }
        if self.chance(15) && !want.branch {
            let count = first.cols.len();
            let ordinals: Vec<String> = (1..=count).map(|at| at.to_string()).collect();
            sql = format!("{sql} ORDER BY {}", ordinals.join(", "));
            self.tag("set-operation-order");
            if self.chance(50) {
                sql = format!("{sql} LIMIT {}", self.rng.u8(1..6));
                self.tag("set-operation-limit");
            }
        }
        Sub { sql, cols: first.cols }
    }

    fn branch(&mut self, sql: String) -> String {
        if sql.contains(" LIMIT ") || sql.contains(" ORDER BY ") || sql.starts_with("WITH") || self.chance(20) {
            format!("({sql})")
        } else {
            sql
        }
    }

    fn values_branch(&mut self, want: &Want) -> String {
        self.tag("values-branch");
        let types = want.types.clone().unwrap_or_default();
        let mut cells = Vec::new();
        for (at, ty) in types.iter().enumerate() {
            let cell = match want.key.filter(|_| at == 0) {
                Some(key) if !self.sin(20) => self.own_output(key),
                _ => self.constant(*ty),
            };
            cells.push(cell);
        }
        format!("VALUES ({})", cells.join(", "))
    }

    fn some_key(&mut self) -> usize {
        self.rng.usize(0..self.world.keys.len())
    }

    fn some_type(&mut self) -> Ty {
        *self.pick(&[&Ty::Int, &Ty::Int, &Ty::Text, &Ty::Text, &Ty::Num, &Ty::Date])
    }

    fn key_type(&self, key: usize) -> Ty {
        match self.world.keys[key].ty {
            crate::world::KeyType::Text => Ty::Text,
            crate::world::KeyType::Uuid => Ty::Uuid,
            crate::world::KeyType::Integer => Ty::Big,
        }
    }
}
