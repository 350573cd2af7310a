//! The text cut into PostgreSQL's lexical pieces: words, names, strings, numbers, parameters, operators, punctuation.
//!
//! Receives a text that is UTF-8 and holds no NUL. Gives the same boundaries as PostgreSQL's scanner on every text that
//! the scanner takes, without calling it, and something sensible on every other. Judges nothing: what is a keyword, and
//! whether the text is SQL, is for others to say. Must never fail and must stay linear.

/// One piece of the text. White space and comments are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) kind: Kind,
    /// Byte offset of its first byte.
    pub(crate) start: usize,
    /// Byte offset behind its last byte.
    pub(crate) end: usize,
}

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An unquoted word: a keyword or a name.
    Word,
    /// `"name"`, `U&"name"`.
    QuotedName,
    /// A string in any quoting, with its continuations on later lines.
    String,
    /// A number, with whatever junk is stuck to it.
    Number,
    /// `$1`, with whatever junk is stuck to it.
    Param,
    /// One operator.
    Operator,
    /// A single character of the grammar, `::`, `..` or `:=`.
    Punct,
    /// A string, quoted name or comment that never ends.
    Unterminated,
}

/// How a quote can stand inside quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    /// Not at all: bit strings.
    Nothing,
    /// Twice.
    Doubled,
    /// Twice, or behind a backslash.
    Escapes,
}

/// The pieces of a text, in order.
#[derive(Clone, Debug)]
pub(crate) struct Pieces<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The current run of operator characters, which may hold several operators.
    run: Run,
    /// The stretch of operator characters, comments included, that was measured last: from, to.
    stretch: (usize, usize),
    /// Characters that PostgreSQL's scanner looks at again and again: at each operator and comment it reads to the end
    /// of the stretch of operator characters, comments included.
    work: usize,
    /// Where that work passes what a text of this size may cause.
    busy: Option<usize>,
}

/// A run of operator characters up to a comment.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    end: usize,
    /// Where its last `+`s and `-`s start.
    tail: usize,
    /// Behind the last character that marks an operator as no arithmetic, the run's very last one aside.
    marked: usize,
}

impl<'a> Pieces<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        Pieces { bytes: text.as_bytes(), at: 0, run: Run::default(), stretch: (0, 0), work: 0, busy: None }
    }

    /// Where the text makes PostgreSQL's scanner go over the same characters too often, if it does so before here.
    pub(crate) fn busy(&self) -> Option<usize> {
        self.busy
    }

    /// Counts what the scanner reads at an operator or comment. Generous to every text that means something: a banner in
    /// a comment is read twice.
    fn count_work(&mut self, at: usize) {
        if !(self.stretch.0..self.stretch.1).contains(&at) {
            self.stretch = (at, self.past(at, is_operator));
        }
        self.work += self.stretch.1 - at;
        if self.busy.is_none() && self.work > 20_000 + 50 * self.bytes.len() {
            self.busy = Some(at);
        }
    }

    /// The byte at a place; NUL, which no text holds, behind the end.
    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// The first place from `at` on where `holds` is false.
    fn past(&self, mut at: usize, holds: impl Fn(u8) -> bool) -> usize {
        while at < self.bytes.len() && holds(self.byte(at)) {
            at += 1;
        }
        at
    }

    fn piece(&mut self, kind: Kind, end: usize) -> Piece {
        let end = end.min(self.bytes.len());
        let piece = Piece { kind, start: self.at, end };
        self.at = end;
        piece
    }

    /// Behind white space and comments; `Err` at a comment that never ends.
    fn skip_blank(&mut self, mut at: usize) -> Result<usize, usize> {
        loop {
            let byte = self.byte(at);
            if is_space(byte) {
                at += 1;
            } else if byte == b'-' && self.byte(at + 1) == b'-' {
                at = self.past(at, |byte| byte != b'\n' && byte != b'\r');
            } else if byte == b'/' && self.byte(at + 1) == b'*' {
                at = self.block_comment(at).ok_or(at)?;
            } else {
                return Ok(at);
            }
        }
    }

    /// Behind the block comment that starts here; they nest.
    fn block_comment(&mut self, start: usize) -> Option<usize> {
        self.count_work(start);
        let (mut at, mut depth) = (start + 2, 1_usize);
        while at < self.bytes.len() {
            match (self.byte(at), self.byte(at + 1)) {
                (b'/', b'*') => {
                    self.count_work(at);
                    depth += 1;
                    at += 2;
                }
                (b'*', b'/') => {
                    depth -= 1;
                    at += 2;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                _ => at += 1,
            }
        }
        None
    }

    /// Behind the quote that closes what is open at `at`.
    fn quoted(&self, mut at: usize, quote: u8, inside: Inside) -> Option<usize> {
        while at < self.bytes.len() {
            let byte = self.byte(at);
            if byte == quote {
                if inside == Inside::Nothing || self.byte(at + 1) != quote {
                    return Some(at + 1);
                }
                at += 2;
            } else if inside == Inside::Escapes && byte == b'\\' {
                at += 2;
            } else {
                at += 1;
            }
        }
        None
    }

    /// A string whose first quote stands at `quote`, with the parts that follow on later lines.
    fn string(&mut self, quote: usize, inside: Inside) -> Piece {
        let mut at = quote + 1;
        loop {
            let Some(end) = self.quoted(at, b'\'', inside) else {
                return self.piece(Kind::Unterminated, self.bytes.len());
            };
            match self.continuation(end) {
                Some(next) => at = next,
                None => return self.piece(Kind::String, end),
            }
        }
    }

    /// Behind the quote that continues a string: white space with a line break, and line comments, may stand between.
    fn continuation(&self, mut at: usize) -> Option<usize> {
        let mut new_line = false;
        loop {
            match self.byte(at) {
                b'\n' | b'\r' => {
                    new_line = true;
                    at += 1;
                }
                byte if is_space(byte) => at += 1,
                b'-' if self.byte(at + 1) == b'-' => at = self.past(at, |byte| byte != b'\n' && byte != b'\r'),
                b'\'' if new_line => return Some(at + 1),
                _ => return None,
            }
        }
    }

    fn quoted_name(&mut self, quote: usize) -> Piece {
        match self.quoted(quote + 1, b'"', Inside::Doubled) {
            Some(end) => self.piece(Kind::QuotedName, end),
            None => self.piece(Kind::Unterminated, self.bytes.len()),
        }
    }

    /// `$1`, `$tag$ … $tag$` or a lone dollar.
    fn dollar(&mut self) -> Piece {
        let after = self.at + 1;
        if self.byte(after).is_ascii_digit() {
            let digits = self.past(after, |byte| byte.is_ascii_digit());
            let end = self.past_junk(digits);
            return self.piece(Kind::Param, end);
        }
        let tag_end =
            if starts_word(self.byte(after)) { self.past(after, |byte| in_word(byte) && byte != b'$') } else { after };
        if self.byte(tag_end) != b'$' {
            return self.piece(Kind::Punct, after);
        }
        let tag = self.bytes.get(self.at..=tag_end).unwrap_or_default();
        let body = self.bytes.get(tag_end + 1..).unwrap_or_default();
        match find(body, tag) {
            Some(at) => self.piece(Kind::String, tag_end + 1 + at + tag.len()),
            None => self.piece(Kind::Unterminated, self.bytes.len()),
        }
    }

    /// Behind a word that is stuck to a number or parameter.
    fn past_junk(&self, end: usize) -> usize {
        if starts_word(self.byte(end)) { self.past(end, in_word) } else { end }
    }

    fn number(&mut self) -> Piece {
        let digits = |byte: u8| byte.is_ascii_digit() || byte == b'_';
        let radix = self.byte(self.at) == b'0' && matches!(self.byte(self.at + 1) | 0x20, b'x' | b'o' | b'b');
        let mut end = self.past(self.at, digits);
        if !radix {
            if self.byte(end) == b'.' && self.byte(end + 1) != b'.' {
                end = self.past(end + 1, digits);
            }
            let sign = usize::from(matches!(self.byte(end + 1), b'+' | b'-'));
            if self.byte(end) | 0x20 == b'e' && (sign == 1 || self.byte(end + 1).is_ascii_digit()) {
                end = self.past(end + 1 + sign, digits);
            }
        }
        // What is stuck to a number is an error, and PostgreSQL names it with the number.
        let end = self.past_junk(end);
        self.piece(Kind::Number, end)
    }

    /// The next operator of the run that starts here or was started earlier.
    fn operator(&mut self) -> Piece {
        self.count_work(self.at);
        if self.run.end <= self.at {
            let mut end = self.at + 1;
            while is_operator(self.byte(end)) && !self.comment_starts(end) {
                end += 1;
            }
            let run = self.bytes.get(self.at..end).unwrap_or_default();
            let tail = run.iter().rev().take_while(|byte| matches!(byte, b'+' | b'-')).count();
            let marked = run.iter().rev().skip(1).position(|&byte| is_marking(byte));
            self.run = Run { end, tail: end - tail, marked: marked.map_or(0, |back| end - 1 - back) };
        }
        // A `+` or `-` at the end belongs to an operator only where another character marks it as no arithmetic.
        let end = if self.run.marked > self.at { self.run.end } else { self.run.tail.max(self.at + 1) };
        self.piece(Kind::Operator, end)
    }

    fn comment_starts(&self, at: usize) -> bool {
        matches!((self.byte(at), self.byte(at + 1)), (b'-', b'-') | (b'/', b'*'))
    }
}

impl Iterator for Pieces<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        match self.skip_blank(self.at) {
            Ok(at) => self.at = at,
            Err(comment) => {
                self.at = comment;
                return Some(self.piece(Kind::Unterminated, self.bytes.len()));
            }
        }
        if self.at >= self.bytes.len() {
            return None;
        }
        let (byte, second, third) = (self.byte(self.at), self.byte(self.at + 1), self.byte(self.at + 2));
        Some(match (byte, second, third) {
            (b'\'', ..) => self.string(self.at, Inside::Doubled),
            (b'e' | b'E', b'\'', _) => self.string(self.at + 1, Inside::Escapes),
            (b'b' | b'B' | b'x' | b'X', b'\'', _) => self.string(self.at + 1, Inside::Nothing),
            (b'u' | b'U', b'&', b'\'') => self.string(self.at + 2, Inside::Doubled),
            (b'u' | b'U', b'&', b'"') => self.quoted_name(self.at + 2),
            (b'"', ..) => self.quoted_name(self.at),
            (b'$', ..) => self.dollar(),
            (b'0'..=b'9', ..) | (b'.', b'0'..=b'9', _) => self.number(),
            (b':', b':' | b'=', _) | (b'.', b'.', _) => self.piece(Kind::Punct, self.at + 2),
            _ if starts_word(byte) => {
                let end = self.past(self.at, in_word);
                self.piece(Kind::Word, end)
            }
            _ if is_operator(byte) => self.operator(),
            _ => self.piece(Kind::Punct, self.at + 1),
        })
    }
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

const fn starts_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

const fn in_word(byte: u8) -> bool {
    starts_word(byte) || byte.is_ascii_digit() || byte == b'$'
}

const fn is_operator(byte: u8) -> bool {
    is_marking(byte) || matches!(byte, b'+' | b'-' | b'*' | b'/' | b'<' | b'>' | b'=')
}

/// The characters that no operator of the SQL standard holds.
const fn is_marking(byte: u8) -> bool {
    matches!(byte, b'~' | b'!' | b'@' | b'#' | b'^' | b'&' | b'|' | b'`' | b'?' | b'%')
}

/// Where `needle`, which begins with a dollar, first stands. Linear: the dollars of a needle are its two ends, so that a
/// failed comparison ends before the next place that can match.
fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += haystack.get(at..)?.iter().position(|&byte| byte == b'$')?;
        if haystack.get(at..).is_some_and(|rest| rest.starts_with(needle)) {
            return Some(at);
        }
        at += 1;
    }
}
