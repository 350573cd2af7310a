//! What surrounds a call: its fence, and the way of its answer to Java.
//!
//! Receives the work of a native method, returns the array for Java. A panic, an error and an argument that is missing all
//! become an answer; where even that cannot be made, `null`, which Java takes for an error. Must never throw: an exception would
//! need a class, and so a class loader.

use std::panic::{AssertUnwindSafe, catch_unwind};

use haltsql::boundary::{Error, ErrorCode};
use jni::objects::JByteArray;
use jni::{Env, EnvUnowned, Outcome};

use crate::answer::Answer;

/// What ends a call early.
pub(crate) enum Failure {
    /// An error of the boundary.
    Ours(Error),
    /// JNI refused something.
    Jni(jni::errors::Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Ours(error)
    }
}

impl From<jni::errors::Error> for Failure {
    fn from(error: jni::errors::Error) -> Self {
        Failure::Jni(error)
    }
}

/// Does a call's work. The core has a fence of its own; this one is for what this crate does around it.
pub(crate) fn answered<'a>(
    env: &mut EnvUnowned<'a>,
    work: impl FnOnce(&mut Env<'a>) -> Result<Answer, Failure>,
) -> JByteArray<'a> {
    let outcome = env.with_env(|env| -> jni::errors::Result<JByteArray<'a>> {
        let answer = match catch_unwind(AssertUnwindSafe(|| work(env))) {
            Ok(Ok(answer)) => answer,
            Ok(Err(Failure::Ours(error))) => Answer::error(&error),
            Ok(Err(Failure::Jni(error))) => Answer::error(&Error::new(ErrorCode::Argument, error.to_string())),
            Err(_) => Answer::error(&Error::new(ErrorCode::Internal, "no check happened: this is a bug of HaltSQL")),
        };
        env.byte_array_from_slice(answer.bytes())
    });
    match outcome.into_outcome() {
        Outcome::Ok(array) => array,
        Outcome::Err(_) | Outcome::Panic(_) => JByteArray::default(),
    }
}

/// The texts of a list: each stands behind its length, a big-endian number of four bytes.
///
/// # Errors
/// [`ErrorCode::Argument`]: it is no such list.
pub(crate) fn texts(mut many: &[u8]) -> Result<Vec<&[u8]>, Error> {
    let mut texts = Vec::new();
    while let Some((length, rest)) = many.split_first_chunk::<4>() {
        let length = u32::from_be_bytes(*length) as usize;
        let (text, rest) = rest.split_at_checked(length).ok_or_else(no_list)?;
        texts.push(text);
        many = rest;
    }
    if many.is_empty() { Ok(texts) } else { Err(no_list()) }
}

fn no_list() -> Error {
    Error::new(ErrorCode::Argument, "the texts are no list of texts")
}
