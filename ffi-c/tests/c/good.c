/* The good path: every function, used as its documentation says, and everything freed.
   Arguments: the versions of HaltSQL and of PostgreSQL that have to be reported. */
#include "common.h"

static void check_texts(const haltsql_policy *policy) {
    haltsql_verdict verdict;
    haltsql_error error;
    EXPECT(haltsql_check(policy, TEXT(ALLOWED), TEXT(ACME), &verdict, &error) == HALTSQL_OK);
    EXPECT(verdict.allowed && has(&verdict.json, "{\"allowed\":true,\"reasons\":[]"));
    EXPECT(has(&verdict.json, "\"bind_params\":[{\"param\":1,\"value\":\"acme\",\"type\":\"text\"}]"));
    EXPECT(is_empty(&error.message) && is_empty(&error.json));
    haltsql_verdict_free(&verdict);

    EXPECT(haltsql_check(policy, TEXT(DENIED), TEXT(ACME), &verdict, NULL) == HALTSQL_OK);
    EXPECT(!verdict.allowed && has(&verdict.json, "\"code\":\"E_COLUMN_DENIED\""));
    haltsql_buffer agent;
    EXPECT(haltsql_for_agent(verdict.json.data, verdict.json.len, TEXT(DENIED), &agent, &error) == HALTSQL_OK);
    EXPECT(has(&agent, "denied:") && has(&agent, "E_COLUMN_DENIED"));
    haltsql_buffer_free(&agent);
    EXPECT(haltsql_for_agent(verdict.json.data, verdict.json.len, TEXT(ALLOWED), &agent, &error) == HALTSQL_ERROR_VERDICT);
    EXPECT(is_empty(&agent) && has(&error.message, "another text"));
    haltsql_error_free(&error);
    haltsql_verdict_free(&verdict);

    /* An escaped NUL cuts nothing short, and a raw one is a denial. */
    static const char escaped[] = "{\"tenant_id\":\"ac\\u0000me\"}";
    EXPECT(haltsql_check(policy, BYTES("SELECT '\0'"), 10, TEXT(escaped), &verdict, &error) == HALTSQL_OK);
    EXPECT(!verdict.allowed && has(&verdict.json, "\"code\":\"E_PARSE\"") && has(&verdict.json, "\"loc\":8"));
    haltsql_verdict_free(&verdict);
    EXPECT(haltsql_check(policy, BYTES("\xff"), 1, TEXT(ACME), &verdict, &error) == HALTSQL_OK);
    EXPECT(!verdict.allowed && has(&verdict.json, "\"code\":\"E_PARSE\""));
    haltsql_verdict_free(&verdict);
    EXPECT(haltsql_check(policy, NULL, 0, TEXT(ACME), &verdict, &error) == HALTSQL_OK);
    EXPECT(!verdict.allowed && has(&verdict.json, "\"code\":\"E_EMPTY\""));
    haltsql_verdict_free(&verdict);
}

static void check_caller(const haltsql_policy *policy) {
    haltsql_caller *caller = NULL;
    haltsql_error error;
    EXPECT(haltsql_caller_new(policy, TEXT(ACME), &caller, &error) == HALTSQL_OK && caller != NULL);
    haltsql_verdict verdict;
    EXPECT(haltsql_caller_check(caller, TEXT(ALLOWED), &verdict, &error) == HALTSQL_OK && verdict.allowed);
    haltsql_text texts[5];
    haltsql_verdict verdicts[5];
    for (size_t at = 0; at < 5; at++) {
        const char *sql = at % 2 == 0 ? ALLOWED : DENIED;
        texts[at] = (haltsql_text){TEXT(sql)};
    }
    for (size_t threads = 0; threads < 4; threads++) {
        EXPECT(haltsql_caller_check_many(caller, texts, 5, threads, verdicts, &error) == HALTSQL_OK);
        for (size_t at = 0; at < 5; at++) {
            EXPECT(verdicts[at].allowed == (at % 2 == 0));
            if (verdicts[at].allowed) {
                size_t same = same_part(&verdict.json);
                EXPECT(same_part(&verdicts[at].json) == same && memcmp(verdicts[at].json.data, verdict.json.data, same) == 0);
            }
            haltsql_verdict_free(&verdicts[at]);
        }
    }
    EXPECT(haltsql_caller_check_many(caller, NULL, 0, 2, NULL, &error) == HALTSQL_OK);
    haltsql_verdict_free(&verdict);
    haltsql_caller_free(&caller);
    EXPECT(caller == NULL);
}

typedef haltsql_status text_of(const haltsql_policy *, haltsql_buffer *, haltsql_error *);

static void check_text(text_of *of, const haltsql_policy *policy, const char *expected) {
    haltsql_buffer text;
    haltsql_error error;
    EXPECT(of(policy, &text, &error) == HALTSQL_OK && has(&text, expected));
    haltsql_buffer_free(&text);
    EXPECT(is_empty(&text));
}

int main(int count, char **arguments) {
    EXPECT(count == 3);
    EXPECT(strcmp(haltsql_version(), arguments[1]) == 0 && strcmp(HALTSQL_VERSION, arguments[1]) == 0);
    EXPECT(strcmp(haltsql_postgres_version(), arguments[2]) == 0);
    EXPECT(haltsql_abi_version() == HALTSQL_ABI_VERSION && HALTSQL_IS_COMPATIBLE());
    haltsql_policy *policy = load(POLICY);
    check_texts(policy);
    check_caller(policy);
    check_text(haltsql_policy_name, policy, "shop");
    check_text(haltsql_policy_version, policy, "sha256:");
    check_text(haltsql_policy_mode, policy, "enforce");
    check_text(haltsql_describe_text, policy, "app.orders");
    check_text(haltsql_describe_json, policy, "\"name\":\"app.orders\"");
    check_text(haltsql_search_path_value, policy, "\"app\", pg_temp");
    haltsql_buffer codes;
    EXPECT(haltsql_reason_codes(&codes, NULL) == HALTSQL_OK && has(&codes, "{\"code\":\"E_PARSE\",\"rule\":\"sql.parse\"}"));
    haltsql_buffer_free(&codes);

    /* A caller keeps what it needs of its policy. */
    haltsql_caller *caller = NULL;
    EXPECT(haltsql_caller_new(policy, TEXT(ACME), &caller, NULL) == HALTSQL_OK);
    haltsql_policy_free(&policy);
    EXPECT(policy == NULL);
    haltsql_verdict verdict;
    EXPECT(haltsql_caller_check(caller, TEXT(ALLOWED), &verdict, NULL) == HALTSQL_OK && verdict.allowed);
    haltsql_verdict_free(&verdict);
    haltsql_caller_free(&caller);
    puts("good");
    return 0;
}
