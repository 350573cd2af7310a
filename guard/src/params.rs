//! Values as the text that PostgreSQL reads, each declared with a type of its own.
//!
//! Receives a session's parameters; returns what the driver binds. The driver must never choose a type or a form: `$n` has the one that
//! the verdict says.

use haltsql::session::Param;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{Format, IsNull, ToSql, Type, to_sql_checked};

/// A value in text form, or NULL.
#[derive(Debug)]
pub(crate) struct Text<'a>(pub(crate) Option<&'a str>);

impl ToSql for Text<'_> {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        let Some(text) = self.0 else { return Ok(IsNull::Yes) };
        out.extend_from_slice(text.as_bytes());
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }

    to_sql_checked!();
}

/// The values of a pin: all text.
pub(crate) fn texts(values: &[String]) -> Vec<(Text<'_>, Type)> {
    values.iter().map(|value| (Text(Some(value)), Type::TEXT)).collect()
}

/// The values of a statement.
pub(crate) fn typed(params: &[Param]) -> Vec<(Text<'_>, Type)> {
    // Every type that a parameter can have is one that the driver knows.
    params
        .iter()
        .map(|param| (Text(param.value.as_deref()), Type::from_oid(param.oid).unwrap_or(Type::UNKNOWN)))
        .collect()
}

/// As the driver takes them.
pub(crate) fn bound<'a>(values: &'a [(Text<'a>, Type)]) -> Vec<(&'a (dyn ToSql + Sync), Type)> {
    values.iter().map(|(value, ty)| (value as &(dyn ToSql + Sync), ty.clone())).collect()
}
