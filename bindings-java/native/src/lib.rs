//! The native methods of `dev.haltsql.Native`: the boundary for a JVM, and nothing more.
//!
//! Receives numbers and `byte[]`, returns one `byte[]` for each call: what `answer` writes and `Answer.java` reads. Must never
//! take text as a `jstring`, whose UTF-8 is another; look up a class or keep anything of a JVM's between two calls, so that any
//! number of class loaders can share it; or let a panic out, which would end the JVM.

// The exported names are what a JVM looks for, and a handle is a pointer that Java keeps.
#![allow(unsafe_code, reason = "JNI: each block says why it is sound")]

mod answer;
mod call;
mod fields;
mod guard;
mod handle;
mod steps;

use haltsql::boundary::{self, Caller, DocumentFormat, Error, ErrorCode, Policy};
use jni::EnvUnowned;
use jni::objects::{JByteArray, JClass};
use jni::sys::{jboolean, jint, jlong};

use crate::answer::Answer;
use crate::call::{answered, texts};
use crate::handle::{borrowed, freed, given};

/// Called before anything else: of a library with another number nothing else may be called.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_haltsql_Native_abiVersion<'a>(_env: EnvUnowned<'a>, _class: JClass<'a>) -> jint {
    boundary::ABI_VERSION.cast_signed()
}

/// The version of HaltSQL, that of the parser's PostgreSQL, and every reason code with its rule, as JSON.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_haltsql_Native_about<'a>(
    mut env: EnvUnowned<'a>,
    _class: JClass<'a>,
) -> JByteArray<'a> {
    answered(&mut env, |_| {
        let mut answer = Answer::good();
        answer.text(boundary::version()).text(boundary::POSTGRES_VERSION).text(&boundary::reason_codes());
        Ok(answer)
    })
}

/// Loads a document. The policy's handle, name, version and mode.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_haltsql_Native_load<'a>(
    mut env: EnvUnowned<'a>,
    _class: JClass<'a>,
    document: JByteArray<'a>,
    format: jint,
    name: JByteArray<'a>,
) -> JByteArray<'a> {
    answered(&mut env, |env| {
        let (document, name) = (env.convert_byte_array(&document)?, env.convert_byte_array(&name)?);
        let format = u32::try_from(format).ok().and_then(DocumentFormat::from_number);
        let format = format.ok_or_else(|| Error::new(ErrorCode::Argument, "there is no such document format"))?;
        let policy = Policy::load(&document, format, &String::from_utf8_lossy(&name))?;
        let mut answer = Answer::good();
        answer.text(policy.name()).text(policy.version()).text(policy.mode());
        // Last: what came before can panic, and nobody would free it.
        answer.handle(given(policy));
        Ok(answer)
    })
}

/// The verdict on a text for a context, as JSON.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_haltsql_Native_check<'a>(
    mut env: EnvUnowned<'a>,
    _class: JClass<'a>,
    policy: jlong,
    sql: JByteArray<'a>,
    context: JByteArray<'a>,
) -> JByteArray<'a> {
    answered(&mut env, |env| {
        let (sql, context) = (env.convert_byte_array(&sql)?, env.convert_byte_array(&context)?);
        // SAFETY: the handle is of a `Policy`, which Java does not free before this call has ended (Handle.java).
        let policy: &Policy = unsafe { borrowed(policy) };
        Ok(Answer::verdict(&policy.check(&sql, &context)?))
    })
}

/// Reads a context once, for many checks. The caller's handle.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_haltsql_Native_forContext<'a>(
    mut env: EnvUnowned<'a>,
    _class: JClass<'a>,
    policy: jlong,
    context: JByteArray<'a>,
) -> JByteArray<'a> {
    answered(&mut env, |env| {
        let context = env.convert_byte_array(&context)?;
        // SAFETY: the handle is of a `Policy`, which Java does not free before this call has ended (Handle.java).
        let policy: &Policy = unsafe { borrowed(policy) };
        let caller = policy.for_context(&context)?;
        let mut answer = Answer::good();
        answer.handle(given(caller));
        Ok(answer)
    })
}

/// The verdict on a text of a caller, as JSON.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_haltsql_Native_checkFor<'a>(
    mut env: EnvUnowned<'a>,
    _class: JClass<'a>,
    caller: jlong,
    sql: JByteArray<'a>,
) -> JByteArray<'a> {
    answered(&mut env, |env| {
        let sql = env.convert_byte_array(&sql)?;
        // SAFETY: the handle is of a `Caller`, which Java does not free before this call has ended (Handle.java).
        let caller: &Caller = unsafe { borrowed(caller) };
        Ok(Answer::verdict(&caller.check(&sql)?))
    })
}

/// The verdicts on many texts of a caller, in their order. `texts`: each as its length and its bytes, so that their number makes
/// no local references.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_haltsql_Native_checkMany<'a>(
    mut env: EnvUnowned<'a>,
    _class: JClass<'a>,
    caller: jlong,
    many: JByteArray<'a>,
    threads: jint,
) -> JByteArray<'a> {
    answered(&mut env, |env| {
        let many = env.convert_byte_array(&many)?;
        let threads = usize::try_from(threads).unwrap_or(1);
        // SAFETY: the handle is of a `Caller`, which Java does not free before this call has ended (Handle.java).
        let caller: &Caller = unsafe { borrowed(caller) };
        let mut answer = Answer::good();
        answer.list(&caller.check_many(&texts(&many)?, threads)?, |answer, verdict| {
            answer.flag(boundary::is_allowed(verdict)).text(verdict);
        });
        Ok(answer)
    })
}

/// What may be asked, as JSON or as text.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_haltsql_Native_describe<'a>(
    mut env: EnvUnowned<'a>,
    _class: JClass<'a>,
    policy: jlong,
    json: jboolean,
) -> JByteArray<'a> {
    answered(&mut env, |_| {
        // SAFETY: the handle is of a `Policy`, which Java does not free before this call has ended (Handle.java).
        let policy: &Policy = unsafe { borrowed(policy) };
        let mut answer = Answer::good();
        answer.text(&if json { policy.describe_json()? } else { policy.describe_text()? });
        Ok(answer)
    })
}

/// The value for `pg_catalog.set_config('search_path', …, true)`.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_haltsql_Native_searchPathValue<'a>(
    mut env: EnvUnowned<'a>,
    _class: JClass<'a>,
    policy: jlong,
) -> JByteArray<'a> {
    answered(&mut env, |_| {
        // SAFETY: the handle is of a `Policy`, which Java does not free before this call has ended (Handle.java).
        let policy: &Policy = unsafe { borrowed(policy) };
        let mut answer = Answer::good();
        answer.text(&policy.search_path_value()?);
        Ok(answer)
    })
}

/// The rendering of a verdict for a language model, from its JSON and the SQL that it was given for.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_haltsql_Native_forAgent<'a>(
    mut env: EnvUnowned<'a>,
    _class: JClass<'a>,
    verdict: JByteArray<'a>,
    sql: JByteArray<'a>,
) -> JByteArray<'a> {
    answered(&mut env, |env| {
        let (verdict, sql) = (env.convert_byte_array(&verdict)?, env.convert_byte_array(&sql)?);
        let mut answer = Answer::good();
        answer.text(&boundary::for_agent(&verdict, &sql)?);
        Ok(answer)
    })
}

/// The fields of a verdict, from its JSON.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_haltsql_Native_fields<'a>(
    mut env: EnvUnowned<'a>,
    _class: JClass<'a>,
    verdict: JByteArray<'a>,
) -> JByteArray<'a> {
    answered(&mut env, |env| fields::of(&env.convert_byte_array(&verdict)?))
}

/// Frees a policy's handle.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_haltsql_Native_freePolicy<'a>(_env: EnvUnowned<'a>, _class: JClass<'a>, policy: jlong) {
    // SAFETY: the handle is of a `Policy`, and Java frees each once, after the last call that uses it (Handle.java).
    unsafe { freed::<Policy>(policy) };
}

/// Frees a caller's handle.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_haltsql_Native_freeCaller<'a>(_env: EnvUnowned<'a>, _class: JClass<'a>, caller: jlong) {
    // SAFETY: the handle is of a `Caller`, and Java frees each once, after the last call that uses it (Handle.java).
    unsafe { freed::<Caller>(caller) };
}
