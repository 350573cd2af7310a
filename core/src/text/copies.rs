//! How often the parser repeats what a text says once: of `SET (a, b, c) = source` its tree holds the source three times, and
//! of sources within sources a product.
//!
//! Receives a text; returns the piece at which the repetitions pass what a text of the largest size may have. Must stay
//! linear, and may overestimate where the words are odd.

use super::lex::{Kind, Piece, Pieces};

/// Bytes that may be repeated: as many as a text has under the default of `max_sql_bytes`. Measured: the parser and the
/// verifier take 5 ms and 300 KiB of memory for each KiB.
const MOST: usize = 65_536;

/// One open bracket, or the whole text.
#[derive(Clone, Copy, Default)]
struct Frame {
    /// A SET list stands in it.
    set: bool,
    /// It is the list of columns of a multi-column SET, if `=` follows.
    columns: bool,
    commas: usize,
    /// The source of one is open: how often it was repeated before.
    source: Option<usize>,
}

/// Where the repetitions pass the limit.
pub(super) fn over(text: &str) -> Option<usize> {
    if !says_set(text.as_bytes()) {
        return None;
    }
    let (mut frame, mut outer, mut times, mut repeated) = (Frame::default(), Vec::new(), 1_usize, 0_usize);
    let mut closed = None;
    let mut last: Option<(Piece, &[u8])> = None;
    for piece in Pieces::of(text) {
        let own = text.as_bytes().get(piece.start..piece.end).unwrap_or_default();
        let before = |word: &[u8]| last.is_some_and(|(_, text)| text.eq_ignore_ascii_case(word));
        let columns = closed.take();
        match own {
            b"(" | b"[" => {
                let columns = frame.set && own == b"(" && (before(b"set") || before(b","));
                outer.push(std::mem::replace(&mut frame, Frame { columns, ..Frame::default() }));
            }
            b")" | b"]" => {
                times = frame.source.unwrap_or(times);
                closed = frame.columns.then_some(frame.commas + 1);
                frame = outer.pop().unwrap_or_default();
            }
            b"," | b";" => {
                frame.commas += 1;
                times = frame.source.take().unwrap_or(times);
            }
            b"=" => {
                if let Some(columns) = columns {
                    frame.source = frame.source.or(Some(times));
                    times = times.saturating_mul(columns);
                }
            }
            // Behind a dot or AS it is a name.
            _ if piece.kind == Kind::Word && !before(b".") && !before(b"as") => {
                let is = |words: &[&[u8]]| words.iter().any(|word| own.eq_ignore_ascii_case(word));
                if is(&[b"set"]) {
                    frame.set = true;
                } else if is(&[b"select", b"where", b"returning"]) || is(&[b"from"]) && !before(b"distinct") {
                    frame.set = false;
                    times = frame.source.take().unwrap_or(times);
                }
            }
            _ => {}
        }
        repeated = repeated.saturating_add((own.len() + 1).saturating_mul(times - 1));
        if repeated > MOST {
            return Some(piece.start);
        }
        last = Some((piece, own));
    }
    None
}

/// Whether the letters stand anywhere: few texts that read have them, and these are passed over at the price of one look at each byte.
fn says_set(text: &[u8]) -> bool {
    let mut rest = text;
    while let Some(at) = rest.iter().position(|byte| byte | 0x20 == b's') {
        rest = rest.get(at + 1..).unwrap_or_default();
        if rest.get(..2).is_some_and(|next| next.eq_ignore_ascii_case(b"et")) {
            return true;
        }
    }
    false
}
