/* Misuse that a library can notice: an error with a number, results emptied, nothing freed twice. */
#include "common.h"

/* What an uninitialised place may hold. */
static haltsql_verdict garbage_verdict(void) {
    haltsql_verdict verdict;
    memset(&verdict, 0xa5, sizeof verdict);
    return verdict;
}

static haltsql_error garbage_error(void) {
    haltsql_error error;
    memset(&error, 0xa5, sizeof error);
    return error;
}

static void expect_error(haltsql_status status, haltsql_status expected, haltsql_error *error, const char *message) {
    EXPECT(status == expected && has(&error->message, message) && has(&error->json, "\"code\":"));
    haltsql_error_free(error);
    haltsql_error_free(error);
    EXPECT(is_empty(&error->message) && is_empty(&error->json));
}

static void check_load(void) {
    haltsql_policy *policy = (haltsql_policy *)0x1;
    haltsql_error error = garbage_error();
    expect_error(haltsql_policy_load(NULL, 5, 0, NULL, 0, &policy, &error), HALTSQL_ERROR_ARGUMENT, &error, "the document is NULL");
    EXPECT(policy == NULL);
    error = garbage_error();
    expect_error(haltsql_policy_load(TEXT(POLICY), 7, NULL, 0, &policy, &error), HALTSQL_ERROR_ARGUMENT, &error, "HALTSQL_FORMAT_");
    error = garbage_error();
    expect_error(haltsql_policy_load(BYTES("x"), SIZE_MAX, 0, NULL, 0, &policy, &error), HALTSQL_ERROR_ARGUMENT, &error, "length");
    error = garbage_error();
    expect_error(haltsql_policy_load(TEXT(POLICY), 0, NULL, 0, NULL, &error), HALTSQL_ERROR_ARGUMENT, &error, "no place");
    error = garbage_error();
    EXPECT(haltsql_policy_load(TEXT("kind: Polity\n"), 0, TEXT("bad.yaml"), &policy, &error) == HALTSQL_ERROR_POLICY);
    EXPECT(policy == NULL && has(&error.message, "the policy `bad.yaml` is not valid") && has(&error.json, "\"line\":1"));
    haltsql_error_free(&error);
    EXPECT(haltsql_policy_load(TEXT("kind: Polity\n"), 0, NULL, 0, &policy, NULL) == HALTSQL_ERROR_POLICY);
    EXPECT(haltsql_policy_load(NULL, 0, 0, NULL, 0, &policy, NULL) == HALTSQL_ERROR_POLICY);
}

static void check_check(const haltsql_policy *policy) {
    haltsql_verdict verdict = garbage_verdict();
    haltsql_error error = garbage_error();
    expect_error(haltsql_check(NULL, TEXT(ALLOWED), TEXT(ACME), &verdict, &error), HALTSQL_ERROR_ARGUMENT, &error, "policy is NULL");
    EXPECT(!verdict.allowed && is_empty(&verdict.json));
    verdict = garbage_verdict();
    error = garbage_error();
    expect_error(haltsql_check(policy, NULL, 3, TEXT(ACME), &verdict, &error), HALTSQL_ERROR_ARGUMENT, &error, "the SQL is NULL");
    EXPECT(!verdict.allowed && is_empty(&verdict.json));
    error = garbage_error();
    expect_error(haltsql_check(policy, TEXT(ALLOWED), NULL, 3, &verdict, &error), HALTSQL_ERROR_ARGUMENT, &error, "context is NULL");
    error = garbage_error();
    expect_error(haltsql_check(policy, TEXT(ALLOWED), TEXT(ACME), NULL, &error), HALTSQL_ERROR_ARGUMENT, &error, "no place");
    verdict = garbage_verdict();
    error = garbage_error();
    expect_error(haltsql_check(policy, TEXT(ALLOWED), TEXT("[]"), &verdict, &error), HALTSQL_ERROR_CONTEXT, &error, "not a JSON object");
    EXPECT(!verdict.allowed && is_empty(&verdict.json));
    error = garbage_error();
    expect_error(haltsql_check(policy, TEXT(ALLOWED), NULL, 0, &verdict, &error), HALTSQL_ERROR_CONTEXT, &error, "not JSON");
    EXPECT(haltsql_check(policy, BYTES("x"), (size_t)1 << 63, TEXT(ACME), &verdict, NULL) == HALTSQL_ERROR_ARGUMENT);

    /* Freed twice, and never filled. */
    EXPECT(haltsql_check(policy, TEXT(ALLOWED), TEXT(ACME), &verdict, NULL) == HALTSQL_OK);
    haltsql_verdict_free(&verdict);
    EXPECT(!verdict.allowed && is_empty(&verdict.json));
    haltsql_verdict_free(&verdict);
    haltsql_verdict zero = {0};
    haltsql_verdict_free(&zero);
    haltsql_verdict_free(NULL);
    haltsql_buffer_free(NULL);
    haltsql_error_free(NULL);
}

static void check_caller(const haltsql_policy *policy) {
    haltsql_caller *caller = (haltsql_caller *)0x1;
    haltsql_error error = garbage_error();
    expect_error(haltsql_caller_new(NULL, TEXT(ACME), &caller, &error), HALTSQL_ERROR_ARGUMENT, &error, "policy is NULL");
    EXPECT(caller == NULL);
    error = garbage_error();
    expect_error(haltsql_caller_new(policy, TEXT("{\"a\":1,\"a\":2}"), &caller, &error), HALTSQL_ERROR_CONTEXT, &error, "twice");
    error = garbage_error();
    haltsql_verdict verdict = garbage_verdict();
    expect_error(haltsql_caller_check(NULL, TEXT(ALLOWED), &verdict, &error), HALTSQL_ERROR_ARGUMENT, &error, "caller is NULL");
    EXPECT(!verdict.allowed && is_empty(&verdict.json));

    EXPECT(haltsql_caller_new(policy, TEXT(ACME), &caller, NULL) == HALTSQL_OK);
    haltsql_verdict verdicts[2] = {garbage_verdict(), garbage_verdict()};
    haltsql_text texts[2] = {{TEXT(ALLOWED)}, {NULL, 4}};
    error = garbage_error();
    expect_error(haltsql_caller_check_many(caller, texts, 2, 2, verdicts, &error), HALTSQL_ERROR_ARGUMENT, &error, "the SQL is NULL");
    for (size_t at = 0; at < 2; at++) {
        EXPECT(!verdicts[at].allowed && is_empty(&verdicts[at].json));
    }
    EXPECT(haltsql_caller_check_many(caller, NULL, 2, 2, verdicts, NULL) == HALTSQL_ERROR_ARGUMENT);
    EXPECT(haltsql_caller_check_many(caller, texts, 2, 2, NULL, NULL) == HALTSQL_ERROR_ARGUMENT);
    EXPECT(haltsql_caller_check_many(caller, texts, SIZE_MAX, 2, verdicts, NULL) == HALTSQL_ERROR_ARGUMENT);
    EXPECT(haltsql_caller_check_many(NULL, NULL, 0, 2, NULL, NULL) == HALTSQL_ERROR_ARGUMENT);
    haltsql_caller_free(&caller);
    haltsql_caller_free(&caller);
    haltsql_caller_free(NULL);
}

int main(void) {
    haltsql_policy *policy = load(POLICY);
    check_load();
    check_check(policy);
    check_caller(policy);
    haltsql_buffer text;
    EXPECT(haltsql_policy_name(NULL, &text, NULL) == HALTSQL_ERROR_ARGUMENT && is_empty(&text));
    EXPECT(haltsql_policy_name(policy, NULL, NULL) == HALTSQL_ERROR_ARGUMENT);
    EXPECT(haltsql_reason_codes(NULL, NULL) == HALTSQL_ERROR_ARGUMENT);
    EXPECT(haltsql_for_agent(TEXT("{}"), TEXT(ALLOWED), &text, NULL) == HALTSQL_ERROR_VERDICT && is_empty(&text));
    haltsql_policy_free(&policy);
    haltsql_policy_free(&policy);
    haltsql_policy_free(NULL);
    EXPECT(policy == NULL);
    puts("misuse");
    return 0;
}
