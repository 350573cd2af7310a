/* Checks one query for one caller and prints the verdict. Ends with 0: allowed, 1: denied, 2: no check happened.
 *
 *   check POLICY CONTEXT SQL        check policy.yaml '{"tenant_id":"acme"}' 'SELECT id FROM app.customers'
 */
#include <stdio.h>
#include <string.h>

#include <haltsql.h>

int main(int count, char **arguments) {
    if (count != 4 || !HALTSQL_IS_COMPATIBLE()) {
        fprintf(stderr, "usage: %s POLICY CONTEXT SQL (HaltSQL %s)\n", arguments[0], haltsql_version());
        return 2;
    }
    const char *path = arguments[1], *context = arguments[2], *sql = arguments[3];
    static unsigned char document[1 << 20];
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return 2;
    }
    size_t length = fread(document, 1, sizeof document, file);
    fclose(file);

    haltsql_policy *policy;
    haltsql_verdict verdict = {0};
    haltsql_error error;
    haltsql_status status = haltsql_policy_load(document, length, HALTSQL_FORMAT_AUTO, (const unsigned char *)path, strlen(path), &policy, &error);
    if (status == HALTSQL_OK) {
        status = haltsql_check(policy, (const unsigned char *)sql, strlen(sql), (const unsigned char *)context, strlen(context), &verdict, &error);
    }
    int code = status != HALTSQL_OK ? 2 : verdict.allowed ? 0 : 1;
    if (status != HALTSQL_OK) {
        fprintf(stderr, "error %u: %s\n", status, error.message.data);
    } else {
        puts((const char *)verdict.json.data);
    }
    haltsql_error_free(&error);
    haltsql_verdict_free(&verdict);
    haltsql_policy_free(&policy);
    return code;
}
