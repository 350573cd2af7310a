/* The runner of C (conformance/RUNNERS.md): every row of every set through the C ABI. */
#include <dirent.h>

#include "common.h"

enum { POLICIES = 256, SHOWN = 10, FIELDS = 6 };

static const char *folder;
static char *names[POLICIES];
static haltsql_policy *policies[POLICIES];

static char *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "%s cannot be read: run `make conformance`\n", path);
        exit(2);
    }
    EXPECT(fseek(file, 0, SEEK_END) == 0);
    long size = ftell(file);
    EXPECT(size >= 0 && fseek(file, 0, SEEK_SET) == 0);
    char *bytes = malloc((size_t)size + 1);
    EXPECT(bytes != NULL && fread(bytes, 1, (size_t)size, file) == (size_t)size);
    bytes[size] = 0;
    fclose(file);
    *length = (size_t)size;
    return bytes;
}

static haltsql_policy *policy_of(const char *name) {
    int at = 0;
    while (at < POLICIES && names[at] != NULL && strcmp(names[at], name) != 0) {
        at++;
    }
    EXPECT(at < POLICIES);
    if (names[at] == NULL) {
        char path[4096];
        size_t length;
        snprintf(path, sizeof path, "%s/policies/%s.yaml", folder, name);
        char *document = read_file(path, &length);
        EXPECT(haltsql_policy_load(BYTES(document), length, HALTSQL_FORMAT_YAML, TEXT(name), &policies[at], NULL) == HALTSQL_OK);
        free(document);
        names[at] = strdup(name);
    }
    return policies[at];
}

static unsigned digit(char hex) {
    return hex <= '9' ? (unsigned)(hex - '0') : (unsigned)(hex - 'a' + 10);
}

/* Exactly as large as the bytes, so that a read past their end is found. */
static uint8_t *unhex(const char *text, size_t *length) {
    *length = strlen(text) / 2;
    uint8_t *bytes = malloc(*length > 0 ? *length : 1);
    EXPECT(bytes != NULL);
    for (size_t at = 0; at < *length; at++) {
        bytes[at] = (uint8_t)(digit(text[2 * at]) << 4 | digit(text[2 * at + 1]));
    }
    return bytes;
}

static uint32_t format_of(const char *name) {
    if (strcmp(name, "yaml") == 0) {
        return HALTSQL_FORMAT_YAML;
    }
    return strcmp(name, "json") == 0 ? HALTSQL_FORMAT_JSON : HALTSQL_FORMAT_AUTO;
}

/* The answer to a row, to be freed. */
static char *answer(char **fields) {
    size_t first_length, second_length;
    uint8_t *first = unhex(fields[3], &first_length);
    uint8_t *second = unhex(fields[4], &second_length);
    haltsql_status status;
    char *said = NULL;
    if (strcmp(fields[0], "check") == 0) {
        haltsql_verdict verdict;
        status = haltsql_check(policy_of(fields[2]), second, second_length, first, first_length, &verdict, NULL);
        if (status == HALTSQL_OK) {
            said = strndup((const char *)verdict.json.data, same_part(&verdict.json));
        }
        haltsql_verdict_free(&verdict);
    } else {
        EXPECT(strcmp(fields[0], "load") == 0);
        haltsql_policy *policy;
        status = haltsql_policy_load(second, second_length, format_of(fields[2]), first, first_length, &policy, NULL);
        if (status == HALTSQL_OK) {
            haltsql_buffer version;
            EXPECT(haltsql_policy_version(policy, &version, NULL) == HALTSQL_OK);
            said = strdup((const char *)version.data);
            haltsql_buffer_free(&version);
        }
        haltsql_policy_free(&policy);
    }
    if (said == NULL) {
        said = malloc(32);
        EXPECT(said != NULL);
        snprintf(said, 32, "error %u", status);
    }
    free(first);
    free(second);
    return said;
}

/* The fields of a line, which is changed. */
static int split(char *line, char **fields) {
    int count = 0;
    for (char *field = line; field != NULL && count < FIELDS; count++) {
        fields[count] = field;
        field = strchr(field, '\t');
        if (field != NULL) {
            *field++ = 0;
        }
    }
    return count;
}

static bool run(const char *path) {
    size_t length;
    char *text = read_file(path, &length);
    char *state = NULL;
    char *line = strtok_r(text, "\n", &state);
    char *header[FIELDS];
    EXPECT(line != NULL && split(line, header) == 5 && strcmp(header[0], "haltsql-conformance") == 0 && strcmp(header[1], "1") == 0);
    unsigned long cases = 0, identical = 0;
    while ((line = strtok_r(NULL, "\n", &state)) != NULL) {
        char *fields[FIELDS];
        EXPECT(split(line, fields) == FIELDS);
        char *said = answer(fields);
        cases++;
        if (strcmp(said, fields[5]) == 0) {
            identical++;
        } else if (cases - identical <= SHOWN) {
            fprintf(stderr, "%s\n  expected %s\n  answered %s\n", fields[1], fields[5], said);
        }
        free(said);
    }
    printf("conformance name=c set=%s cases=%lu identical=%lu uncarried=0 digest=%s\n", header[2], cases, identical, header[4]);
    bool same = identical == cases && cases == strtoul(header[3], NULL, 10);
    free(text);
    return same;
}

int main(void) {
    folder = getenv("HALTSQL_CONFORMANCE_DIR");
    if (folder == NULL) {
        folder = ".build/conformance";
    }
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    int sets = 0;
    bool same = true;
    for (int at = 0; at < count; at++) {
        const char *end = strrchr(entries[at]->d_name, '.');
        if (end != NULL && strcmp(end, ".tsv") == 0) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", folder, entries[at]->d_name);
            same = run(path) && same;
            sets++;
        }
        free(entries[at]);
    }
    if (sets == 0) {
        fprintf(stderr, "%s holds no set: run `make conformance`\n", folder);
        return 2;
    }
    free(entries);
    for (int at = 0; at < POLICIES && names[at] != NULL; at++) {
        free(names[at]);
        haltsql_policy_free(&policies[at]);
    }
    return same ? 0 : 1;
}
