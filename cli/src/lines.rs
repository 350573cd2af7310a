//! Lines of a stream, none longer than a bound.

use std::io::{BufRead, Result};

/// What came next.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// A line, without its end.
    Whole(Vec<u8>),
    /// A line over the bound; its bytes were skipped.
    TooLong,
}

/// The next line, or `None` at the end. Never holds more than `limit` bytes.
pub fn next(source: &mut impl BufRead, limit: usize) -> Result<Option<Line>> {
    let mut line = Vec::new();
    let mut too_long = false;
    let mut started = false;
    loop {
        let chunk = source.fill_buf()?;
        if chunk.is_empty() {
            return Ok(started.then(|| finish(line, too_long)));
        }
        started = true;
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let part = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or_default();
        too_long = too_long || line.len() + part.len() > limit;
        if too_long {
            line = Vec::new();
        } else {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        source.consume(used);
        if end.is_some() {
            return Ok(Some(finish(line, too_long)));
        }
    }
}

fn finish(line: Vec<u8>, too_long: bool) -> Line {
    if too_long { Line::TooLong } else { Line::Whole(line) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::io::BufReader;

    use super::*;

    fn all(text: &str, limit: usize, buffer: usize) -> Vec<Line> {
        let mut source = BufReader::with_capacity(buffer, text.as_bytes());
        std::iter::from_fn(|| next(&mut source, limit).unwrap()).collect()
    }

    #[test]
    fn lines_end_at_line_feeds_and_at_the_end() {
        let whole = |text: &str| Line::Whole(text.as_bytes().to_vec());
        for buffer in [1, 2, 3, 64] {
            assert_eq!(all("ab\n\ncd\r\nef", 8, buffer), [whole("ab"), whole(""), whole("cd\r"), whole("ef")]);
            assert_eq!(all("ab\n", 8, buffer), [whole("ab")]);
            assert_eq!(all("", 8, buffer), []);
        }
    }

    #[test]
    fn a_line_over_the_bound_is_skipped_and_the_next_one_is_whole() {
        let whole = |text: &str| Line::Whole(text.as_bytes().to_vec());
        for buffer in [1, 2, 3, 64] {
            assert_eq!(
                all("abcd\nabcde\nef\nabcdef", 4, buffer),
                [whole("abcd"), Line::TooLong, whole("ef"), Line::TooLong]
            );
        }
    }
}
