//! The form of a text for JDBC, whose drivers cannot send `$n`.
//!
//! Receives a text that parsed; returns it with `?` for each `$n`, what the driver has to make of that, and the order in which to
//! bind. This is the one exception to "exactly the text that was verified", and each time it is proven: the two texts have the same
//! tokens but for the numbers of the placeholders, and a grammar sees nothing but tokens.

use pg_query::protobuf::{ScanToken, Token};

use crate::parse;

/// A text for `Connection.prepareStatement`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JdbcForm {
    /// What `prepareStatement` gets: `?` for each `$n`, `??` for each `?` of an operator.
    pub sql: String,
    /// What `Connection.nativeSQL` has to return for it: placeholders numbered by occurrence.
    pub native_sql: String,
    /// For each `?` in order of occurrence, the `n` of its `$n`.
    pub order: Vec<u32>,
}

/// The form of a text; `None` where it cannot be proven to be the same.
pub(super) fn form(text: &str) -> Option<JdbcForm> {
    let mut form = JdbcForm { sql: String::new(), native_sql: String::new(), order: Vec::new() };
    let tokens = parse::scan(text)?;
    let mut from = 0;
    for token in &tokens {
        let (start, end) = (usize::try_from(token.start).ok()?, usize::try_from(token.end).ok()?);
        let between = text.get(from..start)?;
        form.sql.push_str(between);
        form.native_sql.push_str(between);
        let spelt = text.get(start..end)?;
        if token.token() == Token::Param {
            form.order.push(spelt.strip_prefix('$')?.parse().ok()?);
            form.sql.push('?');
            form.native_sql.push_str(&format!("${}", form.order.len()));
        } else {
            let doubled = is_operator(token) && spelt.contains('?');
            form.sql.push_str(&if doubled { spelt.replace('?', "??") } else { spelt.to_owned() });
            form.native_sql.push_str(spelt);
        }
        from = end;
    }
    let rest = text.get(from..)?;
    form.sql.push_str(rest);
    form.native_sql.push_str(rest);
    same(text, &tokens, &form).then_some(form)
}

/// A token that the grammar knows as `Op`: the only one in which a `?` stands for itself.
fn is_operator(token: &ScanToken) -> bool {
    token.token() == Token::Op
}

/// The expected text has the verified one's tokens, each placeholder with the number that `order` gives it.
fn same(text: &str, tokens: &[ScanToken], form: &JdbcForm) -> bool {
    let Some(expected) = parse::scan(&form.native_sql) else { return false };
    let spelt = |text: &'_ str, token: &ScanToken| {
        let range = usize::try_from(token.start).ok()?..usize::try_from(token.end).ok()?;
        text.get(range).map(str::to_owned)
    };
    let mut order = (1u32..).zip(&form.order);
    tokens.len() == expected.len()
        && tokens.iter().zip(&expected).all(|(verified, sent)| {
            let (before, after) = (spelt(text, verified), spelt(&form.native_sql, sent));
            let numbers_apart = verified.token() == Token::Param && {
                let next = order.next();
                next.is_some_and(|(at, number)| number_of(&before) == Some(*number) && number_of(&after) == Some(at))
            };
            verified.token == sent.token && before.is_some() && (before == after || numbers_apart)
        })
}

/// The number in `$n`; `$01` is `$1`.
fn number_of(spelt: &Option<String>) -> Option<u32> {
    spelt.as_deref()?.strip_prefix('$')?.parse().ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::form;

    #[test]
    fn numbers_placeholders_by_occurrence_and_doubles_operators() {
        for (text, sql, native_sql, order) in [
            ("SELECT 1", "SELECT 1", "SELECT 1", &[][..]),
            ("SELECT $1", "SELECT ?", "SELECT $1", &[1]),
            ("SELECT $2, $10, $2", "SELECT ?, ?, ?", "SELECT $1, $2, $3", &[2, 10, 2]),
            ("SELECT a ? 'b?' AND c ?| $1", "SELECT a ?? 'b?' AND c ??| ?", "SELECT a ? 'b?' AND c ?| $1", &[1]),
            (
                "SELECT '$1', $$ $1 ? $$ -- $1 ?",
                "SELECT '$1', $$ $1 ? $$ -- $1 ?",
                "SELECT '$1', $$ $1 ? $$ -- $1 ?",
                &[],
            ),
            ("SELECT $01", "SELECT ?", "SELECT $1", &[1]),
            ("SELECT /* ? */ é.\"?\" @?$3", "SELECT /* ? */ é.\"?\" @???", "SELECT /* ? */ é.\"?\" @?$1", &[3]),
        ] {
            let form = form(text).unwrap();
            assert_eq!((&*form.sql, &*form.native_sql, &*form.order), (sql, native_sql, order), "{text}");
        }
    }
}
