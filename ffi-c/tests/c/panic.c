/* A panic behind the boundary: a denial or an error, and the next call works. Linked with the weakened core alone. */
#include "common.h"

static void expect_internal(const haltsql_policy *policy, const char *sql) {
    haltsql_verdict verdict;
    haltsql_error error;
    EXPECT(haltsql_check(policy, TEXT(sql), TEXT(ACME), &verdict, &error) == HALTSQL_OK);
    EXPECT(!verdict.allowed && has(&verdict.json, "\"code\":\"E_INTERNAL\""));
    haltsql_verdict_free(&verdict);
    EXPECT(haltsql_check(policy, TEXT(ALLOWED), TEXT(ACME), &verdict, &error) == HALTSQL_OK && verdict.allowed);
    haltsql_verdict_free(&verdict);
}

typedef haltsql_status text_of(const haltsql_policy *, haltsql_buffer *, haltsql_error *);

static void expect_panic_in(const char *place, text_of *of) {
    char document[sizeof POLICY + 64];
    const char *mark = strstr(POLICY, "what agents may ask");
    snprintf(document, sizeof document, "%.*s\"HALTSQL_WEAKENED: panic in %s\" }\n%s", (int)(mark - POLICY), POLICY, place,
             strchr(mark, '\n') + 1);
    haltsql_policy *policy = load(document);
    haltsql_buffer text;
    haltsql_error error;
    EXPECT(of(policy, &text, &error) == HALTSQL_ERROR_INTERNAL && is_empty(&text));
    EXPECT(has(&error.message, "this is a bug of HaltSQL"));
    haltsql_error_free(&error);
    EXPECT(haltsql_policy_version(policy, &text, NULL) == HALTSQL_OK && has(&text, "sha256:"));
    haltsql_buffer_free(&text);
    haltsql_policy_free(&policy);
}

int main(void) {
    haltsql_policy *policy = load(POLICY);
    for (int round = 0; round < 20; round++) {
        expect_internal(policy, "SELECT id FROM orders -- HALTSQL_WEAKENED: panic in stages");
        expect_internal(policy, "SELECT id FROM orders -- HALTSQL_WEAKENED: panic in answer");
    }
    haltsql_policy_free(&policy);

    haltsql_error error;
    EXPECT(haltsql_policy_load(TEXT("# HALTSQL_WEAKENED: panic in load\n"), 0, NULL, 0, &policy, &error) == HALTSQL_ERROR_INTERNAL);
    EXPECT(policy == NULL && has(&error.message, "this is a bug of HaltSQL") && has(&error.json, "\"name\":\"internal\""));
    haltsql_error_free(&error);

    expect_panic_in("describe", haltsql_describe_text);
    expect_panic_in("describe", haltsql_describe_json);
    /* Here only the fence of the C ABI itself is left. */
    expect_panic_in("name", haltsql_policy_name);
    puts("panic");
    return 0;
}
