/* A server that forks after it loaded and checked: children and parent go on, with the same bytes. */
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

enum { CHILDREN = 8, ROUNDS = 20, DEEP = 700 };

static char deep[64 + 2 * DEEP];

/* Also a text that is checked on a thread of its own: a pool would not have survived the fork. */
static void check(const haltsql_policy *policy, const haltsql_caller *caller, const haltsql_verdict *expected) {
    for (int round = 0; round < ROUNDS; round++) {
        const char *sql = round % 2 == 0 ? DENIED : deep;
        const haltsql_buffer *json = &expected[round % 2].json;
        haltsql_verdict verdict;
        EXPECT(haltsql_caller_check(caller, TEXT(sql), &verdict, NULL) == HALTSQL_OK);
        EXPECT(same_part(&verdict.json) == same_part(json) && memcmp(verdict.json.data, json->data, same_part(json)) == 0);
        haltsql_verdict_free(&verdict);
        EXPECT(haltsql_check(policy, TEXT(ALLOWED), TEXT(ACME), &verdict, NULL) == HALTSQL_OK && verdict.allowed);
        haltsql_verdict_free(&verdict);
    }
}

int main(void) {
    char *end = deep + sprintf(deep, "SELECT id, ");
    for (int at = 0; at < DEEP; at++) {
        end += sprintf(end, "1+");
    }
    sprintf(end, "1 FROM orders WHERE tenant_id = $1");
    haltsql_policy *policy = load(POLICY);
    haltsql_caller *caller;
    EXPECT(haltsql_caller_new(policy, TEXT(ACME), &caller, NULL) == HALTSQL_OK);
    haltsql_verdict expected[2];
    EXPECT(haltsql_check(policy, TEXT(DENIED), TEXT(ACME), &expected[0], NULL) == HALTSQL_OK);
    EXPECT(haltsql_check(policy, TEXT(deep), TEXT(ACME), &expected[1], NULL) == HALTSQL_OK && expected[1].allowed);

    pid_t children[CHILDREN];
    for (int at = 0; at < CHILDREN; at++) {
        children[at] = fork();
        EXPECT(children[at] >= 0);
        if (children[at] == 0) {
            alarm(60);
            check(policy, caller, expected);
            haltsql_caller_free(&caller);
            haltsql_policy_free(&policy);
            _exit(0);
        }
    }
    check(policy, caller, expected);
    for (int at = 0; at < CHILDREN; at++) {
        int status;
        EXPECT(waitpid(children[at], &status, 0) == children[at] && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    haltsql_verdict_free(&expected[0]);
    haltsql_verdict_free(&expected[1]);
    haltsql_caller_free(&caller);
    haltsql_policy_free(&policy);
    puts("fork");
    return 0;
}
