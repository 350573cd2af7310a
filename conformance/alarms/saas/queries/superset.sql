-- Superset: virtual datasets as "virtual_table", series limits as a joined top-n, time grains, jinja already rendered.

-- name: time-series-with-series-limit
SELECT DATE_TRUNC('day', placed_at) AS __timestamp, status AS status, sum(total) AS "SUM(total)"
FROM public.orders
JOIN (SELECT status AS status__, sum(total) AS mme_inner__
      FROM public.orders
      WHERE placed_at >= TO_TIMESTAMP('2024-01-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US') AND placed_at < TO_TIMESTAMP('2024-12-31 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US') AND (tenant_id = $1)
      GROUP BY status ORDER BY mme_inner__ DESC
      LIMIT 3) AS series_limit ON status = status__
WHERE placed_at >= TO_TIMESTAMP('2024-01-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US') AND placed_at < TO_TIMESTAMP('2024-12-31 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US') AND (tenant_id = $1)
GROUP BY DATE_TRUNC('day', placed_at), status
ORDER BY "SUM(total)" DESC
LIMIT 50000

-- name: virtual-dataset
SELECT country AS country, sum(revenue) AS "SUM(revenue)", count(*) AS count
FROM (SELECT c.country, o.total AS revenue, o.placed_at
FROM customers AS c
INNER JOIN orders AS o ON c.id = o.customer_id AND c.tenant_id = o.tenant_id
WHERE c.tenant_id = $1
) AS virtual_table
WHERE placed_at >= '2024-01-01 00:00:00.000000' AND ((revenue > 10))
GROUP BY country ORDER BY "SUM(revenue)" DESC
LIMIT 1000

-- name: virtual-dataset-row-level-filter-outside
SELECT status AS status, COUNT(DISTINCT customer_id) AS "COUNT_DISTINCT(customer_id)"
FROM (SELECT * FROM public.orders) AS virtual_table
WHERE ((tenant_id = $1))
GROUP BY status
ORDER BY "COUNT_DISTINCT(customer_id)" DESC
LIMIT 10000

-- name: week-starting-sunday-grain
SELECT DATE_TRUNC('week', placed_at + INTERVAL '1 day') - INTERVAL '1 day' AS placed_at, AVG(total) AS "AVG(total)"
FROM public.orders
WHERE tenant_id = $1 AND (status IN ('paid', 'shipped') AND NOT (coupon IS NOT NULL))
GROUP BY DATE_TRUNC('week', placed_at + INTERVAL '1 day') - INTERVAL '1 day'
LIMIT 10000

-- name: table-chart-with-percent-metrics
SELECT status AS status, SUM(total) AS "SUM(total)", SUM(total) / SUM(SUM(total)) OVER () AS "%SUM(total)"
FROM public.orders
WHERE tenant_id = $1
GROUP BY status
ORDER BY "SUM(total)" DESC
LIMIT 1000

-- name: filter-box-values
SELECT DISTINCT country AS country FROM public.customers WHERE tenant_id = $1 ORDER BY country ASC LIMIT 1000

-- name: always-true-filter
SELECT COUNT(*) AS count FROM public.orders WHERE 1 = 1 AND tenant_id = $1 AND ((1=1)) LIMIT 50000

-- name: sql-lab-with-cte
WITH
  monthly AS (
    SELECT date_trunc('month', placed_at)::date AS month, sum(total) AS revenue
    FROM orders
    WHERE tenant_id = $1
    GROUP BY 1
  )
SELECT month, revenue, revenue - lag(revenue) OVER (ORDER BY month) AS change
FROM monthly
ORDER BY month
LIMIT 1001
