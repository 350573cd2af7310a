/* Memory stays flat over a million checks and over ten thousand threads that each check once. Without sanitizers: they keep what
   is freed. */
#include <pthread.h>
#include <unistd.h>

#include "common.h"

enum { WARM = 20000, CHECKS = 500000, THREADS = 10000 };

/* More than the allocator's noise, far less than a leak of a byte per check or of a page per thread. */
static const long MOST = 3 * 1024 * 1024;

static haltsql_policy *policy;
static haltsql_caller *caller;

static long resident(void) {
    long pages = 0, shared;
    FILE *file = fopen("/proc/self/statm", "r");
    EXPECT(file != NULL && fscanf(file, "%*d %ld %ld", &pages, &shared) == 2);
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static void check(const char *sql) {
    haltsql_verdict verdict;
    EXPECT(haltsql_caller_check(caller, TEXT(sql), &verdict, NULL) == HALTSQL_OK);
    haltsql_verdict_free(&verdict);
}

/* Allowed, denied, no SQL at all, and now and then an error. */
static void *check_many(void *count) {
    static const char *texts[] = {"SELECT 1", "SELECT note FROM orders", "SELECT 1 +", ""};
    for (long at = 0; at < *(long *)count; at++) {
        check(texts[at % 4]);
        if (at % 64 == 0) {
            haltsql_caller *none;
            haltsql_error error;
            EXPECT(haltsql_caller_new(policy, TEXT("[]"), &none, &error) == HALTSQL_ERROR_CONTEXT);
            haltsql_error_free(&error);
        }
    }
    return NULL;
}

static void *check_once(void *unused) {
    (void)unused;
    check(ALLOWED);
    return NULL;
}

static void on_threads(void *(*work)(void *), void *argument, int threads) {
    pthread_t running[2];
    for (int at = 0; at < threads; at++) {
        EXPECT(pthread_create(&running[at], NULL, work, argument) == 0);
    }
    for (int at = 0; at < threads; at++) {
        EXPECT(pthread_join(running[at], NULL) == 0);
    }
}

int main(void) {
    policy = load(POLICY);
    EXPECT(haltsql_caller_new(policy, TEXT(ACME), &caller, NULL) == HALTSQL_OK);
    long warm = WARM, checks = CHECKS;
    on_threads(check_many, &warm, 2);
    for (int at = 0; at < 100; at++) {
        on_threads(check_once, NULL, 2);
    }
    long before = resident();
    on_threads(check_many, &checks, 2);
    long after_checks = resident();
    for (int at = 0; at < THREADS / 2; at++) {
        on_threads(check_once, NULL, 2);
    }
    long after_threads = resident();
    fprintf(stderr, "resident KiB: %ld, after a million checks %ld, after ten thousand threads %ld\n", before / 1024, after_checks / 1024,
            after_threads / 1024);
    EXPECT(after_checks - before < MOST);
    EXPECT(after_threads - after_checks < MOST);
    haltsql_caller_free(&caller);
    haltsql_policy_free(&policy);
    puts("flat");
    return 0;
}
