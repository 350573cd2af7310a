-- Metabase: every name quoted and qualified, "source" for nested questions, row caps, buckets by date_trunc and CAST.

-- name: rows-of-a-table-with-the-interactive-cap
SELECT "public"."orders"."id" AS "id", "public"."orders"."customer_id" AS "customer_id", "public"."orders"."status" AS "status", "public"."orders"."total" AS "total", "public"."orders"."placed_at" AS "placed_at"
FROM "public"."orders"
WHERE "public"."orders"."tenant_id" = $1
LIMIT 2000

-- name: count-by-month
SELECT CAST(DATE_TRUNC('month', "public"."orders"."placed_at") AS date) AS "placed_at", COUNT(*) AS "count"
FROM "public"."orders"
WHERE "public"."orders"."tenant_id" = $1
GROUP BY CAST(DATE_TRUNC('month', "public"."orders"."placed_at") AS date)
ORDER BY CAST(DATE_TRUNC('month', "public"."orders"."placed_at") AS date) ASC

-- name: nested-question-filters-outside
SELECT "source"."status" AS "status", COUNT(*) AS "count", SUM("source"."total") AS "sum"
FROM (SELECT "public"."orders"."id" AS "id", "public"."orders"."tenant_id" AS "tenant_id", "public"."orders"."status" AS "status", "public"."orders"."total" AS "total" FROM "public"."orders") AS "source"
WHERE "source"."tenant_id" = $1
GROUP BY "source"."status"
ORDER BY "source"."status" ASC

-- name: native-question-as-source
SELECT "__mb_source"."country" AS "country", AVG("__mb_source"."spent") AS "avg"
FROM (
  SELECT c.country, c.id, SUM(o.total) AS spent
  FROM customers c JOIN orders o ON o.customer_id = c.id AND o.tenant_id = c.tenant_id
  WHERE c.tenant_id = $1
  GROUP BY c.country, c.id
) AS "__mb_source"
GROUP BY "__mb_source"."country"
ORDER BY "__mb_source"."country" ASC
LIMIT 1048575

-- name: left-join-by-implicit-foreign-key
SELECT "Customers"."country" AS "Customers__country", "public"."orders"."status" AS "status", COUNT(DISTINCT "public"."orders"."id") AS "count"
FROM "public"."orders"
LEFT JOIN "public"."customers" AS "Customers" ON ("public"."orders"."customer_id" = "Customers"."id") AND ("public"."orders"."tenant_id" = "Customers"."tenant_id")
WHERE "public"."orders"."tenant_id" = $1
GROUP BY "Customers"."country", "public"."orders"."status"
ORDER BY "count" DESC, "Customers"."country" ASC

-- name: last-thirty-days-with-time-zone-bucket
SELECT (CAST(DATE_TRUNC('week', ((("public"."orders"."placed_at" AT TIME ZONE 'Europe/Berlin') + INTERVAL '1 day'))) AS timestamp) + INTERVAL '-1 day') AS "placed_at", SUM("public"."orders"."total") AS "sum"
FROM "public"."orders"
WHERE ("public"."orders"."placed_at" >= (CAST(NOW() AS date) + INTERVAL '-3000 day')) AND ("public"."orders"."placed_at" < CAST(NOW() AS date)) AND ("public"."orders"."tenant_id" = $1)
GROUP BY (CAST(DATE_TRUNC('week', ((("public"."orders"."placed_at" AT TIME ZONE 'Europe/Berlin') + INTERVAL '1 day'))) AS timestamp) + INTERVAL '-1 day')
ORDER BY 1 ASC

-- name: binned-numbers
SELECT ((FLOOR((("public"."orders"."total" - 0.0) / 50.0)) * 50.0) + 0.0) AS "total", COUNT(*) AS "count"
FROM "public"."orders"
WHERE "public"."orders"."tenant_id" = $1
GROUP BY ((FLOOR((("public"."orders"."total" - 0.0) / 50.0)) * 50.0) + 0.0)
ORDER BY ((FLOOR((("public"."orders"."total" - 0.0) / 50.0)) * 50.0) + 0.0) ASC

-- name: distinct-values-of-a-filter-widget
SELECT "public"."customers"."country" AS "country"
FROM "public"."customers"
WHERE "public"."customers"."tenant_id" = $1
GROUP BY "public"."customers"."country"
ORDER BY "public"."customers"."country" ASC
LIMIT 1000

-- name: contains-filter-lowercased
SELECT "public"."customers"."id" AS "id", "public"."customers"."name" AS "name"
FROM "public"."customers"
WHERE (LOWER("public"."customers"."name") LIKE '%customer%') AND (("public"."customers"."country" <> 'US') OR ("public"."customers"."country" IS NULL)) AND ("public"."customers"."tenant_id" = $1)
LIMIT 2000

-- name: custom-column-with-case-and-coalesce
SELECT CASE WHEN "public"."orders"."total" > 300 THEN 'large' WHEN "public"."orders"."total" > 100 THEN 'medium' ELSE 'small' END AS "Size", COALESCE("public"."orders"."coupon", 'none') AS "Coupon", COUNT(*) AS "count"
FROM "public"."orders"
WHERE "public"."orders"."tenant_id" = $1
GROUP BY CASE WHEN "public"."orders"."total" > 300 THEN 'large' WHEN "public"."orders"."total" > 100 THEN 'medium' ELSE 'small' END, COALESCE("public"."orders"."coupon", 'none')
ORDER BY "Size" ASC, "Coupon" ASC

-- name: share-where
SELECT CAST(SUM(CASE WHEN "public"."orders"."status" = 'paid' THEN 1 ELSE 0.0 END) AS float) / CAST(NULLIF(COUNT(*), 0) AS float) AS "share"
FROM "public"."orders"
WHERE "public"."orders"."tenant_id" = $1

-- name: cumulative-sum
SELECT "source"."placed_at" AS "placed_at", SUM("source"."sum") OVER (ORDER BY "source"."placed_at" ASC ROWS UNBOUNDED PRECEDING) AS "sum"
FROM (SELECT DATE_TRUNC('month', "public"."orders"."placed_at") AS "placed_at", SUM("public"."orders"."total") AS "sum" FROM "public"."orders" WHERE "public"."orders"."tenant_id" = $1 GROUP BY DATE_TRUNC('month', "public"."orders"."placed_at")) AS "source"
ORDER BY "source"."placed_at" ASC

-- name: pivot-with-subtotals-by-grouping-sets
SELECT "public"."orders"."status" AS "status", "public"."orders"."currency" AS "currency", GROUPING("public"."orders"."status", "public"."orders"."currency") AS "pivot-grouping", SUM("public"."orders"."total") AS "sum"
FROM "public"."orders"
WHERE "public"."orders"."tenant_id" = $1
GROUP BY GROUPING SETS (("public"."orders"."status", "public"."orders"."currency"), ("public"."orders"."status"), ("public"."orders"."currency"), ())
ORDER BY 1, 2

-- name: json-field-of-a-jsonb-column
SELECT ("public"."orders"."details" #>> array['channel']::text[])::text AS "details → channel", COUNT(*) AS "count"
FROM "public"."orders"
WHERE "public"."orders"."tenant_id" = $1
GROUP BY ("public"."orders"."details" #>> array['channel']::text[])::text
ORDER BY "count" DESC

-- name: day-of-week-and-hour-extracts
SELECT ((CAST(EXTRACT(dow FROM "public"."orders"."placed_at") AS integer) + 7 - 1) % 7 + 1) AS "dow", CAST(EXTRACT(hour FROM "public"."orders"."placed_at") AS integer) AS "hour", COUNT(*) AS "count"
FROM "public"."orders"
WHERE "public"."orders"."tenant_id" = $1
GROUP BY ((CAST(EXTRACT(dow FROM "public"."orders"."placed_at") AS integer) + 7 - 1) % 7 + 1), CAST(EXTRACT(hour FROM "public"."orders"."placed_at") AS integer)
ORDER BY 1, 2

-- name: percentile-and-standard-deviation
SELECT PERCENTILE_CONT(0.9) within group (order by "public"."orders"."total") AS "p90", STDDEV_POP("public"."orders"."total") AS "stddev", VAR_POP("public"."orders"."total") AS "var"
FROM "public"."orders"
WHERE "public"."orders"."tenant_id" = $1

-- name: fingerprint-sample-substring
SELECT "public"."tickets"."id" AS "id", SUBSTRING("public"."tickets"."body", 1, 1234) AS "substring0"
FROM "public"."tickets"
WHERE "public"."tickets"."tenant_id" = $1
LIMIT 10000
