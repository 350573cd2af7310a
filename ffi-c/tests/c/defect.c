/* Programs that are wrong on purpose: what the sanitizers have to find. */
#include "common.h"

int main(void) {
    haltsql_policy *policy = load(POLICY);
    haltsql_verdict verdict;
    EXPECT(haltsql_check(policy, TEXT(ALLOWED), TEXT(ACME), &verdict, NULL) == HALTSQL_OK);
#ifdef LEAK
    /* Neither the verdict nor the policy is freed, and nothing points at them any more. */
    memset(&verdict, 0, sizeof verdict);
    policy = NULL;
    haltsql_policy *other = load(POLICY);
    haltsql_policy_free(&other);
#endif
#ifdef OVERREAD
    volatile uint8_t past = verdict.json.data[verdict.json.capacity];
    (void)past;
    haltsql_verdict_free(&verdict);
    haltsql_policy_free(&policy);
#endif
    return 0;
}
