//! The folder of inputs that runners read (RUNNERS.md).
//!
//! Receives a seed, returns and writes the sets of rows. Must never leave a set of an earlier run behind.

use std::fs;
use std::path::Path;

use crate::rows::Set;
use crate::{corpus, generate};

/// The corpus, and `count` generated rows.
///
/// # Errors
/// The corpus is not whole, or the verifier failed on an input.
pub fn sets(seed: u64, count: usize) -> Result<[Set; 2], String> {
    let root = haltsql_testkit::root().join("conformance");
    let corpus = corpus::load(&root)?;
    let generated = generate::rows(&corpus, &corpus::policies(&root)?, seed, count)?;
    Ok([corpus, generated])
}

/// Writes the sets and the corpus' policies; no other set is there afterwards.
///
/// # Errors
/// The folder cannot be written.
pub fn write(folder: &Path, sets: &[Set]) -> Result<(), String> {
    let failed = |problem: std::io::Error| format!("{}: {problem}", folder.display());
    let policies = folder.join("policies");
    for (directory, end) in [(folder, "tsv"), (&policies, "yaml")] {
        fs::create_dir_all(directory).map_err(failed)?;
        for entry in fs::read_dir(directory).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.extension().is_some_and(|own| own == end) {
                fs::remove_file(path).map_err(failed)?;
            }
        }
    }
    for (name, document) in corpus::policies(&haltsql_testkit::root().join("conformance"))? {
        fs::write(policies.join(format!("{name}.yaml")), document).map_err(failed)?;
    }
    for set in sets {
        fs::write(folder.join(format!("{}.tsv", set.name)), set.text()).map_err(failed)?;
    }
    Ok(())
}

/// Changes one letter of what one row expects: of a row whose text every language can hand over.
pub fn change(set: &mut Set, seed: u64) {
    let carried: Vec<usize> =
        set.rows.iter().enumerate().filter(|(_, row)| row.is_utf8()).map(|(position, _)| position).collect();
    let at = usize::try_from(seed).unwrap_or(0).wrapping_mul(7919) % carried.len().max(1);
    if let Some(row) = carried.get(at).and_then(|position| set.rows.get_mut(*position)) {
        // The last byte of a verdict's digest of the text: `"` follows it.
        let digit = row.expected.pop().and_then(|quote| row.expected.pop().map(|digit| (digit, quote)));
        if let Some((digit, quote)) = digit {
            row.expected.push(if digit == '0' { '1' } else { '0' });
            row.expected.push(quote);
        }
    }
}
