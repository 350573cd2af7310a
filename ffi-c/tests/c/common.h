/* What the C tests share. A failed expectation ends the program with 1 and says where. */
#ifndef COMMON_H
#define COMMON_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "haltsql.h"

#define EXPECT(condition)                                                                  \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);      \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

#define BYTES(text) ((const uint8_t *)(text))
#define TEXT(text) BYTES(text), strlen(text)

static const char POLICY[] =
    "apiVersion: haltsql.dev/v1\n"
    "kind: Policy\n"
    "metadata: { name: shop, description: what agents may ask }\n"
    "spec:\n"
    "  search_path: [app]\n"
    "  tenancy: { mode: bound, keys: [{ column: tenant_id, context: tenant_id, type: text }] }\n"
    "  tables:\n"
    "    app.orders: { columns: [id, tenant_id, total], hidden: [note], complete: true }\n";

static const char ACME[] = "{\"tenant_id\":\"acme\"}";
static const char ALLOWED[] = "SELECT id FROM orders WHERE tenant_id = $1";
static const char DENIED[] = "SELECT note FROM orders WHERE tenant_id = $1";

static inline bool is_empty(const haltsql_buffer *buffer) {
    return buffer->data == NULL && buffer->len == 0 && buffer->capacity == 0;
}

static inline bool has(const haltsql_buffer *buffer, const char *text) {
    EXPECT(buffer->data != NULL && buffer->data[buffer->len] == 0 && strlen((const char *)buffer->data) == buffer->len);
    return strstr((const char *)buffer->data, text) != NULL;
}

static inline haltsql_policy *load(const char *document) {
    haltsql_policy *policy = NULL;
    haltsql_error error;
    haltsql_status status = haltsql_policy_load(TEXT(document), HALTSQL_FORMAT_AUTO, TEXT("shop.yaml"), &policy, &error);
    if (status != HALTSQL_OK) {
        fprintf(stderr, "%s\n", error.message.data);
    }
    EXPECT(status == HALTSQL_OK && policy != NULL && is_empty(&error.message) && is_empty(&error.json));
    return policy;
}

/* The length of a verdict without the one part that differs between runs. */
static inline size_t same_part(const haltsql_buffer *json) {
    static const char mark[] = ",\"elapsed_us\":";
    for (size_t at = json->len; at-- > 0;) {
        if (json->data[at] == ',' && strncmp((const char *)json->data + at, mark, sizeof mark - 1) == 0) {
            return at;
        }
    }
    EXPECT(false);
    return 0;
}

#endif
