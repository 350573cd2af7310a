//! The targets as tests: every seed, bytes at random, and seeds that were cut, joined and bent; the same on every run.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod engine;

use bolero::TestTarget;
use bolero::generator::TypeGenerator;
use engine::Fixed;
use haltsql_fuzz::{seeds, targets};

#[test]
fn sql() {
    run(targets::sql, seeds::sql(), 16_000);
}

#[test]
fn policies() {
    run(targets::policy, seeds::policy(), 2_000);
}

#[test]
fn contexts() {
    run(targets::context, seeds::context(), 8_000);
}

#[test]
fn batches() {
    run(targets::batch, seeds::batch(), 4_000);
}

/// One change to a text. Places count modulo what there is, and stand between words: few texts that are cut anywhere parse.
#[derive(Clone, Debug, TypeGenerator)]
enum Edit {
    Remove {
        at: u16,
        len: u8,
    },
    Insert {
        at: u16,
        bytes: Piece,
    },
    Flip {
        at: u16,
        bit: u8,
    },
    /// From another seed.
    Take {
        at: u16,
        seed: u16,
        from: u16,
        len: u8,
    },
    Double {
        at: u16,
        len: u8,
    },
    Swap {
        at: u16,
        other: u16,
        len: u8,
    },
    End {
        at: u16,
    },
}

#[derive(Clone, Debug, TypeGenerator)]
enum Piece {
    Byte(u8),
    Word(u8),
}

const WORDS: [&str; 32] = [
    "(",
    ")",
    ",",
    ".",
    "*",
    "'",
    "\"",
    "$1",
    "$$",
    "--",
    "/*",
    ";",
    "::text",
    " AND ",
    " OR ",
    " NOT ",
    " IN ",
    " = ",
    "NULL",
    " UNION ALL ",
    " LATERAL ",
    " WITH RECURSIVE x AS (SELECT 1) ",
    " (SELECT 1) ",
    " CASE ",
    " END ",
    "U&'\\",
    "E'\\",
    "\u{feff}",
    "{}",
    "[]",
    ": ",
    "\n- ",
];

fn run(target: fn(&[u8]), seeds: Vec<Vec<u8>>, runs: u64) {
    assert!(seeds.len() > 10, "only {} seeds", seeds.len());
    for seed in &seeds {
        target(seed);
    }
    TestTarget::new(Fixed { runs: runs / 8 }).for_each(|bytes: &[u8]| target(bytes));
    let edits = bolero::generator::produce::<(u16, Vec<Edit>)>();
    TestTarget::new(Fixed { runs }).with_generator(edits).for_each(|(seed, edits): &(u16, Vec<Edit>)| {
        let mut text = seeds[usize::from(*seed) % seeds.len()].clone();
        for edit in edits.iter().take(usize::from(*seed >> 14) + 1) {
            apply(edit, &mut text, &seeds);
        }
        target(&text);
    });
}

fn place(at: u16, text: &[u8]) -> usize {
    boundary(text, usize::from(at) % (text.len() + 1))
}

/// The last place up to `at` where one word or sign ends and another begins.
fn boundary(text: &[u8], at: usize) -> usize {
    let word = |at: usize| text.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_$\"'".contains(byte));
    (0..=at).rev().find(|at| *at == 0 || !(word(*at) && word(*at - 1))).unwrap_or_default()
}

fn apply(edit: &Edit, text: &mut Vec<u8>, seeds: &[Vec<u8>]) {
    let part = |at: u16, len: u8, text: &[u8]| {
        let from = place(at, text);
        from..boundary(text, (from + usize::from(len)).min(text.len())).max(from)
    };
    match edit {
        Edit::Remove { at, len } => drop(text.drain(part(*at, *len % 64, text))),
        Edit::Insert { at, bytes: Piece::Byte(byte) } => text.insert(place(*at, text), *byte),
        Edit::Insert { at, bytes: Piece::Word(word) } => {
            let (at, word) = (place(*at, text), WORDS[usize::from(*word) % WORDS.len()]);
            drop(text.splice(at..at, word.bytes()));
        }
        Edit::Flip { at, bit } => {
            let at = usize::from(*at) % text.len().max(1);
            if let Some(byte) = text.get_mut(at) {
                *byte ^= 1 << (bit % 8);
            }
        }
        Edit::Take { at, seed, from, len } => {
            let other = &seeds[usize::from(*seed) % seeds.len()];
            let (at, part) = (place(*at, text), part(*from, *len, other));
            drop(text.splice(at..at, other[part].iter().copied()));
        }
        Edit::Double { at, len } => {
            let part = part(*at, *len, text);
            let (end, copy) = (part.end, text[part].to_vec());
            drop(text.splice(end..end, copy));
        }
        Edit::Swap { at, other, len } => {
            let (one, other) = (part(*at, *len % 32, text), place(*other, text));
            let moved: Vec<u8> = text.drain(one).collect();
            let other = other.min(text.len());
            drop(text.splice(other..other, moved));
        }
        Edit::End { at } => text.truncate(place(*at, text)),
    }
}
