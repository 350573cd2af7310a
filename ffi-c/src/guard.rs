//! Guards, their transactions and their statements: what a driver sends, and how its answers are read, as JSON.

use haltsql::boundary::{self, Error};

use crate::fence::{answer, finish};
use crate::memory::{borrow, free_handle, haltsql_buffer, haltsql_error, haltsql_verdict, input};
use crate::policy::haltsql_policy;
use crate::status::haltsql_status;

/// A policy with the options and keys of one guard. Immutable: any number of threads may use one at the same time.
pub struct haltsql_guard(boundary::Guard);

/// One transaction of a guard: what it sends besides its statements. Immutable.
pub struct haltsql_session(boundary::Session);

/// A verified text: what to send for it, and the receipt of its run. Immutable.
pub struct haltsql_statement(boundary::Statement);

/// Makes a guard. It keeps what it needs of the policy.
///
/// @param options, options_len  JSON: `{"allow_shadow": false, "show_errors": false}`
/// @param pin_key, pin_key_len  the text of the key of signed pins; NULL where the policy has none
/// @param receipt_key, receipt_key_len  the text of the key that signs receipts; NULL: they are not signed
/// @param guard  receives the handle; free it with haltsql_guard_free
/// @param error  may be NULL; receives what went wrong
/// @return HALTSQL_OK, HALTSQL_ERROR_ARGUMENT
///
/// # Safety
/// Pointers are valid for what they point at, and the policy is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_guard_new(
    policy: *const haltsql_policy,
    options: *const u8,
    options_len: usize,
    pin_key: *const u8,
    pin_key_len: usize,
    receipt_key: *const u8,
    receipt_key_len: usize,
    guard: *mut *mut haltsql_guard,
    error: *mut haltsql_error,
) -> haltsql_status {
    // SAFETY: inputs, handle and places are valid, as the function's contract says.
    unsafe {
        answer(guard, error, || {
            let policy = borrow(policy, "policy")?;
            let options = input(options, options_len, "guard's options")?;
            let pin_key = optional(pin_key, pin_key_len, "pin key")?;
            let receipt_key = optional(receipt_key, receipt_key_len, "receipt key")?;
            let made = boundary::Guard::new(&policy.0, options, pin_key, receipt_key)?;
            Ok(Box::into_raw(Box::new(haltsql_guard(made))))
        })
    }
}

/// Frees a guard and sets the pointer to NULL. NULL, and a pointer to NULL, are harmless, and so is a second call.
/// No other call may be using the guard. Sessions and statements made from it live on.
///
/// # Safety
/// `guard` is NULL or points at a pointer that haltsql_guard_new wrote.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_guard_free(guard: *mut *mut haltsql_guard) {
    // SAFETY: as the function's contract says.
    unsafe { free_handle(guard) }
}

/// What of a database error may go on to whoever wrote the SQL.
///
/// @param problem, problem_len  JSON: `{"sqlstate", "message", "detail"?, "hint"?}`
/// @param redacted  receives the same with `"kind"`: `database`, or `seal` for a failed assertion of the pin
/// @return HALTSQL_OK, HALTSQL_ERROR_ARGUMENT
///
/// # Safety
/// Pointers are valid for what they point at, and the guard is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_guard_redact(
    guard: *const haltsql_guard,
    problem: *const u8,
    problem_len: usize,
    redacted: *mut haltsql_buffer,
    error: *mut haltsql_error,
) -> haltsql_status {
    // SAFETY: input, handle and places are valid, as the function's contract says.
    unsafe {
        answer(redacted, error, || {
            let guard = borrow(guard, "guard")?;
            guard.0.redact(input(problem, problem_len, "database's error")?).map(haltsql_buffer::from)
        })
    }
}

/// Verifies a text that is to run in its caller's own transaction: nothing is pinned, and there is no receipt.
///
/// @param context, context_len  a JSON object of strings and arrays of strings
/// @param options, options_len  JSON: `{"writable": false}`
/// @param sql, sql_len  the exact text
/// @param statement  receives the handle, for denied texts too; free it with haltsql_statement_free
/// @return HALTSQL_OK, HALTSQL_ERROR_CONTEXT, HALTSQL_ERROR_ARGUMENT
///
/// # Safety
/// Pointers are valid for what they point at, and the guard is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_guard_statement(
    guard: *const haltsql_guard,
    context: *const u8,
    context_len: usize,
    options: *const u8,
    options_len: usize,
    sql: *const u8,
    sql_len: usize,
    statement: *mut *mut haltsql_statement,
    error: *mut haltsql_error,
) -> haltsql_status {
    // SAFETY: inputs, handle and places are valid, as the function's contract says.
    unsafe {
        answer(statement, error, || {
            let guard = borrow(guard, "guard")?;
            let context = input(context, context_len, "context")?;
            let options = input(options, options_len, "transaction's options")?;
            let verified = guard.0.statement(context, options, input(sql, sql_len, "SQL")?)?;
            Ok(Box::into_raw(Box::new(haltsql_statement(verified))))
        })
    }
}

/// Opens a transaction for the caller that the context describes. Nothing is sent: haltsql_session_steps says what to send.
///
/// @param context, context_len  a JSON object of strings and arrays of strings
/// @param options, options_len  JSON: `{"writable": false}`
/// @param session  receives the handle; free it with haltsql_session_free
/// @return HALTSQL_OK, HALTSQL_ERROR_CONTEXT, HALTSQL_ERROR_ARGUMENT
///
/// # Safety
/// Pointers are valid for what they point at, and the guard is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_session_new(
    guard: *const haltsql_guard,
    context: *const u8,
    context_len: usize,
    options: *const u8,
    options_len: usize,
    session: *mut *mut haltsql_session,
    error: *mut haltsql_error,
) -> haltsql_status {
    // SAFETY: inputs, handle and places are valid, as the function's contract says.
    unsafe {
        answer(session, error, || {
            let guard = borrow(guard, "guard")?;
            let context = input(context, context_len, "context")?;
            let opened = guard.0.session(context, input(options, options_len, "transaction's options")?)?;
            Ok(Box::into_raw(Box::new(haltsql_session(opened))))
        })
    }
}

/// Frees a session and sets the pointer to NULL. NULL, and a pointer to NULL, are harmless, and so is a second call.
/// No other call may be using the session. Statements made from it live on.
///
/// # Safety
/// `session` is NULL or points at a pointer that haltsql_session_new wrote.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_session_free(session: *mut *mut haltsql_session) {
    // SAFETY: as the function's contract says.
    unsafe { free_handle(session) }
}

/// What the transaction sends besides its statements, as JSON: `begin`, `set_transaction`, `hello` (asked once on a new connection:
/// its one value is the pin's `database`), `commit`, `rollback`, `type_names`, `writable`, `max_rows`, `max_result_bytes`.
///
/// # Safety
/// Pointers are valid for what they point at, and the session is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_session_steps(
    session: *const haltsql_session,
    steps: *mut haltsql_buffer,
    error: *mut haltsql_error,
) -> haltsql_status {
    // SAFETY: handle and places are valid, as the function's contract says.
    unsafe { answer(steps, error, || borrow(session, "session")?.0.steps().map(haltsql_buffer::from)) }
}

/// The pin, which follows BEGIN.
///
/// @param values, values_len  JSON: `{"database": NAME, "now": SECONDS, "jdbc": false}`
/// @param pin  receives `{"sql", "params": [TEXT...]}`; every parameter is declared as `text` (oid 25)
/// @return HALTSQL_OK, HALTSQL_ERROR_ARGUMENT
///
/// # Safety
/// Pointers are valid for what they point at, and the session is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_session_pin(
    session: *const haltsql_session,
    values: *const u8,
    values_len: usize,
    pin: *mut haltsql_buffer,
    error: *mut haltsql_error,
) -> haltsql_status {
    // SAFETY: input, handle and places are valid, as the function's contract says.
    unsafe {
        answer(pin, error, || {
            let session = borrow(session, "session")?;
            session.0.pin(input(values, values_len, "pin's values")?).map(haltsql_buffer::from)
        })
    }
}

/// Reads what the pin returned.
///
/// @param row, row_len  its one row as JSON, an array of texts
/// @param pinned  receives `{"role", "started_at"}`
/// @return HALTSQL_OK; HALTSQL_ERROR_SEAL: the session is not what the policy describes; HALTSQL_ERROR_ARGUMENT
///
/// # Safety
/// Pointers are valid for what they point at, and the session is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_session_read_pin(
    session: *const haltsql_session,
    row: *const u8,
    row_len: usize,
    pinned: *mut haltsql_buffer,
    error: *mut haltsql_error,
) -> haltsql_status {
    // SAFETY: input, handle and places are valid, as the function's contract says.
    unsafe {
        answer(pinned, error, || {
            let session = borrow(session, "session")?;
            session.0.read_pin(input(row, row_len, "pin's row")?).map(haltsql_buffer::from)
        })
    }
}

/// What a new connection is asked before its first transaction.
///
/// @param check  receives JSON: `null`, or `begin`, `pin`, `sql` with its `params` (declared as `text`), `end`, to be sent in this
/// order. Once for a connection and `params`
///
/// # Safety
/// Pointers are valid for what they point at, and the session is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_session_seal_check(
    session: *const haltsql_session,
    check: *mut haltsql_buffer,
    error: *mut haltsql_error,
) -> haltsql_status {
    // SAFETY: handle and places are valid, as the function's contract says.
    unsafe { answer(check, error, || borrow(session, "session")?.0.seal_check().map(haltsql_buffer::from)) }
}

/// Reads the answer to haltsql_session_seal_check.
///
/// @param rows, rows_len  the rows of its `sql` as JSON: `[[TEXT, TEXT, TEXT]...]`
/// @return HALTSQL_OK; HALTSQL_ERROR_SEAL: the database is not sealed as the policy says, and nothing may run;
/// HALTSQL_ERROR_ARGUMENT
///
/// # Safety
/// Pointers are valid for what they point at, and the session is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_session_read_seal(
    session: *const haltsql_session,
    rows: *const u8,
    rows_len: usize,
    error: *mut haltsql_error,
) -> haltsql_status {
    // SAFETY: input, handle and place are valid, as the function's contract says.
    unsafe {
        finish(error, || {
            let session = borrow(session, "session")?;
            session.0.read_seal(input(rows, rows_len, "seal check's rows")?)
        })
    }
}

/// Verifies a text of the transaction. Whatever the SQL holds, it causes a verdict and no error.
///
/// @param sql, sql_len  the exact text
/// @param statement  receives the handle, for denied texts too; free it with haltsql_statement_free
/// @return HALTSQL_OK, HALTSQL_ERROR_ARGUMENT
///
/// # Safety
/// Pointers are valid for what they point at, and the session is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_session_statement(
    session: *const haltsql_session,
    sql: *const u8,
    sql_len: usize,
    statement: *mut *mut haltsql_statement,
    error: *mut haltsql_error,
) -> haltsql_status {
    // SAFETY: input, handle and places are valid, as the function's contract says.
    unsafe {
        answer(statement, error, || {
            let session = borrow(session, "session")?;
            let verified = session.0.statement(input(sql, sql_len, "SQL")?)?;
            Ok(Box::into_raw(Box::new(haltsql_statement(verified))))
        })
    }
}

/// Frees a statement and sets the pointer to NULL. NULL, and a pointer to NULL, are harmless, and so is a second call.
/// No other call may be using the statement.
///
/// # Safety
/// `statement` is NULL or points at a pointer that this library wrote.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_statement_free(statement: *mut *mut haltsql_statement) {
    // SAFETY: as the function's contract says.
    unsafe { free_handle(statement) }
}

/// The statement's verdict. It can deny what haltsql_check allows: a write in a transaction that reads.
///
/// @param verdict  receives the verdict; free it with haltsql_verdict_free
///
/// # Safety
/// Pointers are valid for what they point at, and the statement is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_statement_verdict(
    statement: *const haltsql_statement,
    verdict: *mut haltsql_verdict,
    error: *mut haltsql_error,
) -> haltsql_status {
    // SAFETY: handle and places are valid, as the function's contract says.
    unsafe { answer(verdict, error, || borrow(statement, "statement")?.0.verdict().map(haltsql_verdict::from)) }
}

/// What to send for the statement.
///
/// @param jdbc  ask for JDBC's form too
/// @param run  receives JSON: `null` (nothing may be sent), or `text`; `gate` (null for reads): what is parsed, and not run, before;
/// `command`: the first word of the answer's command tag; `params`: for `$1`, `$2`, ... `value` (text or null), `elements`, `type`, `oid`
///
/// # Safety
/// Pointers are valid for what they point at, and the statement is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_statement_run(
    statement: *const haltsql_statement,
    jdbc: bool,
    run: *mut haltsql_buffer,
    error: *mut haltsql_error,
) -> haltsql_status {
    // SAFETY: handle and places are valid, as the function's contract says.
    unsafe { answer(run, error, || borrow(statement, "statement")?.0.run(jdbc).map(haltsql_buffer::from)) }
}

/// What to send where the driver cannot ask for text results: each result column is followed by its text.
///
/// @param columns  how many columns the result has
/// @param jdbc  ask for JDBC's form too
/// @param rendered  receives JSON: `{"text", "jdbc"?}`
/// @return HALTSQL_OK; HALTSQL_ERROR_ARGUMENT: the statement has no such form
///
/// # Safety
/// Pointers are valid for what they point at, and the statement is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_statement_rendered(
    statement: *const haltsql_statement,
    columns: usize,
    jdbc: bool,
    rendered: *mut haltsql_buffer,
    error: *mut haltsql_error,
) -> haltsql_status {
    // SAFETY: handle and places are valid, as the function's contract says.
    unsafe {
        answer(rendered, error, || borrow(statement, "statement")?.0.rendered(columns, jdbc).map(haltsql_buffer::from))
    }
}

/// The receipt of a run in a transaction of a guard.
///
/// @param execution, execution_len  JSON: `{"role", "started_at", "elapsed_us", "columns": [{"name", "oid"}...], "type_names":
/// [[OID, SCHEMA, NAME]...], "rows": [[TEXT or null...]...], "affected": N or null}`
/// @param receipt  receives `{"rows": N, "row_count", "truncated", "receipt"}`, where `rows` is how many of the rows are the result; or
/// `{"unnamed_types": "{...}"}`: ask `type_names` of haltsql_session_steps with that as `$1`, and call again
/// @return HALTSQL_OK, HALTSQL_ERROR_ARGUMENT
///
/// # Safety
/// Pointers are valid for what they point at, and the statement is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn haltsql_statement_receipt(
    statement: *const haltsql_statement,
    execution: *const u8,
    execution_len: usize,
    receipt: *mut haltsql_buffer,
    error: *mut haltsql_error,
) -> haltsql_status {
    // SAFETY: input, handle and places are valid, as the function's contract says.
    unsafe {
        answer(receipt, error, || {
            let statement = borrow(statement, "statement")?;
            statement.0.receipt(input(execution, execution_len, "execution")?).map(haltsql_buffer::from)
        })
    }
}

/// The bytes of an input that may be left out: NULL.
///
/// # Safety
/// As `input`.
unsafe fn optional<'a>(data: *const u8, len: usize, what: &str) -> Result<Option<&'a [u8]>, Error> {
    if data.is_null() && len == 0 {
        return Ok(None);
    }
    // SAFETY: as the caller promises.
    unsafe { input(data, len, what) }.map(Some)
}
