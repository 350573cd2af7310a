/* Guards, sessions and statements: used as documented, misused, freed twice. No database: a driver's part is played by texts. */
#include "common.h"

static const char READ[] = "{\"writable\":false}";
static const char WRITE[] = "{\"writable\":true}";
static const char SHOP_ERROR[] = "{\"sqlstate\":\"23505\",\"message\":\"secret\",\"detail\":\"secret\"}";

static haltsql_guard *guard_of(const haltsql_policy *policy) {
    haltsql_guard *guard = (haltsql_guard *)0x1;
    haltsql_error error;
    EXPECT(haltsql_guard_new(policy, TEXT("{}"), NULL, 0, NULL, 0, &guard, &error) == HALTSQL_OK);
    EXPECT(guard != NULL && is_empty(&error.message));
    return guard;
}

static haltsql_session *session_of(const haltsql_guard *guard) {
    haltsql_session *session = NULL;
    haltsql_error error;
    EXPECT(haltsql_session_new(guard, TEXT(ACME), TEXT(READ), &session, &error) == HALTSQL_OK && session != NULL);
    return session;
}

static haltsql_statement *statement_of(const haltsql_session *session, const char *sql) {
    haltsql_statement *statement = NULL;
    haltsql_error error;
    EXPECT(haltsql_session_statement(session, TEXT(sql), &statement, &error) == HALTSQL_OK && statement != NULL);
    return statement;
}

static void check_session(const haltsql_session *session) {
    haltsql_buffer text;
    haltsql_error error;
    EXPECT(haltsql_session_steps(session, &text, &error) == HALTSQL_OK);
    EXPECT(has(&text, "\"begin\":\"BEGIN ") && has(&text, "READ ONLY") && has(&text, "\"rollback\":\"ROLLBACK\""));
    haltsql_buffer_free(&text);
    EXPECT(haltsql_session_pin(session, TEXT("{\"database\":\"\",\"now\":0}"), &text, &error) == HALTSQL_OK);
    EXPECT(has(&text, "pg_catalog.set_config") && has(&text, "\"params\":["));
    haltsql_buffer_free(&text);
    EXPECT(haltsql_session_pin(session, TEXT("{}"), &text, &error) == HALTSQL_ERROR_ARGUMENT && is_empty(&text));
    haltsql_error_free(&error);
    static const char row[] = "[\"ok\",\"agent\",\"2024-07-01T12:00:00.000000Z\"]";
    EXPECT(haltsql_session_read_pin(session, TEXT(row), &text, &error) == HALTSQL_OK && has(&text, "\"role\":\"agent\""));
    haltsql_buffer_free(&text);
    EXPECT(haltsql_session_read_pin(session, TEXT("[null]"), &text, &error) == HALTSQL_ERROR_SEAL && is_empty(&text));
    EXPECT(has(&error.json, "\"name\":\"seal\""));
    haltsql_error_free(&error);
    /* The policy has no seal. */
    EXPECT(haltsql_session_seal_check(session, &text, &error) == HALTSQL_OK && has(&text, "null"));
    haltsql_buffer_free(&text);
    EXPECT(haltsql_session_read_seal(session, TEXT("[]"), &error) == HALTSQL_OK && is_empty(&error.message));
    EXPECT(haltsql_session_read_seal(session, TEXT("{"), &error) == HALTSQL_ERROR_ARGUMENT);
    haltsql_error_free(&error);
}

static void check_allowed(const haltsql_session *session) {
    haltsql_statement *statement = statement_of(session, ALLOWED);
    haltsql_verdict verdict;
    haltsql_buffer text;
    haltsql_error error;
    EXPECT(haltsql_statement_verdict(statement, &verdict, &error) == HALTSQL_OK && verdict.allowed);
    haltsql_verdict_free(&verdict);
    EXPECT(haltsql_statement_run(statement, false, &text, &error) == HALTSQL_OK);
    EXPECT(has(&text, "AS haltsql_capped LIMIT") && has(&text, "\"value\":\"acme\"") && has(&text, "\"oid\":25") && !has(&text, "jdbc"));
    haltsql_buffer_free(&text);
    EXPECT(haltsql_statement_run(statement, true, &text, &error) == HALTSQL_OK && has(&text, "\"native_sql\":"));
    haltsql_buffer_free(&text);
    EXPECT(haltsql_statement_rendered(statement, 1, false, &text, &error) == HALTSQL_OK && has(&text, "num_nulls"));
    haltsql_buffer_free(&text);
    static const char execution[] =
        "{\"role\":\"agent\",\"started_at\":\"2024-07-01T12:00:00.000000Z\",\"elapsed_us\":1,"
        "\"columns\":[{\"name\":\"id\",\"oid\":23}],\"rows\":[[\"1\"],[null]],\"affected\":null}";
    EXPECT(haltsql_statement_receipt(statement, TEXT(execution), &text, &error) == HALTSQL_OK);
    EXPECT(has(&text, "{\"rows\":2,\"row_count\":2,\"truncated\":false,\"receipt\":{") && has(&text, "\"result_sha256\":\""));
    haltsql_buffer_free(&text);
    EXPECT(haltsql_statement_receipt(statement, TEXT("[]"), &text, &error) == HALTSQL_ERROR_ARGUMENT && is_empty(&text));
    haltsql_error_free(&error);
    haltsql_statement_free(&statement);
    EXPECT(statement == NULL);
    haltsql_statement_free(&statement);
}

static void check_denied(const haltsql_session *session) {
    haltsql_statement *statement = statement_of(session, DENIED);
    haltsql_verdict verdict;
    haltsql_buffer text;
    haltsql_error error;
    EXPECT(haltsql_statement_verdict(statement, &verdict, &error) == HALTSQL_OK && !verdict.allowed);
    haltsql_verdict_free(&verdict);
    EXPECT(haltsql_statement_run(statement, false, &text, &error) == HALTSQL_OK && strcmp((char *)text.data, "null") == 0);
    haltsql_buffer_free(&text);
    EXPECT(haltsql_statement_rendered(statement, 1, false, &text, &error) == HALTSQL_ERROR_ARGUMENT && is_empty(&text));
    haltsql_error_free(&error);
    haltsql_statement_free(&statement);
}

static void check_guard(const haltsql_guard *guard) {
    haltsql_buffer text;
    haltsql_error error;
    EXPECT(haltsql_guard_redact(guard, TEXT(SHOP_ERROR), &text, &error) == HALTSQL_OK);
    EXPECT(has(&text, "23505") && !has(&text, "secret"));
    haltsql_buffer_free(&text);
    EXPECT(haltsql_guard_redact(guard, TEXT("?"), &text, &error) == HALTSQL_ERROR_ARGUMENT && is_empty(&text));
    haltsql_error_free(&error);

    haltsql_session *session = (haltsql_session *)0x1;
    EXPECT(haltsql_session_new(guard, TEXT("[]"), TEXT(READ), &session, &error) == HALTSQL_ERROR_CONTEXT && session == NULL);
    haltsql_error_free(&error);
    session = (haltsql_session *)0x1;
    EXPECT(haltsql_session_new(guard, TEXT(ACME), TEXT(WRITE), &session, &error) == HALTSQL_ERROR_ARGUMENT && session == NULL);
    haltsql_error_free(&error);

    /* In its caller's own transaction: no receipt. */
    haltsql_statement *statement = NULL;
    EXPECT(haltsql_guard_statement(guard, TEXT(ACME), TEXT(READ), TEXT(ALLOWED), &statement, &error) == HALTSQL_OK);
    EXPECT(haltsql_statement_receipt(statement, TEXT("{}"), &text, &error) == HALTSQL_ERROR_ARGUMENT && is_empty(&text));
    haltsql_error_free(&error);
    haltsql_statement_free(&statement);
}

static void check_nulls(const haltsql_policy *policy, const haltsql_guard *guard) {
    haltsql_guard *made = (haltsql_guard *)0x1;
    haltsql_session *session = (haltsql_session *)0x1;
    haltsql_statement *statement = (haltsql_statement *)0x1;
    haltsql_verdict verdict;
    haltsql_buffer text;
    haltsql_status bad = HALTSQL_ERROR_ARGUMENT;
    EXPECT(haltsql_guard_new(NULL, TEXT("{}"), NULL, 0, NULL, 0, &made, NULL) == bad && made == NULL);
    EXPECT(haltsql_guard_new(policy, TEXT("{\"allow\":1}"), NULL, 0, NULL, 0, &made, NULL) == bad && made == NULL);
    EXPECT(haltsql_guard_new(policy, TEXT("{}"), NULL, 3, NULL, 0, &made, NULL) == bad && made == NULL);
    EXPECT(haltsql_guard_new(policy, TEXT("{}"), TEXT("no key"), NULL, 0, &made, NULL) == bad && made == NULL);
    EXPECT(haltsql_guard_new(policy, TEXT("{}"), NULL, 0, TEXT("no key"), &made, NULL) == bad && made == NULL);
    EXPECT(haltsql_guard_new(policy, TEXT("{}"), NULL, 0, NULL, 0, NULL, NULL) == bad);
    EXPECT(haltsql_guard_redact(NULL, TEXT(SHOP_ERROR), &text, NULL) == bad && is_empty(&text));
    EXPECT(haltsql_session_new(NULL, TEXT(ACME), TEXT(READ), &session, NULL) == bad && session == NULL);
    EXPECT(haltsql_session_new(guard, NULL, 1, TEXT(READ), &session, NULL) == bad && session == NULL);
    EXPECT(haltsql_session_steps(NULL, &text, NULL) == bad && is_empty(&text));
    EXPECT(haltsql_session_pin(NULL, TEXT("{}"), &text, NULL) == bad && is_empty(&text));
    EXPECT(haltsql_session_read_pin(NULL, TEXT("[]"), &text, NULL) == bad && is_empty(&text));
    EXPECT(haltsql_session_seal_check(NULL, &text, NULL) == bad && is_empty(&text));
    EXPECT(haltsql_session_read_seal(NULL, TEXT("[]"), NULL) == bad);
    EXPECT(haltsql_session_statement(NULL, TEXT(ALLOWED), &statement, NULL) == bad && statement == NULL);
    EXPECT(haltsql_guard_statement(NULL, TEXT(ACME), TEXT(READ), TEXT(ALLOWED), &statement, NULL) == bad && statement == NULL);
    EXPECT(haltsql_guard_statement(guard, TEXT(ACME), TEXT(READ), NULL, SIZE_MAX, &statement, NULL) == bad && statement == NULL);
    EXPECT(haltsql_statement_verdict(NULL, &verdict, NULL) == bad && !verdict.allowed && is_empty(&verdict.json));
    EXPECT(haltsql_statement_run(NULL, false, &text, NULL) == bad && is_empty(&text));
    EXPECT(haltsql_statement_rendered(NULL, 1, false, &text, NULL) == bad && is_empty(&text));
    EXPECT(haltsql_statement_receipt(NULL, TEXT("{}"), &text, NULL) == bad && is_empty(&text));
    EXPECT(haltsql_policy_pin_key_place(NULL, &text, NULL) == bad && is_empty(&text));
    haltsql_guard_free(NULL);
    haltsql_session_free(NULL);
    haltsql_statement_free(NULL);
}

int main(void) {
    haltsql_policy *policy = load(POLICY);
    haltsql_buffer place;
    EXPECT(haltsql_policy_pin_key_place(policy, &place, NULL) == HALTSQL_OK && has(&place, "null"));
    haltsql_buffer_free(&place);
    haltsql_guard *guard = guard_of(policy);
    check_nulls(policy, guard);
    /* Each keeps what it needs of what it was made from. */
    haltsql_policy_free(&policy);
    check_guard(guard);
    haltsql_session *session = session_of(guard);
    haltsql_guard_free(&guard);
    haltsql_guard_free(&guard);
    EXPECT(guard == NULL);
    check_session(session);
    check_allowed(session);
    check_denied(session);
    haltsql_statement *statement = statement_of(session, ALLOWED);
    haltsql_session_free(&session);
    haltsql_session_free(&session);
    EXPECT(session == NULL);
    haltsql_verdict verdict;
    EXPECT(haltsql_statement_verdict(statement, &verdict, NULL) == HALTSQL_OK && verdict.allowed);
    haltsql_verdict_free(&verdict);
    haltsql_statement_free(&statement);
    puts("guard");
    return 0;
}
