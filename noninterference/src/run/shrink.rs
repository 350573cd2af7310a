//! Makes a failing text small: takes out tokens while it keeps failing.
//!
//! Works on any text, generated or mutated. A text that no longer parses is denied, and so does not fail.

/// The smallest text found for which `fails` still holds.
pub fn shrink(sql: &str, fails: &mut impl FnMut(&str) -> bool) -> String {
    let mut best = tokens(sql);
    let mut tries = 0;
    let mut attempt = |list: &[String], tries: &mut u32| {
        *tries += 1;
        *tries < 4_000 && fails(&list.join(" "))
    };
    if !attempt(&best, &mut tries) {
        return sql.to_owned();
    }
    loop {
        let before = best.len();
        groups(&mut best, &mut |list| attempt(list, &mut tries));
        let mut size = (best.len() / 2).max(1);
        loop {
            let mut at = 0;
            while at < best.len() {
                let end = (at + size).min(best.len());
                let mut without = best[..at].to_vec();
                without.extend_from_slice(&best[end..]);
                if attempt(&without, &mut tries) {
                    best = without;
                } else {
                    at += if size > 3 { size / 2 } else { 1 };
                }
            }
            if size == 1 {
                break;
            }
            size = if size > 12 { size / 2 } else { size - 1 };
        }
        if best.len() == before {
            return best.join(" ");
        }
    }
}

/// Whole parentheses: out, or out of their parentheses.
fn groups(best: &mut Vec<String>, fails: &mut impl FnMut(&[String]) -> bool) {
    let mut at = 0;
    while at < best.len() {
        if best[at] == "("
            && let Some(end) = closing(best, at)
        {
            let mut replaced = best[..at].to_vec();
            replaced.extend_from_slice(&best[at + 1..end]);
            replaced.extend_from_slice(&best[end + 1..]);
            let mut literal = best[..at].to_vec();
            literal.push("1".to_owned());
            literal.extend_from_slice(&best[end + 1..]);
            let mut gone = best[..at].to_vec();
            gone.extend_from_slice(&best[end + 1..]);
            for candidate in [gone, literal, replaced] {
                if fails(&candidate) {
                    *best = candidate;
                    break;
                }
            }
        }
        at += 1;
    }
}

fn closing(list: &[String], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in list.iter().enumerate().skip(open) {
        match token.as_str() {
            "(" => depth += 1,
            ")" => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The tokens of a text as PostgreSQL's scanner sees them.
#[must_use]
pub fn tokens(sql: &str) -> Vec<String> {
    match pg_query::scan(sql) {
        Ok(result) => result
            .tokens
            .iter()
            .filter_map(|token| {
                let (start, end) = (usize::try_from(token.start).ok()?, usize::try_from(token.end).ok()?);
                sql.get(start..end).map(str::to_owned)
            })
            .collect(),
        Err(_) => vec![sql.to_owned()],
    }
}
