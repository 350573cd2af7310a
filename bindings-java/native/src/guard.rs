//! The native methods of guards: the boundary's guard, its transactions and statements.
//!
//! Receives keys, contexts, SQL and what a driver returned; returns what to send, as the parts of an answer (`steps`). Must never
//! hand out a text to run that the core did not.

use haltsql::boundary::{Error, Guard, Policy, Session, Statement};
use jni::objects::{JByteArray, JClass};
use jni::sys::{jboolean, jlong};
use jni::{Env, EnvUnowned};

use crate::answer::Answer;
use crate::call::{Failure, answered};
use crate::handle::{borrowed, freed, given};
use crate::steps;

/// Where the policy says that its pin key is: a variable, a file, or neither.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_haltsql_Native_pinKeyPlace<'a>(
    mut env: EnvUnowned<'a>,
    _class: JClass<'a>,
    policy: jlong,
) -> JByteArray<'a> {
    answered(&mut env, |_| {
        // SAFETY: the handle is of a `Policy`, which Java does not free before this call has ended (Handle.java).
        let policy: &Policy = unsafe { borrowed(policy) };
        steps::place(&policy.pin_key_place()?)
    })
}

/// A guard over a policy. The keys are `null` where there is none. Its handle.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_haltsql_Native_guard<'a>(
    mut env: EnvUnowned<'a>,
    _class: JClass<'a>,
    policy: jlong,
    allow_shadow: jboolean,
    show_errors: jboolean,
    pin_key: JByteArray<'a>,
    receipt_key: JByteArray<'a>,
) -> JByteArray<'a> {
    answered(&mut env, |env| {
        let (pin_key, receipt_key) = (optional(env, &pin_key)?, optional(env, &receipt_key)?);
        let options = steps::guard_options(allow_shadow, show_errors);
        // SAFETY: the handle is of a `Policy`, which Java does not free before this call has ended (Handle.java).
        let policy: &Policy = unsafe { borrowed(policy) };
        let guard = Guard::new(policy, options.as_bytes(), pin_key.as_deref(), receipt_key.as_deref())?;
        let mut answer = Answer::good();
        answer.handle(given(guard));
        Ok(answer)
    })
}

/// What of a database's error may go on.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_haltsql_Native_redact<'a>(
    mut env: EnvUnowned<'a>,
    _class: JClass<'a>,
    guard: jlong,
    error: JByteArray<'a>,
) -> JByteArray<'a> {
    answered(&mut env, |env| {
        let error = env.convert_byte_array(&error)?;
        // SAFETY: the handle is of a `Guard`, which Java does not free before this call has ended (Handle.java).
        let guard: &Guard = unsafe { borrowed(guard) };
        steps::redacted(&guard.redact(&error)?)
    })
}

/// A transaction of a guard: its steps, what a new connection is asked before it, its handle.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_haltsql_Native_session<'a>(
    mut env: EnvUnowned<'a>,
    _class: JClass<'a>,
    guard: jlong,
    context: JByteArray<'a>,
    writable: jboolean,
) -> JByteArray<'a> {
    answered(&mut env, |env| {
        let context = env.convert_byte_array(&context)?;
        // SAFETY: the handle is of a `Guard`, which Java does not free before this call has ended (Handle.java).
        let guard: &Guard = unsafe { borrowed(guard) };
        let session = guard.session(&context, steps::open_options(writable).as_bytes())?;
        let mut answer = steps::session(&session.steps()?, &session.seal_check()?)?;
        // Last: what came before can fail, and nobody would free it.
        answer.handle(given(session));
        Ok(answer)
    })
}

/// The pin of a transaction and its values. `now`: seconds since 1970.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_haltsql_Native_pin<'a>(
    mut env: EnvUnowned<'a>,
    _class: JClass<'a>,
    session: jlong,
    database: JByteArray<'a>,
    now: jlong,
) -> JByteArray<'a> {
    answered(&mut env, |env| {
        let database = env.convert_byte_array(&database)?;
        // SAFETY: the handle is of a `Session`, which Java does not free before this call has ended (Handle.java).
        let session: &Session = unsafe { borrowed(session) };
        steps::pin(&session.pin(steps::pin_input(&database, now).as_bytes())?)
    })
}

/// Reads the row that the pin returned, as JSON. The role, and when the transaction began.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_haltsql_Native_readPin<'a>(
    mut env: EnvUnowned<'a>,
    _class: JClass<'a>,
    session: jlong,
    row: JByteArray<'a>,
) -> JByteArray<'a> {
    answered(&mut env, |env| {
        let row = env.convert_byte_array(&row)?;
        // SAFETY: the handle is of a `Session`, which Java does not free before this call has ended (Handle.java).
        let session: &Session = unsafe { borrowed(session) };
        steps::pinned(&session.read_pin(&row)?)
    })
}

/// Reads the rows that the seal check returned, as JSON. Nothing, or an error.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_haltsql_Native_readSeal<'a>(
    mut env: EnvUnowned<'a>,
    _class: JClass<'a>,
    session: jlong,
    rows: JByteArray<'a>,
) -> JByteArray<'a> {
    answered(&mut env, |env| {
        let rows = env.convert_byte_array(&rows)?;
        // SAFETY: the handle is of a `Session`, which Java does not free before this call has ended (Handle.java).
        let session: &Session = unsafe { borrowed(session) };
        session.read_seal(&rows)?;
        Ok(Answer::good())
    })
}

/// Verifies a text of a transaction: the verdict, what to send for it, and the statement's handle.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_haltsql_Native_statement<'a>(
    mut env: EnvUnowned<'a>,
    _class: JClass<'a>,
    session: jlong,
    sql: JByteArray<'a>,
) -> JByteArray<'a> {
    answered(&mut env, |env| {
        let sql = env.convert_byte_array(&sql)?;
        // SAFETY: the handle is of a `Session`, which Java does not free before this call has ended (Handle.java).
        let session: &Session = unsafe { borrowed(session) };
        verified(session.statement(&sql)?, false)
    })
}

/// Verifies a text for a transaction of its caller's own; with `jdbc` in the form of `PreparedStatement` too.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_haltsql_Native_single<'a>(
    mut env: EnvUnowned<'a>,
    _class: JClass<'a>,
    guard: jlong,
    context: JByteArray<'a>,
    writable: jboolean,
    jdbc: jboolean,
    sql: JByteArray<'a>,
) -> JByteArray<'a> {
    answered(&mut env, |env| {
        let (context, sql) = (env.convert_byte_array(&context)?, env.convert_byte_array(&sql)?);
        // SAFETY: the handle is of a `Guard`, which Java does not free before this call has ended (Handle.java).
        let guard: &Guard = unsafe { borrowed(guard) };
        verified(guard.statement(&context, steps::open_options(writable).as_bytes(), &sql)?, jdbc)
    })
}

/// The receipt of a run, from its execution as JSON; or the types that have no name yet.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_haltsql_Native_receipt<'a>(
    mut env: EnvUnowned<'a>,
    _class: JClass<'a>,
    statement: jlong,
    execution: JByteArray<'a>,
) -> JByteArray<'a> {
    answered(&mut env, |env| {
        let execution = env.convert_byte_array(&execution)?;
        // SAFETY: the handle is of a `Statement`, which Java does not free before this call has ended (Handle.java).
        let statement: &Statement = unsafe { borrowed(statement) };
        steps::receipt(&statement.receipt(&execution)?)
    })
}

/// Frees a guard's handle.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_haltsql_Native_freeGuard<'a>(_env: EnvUnowned<'a>, _class: JClass<'a>, guard: jlong) {
    // SAFETY: the handle is of a `Guard`, and Java frees each once, after the last call that uses it (Handle.java).
    unsafe { freed::<Guard>(guard) };
}

/// Frees a transaction's handle.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_haltsql_Native_freeSession<'a>(
    _env: EnvUnowned<'a>,
    _class: JClass<'a>,
    session: jlong,
) {
    // SAFETY: the handle is of a `Session`, and Java frees each once, after the last call that uses it (Handle.java).
    unsafe { freed::<Session>(session) };
}

/// Frees a statement's handle.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_haltsql_Native_freeStatement<'a>(
    _env: EnvUnowned<'a>,
    _class: JClass<'a>,
    statement: jlong,
) {
    // SAFETY: the handle is of a `Statement`, and Java frees each once, after the last call that uses it (Handle.java).
    unsafe { freed::<Statement>(statement) };
}

fn verified(statement: Statement, jdbc: bool) -> Result<Answer, Failure> {
    let mut answer = steps::statement(&statement.verdict()?, &statement.run(jdbc)?)?;
    // Last: what came before can fail, and nobody would free it.
    answer.handle(given(statement));
    Ok(answer)
}

/// The bytes of an array that may be `null`.
fn optional(env: &Env<'_>, array: &JByteArray<'_>) -> Result<Option<Vec<u8>>, Failure> {
    if array.is_null() { Ok(None) } else { Ok(Some(env.convert_byte_array(array)?)) }
}

impl From<serde_json::Error> for Failure {
    fn from(_: serde_json::Error) -> Self {
        // The reason would quote what was given.
        Failure::Ours(Error::new(haltsql::boundary::ErrorCode::Internal, "what the core answered cannot be read"))
    }
}
