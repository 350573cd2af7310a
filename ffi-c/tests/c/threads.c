/* Sixteen threads on one policy and one caller, on small and on usual stacks: the same bytes everywhere. */
#include <pthread.h>

#include "common.h"

enum { THREADS = 16, ROUNDS = 60, DEEP = 700 };

static haltsql_policy *policy;
static haltsql_caller *caller;
static char deep[64 + 2 * DEEP];
static haltsql_verdict expected[3];

static const char *text(int which) {
    return which == 0 ? ALLOWED : which == 1 ? DENIED : deep;
}

static void *check(void *unused) {
    (void)unused;
    for (int round = 0; round < ROUNDS; round++) {
        int which = round % 3;
        haltsql_verdict verdict;
        haltsql_error error;
        if (round % 2 == 0) {
            EXPECT(haltsql_check(policy, TEXT(text(which)), TEXT(ACME), &verdict, &error) == HALTSQL_OK);
        } else {
            EXPECT(haltsql_caller_check(caller, TEXT(text(which)), &verdict, &error) == HALTSQL_OK);
        }
        size_t same = same_part(&expected[which].json);
        EXPECT(verdict.allowed == expected[which].allowed && same_part(&verdict.json) == same);
        EXPECT(memcmp(verdict.json.data, expected[which].json.data, same) == 0);
        haltsql_verdict_free(&verdict);
    }
    return NULL;
}

int main(void) {
    policy = load(POLICY);
    EXPECT(haltsql_caller_new(policy, TEXT(ACME), &caller, NULL) == HALTSQL_OK);
    char *end = deep + sprintf(deep, "SELECT id, ");
    for (int at = 0; at < DEEP; at++) {
        end += sprintf(end, "1+");
    }
    sprintf(end, "1 FROM orders WHERE tenant_id = $1");
    for (int which = 0; which < 3; which++) {
        EXPECT(haltsql_check(policy, TEXT(text(which)), TEXT(ACME), &expected[which], NULL) == HALTSQL_OK);
    }
    EXPECT(expected[0].allowed && !expected[1].allowed && expected[2].allowed);

    pthread_t threads[THREADS];
    for (int at = 0; at < THREADS; at++) {
        pthread_attr_t attributes;
        EXPECT(pthread_attr_init(&attributes) == 0);
        if (at % 2 == 0) {
            EXPECT(pthread_attr_setstacksize(&attributes, 256 * 1024) == 0);
        }
        EXPECT(pthread_create(&threads[at], &attributes, check, NULL) == 0);
        pthread_attr_destroy(&attributes);
    }
    for (int at = 0; at < THREADS; at++) {
        EXPECT(pthread_join(threads[at], NULL) == 0);
    }
    for (int which = 0; which < 3; which++) {
        haltsql_verdict_free(&expected[which]);
    }
    haltsql_caller_free(&caller);
    haltsql_policy_free(&policy);
    puts("threads");
    return 0;
}
