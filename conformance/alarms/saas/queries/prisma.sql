-- Prisma: "public"."table" everywhere, j0 joins, 1=1, IN lists, offsets, LATERAL with jsonb for relations, enum casts.

-- name: find-many
SELECT "public"."orders"."id", "public"."orders"."tenant_id", "public"."orders"."status", "public"."orders"."total" FROM "public"."orders" WHERE ("public"."orders"."tenant_id" = $1 AND 1=1) ORDER BY "public"."orders"."id" ASC OFFSET 0

-- name: find-first-with-and-or
SELECT "public"."customers"."id", "public"."customers"."name" FROM "public"."customers" WHERE ("public"."customers"."tenant_id" = $1 AND ("public"."customers"."country" = 'DE' OR "public"."customers"."email"::text ILIKE '%mail%') AND (NOT "public"."customers"."segment" = 'mid')) ORDER BY "public"."customers"."created_at" DESC LIMIT 1 OFFSET 0

-- name: relation-in-list
SELECT "public"."order_items"."id", "public"."order_items"."order_id", "public"."order_items"."quantity" FROM "public"."order_items" WHERE ("public"."order_items"."tenant_id" = $1 AND "public"."order_items"."order_id" IN (1,2,3,4,5)) OFFSET 0

-- name: some-filter
SELECT "public"."customers"."id" FROM "public"."customers" WHERE ("public"."customers"."tenant_id" = $1 AND ("public"."customers"."id") IN (SELECT "t1"."customer_id" FROM "public"."orders" AS "t1" WHERE ("t1"."tenant_id" = $1 AND "t1"."total" > 100 AND "t1"."customer_id" IS NOT NULL))) OFFSET 0

-- name: none-filter
SELECT "public"."customers"."id" FROM "public"."customers" WHERE ("public"."customers"."tenant_id" = $1 AND ("public"."customers"."id") NOT IN (SELECT "t1"."customer_id" FROM "public"."orders" AS "t1" WHERE ("t1"."status" = 'refunded' AND "t1"."tenant_id" = $1 AND "t1"."customer_id" IS NOT NULL))) OFFSET 0

-- name: count
SELECT COUNT(*) FROM (SELECT "public"."orders"."id" FROM "public"."orders" WHERE "public"."orders"."tenant_id" = $1 OFFSET 0) AS "sub"

-- name: count-all-aggregated
SELECT COUNT(*) AS "_count._all", SUM("total") AS "_sum.total", MIN("placed_at") AS "_min.placed_at" FROM (SELECT "public"."orders"."id", "public"."orders"."total", "public"."orders"."placed_at" FROM "public"."orders" WHERE "public"."orders"."tenant_id" = $1 OFFSET 0) AS "sub"

-- name: group-by-having
SELECT COUNT(*), SUM("public"."orders"."total"), "public"."orders"."status" FROM "public"."orders" WHERE "public"."orders"."tenant_id" = $1 GROUP BY "public"."orders"."status" HAVING AVG("public"."orders"."total") > 50 ORDER BY "public"."orders"."status" ASC OFFSET 0

-- name: aggregated-relation-count-join
SELECT "public"."customers"."id", "public"."customers"."name", COALESCE("aggr_selection_0_Order"."_aggr_count_orders", 0) AS "_aggr_count_orders" FROM "public"."customers" LEFT JOIN (SELECT "public"."orders"."customer_id", "public"."orders"."tenant_id", COUNT(*) AS "_aggr_count_orders" FROM "public"."orders" WHERE 1=1 GROUP BY "public"."orders"."customer_id", "public"."orders"."tenant_id") AS "aggr_selection_0_Order" ON ("public"."customers"."id" = "aggr_selection_0_Order"."customer_id" AND "public"."customers"."tenant_id" = "aggr_selection_0_Order"."tenant_id") WHERE "public"."customers"."tenant_id" = $1 OFFSET 0

-- name: relation-join-strategy
SELECT "t0"."id", "t0"."name", "Customer_orders"."__prisma_data__" AS "orders" FROM "public"."customers" AS "t0" LEFT JOIN LATERAL (SELECT COALESCE(JSONB_AGG("__prisma_data__"), '[]') AS "__prisma_data__" FROM (SELECT "t3"."__prisma_data__" FROM (SELECT JSONB_BUILD_OBJECT('id', "t2"."id", 'total', "t2"."total") AS "__prisma_data__", "t2"."id" FROM (SELECT "t1".* FROM "public"."orders" AS "t1" WHERE ("t0"."id" = "t1"."customer_id" AND "t0"."tenant_id" = "t1"."tenant_id")) AS "t2") AS "t3" ORDER BY "t3"."id" ASC LIMIT 5) AS "t4") AS "Customer_orders" ON TRUE WHERE "t0"."tenant_id" = $1 LIMIT 20

-- name: enum-filter
SELECT "public"."tickets"."id", "public"."tickets"."priority"::text FROM "public"."tickets" WHERE ("public"."tickets"."tenant_id" = $1 AND "public"."tickets"."priority" IN (CAST('high'::text AS "public"."priority"), CAST('urgent'::text AS "public"."priority")))

-- name: array-has-and-json-path
SELECT "public"."products"."id" FROM "public"."products" WHERE ("public"."products"."tenant_id" = $1 AND "public"."products"."tags" @> ARRAY['new']::text[] AND ("public"."products"."attributes"#>ARRAY['dims', 'w']::text[])::jsonb > '3'::jsonb)

-- name: cursor-pagination
SELECT "public"."orders"."id", "public"."orders"."placed_at" FROM "public"."orders", (SELECT "public"."orders"."placed_at" AS "orders_placed_at_0" FROM "public"."orders" WHERE ("public"."orders"."id") = (40) AND "public"."orders"."tenant_id" = $1) AS "order_cmp" WHERE ("public"."orders"."tenant_id" = $1 AND "public"."orders"."placed_at" >= "order_cmp"."orders_placed_at_0") ORDER BY "public"."orders"."placed_at" ASC LIMIT 10 OFFSET 1

-- name: distinct-on-rows
SELECT DISTINCT ON ("public"."orders"."customer_id") "public"."orders"."customer_id", "public"."orders"."id" FROM "public"."orders" WHERE "public"."orders"."tenant_id" = $1 ORDER BY "public"."orders"."customer_id" ASC, "public"."orders"."placed_at" DESC

-- name: order-by-relation-count
SELECT "public"."customers"."id" FROM "public"."customers" LEFT JOIN (SELECT "public"."tickets"."customer_id", COUNT(*) AS "orderby_aggregator" FROM "public"."tickets" WHERE "public"."tickets"."tenant_id" = $1 GROUP BY "public"."tickets"."customer_id") AS "orderby_1_Ticket" ON "public"."customers"."id" = "orderby_1_Ticket"."customer_id" WHERE "public"."customers"."tenant_id" = $1 ORDER BY COALESCE("orderby_1_Ticket"."orderby_aggregator", 0) DESC OFFSET 0
