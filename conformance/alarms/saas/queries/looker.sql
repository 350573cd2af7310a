-- Looker: explores with every field twice cast to text, symmetric aggregates, persistent-less derived tables, ORDER BY ordinals.

-- name: explore-with-joins
SELECT
    (DATE(orders.placed_at AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')) AS "orders.placed_date",
    customers.country  AS "customers.country",
    COUNT(DISTINCT orders.id ) AS "orders.count",
    COALESCE(SUM(order_items.unit_price * order_items.quantity), 0) AS "order_items.total_gross"
FROM public.order_items  AS order_items
LEFT JOIN public.orders  AS orders ON order_items.order_id = orders.id AND order_items.tenant_id = orders.tenant_id
LEFT JOIN public.customers  AS customers ON orders.customer_id = customers.id AND orders.tenant_id = customers.tenant_id
WHERE (order_items.tenant_id ) = $1 AND ((( orders.placed_at  ) >= ((SELECT TIMESTAMP '2024-01-01')) AND ( orders.placed_at  ) < ((SELECT (TIMESTAMP '2024-01-01' + (365 || ' day')::INTERVAL)))))
GROUP BY
    1,
    2
ORDER BY
    1 DESC
FETCH NEXT 500 ROWS ONLY

-- name: symmetric-aggregate-without-hash
SELECT
    customers.segment AS "customers.segment",
    COUNT(DISTINCT CASE WHEN orders.status = 'paid' THEN orders.id ELSE NULL END) AS "orders.paid_count",
    COALESCE(CAST(SUM(DISTINCT (CAST(FLOOR(COALESCE(orders.total, 0) * 1000000) AS DECIMAL(65,0)))) AS DOUBLE PRECISION) / CAST(1000000 AS DOUBLE PRECISION), 0) AS "orders.total"
FROM public.customers AS customers
INNER JOIN public.orders AS orders ON orders.customer_id = customers.id AND orders.tenant_id = customers.tenant_id
WHERE customers.tenant_id = $1
GROUP BY 1
ORDER BY 2 DESC
LIMIT 500

-- name: derived-table-as-cte
WITH customer_facts AS (SELECT
          o.tenant_id, o.customer_id, MIN(o.placed_at) AS first_order, MAX(o.placed_at) AS last_order, COUNT(*) AS lifetime_orders
        FROM public.orders o
        GROUP BY 1, 2
      )
SELECT
    CASE WHEN customer_facts.lifetime_orders > 4 THEN 'Yes' ELSE 'No' END AS "customer_facts.is_repeat",
    COUNT(DISTINCT customers.id ) AS "customers.count"
FROM public.customers AS customers
LEFT JOIN customer_facts ON customer_facts.customer_id = customers.id AND customer_facts.tenant_id = customers.tenant_id
WHERE ((customers.tenant_id = $1))
GROUP BY 1
ORDER BY 2 DESC
LIMIT 500

-- name: tier-dimension
SELECT CASE
WHEN orders.total  < 50 THEN 'T01 (-inf,50.0)'
WHEN orders.total  >= 50 AND orders.total  < 200 THEN 'T02 [50.0,200.0)'
WHEN orders.total  >= 200 THEN 'T03 [200.0,inf)'
ELSE 'TXX Undefined'
END AS "orders.total_tier__sort_",
    COUNT(*) AS "orders.count"
FROM public.orders AS orders
WHERE (orders.tenant_id = $1) AND (orders.status <> 'cancelled' OR orders.status IS NULL)
GROUP BY 1
HAVING NOT (COUNT(*) = 0)
ORDER BY 1
LIMIT 500

-- name: totals-query-over-subquery
SELECT SUM(z___."orders.count") AS "orders.count" FROM (
  SELECT orders.status AS "orders.status", COUNT(*) AS "orders.count" FROM public.orders AS orders WHERE orders.tenant_id = $1 GROUP BY 1
) AS z___

-- name: pivot-with-rank-columns
SELECT * FROM (
SELECT *, DENSE_RANK() OVER (ORDER BY z___min_rank) as z___pivot_row_rank, RANK() OVER (PARTITION BY z__pivot_col_rank ORDER BY z___min_rank) as z__pivot_col_ordering, CASE WHEN z___min_rank = z___rank THEN 1 ELSE 0 END AS z__is_highest_ranked_cell FROM (
SELECT *, MIN(z___rank) OVER (PARTITION BY "orders.placed_month") as z___min_rank FROM (
SELECT *, RANK() OVER (ORDER BY CASE WHEN z__pivot_col_rank=1 THEN (CASE WHEN "orders.count" IS NOT NULL THEN 0 ELSE 1 END) ELSE 2 END, CASE WHEN z__pivot_col_rank=1 THEN "orders.count" ELSE NULL END DESC, "orders.count" DESC, z__pivot_col_rank, "orders.placed_month") AS z___rank FROM (
SELECT *, DENSE_RANK() OVER (ORDER BY CASE WHEN "orders.status" IS NULL THEN 1 ELSE 0 END, "orders.status") AS z__pivot_col_rank FROM (
SELECT
    orders.status AS "orders.status",
    (TO_CHAR(DATE_TRUNC('month', orders.placed_at ), 'YYYY-MM')) AS "orders.placed_month",
    COUNT(*) AS "orders.count"
FROM public.orders AS orders
WHERE orders.tenant_id = $1
GROUP BY
    1,
    2) ww
) bb WHERE z__pivot_col_rank <= 16384
) aa
) xx
) zz
 WHERE (z__pivot_col_rank <= 50 OR z__is_highest_ranked_cell = 1) AND (z___pivot_row_rank <= 500 OR z__pivot_col_ordering = 1) ORDER BY z___pivot_row_rank
