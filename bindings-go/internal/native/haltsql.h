/* HaltSQL: decides before anything is sent to PostgreSQL whether a SQL text may run.
 *
 * Inputs are lent for the call. Places for results are the caller's: emptied on entry, filled on success only, freed with the
 * function that is named after their type. Every handle is immutable and may be used by any number of threads at once. An
 * error means that no check happened: treat it as a denial. ffi-c/README.md has an example.
 *
 * Made from the sources: cargo run --profile checked -p haltsql-c --example header */

#ifndef HALTSQL_H
#define HALTSQL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The version of HaltSQL that this header belongs to. */
#define HALTSQL_VERSION "0.1.0"

/* Whether the library that was loaded is of the ABI that this header describes. */
#define HALTSQL_IS_COMPATIBLE() (haltsql_abi_version() == HALTSQL_ABI_VERSION)

/**
 * The language of a policy document: JSON where its name ends in `.json`, or where it has no such ending and begins with `{`;
 * else YAML.
 */
#define HALTSQL_FORMAT_AUTO 0

/**
 * The document is YAML.
 */
#define HALTSQL_FORMAT_YAML 1

/**
 * The document is JSON.
 */
#define HALTSQL_FORMAT_JSON 2

/**
 * The version of this ABI. Compare it with haltsql_abi_version() before the first other call, and go no further where they differ.
 */
#define HALTSQL_ABI_VERSION 1

/**
 * A policy and one caller's context, read once for many checks. Immutable: any number of threads may use one at the same time.
 */
typedef struct haltsql_caller haltsql_caller;

/**
 * A policy with the options and keys of one guard. Immutable: any number of threads may use one at the same time.
 */
typedef struct haltsql_guard haltsql_guard;

/**
 * A loaded policy. Immutable: any number of threads may use one at the same time.
 */
typedef struct haltsql_policy haltsql_policy;

/**
 * One transaction of a guard: what it sends besides its statements. Immutable.
 */
typedef struct haltsql_session haltsql_session;

/**
 * A verified text: what to send for it, and the receipt of its run. Immutable.
 */
typedef struct haltsql_statement haltsql_statement;

/**
 * Bytes that the library made. `data[len]` is always a zero byte, so that text may be printed as a C string; text of this library
 * holds no other zero byte. Empty: all three are zero.
 */
typedef struct haltsql_buffer {
  /**
   * The bytes, or NULL where the buffer is empty.
   */
  uint8_t *data;
  /**
   * How many, without the zero byte.
   */
  size_t len;
  /**
   * The library's own; leave it alone.
   */
  size_t capacity;
} haltsql_buffer;

/**
 * What a call came to: `HALTSQL_OK` or one of `HALTSQL_ERROR_*`. A number that this header does not know is an error too.
 * An error means that no check happened: treat it as a denial.
 */
typedef uint32_t haltsql_status;

/**
 * What was decided about a text.
 */
typedef struct haltsql_verdict {
  /**
   * The caller may run exactly this text. False in an empty verdict, and after any error.
   */
  bool allowed;
  /**
   * The whole verdict as JSON (docs/verdict.md), the same bytes in every language.
   */
  struct haltsql_buffer json;
} haltsql_verdict;

/**
 * What went wrong. Empty after a success.
 */
typedef struct haltsql_error {
  /**
   * For a person. One line; for a policy, every problem with its place and a snippet.
   */
  struct haltsql_buffer message;
  /**
   * For a program: `{"code":3,"name":"policy","message":"...","problems":[...],"unlisted":0}` (docs/ffi.md).
   */
  struct haltsql_buffer json;
} haltsql_error;

/**
 * One text of many.
 */
typedef struct haltsql_text {
  /**
   * The bytes. May be NULL where `len` is 0.
   */
  const uint8_t *data;
  /**
   * How many.
   */
  size_t len;
} haltsql_text;

/**
 * The call succeeded. A denied SQL text is a success: look at the verdict.
 */
#define HALTSQL_OK 0

/**
 * A bug of HaltSQL. No check happened.
 */
#define HALTSQL_ERROR_INTERNAL 1

/**
 * A function was called in a way that its documentation rules out: NULL, an impossible length, an unknown format.
 */
#define HALTSQL_ERROR_ARGUMENT 2

/**
 * The policy document is not valid.
 */
#define HALTSQL_ERROR_POLICY 3

/**
 * The context is not a JSON object with unique keys.
 */
#define HALTSQL_ERROR_CONTEXT 4

/**
 * What was given as a verdict is none of this version, or it was given for another text.
 */
#define HALTSQL_ERROR_VERDICT 5

/**
 * For languages over this ABI: the policy was closed. No function here returns it.
 */
#define HALTSQL_ERROR_CLOSED 6

/**
 * For languages over this ABI: library and binding are of different versions. No function here returns it.
 */
#define HALTSQL_ERROR_VERSION 7

/**
 * For languages over this ABI: a string is not Unicode. No function here returns it.
 */
#define HALTSQL_ERROR_ENCODING 8

/**
 * For guards: the session or the database is not what the policy describes. No function here returns it.
 */
#define HALTSQL_ERROR_SEAL 9

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of the ABI that this library has. See HALTSQL_ABI_VERSION.
 */
uint32_t haltsql_abi_version(void);

/**
 * Frees what a buffer holds and empties it. NULL and an empty buffer are harmless, and so is a second call.
 *
 * Safety:
 * `buffer` is NULL or points at a struct that this library filled or that is all zero.
 */
void haltsql_buffer_free(struct haltsql_buffer *buffer);

/**
 * As haltsql_check, for the context that was read before.
 *
 * @return HALTSQL_OK (denied texts included), HALTSQL_ERROR_ARGUMENT
 *
 * Safety:
 * Pointers are valid for what they point at, and the caller is not freed meanwhile.
 */
haltsql_status haltsql_caller_check(const struct haltsql_caller *caller,
                                    const uint8_t *sql,
                                    size_t sql_len,
                                    struct haltsql_verdict *verdict,
                                    struct haltsql_error *error);

/**
 * Checks many texts, on several threads if wanted.
 *
 * @param texts, count  the texts
 * @param threads  how many check at the same time, this one included; 0 and 1: this one alone. The verdicts are the same
 * @param verdicts  an array of `count` verdicts, filled in the order of the texts; free each of them. All stay empty on an error
 * @param error  may be NULL; receives what went wrong
 * @return HALTSQL_OK (denied texts included), HALTSQL_ERROR_ARGUMENT
 *
 * Safety:
 * Pointers are valid for what they point at, and the caller is not freed meanwhile.
 */
haltsql_status haltsql_caller_check_many(const struct haltsql_caller *caller,
                                         const struct haltsql_text *texts,
                                         size_t count,
                                         size_t threads,
                                         struct haltsql_verdict *verdicts,
                                         struct haltsql_error *error);

/**
 * Frees a caller and sets the pointer to NULL. NULL, and a pointer to NULL, are harmless, and so is a second call.
 * No other call may be using the caller.
 *
 * Safety:
 * `caller` is NULL or points at a pointer that haltsql_caller_new wrote.
 */
void haltsql_caller_free(struct haltsql_caller **caller);

/**
 * Reads a context for many checks. The caller keeps the policy alive by itself.
 *
 * @param context, context_len  a JSON object of strings and arrays of strings
 * @param caller  receives the handle; free it with haltsql_caller_free
 * @param error  may be NULL; receives what went wrong
 * @return HALTSQL_OK, HALTSQL_ERROR_CONTEXT, HALTSQL_ERROR_ARGUMENT
 *
 * Safety:
 * Pointers are valid for what they point at, and the policy is not freed meanwhile.
 */
haltsql_status haltsql_caller_new(const struct haltsql_policy *policy,
                                  const uint8_t *context,
                                  size_t context_len,
                                  struct haltsql_caller **caller,
                                  struct haltsql_error *error);

/**
 * Decides whether exactly this SQL text may run under the policy, for the caller that the context describes. Whatever the SQL
 * holds, it causes a verdict and no error.
 *
 * @param sql, sql_len  the exact bytes that will be run
 * @param context, context_len  a JSON object of strings and arrays of strings
 * @param verdict  receives the verdict; free it with haltsql_verdict_free. Run the SQL only if `allowed` is true
 * @param error  may be NULL; receives what went wrong
 * @return HALTSQL_OK (denied texts included), HALTSQL_ERROR_CONTEXT, HALTSQL_ERROR_ARGUMENT
 *
 * Safety:
 * Pointers are valid for what they point at, and the policy is not freed meanwhile.
 */
haltsql_status haltsql_check(const struct haltsql_policy *policy,
                             const uint8_t *sql,
                             size_t sql_len,
                             const uint8_t *context,
                             size_t context_len,
                             struct haltsql_verdict *verdict,
                             struct haltsql_error *error);

/**
 * What may be asked under the policy, as JSON.
 *
 * Safety:
 * Pointers are valid for what they point at, and the policy is not freed meanwhile.
 */
haltsql_status haltsql_describe_json(const struct haltsql_policy *policy,
                                     struct haltsql_buffer *description,
                                     struct haltsql_error *error);

/**
 * What may be asked under the policy, as text for a prompt.
 *
 * Safety:
 * Pointers are valid for what they point at, and the policy is not freed meanwhile.
 */
haltsql_status haltsql_describe_text(const struct haltsql_policy *policy,
                                     struct haltsql_buffer *description,
                                     struct haltsql_error *error);

/**
 * Frees what an error holds and empties it. NULL and an empty error are harmless, and so is a second call.
 *
 * Safety:
 * `error` is NULL or points at a struct that this library filled or that is all zero.
 */
void haltsql_error_free(struct haltsql_error *error);

/**
 * A verdict as text for a language model: reasons, their repairs, and the SQL with the places marked.
 *
 * @param verdict, verdict_len  the JSON of a verdict
 * @param sql, sql_len  the text that it was given for
 * @param text  receives the rendering; free it with haltsql_buffer_free
 * @param error  may be NULL; receives what went wrong
 * @return HALTSQL_OK, HALTSQL_ERROR_VERDICT, HALTSQL_ERROR_ARGUMENT
 *
 * Safety:
 * Pointers are valid for what they point at.
 */
haltsql_status haltsql_for_agent(const uint8_t *verdict,
                                 size_t verdict_len,
                                 const uint8_t *sql,
                                 size_t sql_len,
                                 struct haltsql_buffer *text,
                                 struct haltsql_error *error);

/**
 * Frees a guard and sets the pointer to NULL. NULL, and a pointer to NULL, are harmless, and so is a second call.
 * No other call may be using the guard. Sessions and statements made from it live on.
 *
 * Safety:
 * `guard` is NULL or points at a pointer that haltsql_guard_new wrote.
 */
void haltsql_guard_free(struct haltsql_guard **guard);

/**
 * Makes a guard. It keeps what it needs of the policy.
 *
 * @param options, options_len  JSON: `{"allow_shadow": false, "show_errors": false}`
 * @param pin_key, pin_key_len  the text of the key of signed pins; NULL where the policy has none
 * @param receipt_key, receipt_key_len  the text of the key that signs receipts; NULL: they are not signed
 * @param guard  receives the handle; free it with haltsql_guard_free
 * @param error  may be NULL; receives what went wrong
 * @return HALTSQL_OK, HALTSQL_ERROR_ARGUMENT
 *
 * Safety:
 * Pointers are valid for what they point at, and the policy is not freed meanwhile.
 */
haltsql_status haltsql_guard_new(const struct haltsql_policy *policy,
                                 const uint8_t *options,
                                 size_t options_len,
                                 const uint8_t *pin_key,
                                 size_t pin_key_len,
                                 const uint8_t *receipt_key,
                                 size_t receipt_key_len,
                                 struct haltsql_guard **guard,
                                 struct haltsql_error *error);

/**
 * What of a database error may go on to whoever wrote the SQL.
 *
 * @param problem, problem_len  JSON: `{"sqlstate", "message", "detail"?, "hint"?}`
 * @param redacted  receives the same with `"kind"`: `database`, or `seal` for a failed assertion of the pin
 * @return HALTSQL_OK, HALTSQL_ERROR_ARGUMENT
 *
 * Safety:
 * Pointers are valid for what they point at, and the guard is not freed meanwhile.
 */
haltsql_status haltsql_guard_redact(const struct haltsql_guard *guard,
                                    const uint8_t *problem,
                                    size_t problem_len,
                                    struct haltsql_buffer *redacted,
                                    struct haltsql_error *error);

/**
 * Verifies a text that is to run in its caller's own transaction: nothing is pinned, and there is no receipt.
 *
 * @param context, context_len  a JSON object of strings and arrays of strings
 * @param options, options_len  JSON: `{"writable": false}`
 * @param sql, sql_len  the exact text
 * @param statement  receives the handle, for denied texts too; free it with haltsql_statement_free
 * @return HALTSQL_OK, HALTSQL_ERROR_CONTEXT, HALTSQL_ERROR_ARGUMENT
 *
 * Safety:
 * Pointers are valid for what they point at, and the guard is not freed meanwhile.
 */
haltsql_status haltsql_guard_statement(const struct haltsql_guard *guard,
                                       const uint8_t *context,
                                       size_t context_len,
                                       const uint8_t *options,
                                       size_t options_len,
                                       const uint8_t *sql,
                                       size_t sql_len,
                                       struct haltsql_statement **statement,
                                       struct haltsql_error *error);

/**
 * Frees a policy and sets the pointer to NULL. NULL, and a pointer to NULL, are harmless, and so is a second call.
 * No other call may be using the policy. Callers made from it live on.
 *
 * Safety:
 * `policy` is NULL or points at a pointer that haltsql_policy_load wrote.
 */
void haltsql_policy_free(struct haltsql_policy **policy);

/**
 * Loads a policy from a document.
 *
 * @param document, document_len  the document's bytes
 * @param format  HALTSQL_FORMAT_AUTO, HALTSQL_FORMAT_YAML or HALTSQL_FORMAT_JSON
 * @param name, name_len  the document's name for messages, such as its path; may be empty. No file is read
 * @param policy  receives the handle; free it with haltsql_policy_free
 * @param error  may be NULL; receives what went wrong. Free it with haltsql_error_free
 * @return HALTSQL_OK, HALTSQL_ERROR_POLICY, HALTSQL_ERROR_ARGUMENT
 *
 * Safety:
 * Pointers are valid for what they point at.
 */
haltsql_status haltsql_policy_load(const uint8_t *document,
                                   size_t document_len,
                                   uint32_t format,
                                   const uint8_t *name,
                                   size_t name_len,
                                   struct haltsql_policy **policy,
                                   struct haltsql_error *error);

/**
 * The policy's mode, `enforce` or `shadow`. A shadow verdict protects nothing.
 *
 * Safety:
 * Pointers are valid for what they point at, and the policy is not freed meanwhile.
 */
haltsql_status haltsql_policy_mode(const struct haltsql_policy *policy, struct haltsql_buffer *mode, struct haltsql_error *error);

/**
 * The policy's name.
 *
 * Safety:
 * Pointers are valid for what they point at, and the policy is not freed meanwhile.
 */
haltsql_status haltsql_policy_name(const struct haltsql_policy *policy, struct haltsql_buffer *name, struct haltsql_error *error);

/**
 * Where the key of signed pins is, as JSON: `{"env": NAME}`, `{"file": PATH}`, or `null`. The host reads it for haltsql_guard_new.
 *
 * Safety:
 * Pointers are valid for what they point at, and the policy is not freed meanwhile.
 */
haltsql_status haltsql_policy_pin_key_place(const struct haltsql_policy *policy,
                                            struct haltsql_buffer *place,
                                            struct haltsql_error *error);

/**
 * The policy's version, `sha256:` and a digest, as verdicts carry it.
 *
 * Safety:
 * Pointers are valid for what they point at, and the policy is not freed meanwhile.
 */
haltsql_status haltsql_policy_version(const struct haltsql_policy *policy,
                                      struct haltsql_buffer *version,
                                      struct haltsql_error *error);

/**
 * The version of the PostgreSQL whose parser reads the SQL. The text is static.
 */
const char *haltsql_postgres_version(void);

/**
 * Every reason code with its rule, as JSON: `[{"code":"E_PARSE","rule":"sql.parse"},...]`.
 *
 * @param codes  receives the JSON; free it with haltsql_buffer_free
 * @param error  may be NULL; receives what went wrong
 *
 * Safety:
 * The pointers are valid for writing.
 */
haltsql_status haltsql_reason_codes(struct haltsql_buffer *codes, struct haltsql_error *error);

/**
 * The value to hand to `pg_catalog.set_config('search_path', $1, true)` in the transaction that runs what was checked.
 *
 * Safety:
 * Pointers are valid for what they point at, and the policy is not freed meanwhile.
 */
haltsql_status haltsql_search_path_value(const struct haltsql_policy *policy,
                                         struct haltsql_buffer *value,
                                         struct haltsql_error *error);

/**
 * Frees a session and sets the pointer to NULL. NULL, and a pointer to NULL, are harmless, and so is a second call.
 * No other call may be using the session. Statements made from it live on.
 *
 * Safety:
 * `session` is NULL or points at a pointer that haltsql_session_new wrote.
 */
void haltsql_session_free(struct haltsql_session **session);

/**
 * Opens a transaction for the caller that the context describes. Nothing is sent: haltsql_session_steps says what to send.
 *
 * @param context, context_len  a JSON object of strings and arrays of strings
 * @param options, options_len  JSON: `{"writable": false}`
 * @param session  receives the handle; free it with haltsql_session_free
 * @return HALTSQL_OK, HALTSQL_ERROR_CONTEXT, HALTSQL_ERROR_ARGUMENT
 *
 * Safety:
 * Pointers are valid for what they point at, and the guard is not freed meanwhile.
 */
haltsql_status haltsql_session_new(const struct haltsql_guard *guard,
                                   const uint8_t *context,
                                   size_t context_len,
                                   const uint8_t *options,
                                   size_t options_len,
                                   struct haltsql_session **session,
                                   struct haltsql_error *error);

/**
 * The pin, which follows BEGIN.
 *
 * @param values, values_len  JSON: `{"database": NAME, "now": SECONDS, "jdbc": false}`
 * @param pin  receives `{"sql", "params": [TEXT...]}`; every parameter is declared as `text` (oid 25)
 * @return HALTSQL_OK, HALTSQL_ERROR_ARGUMENT
 *
 * Safety:
 * Pointers are valid for what they point at, and the session is not freed meanwhile.
 */
haltsql_status haltsql_session_pin(const struct haltsql_session *session,
                                   const uint8_t *values,
                                   size_t values_len,
                                   struct haltsql_buffer *pin,
                                   struct haltsql_error *error);

/**
 * Reads what the pin returned.
 *
 * @param row, row_len  its one row as JSON, an array of texts
 * @param pinned  receives `{"role", "started_at"}`
 * @return HALTSQL_OK; HALTSQL_ERROR_SEAL: the session is not what the policy describes; HALTSQL_ERROR_ARGUMENT
 *
 * Safety:
 * Pointers are valid for what they point at, and the session is not freed meanwhile.
 */
haltsql_status haltsql_session_read_pin(const struct haltsql_session *session,
                                        const uint8_t *row,
                                        size_t row_len,
                                        struct haltsql_buffer *pinned,
                                        struct haltsql_error *error);

/**
 * Reads the answer to haltsql_session_seal_check.
 *
 * @param rows, rows_len  the rows of its `sql` as JSON: `[[TEXT, TEXT, TEXT]...]`
 * @return HALTSQL_OK; HALTSQL_ERROR_SEAL: the database is not sealed as the policy says, and nothing may run;
 * HALTSQL_ERROR_ARGUMENT
 *
 * Safety:
 * Pointers are valid for what they point at, and the session is not freed meanwhile.
 */
haltsql_status haltsql_session_read_seal(const struct haltsql_session *session,
                                         const uint8_t *rows,
                                         size_t rows_len,
                                         struct haltsql_error *error);

/**
 * What a new connection is asked before its first transaction.
 *
 * @param check  receives JSON: `null`, or `begin`, `pin`, `sql` with its `params` (declared as `text`), `end`, to be sent in this
 * order. Once for a connection and `params`
 *
 * Safety:
 * Pointers are valid for what they point at, and the session is not freed meanwhile.
 */
haltsql_status haltsql_session_seal_check(const struct haltsql_session *session,
                                          struct haltsql_buffer *check,
                                          struct haltsql_error *error);

/**
 * Verifies a text of the transaction. Whatever the SQL holds, it causes a verdict and no error.
 *
 * @param sql, sql_len  the exact text
 * @param statement  receives the handle, for denied texts too; free it with haltsql_statement_free
 * @return HALTSQL_OK, HALTSQL_ERROR_ARGUMENT
 *
 * Safety:
 * Pointers are valid for what they point at, and the session is not freed meanwhile.
 */
haltsql_status haltsql_session_statement(const struct haltsql_session *session,
                                         const uint8_t *sql,
                                         size_t sql_len,
                                         struct haltsql_statement **statement,
                                         struct haltsql_error *error);

/**
 * What the transaction sends besides its statements, as JSON: `begin`, `set_transaction`, `hello` (asked once on a new connection:
 * its one value is the pin's `database`), `commit`, `rollback`, `type_names`, `writable`, `max_rows`, `max_result_bytes`.
 *
 * Safety:
 * Pointers are valid for what they point at, and the session is not freed meanwhile.
 */
haltsql_status haltsql_session_steps(const struct haltsql_session *session,
                                     struct haltsql_buffer *steps,
                                     struct haltsql_error *error);

/**
 * Frees a statement and sets the pointer to NULL. NULL, and a pointer to NULL, are harmless, and so is a second call.
 * No other call may be using the statement.
 *
 * Safety:
 * `statement` is NULL or points at a pointer that this library wrote.
 */
void haltsql_statement_free(struct haltsql_statement **statement);

/**
 * The receipt of a run in a transaction of a guard.
 *
 * @param execution, execution_len  JSON: `{"role", "started_at", "elapsed_us", "columns": [{"name", "oid"}...], "type_names":
 * [[OID, SCHEMA, NAME]...], "rows": [[TEXT or null...]...], "affected": N or null}`
 * @param receipt  receives `{"rows": N, "row_count", "truncated", "receipt"}`, where `rows` is how many of the rows are the result; or
 * `{"unnamed_types": "{...}"}`: ask `type_names` of haltsql_session_steps with that as `$1`, and call again
 * @return HALTSQL_OK, HALTSQL_ERROR_ARGUMENT
 *
 * Safety:
 * Pointers are valid for what they point at, and the statement is not freed meanwhile.
 */
haltsql_status haltsql_statement_receipt(const struct haltsql_statement *statement,
                                         const uint8_t *execution,
                                         size_t execution_len,
                                         struct haltsql_buffer *receipt,
                                         struct haltsql_error *error);

/**
 * What to send where the driver cannot ask for text results: each result column is followed by its text.
 *
 * @param columns  how many columns the result has
 * @param jdbc  ask for JDBC's form too
 * @param rendered  receives JSON: `{"text", "jdbc"?}`
 * @return HALTSQL_OK; HALTSQL_ERROR_ARGUMENT: the statement has no such form
 *
 * Safety:
 * Pointers are valid for what they point at, and the statement is not freed meanwhile.
 */
haltsql_status haltsql_statement_rendered(const struct haltsql_statement *statement,
                                          size_t columns,
                                          bool jdbc,
                                          struct haltsql_buffer *rendered,
                                          struct haltsql_error *error);

/**
 * What to send for the statement.
 *
 * @param jdbc  ask for JDBC's form too
 * @param run  receives JSON: `null` (nothing may be sent), or `text`; `gate` (null for reads): what is parsed, and not run, before;
 * `command`: the first word of the answer's command tag; `params`: for `$1`, `$2`, ... `value` (text or null), `elements`, `type`, `oid`
 *
 * Safety:
 * Pointers are valid for what they point at, and the statement is not freed meanwhile.
 */
haltsql_status haltsql_statement_run(const struct haltsql_statement *statement,
                                     bool jdbc,
                                     struct haltsql_buffer *run,
                                     struct haltsql_error *error);

/**
 * The statement's verdict. It can deny what haltsql_check allows: a write in a transaction that reads.
 *
 * @param verdict  receives the verdict; free it with haltsql_verdict_free
 *
 * Safety:
 * Pointers are valid for what they point at, and the statement is not freed meanwhile.
 */
haltsql_status haltsql_statement_verdict(const struct haltsql_statement *statement,
                                         struct haltsql_verdict *verdict,
                                         struct haltsql_error *error);

/**
 * Frees what a verdict holds and empties it. NULL and an empty verdict are harmless, and so is a second call.
 *
 * Safety:
 * `verdict` is NULL or points at a struct that this library filled or that is all zero.
 */
void haltsql_verdict_free(struct haltsql_verdict *verdict);

/**
 * The version of HaltSQL. The text is static.
 */
const char *haltsql_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HALTSQL_H */
