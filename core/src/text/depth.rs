//! How deeply a text can nest: an upper bound on its syntax tree, from one pass over its pieces, before the parser.
//!
//! Receives a text; returns the bound, the place where it is reached, and the first place where it passes what the
//! parser can hold. Two things rest on it: which stack a check runs on, and that the parser's own limits, whose answers
//! would depend on the host, never speak. So it may overestimate and must never underestimate; where the words are too
//! odd to be sure, it says so, and the caller takes the large stack.
//!
//! The unit is one message of the serialised tree. Its decoding takes up to some 1.3 KiB of stack per unit; the parser
//! serialises at most 10,000.

use super::lex::{Kind, Piece, Pieces};

/// Units that the parser's own limit of 10,000 leaves room for, whatever the innermost expression adds.
const MAX_UNITS: u64 = 9_600;
/// Open brackets and CASEs: below where the grammar's own stack of 10,000 symbols ends for queries in queries.
const MAX_BRACKETS: usize = 1_000;
/// Units that a stack of 256 KiB holds, the walks of the verifier included.
pub(super) const MAX_INLINE_UNITS: u64 = 96;

/// What a text's nesting comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Depth {
    /// The bound.
    pub(crate) units: u64,
    /// Where the bound is reached: the byte offset of a piece; 0 for a text without any.
    pub(crate) deepest: usize,
    /// The first piece that passes a limit.
    pub(crate) over: Option<usize>,
    /// The bound holds without doubt.
    pub(crate) sure: bool,
    /// The first parameter with a word stuck to it. Found here, since this is the one pass that every text pays for.
    pub(crate) glued_param: Option<Piece>,
    /// Parameters where, in a query, a typed literal or EXTRACT may have its string: `date $1`. The parser's library
    /// takes them there, PostgreSQL doesn't.
    pub(crate) odd_params: Vec<Piece>,
}

impl Depth {
    /// The text may be parsed and walked on any stack.
    pub(crate) fn inline(&self) -> bool {
        self.sure && self.units <= MAX_INLINE_UNITS
    }
}

/// Measures a text.
pub(crate) fn measure(text: &str) -> Depth {
    let mut measure = Measure {
        text,
        frame: Frame { base: QUERY, ..Frame::default() },
        outer: Vec::new(),
        above: 0,
        depth: Depth { units: 0, deepest: 0, over: None, sure: true, glued_param: None, odd_params: Vec::new() },
        label: false,
        recursive: false,
        last: None,
        before_last: None,
    };
    let mut pieces = Pieces::of(text);
    for piece in pieces.by_ref() {
        measure.take(piece);
    }
    measure.depth.over = match (measure.depth.over, pieces.busy()) {
        (Some(over), Some(busy)) => Some(over.min(busy)),
        (over, busy) => over.or(busy),
    };
    measure.depth.sure &= !measure.frame.case && measure.outer.is_empty();
    measure.depth
}

/// A bracket that holds a query: the messages from the expression around it to an expression in it.
const QUERY: u64 = 8;
/// Any other bracket: a call, an array, a list.
const BRACKET: u64 = 4;
/// `CASE … WHEN`.
const CASE: u64 = 4;
/// An operator; all the ANDs of a bracket, all its ORs.
const OPERATOR: u64 = 2;
/// NOT and AT TIME ZONE: their decoding takes more stack than their two messages say.
const LISTED: u64 = 3;

/// Words that a parameter often follows and that no type can be named.
const RESERVED: &[&str] = &[
    "select",
    "and",
    "or",
    "not",
    "in",
    "between",
    "when",
    "then",
    "else",
    "on",
    "where",
    "having",
    "limit",
    "offset",
    "any",
    "all",
    "distinct",
    "case",
    "from",
    "values",
    "symmetric",
    "for",
    "placing",
    "variadic",
];

/// One open bracket or CASE, or the whole text.
#[derive(Clone, Copy, Debug, Default)]
struct Frame {
    case: bool,
    /// The body of a CTE in a text that says RECURSIVE.
    body: bool,
    /// Messages for the bracket itself.
    base: u64,
    /// UNION and its kin, which lean to the left over the whole bracket.
    sets: u64,
    /// Joins of the current FROM item.
    joins: u64,
    /// Operators of the current term.
    operators: u64,
    /// The deepest bracket in the current term.
    child: u64,
    /// The deepest finished term of the current item.
    terms: u64,
    /// The deepest finished item.
    items: u64,
    /// BETWEENs whose AND is still to come.
    between: u64,
    /// The bracket holds an AND, an OR.
    and: bool,
    or: bool,
}

impl Frame {
    /// Without what stands in brackets that are closed: what a bracket that opens here stands under.
    fn open(&self) -> u64 {
        self.base + self.sets + self.joins + self.operators
    }

    fn depth(&self) -> u64 {
        self.base + self.sets + self.items.max(self.joins + self.terms.max(self.operators + self.child))
    }

    /// The one message pair that all the ANDs, or all the ORs, of a bracket share.
    fn logic(&mut self, and: bool) {
        let seen = if and { &mut self.and } else { &mut self.or };
        if !std::mem::replace(seen, true) {
            self.base += OPERATOR;
        }
        self.end_term();
    }

    /// AND, OR and the arms of a CASE: what follows nests nothing that came before.
    fn end_term(&mut self) {
        self.terms = self.terms.max(self.operators + self.child);
        self.operators = 0;
        self.child = 0;
    }

    /// A comma or a set operation.
    fn end_item(&mut self) {
        self.end_term();
        self.items = self.items.max(self.joins + self.terms);
        self.joins = 0;
        self.terms = 0;
        self.between = 0;
    }
}

struct Measure<'a> {
    text: &'a str,
    frame: Frame,
    outer: Vec<Frame>,
    /// The units of everything that the current bracket stands in.
    above: u64,
    depth: Depth,
    /// The piece before was `.` or AS: a word here is a name, whatever it says.
    label: bool,
    /// The text says RECURSIVE.
    recursive: bool,
    /// The last piece, and the one before.
    last: Option<Piece>,
    before_last: Option<Piece>,
}

impl Measure<'_> {
    fn take(&mut self, piece: Piece) {
        let label = std::mem::take(&mut self.label);
        let text = self.text.as_bytes().get(piece.start..piece.end).unwrap_or_default();
        match piece.kind {
            Kind::Word if label => {}
            Kind::Word => self.word(text),
            Kind::Operator => self.frame.operators += OPERATOR,
            Kind::Punct => match text {
                b"(" | b"[" => {
                    let body = self.recursive && self.is_one_of(self.last, &["as", "materialized"]);
                    self.open(BRACKET, false);
                    self.frame.body = body;
                }
                b")" | b"]" => self.close(),
                b"," => self.item(),
                b";" => {
                    self.item();
                    self.frame.items += std::mem::take(&mut self.frame.sets);
                }
                b"." => self.label = true,
                b"::" | b":=" => self.frame.operators += OPERATOR,
                _ => {}
            },
            Kind::Param => self.param(piece, text),
            Kind::QuotedName | Kind::String | Kind::Number | Kind::Unterminated => {}
        }
        self.before_last = self.last.replace(piece);
        self.note(piece.start);
    }

    fn param(&mut self, piece: Piece, text: &[u8]) {
        if !text.iter().skip(1).all(u8::is_ascii_digit) {
            self.depth.glued_param = self.depth.glued_param.or(Some(piece));
        }
        if self.may_be_literal() {
            self.depth.odd_params.push(piece);
        }
    }

    fn is_one_of(&self, piece: Option<Piece>, words: &[&str]) -> bool {
        let text = piece.and_then(|piece| self.text.get(piece.start..piece.end)).unwrap_or_default();
        words.iter().any(|word| text.eq_ignore_ascii_case(word))
    }

    /// What stands before a parameter may be a type's name, or EXTRACT's bracket.
    fn may_be_literal(&self) -> bool {
        let is = |piece: Option<Piece>, words: &[&str]| self.is_one_of(piece, words);
        // BY is no reserved word: `x = by $1` is a literal of a type of that name.
        let behind_by = is(self.before_last, &["group", "order", "partition"]);
        let opens = |piece: Option<Piece>| match piece.map(|piece| piece.kind) {
            None | Some(Kind::Operator) => true,
            Some(Kind::Punct) => !is(piece, &[")", "]", "."]),
            Some(Kind::Word) => is(piece, RESERVED) || (is(piece, &["by"]) && behind_by),
            Some(Kind::QuotedName | Kind::String | Kind::Number | Kind::Param | Kind::Unterminated) => false,
        };
        if is(self.last, &["("]) {
            return is(self.before_last, &["extract"]);
        }
        if is(self.last, &["like", "ilike"]) {
            return opens(self.before_last) && !is(self.before_last, &["not"]);
        }
        // Behind a dot or AS the word is a name, whatever it says.
        !opens(self.last) || self.last.is_some_and(|last| last.kind == Kind::Word) && is(self.before_last, &[".", "as"])
    }

    fn word(&mut self, text: &[u8]) {
        let mut lower = [0_u8; 16];
        // No keyword is longer.
        let Some(lower) = lower.get_mut(..text.len()) else { return };
        lower.copy_from_slice(text);
        lower.make_ascii_lowercase();
        match &*lower {
            b"select" | b"values" | b"with" | b"table" | b"insert" | b"update" | b"delete" | b"merge" => {
                self.no_case();
                self.frame.base = self.frame.base.max(QUERY);
            }
            b"and" if self.frame.between > 0 => {
                self.frame.between -= 1;
                self.frame.operators += OPERATOR;
            }
            b"and" => self.frame.logic(true),
            b"or" => self.frame.logic(false),
            b"when" | b"then" | b"else" => self.frame.end_term(),
            b"union" | b"intersect" | b"except" => {
                self.item();
                self.frame.sets += 1;
            }
            b"join" => {
                self.no_case();
                self.frame.joins += OPERATOR;
            }
            b"between" => {
                self.frame.between += 1;
                self.frame.operators += OPERATOR;
            }
            b"not" | b"at" => self.frame.operators += LISTED,
            b"similar" => self.frame.operators += 2 * OPERATOR,
            b"is" | b"isnull" | b"notnull" | b"in" | b"like" | b"ilike" | b"escape" | b"collate" | b"operator"
            | b"overlaps" | b"order" | b"over" | b"tablesample" => self.frame.operators += OPERATOR,
            b"case" => self.open(CASE, true),
            b"end" if self.frame.case => self.pop(),
            b"as" => self.label = true,
            b"recursive" => self.recursive = true,
            // A body of statements, in which each may have a body again; the grammar's own stack holds the most of it.
            b"atomic" => self.frame.base += 2 * QUERY,
            _ if lower.starts_with(b"json") || lower.starts_with(b"xml") => self.frame.operators += OPERATOR,
            _ => {}
        }
    }

    fn open(&mut self, base: u64, case: bool) {
        self.above += self.frame.open();
        self.outer.push(std::mem::replace(&mut self.frame, Frame { base, case, ..Frame::default() }));
    }

    /// A closing bracket closes the CASEs that were never ended too: `case` was a label there.
    fn close(&mut self) {
        while self.frame.case && !self.outer.is_empty() {
            self.depth.sure = false;
            self.pop();
        }
        self.pop();
    }

    fn pop(&mut self) {
        let Some(outer) = self.outer.pop() else { return };
        let closed = std::mem::replace(&mut self.frame, outer);
        self.above -= self.frame.open();
        if closed.body {
            // A CTE can name one that comes after it, which is resolved then and there: all of them can nest.
            self.above += closed.depth();
        }
        self.frame.child = self.frame.child.max(closed.depth());
    }

    fn item(&mut self) {
        self.no_case();
        self.frame.end_item();
    }

    /// What cannot stand between CASE and END, so that this `case` is a label.
    fn no_case(&mut self) {
        self.depth.sure &= !self.frame.case;
    }

    fn note(&mut self, at: usize) {
        let units = self.above + self.frame.depth();
        if units > self.depth.units {
            self.depth.units = units;
            self.depth.deepest = at;
        }
        if self.depth.over.is_none() && (units > MAX_UNITS || self.outer.len() > MAX_BRACKETS) {
            self.depth.over = Some(at);
        }
    }
}
