/* In one program with another Rust library, all of it: both unwind by their own means, and each has its own panic hook. */
#include "common.h"

extern int other(bool panics);

int main(void) {
    haltsql_policy *policy = load(POLICY);
    EXPECT(other(false) == 1 && other(true) == 2);
    haltsql_verdict verdict;
    EXPECT(haltsql_check(policy, TEXT(ALLOWED), TEXT(ACME), &verdict, NULL) == HALTSQL_OK && verdict.allowed);
    haltsql_verdict_free(&verdict);
    haltsql_policy_free(&policy);
    puts("rust");
    return 0;
}
