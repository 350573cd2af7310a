//! The JSON of a context.
//!
//! Receives JSON as `str` or `bytes`, or a mapping; returns the bytes of a JSON object. Must never repair a value: what is no
//! string goes on as what it is, and the core says what follows.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyList, PySet, PyString, PyTuple};

use crate::error::Failure;
use crate::text::bytes_of;

/// The context's JSON. The usual shape, a `dict` of strings and of lists of strings, is written here; `haltsql._context` has
/// the rest, and the errors.
///
/// # Errors
/// Those of `haltsql._context.to_json` and of [`bytes_of`].
pub(crate) fn json_of<'a>(context: &'a Bound<'_, PyAny>) -> Result<Cow<'a, [u8]>, Failure> {
    if let Ok(dict) = context.cast_exact::<PyDict>() {
        let mut json = Vec::with_capacity(64);
        if write_dict(dict, &mut json).is_some() {
            return Ok(Cow::Owned(json));
        }
    } else if context.is_instance_of::<PyString>() || context.is_instance_of::<pyo3::types::PyBytes>() {
        return Ok(Cow::Borrowed(bytes_of("the context", context)?));
    }
    let json = context.py().import("haltsql._context")?.call_method1("to_json", (context,))?;
    Ok(Cow::Owned(bytes_of("the context", &json)?.to_vec()))
}

/// `None`: not the usual shape.
fn write_dict(dict: &Bound<'_, PyDict>, json: &mut Vec<u8>) -> Option<()> {
    json.push(b'{');
    for (key, value) in dict.iter() {
        if json.len() > 1 {
            json.push(b',');
        }
        write_text(&key, json)?;
        json.push(b':');
        if value.is_instance_of::<PyString>() {
            write_text(&value, json)?;
        } else if let Ok(list) = value.cast_exact::<PyList>() {
            write_all(list.iter(), json)?;
        } else if let Ok(tuple) = value.cast_exact::<PyTuple>() {
            write_all(tuple.iter(), json)?;
        } else if let Ok(set) = value.cast_exact::<PySet>() {
            write_all(set.iter(), json)?;
        } else if let Ok(set) = value.cast_exact::<PyFrozenSet>() {
            write_all(set.iter(), json)?;
        } else {
            return None;
        }
    }
    json.push(b'}');
    Some(())
}

fn write_all<'py>(values: impl Iterator<Item = Bound<'py, PyAny>>, json: &mut Vec<u8>) -> Option<()> {
    json.push(b'[');
    for (at, value) in values.enumerate() {
        if at > 0 {
            json.push(b',');
        }
        write_text(&value, json)?;
    }
    json.push(b']');
    Some(())
}

fn write_text(value: &Bound<'_, PyAny>, json: &mut Vec<u8>) -> Option<()> {
    let text = value.cast::<PyString>().ok()?.to_str().ok()?;
    serde_json::to_writer(json, text).ok()
}
