//! What a violation looks like on paper, and as a case of the corpus.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// An allowed query on which the twins differ.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// The run's seed.
    pub seed: u64,
    /// The query's number.
    pub number: u64,
    /// The policy's name.
    pub policy: String,
    /// Who asked.
    pub context: Value,
    /// As generated.
    pub original: String,
    /// Shrunk.
    pub sql: String,
    /// What they differ in.
    #[serde(default)]
    pub what: String,
    /// What the twins gave for the shrunk query.
    pub results: [String; 2],
}

impl Finding {
    /// For people.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        let _infallible = write!(
            text,
            "violation: seed {} query {}\npolicy:    {}\ncontext:   {}\nwhat:      {}\nshrunk:    {}\ntwin a:    {}twin b:    {}generated: {}\n",
            self.seed,
            self.number,
            self.policy,
            self.context,
            self.what,
            self.sql,
            self.results[0],
            self.results[1],
            self.original
        );
        text
    }

    /// In the corpus' format: what has to be the verdict is that it isn't allowed.
    #[must_use]
    pub fn case(&self) -> Value {
        json!({
            "why": "the twins differ",
            "source": format!("noninterference, seed {}, query {}", self.seed, self.number),
            "policy": self.policy,
            "context": self.context,
            "sql": self.sql,
            "expect": { "allowed": false },
            "postgres": { "twins": "differ" }
        })
    }
}
