-- Django: every name quoted, aliases T4 and U0, (1) AS "a", subqueries with LIMIT 1, timezone truncation by the name of the zone.

-- name: filter-and-order
SELECT "orders"."id", "orders"."tenant_id", "orders"."customer_id", "orders"."status", "orders"."total", "orders"."placed_at" FROM "orders" WHERE ("orders"."tenant_id" = $1 AND "orders"."status" IN ('paid', 'shipped') AND "orders"."total" >= 100.00) ORDER BY "orders"."placed_at" DESC LIMIT 21

-- name: exists
SELECT 1 AS "a" FROM "orders" WHERE ("orders"."tenant_id" = $1 AND "orders"."status" = 'paid') LIMIT 1

-- name: select-related
SELECT "orders"."id", "orders"."total", "customers"."id", "customers"."name" FROM "orders" INNER JOIN "customers" ON ("orders"."customer_id" = "customers"."id" AND "orders"."tenant_id" = "customers"."tenant_id") LEFT OUTER JOIN "users" ON ("orders"."user_id" = "users"."id" AND "orders"."tenant_id" = "users"."tenant_id") WHERE "orders"."tenant_id" = $1

-- name: annotate-count-with-filter
SELECT "customers"."id", "customers"."name", COUNT("orders"."id") FILTER (WHERE "orders"."status" = 'paid') AS "paid_orders" FROM "customers" LEFT OUTER JOIN "orders" ON ("customers"."id" = "orders"."customer_id" AND "customers"."tenant_id" = "orders"."tenant_id") WHERE "customers"."tenant_id" = $1 GROUP BY "customers"."id", "customers"."name" HAVING COUNT("orders"."id") > 1 ORDER BY 3 DESC

-- name: subquery-annotation-with-outer-ref
SELECT "customers"."id", (SELECT U0."placed_at" AS "placed_at" FROM "orders" U0 WHERE (U0."customer_id" = ("customers"."id") AND U0."tenant_id" = ("customers"."tenant_id")) ORDER BY U0."placed_at" DESC LIMIT 1) AS "last_order" FROM "customers" WHERE "customers"."tenant_id" = $1 ORDER BY "last_order" DESC NULLS LAST

-- name: exists-negated
SELECT "customers"."id" FROM "customers" WHERE ("customers"."tenant_id" = $1 AND NOT EXISTS(SELECT 1 AS "a" FROM "orders" U0 WHERE (U0."customer_id" = ("customers"."id") AND U0."tenant_id" = ("customers"."tenant_id")) LIMIT 1))

-- name: exclude-over-a-multivalued-relation
SELECT "customers"."id" FROM "customers" WHERE ("customers"."tenant_id" = $1 AND NOT (EXISTS(SELECT 1 AS "a" FROM "orders" U1 WHERE (U1."status" = 'refunded' AND U1."customer_id" = ("customers"."id") AND U1."tenant_id" = $1) LIMIT 1)))

-- name: aggregate-of-a-distinct-subquery
SELECT COUNT(*) FROM (SELECT DISTINCT "orders"."customer_id" AS "col1" FROM "orders" WHERE "orders"."tenant_id" = $1) subquery

-- name: trunc-month-with-time-zone
SELECT DATE_TRUNC('month', "orders"."placed_at" AT TIME ZONE 'Europe/Berlin') AS "month", SUM("orders"."total") AS "s", (AVG("orders"."total"))::double precision AS "a" FROM "orders" WHERE "orders"."tenant_id" = $1 GROUP BY 1 ORDER BY 1 ASC

-- name: date-lookup
SELECT "orders"."id" FROM "orders" WHERE ("orders"."tenant_id" = $1 AND ("orders"."placed_at" AT TIME ZONE 'UTC')::date = '2024-02-01'::date AND EXTRACT(YEAR FROM "orders"."placed_at" AT TIME ZONE 'UTC') = 2024)

-- name: icontains
SELECT "customers"."id" FROM "customers" WHERE ("customers"."tenant_id" = $1 AND UPPER("customers"."name"::text) LIKE UPPER('%omer 1%') AND "customers"."email"::text LIKE 'c%')

-- name: case-when-values
SELECT CASE WHEN "orders"."total" > 500 THEN 'big' WHEN "orders"."total" > 100 THEN 'mid' ELSE 'low' END AS "bucket", COUNT(*) AS "n" FROM "orders" WHERE "orders"."tenant_id" = $1 GROUP BY 1

-- name: window-annotation-filtered
SELECT * FROM (SELECT "orders"."id" AS "col1", "orders"."customer_id" AS "col2", ROW_NUMBER() OVER (PARTITION BY "orders"."customer_id" ORDER BY "orders"."total" DESC) AS "qual0" FROM "orders" WHERE "orders"."tenant_id" = $1) "qualify" WHERE "qual0" <= 3

-- name: union
(SELECT "customers"."name" AS "col1" FROM "customers" WHERE "customers"."tenant_id" = $1) UNION (SELECT "users"."name" AS "col1" FROM "users" WHERE "users"."tenant_id" = $1) ORDER BY (1) ASC LIMIT 10

-- name: coalesce-sum
SELECT COALESCE(SUM("payments"."amount"), 0.00) AS "paid" FROM "payments" WHERE ("payments"."tenant_id" = $1 AND "payments"."succeeded")

-- name: in-subquery
SELECT "tickets"."id", "tickets"."subject" FROM "tickets" WHERE ("tickets"."tenant_id" = $1 AND "tickets"."customer_id" IN (SELECT U0."id" FROM "customers" U0 WHERE (U0."segment" = 'smb' AND U0."tenant_id" = $1)))

-- name: json-key-transform
SELECT "customers"."id", ("customers"."attributes" ->> 'score') AS "score" FROM "customers" WHERE ("customers"."tenant_id" = $1 AND ("customers"."attributes" -> 'vip') = 'true'::jsonb AND "customers"."attributes" ? 'langs' AND ("customers"."attributes" #> '{langs,0}') = '"en"'::jsonb)

-- name: prefetch-many-to-many
SELECT ("order_tags"."order_id") AS "_prefetch_related_val_order_id", "tags"."id", "tags"."name" FROM "tags" INNER JOIN "order_tags" ON ("tags"."id" = "order_tags"."tag_id" AND "tags"."tenant_id" = "order_tags"."tenant_id") WHERE ("tags"."tenant_id" = $1 AND "order_tags"."order_id" IN (1, 2, 3))

-- name: search-vector
SELECT "documents"."id", ts_rank(COALESCE(to_tsvector('english'::regconfig, COALESCE("documents"."title", '') || ' ' || COALESCE("documents"."body", '')), ''), plainto_tsquery('english'::regconfig, 'quick fox')) AS "rank" FROM "documents" WHERE ("documents"."tenant_id" = $1 AND to_tsvector('english'::regconfig, COALESCE("documents"."body", '')) @@ (plainto_tsquery('english'::regconfig, 'quick fox'))) ORDER BY "rank" DESC

-- name: array-overlap-and-length
SELECT "products"."id" FROM "products" WHERE ("products"."tenant_id" = $1 AND "products"."tags" && (ARRAY['new', 't1'])::text[] AND CASE WHEN "products"."tags" IS NULL THEN NULL ELSE coalesce(array_length("products"."tags", 1), 0) END = 2)
