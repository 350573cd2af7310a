/* The shared library is closed while a thread that used it still runs: what runs when the thread ends has to be there.
   Argument: the library's path. */
#include <dlfcn.h>
#include <pthread.h>

#include "common.h"

static pthread_barrier_t used, closed;

static void *use(void *library) {
    haltsql_status (*policy_load)(const uint8_t *, size_t, uint32_t, const uint8_t *, size_t, haltsql_policy **, haltsql_error *);
    haltsql_status (*check)(const haltsql_policy *, const uint8_t *, size_t, const uint8_t *, size_t, haltsql_verdict *, haltsql_error *);
    void (*policy_free)(haltsql_policy **);
    void (*verdict_free)(haltsql_verdict *);
    *(void **)&policy_load = dlsym(library, "haltsql_policy_load");
    *(void **)&check = dlsym(library, "haltsql_check");
    *(void **)&policy_free = dlsym(library, "haltsql_policy_free");
    *(void **)&verdict_free = dlsym(library, "haltsql_verdict_free");
    EXPECT(policy_load != NULL && check != NULL && policy_free != NULL && verdict_free != NULL);
    haltsql_policy *policy = NULL;
    EXPECT(policy_load(TEXT(POLICY), HALTSQL_FORMAT_YAML, NULL, 0, &policy, NULL) == HALTSQL_OK);
    haltsql_verdict verdict;
    EXPECT(check(policy, TEXT(ALLOWED), TEXT(ACME), &verdict, NULL) == HALTSQL_OK && verdict.allowed);
    verdict_free(&verdict);
    policy_free(&policy);
    pthread_barrier_wait(&used);
    pthread_barrier_wait(&closed);
    return NULL;
}

int main(int count, char **arguments) {
    EXPECT(count == 2);
    EXPECT(pthread_barrier_init(&used, NULL, 2) == 0 && pthread_barrier_init(&closed, NULL, 2) == 0);
    for (int round = 0; round < 3; round++) {
        void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
        EXPECT(library != NULL);
        pthread_t thread;
        EXPECT(pthread_create(&thread, NULL, use, library) == 0);
        pthread_barrier_wait(&used);
        EXPECT(dlclose(library) == 0);
        pthread_barrier_wait(&closed);
        EXPECT(pthread_join(thread, NULL) == 0);
    }
    puts("unload");
    return 0;
}
