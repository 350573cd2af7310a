-- Power BI, Tableau, Grafana, Redash, Qlik, Sigma, Hex, dbt, Mode: the shapes of other tools that write SQL.

-- name: powerbi-direct-query
select "_"."status" as "c1", sum("_"."total") as "a0", count(1) as "a1" from ( select "$Table"."id" as "id", "$Table"."tenant_id" as "tenant_id", "$Table"."status" as "status", "$Table"."total" as "total" from "public"."orders" "$Table" ) "_" where "_"."tenant_id" = $1 group by "_"."status" limit 1000001

-- name: powerbi-merged-tables
select "rows"."country" as "country", sum("rows"."total") as "a0" from ( select "$Outer"."total", "$Inner"."country" from ( select "_"."total" as "total", "_"."customer_id" as "customer_id2" from "public"."orders" "_" where "_"."tenant_id" = $1 ) "$Outer" left outer join ( select "_"."id" as "id", "_"."country" as "country" from "public"."customers" "_" where "_"."tenant_id" = $1 ) "$Inner" on ("$Outer"."customer_id2" = "$Inner"."id") ) "rows" group by "rows"."country" limit 1000001

-- name: powerbi-null-aware-filter
select "_"."country" from "public"."customers" "_" where ("_"."segment" = 'smb' and "_"."segment" is not null) and "_"."tenant_id" = $1 and ("_"."created_at" >= timestamp '2023-01-01 00:00:00' and "_"."created_at" < timestamp '2025-01-01 00:00:00') group by "_"."country" order by "_"."country" limit 501

-- name: tableau-worksheet
SELECT "orders"."status" AS "status", CAST(DATE_TRUNC( 'MONTH', CAST("orders"."placed_at" AS TIMESTAMP) ) AS DATE) AS "tmn:placed_at:ok", SUM(CAST("orders"."total" AS DOUBLE PRECISION)) AS "sum:total:ok" FROM "public"."orders" "orders" WHERE (("orders"."tenant_id" = $1) AND ("orders"."status" IN ('paid', 'shipped'))) GROUP BY 1, 2

-- name: tableau-top-n-set
SELECT "customers"."country" AS "country", SUM("orders"."total") AS "sum:total:ok" FROM "public"."orders" "orders" INNER JOIN "public"."customers" "customers" ON (("orders"."customer_id" = "customers"."id") AND ("orders"."tenant_id" = "customers"."tenant_id")) INNER JOIN ( SELECT "customers"."country" AS "country", SUM("orders"."total") AS "$__alias__0" FROM "public"."orders" "orders" INNER JOIN "public"."customers" "customers" ON (("orders"."customer_id" = "customers"."id") AND ("orders"."tenant_id" = "customers"."tenant_id")) WHERE ("orders"."tenant_id" = $1) GROUP BY 1 ORDER BY 2 DESC LIMIT 3 ) "t0" ON ("customers"."country" IS NOT DISTINCT FROM "t0"."country") WHERE ("orders"."tenant_id" = $1) GROUP BY 1

-- name: tableau-level-of-detail
SELECT "t0"."__measure__0" AS "orders_per_customer", COUNT(1) AS "customers" FROM ( SELECT "orders"."customer_id" AS "customer_id", COUNT("orders"."id") AS "__measure__0" FROM "public"."orders" "orders" WHERE ("orders"."tenant_id" = $1) GROUP BY 1 ) "t0" GROUP BY 1 HAVING (COUNT(1) > 0)

-- name: tableau-custom-sql
SELECT "Custom SQL Query"."day" AS "day", SUM("Custom SQL Query"."revenue") AS "sum:revenue:ok" FROM ( select o.placed_at::date as day, o.total as revenue, o.tenant_id from orders o ) "Custom SQL Query" WHERE ("Custom SQL Query"."tenant_id" = $1) GROUP BY 1 HAVING (COUNT(1)>0)

-- name: grafana-time-group
SELECT floor(extract(epoch from taken_at)/300)*300 AS "time", device_id AS metric, avg(value) AS "value" FROM readings WHERE tenant_id = $1 AND taken_at BETWEEN '2024-05-01T00:00:00Z' AND '2024-05-02T00:00:00Z' GROUP BY 1, 2 ORDER BY 1, 2

-- name: grafana-fill-with-series
SELECT s.t AS "time", coalesce(r.v, 0) AS "value" FROM generate_series('2024-05-01T00:00:00Z'::timestamptz, '2024-05-01T06:00:00Z'::timestamptz, '15m'::interval) AS s(t) LEFT JOIN (SELECT date_bin('15m', taken_at, '2024-01-01T00:00:00Z') AS t, avg(value) AS v FROM readings WHERE tenant_id = $1 AND metric = 'temp' GROUP BY 1) r ON r.t = s.t ORDER BY 1

-- name: redash-parameter-list
SELECT date_trunc('week', placed_at) AS week, status, count(*) FROM orders WHERE tenant_id = $1 AND status IN ('paid','shipped') AND placed_at > (now() - interval '5 years') GROUP BY 1, 2 ORDER BY 1 DESC, 3 DESC LIMIT 1000

-- name: qlik-load
SELECT "id", "customer_id", "status", "total", "placed_at" FROM "public"."orders" WHERE "tenant_id" = $1 AND "placed_at" >= '2024-01-01 00:00:00.000'

-- name: sigma-chained-ctes
WITH "BASE_0" AS (SELECT "tenant_id", "status", "total", "placed_at" FROM "public"."orders"), "GROUP_1" AS (SELECT "tenant_id", "status", sum("total") AS "SUM_2", count(1) AS "COUNT_3" FROM "BASE_0" GROUP BY "tenant_id", "status") SELECT "status", "SUM_2", "SUM_2" / nullif("COUNT_3"::float8, 0) AS "AVG_4" FROM "GROUP_1" WHERE "tenant_id" = $1 ORDER BY "status" LIMIT 10001

-- name: dbt-style-import-ctes
with orders as (
    select * from public.orders where tenant_id = $1
), customers as (
    select id, name, segment from public.customers where tenant_id = $1
), customer_orders as (
    select customer_id, min(placed_at) as first_order_date, max(placed_at) as most_recent_order_date, count(id) as number_of_orders from orders group by 1
), final as (
    select customers.id, customers.name, customer_orders.first_order_date, coalesce(customer_orders.number_of_orders, 0) as number_of_orders
    from customers left join customer_orders on customers.id = customer_orders.customer_id
)
select * from final

-- name: dbt-union-relations
with unioned as (
    (select cast('orders' as text) as _source, cast("id" as integer) as "id", cast("placed_at" as timestamptz) as "at", cast(null as text) as "subject" from "public"."orders" where "tenant_id" = $1)
    union all
    (select cast('tickets' as text) as _source, cast("id" as integer) as "id", cast("opened_at" as timestamptz) as "at", cast("subject" as text) as "subject" from "public"."tickets" where "tenant_id" = $1)
)
select _source, count(*), max(at) from unioned group by _source

-- name: dbt-date-spine-and-surrogate-key
with spine as (select generate_series('2024-01-01'::date, '2024-01-31'::date, interval '1 day')::date as day)
select md5(cast(coalesce(cast(s.day as text), '') || '-' || coalesce(cast(o.status as text), '') as text)) as key, s.day, o.status, count(o.id) as n
from spine s left join public.orders o on o.placed_at::date = s.day and o.tenant_id = $1 group by 1, 2, 3

-- name: hex-preview-wrapper
SELECT * FROM (SELECT id, status, total FROM orders WHERE tenant_id = $1) AS hex_scoped_table LIMIT 101

-- name: mode-count-wrapper
SELECT COUNT(*) FROM (SELECT o.id, c.name FROM orders o JOIN customers c ON c.id = o.customer_id AND c.tenant_id = o.tenant_id WHERE o.tenant_id = $1) AS mode_wrapped

-- name: data-grid-sort-and-window-page
SELECT * FROM (SELECT t.*, ROW_NUMBER() OVER (ORDER BY t.placed_at DESC, t.id) AS rn, COUNT(*) OVER () AS total_rows FROM (SELECT id, status, total, placed_at FROM public.orders WHERE tenant_id = $1) t) p WHERE p.rn BETWEEN 11 AND 20

-- name: data-profile-of-a-column
SELECT COUNT(*) AS n, COUNT(country) AS filled, COUNT(DISTINCT country) AS different, MIN(country), MAX(country), COUNT(*) - COUNT(country) AS nulls, AVG(LENGTH(country))::numeric(10,2) AS avg_length FROM customers WHERE tenant_id = $1

-- name: zero-rows-for-column-types
SELECT * FROM (SELECT id, status, total FROM orders WHERE tenant_id = $1) AS t WHERE 1 = 0

-- name: odbc-parenthesised-everything
SELECT ("o"."id"), (("o"."total")) FROM (("public"."orders" AS "o" INNER JOIN "public"."customers" AS "c" ON ((("o"."customer_id") = ("c"."id")) AND (("o"."tenant_id") = ("c"."tenant_id")))) LEFT JOIN "public"."users" AS "u" ON ((("u"."id") = ("o"."user_id")) AND (("u"."tenant_id") = ("o"."tenant_id")))) WHERE ((("o"."tenant_id") = ($1)))

-- name: nested-sources-joined
SELECT "source"."month" AS "month", "source"."revenue" AS "revenue", "Question 2"."tickets" AS "Question 2__tickets"
FROM (SELECT DATE_TRUNC('month', "public"."orders"."placed_at") AS "month", SUM("public"."orders"."total") AS "revenue" FROM "public"."orders" WHERE "public"."orders"."tenant_id" = $1 GROUP BY DATE_TRUNC('month', "public"."orders"."placed_at")) AS "source"
LEFT JOIN (SELECT DATE_TRUNC('month', "public"."tickets"."opened_at") AS "month", COUNT(*) AS "tickets" FROM "public"."tickets" WHERE "public"."tickets"."tenant_id" = $1 GROUP BY DATE_TRUNC('month', "public"."tickets"."opened_at")) AS "Question 2" ON "source"."month" = "Question 2"."month"
ORDER BY "source"."month" ASC

-- name: deferred-through-two-sources-and-a-join
SELECT "source"."country" AS "country", COUNT(*) AS "count"
FROM (SELECT "source"."tenant_id" AS "tenant_id", "source"."country" AS "country", "source"."total" AS "total"
      FROM (SELECT "public"."orders"."tenant_id" AS "tenant_id", "public"."orders"."total" AS "total", "Customers"."country" AS "country"
            FROM "public"."orders" LEFT JOIN "public"."customers" AS "Customers" ON "public"."orders"."customer_id" = "Customers"."id" AND "public"."orders"."tenant_id" = "Customers"."tenant_id") AS "source"
      WHERE "source"."total" > 10) AS "source"
WHERE "source"."tenant_id" = $1
GROUP BY "source"."country"

-- name: embedding-with-locked-parameter-list
SELECT "public"."orders"."status" AS "status", count(*) AS "count" FROM "public"."orders" WHERE "public"."orders"."tenant_id" IN ($1) AND "public"."orders"."currency" = ANY (ARRAY['EUR', 'USD']) GROUP BY "public"."orders"."status"

-- name: array-of-tenants
SELECT o.tenant_id, o.status, COUNT(*) FROM orders o JOIN customers c ON c.tenant_id = o.tenant_id AND c.id = o.customer_id WHERE o.tenant_id = ANY($1) GROUP BY 1, 2 ORDER BY 1, 2
