-- Cube: quoted keys with double underscores, security context in WHERE, rollups and time-dimension series.

-- name: measure-by-time-dimension
SELECT
      "orders".status "orders__status", date_trunc('day', ("orders".placed_at::timestamptz AT TIME ZONE 'UTC')) "orders__placed_at_day", count("orders".id) "orders__count"
    FROM
      public.orders AS "orders"
  WHERE ("orders".tenant_id = $1) AND ("orders".placed_at >= '2024-01-01T00:00:00.000'::timestamptz AND "orders".placed_at <= '2024-12-31T23:59:59.999'::timestamptz)
  GROUP BY 1, 2 ORDER BY 2 ASC LIMIT 10000

-- name: multiplied-measures-by-keys
SELECT "keys"."customers__country" "customers__country", sum("orders".total) "orders__total"
FROM (SELECT DISTINCT "customers".country "customers__country", "orders".id "orders__id", "orders".tenant_id "orders__tenant"
      FROM public.customers AS "customers"
      LEFT JOIN public.orders AS "orders" ON "orders".customer_id = "customers".id AND "orders".tenant_id = "customers".tenant_id
      WHERE ("customers".tenant_id = $1)) AS "keys"
LEFT JOIN public.orders AS "orders" ON "keys"."orders__id" = "orders".id AND "keys"."orders__tenant" = "orders".tenant_id
GROUP BY 1
ORDER BY 2 DESC
LIMIT 10000

-- name: rolling-window-over-a-series
SELECT q_0."placed_at_month", "rolling_total" FROM (
  SELECT s."placed_at_month", sum("rolling_total__base") "rolling_total"
  FROM (SELECT d.m "placed_at_month" FROM generate_series('2024-01-01'::timestamp, '2024-12-01'::timestamp, '1 month'::interval) AS d(m)) AS s
  LEFT JOIN (SELECT date_trunc('month', ("orders".placed_at::timestamptz AT TIME ZONE 'UTC')) "placed_at_month", sum("orders".total) "rolling_total__base"
             FROM public.orders AS "orders" WHERE "orders".tenant_id = $1 GROUP BY 1) AS base
    ON base."placed_at_month" > s."placed_at_month" - '3 month'::interval AND base."placed_at_month" <= s."placed_at_month"
  GROUP BY 1
) as q_0 ORDER BY 1 ASC LIMIT 10000

-- name: filtered-measures-and-segments
SELECT count(CASE WHEN ("orders".status = 'paid') THEN "orders".id END) "orders__paid", count(distinct "orders".customer_id) "orders__customers"
FROM public.orders AS "orders"
WHERE ("orders".tenant_id = $1) AND (("orders".total > 20)) AND (("orders".status IN ('paid', 'shipped') OR "orders".status IS NULL))
LIMIT 10000
