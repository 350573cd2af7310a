//! Calls of a function's every signature, made from the server's own description of it.

use postgres::{Client, SimpleQueryMessage};

use crate::samples;

/// One signature of `pg_proc`.
#[derive(Clone, Debug)]
pub struct Signature {
    /// The schema that a call names.
    pub schema: &'static str,
    pub name: String,
    /// `f`, `w`; aggregates by `aggkind`: `n`, `o`, `h`.
    pub kind: String,
    pub returns_set: bool,
    /// Names of the OUT columns.
    pub columns: Vec<String>,
    pub result: String,
    /// Types of the IN arguments by `typname`; of a VARIADIC one the element's.
    pub types: Vec<String>,
    pub variadic: bool,
    pub defaults: usize,
    /// Of an ordered-set aggregate: how many arguments stand before WITHIN GROUP.
    pub direct: usize,
}

/// Concrete types for the polymorphic ones.
const STANDINS: [[(&str, &str); 11]; 2] = [
    [
        ("any", "int4"),
        ("anyelement", "int4"),
        ("anynonarray", "int4"),
        ("anyarray", "_int4"),
        ("anycompatible", "int4"),
        ("anycompatiblenonarray", "int4"),
        ("anycompatiblearray", "_int4"),
        ("anyrange", "int4range"),
        ("anymultirange", "int4multirange"),
        ("anycompatiblerange", "int4range"),
        ("anycompatiblemultirange", "int4multirange"),
    ],
    [
        ("any", "text"),
        ("anyelement", "text"),
        ("anynonarray", "text"),
        ("anyarray", "_text"),
        ("anycompatible", "text"),
        ("anycompatiblenonarray", "text"),
        ("anycompatiblearray", "_text"),
        ("anyrange", "tstzrange"),
        ("anymultirange", "tstzmultirange"),
        ("anycompatiblerange", "tstzrange"),
        ("anycompatiblemultirange", "tstzmultirange"),
    ],
];

impl Signature {
    /// `name(types)`.
    pub fn display(&self) -> String {
        let last = self.types.len().wrapping_sub(1);
        let types = self
            .types
            .iter()
            .enumerate()
            .map(|(at, ty)| if self.variadic && at == last { format!("{ty}…") } else { ty.clone() });
        format!("{}({})", self.name, types.collect::<Vec<_>>().join(", "))
    }

    /// Numbers of arguments that a call can have, up to `most`.
    pub fn counts(&self, most: usize) -> Vec<usize> {
        let declared = self.types.len();
        match &*self.kind {
            // One direct argument and one of WITHIN GROUP at least.
            "h" => (2..=most).collect(),
            _ => (declared - self.defaults..=if self.variadic { most.max(declared) } else { declared }).collect(),
        }
    }

    /// Statements that call it with so many arguments. Empty: an argument's type is in no profile.
    pub fn statements(&self, count: usize, definition_list: bool) -> Vec<String> {
        let mut statements = Vec::new();
        for standins in &STANDINS {
            let types = self.spread(count).into_iter().map(|ty| {
                standins
                    .iter()
                    .find(|(polymorphic, _)| *polymorphic == ty)
                    .map_or(ty, |(_, concrete)| (*concrete).to_owned())
            });
            let types = types.collect::<Vec<_>>();
            let Some(choices) = (0..types.len()).map(|at| self.choices(at, &types)).collect::<Option<Vec<_>>>() else {
                continue;
            };
            match &*self.kind {
                "n" => statements.extend(self.aggregate(&choices)),
                "o" | "h" => statements.extend(self.within_group(&choices)),
                _ => statements.extend(combine(&choices).iter().map(|values| self.call(values, definition_list))),
            }
        }
        statements.sort();
        statements.dedup();
        statements
    }

    /// The argument types of a call with so many arguments.
    fn spread(&self, count: usize) -> Vec<String> {
        (0..count).map(|at| self.types[at.min(self.types.len() - 1)].clone()).collect()
    }

    fn choices(&self, at: usize, types: &[String]) -> Option<Vec<String>> {
        let ty = &*types[at];
        let mut values = samples::particular(&self.name, at, ty, &types[0]).or_else(|| samples::of_type(ty))?;
        if ty != "record" {
            values.push(format!("NULL::{}.\"{ty}\"", samples::schema_of(ty)));
        }
        Some(values)
    }

    fn call(&self, values: &[String], definition_list: bool) -> String {
        let call = format!("{}.\"{}\"({})", self.schema, self.name, values.join(", "));
        match &*self.kind {
            "w" => format!("SELECT {call} OVER (ORDER BY n) FROM (VALUES (1), (2), (2), (3)) AS v(n)"),
            _ if definition_list => format!("SELECT * FROM {call} AS r(a pg_catalog.int4, b pg_catalog.text)"),
            _ if self.returns_set => format!("SELECT * FROM {call}"),
            _ => format!("SELECT {call}"),
        }
    }

    fn aggregate(&self, choices: &[Vec<String>]) -> Vec<String> {
        if choices.is_empty() {
            return vec![format!("SELECT {}.\"{}\"(*) FROM (VALUES (1), (NULL)) AS v(n)", self.schema, self.name)];
        }
        let columns = (0..choices.len()).map(|at| format!("c{at}")).collect::<Vec<_>>().join(", ");
        let call = format!("{}.\"{}\"({columns})", self.schema, self.name);
        let without_null = choices.iter().map(|values| without_null(values)).collect::<Vec<_>>();
        [choices, &without_null].map(|choices| format!("SELECT {call} FROM ({}) AS v({columns})", rows(choices))).into()
    }

    fn within_group(&self, choices: &[Vec<String>]) -> Vec<String> {
        let direct = if self.kind == "h" { choices.len() / 2 } else { self.direct };
        if self.kind == "h" && choices.len() % 2 == 1 {
            return Vec::new();
        }
        let (before, within) = choices.split_at(direct);
        let columns = (0..within.len()).map(|at| format!("c{at}")).collect::<Vec<_>>().join(", ");
        combine(before)
            .iter()
            .map(|values| {
                let call = format!(
                    "{}.\"{}\"({}) WITHIN GROUP (ORDER BY {columns})",
                    self.schema,
                    self.name,
                    values.join(", ")
                );
                format!("SELECT {call} FROM ({}) AS v({columns})", rows(within))
            })
            .collect()
    }
}

/// Argument lists: the first values, then each other value in turn at each place, then each place's n-th value together.
fn combine(choices: &[Vec<String>]) -> Vec<Vec<String>> {
    let first = choices.iter().map(|values| values[0].clone()).collect::<Vec<_>>();
    let mut lists = vec![first.clone()];
    for (at, values) in choices.iter().enumerate() {
        for value in &values[1..] {
            let mut list = first.clone();
            list[at] = value.clone();
            lists.push(list);
        }
    }
    for nth in 1..choices.iter().map(Vec::len).max().unwrap_or(0) {
        lists.push(choices.iter().map(|values| values[nth.min(values.len() - 1)].clone()).collect());
    }
    lists
}

fn without_null(values: &[String]) -> Vec<String> {
    values.iter().filter(|value| !value.starts_with("NULL")).cloned().collect()
}

/// A VALUES list: the n-th row has each column's n-th value.
fn rows(choices: &[Vec<String>]) -> String {
    let longest = choices.iter().map(Vec::len).max().unwrap_or(0);
    let row =
        |nth: usize| choices.iter().map(|values| values[nth % values.len()].clone()).collect::<Vec<_>>().join(", ");
    let rows = (0..longest).map(|nth| format!("({})", row(nth))).collect::<Vec<_>>();
    format!("VALUES {}", rows.join(", "))
}

/// What a statement did: its rows as the server spells them, or the SQLSTATE and message of its error.
pub type Outcome = Result<Vec<Vec<Option<String>>>, (String, String)>;

/// Runs one statement in a transaction of its own.
pub fn run(client: &mut Client, statement: &str) -> Outcome {
    match client.simple_query(statement) {
        Ok(messages) => Ok(messages
            .iter()
            .filter_map(|message| match message {
                SimpleQueryMessage::Row(row) => Some((0..row.len()).map(|at| row.get(at).map(str::to_owned)).collect()),
                _ => None,
            })
            .collect()),
        Err(error) => {
            let error = error.as_db_error().unwrap_or_else(|| panic!("{statement}: {error}"));
            Err((error.code().code().to_owned(), error.message().to_owned()))
        }
    }
}
