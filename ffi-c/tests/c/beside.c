/* In one program with another libpg_query, the whole of it: every name of PostgreSQL's that one has, the other has too. Each does
   its own work, in turn and in each other's threads. */
#include <pthread.h>

#include "common.h"
#include "pg_query.h"

static void check(const haltsql_policy *policy) {
    for (int round = 0; round < 50; round++) {
        PgQueryParseResult parsed = pg_query_parse("SELECT 1 + a FROM t WHERE b IN (1, 2)");
        EXPECT(parsed.error == NULL && strstr(parsed.parse_tree, "\"relname\":\"t\"") != NULL);
        haltsql_verdict verdict;
        EXPECT(haltsql_check(policy, TEXT(ALLOWED), TEXT(ACME), &verdict, NULL) == HALTSQL_OK && verdict.allowed);
        haltsql_verdict_free(&verdict);
        EXPECT(haltsql_check(policy, TEXT("SELECT 1 +"), TEXT(ACME), &verdict, NULL) == HALTSQL_OK && !verdict.allowed);
        haltsql_verdict_free(&verdict);
        pg_query_free_parse_result(parsed);
        parsed = pg_query_parse("SELECT 1 +");
        EXPECT(parsed.error != NULL);
        pg_query_free_parse_result(parsed);
    }
}

static void *in_thread(void *policy) {
    check(policy);
    return NULL;
}

int main(void) {
    haltsql_policy *policy = load(POLICY);
    check(policy);
    pthread_t threads[4];
    for (int at = 0; at < 4; at++) {
        EXPECT(pthread_create(&threads[at], NULL, in_thread, policy) == 0);
    }
    for (int at = 0; at < 4; at++) {
        EXPECT(pthread_join(threads[at], NULL) == 0);
    }
    haltsql_policy_free(&policy);
    pg_query_exit();
    puts("beside");
    return 0;
}
