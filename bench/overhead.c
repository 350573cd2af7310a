/* What a check from C costs: see bench/README.md. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <haltsql.h>

enum { BATCHES = 300, BATCH = 10, THROUGHPUT = 4000, ROWS = 16 };

struct row {
    char id[64];
    uint8_t *sql;
    size_t length;
    haltsql_caller *caller;
};

static void need(int condition, const char *what) {
    if (!condition) {
        fprintf(stderr, "overhead: %s\n", what);
        exit(1);
    }
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Returns the microseconds that the core's own clock says: the last number of the JSON. */
static long check(const struct row *row) {
    haltsql_verdict verdict;
    need(haltsql_caller_check(row->caller, row->sql, row->length, &verdict, NULL) == HALTSQL_OK && verdict.allowed, "a check failed");
    const uint8_t *end = verdict.json.data + verdict.json.len - 1;
    long elapsed = 0, digit = 1;
    while (*--end != ':') {
        elapsed += digit * (*end - '0');
        digit *= 10;
    }
    haltsql_verdict_free(&verdict);
    return elapsed;
}

static void *check_many(void *row) {
    for (int at = 0; at < THROUGHPUT; at++) {
        check(row);
    }
    return NULL;
}

static uint8_t *unhex(const char *text, size_t *length) {
    *length = strlen(text) / 2;
    uint8_t *bytes = malloc(*length + 1);
    for (size_t at = 0; at < *length; at++) {
        unsigned byte;
        need(sscanf(text + 2 * at, "%2x", &byte) == 1, "not hexadecimal");
        bytes[at] = (uint8_t)byte;
    }
    return bytes;
}

static haltsql_policy *load(const char *folder, const char *name) {
    static uint8_t document[1 << 16];
    char path[4096];
    snprintf(path, sizeof path, "%s/policies/%s.yaml", folder, name);
    FILE *file = fopen(path, "rb");
    need(file != NULL, path);
    size_t length = fread(document, 1, sizeof document, file);
    fclose(file);
    haltsql_policy *policy;
    need(haltsql_policy_load(document, length, HALTSQL_FORMAT_YAML, NULL, 0, &policy, NULL) == HALTSQL_OK, path);
    return policy;
}

static int read_rows(struct row *rows) {
    const char *folder = getenv("HALTSQL_BENCH_DIR");
    need(folder != NULL, "HALTSQL_BENCH_DIR is not set");
    char path[4096];
    snprintf(path, sizeof path, "%s/bench.tsv", folder);
    FILE *file = fopen(path, "rb");
    need(file != NULL, path);
    char *line = NULL;
    size_t size = 0;
    int count = 0;
    need(getline(&line, &size, file) > 0, "no header");
    while (count < ROWS && getline(&line, &size, file) > 0) {
        char *state = NULL, *fields[6];
        for (int at = 0; at < 6; at++) {
            fields[at] = strtok_r(at == 0 ? line : NULL, "\t\n", &state);
            need(fields[at] != NULL, "not a row");
        }
        struct row *row = &rows[count++];
        snprintf(row->id, sizeof row->id, "%s", fields[1]);
        size_t context_length;
        uint8_t *context = unhex(fields[3], &context_length);
        row->sql = unhex(fields[4], &row->length);
        haltsql_policy *policy = load(folder, fields[2]);
        need(haltsql_caller_new(policy, context, context_length, &row->caller, NULL) == HALTSQL_OK, "the context");
        haltsql_policy_free(&policy);
        free(context);
    }
    free(line);
    fclose(file);
    return count;
}

int main(void) {
    struct row rows[ROWS];
    int count = read_rows(rows);
    need(count > 0, "no rows");
    for (int at = 0; at < count; at++) {
        double fastest = 1e18, beside = 1e18;
        for (int batch = 0; batch < BATCHES; batch++) {
            long core = 0;
            double started = now();
            for (int call = 0; call < BATCH; call++) {
                core += check(&rows[at]);
            }
            double elapsed = now() - started, rest = elapsed - (double)core * 1e3;
            fastest = elapsed < fastest ? elapsed : fastest;
            beside = rest < beside ? rest : beside;
        }
        printf("overhead name=c text=%s ns=%.0f beside_ns=%.0f\n", rows[at].id, fastest / BATCH, beside / BATCH);
    }
    for (int threads = 1; threads <= 2; threads++) {
        pthread_t running[2];
        double started = now();
        for (int at = 0; at < threads; at++) {
            need(pthread_create(&running[at], NULL, check_many, &rows[0]) == 0, "no thread");
        }
        for (int at = 0; at < threads; at++) {
            pthread_join(running[at], NULL);
        }
        printf("throughput name=c threads=%d per_s=%.0f\n", threads, threads * THROUGHPUT / ((now() - started) / 1e9));
    }
    for (int at = 0; at < count; at++) {
        haltsql_caller_free(&rows[at].caller);
        free(rows[at].sql);
    }
    return 0;
}
